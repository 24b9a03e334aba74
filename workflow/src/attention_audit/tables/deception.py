"""Table 3 of Pruthi et al. 2020: models that hide words by their attention, beside honest ones; its findings; and which
questions notice a liar: the answers of an honest model and of one that was trained to hide, side by side.

A claim that a number falls, or stays, holds where the whole interval lies on the claimed side, and does not where none
of it does; otherwise it is undecided.

A question **notices** a liar where it is answered `no` of the liar and not of the honest model, and the liar's effect
is clearly lower: the whole interval of the difference lies above 0. It **does not** where it is answered `yes` of the
liar, which it then vouches for; nor where it is answered `no` of both, since then a `no` does not tell one from the
other. All else is undecided. docs/method/deception.md has the rule.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import Any

import pandas as pd

from attention_audit.answer import words
from attention_audit.answer.intervals import Effect, difference, mean, minus, ratio
from attention_audit.answer.words import above
from attention_audit.columns.noticed import DOES_NOT, NOT_ASKED, NOTICED, NOTICES, UNCLEAR
from attention_audit.columns.summary import QUESTIONS
from attention_audit.contrasts import Liar
from attention_audit.names import Names
from attention_audit.tables.arrays import Floats, cube, means
from attention_audit.tables.claims import Finding, as_claims, below, finding
from attention_audit.tables.published import RERUN, published
from attention_audit.tables.tidy import as_table, beside_paper, over_seeds

PAPER = "PD2020"
METRICS = ("accuracy_percent", "mass_percent", "uniform_percent", "deleted_percent", "texts")
"""accuracy; attention on the impermissible words, and that of uniform weights; accuracy of the same model when these
words are deleted from its input; all in percent of the texts, or of the attention."""
ANONYMISED = "trained and tested without the impermissible words"
TENTH = 0.1
"""The share of an honest model's attention that a liar has left on the hidden words at most, to have hidden them."""
COST = 2.0
"""Points of accuracy that count as a surprisingly little cost."""
FELL = 5.0
"""Points of published accuracy from which on the paper itself finds that hiding costs accuracy."""


def percentages(impermissible: pd.DataFrame) -> pd.DataFrame:
    """The rows of the audit with the values of METRICS, in percent, text by text. A text of which nothing is left
    counts as wrong.
    """
    return impermissible.assign(
        accuracy_percent=100.0 * impermissible["right"].astype(float),
        mass_percent=100.0 * impermissible["mass"],
        uniform_percent=100.0 * impermissible["uniform_mass"],
        deleted_percent=100.0 * impermissible["right_without"].map({True: 1.0, False: 0.0}).fillna(0.0),
    )


def of_anonymised(performance: pd.DataFrame) -> pd.DataFrame:
    """The accuracy of models that are trained and tested without the impermissible words, with its sd over seeds."""
    rows = performance[performance["model"].str.endswith("anonymised") & (performance["metric"] == "accuracy")]
    return over_seeds(rows.assign(row=rows["model"], value=100.0 * rows["value"]), ["dataset", "row"]).assign(
        metric=METRICS[0]
    )


def pd_table_deception(impermissible: pd.DataFrame, performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Accuracy, attention on the impermissible words, and accuracy without them: of the same model, whose input lacks
    them, and of a model that is trained without them (the paper's anonymised input).

    From rows of the audits impermissible and performance, of any number of data sets; the columns are those of
    columns.table. Intervals of models that read whole texts are those of the answer. Notes give the number of the
    independent rerun. Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown([*impermissible["model"].unique(), *performance["model"].unique()])
    selection = performance.groupby(["dataset", "model"], observed=True)["selection"].first()
    judged = means(percentages(impermissible), ["model"], METRICS[:-1], most=100)
    lambdas = impermissible.groupby(["dataset", "model"], observed=True)["lambda"].first()
    judged["lambda"] = [lambdas[key] for key in zip(judged["dataset"], judged["row"], strict=True)]
    rows = pd.concat([judged, of_anonymised(performance)], ignore_index=True)
    rows = beside_paper(rows, "Table 3", PAPER)
    keys = rows[["dataset", "row", "metric"]].itertuples(index=False, name=None)
    rows["note"] = [
        "; ".join(filter(None, (note, rerun(*key), ANONYMISED if key[1].endswith("anonymised") else "")))
        for note, key in zip(rows["note"], keys, strict=True)
    ]
    rows["selection"] = [selection.get(key, "") for key in zip(rows["dataset"], rows["row"], strict=True)]
    rows.loc[rows["metric"] == METRICS[-1], "selection"] = ""
    present = [name for name in METRICS if name in set(rows["metric"])]
    return as_table(rows, list(models), present)


def rerun(dataset: str, row: str, metric: str) -> str:
    """What the independent rerun has for a number, as a note; "" where it has none."""
    fact = published(RERUN, dataset, row, metric, PAPER)
    if fact is None:
        return ""
    what = "accuracy" if metric == METRICS[0] else "attention on them"
    return f"rerun by Habacker et al. 2021: {what} {fact.value:g} %"


def theirs(dataset: str, model: str, metric: str) -> float | None:
    """The paper's number, None where it gives none that is no bound."""
    fact = published("Table 3", dataset, model, metric, PAPER)
    return None if fact is None else fact.value


def quoted(dataset: str, pair: Liar, metric: str, otherwise: str) -> str:
    """The paper's numbers of the two models in percent; `otherwise` where it gives them not both."""
    honest, liar = (theirs(dataset, model, metric) for model in (pair.honest, pair.liar))
    return otherwise if honest is None or liar is None else f"{liar:g} %, honest {honest:g} %"


def of_pair(dataset: str, pair: Liar, values: Mapping[str, Mapping[str, Floats]], name: str) -> Iterator[Finding]:
    """The findings on one liar. values: by metric and model, (S, N) in percent. name: the liar's label."""
    masses, accuracies = (
        (values[metric][pair.liar], values[metric][pair.honest]) for metric in ("mass_percent", "accuracy_percent")
    )
    yield finding(
        f"{name}: attention leaves the impermissible words",
        f"attention on them, liar / honest model; below {TENTH:g}",
        ratio(*masses)[:3],
        quoted(dataset, pair, "mass_percent", "little is left (table 3)"),
        below,
        TENTH,
    )
    lying, honest = (theirs(dataset, model, "accuracy_percent") for model in (pair.liar, pair.honest))
    if lying is not None and honest is not None and honest - lying >= FELL:
        claim, bounded, side, bound, otherwise = "hiding costs accuracy", "below 0", below, 0.0, ""
    else:
        claim, bounded, side, bound = "hiding costs little accuracy", f"above -{COST:g}", above, -COST
        otherwise = "surprisingly little cost (abstract)"
    yield finding(
        f"{name}: {claim}",
        f"accuracy (%), liar - honest model; {bounded}",
        difference(*accuracies, most=100)[:3],
        quoted(dataset, pair, "accuracy_percent", otherwise),
        side,
        bound,
    )
    yield finding(
        f"{name}: it relies on the words that it hides",
        "accuracy (%) of the same model, with them - without them; above 0",
        mean(accuracies[0] - values["deleted_percent"][pair.liar], -100.0, 100.0)[:3],
        "above 0, of a model that is trained without them (table 3)",
        above,
        0,
    )


def pd_table_claims(
    impermissible: pd.DataFrame, models: Names, liars: Sequence[Liar | Mapping[str, Any]]
) -> pd.DataFrame:
    """Every finding of the paper that can be tested, with 95 % intervals over instances and seeds.

    impermissible: rows of the audit of this name, of any number of data sets. liars: the pairs of models. The columns
    are those of columns.claims. Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown(impermissible["model"].unique())
    found: list[tuple[str, Finding]] = []
    for dataset in map(str, impermissible["dataset"].unique()):
        own = percentages(impermissible[impermissible["dataset"] == dataset])
        values = {name: cube(own, name, "model") for name in METRICS[:-1]}
        for pair in (Liar.model_validate(each) for each in liars):
            if {pair.honest, pair.liar} <= {*own["model"].unique()}:
                found += [(dataset, each) for each in of_pair(dataset, pair, values, models[pair.liar].label)]
    return as_claims(found)


VOUCHES = "the liar's map is vouched for"
REFUSES = "the honest model's map is refused too"
ALIKE = "the liar's effect is not clearly lower"
FLAT = "the liar's maps are flat"


def noticed(honest: str, liar: str, lower: bool) -> tuple[str, str]:
    """The word, and why, from the answers of the two models and whether the liar's effect is clearly lower."""
    if words.NOT_ASKED in (honest, liar):
        return NOT_ASKED, ""
    if liar == words.YES:
        return DOES_NOT, VOUCHES
    if liar == words.NO:
        if honest == words.NO:
            return DOES_NOT, REFUSES
        return (NOTICES, "") if lower else (UNCLEAR, ALIKE)
    return UNCLEAR, FLAT if liar == words.FLAT else ""


PARTS = ("value", "low", "high")
"""What the summary tells of an effect."""


def answers_of(honest: Mapping[str, Any], liar: Mapping[str, Any], question: str) -> dict[str, Any]:
    """The columns of one question, from the rows of the summary of both models."""
    ours, theirs = (
        Effect(float(row[f"{question}_value"]), float(row[f"{question}_low"]), float(row[f"{question}_high"]), 0, 0)
        for row in (honest, liar)
    )
    effects = {"honest": ours, "liar": theirs, "difference": minus(ours, theirs)}
    lower = bool(effects["difference"].low > 0)
    word, note = noticed(str(honest[question]), str(liar[question]), lower)
    reasons = dict.fromkeys(str(row[f"{question}_note"]) for row in (liar, honest) if word == NOT_ASKED)
    about = {"question": question, "honest_word": honest[question], "liar_word": liar[question], "lower": lower}
    numbers = {f"{name}_{part}": getattr(effect, part) for name, effect in effects.items() for part in PARTS}
    return about | numbers | {"word": word, "note": note or "; ".join(filter(None, reasons))}


def pd_table_noticed(summary: pd.DataFrame, liars: Sequence[Liar | Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each data set, liar and question, with the columns of columns.noticed.

    summary: columns.SUMMARY rows. liars: the pairs of models. A pair of which a data set lacks a model is left out.
    """
    own = summary[summary["suite"] == "pd"]
    rows = []
    for dataset in dict.fromkeys(own["dataset"]):
        by_model = {row["model"]: row for row in own[own["dataset"] == dataset].to_dict("records")}
        for pair in (Liar.model_validate(each) for each in liars):
            if pair.honest in by_model and pair.liar in by_model:
                about = {"dataset": dataset, "honest": pair.honest, "liar": pair.liar, "lambda": pair.lambda_}
                both = by_model[pair.honest], by_model[pair.liar]
                rows += [about | answers_of(*both, question) for question in QUESTIONS]
    empty = {column.name: nan for column in NOTICED.columns}
    return pd.DataFrame([empty | row for row in rows], columns=NOTICED.schema.names).astype({"lower": bool})
