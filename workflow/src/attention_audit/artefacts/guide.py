"""results/README.md: every file and every column, printed from the declared schema."""

from __future__ import annotations

from attention_audit.artefacts.schema import ARTEFACTS, Artefact, Column

OPENING = """# Results

Made by `snakemake`; everything here can be deleted and is made again. `config.yaml` is the full configuration of the
run. Every Parquet file, weights file, figure and rendered table records the stage that made it, its settings and their
sha256, the sha256 of the code it ran, the seed, and the versions of the libraries. From Python:

    from attention_audit.artefacts.parquet import read_provenance
    read_provenance("results/tables/wp_table2_uniform.parquet")

| folder | what it holds |
|---|---|
| `figures/` | the figures, as .pdf and .png |
| `tables/` | the tables: .parquet (tidy) and the same as .csv (first line: a comment), .md and .tex |
| `audits/<data set>/` | what the tests measured, instance by instance |
| `readouts/<data set>/<model>/seed<seed>/` | all that the tests know of a trained model, one file a split |
| `models/<data set>/<model>/` | weights (.safetensors, selected epoch) and training history, one pair a seed |
| `corpora/<data set>/` | tokenised texts and vocabulary |
| `raw/` | the archives and word vectors as fetched |
| `logs/<stage>/` | what each job printed |

Models: `base` (BiLSTM, additive attention), `uniform` (attention fixed to 1/length), `adversary_lambda<lambda>`
(model-consistent adversary), `guide_<weights>` (token-wise MLP with imposed weights).
"""


def _type(column: Column) -> str:
    return f"{column.type}, nullable" if column.nullable else str(column.type)


def _section(artefact: Artefact) -> str:
    rows = "\n".join(
        f"| `{column.name}` | {_type(column)} | {column.unit} | {column.meaning} |" for column in artefact.columns
    )
    return (
        f"## `{artefact.path}`\n\n{artefact.meaning}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n{rows}\n"
    )


def guide() -> str:
    """The whole page."""
    return "\n".join([OPENING, *map(_section, ARTEFACTS)])
