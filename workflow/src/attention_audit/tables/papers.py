"""Tables of three papers, and the same of models of the user.

Wiegreffe & Pinter 2019: how well models predict the gold labels (tables 2 and 3), and the model-consistent adversary
for every lambda, with rows to compare it with (table 5). Jain & Wallace 2019: does attention rank tokens as gradients
do and, if not, what explains it? Serrano & Smith 2019: accuracy, decision flips by single weights, and which ranking
flips first.

Each table takes rows of audits, by their names, of any number of data sets, and has the columns of `TABLE`.
"""

from itertools import combinations
from math import log

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, average_trainings, convert_to_odds, estimate_mean, take_root
from attention_audit.arrays import Floats
from attention_audit.columns.audits import DRAWS
from attention_audit.names import ATTRIBUTIONS, RANKINGS, Names

from .published import find_fact
from .tidy import (
    Frames,
    RowValues,
    Subjects,
    add_first,
    add_published,
    average_columns,
    average_seeds,
    list_estimates,
    list_values,
    make_grid,
    make_grids,
    order_rows,
    split_models,
)
from .wording import read_class_names

PERFORMANCE_METRICS = ("f1", "accuracy", "roc_auc")
BASE, UNIFORM_MODEL, GUIDE = "base", "uniform", "guide_"
"""The names of Wiegreffe & Pinter's models; the names of all guided MLPs begin with `GUIDE`."""
CUT = "cut"
"""How many texts are read in part."""
PER_INSTANCE = "instance_adversary"
TABLE5_METRICS = ("f1", "tvd", "jsd", "decision_flip_rate")
ADVERSARY_METRICS = (*TABLE5_METRICS, "admissible_share")
FAR = log(2) / 2
"""Half of the greatest JSD."""
RUN_COLUMNS = ["dataset", "model", "lambda", "seed"]
JW, SS = "JW2019", "SS2019"
ALL_ENCODERS = "encoders"
"""Stands for all models with an encoder, where Serrano & Smith give one number of them."""
STATISTICS = ("tau", "tau_sd", "significant", "top_k_overlap", "texts", "undefined")
LEVEL = 0.05
FLIP_CASES = ("both_flip", "only_top_flips", "only_other_flips", "neither_flips")


def has_encoder(model: str) -> bool:
    """Tell whether a model of Serrano & Smith's has an encoder; the names of models without one end in `_none`."""
    return not model.endswith("_none")


def average_models(performance: pd.DataFrame) -> pd.DataFrame:
    """Average every metric of each model over seeds: mean, sd and number of seeds."""
    return average_seeds(performance, ["dataset", "model", "lambda", "selection", "classes", "metric"])


def add_notes(rows: pd.DataFrame, table: str, paper: str = "WP2019") -> pd.DataFrame:
    """Put rows beside the paper's values, with a note where F1 is an average over more than two classes."""
    rows = add_published(rows, table, paper)
    macro = (rows["classes"] > 2) & (rows["metric"] == "f1")
    rows.loc[macro, "note"] = "F1: macro average of " + rows["classes"].astype(str) + " classes"
    return rows


def make_performance(performance: pd.DataFrame, models: Names, table: str, paper: str = "WP2019") -> pd.DataFrame:
    """Make the table of how well models predict, one row each, beside a table of a paper."""
    return order_rows(add_notes(average_models(performance), table, paper), PERFORMANCE_METRICS, model=models)


def wp_table2_uniform(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Show whether attention is needed: base against uniform weights, with the difference in F1, paired by seed.

    The difference is shown beside that of the paper's two values; notes give Jain & Wallace's own F1.
    """
    compared = performance[performance["model"].isin([BASE, UNIFORM_MODEL])]
    rows = add_notes(average_models(compared), "Table 2")
    paired = compared[compared["metric"] == "f1"].pivot(
        index=["dataset", "selection", "seed"], columns="model", values="value"
    )
    gains = (paired[BASE] - paired[UNIFORM_MODEL]).dropna().rename("value").reset_index()
    gains = average_seeds(gains, ["dataset", "selection"]).assign(model=BASE, other=UNIFORM_MODEL, metric="f1", note="")
    f1 = rows[rows["metric"] == "f1"]
    theirs = f1.pivot(index="dataset", columns="model", values="published")
    gains["published"] = gains["dataset"].map(theirs[BASE] - theirs[UNIFORM_MODEL])
    for index, row in f1[f1["model"] == BASE].to_dict("index").items():
        if reported := find_fact("quoted in WP2019 Table 2", row, JW):
            rows.at[index, "note"] = f"J&W report {reported.value:.2f}; {row['note']}"
    return order_rows([rows, gains], PERFORMANCE_METRICS, other=["", UNIFORM_MODEL], model=models)


def wp_table3_guides(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Show whether attention transfers: the diagnostic MLP under several sets of weights."""
    return make_performance(performance[performance["model"].str.startswith(GUIDE)], models, "Table 3")


def own_table_performance(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Show how well the user's own models, of which readouts are given, predict the labels of the texts, one row a
    model.
    """
    return order_rows(average_models(performance), PERFORMANCE_METRICS, model=models)


def hf_table_performance(
    performance: pd.DataFrame, cut_texts: pd.DataFrame, models: Names, subjects: Subjects
) -> pd.DataFrame:
    """Show how well fine-tuned Transformers predict, and how many texts they read in part, one row a model.

    From columns.PERFORMANCE and columns.CUT_TEXTS rows of any number of data sets; the columns are those of
    columns.TABLE. Trainings of a model read the same words. subjects: the models whose attention is judged; those that
    they are held against are not counted.
    """
    rows = average_models(performance)
    counts = cut_texts.groupby(["dataset", "model"], observed=True)["id"].nunique()
    cut = rows[["dataset", "model", "lambda", "selection", "seeds"]].drop_duplicates(["dataset", "model"])
    keys = pd.MultiIndex.from_frame(cut[["dataset", "model"]])
    cut = cut.assign(metric=CUT, mean=counts.reindex(keys, fill_value=0).to_numpy(np.float64))
    cut = cut[keys.isin([(judged.dataset, judged.model) for judged in subjects])]
    return order_rows([rows, cut], (*PERFORMANCE_METRICS, CUT), model=models)


def compare_runs(comparison: pd.DataFrame, performance: pd.DataFrame) -> pd.DataFrame:
    """Average F1 of each compared model, and its means over texts of TVD, JSD and flips against the base model, over
    seeds.
    """
    texts = comparison.rename(columns={"decision_flip": "decision_flip_rate"})
    averages = texts.groupby(RUN_COLUMNS, sort=False, dropna=False)[[*TABLE5_METRICS[1:]]].mean().reset_index()
    f1 = performance[performance["metric"] == "f1"].rename(columns={"value": "f1"})
    runs = averages.merge(f1[[*RUN_COLUMNS, "selection", "f1"]], on=RUN_COLUMNS, validate="one_to_one")
    runs = runs.melt([*RUN_COLUMNS, "selection"], var_name="metric")
    return average_seeds(runs, ["dataset", "model", "lambda", "selection", "metric"])


def own_table_comparison(performance: pd.DataFrame, comparison: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Average F1, and means over texts of TVD, JSD (nats) and flips against the first training of the model, one row a
    model.

    From columns.PERFORMANCE and columns.COMPARISON rows of any number of data sets; the columns are those of
    columns.TABLE.
    """
    return order_rows(compare_runs(comparison, performance), TABLE5_METRICS, model=models)


def wp_table5_adversary(
    performance: pd.DataFrame, comparison: pd.DataFrame, instance_adversary: pd.DataFrame, models: Names
) -> pd.DataFrame:
    """Show, for each lambda, how far the adversary's attention moves (JSD, nats) and what it costs (TVD, flips, F1).

    The adversaries from scratch come first, then the steps of the search by continuation, each in the order of lambda.

    Values are averaged over the test split for each run, then over seeds (mean and sd). Further seeds of the base
    model, uniform weights, and Jain & Wallace's adversary of the base model, with the share of texts that have one, are
    shown for comparison. The frames hold rows of the audits performance, comparison and instance_adversary, of any
    number of data sets; the columns are those of `TABLE`. `models` orders the rows.
    """
    runs = compare_runs(comparison, performance).replace({"model": {BASE: "seeds"}})
    of_base = instance_adversary[instance_adversary["model"] == BASE]
    texts = of_base.assign(admissible_share=of_base["admissible"] > 0, decision_flip_rate=of_base["decision_flip"])
    averages = texts.groupby("dataset", sort=False)[[*ADVERSARY_METRICS[1:]]].mean()
    single = averages.reset_index().melt("dataset", var_name="metric", value_name="mean")
    single = add_first(single.assign(model=BASE, seeds=1), performance, "selection").assign(model=PER_INSTANCE)
    order = ["seeds" if name == BASE else name for name in models]
    return order_rows([runs, single], ADVERSARY_METRICS, model=[*order, PER_INSTANCE])


def jw_table1_performance(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Show how well the models predict the test split, one row for each model (table 1).

    The published values are from the authors' later run, which selects epochs on dev.
    """
    return make_performance(performance, models, "Table 1", JW)


def describe_group(tau: Floats, p: Floats, overlap: Floats) -> dict[str, Estimate]:
    """Describe a group of texts by STATISTICS but the counts: (S, N) each, NaN where there is no value.

    The standard deviation of tau over all texts is the root of a mean of squares, and has its interval.
    """
    values = estimate_mean(tau, -1.0)
    spreads = np.sqrt(average_trainings((tau - average_trainings(tau)[:, None]) ** 2))
    return {
        "tau": values,
        "tau_sd": take_root(estimate_mean((tau - values.value) ** 2))._replace(each=spreads.tolist()),
        "significant": estimate_mean(np.where(np.isfinite(tau), p <= LEVEL, np.nan)),
        "top_k_overlap": estimate_mean(overlap),
    }


def jw_table2_correlation(correlation: pd.DataFrame, census: Frames, models: Names) -> pd.DataFrame:
    """Average Kendall's tau of two attributions: its mean and sd over texts, and the share of texts where p is at most
    LEVEL.

    One row for each model, pair of attributions and group of texts: all texts, and each predicted class of which the
    paper has numbers. Texts where tau is not defined count only in `texts` and `undefined`. Intervals are those of
    the answer. `correlation` holds rows of the audit correlation, of any number of data sets, and `census` is by data
    set; the columns are those of `TABLE`. Table 2; the paper has the pairs of attention with gradient and
    with leave-one-out. `models` orders the rows.
    """
    names, labels = read_class_names(census), sorted(correlation["prediction"].unique())
    cells: list[RowValues] = []
    for about, (of_model,) in split_models(correlation):
        seeds, ids = sorted(list_values(of_model, "seed")), list_values(of_model, "id")
        classes = names.get(about["dataset"], {})
        groups = {"": of_model} | {str(label): of_model[of_model["prediction"] == label] for label in labels}
        for label, group in groups.items():
            for pair, texts in group.groupby("pair", sort=False, observed=True):
                ranking, partner = pair.split("~")
                row = {
                    **about, "ranking": ranking, "other": partner, "part": "" if label else "overall", "label": label,
                    "class_name": classes.get(int(label), "") if label else "", "seeds": len(seeds),
                }  # fmt: skip
                if label and not any(find_fact("Table 2", {**row, "metric": metric}, JW) for metric in STATISTICS):
                    continue
                estimates = describe_group(
                    *(make_grid(texts, name, seeds, ids) for name in ("tau", "p", "top_k_overlap"))
                )
                for name, count in (("texts", len(texts)), ("undefined", texts["tau"].isna().sum())):
                    estimates[name] = Estimate(count / len(seeds))
                cells += list_estimates(row, estimates)
    rows = add_published(pd.DataFrame(cells), "Table 2", JW)
    return order_rows(
        rows, model=models, ranking=ATTRIBUTIONS, other=ATTRIBUTIONS, part=["overall"],
        label=["", *map(str, labels)],
    )  # fmt: skip


def jw_table_adversary(instance_adversary: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Average how far the weights of a text can go while its prediction stays (section 4.2.2), one row for each model.

    `far_share`: the share of texts that have an adversary at least `FAR` away. `instance_adversary` holds rows of this
    audit, of any number of data sets; the columns are those of `TABLE`. `models` orders the rows.
    """
    texts = instance_adversary.assign(
        far_share=(instance_adversary["admissible"] > 0) & (instance_adversary["jsd"] >= FAR),
        admissible_share=instance_adversary["admissible"] > 0,
        decision_flip_rate=instance_adversary["decision_flip"],
    )
    metrics = ("far_share", *ADVERSARY_METRICS[1:])
    return order_rows(average_columns(texts, ["model"], metrics), metrics, model=models)


def ss_table3_accuracy(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Show accuracy on the test split, one row for each model (table 3)."""
    accuracy = performance[performance["metric"] == "accuracy"]
    return make_performance(accuracy, models, "Table 3", SS)


def ss_table2_flips(single_weight: pd.DataFrame, census: Frames, models: Names) -> pd.DataFrame:
    """Show whether the decision flips without the top item, and without another item: percent of the texts in all four
    cases.

    One row for each model, ranking that decides which item is the top, and draw of the other item; with the number of
    texts, and the number of test texts excluded because they have only one item. Intervals are those of the answer.
    `single_weight` holds rows of the audit single_weight, of any number of data sets, and `census` is by data
    set; the columns are those of `TABLE`. Table 2, figures 9, 12 and 13.
    """
    codes = 2 * ~single_weight["top_flips"].to_numpy() + ~single_weight["other_flips"].to_numpy()
    cases = single_weight.assign(**{name: 100.0 * (codes == code) for code, name in enumerate(FLIP_CASES)})
    cases = cases.rename(columns={"draw": "part"})
    rows = average_columns(cases, ["model", "ranking", "part"], FLIP_CASES, highest=100)
    totals = {name: counts.loc[counts["split"] == "test", "kept"].sum() for name, counts in census.items()}
    excluded = rows[rows["metric"] == "texts"].assign(metric="excluded")
    excluded["mean"] = excluded["dataset"].map(totals) - excluded["mean"]
    rows = add_published(pd.concat([rows, excluded]), "Table 2", SS)
    return order_rows(rows, model=models, ranking=RANKINGS, part=DRAWS)


def compare_orders(former: Floats, latter: Floats) -> dict[str, Estimate]:
    """Describe which of two rankings flips the decision with fewer erased items. `texts` are those
    in which at least one of the two flips it. (S, N) each; infinite where a ranking never does.

    The statistics are percent of these texts, and the ratio of first_earlier to second_earlier. Where only one ranking
    flips, it is the earlier one. The ratio's interval is that of the share of first_earlier in the two, of which it is
    the odds.
    """
    before, after, tied = former < latter, latter < former, (former == latter) & np.isfinite(former)
    either = before | after | tied
    outcomes = {"first_earlier": before, "second_earlier": after, "tied": tied}
    cells = {
        name: estimate_mean(np.where(either, 100.0 * outcome, np.nan), highest=100)
        for name, outcome in outcomes.items()
    }
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = before.sum(1) / after.sum(1)
    share = estimate_mean(np.where(before | after, before, np.nan))
    ratio = convert_to_odds(share)._replace(each=ratios.tolist())
    return cells | {"earlier_ratio": ratio, "texts": Estimate(either.sum() / len(former))}


def ss_table_pairwise(ranked_sets: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Show which of two rankings flips the decision with fewer erased items: percent of the texts, and their ratio.

    The percentages are of the texts in which at least one of the two flips the decision; where only one does, it is the
    earlier one. One row for each model and pair. `ranked_sets` holds rows of the audit ranked_sets, of any number of
    data sets; the columns are those of `TABLE`. Section 5.4.
    """
    expected, cells = RANKINGS.arrange(ranked_sets["ranking"].unique())[::-1], []
    for about, (of_model,) in split_models(ranked_sets):
        removed = make_grids(
            of_model.assign(removed=of_model["removed"].astype(float).replace(-1, np.inf)), "removed", "ranking"
        )
        for ranking, rival in combinations(expected, 2):
            row = {**about, "ranking": ranking, "other": rival, "seeds": len(removed[ranking])}
            cells += list_estimates(row, compare_orders(removed[ranking], removed[rival]))
    rows = pd.DataFrame(cells)
    pair = {"ranking": "gradient", "other": "attention"}
    claimed = find_fact("Section 5.4", {**pair, "dataset": "all", "model": ALL_ENCODERS, "metric": "earlier_ratio"}, SS)
    same = rows["model"].map(has_encoder) & (rows[[*pair]] == [*pair.values()]).all(axis=1)
    rows["note"] = [f"paper: {claimed.note} {claimed.value:g}" if claimed and here else "" for here in same]
    return order_rows(rows, model=models, ranking=expected, other=expected)
