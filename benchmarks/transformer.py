"""A frozen Transformer: training on its states against the same head on random states, and what a forward pass pads.

    python benchmarks/transformer.py

The texts are as many and as long as SST's: its own where ATTENTION_AUDIT_MIRROR names a folder with the archive, else
of lengths drawn from a distribution like theirs. States lie in a file, as a run writes them, of half precision; the
reference has states of the same sizes in memory, as padded float32 batches that are made beforehand, with the same
batches and the same head. Both take turns; the ratio of their median processor times is printed, of which at most 1.2
is wanted, and the memory that training takes beside what it took before, without pages of the file. Then the padding of
a forward pass, of which at most 10 % is wanted: texts are cut into pieces by a word's length, four letters each.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import torch
from epoch import sentence_lengths

from attention_audit.arrays import Integers
from attention_audit.artefacts.weights import open_array, write_array
from attention_audit.batching import mark_lengths
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Batch, GivenStates, Split
from attention_audit.model.network import Classifier
from attention_audit.training.loop import draw_batches, make_optimizer, measure_loss, train_epoch
from attention_audit.training.settings import Recipe
from attention_audit.transformer.pieces import Pieces
from attention_audit.transformer.settings import Backbone
from attention_audit.transformer.states import PieceTable, get_piece_limit

CPU = torch.device("cpu")
WIDTH = 384
RECIPE = Recipe()
ARCHITECTURE = Architecture(
    encoder="transformer",
    attention="additive",
    embedding=1,
    pretrained=False,
    hidden=WIDTH,
    attention_hidden=128,
    transformer=Backbone(path="."),
)


def head() -> Classifier:
    """An attention and a decoder on given states, with the same first weights at each call."""
    torch.manual_seed(0)
    return Classifier(ARCHITECTURE, 0, 2)


def resident() -> float:
    """MB of memory of this process, without pages of files."""
    used = psutil.Process().memory_info()
    return (used.rss - getattr(used, "shared", 0)) / 1e6


class Known:
    """Random states of a split as batches that are made beforehand: what training would cost without any reading."""

    def __init__(self, lengths: Integers, labels: Integers, cut: list[Integers]) -> None:
        self.batches = []
        for members in cut:
            count, longest = torch.from_numpy(lengths[members]), int(lengths[members].max())
            states = torch.randn(len(members), longest, WIDTH) * mark_lengths(count, longest)[..., None]
            ids = torch.zeros(len(members), longest + 2, dtype=torch.long)
            self.batches.append(Batch(ids, count, torch.from_numpy(labels[members]), states=states))

    def epoch(self, model: Classifier, optimiser: torch.optim.Optimizer) -> None:
        """Train on all batches once."""
        for batch in self.batches:
            optimiser.zero_grad(set_to_none=True)
            measure_loss(model(batch), batch).sum().backward()
            optimiser.step()


def epochs(split: Split, known: Known, rounds: int) -> Iterator[tuple[float, float]]:
    """Seconds of processor time of an epoch on states in a file, and of one on those in memory."""
    models = head(), head()
    optimisers = [make_optimizer(model, RECIPE) for model in models]
    for number in range(rounds + 1):
        started = time.process_time()
        train_epoch(models[0], split, measure_loss, optimisers[0], RECIPE, np.random.default_rng(0))
        between = time.process_time()
        known.epoch(models[1], optimisers[1])
        if number:  # the first round warms up
            yield between - started, time.process_time() - between


def training(lengths: Integers, rounds: int, folder: Path) -> None:
    """Print the ratio of the times of an epoch, and the memory that reading the states takes."""
    labels = np.arange(len(lengths)) % 2
    starts = lengths.cumsum() - lengths
    with write_array(folder / "states.npy", (int(lengths.sum()), WIDTH), np.float16) as states:
        random = np.random.default_rng(0)
        for start in range(0, len(states), 1 << 14):
            states[start : start + (1 << 14)] = random.standard_normal((len(states[start : start + (1 << 14)]), WIDTH))
    size = (folder / "states.npy").stat().st_size / 1e6
    before = resident()
    flat = torch.from_numpy(open_array(folder / "states.npy"))
    ids = np.zeros(int((lengths + 2).sum()), np.int32)
    split = Split(ids, lengths, labels, CPU, states=GivenStates(flat, starts, lengths, False))
    model = head()
    train_epoch(model, split, measure_loss, make_optimizer(model, RECIPE), RECIPE, np.random.default_rng(0))
    grown = resident() - before
    cut = list(draw_batches(lengths, RECIPE.batch_size, RECIPE.length_noise, np.random.default_rng(0)))
    times = list(epochs(split, Known(lengths, labels, cut), rounds))
    ours, theirs = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"{len(lengths)} texts, {lengths.mean():.1f} words, states of {size:.0f} MB")
    print(f"an epoch: {ours:.2f} s on states in a file, {theirs:.2f} s on random ones; ratio {ours / theirs:.2f} (1.2)")
    print(f"memory beside the file: {grown:.0f} MB")


def padding(lengths: Integers) -> None:
    """Print what a forward pass over texts of these lengths pads."""
    random = np.random.default_rng(1)
    letters = [random.geometric(1 / 4.2, length) for length in lengths]
    counts = np.array([2 + int(np.ceil(of_text / 6).sum()) for of_text in letters])
    flat, none = np.zeros(counts.sum(), np.int32), np.zeros(len(counts), np.int64)
    pieces = Pieces(flat, flat.astype(np.int8), flat, none, counts, none, none, none, none.astype(bool), none)
    widths = sum(batch.ids.numel() for _, batch in PieceTable(pieces, CPU).iterate_by_length())
    print(f"a forward pass in batches of {get_piece_limit()} pieces: {widths / counts.sum() - 1:.1%} padding (10 %)")


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="rounds that are timed")
    parser.add_argument("--texts", type=int, default=6920, help="so many texts; SST has 6,920 to train on")
    call = parser.parse_args()
    torch.set_num_threads(1)
    lengths = sentence_lengths(call.texts, np.random.default_rng(0))
    with tempfile.TemporaryDirectory() as folder:
        training(lengths, call.rounds, Path(folder))
    padding(lengths)


if __name__ == "__main__":
    main()
