"""One text of a user, word by word: the map, how firm it is, and what else speaks of its words."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.figures import style
from attention_audit.figures.attention_maps import printable

ROW, MARGIN = 0.2, 1.3  # inches
RATIOS = (3, 2, 1.5)
OTHERS = {"contribution": "contribution to the lead (logit)", "gradient": "share of the gradient"}


def headline(facts: pd.Series) -> str:
    """What was predicted, how far the trainings agree, and how far the adversary moves map and prediction."""
    parts = [f"prediction: {facts['prediction']} (p = {facts['probability']:.3f})"]
    if facts["trainings"] > 1:
        parts.append(
            f"{facts['trainings']} trainings: JSD {facts['jsd']:.3f}, shuffled {facts['chance_jsd']:.3f}; the same "
            f"word is first in {100 * facts['same_top']:.0f} % of the others"
        )
    if not np.isnan(facts["adversary_jsd"]):
        parts.append(f"adversary: JSD {facts['adversary_jsd']:.3f}, TVD {facts['adversary_tvd']:.3f}")
    return "\n".join(parts)


def draw_weights(axes: Axes, words: pd.DataFrame) -> None:
    """The weight of each word, its range over trainings, and the adversary's weight."""
    rows = range(len(words))
    axes.barh(rows, words["weight"], color=style.SKY, height=0.7, label="first training")
    if (words["highest"] > words["lowest"]).any():
        axes.hlines(rows, words["lowest"], words["highest"], color=style.BLACK, linewidth=1, label="all trainings")
    if words["adversary"].notna().any():
        axes.plot(words["adversary"], rows, "o", color=style.VERMILLION, markersize=3, label="adversary")
    axes.set_xlabel("attention")
    axes.set_yticks(rows, [printable(word) for word in words["word"]])
    axes.set_ylim(len(words) - 0.5, -0.5)


def reading_figure(words: pd.DataFrame, facts: pd.Series) -> Figure:
    """Three panels with a row for each word: attention weights, signed contributions, and shares of the gradient.

    words: columns word, weight, contribution, gradient, lowest, highest, adversary, in order of the text. facts: see
    `headline`. A panel of what is not known is left out. The figure grows with the text.
    """
    shown = [name for name in OTHERS if words[name].notna().any()]
    with style.house_style([*words["word"], str(facts["prediction"])]):
        size = (style.WIDTH, ROW * len(words) + MARGIN)
        figure = Figure(figsize=size, layout="constrained")
        ratios = RATIOS[: 1 + len(shown)]
        first, *others = figure.subplots(1, len(ratios), sharey=True, squeeze=False, width_ratios=ratios)[0]
        draw_weights(first, words)
        for axes, name in zip(others, shown, strict=True):
            colours = np.where(words[name] < 0, style.VERMILLION, style.BLUE)
            axes.barh(range(len(words)), words[name], color=colours.tolist(), height=0.7)
            axes.axvline(0, color=style.GREY, linewidth=0.6)
            axes.tick_params(left=False)
            axes.set_xlabel(OTHERS[name])
        figure.suptitle(headline(facts), fontsize=style.TEXT, x=0.01, ha="left")
        figure.legend(*first.get_legend_handles_labels(), loc="outside lower left", ncols=3)
    return figure
