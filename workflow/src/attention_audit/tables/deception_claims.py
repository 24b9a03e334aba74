"""The findings of Pruthi et al. 2020, one by one, and whether this run finds the same.

A claim that a number falls, or stays, holds where the whole interval lies on the claimed side, and does not where none
of it does; otherwise it is undecided.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.answer.intervals import difference, mean, ratio
from attention_audit.answer.words import above
from attention_audit.contrasts import Liar
from attention_audit.names import Names
from attention_audit.tables.arrays import Floats
from attention_audit.tables.claims import Finding, as_claims, below, finding
from attention_audit.tables.deception import METRICS, PAPER, percentages
from attention_audit.tables.means import cube
from attention_audit.tables.published import published

TENTH = 0.1
"""The share of an honest model's attention that a liar has left on the hidden words at most, to have hidden them."""
COST = 2.0
"""Points of accuracy that count as a surprisingly little cost."""
FELL = 5.0
"""Points of published accuracy from which on the paper itself finds that hiding costs accuracy."""


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
