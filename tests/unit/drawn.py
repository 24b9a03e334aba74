"""What a figure has written on it, and whether it can be read."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attention_audit.figures import style


def tick_labels(axes):
    """Those in view: others exist, but are not drawn."""
    sides = (axes.get_xticklabels(), axes.get_xlim()), (axes.get_yticklabels(), axes.get_ylim())
    return [
        label
        for way, (labels, limits) in enumerate(sides)
        for label in labels
        if label.get_visible() and min(limits) <= label.get_position()[way] <= max(limits)
    ]


def drawn_texts(figure):
    """Every text that is drawn."""
    found = [figure._supxlabel, figure._supylabel]
    found += [text for legend in figure.legends for text in legend.get_texts()]
    for axes in figure.axes:
        found += [axes._left_title, axes.yaxis.label, *axes.texts, *tick_labels(axes)]
    return [text for text in found if text is not None and text.get_text()]


def list_words(texts):
    """List what texts say."""
    return [text.get_text() for text in texts]


def written(figure):
    """What is drawn in letters."""
    return list_words(drawn_texts(figure))


def titles(figure):
    """The titles of all panels, as they stand at the left."""
    return [axes.get_title(loc="left") for axes in figure.axes]


def points_of(axes, marker):
    """List where the first points of the lines with a marker stand: x and y, with nine digits."""
    found = (np.asarray(line.get_xydata()) for line in axes.lines if line.get_marker() == marker)
    return [tuple(points[0].round(9).tolist()) for points in found if len(points)]


def assert_readable(figure, texts=None, room=1):
    """No text hides another, and none leaves the page by more than `room` pixels.

    texts: some of a figure's; all where it is None. Their boxes x0, y0, x1, y1 at the resolution that is saved are
    returned, (n, 4).
    """
    figure.set_dpi(style.DPI)
    renderer = FigureCanvasAgg(figure).get_renderer()
    with style.use_house_style():
        figure.draw_without_rendering()
        texts = drawn_texts(figure) if texts is None else texts
        boxes = np.array([text.get_window_extent(renderer).extents for text in texts])
    x0, y0, x1, y1 = boxes.T
    assert boxes.min() >= -room
    assert (boxes[:, 2:] <= figure.bbox.max + room).all()
    wide = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    high = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
    # the boxes of slanted texts overlap where they do not
    upright = np.array([not text.get_rotation() or text.get_rotation() == 90 for text in texts])
    hidden = np.argwhere(np.triu((wide > 0) & (high > 0) & upright[:, None] & upright, 1))
    assert [(texts[i].get_text(), texts[j].get_text()) for i, j in hidden] == []
    return boxes
