"""The questions: what was measured of S trainings on N texts -> an effect with its interval.

NaN stands where a training has no value for a text. A `design` says which chance the interval holds.
docs/method/questions.md says what each question means.
"""

import numpy as np
import numpy.typing as npt

from attention_audit.answer.intervals import (
    PLAIN,
    Cells,
    Design,
    Effect,
    Floats,
    apart,
    by_training,
    clustered,
    estimated,
    mean,
    one_minus,
    quotient,
    stretched,
    within,
)

Classes = npt.NDArray[np.integer]


def scored(labels: Classes, predictions: Classes, classes: int) -> tuple[Floats, Floats, float]:
    """Macro F1 of each of S trainings (S,), how far each text moves it (S, N), and how far one error moves the mean F1.

    labels (N,), predictions (S, N). Macro F1 is that of scores.macro_f1, in which all classes count alike, whatever
    they are called. Of one class, F1 = 2 hits / all, where `all` counts labels and predictions of this class. A text
    moves it by the derivative with respect to the text's weight: by 2 / all where it is a hit, and by -F1 / all for its
    label and for its prediction.
    """
    trainings = len(predictions)
    named = predictions + classes * np.arange(trainings)[:, None]
    meant = labels + classes * np.arange(trainings)[:, None]
    hit = predictions == labels

    def counted(numbers: npt.NDArray[np.integer]) -> Floats:
        counts = np.bincount(numbers, minlength=trainings * classes)
        return counts.reshape(trainings, classes).astype(np.float64)

    every = counted(named.ravel()) + np.bincount(labels, minlength=classes)
    used = every > 0
    number = np.maximum(used.sum(1, keepdims=True), 1)
    share = np.divide(1 / number, every, out=np.zeros_like(every), where=used)
    of_class = 2 * counted(named[hit]) * share
    weights = of_class * share * number
    moved = np.where(hit, np.take(2 * share, meant), 0.0) - np.take(weights, meant) - np.take(weights, named)
    # an error is a hit less for one class and a wrong name more for another
    error = float((np.minimum(number, 2) * share / number).sum(1).mean())
    return of_class.sum(1), moved, error


def gained(labels: Classes, model: Classes, other: Classes, classes: int, *, design: Design = PLAIN) -> Effect:
    """Mean macro F1 of one model minus that of another: labels (N,), predictions (S1, N) and (S2, N).

    `needed`: of the base model and its twin with uniform weights. `transferable`: of MLPs guided by a model's maps, and
    of those guided by uniform weights. All predict the same texts, so a text counts once for both; the trainings of the
    two have nothing to do with one another.
    """
    score, moved, error = scored(labels, model, classes)
    other_score, other_moved, other_error = scored(labels, other, classes)
    value, count = float(score.mean() - other_score.mean()), len(labels)
    # a text moves F1 by what it contributes to the sum of its row, which begins at the training's own F1
    one, two = ((part + own[:, None] / count) / len(own) for own, part in ((score, moved), (other_score, other_moved)))
    return within(apart(value, one, two, count * (error + other_error) / 2, design), -1.0, 1.0)


def learnt(labels: Classes, predictions: Classes, *, design: Design = PLAIN) -> Effect:
    """What S trainings add to the answer that is always the most frequent class: the difference in accuracy.

    labels (N,), predictions (S, N). The class is the most frequent one of these very texts, which favours it; of
    several that are equally frequent, the one that leaves the most doubt, so that no order of classes decides. The
    interval holds the chance of the texts alone: it is about these trainings, of which all else is said too, and not
    about another one. So it does not grow where there are two.
    """
    counts = np.bincount(labels)
    hits = (predictions == labels).mean(0)
    largest = np.flatnonzero(counts == counts.max())
    found = [mean(hits[None] - (labels == number), -1.0, design=design) for number in largest]
    # rounded, since the order of additions is that of classes; the lower bounds of few texts are often the same
    lowest = min(found, key=lambda effect: (round(effect.low, 9), round(effect.high, 9)))
    return lowest._replace(trainings=len(predictions))


def stable(jsd: Floats, chance: Floats, pairs: npt.NDArray[np.integer], *, design: Design = PLAIN) -> Effect:
    """1 minus the JSD between the maps of two trainings, in shares of the JSD to the other's map shuffled.

    jsd, chance (P, N): of all P = S (S - 1) / 2 pairs of S trainings; pairs (P, 2): their seeds. 1 means the same map,
    0 an unrelated one. A training is in S - 1 pairs, so its part in the chance is found by leaving it out (the
    jackknife; Arvesen 1969). Two trainings are one pair, of which no such part can be had.
    """
    texts = jsd.shape[1]
    jsd, chance = (clustered(values, design) for values in (jsd, chance))
    seeds = np.unique(pairs)
    count = len(seeds)
    has = (pairs[:, :, None] == seeds).any(1).T * (count - 1) / max(count - 2, 1)
    cells = Cells(has @ jsd, has @ chance) if count > 2 else Cells(jsd, chance)
    found = estimated((jsd.sum(0), chance.sum(0)), cells, count, design=design)
    return design.of(one_minus(stretched(found)), texts)


def used(tvd: Floats, *, design: Design = PLAIN) -> Effect:
    """How far permuted weights move the prediction: the mean TVD, from (S, N)."""
    return mean(tvd, design=design)


def ranks(random: Floats, attention: Floats, smallest: Floats, *, design: Design = PLAIN) -> Effect:
    """How good a ranking attention is: the items erased until the decision flips, in shares of the text's items.

    (S, N) each: along a random ranking, along attention, or any other attribution in its place, and of the smallest set
    that flips the decision. 1 is as good as can be, 0 is chance. Texts that no set flips (`smallest` is NaN) are left
    out; a ranking that never flips the decision (NaN) erased all items. The mean over trainings, which differ in how
    many items a decision rests on.
    """
    random, attention = (np.where(np.isfinite(values), values, 1.0) for values in (random, attention))
    return by_training(random - attention, random - smallest, design)


def located(random: Floats, attention: Floats, best: Floats, *, design: Design = PLAIN) -> Effect:
    """How well attention locates the words that matter, in shares of what leave-one-out reaches.

    (S, N) each: how far the probability of the predicted class falls when the first words of a random ranking, of
    attention (or any other attribution), and of leave-one-out are deleted from the input. 1 is as good as
    leave-one-out, 0 is chance. The mean over trainings, since they differ much in how far a prediction can fall at all:
    where a model takes one class for granted, nothing that is deleted from its texts matters.
    """
    return by_training(attention - random, best - random, design)


def sides(lead: Floats, floor: float) -> Floats:
    """On which side the item of the highest weight stands: 1 supports the prediction, -1 opposes it, 0 is inert.

    lead (S, N): what the item adds to the predicted class. An item that adds or takes at most `floor` is inert.
    """
    return np.where(np.isfinite(lead), np.sign(lead) * (np.abs(lead) > floor), np.nan)


def signed(side: Floats, *, design: Design = PLAIN) -> Effect:
    """Whether highlighted items speak for the prediction: the share of texts whose top item supports it.

    side (S, N): of `sides`.
    """
    fails = np.where(np.isfinite(side), (side < 1).astype(np.float64), np.nan)
    return one_minus(within(stretched(mean(fails, design=design)), 0.0, 1.0))


def unique(jsd: Floats, chance: Floats, *, design: Design = PLAIN) -> Effect:
    """1 minus the JSD between a model's map and an adversary's, in shares of the JSD to the model's own map shuffled.

    jsd, chance (N,). 1 means that the adversary has the same map, 0 that it has an unrelated one. It is about this
    model and this adversary, so it rests on one training.
    """
    return one_minus(quotient(jsd[None], chance[None], design=design))


def further(jsd: Floats, seeds: Floats, *, design: Design = PLAIN) -> Effect:
    """How much further an adversary goes than the other trainings of the model do by themselves, in nats.

    jsd (N,): from the model's map to the adversary's. seeds (K, N): to the maps of K other trainings, of which the one
    counts that is furthest away in the mean. The texts are the same, so that their chance is that of the difference.
    """
    furthest = seeds[np.nanmean(seeds, axis=1).argmax()]
    return mean((jsd - furthest)[None], -1.0, design=design)
