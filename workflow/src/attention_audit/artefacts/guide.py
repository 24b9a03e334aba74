"""results/README.md: every file and every column, printed from the declared schema."""

from __future__ import annotations

import pyarrow as pa

from attention_audit.columns.every import ARTEFACTS
from attention_audit.columns.kinds import Artefact, Column

OPENING = """# Results

Made by `snakemake`. Everything here can be deleted and is made again by the same command. One run lies here at a time:
`config.yaml` is its full configuration. What the tests mean is in `docs/method.md`.

| file | what it shows |
|---|---|
| `report.html` | all of the below on one page, and what the run was made of; opens without a network |
| `figures/wp_fig2_attention_maps` | single test texts, their words shaded by attention |
| `figures/wp_fig3_seed_variance` | how far attention moves from seed to seed, and by the per-instance adversary |
| `figures/wp_fig5_tvd_jsd` | what changed attention costs in changed predictions |
| `tables/wp_table1_datasets` | sizes, classes, lengths, vocabulary |
| `tables/ss_table1_datasets` | words and sentences of a text, in Serrano & Smith's layout |
| `tables/wp_table2_uniform` | test 1: base model against uniform weights |
| `tables/wp_table3_guides` | test 3: a simple model guided by attention from elsewhere |
| `tables/wp_table5_adversary` | test 4: the consistent adversary, lambda by lambda |
| `figures/ss_fig3_delta_js` | erasing the top item against erasing another: change of the prediction over attention |
| `figures/ss_fig4_negative_delta_js` | at which difference in attention the top item matters less than another |
| `figures/ss_fig5_fraction_removed` | how many items each ranking erases until the decision flips |
| `figures/ss_fig11_mass_removed` | the same in attention erased |
| `figures/ss_fig_aopc` | comprehensiveness and sufficiency of each ranking |
| `tables/ss_table2_flips` | decisions that flip without the top item, and without another |
| `tables/ss_table3_accuracy` | accuracy of HANs and FLANs |
| `tables/ss_table_pairwise` | which of two rankings flips the decision first |
| `tables/ss_table_claims` | Serrano & Smith's findings, and whether they come back |
| `figures/jw_fig_correlation` | does attention rank the tokens as gradients and leave-one-out do |
| `figures/jw_fig_permutation` | what shuffling the attention weights does to the prediction |
| `figures/jw_fig_adversary` | how far attention can go while the prediction stays |
| `figures/jw_fig_agreement` | which attributions rank the tokens alike, two by two |
| `tables/jw_table1_performance` | how well each encoder and attention predicts |
| `tables/jw_table2_correlation` | rank correlation of attention, gradients and leave-one-out |
| `tables/jw_table_conicity` | how alike hidden states are, beside what permuting attention changes |
| `tables/jw_table_evidence` | how much attention is on the words that are known to decide the label |
| `tables/summary` | may this attention be read as an explanation: five questions, their noise floors, the verdict |
| `tables/replication` | every published number beside ours, and whether seeds explain the difference |
| `tables/controls` | what had to be found on the generated corpora, and whether it was |

Figures are .pdf and .png. Tables are .parquet (tidy), .csv (the same, every digit; the first line is a comment), .md
and .tex (wide, rounded, the paper's value beside ours).

| folder | what it holds |
|---|---|
| `audits/{dataset}/` | what the tests measured |
| `readouts/{dataset}/{model}/seed{seed}/` | all that the tests know of a trained model, one file a split |
| `models/{dataset}/{model}/` | weights of the selected epoch (.safetensors) and training history, one pair a seed |
| `corpora/{dataset}/` | texts as words, the fate of each raw text, vocabulary and vectors |
| `raw/{folder}/`, `raw/vectors/` | archives and word vectors as fetched; `records/`: origin, size, sha256 |
| `logs/{stage}/`, `logs/{table or figure}.log` | what each job printed; last, as JSON, its files, machine and time |
| `logs/slurm/` | on a cluster: what Slurm said of a job that failed |

Wiegreffe & Pinter's models: `base` (BiLSTM, additive attention), `uniform` (the same, attention fixed to 1/length),
`adversary_lambda{lambda}` (model-consistent adversary), `guide_{weights}` (token-wise MLP; its weights are uniform, its
own, or imposed from base model or adversary). Serrano & Smith's: `han_{encoder}` (attention over the words of each
sentence, then over sentences), `flan_{encoder}` (attention over all words); the encoder is `rnn` (BiGRU), `conv` (two
convolutions) or `none`. Jain & Wallace's: `<encoder>_<attention>`; the encoder is `lstm` (BiLSTM), `cnn` (four
convolutions) or `average` (each word by itself), the attention `tanh` (additive) or `dot` (scaled dot product). `.lock`
keeps two runs from writing here at once.

Every file but those in `raw/` and `logs/`, `config.yaml` and `report.html` records the stage that made it, its settings
and their sha256, the sha256 of the code it ran, its seed, and the versions of Python and the libraries: Parquet,
weights and PNG in their metadata, PDF under Keywords, text files in a comment. From Python, in the workflow's
environment:

    from attention_audit.artefacts.parquet import read_provenance
    read_provenance("results/tables/wp_table2_uniform.parquet")

The Parquet files, column by column:
"""


def _type(column: Column) -> str:
    listed = pa.types.is_list(column.type)
    name = f"list of {column.type.value_type}" if listed else str(column.type)
    return f"{name}, nullable" if column.nullable else name


def _meaning(column: Column) -> str:
    # else Markdown takes <pad> for a tag and hides it
    return column.meaning.replace("<", r"\<")


def _section(artefact: Artefact) -> str:
    rows = "\n".join(
        f"| `{column.name}` | {_type(column)} | {column.unit} | {_meaning(column)} |" for column in artefact.columns
    )
    return (
        f"## `{artefact.path}`\n\n{artefact.meaning}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n{rows}\n"
    )


def guide() -> str:
    """The whole page."""
    return "\n".join([OPENING, *map(_section, ARTEFACTS)])
