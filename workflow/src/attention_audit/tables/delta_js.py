"""Where the top item matters less than another: figures 4 and 8 of Serrano & Smith 2019 as a table."""

import pandas as pd

from attention_audit.names import RANKINGS, Names
from attention_audit.tables.means import by_model, means
from attention_audit.tables.tidy import as_table

QUARTILES = {"delta_lower": 0.25, "delta_median": 0.5, "delta_upper": 0.75, "delta_largest": 1.0}
METRICS = ("negative_share", *QUARTILES, "texts")


def compared(single_weight: pd.DataFrame) -> pd.DataFrame:
    """The rows in which the top item is attention's, and the other item is drawn uniformly."""
    RANKINGS.refuse_unknown(single_weight["ranking"].unique())
    return single_weight[(single_weight["ranking"] == "attention") & (single_weight["draw"] == "corrected")]


def ss_table_negative_delta_js(single_weight: pd.DataFrame, models: Names) -> pd.DataFrame:
    """The share of texts with a negative delta JS, and how much attention the top item has beyond the other in these.

    One row for each model. The share has the interval of the answer; quartiles and the largest delta attention are over
    the texts with a negative delta JS, seeds together, and are left out where there is none. `single_weight` holds rows
    of the audit single_weight, of any number of data sets; the columns are those of columns.table.
    """
    models.refuse_unknown(single_weight["model"].unique())
    rows = compared(single_weight)
    negative = rows["delta_js"] < 0
    shares = means(rows.assign(negative_share=negative.astype(float)), ["model"], METRICS[:1])
    found = [shares]
    for about, own in by_model(rows[negative]):
        deltas = own["delta_attention"].quantile([*QUARTILES.values()]).to_numpy()
        [seeds] = shares.loc[
            (shares["dataset"] == about["dataset"]) & (shares["row"] == about["row"]), "seeds"
        ].unique()
        found.append(pd.DataFrame({"metric": [*QUARTILES], "mean": deltas}).assign(**about, seeds=seeds))
    table = pd.concat(found, ignore_index=True)
    return as_table(table, list(models), [name for name in METRICS if name in set(table["metric"])])
