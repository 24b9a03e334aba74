"""The figure of the calibration: how well intervals and words hold what they promise, at each size."""

import pandas as pd
from matplotlib.figure import Figure

from attention_audit.figures import style
from makers.calibration.operating import COVERED, WRONG

MARKERS = {1: ("P", style.BLACK), 3: ("o", style.BLUE), 5: ("s", style.ORANGE), 9: ("^", style.GREEN)}
"""Marker and colour, by the number of trainings."""
PANELS = {
    "coverage": "Coverage of the interval",
    "own_wrong": "Wrong words of these trainings",
}


@style.house_style()
def calibration(operating: pd.DataFrame) -> Figure:
    """Coverage and wrong words by question and number of texts, a marker for each number of trainings.

    From a frame of `operating`. The shaded part of a panel is worse than is wanted.
    """
    places = list(dict.fromkeys(zip(operating["question"], operating["texts"], strict=True)))
    questions = list(dict.fromkeys(question for question, _ in places))
    at = {place: number + 0.6 * questions.index(place[0]) for number, place in enumerate(places)}
    figure = Figure(figsize=(style.WIDTH, 0.17 * len(places) + 1.3), layout="constrained")
    axes = figure.subplots(1, len(PANELS), sharey=True)
    for panel, (name, title) in zip(axes, PANELS.items(), strict=True):
        for trainings, part in operating.groupby("trainings"):
            marker, colour = MARKERS[int(str(trainings))]
            panel.plot(
                part[name],
                [at[place] for place in zip(part["question"], part["texts"], strict=True)],
                marker,
                color=colour,
                markersize=4,
                markeredgewidth=0,
                alpha=0.9,
                label=f"{trainings} training{'s' * (trainings != 1)}",
            )
        panel.set_title(title, loc="left", fontsize=style.TEXT)
        panel.grid(axis="y", linewidth=0.3)
        panel.set_axisbelow(True)
    axes[0].axvline(0.95, color=style.GREY, linewidth=0.6)
    axes[0].set_xlim(min(0.9, operating["coverage"].min() - 0.01), 1)
    axes[0].axvspan(0, COVERED, color=style.GREY, alpha=0.2, linewidth=0)
    for panel in axes[1:]:
        panel.axvline(0.025, color=style.GREY, linewidth=0.6)
        panel.set_xlim(0, max(0.07, operating["own_wrong"].max() + 0.01))
        panel.axvspan(WRONG, 1, color=style.GREY, alpha=0.2, linewidth=0)
    axes[0].set_yticks(list(at.values()), [f"{question}, {texts:,} texts" for question, texts in at])
    axes[0].invert_yaxis()
    for panel in axes:
        panel.set_xlabel("share of runs")
    figure.legend(*axes[-1].get_legend_handles_labels(), loc="outside lower center", ncols=len(MARKERS))
    return figure
