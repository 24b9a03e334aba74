"""docs/calibration.md and its figure, written of what the simulation found. Nothing on the page is written by hand."""

from io import BytesIO
from math import isnan
from pathlib import Path

import pandas as pd
from PIL import Image

from attention_audit.answer.sizes import TEXTS, lacking
from attention_audit.artefacts.files import whole
from attention_audit.errors import AuditError
from attention_audit.figures.style import house_style
from makers.calibration.figure import calibration
from makers.calibration.operating import COVERED, NEAREST, WRONG, hard
from makers.calibration.pools import Sizes

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "calibration.md"
FIGURE = ROOT / "docs" / "images" / "calibration.png"
LARGEST = 150_000
"""Bytes of the figure at most."""
COLOURS = 64
"""Colours of the figure, which are few enough for a small file."""

OPENING = """# How far the words of the summary can be trusted

Written by `make calibration`, which simulates and takes about three minutes on two cores; no number on this page is
written by hand.

**When to believe a word.** Where trainings spread evenly around their middle, a word holds for the next training too:
at the margin itself about one word of twenty is wrong, and further away fewer are. So look at the values of your
trainings, one by one. If one of them lies apart from the others, or they form two groups, the word is about these
trainings, and not about the next one. That they lie close together shows less: three trainings are often all of the
larger of two groups, and nine rarely show what happens to one training of twenty. Then more texts do not help, they
make it worse: the interval becomes narrow around trainings that are not all there are. If your texts come in groups
that are nearly alike, such as questions about one story, the intervals are too narrow as long as each text counts as
one. With one training, an interval holds the chance of the texts only, and the summary says so.

## How it is found

The summary says yes where the whole 95 % interval of an effect lies above its margin, no where it lies below, and
undecided otherwise. So its words are as good as the intervals. Here they are tried on runs whose answer is known. For
each question there are several regimes of synthetic models, and in each the effect goes from weak to strong, past the
margin: {populations} populations in all. A population is infinite: a run draws its trainings and its texts, both with
replacement, from {trainings} trainings ({pairs} where pairs are compared) on {texts} texts; of `unique`, one training.
Attention, contributions and biases are drawn, and the audits of this package measure them, as they measure trained
models; of `needed` the predictions are drawn, of `located` and `unique` the falls of the probability and the distances
of adversaries. The questions of the summary (`answer/questions.py`) are asked of each run; the value of the whole
population is the truth. There are {draws} runs for each population and size. Of all populations the worst counts, in
every column and table.

- **coverage**: the share of runs whose interval holds the truth. Wanted: {covered}.
- **wrong yes**, **wrong no**: the share of runs whose whole interval lies above, or below, the truth: were the margin
  there, they would say a wrong word. It is that of the worst of the {nearest} populations of a regime that are nearest
  to the margin. .025 are meant; wanted: at most {wrong}, and what is more is **bold**. Further from the margin a wrong
  word is rarer.
- **yes from**, **no from**: how large, or how small, the effect must be so that four of five runs say the right word.
  A dash: in some regime no population is so strong, or so weak.

With {draws} runs, chance moves a coverage of .95 by .02 to either side, and a wrong word of .025 by .013; the worst of
many populations lies at the bad end of that.

## Where trainings differ smoothly

Trainings that are normal around their mean, and texts that come one by one. Between two sizes the smaller one counts.
With fewer than {least} texts no word is said. `transferable` is computed as `needed` is. `unique` is about one training
and one adversary. *word*: whether the summary says one at this size.
"""

REGIMES = """## Where trainings lie apart, or texts are alike

Each cell has the coverage, and the larger share of wrong words. The regimes:

- **skew**: deviations of trainings are exponential: most lie a little below the mean, a few far above it.
- **two**: a fifth of the trainings lies 2.5 standard deviations below all others, which are alike; of `stable`, a
  quarter of the trainings shares a map of its own.
- **rare**: one training of twenty fails; the others are normal.
- **dup**: texts come in fours that are nearly alike, and each counts as one.

In the first three, effects of trainings lie further apart than above, as they do where this matters.
"""


def _table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _number(value: float) -> str:
    return "-" if isnan(value) else f"{value:.3f}"


def _share(value: float, text: str) -> str:
    """A share of wrong words, or what it belongs to, bold where there are too many."""
    return f"**{text}**" if value > WRONG else text


def _operating(table: pd.DataFrame) -> str:
    headings = ["question", "margin", "trainings", "texts", "coverage", "wrong yes", "wrong no"]
    rows = [
        [
            row["question"],
            f"{row['margin']:g}",
            str(row["trainings"]),
            f"{row['texts']:,}",
            _number(row["coverage"]),
            *(_share(row[name], _number(row[name])) for name in ("wrong_yes", "wrong_no")),
            *(_number(row[name]) for name in ("yes_from", "no_from")),
            "withheld" if lacking(row["question"], row["trainings"], row["texts"]) else "said",
        ]
        for row in table.to_dict("records")
    ]
    return _table([*headings, "yes from", "no from", "word"], rows)


def _hard(table: pd.DataFrame) -> str:
    """A table for each set of sizes: a row for each question and regime, a column for each size."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in table.to_dict("records"):
        text = f"{row['coverage']:.2f} / {row['wrong']:.2f}"
        size = f"{row['trainings']} x {row['texts']:,}"
        cells.setdefault((row["question"], row["regime"]), {})[size] = _share(row["wrong"], text)
    tables = []
    for sizes in dict.fromkeys(tuple(own) for own in cells.values()):
        rows = [[*key, *own.values()] for key, own in cells.items() if tuple(own) == sizes]
        tables.append(_table(["question", "regime", *sizes], rows))
    return "\n".join(["Columns: trainings x texts.\n", *tables])


def page(table: pd.DataFrame, found: pd.DataFrame, sizes: Sizes) -> str:
    """The whole page, from what was found (`simulation.simulated`), and what `operating` makes of it."""
    populations = found[["question", "regime", "strength"]].drop_duplicates()
    opening = OPENING.format(
        populations=len(populations),
        trainings=sizes.pool_trainings,
        pairs=sizes.pool_pairs,
        texts=sizes.pool_texts,
        draws=f"{sizes.draws:,}",
        covered=f"at least {COVERED:g}".replace("0.", "."),
        wrong=f"{WRONG:g}".lstrip("0"),
        least=TEXTS[0],
        nearest=NEAREST,
    )
    picture = f"![Coverage and wrong words of each question at each size](images/{FIGURE.name})\n"
    return "\n".join([opening, picture, _operating(table), REGIMES, _hard(hard(found))])


def drawn(table: pd.DataFrame) -> bytes:
    """The figure of the page, as PNG of few colours. Raises AuditError where it is too large for the repository."""
    full, small = BytesIO(), BytesIO()
    with house_style():
        calibration(table).savefig(full, format="png")
    with Image.open(full) as picture:
        picture.convert("RGB").quantize(COLOURS).save(small, format="png", optimize=True)
    if small.tell() > LARGEST:
        raise AuditError(f"{FIGURE}: {small.tell():,} bytes, at most {LARGEST:,}; draw less in it")
    return small.getvalue()


def write(table: pd.DataFrame, found: pd.DataFrame, sizes: Sizes) -> list[Path]:
    """Write the page and its figure, each as a whole or not at all: the two paths.

    Raises AuditError where the figure is too large for the repository, or a file cannot be written.
    """
    figure, text = drawn(table), page(table, found, sizes)
    with whole(FIGURE) as path:
        path.write_bytes(figure)
    with whole(PAGE) as path:
        path.write_text(text, encoding="utf-8")
    return [PAGE, FIGURE]
