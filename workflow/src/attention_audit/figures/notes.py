"""Notes beside what is drawn: labels of points, each where it hides nothing, and numbers in the right margin."""

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox
from matplotlib.typing import ColorType

from attention_audit.figures import style

DIRECTIONS = ((1, -1), (1, 0), (-1, 1), (-1, 0), (0, -1), (0, 1), (1, 1), (-1, -1))
DISTANCES = (5, 9, 14)  # points
APART = 4  # points between two labels side by side, so that they are not read as one


def placed(axes: Axes, text: str, colour: str, at: tuple[float, float], taken: list[Bbox], room: Bbox) -> bool:
    """Write `text` near the point `at`, clear of `taken`, to which it is added, and within `room` (pixels); whether
    there is a place for it.

    The layout must be final.
    """
    for distance in DISTANCES:
        for x, y in DIRECTIONS:
            label = axes.annotate(
                text,
                at,
                xytext=(x * distance, y * distance),
                textcoords="offset points",
                fontsize=style.SMALL,
                color=colour,
                ha={-1: "right", 0: "center", 1: "left"}[x],
                va={-1: "top", 0: "center", 1: "bottom"}[y],
            )
            box = label.get_window_extent()
            within = room.x0 <= box.x0 and box.x1 <= room.x1 and room.y0 <= box.y0 and box.y1 <= room.y1
            if within and not box.padded(APART * axes.figure.dpi / 72, 0).count_overlaps(taken):
                taken.append(box)
                return True
            label.remove()
    return False


def beside(axes: Axes, text: str, place: float, colour: ColorType = style.BLACK) -> None:
    """`text` in the right margin, at the height `place` of the y axis."""
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
    """`text` above the right margin."""
    axes.annotate(
        text,
        (1.0, 1.0),
        xycoords="axes fraction",
        xytext=(4, 2),
        textcoords="offset points",
        color=style.GREY,
        fontsize=style.SMALL,
    )
