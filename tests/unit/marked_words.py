"""What is measured of marked words, one order after another."""

from itertools import groupby, permutations

import numpy as np

from attention_audit.arrays import Flags
from attention_audit.audits.plausibility import Case, measure_overlap


def alone(marked: list[int], scores: list[float]) -> dict[str, float]:
    """The measures of one map, from 0 and 1 a word."""
    return {
        name: values.item()
        for name, values in measure_overlap([Case(0, "", np.array(marked, bool))], [np.array(scores)]).items()
    }


def of_order(marked: Flags, order: tuple[int, ...]) -> tuple[float, float, float]:
    """Average precision, F1 and IOU of an order of the words, as the papers define them."""
    hits = marked[list(order)]
    k = int(marked.sum())
    precisions = [hits[: place + 1].mean() for place in np.flatnonzero(hits)]
    top, real = set(order[:k]), set(np.flatnonzero(marked).tolist())
    precision = recall = len(top & real) / k
    f1 = 2 * precision * recall / (precision + recall) if precision else 0.0
    return float(np.mean(precisions)), f1, len(top & real) / len(top | real)


def in_every_order(marked: list[int], scores: list[float]) -> dict[str, float]:
    """The measures as means over all orders that put higher scores first."""
    places = sorted(range(len(scores)), key=lambda place: -scores[place])
    groups = [list(group) for _, group in groupby(places, key=lambda place: scores[place])]
    orders: list[tuple[int, ...]] = [()]
    for group in groups:
        orders = [(*before, *after) for before in orders for after in permutations(group)]
    found = np.mean([of_order(np.array(marked, bool), order) for order in orders], axis=0)
    return dict(zip(("auprc", "f1", "iou"), found.tolist(), strict=True))
