"""docs/calibration.md and its figure, written of what the simulation found. Nothing on the page is written by hand."""

from io import BytesIO
from math import isnan
from pathlib import Path

import pandas as pd
from PIL import Image

from attention_audit.answer.sizes import TEXTS
from attention_audit.artefacts.files import whole
from attention_audit.errors import AuditError
from attention_audit.figures.style import house_style
from makers.calibration.figure import calibration
from makers.calibration.operating import COVERED, NEAREST, WRONG
from makers.calibration.pools import Sizes
from makers.calibration.populations import FAILING

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "calibration.md"
FIGURE = ROOT / "docs" / "images" / "calibration.png"
LARGEST = 150_000
"""Bytes of the figure at most."""
COLOURS = 64
"""Colours of the figure, which are few enough for a small file."""

OPENING = """# How far the words of the summary can be trusted

Written by `PYTHONPATH=docs python -m makers.calibration`, which simulates and takes some minutes (`--cores N`: so many
processes side by side); nothing on this page is written by hand.

The summary says yes where the whole 95 % interval of an effect lies above its margin, no where it lies below, and
undecided otherwise. So its words are as good as the intervals. Here they are tried on runs whose answer is known. For
each question there are several regimes of synthetic models, and in each the effect goes from weak to strong, past the
margin: {populations} populations in all. A population has {trainings} trainings ({pairs} where pairs are compared) on
{texts} texts; of `unique`, one training. Attention, contributions and biases are drawn, and the audits of this
package measure them, as they measure trained models; of `needed` the predictions are drawn, of `located` and `unique`
the falls of the probability and the distances of adversaries. A run draws some trainings and texts from a population,
and the questions of the summary (`answer/questions.py`) are asked of it; the value of the whole population is the
truth. There are {draws} runs for each population and size.

- **coverage**: the share of runs whose interval holds the truth, as the mean over the populations of a regime. Wanted:
  at least {covered}.
- **wrong yes**, **wrong no**: the share of runs whose whole interval lies above, or below, the truth: were the margin
  there, they would say a wrong word. It is the mean over the {nearest} populations of a regime that are nearest to the
  margin. .025 are meant; wanted: at most {wrong}. Further from the margin a wrong word is rarer.
- **yes from**, **no from**: how large, or how small, the effect must be so that four of five runs say the right word.
  A dash: in some regime no population is so strong, or so weak.

Of all regimes the worst counts, in every column. Where a number is not as wanted, the word is withheld: the summary
says undecided at this size. Between two sizes the smaller one counts. With fewer than {least} texts no word is said.
`transferable` is computed as `needed` is. `unique` is about one training and one adversary.
"""

LIMITS = """## Limits

Trainings are taken as draws from a population whose effects are roughly normal. No interval from three trainings sees
what happens in one training of twenty. The regime "{failing}" shows it for `signed`: most trainings have nearly
the same effect, a few are far from it, and the intervals hold the truth only as often as this. Nothing above counts it.

{table}
With one training, an interval holds the chance of the texts only, and the summary says so.
"""


def _table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _number(value: float) -> str:
    return "-" if isnan(value) else f"{value:.3f}"


def _operating(table: pd.DataFrame) -> str:
    headings = ["question", "margin", "trainings", "texts", "coverage", "wrong yes", "wrong no"]
    rows = [
        [
            row["question"],
            f"{row['margin']:g}",
            str(row["trainings"]),
            f"{row['texts']:,}",
            *(_number(row[name]) for name in ("coverage", "wrong_yes", "wrong_no", "yes_from", "no_from")),
            "said" if row["holds"] else "withheld",
        ]
        for row in table.to_dict("records")
    ]
    return _table([*headings, "yes from", "no from", "word"], rows)


def _failing(found: pd.DataFrame) -> str:
    rows = [
        [str(row["trainings"]), f"{row['texts']:,}", _number(row["truth"]), _number(row["coverage"])]
        for row in found[found["regime"] == FAILING].to_dict("records")
    ]
    return _table(["trainings", "texts", "truth", "coverage"], rows)


def page(table: pd.DataFrame, found: pd.DataFrame, sizes: Sizes) -> str:
    """The whole page, from what was found (`simulation.simulated`), and what `operating` makes of it."""
    populations = found[["question", "regime", "strength"]].drop_duplicates()
    opening = OPENING.format(
        populations=len(populations),
        trainings=sizes.pool_trainings,
        pairs=sizes.pool_pairs,
        texts=sizes.pool_texts,
        draws=f"{sizes.draws:,}",
        covered=f"{COVERED:g}".lstrip("0"),
        wrong=f"{WRONG:g}".lstrip("0"),
        least=TEXTS[0],
        nearest=NEAREST,
    )
    limits = LIMITS.format(failing=FAILING, table=_failing(found))
    picture = f"![Coverage and wrong words of each question at each size](images/{FIGURE.name})\n"
    return "\n".join([opening, picture, _operating(table), limits])


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
