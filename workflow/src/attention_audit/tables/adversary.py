"""Table 5 of Wiegreffe & Pinter 2019: the model-consistent adversary for every lambda, with rows to compare it with."""

import pandas as pd

from attention_audit.names import Names
from attention_audit.tables.tidy import as_table, over_seeds

BASE, INSTANCE_ADVERSARY = "base", "instance_adversary"
MOVED = ("f1", "tvd", "jsd", "decision_flip_rate")
METRICS = (*MOVED, "admissible_share")
RUN = ["dataset", "model", "lambda", "seed"]


def by_run(comparison: pd.DataFrame, performance: pd.DataFrame) -> pd.DataFrame:
    """F1 of each compared model and seed, and its means over texts of TVD, JSD and flips against the base model."""
    averages = comparison.groupby(RUN, sort=False, dropna=False)[["tvd", "jsd", "decision_flip"]].mean()
    averages = averages.rename(columns={"decision_flip": "decision_flip_rate"}).reset_index()
    f1 = performance[performance["metric"] == "f1"].rename(columns={"value": "f1"})
    runs = averages.merge(f1[[*RUN, "selection", "f1"]], on=RUN, validate="one_to_one")
    return runs.melt([*RUN, "selection"], var_name="metric")


def of_compared(performance: pd.DataFrame, comparison: pd.DataFrame, models: Names) -> pd.DataFrame:
    """F1, and means over texts of TVD, JSD (nats) and flips against the first training of the model, one row a model.

    From columns.PERFORMANCE and columns.COMPARISON rows of any number of data sets; the columns are those of
    columns.TABLE.
    """
    runs = by_run(comparison, performance).rename(columns={"model": "row"})
    rows = over_seeds(runs, ["dataset", "row", "lambda", "selection", "metric"])
    return as_table(rows, list(models), MOVED)


def per_instance(instance_adversary: pd.DataFrame, performance: pd.DataFrame) -> pd.DataFrame:
    """For the base model, means over texts of Jain & Wallace's adversary, and the share of texts that have one."""
    own = instance_adversary[instance_adversary["model"] == BASE]
    texts = own.assign(admissible_share=own["admissible"] > 0, decision_flip_rate=own["decision_flip"])
    averages = texts.groupby("dataset", sort=False)[["tvd", "jsd", "decision_flip_rate", "admissible_share"]].mean()
    rows = averages.reset_index().melt("dataset", var_name="metric", value_name="mean")
    selection = performance[performance["model"] == BASE].groupby("dataset")["selection"].first()
    return rows.assign(row=INSTANCE_ADVERSARY, seeds=1, selection=rows["dataset"].map(selection))


def wp_table5_adversary(
    performance: pd.DataFrame, comparison: pd.DataFrame, instance_adversary: pd.DataFrame, models: Names
) -> pd.DataFrame:
    """For each lambda, how far the adversary's attention moves (JSD, nats) and what it costs (TVD, flips, F1).

    The adversaries from scratch come first, then the steps of the search by continuation, each in the order of lambda.

    Values are averaged over the test split for each run, then over seeds (mean and sd). Further seeds of the base
    model, uniform weights, and Jain & Wallace's adversary are shown for comparison. The frames hold rows of the audits
    performance, comparison and instance_adversary, of any number of data sets; the columns are those of columns.table.
    `models` orders the rows. Raises AuditError for a compared model that is not one of them.
    """
    models.refuse_unknown(comparison["model"].unique())
    runs = over_seeds(by_run(comparison, performance), ["dataset", "model", "lambda", "selection", "metric"])
    runs["row"] = runs["model"].replace({BASE: "seeds"})
    # the authors' command computes half the paper's TVD, so it takes half the paper's lambda
    commands = [f"authors' command: lambda {value / 2:.3g}" for value in runs["lambda"]]
    runs["note"] = pd.Series(commands, runs.index, dtype=str).where(runs["lambda"].notna(), "")
    rows = pd.concat([runs, per_instance(instance_adversary, performance)]).fillna({"note": ""})
    order = ["seeds" if name == BASE else name for name in models]
    return as_table(rows, [*order, INSTANCE_ADVERSARY], METRICS)
