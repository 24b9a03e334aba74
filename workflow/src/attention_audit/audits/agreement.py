"""Agreement: how far any two attributions order the tokens alike.

Claims: all attributions are meant to say which tokens matter. Where they do not agree with one another, attention's
disagreement with one of them says little against attention. Mean Kendall tau-b over texts, for every two attributions
(Neely et al. 2021).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.attributions import Scores
from attention_audit.audits.correlation import tau
from attention_audit.audits.settings import Agreement


def agreements(scores: Mapping[str, Scores]) -> dict[str, Any]:
    """Columns first, second, tau, texts; one row for every two of `scores`, in their order.

    texts: the number of texts in which both attributions order the tokens, that is, do not score all of them the same.
    tau: the mean over these texts, NaN where there is none.
    """
    columns: dict[str, list[Any]] = {"first": [], "second": [], "tau": [], "texts": []}
    for (first, first_scores), (second, second_scores) in combinations(scores.items(), 2):
        values = np.array([tau(*pair)[0] for pair in zip(first_scores, second_scores, strict=True)])
        defined = values[~np.isnan(values)]
        row = first, second, defined.mean() if len(defined) else np.nan, len(defined)
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return columns


def agreement(texts: Attributed, settings: Agreement) -> dict[str, Any]:
    """The columns of `agreements` for attention, the attributions of every text and integrated gradients, by their
    magnitudes, on the sample of texts that has the latter.
    """
    chosen, integrated = texts.integrated(settings)
    everything: dict[str, Sequence[npt.NDArray[Any]]] = {"attention": texts.readout.word_attention, **texts.scores}
    compared: dict[str, Scores] = {name: [np.asarray(values[i]) for i in chosen] for name, values in everything.items()}
    return agreements({**compared, "integrated_gradients": [np.abs(integrated[i]) for i in chosen]})
