"""Plausibility of the attributions that run the network again: gradients, leave-one-out, integrated gradients.

Claims, assumes and measures what `plausibility` does. The attributions are those that `correlation`, `agreement` and
`located` ask for, computed once for all of them; the last two with their signs, as `located` ranks by them.
"""

from typing import Any

from .attributed import Attributed
from .batches import to_columns
from .plausibility import NAMES, Rationales, list_cases, measure_cases
from .rankings import RANKERS
from .settings import Agreement


def name_words(name: str) -> str:
    """Name an attribution beside the rankings by states, of which one may have its name: `gradient` is that by the
    weights.
    """
    return f"word_{name}" if name in RANKERS else name


def plausible_words(texts: Attributed, rationales: Rationales, agreement: Agreement) -> dict[str, Any]:
    """Columns of `plausibility`: a row for each text that is marked, annotator and attribution that runs the network
    again.

    These are what `correlation`, `agreement` and `located` ask for, computed once for all of them; the last two with
    their signs, as `located` ranks by them. loo: what the predicted class loses without the word. integrated_gradients
    have rows for a sample of the texts, the one of the audit `agreement`. Where no text is marked, nothing is computed.
    """
    ids = texts.readout.ids
    cases = list_cases(ids, texts.readout.places, rationales)
    if not cases:
        return to_columns(NAMES, [])
    every = {name_words(name): scores for name, scores in texts.scores.items() if name != "loo"}
    every["loo"] = texts.deletions.falls
    rows = [row for name, scores in every.items() for row in measure_cases(ids, name, cases, scores)]
    chosen, gains = texts.integrated(agreement)
    sample = [case for case in cases if case.text in chosen]
    return to_columns(NAMES, rows + measure_cases(ids, "integrated_gradients", sample, gains))
