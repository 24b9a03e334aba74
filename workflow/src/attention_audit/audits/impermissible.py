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
import numpy.typing as npt
import torch

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.attributions import evaluating
from attention_audit.audits.leave_one_out import deleting
from attention_audit.batching import Indices


def impermissible(texts: Attributed, blocked: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Columns of columns.IMPERMISSIBLE but for those that say what was audited; a row for each text of `blocked`.

    `blocked` has the positions of the impermissible words of each text by its id; those behind the last word that is
    read are left out. Texts without such a word are predicted as they are.
    """
    readout, lengths = texts.readout, texts.split.lengths
    known = np.array([i for i, name in enumerate(readout.ids) if name in blocked], dtype=np.int64)
    positions = {i: [at for at in blocked[readout.ids[i]] if at < lengths[i]] for i in known.tolist()}
    counts = np.array([len(positions[i]) for i in known.tolist()], dtype=np.int32)
    without, fall = predicted_without(texts, known, positions)
    labels, items = readout.labels[known], np.array([len(readout.attention[i]) for i in known.tolist()])
    return {
        "id": [readout.ids[i] for i in known],
        "label": labels.astype(np.int32),
        "blocked_words": counts,
        "mass": [float(readout.attention[i][positions[i]].sum()) for i in known.tolist()],
        "uniform_mass": counts / items,
        "right": readout.predictions[known] == labels,
        "right_without": [None if now < 0 else bool(now == label) for now, label in zip(without, labels, strict=True)],
        "fall": fall,
    }


@torch.inference_mode()
def predicted_without(
    texts: Attributed, known: Indices, positions: Mapping[int, Sequence[int]]
) -> tuple[Indices, npt.NDArray[np.float64]]:
    """The class that is predicted for each of the `known` texts (K,) without the words at its positions, and what the
    class that was predicted before has lost: (K,) each; -1 and NaN where no word is left.
    """
    split = texts.split
    found, lost = np.full(len(split), -1), np.full(len(split), np.nan)
    able = np.array([i for i in known.tolist() if len(positions[i]) < split.lengths[i]], dtype=np.int64)
    gone = np.zeros((len(able), split.lengths.max()), bool)
    for row, member in zip(gone, able.tolist(), strict=True):
        row[list(positions[member])] = True
    with evaluating(texts.model):
        for rows, before, after in deleting(texts.model, split, able, gone):
            chosen = before.argmax(1, keepdim=True)
            found[able[rows]] = after.argmax(1).cpu().numpy()
            lost[able[rows]] = (before - after).gather(1, chosen)[:, 0].cpu().numpy()
    return found[known], lost[known]
