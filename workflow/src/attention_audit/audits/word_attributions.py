"""Word attributions: what else says of each word how much it matters, kept to be looked at text by text.

Claims nothing: `correlation`, `agreement` and `located` measure the same attributions, and keep no value of a word.
"""

from typing import Any

import numpy as np

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.batches import to_columns
from attention_audit.audits.gradients import gradients
from attention_audit.audits.settings import Agreement, Deletion
from attention_audit.batching import Indices
from attention_audit.readout import Scores


def word_attributions(texts: Attributed, agreement: Agreement, deletion: Deletion) -> dict[str, Any]:
    """Columns id, attribution, scores: a row for each attribution and text that has it.

    gradient: shares of the magnitudes of the gradients of the words. loo: the probability that the predicted class
    loses without the word. integrated_gradients: with their signs, of a sample of the texts, the one of the audit
    `agreement`; loo of the same sample where the section `deletion` asks for less than all texts.
    """
    chosen, integrated = texts.integrated(agreement)
    everyone = np.arange(len(texts.split))
    asked = everyone if deletion.texts is None else chosen
    falls = texts.deletions_of(asked).falls
    found: dict[str, tuple[Indices, Scores]] = {
        "gradient": (everyone, gradients(texts.model, texts.split)),
        "loo": (asked, falls),
        "integrated_gradients": (chosen, integrated),
    }
    rows = [
        (texts.readout.ids[member], name, scores[member].astype(np.float32))
        for name, (members, scores) in found.items()
        for member in members
    ]
    return to_columns(("id", "attribution", "scores"), rows)
