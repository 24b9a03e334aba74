"""Notes in the right margin of a panel: a number beside each row, and a word above them."""

from matplotlib.axes import Axes
from matplotlib.typing import ColorType

from attention_audit.figures import style


def beside(axes: Axes, text: str, place: float, colour: ColorType = style.BLACK) -> None:
    """`text` at the height `place` of the y axis."""
    axes.annotate(
        text,
        (1.0, place),
        xycoords=axes.get_yaxis_transform(),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color=colour,
        fontsize=style.SMALL,
    )


def above(axes: Axes, text: str) -> None:
    """`text` above the margin."""
    axes.annotate(
        text,
        (1.0, 1.0),
        xycoords="axes fraction",
        xytext=(4, 2),
        textcoords="offset points",
        color=style.GREY,
        fontsize=style.SMALL,
    )
