"""Plausibility of the attributions that run the network again: gradients, leave-one-out, integrated gradients.

Claims, assumes and measures what `plausibility` does. The attributions are those that `correlation`, `agreement` and
`located` ask for, computed once for all of them; the last two with their signs, as `located` ranks by them.
"""

from typing import Any

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.batches import to_columns
from attention_audit.audits.plausibility import NAMES, Rationales, list_cases, list_rows
from attention_audit.audits.rankings import RANKERS
from attention_audit.audits.settings import Agreement


def called(name: str) -> str:
    """What an attribution is called beside the rankings by states, of which one may have its name: `gradient` is that
    by the weights.
    """
    return f"word_{name}" if name in RANKERS else name


def plausible_words(texts: Attributed, rationales: Rationales, agreement: Agreement) -> dict[str, Any]:
    """Columns id, annotator, attribution, words, marked, auprc, f1, iou, mass: a row for each text that is marked,
    annotator and attribution.

    loo: what the predicted class loses without the word. integrated_gradients have rows for a sample of the texts, the
    one of the audit `agreement`. Where no text is marked, nothing is computed.
    """
    ids = texts.readout.ids
    cases = list_cases(ids, texts.readout.places, rationales)
    if not cases:
        return to_columns(NAMES, [])
    everything = {called(name): scores for name, scores in texts.scores.items() if name != "loo"}
    everything["loo"] = texts.deletions.falls
    rows = [row for name, scores in everything.items() for row in list_rows(ids, name, cases, scores)]
    chosen, gains = texts.integrated(agreement)
    sample = [case for case in cases if case.text in chosen]
    return to_columns(NAMES, rows + list_rows(ids, "integrated_gradients", sample, gains))
