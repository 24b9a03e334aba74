"""The findings of Pruthi et al. 2020, one by one, and whether this run finds the same.

A claim that a number falls, or stays, holds where the whole interval lies on the claimed side, and does not where none
of it does; otherwise it is undecided.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.answer.words import above
from attention_audit.audits.bootstrap import Floats, bootstrap, difference, mean
from attention_audit.columns.claims import CLAIMS
from attention_audit.contrasts import Liar
from attention_audit.names import Names
from attention_audit.tables.claims import Finding, below
from attention_audit.tables.deception import PAPER, percentages
from attention_audit.tables.published import published
from attention_audit.tables.resampling import SEED, cube

TENTH = 0.1
"""The share of an honest model's attention that a liar has left on the hidden words at most, to have hidden them."""
COST = 2.0
"""Points of accuracy that count as a surprisingly little cost."""
FELL = 5.0
"""Points of published accuracy from which on the paper itself finds that hiding costs accuracy."""


def ratio(liar: Floats, honest: Floats) -> Floats:
    """The mean of one sample divided by that of another."""
    found: Floats = mean(liar) / mean(honest)
    return found


def theirs(dataset: str, model: str, metric: str) -> float | None:
    """The paper's number, None where it gives none that is no bound."""
    fact = published("Table 3", dataset, model, metric, PAPER)
    return None if fact is None else fact.value


def quoted(dataset: str, pair: Liar, metric: str, otherwise: str) -> str:
    """The paper's numbers of the two models in percent; `otherwise` where it gives them not both."""
    honest, liar = (theirs(dataset, model, metric) for model in (pair.honest, pair.liar))
    return otherwise if honest is None or liar is None else f"{liar:g} %, honest {honest:g} %"


def of_pair(
    dataset: str, pair: Liar, values: Mapping[str, Mapping[str, Floats]], name: str, resamples: int
) -> Iterator[Finding]:
    """The findings on one liar. values: by model and metric, (S, N) in percent. name: the liar's label."""
    honest, liar = values[pair.honest], values[pair.liar]

    def drawn(statistic: Any, *samples: Floats) -> tuple[float, float, float]:
        return bootstrap(statistic, *samples, seed=SEED, resamples=resamples)

    hidden = drawn(ratio, liar["mass_percent"], honest["mass_percent"])
    yield Finding(
        f"{name}: attention leaves the impermissible words",
        f"attention on them, liar / honest model; below {TENTH:g}",
        *hidden,
        quoted(dataset, pair, "mass_percent", "little is left (table 3)"),
        below(*hidden[1:], TENTH),
    )
    cost = drawn(difference(mean), liar["accuracy_percent"], honest["accuracy_percent"])
    published_pair = [theirs(dataset, model, "accuracy_percent") for model in (pair.liar, pair.honest)]
    fell = None not in published_pair and published_pair[1] - published_pair[0] >= FELL  # type: ignore[operator]
    if fell:
        yield Finding(
            f"{name}: hiding costs accuracy",
            "accuracy (%), liar - honest model; below 0",
            *cost,
            quoted(dataset, pair, "accuracy_percent", ""),
            below(*cost[1:], 0),
        )
    else:
        yield Finding(
            f"{name}: hiding costs little accuracy",
            f"accuracy (%), liar - honest model; above -{COST:g}",
            *cost,
            quoted(dataset, pair, "accuracy_percent", "surprisingly little cost (abstract)"),
            above(*cost[1:], -COST),
        )
    reliance = drawn(difference(mean), liar["accuracy_percent"], liar["deleted_percent"])
    yield Finding(
        f"{name}: it relies on the words that it hides",
        "accuracy (%) of the same model, with them - without them; above 0",
        *reliance,
        "above 0, of a model that is trained without them (table 3)",
        above(*reliance[1:], 0),
    )


def pd_table_claims(
    impermissible: pd.DataFrame, models: Names, liars: Sequence[Liar | Mapping[str, Any]], resamples: int
) -> pd.DataFrame:
    """Every finding of the paper that can be tested, with 95 % intervals over instances and seeds.

    impermissible: rows of the audit of this name, of any number of data sets. liars: the pairs of models. The columns
    are those of columns.claims. Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown(impermissible["model"].unique())
    metrics = ["accuracy_percent", "mass_percent", "deleted_percent"]
    rows = []
    for dataset in map(str, impermissible["dataset"].unique()):
        own = percentages(impermissible[impermissible["dataset"] == dataset])
        values = {}
        for model in map(str, own["model"].unique()):
            _, cells = cube(own[own["model"] == model].melt(["seed", "id"], metrics, "metric"), "value", ["metric"])
            values[model] = {name: cells[..., place] for place, name in enumerate(metrics)}
        for pair in (Liar.model_validate(each) for each in liars):
            if pair.honest in values and pair.liar in values:
                found = of_pair(dataset, pair, values, models[pair.liar].label, resamples)
                rows += [(dataset, *finding) for finding in found]
    return pd.DataFrame(rows, columns=CLAIMS.schema.names)
