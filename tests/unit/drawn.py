"""What a figure has written on it, and whether it can be read."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from attention_audit.figures import style


def tick_labels(axes: Axes) -> list[Text]:
    """Those in view: others exist, but are not drawn."""
    sides = (axes.get_xticklabels(), axes.get_xlim()), (axes.get_yticklabels(), axes.get_ylim())
    return [
        label
        for way, (labels, limits) in enumerate(sides)
        for label in labels
        if label.get_visible() and min(limits) <= label.get_position()[way] <= max(limits)
    ]


def drawn_texts(figure: Figure) -> list[Text]:
    """Every text that is drawn."""
    found = [figure._supxlabel, figure._supylabel]
    found += [text for legend in figure.legends for text in legend.get_texts()]
    for axes in figure.axes:
        found += [axes._left_title, axes.yaxis.label, *axes.texts, *tick_labels(axes)]
    return [text for text in found if text is not None and text.get_text()]


def assert_readable(figure: Figure) -> None:
    """No text hides another, and none leaves the page."""
    figure.set_dpi(style.DPI)
    renderer = FigureCanvasAgg(figure).get_renderer()
    with style.house_style():
        figure.draw_without_rendering()
        texts = drawn_texts(figure)
        x0, y0, x1, y1 = np.array([text.get_window_extent(renderer).extents for text in texts]).T
    assert min(x0.min(), y0.min()) >= -1
    assert x1.max() <= figure.bbox.x1 + 1
    assert y1.max() <= figure.bbox.y1 + 1
    wide = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    high = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
    # the boxes of slanted texts overlap where they do not
    upright = np.array([not text.get_rotation() or text.get_rotation() == 90 for text in texts])
    hidden = np.argwhere(np.triu((wide > 0) & (high > 0) & upright[:, None] & upright, 1))
    assert [(texts[i].get_text(), texts[j].get_text()) for i, j in hidden] == []
