"""Where the top item matters less than another: figures 4 and 8 of Serrano & Smith 2019 as a table."""

import numpy as np
import pandas as pd

from attention_audit.names import RANKINGS, Names
from attention_audit.tables.resampling import by_model, cube, estimate, long
from attention_audit.tables.tidy import as_table

QUARTILES = {"delta_lower": 0.25, "delta_median": 0.5, "delta_upper": 0.75, "delta_largest": 1.0}
METRICS = ("negative_share", *QUARTILES, "texts")


def compared(single_weight: pd.DataFrame) -> pd.DataFrame:
    """The rows in which the top item is attention's, and the other item is drawn uniformly."""
    RANKINGS.refuse_unknown(single_weight["ranking"].unique())
    return single_weight[(single_weight["ranking"] == "attention") & (single_weight["draw"] == "corrected")]


def ss_table_negative_delta_js(single_weight: pd.DataFrame, resamples: int, models: Names) -> pd.DataFrame:
    """The share of texts with a negative delta JS, and how much attention the top item has beyond the other in these.

    One row for each model. The share has an interval over instances and seeds; quartiles and the largest delta
    attention are over the texts with a negative delta JS, seeds together, and are left out where there is none.
    `single_weight` holds rows of the audit single_weight, of any number of data sets; the columns are those of
    columns.table.
    """
    models.refuse_unknown(single_weight["model"].unique())
    frames = []
    for identity, rows in by_model(compared(single_weight)):
        negative = rows["delta_js"] < 0
        _, values = cube(rows.assign(negative=negative.astype(float), metric=METRICS[0]), "negative", ["metric"])
        seeds, texts, _ = values.shape
        share = long(pd.DataFrame(index=[0]), METRICS[:1], estimate(values, resamples))
        facts = {"texts": float(texts)}
        if negative.any():
            deltas = rows.loc[negative, "delta_attention"].to_numpy(np.float64)
            facts |= {name: float(np.quantile(deltas, place)) for name, place in QUARTILES.items()}
        counts = pd.DataFrame({"metric": list(facts), "mean": list(facts.values())})
        frames.append(
            pd.concat([share, counts]).assign(dataset=identity["dataset"], row=identity["model"], seeds=seeds)
        )
    rows = pd.concat(frames, ignore_index=True)
    return as_table(rows, list(models), [name for name in METRICS if name in set(rows["metric"])])
