"""The audits that run a model again: its attributions, their correlation and agreement, and the model's conicity.

They are computed together, since correlation and agreement use the same attributions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from attention_audit.audits.agreement import agreement as agree
from attention_audit.audits.agreement import sample
from attention_audit.audits.attributions import Scores
from attention_audit.audits.conicity import conicity
from attention_audit.audits.correlation import correlation as correlate
from attention_audit.audits.gradients import attached_gradients, gradients
from attention_audit.audits.integrated_gradients import integrated_gradients
from attention_audit.audits.leave_one_out import leave_one_out
from attention_audit.audits.settings import Agreement, Correlation
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import Readout

Attribution = Callable[[Network, Split], Scores]

EVERY_TEXT: dict[str, Attribution] = {
    "gradient": gradients,
    "gradient_attached": attached_gradients,
    "loo": leave_one_out,
}
"""The attributions that are computed for every test text and correlated with attention, named as in
`names.ATTRIBUTIONS`."""


def attribution(
    model: Network,
    split: Split,
    readout: Readout,
    correlation: Correlation,
    agreement: Agreement,
    report: Callable[[str], None],
) -> Mapping[str, Mapping[str, Any]]:
    """The columns of the audits correlation, agreement and conicity, by the audit's name, for one model.

    `readout` has the texts of `split`, in the same order.
    """
    scores: dict[str, Scores] = {}
    for name, attribute in EVERY_TEXT.items():
        scores[name] = attribute(model, split)
        report(f"{name}: {split.lengths.sum()} tokens of {len(split)} texts")
    chosen = sample(len(split), agreement.texts)
    everything: dict[str, Sequence[npt.NDArray[Any]]] = {"attention": readout.attention, **scores}
    compared: dict[str, Scores] = {name: [np.asarray(values[i]) for i in chosen] for name, values in everything.items()}
    compared["integrated_gradients"] = integrated_gradients(model, split, agreement.steps, chosen)
    report(f"integrated gradients of {len(chosen)} texts")
    return {
        "correlation": correlate(readout, scores, correlation),
        "agreement": agree(compared),
        "conicity": conicity(model, split, readout.ids),
    }
