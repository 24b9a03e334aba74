"""Tables of Jain & Wallace 2019: does attention rank tokens as gradients do and, if not, what explains it?"""

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, average_trainings, mean, root
from attention_audit.arrays import Floats
from attention_audit.names import ATTRIBUTIONS, Names

from .arrays import Frames, by_model, different, grid, list_cells
from .performance import table_performance
from .tidy import as_table, beside_paper
from .wording import CLASSES, MOST_CLASSES, class_names

PAPER = "JW2019"
STATISTICS = ("tau", "tau_sd", "significant", "top_k_overlap", "texts", "undefined")
LEVEL = 0.05


def jw_table1_performance(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """How well the models predict the test split, one row for each model (table 1).

    `performance` holds rows of the audit performance, of any number of data sets; the columns are those of
    `TABLE`. The published values are from the authors' later run, which selects epochs on dev.
    """
    return table_performance(performance, models, models, "Table 1", PAPER)


def describe_group(tau: Floats, p: Floats, overlap: Floats) -> dict[str, Estimate]:
    """Describe a group of texts by STATISTICS but the counts: (S, N) each, NaN where there is no value.

    The standard deviation of tau over all texts is the root of a mean of squares, and has its interval.
    """
    values = mean(tau, -1.0)
    own = np.sqrt(average_trainings((tau - average_trainings(tau)[:, None]) ** 2))
    return {
        "tau": values,
        "tau_sd": root(mean((tau - values.value) ** 2))._replace(each=own.tolist()),
        "significant": mean(np.where(np.isfinite(tau), (p <= LEVEL).astype(float), np.nan)),
        "top_k_overlap": mean(overlap),
    }


def correlate_groups(correlation: pd.DataFrame) -> pd.DataFrame:
    """Compute STATISTICS by dataset, row (the model), pair and group: all texts and, where classes are few, those of
    each predicted class. No row of a group without texts.
    """
    found = []
    for about, rows in by_model(correlation):
        seeds, ids = sorted(different(rows, "seed")), different(rows, "id")
        classes = rows.assign(group="class_" + rows["prediction"].astype(str))
        parts = [rows.assign(group="overall"), *[classes] * bool(rows["prediction"].max() < MOST_CLASSES)]
        for (pair, group), own in pd.concat(parts).groupby(["pair", "group"], sort=False, observed=True):
            counts = {"texts": len(own), "undefined": own["tau"].isna().sum()}
            cells = describe_group(*(grid(own, name, seeds, ids) for name in ("tau", "p", "top_k_overlap")))
            cells |= {name: Estimate(count / len(seeds)) for name, count in counts.items()}
            found += list_cells({**about, "pair": pair, "group": group, "seeds": len(seeds)}, cells)
    return pd.DataFrame(found)


def jw_table2_correlation(correlation: pd.DataFrame, census: Frames, models: Names) -> pd.DataFrame:
    """Kendall's tau of two attributions: its mean and sd over texts, and the share of texts where p is at most LEVEL.

    One row for each model, pair of attributions and group of texts: all texts, and each predicted class of which the
    paper has numbers. Texts where tau is not defined count only in `texts` and `undefined`. Intervals are those of
    the answer. `correlation` holds rows of the audit correlation, of any number of data sets, and `census` is by data
    set; the columns are those of `TABLE`. Table 2; the paper has the pairs of attention with gradient and
    with leave-one-out. `models` orders the rows.
    """
    rows = correlate_groups(correlation)
    rows["row"] += "/" + rows["pair"] + "/" + rows["group"]
    names = {
        (dataset, f"class_{class_}"): name
        for dataset, known in class_names(census).items()
        for class_, name in known.items()
    }
    rows["class_name"] = [names.get(key, "") for key in zip(rows["dataset"], rows["group"], strict=True)]
    rows = beside_paper(rows, "Table 2", PAPER)
    known = rows.groupby(["dataset", "row"])["published"].transform("count") > 0
    shown = rows[known | (rows["group"] == "overall")]
    return as_table(shown, models, STATISTICS, ATTRIBUTIONS, ATTRIBUTIONS, ["overall", *CLASSES])
