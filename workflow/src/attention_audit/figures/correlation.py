"""Attention against other ways to attribute a prediction.

Figures 2-4 of Jain & Wallace 2019: does attention rank the tokens as gradients and leave-one-out do? And, beyond the
papers, which pairs of attributions rank the tokens alike, and attention against exact contributions.
"""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import MaxNLocator

from attention_audit.arrays import Floats
from attention_audit.columns.audits import TOP
from attention_audit.names import ATTRIBUTIONS, Names

from . import style
from .panels import (
    QUARTER_TICKS,
    draw_density,
    draw_legend,
    explain_axes,
    find_reach,
    make_panels,
    scale_by_roots,
    write_reason,
)
from .style import Keywords

HISTOGRAMS_HEIGHT, PARTS_HEIGHT = 1.95, 2.9  # inches: of a panel of histograms, and of one of three parts
PAIR_SIDE, PAIRS_MARGIN = 0.3, 1.5  # inches: of a panel of pairs
LINES: Keywords = {"gradient": "-", "loo": (0, (2, 1))}
"""The attributions that the paper compares attention with, and the dashes of their outlines."""
TAU_BARS = np.linspace(-1, 1, 21)
PART_RATIOS = (2.6, 1, 1)
ITEM_CELLS = 40  # of the map of items, a side
MIN_ITEMS_SHADED = 0.2  # items, so that a single one is seen
SHARE_BARS = np.linspace(0, 1, 26)
BAR_WIDTH = 0.08  # of a bar that stands for one value


def take_compared(correlation: pd.DataFrame) -> pd.DataFrame:
    """Take the rows that pair attention with one of LINES, whose name is then in the column `measure`."""
    pairs = correlation["pair"].astype(str)
    measures = pairs.map({f"attention~{name}": name for name in LINES})
    return correlation.assign(measure=measures).dropna(subset="measure")


def choose_line(measure: str) -> Keywords:
    """Choose how the outline of a measure is drawn."""
    look = ATTRIBUTIONS[measure]
    return {"color": style.PALETTE[look.colour], "linestyle": LINES[measure], "linewidth": 1.2, "label": look.label}


def draw_histograms(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw one panel: for each measure a histogram of tau, in percent of the texts, and a triangle at the mean."""
    axes.axvline(0, color=style.GREY, linewidth=0.8, zorder=0)
    for measure, values in rows.dropna(subset="tau").groupby("measure")["tau"]:
        line = choose_line(str(measure))
        shares = 100 * np.histogram(values, TAU_BARS)[0] / len(values)
        axes.stairs(shares, TAU_BARS, fill=True, color=line["color"], alpha=0.2)
        axes.stairs(shares, TAU_BARS, **line)
        top = axes.get_xaxis_transform()
        axes.plot(values.mean(), 1, "v", markersize=5, color=line["color"], transform=top, clip_on=False)
    axes.set(xlim=(-1, 1))
    axes.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    if not axes.patches:
        write_reason(axes, "no text has a τ")
    axes.set_xticks([-1, -0.5, 0, 0.5, 1], ["-1", "-0.5", "0", "0.5", "1"])


def keep_known(rows: pd.DataFrame, flags: pd.Series) -> pd.DataFrame:
    """Keep the rows of each data set and model of which some row is known; all rows where none is."""
    mask = flags.groupby([rows["dataset"], rows["model"]], observed=True).transform("any")
    return rows[mask] if mask.any() else rows


@style.use_house_style()
def jw_fig_correlation(correlation: pd.DataFrame, models: Names) -> Figure:
    """Draw histograms of Kendall's tau of attention with gradient and leave-one-out; one panel for each data set and
    model that has a text where tau is defined, with the number of these texts.

    From columns.CORRELATION rows of any number of data sets; `models` names and orders the panels.
    """
    # tau is not defined where all weights of a text are equal
    rows = take_compared(correlation)
    figure, panels = make_panels(keep_known(rows, rows["tau"].notna()), HISTOGRAMS_HEIGHT, models)
    for panel in panels:
        draw_histograms(panel.axes[0], panel.rows)
        panel.write_title(f"{panel.rows.dropna(subset='tau')['id'].nunique()} texts")
    explain_axes(
        figure,
        "Kendall's τ with attention, text by text (triangles: means)",
        "1: attention orders the tokens as the measure does; 0: unrelated; -1: the opposite order",
        "% of texts",
    )
    draw_legend(figure, map(choose_line, LINES))
    return figure


def average_pairs(rows: pd.DataFrame, names: list[str]) -> Floats:
    """Average tau of each pair over texts and seeds, below the diagonal; NaN above it, and where tau is undefined."""
    pairs = rows.dropna(subset="tau")
    row, column = np.sort([pairs[name].astype(str).map(names.index) for name in ("first", "second")], axis=0)
    sums = pairs[["texts"]].assign(tau=pairs["tau"] * pairs["texts"]).groupby([column, row]).sum()
    positions = range(len(names))
    return (sums["tau"] / sums["texts"]).unstack().reindex(index=positions, columns=positions).to_numpy(np.float64)


def draw_pairs(axes: Axes, values: Floats) -> AxesImage:
    """Draw one panel: a shade and a number for each pair; the last attribution has no column, the first no row."""
    cells = values[1:, :-1]
    image = axes.imshow(cells, cmap=style.DIVERGING, vmin=-1, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(cells):
        if np.isfinite(value):
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color="black", fontsize=style.SMALL_SIZE)
    if np.isnan(cells).all():
        write_reason(axes, "In no text do two of them\norder the words.")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


@style.use_house_style()
def jw_fig_agreement(agreement: pd.DataFrame, models: Names) -> Figure:
    """Draw the mean Kendall's tau of every two attributions; one panel for each data set and model of which attention
    orders the words of some text.

    From columns.AGREEMENT rows of any number of data sets; `models` names and orders the panels.
    """
    names = ATTRIBUTIONS.arrange([*agreement["first"].unique(), *agreement["second"].unique()])
    flags = (agreement[["first", "second"]] == "attention").any(axis=1) & agreement["tau"].notna()
    figure, panels = make_panels(keep_known(agreement, flags), PAIR_SIDE * len(names) + PAIRS_MARGIN, models)
    for panel in panels:
        [axes] = panel.axes
        image = draw_pairs(axes, average_pairs(panel.rows, names))
        panel.label_rows(ATTRIBUTIONS, names[1:])
        labels = [ATTRIBUTIONS[name].label for name in names[:-1]]
        axes.set_xticks(range(len(labels)), labels, rotation=45, ha="right", rotation_mode="anchor")
        # the columns of the panels above are those of the lowest
        axes.tick_params(labelbottom=panel.lowest)
    bar = figure.colorbar(image, ax=figure.axes, orientation="horizontal", fraction=0.03, aspect=50, pad=0.02)
    bar.outline.set_visible(False)
    explain_axes(
        figure,
        "Kendall's τ of two attributions over the tokens of a text, mean over texts",
        "1: the same order; 0: unrelated; -1: the opposite order",
    )
    return figure


def take_items(rows: pd.DataFrame) -> tuple[Floats, Floats]:
    """Take attention, and contribution as a share of the sum of all absolute ones, of the top items of all texts.

    Each list of `rows` is in columns of its own, such as top_weights_0. Texts whose contributions are all 0 are left
    out.
    """
    shares = rows.filter(like="top_contributions_").div(rows["magnitude"], axis=0).to_numpy()
    mask = np.isfinite(shares)
    return rows.filter(like="top_weights_").to_numpy()[mask], shares[mask]


def draw_items(axes: Axes, rows: pd.DataFrame) -> None:
    """Show how many items have which attention and which signed share of the contributions, on square-root scales that
    end where the items do.
    """
    weights, shares = take_items(rows)
    axes.axhline(0, color=style.GREY, linewidth=0.8)
    axes.plot((0, 1), (0, 1), color=style.GREY, **style.DASHES)
    scale_by_roots(axes, "x", 0, find_reach(weights))
    scale_by_roots(axes, "y", -find_reach(-shares), find_reach(shares))
    draw_density(axes, weights, shares, (ITEM_CELLS, ITEM_CELLS), MIN_ITEMS_SHADED)
    axes.set_xlabel("attention of an item", fontsize=style.SMALL_SIZE)


def write_bar_title(axes: Axes, what: str, values: pd.Series) -> None:
    """Write above bars what they count, and the mean; their x axis is of shares."""
    title = f"{what}: mean {values.mean():.2f}" if len(values) else f"{what}: no text of more than {TOP} items"
    axes.set_title(title, loc="left", fontsize=style.SMALL_SIZE, pad=3)
    axes.set_xticks([*QUARTER_TICKS], [*QUARTER_TICKS.values()])


def draw_against(axes: Axes, rows: pd.DataFrame) -> None:
    """Show how many texts have how much of their attention on items that speak against the prediction."""
    percent = np.full(len(rows), 100 / len(rows))
    axes.hist(rows["against"].clip(0, 1), SHARE_BARS.tolist(), weights=percent, color=style.VERMILLION, linewidth=0)
    axes.set_xlim(0, 1)
    write_bar_title(axes, "against the prediction", rows["against"])


def draw_overlap(axes: Axes, rows: pd.DataFrame) -> None:
    """Show how many texts of more than TOP items share how many of the first TOP."""
    values = rows.loc[rows["items"] > TOP, "overlap"]
    shares = np.arange(TOP + 1) / TOP
    counts = np.bincount((TOP * values).round().astype(int), minlength=TOP + 1)
    axes.bar(shares, 100 * counts / max(1, len(values)), BAR_WIDTH, color=style.GREEN, linewidth=0)
    axes.set(xlim=(-BAR_WIDTH / 2, 1 + BAR_WIDTH / 2), ylim=(0, None if len(values) else 100))
    write_bar_title(axes, f"overlap of the first {TOP}", values)


@style.use_house_style()
def wp_fig_contributions(contributions: pd.DataFrame, models: Names) -> Figure:
    """Draw three parts for each data set and model, from columns.CONTRIBUTIONS rows of any number of data sets, each
    list in columns of its own; `models` names and orders the panels.
    """
    figure, panels = make_panels(contributions, PARTS_HEIGHT, models, PART_RATIOS)
    for panel in panels:
        for draw, axes in zip((draw_items, draw_against, draw_overlap), panel.axes, strict=True):
            draw(axes, panel.rows)
        panel.name_axes("contribution (share)", "% of texts", "% of texts")
    explain_axes(
        figure,
        "above: items, the darker the more of them (logarithmic, each panel by itself; both axes are square roots)",
        "on the dashes: attention is what the item adds; below 0: the item speaks against the prediction. Less "
        "against, and more overlap, is better",
    )
    return figure
