"""Tables of Serrano & Smith 2019: accuracy, decision flips by single weights, and which ranking flips first."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, mean, odds
from attention_audit.columns.audits import DRAWS
from attention_audit.names import RANKINGS, Names

from .arrays import Frames, by_model, cube, list_cells, means
from .performance import table_performance
from .published import published
from .tidy import as_table, beside_paper

PAPER = "SS2019"
CELLS = ("both_flip", "only_top_flips", "only_other_flips", "neither_flips")
EARLIER = ("first_earlier", "second_earlier", "tied", "earlier_ratio")


def has_encoder(model: str) -> bool:
    """Whether a model of Serrano & Smith's has an encoder; the names of models without one end in `_none`."""
    return not model.endswith("_none")


def ss_table3_accuracy(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Accuracy on the test split, one row for each model (table 3).

    `performance` holds rows of the audit performance, of any number of data sets; the columns are those of
    `TABLE`.
    """
    of_accuracy = performance[performance["metric"] == "accuracy"]
    return table_performance(of_accuracy, models, models, "Table 3", PAPER)


def ss_table2_flips(single_weight: pd.DataFrame, census: Frames, models: Names) -> pd.DataFrame:
    """Does the decision flip without the top item, and without another item: percent of the texts in all four cases.

    One row for each model, ranking that decides which item is the top, and draw of the other item; with the number of
    texts, and the number of test texts excluded because they have only one item. Intervals are those of the answer.
    `single_weight` holds rows of the audit single_weight, of any number of data sets, and `census` is by data
    set; the columns are those of `TABLE`. Table 2, figures 9, 12 and 13.
    """
    codes = 2 * ~single_weight["top_flips"].to_numpy() + ~single_weight["other_flips"].to_numpy()
    cases = single_weight.assign(**{name: 100.0 * (codes == code) for code, name in enumerate(CELLS)})
    rows = means(cases, ["model", "ranking", "draw"], CELLS, most=100)
    kept = {name: counts.loc[counts["split"] == "test", "kept"].sum() for name, counts in census.items()}
    excluded = rows[rows["metric"] == "texts"].assign(metric="excluded")
    excluded["mean"] = excluded["dataset"].map(kept) - excluded["mean"]
    rows = beside_paper(pd.concat([rows, excluded]), "Table 2", PAPER)
    return as_table(rows, models, [*CELLS, "texts", "excluded"], RANKINGS, DRAWS)


def earlier(ranked_sets: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """The statistics EARLIER, by dataset, row (the model), first and second ranking; and `texts`, as a metric.

    `texts` is the number of texts in which at least one of the two flips the decision. The statistics are percent of
    these texts, and the ratio of first_earlier to second_earlier. Where only one ranking flips, it is the earlier one.
    The ratio's interval is that of the share of first_earlier in the two, of which it is the odds.
    """
    found = []
    for about, rows in by_model(ranked_sets):
        removed = cube(rows.assign(removed=rows["removed"].astype(float).replace(-1, np.inf)), "removed", "ranking")
        for first, second in pairs:
            one, other = removed[first], removed[second]
            before, after, tied = one < other, other < one, (one == other) & np.isfinite(one)
            either = before | after | tied
            cells = {
                name: mean(np.where(either, 100.0 * outcome, np.nan), most=100)
                for name, outcome in zip(EARLIER, (before, after, tied), strict=False)
            }
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = before.sum(1) / after.sum(1)
            share = mean(np.where(before | after, before.astype(float), np.nan))
            cells |= {
                EARLIER[-1]: odds(share)._replace(each=ratios.tolist()),
                "texts": Estimate(either.sum() / len(one)),
            }
            found += list_cells({**about, "first": first, "second": second, "seeds": len(one)}, cells)
    return pd.DataFrame(found)


def ss_table_pairwise(ranked_sets: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Which of two rankings flips the decision with fewer erased items: percent of the texts, and their ratio.

    The percentages are of the texts in which at least one of the two flips the decision; where only one does, it is the
    earlier one. One row for each model and pair. `ranked_sets` holds rows of the audit ranked_sets, of any number of
    data sets; the columns are those of `TABLE`. Section 5.4.
    """
    expected = RANKINGS.ordered(ranked_sets["ranking"].unique())[::-1]
    rows = earlier(ranked_sets, [*combinations(expected, 2)])
    rows["row"] += "/" + rows["first"] + "/" + rows["second"]
    claimed = published("Section 5.4", "all", "encoders/gradient/attention", "earlier_ratio", PAPER)
    same = rows["row"].isin([f"{model}/gradient/attention" for model in models if has_encoder(model)])
    rows["note"] = [f"paper: {claimed.note} {claimed.value:g}" if claimed and here else "" for here in same]
    return as_table(rows, models, [*EARLIER, "texts"], expected, expected)


def compared(single_weight: pd.DataFrame) -> pd.DataFrame:
    """The rows in which the top item is attention's, and the other item is drawn uniformly."""
    RANKINGS.refuse_unknown(single_weight["ranking"].unique())
    return single_weight[(single_weight["ranking"] == "attention") & (single_weight["draw"] == "corrected")]
