"""The file of the audit `evidence`."""

from attention_audit.columns.kinds import REAL, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, LABEL, LAMBDA, MODEL, SEED

EVIDENCE = Artefact(
    "evidence",
    "audits/{dataset}/{suite}/evidence.parquet",
    meaning="Where the evidence is known: how much attention falls on it, test instance by test instance.",
    columns=(
        DATASET,
        MODEL,
        LAMBDA,
        SEED,
        ID,
        LABEL,
        Column("evidence_mass", REAL, unit="share", meaning="sum of the attention on the evidence positions"),
        Column(
            "uniform_mass", REAL, unit="share", meaning="the same under uniform attention: evidence tokens / tokens"
        ),
    ),
)
