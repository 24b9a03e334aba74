"""Permutation: does it matter which token has which weight?

Claims: where shuffled weights hardly change the prediction, the weights do not explain it. Assumes that weights may be
chosen independently of the network that computes them. Where the weights are flat or all states are alike (`conicity`),
no permutation can change the prediction, whatever it rests on. Jain & Wallace 2019, section 4.2.1: the median TVD over
random permutations. The mean TVD, the share of permutations that change the decision, and how far a map is from its own
permutations are this package's. Runs on the readout.

Heads: which head of several, if any, can be read?

Each head is asked two questions of the mean map by itself. Does the prediction depend on its weights: how far does it
move when this head's weights alone are shuffled over the items? And does it rank: when items are erased in all heads in
the order of this head's weights, how many go until the decision flips? Claims: a head that neither moves the prediction
nor ranks shows no reason of it, however sharp its map. That several heads are asked makes one of them look good by
chance now and then; its seeds say whether it does again. Runs on the readout, through the tail of a Transformer. Of
another model the mean of the heads alone decides, so that a head's weights change it by their part of the mean.
"""

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from attention_audit.columns.audits import HEADS, PERMUTATION
from attention_audit.divergence import detect_flips, jsd_rearranged, tvd
from attention_audit.padded import PaddedReadout
from attention_audit.readout import Readout

from .answers import Answers, Training, explain_one_head, explain_undecided
from .batches import Columns, collect, draw_orders, permute_weights, stack_values
from .erasure import ErasableTexts, batch_erasable, find_share
from .rankings import sort_falling
from .settings import Permutation


def measure_shuffled(texts: PaddedReadout, ids: list[str], settings: Permutation) -> tuple[Tensor, Tensor]:
    """Shuffle n texts, of a readout of texts with these ids: the orders (permutations, n, L); and the mean JSD (nats)
    of the attention from its permutations, (n,).
    """
    orders = draw_orders(texts, ids, settings.permutations, settings.seed, settings.marks)
    return orders, jsd_rearranged(texts.attention, texts.attention, permute_weights(texts.attention, orders)).mean(0)


def permutation(readout: Readout, settings: Permutation) -> Columns:
    """Return the columns id, prediction, max_attention, median_tvd, mean_tvd, flips, chance_jsd (nats); one row for
    each text.

    Every statistic is of the same permutations. flips: the share of them that change the decision. chance_jsd: the mean
    JSD of the attention from its permutations. With several heads, one permutation of the items is that of all heads.
    """

    def measure(texts: PaddedReadout) -> Columns:
        random, chance = measure_shuffled(texts, readout.ids, settings)
        before, after = texts.predict(texts.weights[None]), texts.predict(texts.permute(random))
        distances = tvd(after, before).numpy()
        return {
            "median_tvd": np.median(distances, axis=0),
            "mean_tvd": distances.mean(0),
            "flips": detect_flips(before, after).numpy().mean(0),
            "chance_jsd": chance,
        }

    return {
        "id": readout.ids,
        "prediction": readout.predictions.astype(np.int32),
        "max_attention": readout.max_attention,
    } | collect(measure, readout.batches(torch.float64))


MAX_PERMUTATIONS = 20
"""Permutations at most: of twelve heads, a hundred each would take longer than all other audits."""


def replace_head(texts: PaddedReadout, weights: Tensor, head: int, replacements: Tensor) -> Tensor:
    """Replace the weights of one head by K others among all that a prediction is made of.

    (n, H, L), (K, n, L) -> as `PaddedReadout.weights`, behind an axis of K.
    """
    if texts.heads is None:
        return texts.attention + (replacements - weights[:, head]) / weights.shape[1]
    all_weights = weights.repeat(len(replacements), 1, 1, 1)
    all_weights[:, :, head] = replacements
    return all_weights


def heads(readout: Readout, settings: Permutation) -> Columns:
    """Return the columns id, head, items, mean_tvd, flips, fraction_removed; one row for each text and head, heads from
    1.

    mean_tvd, flips: of at most `MAX_PERMUTATIONS` permutations of this head's weights, the other heads as they are.
    fraction_removed: of the items, when they are erased in all heads in the order of this head's weights until the
    decision flips; NaN where it never does.
    """

    def measure(texts: PaddedReadout) -> Columns:
        weights, before, columns = readout.pad_heads(texts.members), texts.predict(texts.weights[None]), []
        drawn = draw_orders(texts, readout.ids, min(settings.permutations, MAX_PERMUTATIONS), settings.seed)
        for head, head_weights in enumerate(weights.unbind(1)):
            after = texts.predict(replace_head(texts, weights, head, permute_weights(head_weights, drawn)))
            flips = detect_flips(before, after).double().mean(0)
            columns.append({"mean_tvd": tvd(after, before).mean(0), "flips": flips})
        return stack_values(columns)

    def measure_erased(texts: ErasableTexts) -> Columns:
        of_heads = readout.pad_heads(texts.members).unbind(1)
        shares = [find_share(texts, sort_falling(pad(head_weights, (0, 1)), texts)) for head_weights in of_heads]
        return {"fraction_removed": torch.stack(shares)}

    columns = collect(measure, readout.batches(torch.float64)) | collect(measure_erased, batch_erasable(readout))
    count = len(columns["flips"])
    return {
        "id": [name for name in readout.ids for _ in range(count)],
        "head": np.tile(np.arange(1, count + 1, dtype=np.int32), len(readout)),
        "items": np.repeat(readout.lengths.astype(np.int32), count),
        **{name: values.T.reshape(-1) for name, values in columns.items()},
    }


def ask_permutation(trainings: Iterable[Training], answers: Answers, settings: Permutation) -> None:
    """Ask `permutation` and `heads` of trainings."""
    for training in trainings:
        for readout in training.read_parts():
            undecided = explain_undecided(training, readout)
            if answers.asks(PERMUTATION, undecided):
                answers.add(PERMUTATION, permutation(readout, settings), training)
            if answers.asks(HEADS, undecided, explain_one_head(training, readout)):
                answers.add(HEADS, heads(readout, settings), training)
        answers.report(training.describe())
