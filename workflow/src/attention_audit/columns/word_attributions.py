"""The file of the audit `word_attributions`."""

from attention_audit.columns.kinds import STRING, WEIGHTS, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, MODEL, SEED

WORD_ATTRIBUTIONS = Artefact(
    "word_attributions",
    "audits/{dataset}/{suite}/word_attributions.parquet",
    meaning="What attributions say of each word, test instance by test instance, of the first training of each model; "
    "`results/explorer.html` shows them.",
    columns=(
        DATASET,
        MODEL,
        SEED,
        ID,
        Column(
            "attribution",
            STRING,
            meaning="gradient (attention held fixed; shares of the magnitudes), loo (leave-one-out: the probability "
            "that the predicted class loses without the word) or integrated_gradients (with their signs, of a sample "
            "of the texts)",
        ),
        Column("scores", WEIGHTS, meaning="a value for each word that the model reads"),
    ),
)
