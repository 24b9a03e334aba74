"""How much of the attention of Jain & Wallace's models lies on the words known to decide the label."""

import pandas as pd

from attention_audit.names import Names
from attention_audit.tables.resampling import by_model, cube, estimate, long
from attention_audit.tables.tidy import as_table

MASSES = ["evidence_mass", "uniform_mass"]
METRICS = (*MASSES, "texts")


def jw_table_evidence(evidence: pd.DataFrame, resamples: int, models: Names) -> pd.DataFrame:
    """Attention on the evidence, and what uniform attention would have there: means over texts, by model.

    Intervals are over instances and seeds. `evidence` holds rows of the audit evidence, of any number of data sets; it
    is empty where no evidence is known. The columns are those of columns.table. The papers have no such table.
    """
    models.refuse_unknown(evidence["model"].unique())
    frames = [pd.DataFrame(columns=["dataset", "row", "metric", "mean"])]
    for identity, rows in by_model(evidence):
        _, values = cube(rows.melt(["seed", "id"], MASSES, "metric"), "value", ["metric"])
        seeds, texts, _ = values.shape
        count = pd.DataFrame({"metric": ["texts"], "mean": [float(texts)]})
        frame = pd.concat([long(pd.DataFrame(index=[0]), MASSES, estimate(values, resamples)), count])
        frames.append(frame.assign(dataset=identity["dataset"], row=identity["model"], seeds=seeds))
    return as_table(pd.concat(frames[1:] or frames, ignore_index=True), list(models), METRICS)
