"""Seconds that the erasure tests take on a large test split, on one core, and how many times longer the naive way.

    python benchmarks/erasure.py

25,000 texts of 230 tokens on average and 8 classes. All tokens of a text lean to one class, as in a recurrent model, so
that many items go before the decision flips. Printed are

- ours, on all texts: the ranked sets (four rankings, the smallest set and the curves) and the single weights, for which
  at most 20 s and 2 GB are wanted;
- both ways to do the four rankings alone, each making its own: ours on all texts, the naive one on a sample of them,
  compared in time per text. The naive one takes its gradient from autograd, and for each item of a ranking zeroes the
  weights so far, renormalises them and runs the classifier, until the decision flips. It must find what ours finds; at
  least 100 times our time is wanted.
"""

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Integers
from attention_audit.audits.contributions import ranked_sets, single_weight
from attention_audit.audits.erasure import batch_erasable, find_flips, reorder_votes, sum_remaining
from attention_audit.audits.rankings import RANKERS, sort_falling, stream
from attention_audit.audits.settings import Erasure
from attention_audit.model.tail import probabilities
from attention_audit.readout import Readout

SEED, CLASSES = 1, 8
Removed = Integers


def random_readout(texts: int) -> Readout:
    """A readout with peaked attention and a class that all tokens of a text lean to."""
    random = np.random.default_rng(0)
    lengths = np.clip(np.rint(random.gamma(4.0, 230 / 4.0, texts)), 10, 1000).astype(np.int64)
    attention = [random.dirichlet(np.full(n, 0.3)).astype(np.float32) for n in lengths]
    contribution = [
        (random.normal(0, 2, CLASSES) + random.normal(0, 1, (n, CLASSES))).astype(np.float32) for n in lengths
    ]
    logits = torch.from_numpy(np.array([a @ z for a, z in zip(attention, contribution, strict=True)]))
    predictions = logits.argmax(1).numpy()
    return Readout(
        ids=[str(number) for number in range(texts)],
        labels=predictions,
        predictions=predictions,
        probabilities=logits.softmax(1).numpy(),
        attention=attention,
        contribution=contribution,
        bias=np.zeros((texts, CLASSES), np.float32),
    )


def four_rankings(readout: Readout) -> Removed:
    """Items erased until the decision flips, (N, 4), our way."""
    removed = np.empty((len(readout), 4), np.int64)
    for texts in batch_erasable(readout):
        for place, name in enumerate(("random", "attention", "gradient", "product")):
            order = sort_falling(RANKERS[name](texts, readout.ids, SEED), texts)
            remaining = sum_remaining(reorder_votes(texts.votes, order))
            removed[texts.members, place] = find_flips(texts, remaining, texts.lengths).numpy()
    return removed


def classify(weights: Tensor, contribution: Tensor, bias: Tensor) -> Tensor:
    """The distribution that these weights give once they are renormalised: (L,), (L, C), (C,) -> (C,)."""
    mass = weights.sum()
    renormalised = weights / mass if mass > 0 else weights
    return probabilities(renormalised @ contribution + bias)


def until_flip_naively(weights: Tensor, contribution: Tensor, bias: Tensor, positions: Tensor) -> int:
    """Items of one text erased until the decision flips, -1 where it never does: (L,), (L, C), (C,), (L,)."""
    decision = classify(weights, contribution, bias).argmax()
    for count in range(1, len(positions) + 1):
        remaining = weights.clone()
        remaining[positions[:count]] = 0.0
        if classify(remaining, contribution, bias).argmax() != decision:
            return count
    return -1


def four_rankings_naively(readout: Readout) -> Removed:
    """The same one text, one ranking and one item at a time."""
    removed = []
    for text, name in enumerate(readout.ids):
        weights = torch.tensor(readout.attention[text], dtype=torch.float64, requires_grad=True)
        contribution = torch.tensor(readout.contribution[text], dtype=torch.float64)
        bias = torch.tensor(readout.bias[text], dtype=torch.float64)
        (slope,) = torch.autograd.grad(probabilities(weights @ contribution + bias).max(), weights)
        weights = weights.detach()
        shuffle = torch.from_numpy(stream("shuffle", name, SEED).random(len(weights)))
        orders = (scores.argsort(descending=True, stable=True) for scores in (shuffle, weights, slope, weights * slope))
        removed.append([until_flip_naively(weights, contribution, bias, positions) for positions in orders])
    return np.array(removed)


def timed(run: Callable[[], Removed]) -> tuple[Removed, float]:
    """What it finds, and the processor time it takes."""
    start = time.process_time()
    found = run()
    return found, time.process_time() - start


def measure_all(readout: Readout) -> None:
    """Print what everything takes."""
    total = 0.0
    for test in (ranked_sets, single_weight):
        start = time.process_time()
        rows = len(test(readout, Erasure(seed=SEED))["id"])
        seconds = time.process_time() - start
        total += seconds
        print(f"{test.__name__}: {len(readout)} texts, {rows} rows, {seconds:.1f} s")
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"together {total:.1f} s (wanted: at most 20 s), {gigabytes:.2f} GB with the readout (wanted: at most 2 GB)")


def compare(readout: Readout, sample: Readout) -> None:
    """Print how many times longer the naive way takes."""
    ours, our_seconds = timed(lambda: four_rankings(readout))
    theirs, their_seconds = timed(lambda: four_rankings_naively(sample))
    if (ours[: len(sample)] != theirs).any():
        raise SystemExit("the naive way finds other sets")
    each, naively = 1000 * our_seconds / len(readout), 1000 * their_seconds / len(sample)
    print(
        f"four rankings: ours {each:.3f} ms a text, of {len(readout)}; naive {naively:.1f} ms, of {len(sample)}, where"
        f" {theirs[theirs > 0].mean():.0f} items go before a flip: {naively / each:.0f} times our time (at least 100)"
    )


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=25_000, help="texts in the split (default 25000)")
    parser.add_argument("--sample", type=int, default=200, help="texts that the naive way takes (default 200)")
    call = parser.parse_args()
    torch.set_num_threads(1)
    readout = random_readout(call.texts)
    measure_all(readout)
    compare(readout, readout.align(readout.ids[: call.sample]))


if __name__ == "__main__":
    main()
