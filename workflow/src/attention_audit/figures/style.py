"""How every figure looks: sizes, type and colour scales, and how it is saved. To restyle the figures, edit this file
and `colours` only.
"""

import logging
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.text import Text

from attention_audit.artefacts.files import write_whole
from attention_audit.names import Style

from . import colours, fonts

PAGE_WIDTH = 7.0  # inches: a page's text width
DPI = 200
TEXT_SIZE = 8.0  # points
SMALL_SIZE = 7.0
TITLE_SIZE = 9.0
LINE_LETTERS = 100  # letters in a line below a figure

PALETTE = colours.PALETTE
BLUE, VERMILLION, GREEN, ORANGE, SKY, PURPLE, BLACK, GREY = PALETTE.values()

Keywords = dict[str, Any]
"""How matplotlib draws something, as keyword arguments."""
DASHES: Keywords = {"linewidth": 0.8, "linestyle": (0, (4, 3))}
"""Of lines at a bound."""

SHADING = LinearSegmentedColormap.from_list("attention", ["white", "#00509E"])
# black stands out from all of these
MAP_SHADING = LinearSegmentedColormap.from_list("maps", ["white", "#4A9BE8"])
DIVERGING = LinearSegmentedColormap.from_list("agreement", colours.DIVERGING_HUES)

RC: dict[Any, Any] = {
    "font.size": TEXT_SIZE,
    "axes.titlesize": TITLE_SIZE,
    "axes.labelsize": TEXT_SIZE,
    "axes.labelcolor": BLACK,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": SMALL_SIZE,
    "ytick.labelsize": SMALL_SIZE,
    "xtick.color": BLACK,
    "ytick.color": BLACK,
    "legend.fontsize": TEXT_SIZE,
    "legend.frameon": False,
    "text.color": BLACK,
    "text.parse_math": False,
    "text.hinting": "none",  # hinted letters are wider on screen than their measured width
    "savefig.dpi": DPI,
    "pdf.fonttype": 42,
}


@contextmanager
def use_house_style(texts: Iterable[str] = ()) -> Iterator[None]:
    """Draw and save figures in the block in the style of this file, whatever the user's matplotlibrc says.

    `texts`: what the user's data have to say, in any script; fonts are found for it.
    """
    finder = logging.getLogger("matplotlib.font_manager")
    level = finder.level
    with mpl.rc_context(), warnings.catch_warnings():
        finder.setLevel(logging.ERROR)  # few fonts of other scripts are bold
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # fonts.describe_missing says it once
        mpl.rcdefaults()
        mpl.rcParams.update(RC | {"font.family": fonts.list_families(texts)})
        try:
            yield
        finally:
            finder.setLevel(level)


def convert_look(look: Style) -> Keywords:
    """Convert the look of a name to the colour, the marker and the label that matplotlib wants."""
    return {"color": PALETTE[look.colour], "marker": look.marker, "label": look.label}


@use_house_style()
def write_sentence(text: str) -> Figure:
    """Write a sentence in the place of a figure."""
    figure = Figure(figsize=(PAGE_WIDTH, 1), layout="constrained")
    figure.supxlabel(fill(text, LINE_LETTERS), fontsize=TEXT_SIZE)
    return figure


def save(figure: Figure, pdf: Path, png: Path, provenance: str) -> None:
    """Write `figure` as PDF and PNG with `provenance` in their metadata (Keywords, Description), and no time of day, so
    that the same data give the same bytes.

    Raises AuditError where a file cannot be written.
    """
    with use_house_style():
        for path, about in ((pdf, {"CreationDate": None, "Keywords": provenance}), (png, {"Description": provenance})):
            with write_whole(path) as temporary:
                figure.savefig(temporary, format=path.suffix[1:], metadata=about)
            # to find the layout takes as long as to draw; both files have the same
            figure.set_layout_engine("none")


def list_texts(figure: Figure) -> list[str]:
    """List everything that is written on a figure."""
    return [text.get_text() for text in figure.findobj(Text)]
