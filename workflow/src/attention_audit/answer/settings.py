"""Settings of the answer. The zones of the questions are in `questions.py`, the same for all data."""

from typing import Annotated

from pydantic import Field

from attention_audit.section import Section

Tolerance = Annotated[float, Field(ge=0, le=1)]


class Margins(Section):
    """What the verdicts rest on beside the zones of the questions."""

    tvd: Tolerance = 0.05
    """Tolerance of adversaries: how far their predictions may move at least (TVD)."""
    flat: Tolerance = 0.01
    """Maps are flat where shuffling one moves it by less than this share of the largest JSD, ln 2."""
    inert: Tolerance = 0.01
    """Change of the predicted class's probability up to which an item counts as inert: it neither supports nor opposes
    the prediction.
    """


class AnswerSettings(Section):
    """How the audits' numbers become verdicts."""

    margins: Margins = Margins()
    """From which size on a change counts."""
