"""Whose attention the summary judges, and the models that it holds a judged model against."""

from __future__ import annotations

from attention_audit.section import Section


class Contrasts(Section):
    """Names of models, as the column `model` of the audits has them.

    uniform: the same model with uniform weights. adversary: the consistent adversaries. guided, guided_uniform,
    guided_own: the diagnostic MLP with the judged model's weights, with uniform ones, and with attention of its own.
    """

    uniform: str
    adversary: str
    guided: str
    guided_uniform: str
    guided_own: str


class Subject(Section):
    """A judged model, which has one row in the summary.

    suite: the key of the suite it belongs to. paper: the suite's name in tables. seeds: how many it was trained with.
    contrasts: the models beside it, None where the suite has none.
    """

    dataset: str
    suite: str
    paper: str
    model: str
    seeds: int
    contrasts: Contrasts | None = None
