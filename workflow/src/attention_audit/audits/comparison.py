"""Tests 2 and 4: how far a model's attention and predictions are from the base model's, text by text.

Claims: a model whose attention differs from the base model's no more than another seed's does is no evidence of another
explanation; an adversary whose attention differs more, at equal predictions, is. Assumes that both readouts are of the
same texts. Wiegreffe & Pinter 2019, sections 3.3 and 4.

Stability (`compare_maps` of two seeds): does another seed give nearly the same map, and the same predictions? Claims: a
map that another seed does not repeat belongs to that seed, not to the model. Assumes that all seeds solve the task
about equally well. A low JSD means stable maps only if maps of these shapes could differ at all: flat maps are always
close to one another. So chance_jsd gives the JSD to the other map with its weights shuffled over the items of the text:
what two unrelated maps of these shapes would reach. Every two seeds are compared, since no seed is the right one.
Wiegreffe & Pinter 2019, section 3.3, compare all seeds with one; the other pairs and the shuffled maps are additions of
this package. Runs on readouts.

Stability of maps and attributions: would another training put the words of a text in the same order?

Claims: a map whose order of the words changes with the seed of the training says little of the words. Assumes that both
trainings decide alike. Measured by Spearman's rank correlation over the words of a text, which scores of any sign have:
1 is the same order, 0 an unrelated one. The audit `stability` measures how far the weights of attention themselves
move; scores that may be negative are no distribution, and have no such distance.
"""

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import torch

from attention_audit.answer.samples import weigh_classes
from attention_audit.columns.audits import COMPARISON, CONSISTENCY, MAP_STABILITY, STABILITY
from attention_audit.divergence import detect_flips, jsd, jsd_rearranged, tvd
from attention_audit.padded import PaddedReadout
from attention_audit.readout import Readout

from .answers import Answers, Training
from .batches import Columns, collect, compute_rank_correlation, draw_orders, make_columns, permute_weights
from .settings import Permutation


def compare_maps(base: Readout, compared: Readout, settings: Permutation) -> Columns:
    """Return the columns id, jsd (nats), tvd, chance_jsd (nats), same_top, decision_flip, base_prediction,
    base_max_attention; one row for each text of `base`.

    chance_jsd: the mean over shuffles of the weights of `compared`, what unrelated maps of these shapes would reach.
    same_top: whether the same item has the most attention in both. The last two are those of `base`.

    Raises AuditError where `compared` lacks a text.
    """
    compared = compared.align(base.ids)

    def measure(base_texts: PaddedReadout, compared_texts: PaddedReadout) -> Columns:
        shuffled = permute_weights(
            compared_texts.attention, draw_orders(compared_texts, base.ids, settings.permutations, settings.seed)
        )
        return {
            "jsd": jsd(base_texts.attention, compared_texts.attention),
            "chance_jsd": jsd_rearranged(base_texts.attention, compared_texts.attention, shuffled).mean(0),
            "same_top": base_texts.find_top() == compared_texts.find_top(),
        }

    columns = collect(measure, base.batches(torch.float64), compared.batches(torch.float64))
    before, after = (torch.from_numpy(readout.probabilities).double() for readout in (base, compared))
    return columns | {
        "id": base.ids,
        "tvd": tvd(before, after).numpy(),
        "decision_flip": detect_flips(before, after).numpy(),
        "base_prediction": base.predictions.astype(np.int32),
        "base_max_attention": base.max_attention,
    }


def consistency(base: Readout, compared: Readout, settings: Permutation) -> Columns:
    """Return the columns tvd, jsd (nats), chance_jsd (nats): the means over the texts of `base`, one row; of the TVD
    one in which all classes that `base` predicts count alike.

    Claims nothing by itself. Which adversary predicts as the base model does must not be chosen on the texts that it is
    then measured on, so these are its distances on the development split.

    Raises AuditError where `compared` lacks a text.
    """
    columns = compare_maps(base, compared, settings)
    return {"tvd": [weigh_classes(columns["tvd"], columns["base_prediction"])]} | {
        name: [columns[name].mean()] for name in ("jsd", "chance_jsd")
    }


def map_stability(earlier: Readout, later: Readout) -> Columns:
    """Return the columns id, map, rho; one row for attention on the words and each further map that both trainings
    have, and each text of `earlier`.

    Raises AuditError where `later` lacks a text.
    """
    theirs, ours = ({"attention": each.word_attention, **each.maps} for each in (earlier, later.align(earlier.ids)))
    rows = [
        (id_, name, compute_rank_correlation(*scores))
        for name in theirs
        if name in ours
        for id_, *scores in zip(earlier.ids, theirs[name], ours[name], strict=True)
    ]
    return make_columns(("id", "map", "rho"), rows)


def ask_comparison(base: Training, compared: Iterable[Training], answers: Answers, settings: Permutation) -> None:
    """Ask `comparison` and `consistency` of trainings, each beside the base model; `consistency` on the split on which
    an adversary is chosen, where the training is read out there.
    """
    read_base = cache(base.read)
    for training in compared:
        if answers.asks(COMPARISON):
            columns = compare_maps(read_base("test"), training.read("test"), settings)
            answers.add(COMPARISON, columns, training)
        if (split := training.about.consistent_on) and answers.asks(CONSISTENCY):
            answers.add(CONSISTENCY, consistency(read_base(split), training.read(split), settings), training)
        answers.report(training.describe())


def ask_stability(trainings: Sequence[Training], answers: Answers, settings: Permutation) -> None:
    """Ask `stability` and `map_stability` of every two trainings, the later one beside the earlier."""
    for number, earlier in enumerate(trainings[:-1], start=1):
        earlier_readout = earlier.read()
        for later in trainings[number:]:
            later_readout, seed = later.read(), earlier.about.seed
            if answers.asks(STABILITY):
                answers.add(STABILITY, compare_maps(earlier_readout, later_readout, settings), later, seed)
            if answers.asks(MAP_STABILITY):
                answers.add(MAP_STABILITY, map_stability(earlier_readout, later_readout), later, seed)
            answers.report(f"{later.describe(seed)}: {len(earlier_readout)} texts")
