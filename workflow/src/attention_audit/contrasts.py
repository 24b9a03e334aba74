"""Which models' attention the summary judges, and with which other models it compares each of them."""

from __future__ import annotations

from typing import Literal

from attention_audit.section import Section


class Contrasts(Section):
    """The models that a judged model is compared with, named as in the column `model` of the audits.

    seed: the seed of the judged model that adversaries are trained against. uniform: the same model with uniform
    weights. adversaries: the families of the consistent adversaries. guided, guided_uniform, guided_adversary,
    guided_own: the diagnostic MLP with the judged model's weights, with uniform weights, with an adversary's weights,
    and with weights it learns.
    """

    seed: int
    uniform: str
    adversaries: list[str]
    guided: str
    guided_uniform: str
    guided_adversary: str
    guided_own: str


class Subject(Section):
    """A judged model, which has one row in the summary.

    suite: the key of the model's suite. paper: the suite's name in tables. seeds: how many seeds the model was trained
    with. items: what its attention lies on. unasked: why an audit was not asked of it, by the audit's name. contrasts:
    the models it is compared with, None where the suite has none. frozen: whether its encoder is as it was found, so
    that its trainings differ in attention and decoder alone.
    """

    dataset: str
    suite: str
    paper: str
    model: str
    seeds: int
    items: Literal["words", "sentences"]
    unasked: dict[str, str]
    contrasts: Contrasts | None = None
    frozen: bool = False
