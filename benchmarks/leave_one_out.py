"""Seconds that leave-one-out takes with a BiLSTM on one core, and against re-encoding every shortened text.

    python benchmarks/leave_one_out.py

1,725 texts such as SST's test split has, from 6 to 52 tokens and 18.7 on average: at most 6 s are wanted. On texts of
about 180 tokens (160 to 200) ours and the plain way take turns, which packs the shortened texts, padded, in batches
through one bidirectional LSTM of the same weights: at most 0.6 of its processor time is wanted. It must find what ours
finds. How much ours saves depends on how long the LSTM remembers a token, so both are also timed with a bias that keeps
its forget gates open.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from epoch import EMBEDDING, HIDDEN, WORDS, Reference
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from attention_audit.arrays import Integers
from attention_audit.audits.leave_one_out import leave_one_out
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Split
from attention_audit.model.network import Classifier
from attention_audit.readout import Scores

TOGETHER = 16
"""Shortened texts of a batch of the plain way: faster than with more, and than with fewer."""


def random_texts(lengths: Integers) -> list[list[int]]:
    """Random words between both marks."""
    random = np.random.default_rng(0)
    return [[2, *random.integers(4, WORDS, length).tolist(), 3] for length in lengths]


def build_split(texts: list[list[int]]) -> Split:
    """The texts on the CPU, labels of no account."""
    return Split(np.concatenate(texts), [len(text) - 2 for text in texts], [0] * len(texts), torch.device("cpu"))


def random_model(remember: float = 0.0) -> Classifier:
    """A BiLSTM classifier of the authors' sizes, untrained, with a bias on its forget gates."""
    architecture = Architecture(
        encoder="bilstm",
        attention="additive",
        embedding=EMBEDDING,
        pretrained=False,
        hidden=HIDDEN,
        attention_hidden=HIDDEN,
    )
    model = Classifier(architecture, WORDS, classes=2).eval()
    with torch.no_grad():
        for lstm in (model.encoder.forwards, model.encoder.backwards):
            lstm.bias_ih_l0[HIDDEN : 2 * HIDDEN] += remember
    return model


def plain_twin(model: Classifier) -> Reference:
    """The reference with the weights of the model."""
    reference = Reference().eval()
    weights = {}
    for name, weight in model.state_dict().items():
        for prefix, suffix in (("encoder.forwards.", ""), ("encoder.backwards.", "_reverse")):
            if name.startswith(prefix):
                weights[f"lstm.{name.removeprefix(prefix)}{suffix}"] = weight
        if not name.startswith("encoder."):
            weights[name.removeprefix("attention.")] = weight
    reference.load_state_dict(weights)
    return reference


@torch.inference_mode()
def plainly(model: Reference, texts: list[list[int]]) -> Scores:
    """What `leave_one_out` finds, by encoding every shortened text anew."""
    rows = [torch.tensor(text) for text in texts]
    shortened = [torch.cat([row[:token], row[token + 1 :]]) for row in rows for token in range(1, len(row) - 1)]

    def positive(some: list[Tensor]) -> Tensor:
        return model(pad_sequence(some, batch_first=True), torch.tensor([len(row) for row in some])).double().sigmoid()

    before = torch.cat([positive([row]).expand(len(row) - 2) for row in rows])
    after = torch.cat([positive(shortened[at : at + TOGETHER]) for at in range(0, len(shortened), TOGETHER)])
    return [part.numpy() for part in (after - before).abs().split([len(row) - 2 for row in rows])]


def timed(run: Callable[[], Scores]) -> tuple[Scores, float]:
    """What it finds, and the processor time it takes."""
    start = time.process_time()
    found = run()
    return found, time.process_time() - start


def measure(texts: int) -> None:
    """Print what a split like SST's takes."""
    lengths = np.clip(np.rint(np.random.default_rng(0).gamma(4.2, 18.7 / 4.2, texts)), 6, 52).astype(np.int64)
    model, split = random_model(), build_split(random_texts(lengths))
    _, seconds = timed(lambda: leave_one_out(model, split).distances)
    print(f"SST lengths: {texts} texts, {lengths.sum()} deletions, {seconds:.1f} s (wanted: at most 6 s)")


def compare(texts: int, rounds: int, remember: float) -> None:
    """Let both ways take turns on long texts and print the ratio of their median times."""
    lengths = np.random.default_rng(1).integers(160, 201, texts)
    words = random_texts(lengths)
    model, split = random_model(remember), build_split(words)
    twin = plain_twin(model)
    ours, theirs = [], []
    for _ in range(rounds):
        found, seconds = timed(lambda: leave_one_out(model, split).distances)
        ours.append(seconds)
        expected, seconds = timed(lambda: plainly(twin, words))
        theirs.append(seconds)
        for mine, reference in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, reference, atol=1e-6)
    each, plain = (1000 * statistics.median(seconds) / lengths.sum() for seconds in (ours, theirs))
    print(
        f"about 180 tokens, forget bias {remember:.0f}: {texts} texts, ours {each:.2f} ms a deletion,"
        f" re-encoding {plain:.2f} ms, ratio {each / plain:.3f} (wanted: at most 0.60)"
    )


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=1725, help="texts as long as SST's (default 1725)")
    parser.add_argument("--long", type=int, default=8, help="texts of about 180 tokens (default 8)")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each way (default 5)")
    call = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(0)
    measure(call.texts)
    for remember in (0.0, 2.0):
        compare(call.long, call.rounds, remember)


if __name__ == "__main__":
    main()
