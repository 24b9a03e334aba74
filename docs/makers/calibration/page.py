"""docs/calibration.md and its figure, written of what the simulation found. Nothing on the page is written by hand."""

from collections.abc import Mapping
from io import BytesIO
from math import isinf, isnan
from pathlib import Path
from typing import Any

import pandas as pd
from PIL import Image

from attention_audit.answer.sizes import TEXTS, UNSEEN, lacking, spare
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

Written by `make calibration`, which simulates and takes about four minutes on two cores; no number on this page is
written by hand.

**When to believe a word.** A yes or a no of several trainings is of one of two kinds, and the summary says which.

- *Of these trainings* ("true of these 5 trainings; another training may differ"): the mean of the trainings of this
  run, on further texts of the same kind, lies on this side of the margin, and none of these trainings lies on the other
  side. Of 20 such words at most one is wrong where the effect lies at the margin, and fewer further away.
- *Of the next training too* (said without these words): the interval of the effect lies so far beyond the margin that
  {unseen} further trainings might all have failed. Nine trainings say so of a clear effect, three of a very large one
  only: if a quarter of all trainings are of another kind, three trainings miss it in four runs of ten, and no interval
  can tell.

Where one training lies on the other side of the margin, the trainings lie apart. Then no word of these trainings is
said, and the values of all of them stand beside it. With one training, a word is of this training. If texts come in
groups that are nearly alike, such as questions about one story, name the group (`group`), since each group counts as
one text; without it these intervals are too narrow, and more texts make it worse.

## How it is found

The summary says yes where a whole 95 % interval lies above the margin of a question, no where it lies below, and
undecided otherwise. So its words are as good as the intervals. Here they are tried on runs whose answer is known. For
each question there are several regimes of synthetic models, and in each the effect goes from weak to strong, past the
margin: {populations} populations in all. A population is infinite: a run draws its trainings and its texts, both with
replacement, from {trainings} trainings ({pairs} where pairs are compared) on {texts} texts; of `unique`, one training.
Attention, contributions and biases are drawn, and the audits of this package measure them, as they measure trained
models; of `needed` the predictions are drawn, of `located` and `unique` the falls of the probability and the distances
of adversaries. The questions of the summary (`answer/questions.py`) are asked of each run; the value of the whole
population is the truth, and that of the trainings drawn, on all texts, is the truth of these. There are {draws} runs
for each population and size. Of all populations the worst counts, in every column and table.

- **coverage**: the share of runs whose interval, over trainings and texts, holds the truth. Wanted: {covered}.
- **wrong**: the share of runs whose word would be wrong, were the margin at the truth: the larger share of yes and of
  no, of the worst of the {nearest} populations of a regime that are nearest to the margin. Wanted: at most {wrong}, and
  what is more is **bold**. Further from the margin a wrong word is rarer.
- **yes from**, **no from**: how large, or how small, the effect must be so that four of five runs say the right word.
  A dash: in some regime no population is so strong, or so weak.

With {draws} runs, chance moves a coverage of .95 by .02 to either side, and a wrong word of .025 by .013; the worst of
many populations lies at the bad end of that. *withheld*: no word is said at this size.

## Where trainings differ smoothly

Trainings that are normal around their mean, and texts that come one by one. Between two sizes the smaller one counts.
With fewer than {least} texts no word is said. `transferable` is computed as `needed` is. `unique` is about one training
and one adversary. The word of `stable` is of these trainings alone, at every size.
"""

REGIMES = """## Where trainings lie apart, or texts are alike

Each cell has the coverage, then the share of wrong words of the next training, and of these trainings. The regimes:

- **skew**: deviations of trainings are exponential: most lie a little below the mean, a few far above it.
- **two**: a fifth of the trainings lies 2.5 standard deviations below all others, which are alike; of `stable`, a
  quarter of the trainings shares a map of its own.
- **rare**: one training of twenty fails; the others are normal.
- **dup**: texts come in groups of four that are nearly alike, and the run is told which; columns count the groups.

In the first three, effects of trainings lie further apart than above, as they do where this matters. There the
interval often misses the truth, and so its words are said of these trainings.
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
    headings = ["question", "margin", "trainings", "texts", "coverage", "next: wrong", "yes from", "no from"]
    rows = []
    for row in table.to_dict("records"):
        few = lacking(row["question"], row["trainings"], row["texts"])
        never = row["trainings"] == 1 or isinf(spare(row["question"], row["margin"], row["trainings"]))
        following = ["-"] * 3 if few or never else _words(row, "")
        own = ["withheld", "-", "-"] if few else _words(row, "own_")
        about = [row["question"], f"{row['margin']:g}", str(row["trainings"]), f"{row['texts']:,}"]
        rows.append([*about, _number(row["coverage"]), *following, *own])
    return _table([*headings, "these: wrong", "yes from", "no from"], rows)


def _words(row: Mapping[Any, Any], kind: str) -> list[str]:
    """How often a word of one kind is wrong, and from where on it is said."""
    wrong = row[f"{kind}wrong"]
    return [_share(wrong, _number(wrong)), *(_number(row[f"{kind}{name}"]) for name in ("yes_from", "no_from"))]


def _hard(table: pd.DataFrame) -> str:
    """A table for each set of sizes: a row for each question and regime, a column for each size."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for row in table.to_dict("records"):
        words = [row["own_wrong"]] if row["trainings"] == 1 else [row["wrong"], row["own_wrong"]]
        text = " / ".join(f"{value:.2f}" for value in (row["coverage"], *words))
        if lacking(row["question"], row["trainings"], row["texts"]):
            text = "withheld"
        size = f"{row['trainings']} x {row['texts']:,}"
        cells.setdefault((row["question"], row["regime"]), {})[size] = _share(max(words), text)
    tables = []
    for sizes in dict.fromkeys(tuple(own) for own in cells.values()):
        rows = [[*key, *own.values()] for key, own in cells.items() if tuple(own) == sizes]
        tables.append(_table(["question", "regime", *sizes], rows))
    return "\n".join(["Columns: trainings x texts.\n", *tables])


def page(table: pd.DataFrame, found: pd.DataFrame, sizes: Sizes) -> str:
    """The whole page, from what was found (`simulation.simulated`) and what `operating` makes of it."""
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
        unseen=UNSEEN,
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
