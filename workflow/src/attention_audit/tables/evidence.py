"""How much of the attention of Jain & Wallace's models lies on the words known to decide the label."""

import pandas as pd

from attention_audit.names import Names
from attention_audit.tables.means import means
from attention_audit.tables.tidy import as_table

METRICS = ("evidence_mass", "uniform_mass", "texts")


def jw_table_evidence(evidence: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Attention on the evidence, and what uniform attention would have there: means over texts, by model.

    Intervals are those of the answer. `evidence` holds rows of the audit evidence, of any number of data sets; it is
    empty where no evidence is known. The columns are those of columns.table. The papers have no such table.
    """
    models.refuse_unknown(evidence["model"].unique())
    return as_table(means(evidence, ["model"], METRICS[:-1]), list(models), METRICS)
