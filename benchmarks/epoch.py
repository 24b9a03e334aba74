"""A training epoch of ours against the plain PyTorch step, in one run on one thread.

    python benchmarks/epoch.py

The reference packs its sequences into one bidirectional LSTM and keeps three unfused Adam (amsgrad) optimisers, as the
authors' code does; sizes, texts and batches are the same. Both take turns, and the ratio of their median processor
times is printed: at most 0.40 is wanted on sentences as long as SST's, at most 0.33 on texts of about 180 tokens (160
to 200, since PyTorch passes over the packing of equal lengths). Sentence lengths are SST's own where
ATTENTION_AUDIT_MIRROR names a folder with the archive, else drawn from a distribution like theirs.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from attention_audit.arrays import Floats, Integers
from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.annotated import SstCorpus
from attention_audit.corpus.tokens import split_words
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Split
from attention_audit.model.network import Classifier
from attention_audit.training.loop import LABEL_OBJECTIVE, draw_batches, make_optimizer, measure_loss, train_epoch
from attention_audit.training.settings import Recipe

WORDS = 13_700
EMBEDDING, HIDDEN = 300, 128
SETTINGS = Recipe()
SST = SstCorpus(kind="sst", archive=RemoteFile(file="trainDevTestTrees_PTB.zip"))


class Reference(nn.Module):
    """Embedding, packed bidirectional LSTM, masked additive attention, decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(WORDS, EMBEDDING, padding_idx=0)
        self.lstm = nn.LSTM(EMBEDDING, HIDDEN, batch_first=True, bidirectional=True)
        self.affine = nn.Linear(2 * HIDDEN, HIDDEN)
        self.score = nn.Linear(HIDDEN, 1, bias=False)
        self.decoder = nn.Linear(2 * HIDDEN, 1)

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """(B, L), (B,), both marks included -> (B,)."""
        packed = pack_padded_sequence(self.embedding(ids), lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        position = torch.arange(ids.shape[1])
        outside = (position == 0) | (position >= lengths[:, None] - 1)
        scores = self.score(self.affine(states).tanh()).squeeze(-1)
        attention = scores.masked_fill(outside, float("-inf")).softmax(-1)
        logits: Tensor = self.decoder(torch.einsum("bl,blh->bh", attention, states))
        return logits.squeeze(-1)

    def optimisers(self) -> list[torch.optim.Optimizer]:
        """The authors' three: encoder, attention, decoder."""

        def unfused(modules: list[nn.Module], weight_decay: float) -> torch.optim.Optimizer:
            parameters = [parameter for module in modules for parameter in module.parameters()]
            return torch.optim.Adam(
                parameters,
                lr=SETTINGS.learning_rate,
                weight_decay=weight_decay,
                amsgrad=True,
                foreach=False,
                fused=False,
            )

        return [
            unfused([self.embedding, self.lstm], SETTINGS.weight_decay),
            unfused([self.affine, self.score], 0.0),
            unfused([self.decoder], SETTINGS.weight_decay),
        ]


def reference_epoch(
    texts: list[list[int]], labels: list[int], lengths: Integers, positive_weight: float
) -> Callable[[], None]:
    """One pass of the reference over the texts, ready to be called again and again."""
    model = Reference()
    optimisers = model.optimisers()
    random = np.random.default_rng(0)
    rows, gold = [torch.tensor(text) for text in texts], torch.tensor(labels, dtype=torch.float32)

    def run() -> None:
        for members in draw_batches(lengths, SETTINGS.batch_size, SETTINGS.length_noise, random):
            ids = pad_sequence([rows[member] for member in members], batch_first=True)
            target = gold[members]
            logits = model(ids, torch.from_numpy(lengths[members] + 2))
            weight = torch.where(target == 1, positive_weight, 1.0)
            loss = (binary_cross_entropy_with_logits(logits, target, reduction="none") * weight).sum()
            for optimiser in optimisers:
                optimiser.zero_grad()
            torch.autograd.backward(loss)
            for optimiser in optimisers:
                optimiser.step()

    return run


def our_epoch(texts: list[list[int]], labels: list[int]) -> Callable[[], None]:
    """The same pass by the workflow's own loop."""
    architecture = Architecture(
        encoder="bilstm",
        attention="additive",
        embedding=EMBEDDING,
        pretrained=False,
        hidden=HIDDEN,
        attention_hidden=HIDDEN,
    )
    model = Classifier(architecture, WORDS, classes=2)
    split = Split(np.concatenate(texts), [len(text) - 2 for text in texts], labels, torch.device("cpu"))
    objective = partial(measure_loss, objective=LABEL_OBJECTIVE, sizes=(labels.count(0), labels.count(1)))
    optimiser = make_optimizer(model, SETTINGS)
    random = np.random.default_rng(0)

    def run() -> None:
        train_epoch(model, split, objective, optimiser, SETTINGS, random)

    return run


def sentence_lengths(count: int, random: np.random.Generator) -> Integers:
    """Lengths of SST's training sentences, or some like them: from 6 to 52 tokens, 18.7 on average."""
    archive = Path(os.environ.get("ATTENTION_AUDIT_MIRROR", "")) / "sst" / SST.archive.file
    if archive.is_file():
        texts = [str(text.text) for text in SST.read("sst", {"archive": archive}) if text.split == "train"]
        words = [len(split_words(text, SST.tokens).words) for text in texts]
        lengths = [length for length in words if length > 5]
        print(f"SST's own lengths: {len(lengths)} sentences, mean {np.mean(lengths):.1f}")
        return random.choice(lengths, count, replace=count > len(lengths))
    return np.clip(np.rint(random.gamma(4.2, 18.7 / 4.2, count)), 6, 52).astype(np.int64)


def zipf_texts(lengths: Integers, random: np.random.Generator) -> list[list[int]]:
    """Texts of these lengths between both marks, their words drawn from a Zipf law."""
    shares: Floats = np.cumsum(1 / (np.arange(WORDS - 4) + 3.7))
    words = [np.searchsorted(shares, random.random(n) * shares[-1]) + 4 for n in lengths]
    return [[2, *text.tolist(), 3] for text in words]


def compare(name: str, lengths: Integers, rounds: int, wanted: float) -> None:
    """Let both take turns and print the ratio of their median times."""
    random = np.random.default_rng(1)
    texts = zipf_texts(lengths, random)
    labels = random.integers(0, 2, len(texts)).tolist()
    contestants = {
        "ours": our_epoch(texts, labels),
        "reference": reference_epoch(texts, labels, lengths, labels.count(0) / labels.count(1)),
    }
    seconds: dict[str, list[float]] = {contestant: [] for contestant in contestants}
    for number in range(rounds + 1):
        for contestant, run in contestants.items():
            start = time.process_time()
            run()
            if number:  # the first round warms up
                seconds[contestant].append(time.process_time() - start)
    steps = -(-len(texts) // SETTINGS.batch_size)
    ours, reference = (1000 * statistics.median(seconds[contestant]) / steps for contestant in contestants)
    print(
        f"{name}: {len(texts)} texts, ours {ours:.1f} ms a step, reference {reference:.1f} ms,"
        f" ratio {ours / reference:.3f} (wanted: at most {wanted:.2f})"
    )


def main() -> None:
    """Run both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=1280, help="texts as long as SST's (default 1280)")
    parser.add_argument("--long", type=int, default=192, help="texts of about 180 tokens (default 192)")
    parser.add_argument("--rounds", type=int, default=5, help="epochs of each, after one to warm up (default 5)")
    call = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    compare("SST lengths", sentence_lengths(call.sentences, random), call.rounds, wanted=0.40)
    compare("about 180 tokens", random.integers(160, 201, call.long), call.rounds, wanted=0.33)


if __name__ == "__main__":
    main()
