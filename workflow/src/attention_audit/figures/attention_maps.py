"""Figure 2 of Wiegreffe & Pinter 2019: one text under the attention of three models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import pandas as pd
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path

from attention_audit.answer.sentence import quality
from attention_audit.answer.words import NO
from attention_audit.errors import AuditError
from attention_audit.figures import style
from attention_audit.names import Look, Names, display_name
from attention_audit.tables.asked import able

POINTS = 72  # an inch
MARGIN = 12.0  # points
PADDING, GAP = 1.3, 0.8  # points: between a word and the edge of its box, and between boxes
SPACE = 0.32  # width of a space, in type sizes
LEADING = 1.55  # height of a line, in type sizes
MISSING = "\u25a1"  # stands for characters that the font lacks
WEIGHTS = Names(
    "kind of weights",
    "WEIGHTS of attention_audit/figures/attention_maps.py",
    {
        "base": Look("base model"),
        "consistent_adversary": Look("consistent adversary"),
        "instance_adversary": Look("per-instance adversary"),
    },
)
BASE = "base"
"""The base model, by its name in audits."""
USELESS = "There is no decision that these maps could explain."
SIZES = ((40, style.TITLE), (120, style.TEXT))  # up to so many words; longer texts are SMALL
HIGHEST = 2**16 - 1  # pixels
KEY = (0.0, 0.25, 0.5, 0.75, 1.0)


class Word(NamedTuple):
    """A piece of text and how strongly it is shaded, 0 to 1; None for no box."""

    text: str
    shade: float | None = None


class Line(NamedTuple):
    """Words side by side: type size and left edges in points, and the empty space below the line."""

    words: tuple[Word, ...]
    lefts: tuple[float, ...]
    size: float
    weight: str = "normal"
    below: float = 0.0

    @property
    def height(self) -> float:
        """Points from this line's top to the next line's."""
        return LEADING * self.size + self.below


def printable(text: str) -> str:
    """`text` with a box for each character that the font lacks."""
    font = font_manager.get_font(font_manager.findfont(style.FONT))
    return "".join(c if font.get_char_index(ord(c)) else MISSING for c in text)


@cache
def extent(text: str, size: float, weight: str = "normal") -> float:
    """Width of a text with its padding, in points."""
    properties = font_manager.FontProperties(family=style.FONT, size=size, weight=weight)
    return text_to_path.get_text_width_height_descent(text, properties, ismath=False)[0] + 2 * PADDING


def broken(word: Word, size: float, weight: str, room: float) -> Iterator[Word]:
    """A word in pieces that each fit `room`; nearly always the word itself."""
    rest = word.text
    while rest:
        length = len(rest)
        while length > 1 and extent(rest[:length], size, weight) > room:
            length -= 1
        yield Word(rest[:length], word.shade)
        rest = rest[length:]


def wrapped(words: Iterable[Word], size: float, weight: str = "normal", gap: float = GAP) -> list[Line]:
    """`words` laid out in lines of the figure's width, `gap` points between their boxes."""
    right = style.WIDTH * POINTS - MARGIN
    lines: list[tuple[list[Word], list[float]]] = [([], [])]
    left = MARGIN
    pieces = (p for w in words for p in broken(Word(printable(w.text), w.shade), size, weight, right - MARGIN))
    for piece in pieces:
        width = extent(piece.text, size, weight)
        if left + width > right:
            lines.append(([], []))
            left = MARGIN
        lines[-1][0].append(piece)
        lines[-1][1].append(left)
        left += width + gap
    return [Line(tuple(texts), tuple(lefts), size, weight) for texts, lefts in lines]


def spaced(lines: Sequence[Line], below: float) -> list[Line]:
    """`lines` with more space below the last."""
    return [*lines[:-1], lines[-1]._replace(below=below)]


def prose(text: str, size: float = style.TEXT, weight: str = "normal") -> list[Line]:
    """Plain text, wrapped."""
    return wrapped(map(Word, text.split()), size, weight, SPACE * size - 2 * PADDING)


def type_size(length: int) -> float:
    """The size for a text of so many words: longer texts in smaller type."""
    return next((size for longest, size in SIZES if length <= longest), style.SMALL)


def one_map(weights: str, words: pd.DataFrame) -> list[Line]:
    """A heading, and the text shaded in proportion to the attention; the map's largest weight is darkest."""
    first, largest = words.iloc[0], words["attention"].max()
    heading = [f"{WEIGHTS[weights].label}:", f"p = {first['probability']:.3f},"]
    if weights != "base":
        heading.append(f"JSD = {first['jsd']:.3f},")
    heading.append(f"largest weight {largest:.3f}")
    shades = words["attention"] / largest
    shaded = [Word(token, shade) for token, shade in zip(words["token"], shades, strict=True)]
    return [
        *prose(" ".join(heading), style.SMALL, "bold"),
        *spaced(wrapped(shaded, type_size(len(words))), below=6),
    ]


def warning(predictions: pd.DataFrame | None, dataset: str) -> str:
    """That the base model has not learnt a data set, so that its maps explain no decision; "" where it has."""
    if predictions is None or predictions.empty:
        return ""
    answer, scores = able(predictions[predictions["dataset"] == dataset], BASE)
    if answer.word != NO:
        return ""
    return f"The base model is {quality(answer.word, scores['accuracy'], scores['majority_accuracy'])}. {USELESS}"


def one_instance(maps: pd.DataFrame, predictions: pd.DataFrame | None) -> list[Line]:
    """All maps of one text, under a heading that names it."""
    first = maps.iloc[0]
    lines = prose(f"{display_name(first['dataset'])}, {first['id']}", style.TITLE, "bold")
    lines += spaced(
        prose(
            f"gold class {first['label']}; p: probability of class {first['base_prediction']}, the base model's choice"
        ),
        below=3,
    )
    if text := warning(predictions, str(first["dataset"])):
        lines += spaced(prose(text, weight="bold"), below=3)
    for weights in WEIGHTS.ordered(maps["weights"].unique()):
        lines += one_map(weights, maps[maps["weights"] == weights].sort_values("position"))
    return spaced(lines, below=16)


def paint(lines: Sequence[Line]) -> Figure:
    """A figure as high as the lines need. Raises AuditError where no image can be that high."""
    width, height = style.WIDTH * POINTS, 2 * MARGIN + sum(line.height for line in lines)
    if height / POINTS * style.DPI > HIGHEST:
        raise AuditError("config: attention_maps: too many or too long texts for one image; name fewer instances")
    figure = Figure(figsize=(style.WIDTH, height / POINTS))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    top = MARGIN
    for line in lines:
        middle = top + LEADING * line.size / 2
        for word, left in zip(line.words, line.lefts, strict=True):
            ink = style.BLACK
            if word.shade is not None:
                colour = style.SHADING(float(word.shade))
                ink = style.ink_on(colour)
                box_height = (LEADING - 0.15) * line.size
                corner = (left, middle - box_height / 2)
                box = Rectangle(
                    corner, extent(word.text, line.size, line.weight), box_height, color=colour, linewidth=0
                )
                axes.add_patch(box)
            # on one baseline: centring each word would let it dance with its descenders
            axes.text(
                left + PADDING, middle + 0.3 * line.size, word.text, size=line.size, weight=line.weight, color=ink
            )
        top += line.height
    return figure


def wp_fig2_attention_maps(attention_maps: pd.DataFrame, predictions: pd.DataFrame | None = None) -> Figure:
    """Texts as words, each shaded in proportion to its attention, under base model and adversaries.

    From columns.ATTENTION_MAPS rows of any number of data sets and instances, in their order, and
    columns.PREDICTIONS rows of them, where a base model that has not learnt its data set is to be called that. The
    figure grows with the text; nothing is cut. Raises AuditError where the texts are too many for one image, or weights
    are of an unknown kind.
    """
    with style.house_style():
        lines = prose("Shade: attention weight as a share of the map's largest weight", style.SMALL)
        lines += spaced(wrapped([Word(f"{share:g}", share) for share in KEY], style.SMALL), below=8)
        for _, instance in attention_maps.groupby(["dataset", "id"], sort=False):
            lines += one_instance(instance, predictions)
        if attention_maps.empty:
            lines += prose("No instance was chosen.")
        return paint(lines)
