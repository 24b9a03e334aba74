"""The coloured text of README.md: a review of the default run under the maps of its first three trainings.

    PYTHONPATH=docs python -m makers.trainings [RESULTS]

It takes the text with which the report opens there. RESULTS: the folder of the run, results/ where it is not named.
"""

import sys
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from attention_audit.artefacts.parquet import read_frame, read_table
from attention_audit.columns.files import CENSUS, CORPUS
from attention_audit.columns.tables import TEXTS
from attention_audit.figures import style
from attention_audit.figures.attention_maps import Page, Word
from attention_audit.report.first_text import find_first_text
from attention_audit.stages.report_html import read_maps
from attention_audit.tables.wording import ClassNames, read_class_names

ROOT = Path(__file__).parents[2]
SEEDS = (10, 50, 257)
"""The first three of config.yaml."""
MAP_GAP = 6.0  # points


def draw_maps(maps: list[pd.Series], tokens: list[str], names: ClassNames) -> Figure:
    """Draw a text once for each training, shaded by its weights; the largest weight has a frame.

    maps: attention and probabilities of the text, by training. Shades are shares of the greatest weight of all.
    """
    highest = max(max(row["attention"]) for row in maps)
    with style.use_house_style(tokens):
        page = Page()
        for number, row in enumerate(maps, start=1):
            probability, weights = max(row["probabilities"]), [*row["attention"]]
            said = names[[*row["probabilities"]].index(probability)]
            page.write_prose(f"Training {number} says {said}, with probability {probability:.2f}", style.SMALL_SIZE)
            pairs = zip(tokens, weights, strict=True)
            page.write(
                (Word(token, weight / highest, weight == max(weights)) for token, weight in pairs),
                style.TITLE_SIZE,
            )
            page.top += MAP_GAP
        return page.finish()


def main(results: Path) -> None:
    """Draw the text of a finished run."""
    readouts = [read_maps(results / "readouts/movies/base" / f"seed{seed}" / "test.parquet") for seed in SEEDS]
    rows = read_table(results / "corpora/movies/corpus.parquet", CORPUS, ["id", "tokens", "sentences"])
    texts = {row["id"]: row for row in rows.to_pylist()}
    first = find_first_text(read_frame(results / "tables/texts.parquet", TEXTS), readouts, texts, "words")
    if first is None:
        raise SystemExit(f"{results}: no texts of a finished run; run `snakemake --cores 2 all` before")
    names = read_class_names({"movies": read_frame(results / "corpora/movies/census.parquet", CENSUS)})["movies"]
    maps = [readout[readout["id"] == first.id].iloc[0] for readout in readouts]
    figure = draw_maps(maps, texts[first.id]["tokens"], names)
    figure.savefig(ROOT / "docs/images/trainings.png", dpi=style.DPI, metadata={"Software": None})
    print(first.why)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "results")
