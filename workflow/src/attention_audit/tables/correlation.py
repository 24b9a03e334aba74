"""Tables of Jain & Wallace 2019: does attention rank tokens as gradients do and, if not, what explains it?"""

from collections.abc import Mapping
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pandas as pd

from attention_audit.answer.estimates import Floats, average_trainings, mean, root
from attention_audit.names import ATTRIBUTIONS, Names
from attention_audit.tables.arrays import Cell, averaged, by_model, cell, cube, list_cells
from attention_audit.tables.performance import table_performance
from attention_audit.tables.tidy import as_table, beside_paper
from attention_audit.tables.wording import CLASSES, MOST_CLASSES, class_names

Flags = npt.NDArray[np.bool_]

PAPER = "JW2019"
STATISTICS = ("tau", "tau_sd", "significant", "top_k_overlap", "texts", "undefined")
LEVEL = 0.05


def jw_table1_performance(performance: pd.DataFrame, models: Names) -> pd.DataFrame:
    """How well the models predict the test split, one row for each model (table 1).

    `performance` holds rows of the audit performance, of any number of data sets; the columns are those of
    `TABLE`. The published values are from the authors' later run, which selects epochs on dev.
    """
    return table_performance(performance, models, list(models), "Table 1", PAPER)


def groups_of(predictions: Floats) -> dict[str, Flags]:
    """The groups of texts by predicted class: `overall`, and each class if they are few.

    predictions: NaN where there is none.
    """
    classes = int(np.nanmax(predictions)) + 1
    shown = range(classes if classes <= MOST_CLASSES else 0)
    return {"overall": np.isfinite(predictions)} | {f"class_{class_}": predictions == class_ for class_ in shown}


def described(tau: Floats, p: Floats, overlap: Floats) -> dict[str, Cell]:
    """STATISTICS but `texts`, of a group of texts: (S, N) each, NaN where there is no value.

    The standard deviation of tau over all texts is the root of a mean of squares, and has its interval.
    """
    known = np.isfinite(tau)
    values = averaged(tau, least=-1.0)
    squares = root(mean((tau - values["mean"]) ** 2))
    own = np.sqrt(average_trainings((tau - average_trainings(tau)[:, None]) ** 2))
    return {
        "tau": values,
        "tau_sd": cell(squares, own),
        "significant": averaged(np.where(known, (p <= LEVEL).astype(float), np.nan)),
        "top_k_overlap": averaged(overlap),
    }


def correlations(correlation: pd.DataFrame) -> pd.DataFrame:
    """STATISTICS by dataset, row (the model), pair and group of predicted classes; no row of a group without texts."""
    found = []
    for about, rows in by_model(correlation):
        of_pairs = [cube(rows, name, "pair") for name in ("prediction", "tau", "p", "top_k_overlap")]
        classes = groups_of(np.stack([*of_pairs[0].values()]))
        for place, (pair, predictions) in enumerate(of_pairs[0].items()):
            for group, members in classes.items():
                member, seeds = members[place], len(predictions)
                if not member.any():
                    continue
                tau, p, overlap = (np.where(member, values[pair], np.nan) for values in of_pairs[1:])
                counts = {"texts": member.sum(), "undefined": member.sum() - np.isfinite(tau).sum()}
                cells = described(tau, p, overlap) | {name: {"mean": count / seeds} for name, count in counts.items()}
                found += list_cells({**about, "pair": pair, "group": group, "seeds": seeds}, cells)
    return pd.DataFrame(found)


def jw_table2_correlation(correlation: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names) -> pd.DataFrame:
    """Kendall's tau of two attributions: its mean and sd over texts, and the share of texts where p is at most LEVEL.

    One row for each model, pair of attributions and group of texts: all texts, and each predicted class of which the
    paper has numbers. Texts where tau is not defined count only in `texts` and `undefined`. Intervals are those of
    the answer. `correlation` holds rows of the audit correlation, of any number of data sets, and `census` is by data
    set; the columns are those of `TABLE`. Table 2; the paper has the pairs of attention with gradient and
    with leave-one-out. `models` orders the rows.
    """
    models.refuse_unknown(correlation["model"].unique())
    ATTRIBUTIONS.refuse_unknown(name for pair in correlation["pair"].unique() for name in pair.split("~"))
    rows = correlations(correlation)
    rows["row"] += "/" + rows["pair"] + "/" + rows["group"]
    names = {
        (dataset, f"class_{class_}"): name
        for dataset, known in class_names(census).items()
        for class_, name in known.items()
    }
    rows["class_name"] = [names.get(key, "") for key in zip(rows["dataset"], rows["group"], strict=True)]
    groups = ["overall", *CLASSES]
    named = ATTRIBUTIONS.extend(name for pair in rows["pair"].unique() for name in pair.split("~"))
    pairs = map("~".join, combinations(named, 2))
    order = ["/".join(parts) for parts in product(models, pairs, groups)]
    rows = beside_paper(rows, "Table 2", PAPER)
    known = rows.groupby(["dataset", "row"])["published"].transform("count") > 0
    return as_table(rows[known | (rows["group"] == "overall")], order, STATISTICS)
