"""Texts that a Transformer reads the beginning of only, since it has no more positions.

Claims nothing of attention: what is cut off has none, and every number of such a text is one of its beginning.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_audit.readout import Readout


def cut_texts(readout: Readout, tokens: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Columns id, words, read: the words of a text, and how many of them are read; one row for each text that is cut.

    A text whose last word is read in part counts as read.
    """
    words = np.array([len(tokens[name]) for name in readout.ids], dtype=np.int32)
    cut = np.flatnonzero(readout.words < words)
    return {
        "id": [readout.ids[place] for place in cut],
        "words": words[cut],
        "read": readout.words[cut].astype(np.int32),
    }
