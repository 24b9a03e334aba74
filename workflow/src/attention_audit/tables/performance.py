"""Tables of Wiegreffe & Pinter 2019, and the same of models of the user: how well models predict the gold labels
(tables 2 and 3), and the model-consistent adversary for every lambda, with rows to compare it with (table 5).
"""

from collections.abc import Iterable

import pandas as pd

from attention_audit.contrasts import Subject
from attention_audit.names import Names

from .arrays import Subjects
from .published import published
from .tidy import as_table, beside_paper, look_up, over_seeds

METRICS = ("f1", "accuracy", "roc_auc")
BASE, UNIFORM, GUIDE = "base", "uniform", "guide_"
"""The names of Wiegreffe & Pinter's models; the names of all guided MLPs begin with `GUIDE`."""
CUT = "cut"
"""How many texts are read in part."""
INSTANCE_ADVERSARY = "instance_adversary"
MOVED = ("f1", "tvd", "jsd", "decision_flip_rate")
ADVERSARIES = (*MOVED, "admissible_share")
RUN = ["dataset", "model", "lambda", "seed"]


def of_models(performance: pd.DataFrame, models: Names, shown: Iterable[str]) -> pd.DataFrame:
    """Mean, sd and number of seeds of every metric, for each model of `shown`.

    Raises AuditError where `performance` has a model that is not one of `models`.
    """
    models.refuse_unknown(performance["model"].unique())
    chosen = performance[performance["model"].isin([*shown])].rename(columns={"model": "row"})
    return over_seeds(chosen, ["dataset", "row", "lambda", "selection", "classes", "metric"])


def noted(rows: pd.DataFrame, table: str, paper: str = "WP2019") -> pd.DataFrame:
    """`rows` beside the paper's values, with a note where F1 is an average over more than two classes."""
    rows = beside_paper(rows, table, paper)
    macro = (rows["classes"] > 2) & (rows["metric"] == "f1")
    rows.loc[macro, "note"] = "F1: macro average of " + rows["classes"].astype(str) + " classes"
    return rows


def table_performance(
    performance: pd.DataFrame, models: Names, shown: Iterable[str], table: str, paper: str = "WP2019"
) -> pd.DataFrame:
    """Make the table of how well the models of `shown` predict, one row each, beside a table of a paper."""
    return as_table(noted(of_models(performance, models, shown), table, paper), shown, METRICS)


def gain_of_attention(performance: pd.DataFrame) -> pd.DataFrame:
    """F1 of base minus F1 of uniform, paired by seed, one row for each data set."""
    f1 = performance[(performance["metric"] == "f1") & performance["model"].isin([BASE, UNIFORM])]
    paired = f1.pivot(index=["dataset", "selection", "seed"], columns="model", values="value")
    gains = (paired[BASE] - paired[UNIFORM]).dropna().rename("value").reset_index()
    return over_seeds(gains, ["dataset", "selection"]).assign(row=f"{BASE} - {UNIFORM}", metric="f1")


def wp_table2_uniform(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Is attention needed? Base against uniform weights, with the paired difference in F1.

    `performance` holds rows of the audit performance, of any number of data sets; the columns are those of
    `TABLE`. The difference is shown beside that of the paper's two values; notes give Jain & Wallace's own F1.
    """
    rows = noted(of_models(performance, models, [BASE, UNIFORM]), "Table 2")
    gains = gain_of_attention(performance)
    theirs = rows[rows["metric"] == "f1"].pivot(index="dataset", columns="row", values="published")
    gains["published"] = gains["dataset"].map(theirs[BASE] - theirs[UNIFORM])
    for index, row in rows[(rows["row"] == BASE) & (rows["metric"] == "f1")].iterrows():
        if reported := published("quoted in WP2019 Table 2", row["dataset"], BASE, "f1", "JW2019"):
            rows.at[index, "note"] = f"J&W report {reported.value:.2f}; {row['note']}"
    return as_table(pd.concat([rows, gains]).fillna({"note": ""}), [BASE, UNIFORM, f"{BASE} - {UNIFORM}"], METRICS)


def wp_table3_guides(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Does attention transfer? The diagnostic MLP under four sets of weights.

    `performance` holds rows of the audit performance, of any number of data sets; the columns are those of
    `TABLE`.
    """
    return table_performance(performance, models, [name for name in models if name.startswith(GUIDE)], "Table 3")


def own_table_performance(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """How well the user's own models, of which readouts are given, predict the labels of the texts, one row a model.

    From columns.PERFORMANCE rows of any number of data sets; the columns are those of columns.TABLE.
    """
    return as_table(of_models(performance, models, models), models, METRICS)


def hf_table_performance(
    performance: pd.DataFrame,
    cut_texts: pd.DataFrame,
    models: Names,
    subjects: Subjects,
) -> pd.DataFrame:
    """How well fine-tuned Transformers predict, and how many texts they read in part, one row a model.

    From columns.PERFORMANCE and columns.CUT_TEXTS rows of any number of data sets; the columns are those of
    columns.TABLE. Trainings of a model read the same words. subjects: the models whose attention is judged; those that
    they are held against are not counted.
    """
    rows = of_models(performance, models, models)
    counts = cut_texts.groupby(["dataset", "model"], observed=True)["id"].nunique().astype(float)
    judged = {(each.dataset, each.model): True for each in map(Subject.model_validate, subjects)}
    cut = rows[look_up(judged, rows, False)].drop_duplicates(["dataset", "row"])
    cut = cut[["dataset", "row", "selection", "seeds"]].assign(metric=CUT, mean=look_up(counts, cut, 0.0))
    return as_table([rows, cut], models, (*METRICS, CUT))


def by_run(comparison: pd.DataFrame, performance: pd.DataFrame) -> pd.DataFrame:
    """F1 of each compared model and seed, and its means over texts of TVD, JSD and flips against the base model."""
    texts = comparison.assign(decision_flip_rate=comparison["decision_flip"])
    averages = texts.groupby(RUN, sort=False, dropna=False)[[*MOVED[1:]]].mean().reset_index()
    f1 = performance[performance["metric"] == "f1"].rename(columns={"value": "f1"})
    runs = averages.merge(f1[[*RUN, "selection", "f1"]], on=RUN, validate="one_to_one")
    return runs.melt([*RUN, "selection"], var_name="metric")


def own_table_comparison(performance: pd.DataFrame, comparison: pd.DataFrame, models: Names) -> pd.DataFrame:
    """F1, and means over texts of TVD, JSD (nats) and flips against the first training of the model, one row a model.

    From columns.PERFORMANCE and columns.COMPARISON rows of any number of data sets; the columns are those of
    columns.TABLE.
    """
    runs = by_run(comparison, performance).rename(columns={"model": "row"})
    rows = over_seeds(runs, ["dataset", "row", "lambda", "selection", "metric"])
    return as_table(rows, models, MOVED)


def per_instance(instance_adversary: pd.DataFrame, performance: pd.DataFrame) -> pd.DataFrame:
    """For the base model, means over texts of Jain & Wallace's adversary, and the share of texts that have one."""
    own = instance_adversary[instance_adversary["model"] == BASE]
    texts = own.assign(admissible_share=own["admissible"] > 0, decision_flip_rate=own["decision_flip"])
    averages = texts.groupby("dataset", sort=False)[[*ADVERSARIES[1:]]].mean()
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
    performance, comparison and instance_adversary, of any number of data sets; the columns are those of `TABLE`.
    `models` orders the rows. Raises AuditError for a compared model that is not one of them.
    """
    models.refuse_unknown(comparison["model"].unique())
    runs = over_seeds(by_run(comparison, performance), ["dataset", "model", "lambda", "selection", "metric"])
    runs["row"] = runs["model"].replace({BASE: "seeds"})
    rows = pd.concat([runs, per_instance(instance_adversary, performance)])
    order = ["seeds" if name == BASE else name for name in models]
    return as_table(rows, [*order, INSTANCE_ADVERSARY], ADVERSARIES)
