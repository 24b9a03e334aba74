"""Madsen et al. 2022: models that are trained anew on texts in which the words are masked that a map ranks first."""

from typing import Annotated, get_args

from pydantic import Field, field_validator

from attention_audit.errors import AuditError
from attention_audit.names import RANKINGS, Style
from attention_audit.section import OneOrMore, Seed, SuiteSection
from attention_audit.training.settings import MaskedSettings, MaskingOrder

from ..model import COMMON_AUDITS, DataSet, Models, Suite
from .wiegreffe_pinter import build_base, schedule_base

Percent = Annotated[int, Field(ge=1, le=100)]


class Masking(SuiteSection):
    """Recursive ROAR (Madsen et al. 2022): models like the base model, each trained on texts in which the words are
    masked that the model before it finds most important. By default on no data set.
    """

    SHARED = ("orders", "percent", "seeds")

    orders: OneOrMore[MaskingOrder] = [*get_args(MaskingOrder)]
    """Which words are masked first: those with most attention; those with the largest gradient, as in the audit
    `correlation`; random ones, which the others are held against.
    """
    percent: OneOrMore[Percent] = [*range(10, 101, 10)]
    """Of the words of a text, how many percent are masked at each step, ascending; the last is 100."""
    seeds: OneOrMore[Seed] = [10, 50, 257]
    """Seeds of every model."""

    @field_validator("orders")
    @classmethod
    def _check_orders(cls, orders: list[MaskingOrder]) -> list[MaskingOrder]:
        if "random" not in orders:
            raise ValueError("random is not among them, which the others are held against; add it")
        return orders

    @field_validator("percent")
    @classmethod
    def _check_percent(cls, percent: list[int]) -> list[int]:
        if percent != sorted(percent) or percent[-1] != 100:
            raise ValueError("not ascending up to 100; sort them, and let 100 be the last")
        return percent


def list_models(data: DataSet) -> Models:
    """List the models of Madsen et al. 2022: base, trained again without its most important words, for each order and
    percentage as <order>_<percent>, masked by the ranking of the one before. One job makes all steps of an order.
    """
    section = data.config.get_section(Masking)
    if data.config.model.encoder == "transformer":
        raise AuditError(
            "config: masking.datasets",
            "words are masked in the vocabulary of a model that learns it, and the base model reads by a Transformer",
            "name another `model.encoder`, or no data set",
        )
    parts, schedule = build_base(data), schedule_base(data)
    yield data.train("base", Style("base", "green", "^"), section.seeds, parts, schedule)
    for order in section.orders:
        for percent in section.percent:
            look, last = RANKINGS[order], section.percent[-1]
            yield data.train(
                f"{order}_{percent}",
                look._replace(label=f"{percent} % masked by {look.label}"),
                section.seeds,
                parts,
                schedule,
                kind=MaskedSettings,
                told={"order": order, "percent": section.percent},
                rule="retrain_masked",
                made_with="" if percent == last else f"{order}_{last}",
                reference="base",
                judged=False,
                attends=False,
            )


SUITE = Suite(
    "roar",
    paper="MA2022",
    title="Madsen et al. 2022",
    about="Do predictions suffer more where the words go that a map ranks first, even if the model learns anew?",
    citation=(
        "Evaluating the Faithfulness of Importance Measures in NLP by Recursively Masking Allegedly Important Tokens "
        "and Retraining",
        "https://doi.org/10.18653/v1/2022.findings-emnlp.125",
    ),
    section="masking",
    settings=Masking,
    contents="Models that are trained anew on texts without the words that matter.",
    prefix="roar_",
    models=list_models,
    audits=COMMON_AUDITS,
)
