"""Figure 2 of Wiegreffe & Pinter 2019: one text under the attention of three models."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, groupby
from typing import NamedTuple
from unicodedata import bidirectional

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path

from attention_audit.answer.lines import write_share
from attention_audit.errors import AuditError
from attention_audit.names import Names, Style, display_name
from attention_audit.tables.summary import judge_ability
from attention_audit.tables.tidy import make_grid, select_run
from attention_audit.tables.wording import ClassNames, read_class_names, replace_controls

from . import fonts, style

POINTS_PER_INCH = 72
PAGE_MARGIN = 12.0  # points
LINE_WIDTH = style.PAGE_WIDTH * POINTS_PER_INCH - 2 * PAGE_MARGIN  # points of a line
BOX_PADDING, BOX_GAP = 1.3, 0.8  # points: between a word and the edge of its box, and between boxes
SPACE = 0.32  # width of a space, in type sizes
LINE_HEIGHT = 1.55  # height of a line, in type sizes
FROM_THE_RIGHT = "\u200f"  # before a word without letters: its brackets then open to the left
READING_DIRECTIONS = {"L": "L", "R": "R", "AL": "R"}
"""From where letters are read, by their class in the bidirectional algorithm."""
WEIGHT_KINDS = Names(
    {
        "base": Style("base model"),
        "consistent_adversary": Style("consistent adversary"),
        "instance_adversary": Style("per-instance adversary"),
    },
)
TYPE_SIZES = ((40, style.TITLE_SIZE), (120, style.TEXT_SIZE))  # up to so many words; longer texts are of SMALL_SIZE
MAX_HEIGHT_PIXELS = 2**16 - 1  # pixels
KEY_WEIGHTS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0)


class Word(NamedTuple):
    """A piece of text and how strongly it is shaded, 0 to 1; None for no box. first: whether its weight is the largest.

    way: from where it is read, L or R. left, width: of its box, in points.
    """

    text: str
    shade: float | None = None
    first: bool = False
    way: str = "L"
    left: float = 0.0
    width: float = 0.0


@cache
def measure(text: str, font: FontProperties) -> float:
    """Measure the width of a text with its padding, in points."""
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] + 2 * BOX_PADDING


def find_direction(text: str) -> str | None:
    """Tell how the first letter of a text is read, R or L; None where it has none."""
    return next(filter(None, map(READING_DIRECTIONS.get, map(bidirectional, text))), None)


def assign_directions(words: Sequence[Word], base: str) -> Iterator[Word]:
    """Say from where each word of a text is read, which itself is read from `base`.

    Words without letters, such as numbers, go with their neighbours where both are read alike, else with the text.
    """
    directions = pd.Series([find_direction(word.text) for word in words], dtype=object)
    before, after = directions.ffill().fillna(base), directions.bfill().fillna(base)
    ways = directions.fillna(before.where(before == after, base))
    for word, way, mute in zip(words, ways, directions.isna(), strict=True):
        yield word._replace(text=(FROM_THE_RIGHT if mute and way == "R" else "") + word.text, way=way)


def order_line(words: Iterable[Word], base: str) -> list[Word]:
    """Order the words of a line from left to right, as the bidirectional algorithm of Unicode does."""
    runs = [[*run][:: -1 if way == "R" else 1] for way, run in groupby(words, key=lambda word: word.way)]
    return [*chain.from_iterable(runs[:: -1 if base == "R" else 1])]


def split_word(word: Word, font: FontProperties) -> Iterator[Word]:
    """Break a word into pieces that each fit a line; nearly always there is one."""
    rest = word.text
    while rest:
        text = rest
        while len(text) > 1 and measure(text, font) > LINE_WIDTH:
            text = text[:-1]
        yield word._replace(text=text, width=measure(text, font))
        rest = rest.removeprefix(text)


def wrap(words: Iterable[Word], size: float, weight: str = "normal", gap: float = BOX_GAP) -> list[list[Word]]:
    """Lay words out in lines of the figure's width, `gap` points between their boxes; from the right where the text
    is read so.
    """
    font = FontProperties(size=size, weight=weight)
    words = [word._replace(text=replace_controls(word.text)) for word in words]
    # a text is read as its first letter is
    base = next(filter(None, (find_direction(word.text) for word in words)), "L")
    lines: list[list[Word]] = [[]]
    used = 0.0
    for word in assign_directions(words, base):
        for piece in split_word(word, font):
            if used + piece.width > LINE_WIDTH:
                lines.append([])
                used = 0.0
            lines[-1].append(piece)
            used += piece.width + gap
    for number, line in enumerate(lines):
        row = order_line(line, base)
        ends = [*accumulate((word.width + gap for word in row), initial=PAGE_MARGIN)]
        shift = PAGE_MARGIN + LINE_WIDTH + gap - ends[-1] if base == "R" else 0.0
        lines[number] = [word._replace(left=end + shift) for word, end in zip(row, ends, strict=False)]
    return lines


class Page:
    """A figure that grows with what is written on it, line below line."""

    def __init__(self) -> None:
        self.figure = Figure(figsize=(style.PAGE_WIDTH, 1))
        self.axes = self.figure.add_axes((0, 0, 1, 1), xlim=(0, style.PAGE_WIDTH * POINTS_PER_INCH))
        self.axes.set_axis_off()
        self.top = PAGE_MARGIN

    def write(self, words: Iterable[Word], size: float, weight: str = "normal", gap: float = BOX_GAP) -> None:
        """Write words in lines; all measures are in points."""
        for line in wrap(words, size, weight, gap):
            middle = self.top + LINE_HEIGHT * size / 2
            for word in line:
                if word.shade is not None:
                    high = (LINE_HEIGHT - 0.15) * size
                    box = self.axes.add_patch(Rectangle((word.left, middle - high / 2), word.width, high))
                    box.set(facecolor=style.MAP_SHADING(word.shade), edgecolor=style.BLACK, linewidth=0.8 * word.first)
                # on one baseline: centring each word would let it dance with its descenders
                self.axes.text(word.left + BOX_PADDING, middle + 0.3 * size, word.text, size=size, weight=weight)
            self.top += LINE_HEIGHT * size

    def write_prose(self, text: str, size: float = style.TEXT_SIZE, weight: str = "normal") -> None:
        """Write plain text."""
        self.write(map(Word, text.split()), size, weight, SPACE * size - 2 * BOX_PADDING)

    def finish(self) -> Figure:
        """Give the figure its height. Raises AuditError where no image can be that high."""
        height = self.top + PAGE_MARGIN
        if height / POINTS_PER_INCH * style.DPI > MAX_HEIGHT_PIXELS:
            raise AuditError(
                "config: attention_maps", "too many or too long texts for one image", "name fewer instances"
            )
        self.figure.set_figheight(height / POINTS_PER_INCH)
        self.axes.set_ylim(height, 0)
        return self.figure


def scale_shade(weight: float) -> float:
    """Shade an attention weight, from 0 to 1: by its square root, so that small weights can be seen."""
    return float(min(1.0, weight) ** 0.5)


def write_map(page: Page, weights: str, words: pd.DataFrame) -> None:
    """Write a heading, and the text shaded by its attention, on one scale for all maps; the largest weight has a
    frame.
    """
    row, largest = words.iloc[0], words["attention"].max()
    size = next((size for longest, size in TYPE_SIZES if len(words) <= longest), style.SMALL_SIZE)
    distance = "" if weights == "base" else f"JSD = {row['jsd']:.3f}, "
    page.write_prose(
        f"{WEIGHT_KINDS[weights].label}: p = {row['probability']:.3f}, {distance}largest weight {largest:.3f} "
        f"(all alike: {1 / len(words):.3f})",
        style.SMALL_SIZE,
    )
    pairs = zip(words["token"], words["attention"], strict=True)
    page.write((Word(token, scale_shade(weight), weight == largest) for token, weight in pairs), size)
    page.top += 6


def warn_unlearnt(predictions: pd.DataFrame | None, dataset: str) -> str:
    """Say that the base model, the first of `predictions`, has not learnt a data set; "" where it has, or where that
    is not known.
    """
    if predictions is None or (rows := predictions[predictions["dataset"] == dataset]).empty:
        return ""
    base = select_run(rows, rows["model"].iloc[0])
    labels = base.drop_duplicates("id")["label"].to_numpy(np.int64)
    if labels.min() < 0:
        return ""
    ability = judge_ability(labels, make_grid(base, "prediction").astype(np.int64), None)
    if ability["learnt"] == "yes":
        return ""
    accuracy, majority = (write_share(ability[name]) for name in ("accuracy", "majority_accuracy"))
    return (
        f"The base model is not clearly better than always the largest class: {accuracy} and {majority}. There is no "
        "decision that these maps could explain."
    )


def write_instance(page: Page, maps: pd.DataFrame, names: ClassNames, predictions: pd.DataFrame | None) -> None:
    """Write all maps of one text, under a heading that names it."""
    row = maps.iloc[0]
    names = {-1: "not known"} | {**names}
    gold, chosen = (names.get(int(row[column]), "another") for column in ("label", "base_prediction"))
    name = f"{display_name(row['dataset'])}, {row['id']}"
    page.write_prose(f"{name}. Label: {gold}; predicted: {chosen}, with probability p", style.SMALL_SIZE)
    page.top += 3
    if text := warn_unlearnt(predictions, row["dataset"]):
        page.write_prose(text, weight="bold")
        page.top += 3
    for weights in WEIGHT_KINDS.arrange(maps["weights"].unique()):
        write_map(page, weights, maps[maps["weights"] == weights].sort_values("position"))
    page.top += 10


def select_maps(attention_maps: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Select the maps of each base model and its per-instance adversary, and of all its other adversaries those of the
    one that `unique` of the summary is measured on; none of them where no adversary predicts alike.
    """
    adversaries = summary[["dataset", "unique_model", "unique_lambda", "unique_seed"]].drop_duplicates()
    names = dict(zip(adversaries, ("dataset", "model", "lambda", "seed"), strict=True))
    of_answer = (
        attention_maps.merge(adversaries.rename(columns=names), how="left", indicator="found")["found"] == "both"
    )
    return attention_maps[(attention_maps["weights"] != "consistent_adversary") | of_answer.to_numpy()]


def wp_fig2_attention_maps(
    attention_maps: pd.DataFrame,
    census: Mapping[str, pd.DataFrame],
    summary: pd.DataFrame,
    predictions: pd.DataFrame | None = None,
) -> Figure:
    """Draw texts as words, each shaded by its attention, under base model and adversaries; one scale for all maps.

    From columns.ATTENTION_MAPS rows of any number of data sets and instances, in their order. `census`: columns.CENSUS
    frames by data set. `summary`: a columns.SUMMARY frame, which names the adversary of the answer. `predictions`:
    columns.PREDICTIONS rows, where a base model that has not learnt its data set is to be called that. The figure grows
    with the text; nothing is cut. Raises AuditError where the texts are too many for one image.
    """
    names = read_class_names(census)
    written = [*attention_maps["token"].unique(), *(name for classes in names.values() for name in classes.values())]
    with style.use_house_style(written):
        key = [Word("attention weight:"), *(Word(f"{weight:g}", scale_shade(weight)) for weight in KEY_WEIGHTS)]
        page = Page()
        page.write([*key, Word("largest of a map", 0, True)], style.SMALL_SIZE, gap=3)
        page.top += 8
        for (dataset, _), instance in select_maps(attention_maps, summary).groupby(["dataset", "id"], sort=False):
            write_instance(page, instance, names[str(dataset)], predictions)
        if attention_maps.empty:
            page.write_prose("No instance was chosen.")
        page.write_prose(fonts.describe_boxes(written), style.SMALL_SIZE)
        return page.finish()
