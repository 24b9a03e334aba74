"""Impermissible words: does a model look at them, and does it use them?

Claims: a model that predicts something else once these words are deleted from its input relies on them, wherever its
attention lies. A model trained to deceive has next to no attention on them and relies on them all the same (Pruthi et
al. 2020). Assumes that the model can read the text without these words, which no training text lacked; the paper trains
another model without them instead. Lower attention is not better: only attention that is low where reliance is high
deceives.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_audit.model.network import use_inference

from .attributed import Attributed
from .leave_one_out import deleting


def impermissible(texts: Attributed, blocked: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Columns of columns.IMPERMISSIBLE but for those that say what was audited; a row for each text of `blocked`.

    `blocked` has the positions of the impermissible words of each text by its id; those behind the last word that is
    read are left out. Texts without such a word are predicted as they are.
    """
    readout, lengths = texts.readout, texts.split.lengths
    known = np.flatnonzero([name in blocked for name in readout.ids])
    positions = [[at for at in blocked[readout.ids[i]] if at < lengths[i]] for i in known]
    counts, gone = np.array([*map(len, positions)], np.int32), np.zeros((len(known), lengths.max()), bool)
    for row, at in zip(gone, positions, strict=True):
        row[at] = True
    # -1 and NaN where no word is left
    without, fall = np.full(len(known), -1), np.full(len(known), np.nan)
    able = np.flatnonzero(counts < lengths[known])
    with use_inference(texts.model):
        for rows, before, after in deleting(texts.model, texts.split, known[able], gone[able]):
            without[able[rows]] = after.argmax(1).cpu()
            fall[able[rows]] = (before - after).gather(1, before.argmax(1, keepdim=True))[:, 0].cpu()
    labels, attention = readout.labels[known], [readout.attention[i] for i in known]
    return {
        "id": [readout.ids[i] for i in known],
        "label": labels.astype(np.int32),
        "blocked_words": counts,
        "mass": [float(weights[at].sum()) for weights, at in zip(attention, positions, strict=True)],
        "uniform_mass": counts / np.array([*map(len, attention)]),
        "right": readout.predictions[known] == labels,
        "right_without": np.where(without < 0, None, without == labels),
        "fall": fall,
    }
