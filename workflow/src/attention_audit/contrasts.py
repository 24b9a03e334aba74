"""Which models' attention the summary judges, and with which other models it compares each of them."""

from __future__ import annotations

from attention_audit.section import Section


class Contrasts(Section):
    """The models that a judged model is compared with, named as in the column `model` of the audits.

    uniform: the same model with uniform weights. adversary: the consistent adversaries. guided, guided_uniform,
    guided_own: the diagnostic MLP with the judged model's weights, with uniform weights, and with weights it learns.
    """

    uniform: str
    adversary: str
    guided: str
    guided_uniform: str
    guided_own: str


class Subject(Section):
    """A judged model, which has one row in the summary.

    suite: the key of the model's suite. paper: the suite's name in tables. seeds: how many seeds the model was trained
    with. contrasts: the models it is compared with, None where the suite has none.
    """

    dataset: str
    suite: str
    paper: str
    model: str
    seeds: int
    contrasts: Contrasts | None = None
