"""One answer by itself, as a notebook shows it."""

from collections.abc import Mapping

import pandas as pd
from markupsafe import Markup

from attention_audit.report.answers import Row, answers_of
from attention_audit.report.page import templates

HIGH = 460
"""Pixels of the frame, until the browser knows how high the card is."""


def first_row(summary: pd.DataFrame, labels: Mapping[str, str]) -> Row:
    """Make what is shown of the first model of a columns.SUMMARY frame. labels: what models are called."""
    ((_, (row, *_)), *_) = answers_of(summary, labels)
    return row


def card(summary: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """The card of the first model of a columns.SUMMARY frame as HTML, in a frame of its own: its style touches nothing
    around it, and it needs no network. labels: what models are called.
    """
    template = templates().get_template("card.html")
    shown = template.render(row=first_row(summary, labels), by_key={}, by_name={}, explorer=None)
    frame = (
        '<iframe srcdoc="{}" style="width: 100%; height: {}px; border: 0" title="What may be read into this map" '
        "onload=\"this.style.height = this.contentDocument.body.scrollHeight + 16 + 'px'\"></iframe>"
    )
    return str(Markup(frame).format(shown, HIGH))
