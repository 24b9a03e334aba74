"""Maps by deleting sets of words: KernelSHAP (Lundberg & Lee 2017) and LIME (Ribeiro et al. 2016).

A line is fitted to the probability of the predicted class in texts that keep some of the words. What is deleted is gone
from the input, and the classifier reads the rest; marks stay. A word's score is its slope in that line, and its pieces
have equal parts of it.

Both read the same sets, in pairs of a set and its complement (Covert & Lee 2021). Texts of as many words have the same
sets, so that scores depend on no other text.
"""

from collections.abc import Callable
from itertools import combinations, islice
from math import comb

import numpy as np
import torch
from torch import Tensor

from attention_audit.arrays import Array, Flags, Floats, Integers
from attention_audit.model.tail import probabilities

from .passes import ModelPass

SETS = 200
"""Sets of words of each text at most, of which one has all words and one has none."""
SAMPLING_SEED = 0
KERNEL_WIDTH = 0.25
"""Of LIME's kernel over the cosine distance, as in its authors' code for texts."""


def draw_one_size(random: np.random.Generator, words: int, size: int, count: int) -> Flags:
    """Draw `count` different sets of `size` of some words, or list all, where there are no more: (.., words). Of sets
    of half of the words, such are drawn as have the first one, since the others are their complements.
    """
    if count >= (total := comb(words, size) // (1 + (2 * size == words))):
        members = np.array([*islice(combinations(range(words), size), total)])
        return (members[..., None] == np.arange(words)).any(1)
    drawn = np.empty((0, words), np.bool_)
    while len(drawn) < count:
        more = random.random((count, words)).argsort(1) < size
        more ^= (2 * size == words) & ~more[:, :1]
        drawn = np.concatenate([drawn, more])
        first_rows = np.unique(drawn, axis=0, return_index=True)[1]
        drawn = drawn[np.sort(first_rows)[:count]]
    return drawn


def draw_sets(words: int, limit: int) -> Flags:
    """Draw at most `limit` sets of some words, true on those that are kept, (2R, words): all of the words, then others,
    none of which is twice there, and then the complements of these R.

    A size has its part of the sets by Shapley's kernel, 1 / (s (n - s)) for s or n - s of n words; from the smallest on
    all sets that there are, as far as this part covers them.
    """
    random, budget = np.random.default_rng(SAMPLING_SEED), limit // 2 - 1
    sizes = np.arange(1, words // 2 + 1)
    # of half of the words, two sets are one pair
    parts = (1 - (2 * sizes == words) / 2) / (sizes * (words - sizes))
    drawn = [np.ones((1, words), np.bool_)]
    for at, size in enumerate(sizes.tolist()):
        count = round(budget * parts[at] / parts[at:].sum())
        drawn.append(draw_one_size(random, words, size, count))
        budget -= len(drawn[-1])
    words_in_sets = np.concatenate(drawn)
    return np.concatenate([words_in_sets, ~words_in_sets])


def count_alike(sets: Flags) -> tuple[Integers, Integers]:
    """Count the words in each set, and the sets that have as many: (S, n) -> (S,), (S,)."""
    sizes = sets.sum(1)
    return sizes, np.bincount(sizes)[sizes]


def fit_shapley(sets: Flags, values: Floats) -> Floats:
    """Estimate Shapley values of n words by the values of sets as `draw_sets` gives them: (2R, n), (2R,) -> (n,).

    With x of 1 for words that are kept and -1 for others, and the difference d of a set's value from that of its
    complement, D of all words from none, the values are those phi of the sum D for which

        sum of (d - phi . x)^2 / (s (n - s) C(n, s))

    over all sets is least (Charnes et al. 1988; of pairs Covert & Lee 2021). Where sizes are drawn, those that are
    drawn stand for all of their size. With x and d less what D / n for each word explains, the rest of phi, which sums
    to 0, is free of the constraint.
    """
    half, words = len(sets) // 2, sets.shape[1]
    sizes, same_size = (counts[1:half] for counts in count_alike(sets))
    full_gain, *differences = values[:half] - values[half:]
    signs = np.where(sets[1:half], 1.0, -1.0)
    mean = signs.mean(1)
    root = (sizes * (words - sizes) * same_size) ** -0.5
    centred, rest = signs - mean[:, None], np.array(differences) - full_gain * mean
    return full_gain / words + np.linalg.lstsq(root[:, None] * centred, root * rest, rcond=None)[0]


def fit_lime(sets: Flags, values: Floats) -> Floats:
    """Fit a ridge regression with a penalty of 1 to the values of sets of n words: (S, n), (S,) -> (n,).

    A set weighs as much as its cosine to the whole text, sqrt(s / n), is near to 1; all sizes together count as much
    as `SETS` sets, each size alike, as its authors draw them.
    """
    words = sets.shape[1]
    sizes, same_size = count_alike(sets)
    distance = 1 - np.sqrt(sizes / words)
    weights = SETS / (words + 1) / same_size * np.exp(-(distance**2) / (2 * KERNEL_WIDTH**2))
    centred, rest = (part - np.average(part, 0, weights) for part in (sets.astype(np.float64), values))
    weighted = centred.T * weights
    return np.linalg.solve(weighted @ centred + np.eye(words), weighted @ rest)


def predict_kept(model_pass: ModelPass, texts: Integers, stays: Flags) -> Floats:
    """Predict the probability of the class that is explained in copies of texts, (R,), which keep some of their words,
    (R, W): (R,).
    """
    copies = model_pass.pieces.select_texts(torch.from_numpy(texts)).keep_words(torch.from_numpy(stays))
    classes = model_pass.explained[copies.send(torch.from_numpy(texts))]
    parts, order = [], []
    for rows, pieces in copies.iterate_by_length():
        of_classes = probabilities(model_pass.classifier.compute_logits(pieces))
        parts.append(of_classes.gather(1, classes[copies.send(rows)][:, None])[:, 0])
        order.append(rows)
    return torch.cat(parts)[torch.cat(order).argsort()].double().cpu().numpy()


@torch.no_grad()
def score_words(model_pass: ModelPass, fit: Callable[[Flags, Floats], Array]) -> Tensor:
    """Score the words of all texts by what is fitted to the values of sets of them, as scores of pieces (B, P).

    A word without a piece of its own cannot be deleted.
    """
    pieces = model_pass.pieces
    scores = torch.zeros(pieces.present.shape)
    words = [of_text[:count].nonzero()[:, 0] for of_text, count in zip(pieces.present, pieces.read, strict=True)]
    sets = [draw_sets(len(of_text), SETS) for of_text in words]
    texts = np.repeat(np.arange(len(sets)), [*map(len, sets)])
    stays = np.ones((len(texts), scores.shape[1]), np.bool_)
    for text, of_text in enumerate(words):
        stays[np.ix_(texts == text, of_text)] = sets[text]
    values = predict_kept(model_pass, texts, stays)
    for text, of_text in enumerate(words):
        scores[text, of_text] = torch.from_numpy(fit(sets[text], values[texts == text])).to(scores)
    of_items = pieces.send(scores)[:, None].to(model_pass.mask)
    return pieces.weigh_pieces(of_items, model_pass.mask[:, None])[:, 0]


def lime(model_pass: ModelPass) -> Tensor:
    """LIME, signed: a ridge regression weighs sets of words by their cosine to the whole text. As many passes as there
    are sets.
    """
    return score_words(model_pass, fit_lime)


def kernel_shap(model_pass: ModelPass) -> Tensor:
    """KernelSHAP, signed: Shapley values of the words, estimated, or exact of up to seven words; they sum to the
    difference between the probability of the whole text and that of the marks alone. As many passes as there are sets.
    """
    return score_words(model_pass, fit_shapley)
