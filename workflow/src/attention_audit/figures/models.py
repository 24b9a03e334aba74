"""Models as points: what changing the attention costs in changed predictions, figure 5 of Wiegreffe & Pinter 2019; and,
of models that are trained otherwise, how alike their states are, against what permuted attention changes and how well
attention ranks items.
"""

import math
from collections.abc import Mapping
from itertools import pairwise
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_audit.answer.estimates import Estimate, estimate_mean
from attention_audit.arrays import Floats
from attention_audit.names import Names
from attention_audit.tables.model_answers import ask_question, ask_unique, measure_subjects
from attention_audit.tables.tidy import Frames, Subjects, estimate_ranks, make_grids, select_ranking
from attention_audit.tables.variants import find_twin

from . import style
from .panels import draw_legend, explain_axes, make_panels, scale_by_roots, scale_to_ln2, write_reason
from .style import Keywords

TVD_JSD_HEIGHT, CONICITY_HEIGHT = 2.8, 3.6  # inches
MIN_TOP_IN_TOLERANCES = 2.0  # times the tolerance: TVD at the top of the y axis, at least
MODEL_POINT: Keywords = {
    "linestyle": "none", "markeredgewidth": 0, "markersize": 4.5, "alpha": 0.8, "clip_on": False, "zorder": 3,
}  # fmt: skip
LAMBDA_CURVE: Keywords = {"linestyle": "-", "linewidth": 1, "markersize": 3, "clip_on": False, "zorder": 3}
FROM_SCRATCH, BY_CONTINUATION = "adversary", "continuation"
LEGEND_STYLES: dict[str, Keywords] = {
    "base": MODEL_POINT | {"label": "further seeds", "markersize": 5.5},
    "uniform": MODEL_POINT | {"label": "uniform weights"},
    FROM_SCRATCH: LAMBDA_CURVE,
    BY_CONTINUATION: LAMBDA_CURVE | {"label": "adversary by continuation"},
}
"""The models that have an entry of their own in the legend; others have one under their own label."""
ANSWER_RING: Keywords = {
    "linestyle": "none", "marker": "o", "markersize": 8, "markerfacecolor": "none", "color": style.BLACK,
    "markeredgewidth": 0.9, "clip_on": False, "zorder": 4,
}  # fmt: skip
"""Around the adversary that the answer speaks of."""
SINGLE_STYLE = MODEL_POINT | {"markersize": 2, "alpha": 0.4, "label": ""}
"""One of the adversaries of which a curve shows the mean."""
INSTANCE = MODEL_POINT | {
    "color": style.VERMILLION, "marker": "P", "markersize": 7, "alpha": 1, "label": "per-instance adversary",
}  # fmt: skip
OTHER_KINDS = (FROM_SCRATCH, BY_CONTINUATION, "adversaries", "uniform", "imposed")
"""The models that are no further trainings of the model in question."""
LIMIT_STYLE: Keywords = {"linewidth": 0.8, "linestyle": (0, (5, 2)), "zorder": 1}
TOLERANCE_LIMIT = LIMIT_STYLE | {"color": style.BLACK, "label": "tolerance"}
RETRAINED_LIMIT = LIMIT_STYLE | {"color": style.GREEN, "label": "mean of further seeds"}
"""The TVD up to which predictions count as nearly the same, and that of another training, as lines."""
GAP_STYLE: Keywords = {"linestyle": (0, (1, 2)), "marker": ""}
"""How two neighbours of a curve are joined between which the search has a gap."""
MIN_GAP_NATS = 0.2 * math.log(2)
"""JSD (nats) between two neighbours from which on there is one."""
OPEN_BAR_END = 9.0  # where a bar ends that has no end
RANKS_BOTTOM, RANKS_TOP = -0.25, 1.05  # of the axis of `ranks`, unless a model lies below
TVD_AXIS_FACTOR = 1.15  # the axis of TVD ends at so many times the highest end of a bar
Estimates = dict[str, Estimate]
"""By model."""


def average_by(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Average JSD and TVD for each of `by`."""
    return rows.groupby(by, as_index=False, sort=False, dropna=False)[["jsd", "tvd"]].mean()


def list_curves(runs: pd.DataFrame) -> list[pd.DataFrame]:
    """List the curves of one data set, each in the order of lambda: the mean over seeds of the adversaries from
    scratch, and every search by continuation, whose lambdas are its own.
    """
    scratch = average_by(runs[runs["model"] == FROM_SCRATCH], ["model", "lambda"])
    searches = [rows for _, rows in runs[runs["model"] == BY_CONTINUATION].groupby("seed")]
    return [curve.sort_values("lambda") for curve in (scratch, *searches) if len(curve)]


def draw_panel(
    axes: Axes, looks: Mapping[str, Keywords], runs: pd.DataFrame, instance: pd.DataFrame, budget: float
) -> None:
    """Draw one panel: a point for each run of a model, the limits of TVD, and the curves over lambda, dotted over gaps
    of the search. looks: of the models. budget: the tolerance.
    """
    for name, look in looks.items():
        rows = runs[runs["model"] == name]
        if name not in (FROM_SCRATCH, BY_CONTINUATION):
            axes.plot(rows["jsd"], rows["tvd"], **look)
        elif name == FROM_SCRATCH and rows["seed"].nunique() > 1:
            axes.plot(rows["jsd"], rows["tvd"], **look | SINGLE_STYLE)
    axes.plot(instance["jsd"], instance["tvd"], **INSTANCE)
    for curve in list_curves(runs):
        look = looks[curve["model"].iloc[0]]
        # a curve begins at the base model itself
        for ends in pairwise([(0.0, 0.0), *zip(curve["jsd"], curve["tvd"], strict=True)]):
            (x, next_x), y = zip(*ends, strict=True)
            axes.plot((x, next_x), y, **look | (GAP_STYLE if abs(next_x - x) > MIN_GAP_NATS else {"marker": ""}))
        axes.plot(curve["jsd"], curve["tvd"], **look | {"linestyle": "none"})
    axes.axhline(budget, **TOLERANCE_LIMIT)
    trainings = runs[~runs["model"].isin(OTHER_KINDS)]
    if len(trainings):
        axes.axhline(trainings["tvd"].mean(), **RETRAINED_LIMIT)
    scale_to_ln2(axes)


def list_predictions(comparison: pd.DataFrame, seed: int, model: str) -> pd.DataFrame:
    """List what a training predicts, from what it is compared with: rows of columns.PREDICTIONS without labels.

    The audit `predictions` would need trainings that the figure does not show. A text of one item cannot be shuffled.
    """
    texts = comparison.groupby(["dataset", "id"], observed=True, sort=False)
    rows = texts.agg(prediction=("base_prediction", "first"), moved=("chance_jsd", "max")).reset_index()
    return rows.assign(model=model, seed=seed, label=np.nan, items=np.where(rows["moved"] > 0, 2, 1))


def find_adversaries(
    subjects: Subjects, comparison: pd.DataFrame, audits: Frames, answer: Mapping[str, Any], corpus: Frames
) -> dict[str, tuple[str, float, int]]:
    """Find, by data set, the adversary that the answer on a model speaks of: its family, lambda and seed.

    comparison, audits: rows of the audits of one suite that `unique` asks.
    """
    adversaries = {}
    for subject in subjects:
        if subject.contrasts is None:
            continue
        predictions = list_predictions(comparison, subject.contrasts.seed, subject.model)
        rows = {"comparison": comparison, "predictions": predictions, **audits}
        of_suite = {name: frame.assign(suite=subject.suite) for name, frame in rows.items()}
        for measured in measure_subjects([subject], of_suite, answer, corpus):
            columns = ask_question(ask_unique, measured).beside
            if "unique_model" in columns:
                family, lambda_, seed = (columns[f"unique_{name}"] for name in ("model", "lambda", "seed"))
                adversaries[subject.dataset] = family, lambda_, seed
    return adversaries


def label_answer(axes: Axes, runs: pd.DataFrame, adversary: tuple[str, float, int]) -> None:
    """Ring the adversary that the answer speaks of, and name its lambda, which one that was given has not."""
    family, lambda_, seed = adversary
    chosen = runs[(runs["model"] == family) & (runs["seed"] == seed) & (runs["lambda"].eq(lambda_) | isnan(lambda_))]
    for x, y, value in chosen[["jsd", "tvd", "lambda"]].itertuples(index=False):
        axes.plot([x], [y], **ANSWER_RING)
        side, offset = ("right", (-6, 5)) if x > math.log(2) / 2 else ("left", (6, 5))
        words = "the answer's" + ("" if isnan(value) else f": λ {value:.2g}")
        axes.annotate(
            words, (x, y), xytext=offset, textcoords="offset points", ha=side, va="bottom",
            fontsize=style.SMALL_SIZE, zorder=5, bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5},
        )  # fmt: skip


@style.use_house_style()
def wp_fig5_tvd_jsd(
    comparison: pd.DataFrame,
    instance_adversary: pd.DataFrame,
    models: Names,
    budget: float,
    subjects: Subjects = (),
    answer: Mapping[str, Any] = {},
    corpus: Mapping[str, pd.DataFrame] = {},
    **audits: pd.DataFrame,
) -> Figure:
    """Draw means over texts of prediction change (TVD) against attention change (JSD, nats), both from the base model.

    One panel for each data set; TVD has a square-root scale, the same for all. In each: further seeds,
    uniform weights, the adversary from scratch for every lambda (the mean over its seeds, and a small dot for each seed
    where there are several), every search by continuation, and the per-instance adversary. Curves begin at the base
    model, where nothing is changed, and are dotted where the search has a gap. Lines: `budget`, the TVD up to which
    predictions count as nearly the same, and the mean TVD of further seeds. A ring: the adversary that the answer
    speaks of. The frames hold rows of the audits comparison and instance_adversary, of any number of data sets;
    audits: consistency and stability.
    """
    # where there are several models, the others are held against the base
    base = instance_adversary["model"] == "base"
    instances = average_by(instance_adversary[base | (not base.any())], ["dataset"])
    looks = {
        name: style.convert_look(models[name]) | LEGEND_STYLES.get(name, MODEL_POINT)
        for name in models.arrange(comparison["model"].unique())
    }
    runs = average_by(comparison, ["dataset", "model", "lambda", "seed"])
    if FROM_SCRATCH in looks:
        lambdas = runs.loc[runs["model"] == FROM_SCRATCH, "lambda"]
        ends = dict.fromkeys(f"{value:.2g}".replace("e-0", "e-") for value in (lambdas.min(), lambdas.max()))
        looks[FROM_SCRATCH] |= {"label": f"adversary from scratch, λ {' to '.join(ends)}"}
    adversaries = find_adversaries(subjects, comparison, audits, answer, corpus)
    figure, panels = make_panels(runs, TVD_JSD_HEIGHT)
    highest = max(MIN_TOP_IN_TOLERANCES * budget, 1.15 * pd.concat([runs["tvd"], instances["tvd"]]).max())
    for panel in panels:
        [axes] = panel.axes
        draw_panel(axes, looks, panel.rows, instances[instances["dataset"] == panel.dataset], budget)
        scale_by_roots(axes, "y", 0, highest, min_distance=0.08)
        if panel.dataset in adversaries:
            label_answer(axes, panel.rows, adversaries[panel.dataset])
    explain_axes(
        figure,
        "JSD of attention from the base model's (nats)",
        "at the lower right, below the dashes: other maps, nearly the same predictions; dotted: a gap of the search, "
        "of which nothing is known",
        "TVD of predictions (square-root scale)",
    )
    draw_legend(figure, [*looks.values(), INSTANCE, TOLERANCE_LIMIT, RETRAINED_LIMIT])
    return figure


def estimate_means(rows: pd.DataFrame, value: str, minimum: float = 0.0) -> Estimates:
    """Estimate the mean of a column by model."""
    return {model: estimate_mean(values, minimum) for model, values in make_grids(rows, value, "model").items()}


def measure_bar(estimate: Estimate) -> Floats:
    """Measure how far an interval reaches below and above its value, (2, 1), as matplotlib wants it."""
    value, low, high = np.clip(estimate[:3], -OPEN_BAR_END, OPEN_BAR_END)
    return np.fmax([[value - low], [high - value]], 0)


def choose_look(name: str, models: Names) -> Keywords:
    """Choose how the point of a model is drawn: empty where its states are as they are."""
    fill = {} if find_twin(name) else {"markerfacecolor": "none"}
    return style.convert_look(models[name]) | {"markersize": 5, "linestyle": "none"} | fill


def draw_points(axes: Axes, across: Estimates, upwards: Estimates, models: Names) -> None:
    """Draw one point a model, with the intervals of both numbers, and a line from the model without its remedy."""
    names = [name for name in models.arrange(across) if name in upwards and np.isfinite(upwards[name].value)]
    for name in names:
        x, y, plain = across[name], upwards[name], find_twin(name)
        if plain in names:
            ends = [across[plain].value, x.value], [upwards[plain].value, y.value]
            axes.plot(*ends, color=style.GREY, linewidth=0.7, zorder=1)
        look = choose_look(name, models) | {"elinewidth": 0.8, "zorder": 2}
        axes.errorbar([x.value], [y.value], xerr=measure_bar(x), yerr=measure_bar(y), **look)
    axes.set_xlim(-0.02, 1.02)


@style.use_house_style()
def md_fig_conicity(
    conicity: pd.DataFrame, permutation: pd.DataFrame, ranked_sets: pd.DataFrame, models: Names
) -> Figure:
    """Draw two parts for each data set: over the conicity of a model's states, the median TVD of its predictions under
    permuted attention (above), and the effect of `ranks` (below; of pairs there is none).

    The frames hold rows of these audits, of any number of data sets.
    """
    names = models.arrange(conicity["model"].unique())
    figure, panels = make_panels(conicity, CONICITY_HEIGHT, ratios=(1, 1))
    for panel in panels:
        above, below = panel.axes
        permuted, ranked = (frame[frame["dataset"] == panel.dataset] for frame in (permutation, ranked_sets))
        magnitudes, tvd = estimate_means(panel.rows, "magnitude", -1.0), estimate_means(permuted, "median_tvd")
        ranks = {
            str(model): estimate_ranks(select_ranking(rows, "attention"), rows)
            for model, rows in ranked.groupby("model", observed=True)
        }
        draw_points(above, magnitudes, tvd, models)
        draw_points(below, magnitudes, ranks, models)
        highest = max((min(each.high, 1.0) for each in tvd.values()), default=1.0)
        above.set_ylim(0, TVD_AXIS_FACTOR * highest or 1.0)
        lowest = np.nanmin([0.0, *(each.value for each in ranks.values())])
        below.set_ylim(min(RANKS_BOTTOM, lowest - 0.1), RANKS_TOP)
        below.axhline(0, color=style.GREY, **style.DASHES, zorder=0)
        if not ranks:
            write_reason(below, "not asked of pairs")
        above.tick_params(labelbottom=False)
        below.tick_params(labelbottom=panel.lowest)
        panel.name_axes("TVD when permuted", "ranks (share)")
    explain_axes(
        figure,
        "conicity: mean magnitude of the cosine of a state with the mean state",
        "at the right: all states of a text are alike. Above: up is an attention that matters; below: up is an "
        "attention that ranks, 1 as good as can be, 0 (dashes) chance. A line leads from a vanilla model to its "
        "remedies",
    )
    draw_legend(figure, (choose_look(name, models) for name in names))
    return figure
