"""Tests 2 and 4: how far a model's attention and predictions are from the base model's, text by text.

Claims: a model whose attention differs from the base model's no more than another seed's does is no evidence of another
explanation; an adversary whose attention differs more, at equal predictions, is. Assumes that both readouts are of the
same texts. Wiegreffe & Pinter 2019, sections 3.3 and 4. An adversary may move its attention and make up for it in the
size of its states; so the maps of the exact contributions are compared as well, which is an addition of this package.

Stability (`between_seeds`): does another seed give nearly the same map, and the same predictions? Claims: a map that
another seed does not repeat belongs to that seed, not to the model. Assumes that all seeds solve the task about equally
well. A low JSD means stable maps only if maps of these shapes could differ at all: flat maps are always close to one
another. So chance_jsd gives the JSD to the other map with its weights shuffled over the items of the text: what two
unrelated maps of these shapes would reach. Every two seeds are compared, since no seed is the right one. Wiegreffe &
Pinter 2019, section 3.3, compare all seeds with one; the other pairs and the shuffled maps are additions of this
package. Runs on readouts.
"""

from typing import Any

import numpy as np
import torch

from attention_audit.audits.permutation import orders, permuted
from attention_audit.divergence import flipped, jsd, tvd
from attention_audit.readout import Readout


def against_base(base: Readout, other: Readout) -> dict[str, Any]:
    """Columns id, jsd (nats), tvd, decision_flip, base_prediction, base_max_attention, same_top, contribution_jsd
    (nats), contribution_same_top; one row for each text of `base`.

    same_top: whether the same item has the most attention in both. contribution_jsd and contribution_same_top are those
    of the maps of the exact contributions, `Padded.contribution_map`; NaN and None where either model has none.

    Raises AuditError where `other` lacks a text.
    """
    other = other.aligned(base.ids)
    moved, moved_contributions = np.empty(len(base)), np.full(len(base), np.nan)
    same, same_contribution = np.empty(len(base), np.bool_), np.full(len(base), None, object)
    for texts, others in zip(base.batches(torch.float64), other.batches(torch.float64), strict=True):
        at = texts.members
        moved[at] = jsd(texts.attention, others.attention).numpy()
        same[at] = (texts.top() == others.top()).numpy()
        ours, theirs = texts.contribution_map(), others.contribution_map()
        if ours is not None and theirs is not None:
            apart = jsd(ours, theirs)
            moved_contributions[at] = apart.numpy()
            known = apart.isfinite().numpy()
            same_contribution[at[known]] = (ours.argmax(1) == theirs.argmax(1)).numpy()[known]
    before, after = (torch.from_numpy(r.probabilities).double() for r in (base, other))
    return {
        "id": base.ids,
        "jsd": moved,
        "tvd": tvd(before, after).numpy(),
        "decision_flip": flipped(before, after).numpy(),
        "base_prediction": base.predictions.astype(np.int32),
        "base_max_attention": base.max_attention,
        "same_top": same,
        "contribution_jsd": moved_contributions,
        "contribution_same_top": same_contribution,
    }


def consistency(base: Readout, other: Readout) -> dict[str, Any]:
    """Columns texts, tvd, tvd_sd, jsd (nats): the number of texts of `base`, the means over them, and of the TVD the
    standard deviation too; one row.

    Claims nothing by itself. Which adversary counts as the furthest one that still predicts as the base model does must
    not be chosen on the texts that it is then measured on, so these are its distances on the development split.

    Raises AuditError where `other` lacks a text.
    """
    columns = against_base(base, other)
    return {
        "texts": [len(base)],
        "tvd": [columns["tvd"].mean()],
        "tvd_sd": [columns["tvd"].std()],
        "jsd": [columns["jsd"].mean()],
    }


def between_seeds(other: Readout, own: Readout, permutations: int, seed: int) -> dict[str, Any]:
    """Columns id, jsd (nats), tvd, chance_jsd (nats), same_top; one row for each text of `other`.

    chance_jsd is the mean over `permutations` shuffles of the weights of `own`. same_top: whether the same item has the
    most attention in both.

    Raises AuditError where `own` lacks a text.
    """
    own = own.aligned(other.ids)
    moved, chance, same = np.empty(len(other)), np.empty(len(other)), np.empty(len(other), np.bool_)
    for theirs, ours in zip(other.batches(torch.float64), own.batches(torch.float64), strict=True):
        at = theirs.members
        moved[at] = jsd(theirs.attention, ours.attention).numpy()
        same[at] = (theirs.top() == ours.top()).numpy()
        shuffled = permuted(ours.attention, orders(ours, own.ids, permutations, seed))
        chance[at] = jsd(theirs.attention, shuffled).mean(0).numpy()
    predictions = (torch.from_numpy(readout.probabilities).double() for readout in (other, own))
    return {
        "id": other.ids,
        "jsd": moved,
        "tvd": tvd(*predictions).numpy(),
        "chance_jsd": chance,
        "same_top": same,
    }
