"""Table 3 of Pruthi et al. 2020: models that hide words by their attention, beside honest ones."""

import pandas as pd

from attention_audit.names import Names
from attention_audit.tables.arrays import means
from attention_audit.tables.published import RERUN, published
from attention_audit.tables.tidy import as_table, beside_paper, over_seeds

PAPER = "PD2020"
METRICS = ("accuracy_percent", "mass_percent", "uniform_percent", "deleted_percent", "texts")
"""accuracy; attention on the impermissible words, and that of uniform weights; accuracy of the same model when these
words are deleted from its input; all in percent of the texts, or of the attention."""
ANONYMISED = "trained and tested without the impermissible words"


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
    `TABLE`. Intervals of models that read whole texts are those of the answer. Notes give the number of the
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
