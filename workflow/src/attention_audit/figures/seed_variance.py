"""Figure 3 of Wiegreffe & Pinter 2019: does an adversary move attention further than another seed does?"""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from attention_audit.figures import style, violins
from attention_audit.names import Names, display_name

ROW_HEIGHT, PER_CLASS, MARGIN = 1.9, 0.5, 0.7  # inches; a row grows with each class after the second


def median_over_seeds(comparison: pd.DataFrame) -> pd.DataFrame:
    """One row for each test text: the median JSD between the base model and its further seeds."""
    seeds = comparison[comparison["model"] == "base"]
    keys = ["dataset", "id", "base_prediction", "base_max_attention"]
    return seeds.groupby(keys, sort=False)["jsd"].median().reset_index()


def wp_fig3_seed_variance(comparison: pd.DataFrame, instance_adversary: pd.DataFrame, models: Names) -> Figure:
    """Densities of JSD (nats) from the base model's attention, by its largest weight and predicted class.

    One row for each data set: left, the median over further seeds (the authors' choice, in their code); right, Jain &
    Wallace's per-instance adversary. More than violins.MOST classes are pooled. From columns.COMPARISON and
    INSTANCE_ADVERSARY rows of any number of data sets. Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown(comparison["model"].unique())
    datasets = comparison["dataset"].unique()
    instance_adversary = instance_adversary[instance_adversary["model"] == "base"]
    shown = {"seeds": median_over_seeds(comparison), "per-instance adversary": instance_adversary}
    shown = {
        what: violins.instances_of(frame, "jsd", "base_max_attention", "base_prediction")
        for what, frame in shown.items()
    }
    counts = [
        violins.classes_of(*(frame[frame["dataset"] == dataset] for frame in shown.values())) for dataset in datasets
    ]
    heights = [ROW_HEIGHT + PER_CLASS * max(0, classes - 2) for classes in counts]
    with style.house_style():
        figure = Figure(figsize=(style.WIDTH, sum(heights) + MARGIN), layout="constrained")
        panels = figure.subplots(len(datasets), 2, sharex=True, sharey=True, squeeze=False, height_ratios=heights)
        for dataset, classes, row in zip(datasets, counts, panels, strict=True):
            for axes, (what, frame) in zip(row, shown.items(), strict=True):
                violins.draw(axes, frame[frame["dataset"] == dataset], classes)
                violins.up_to_ln2(axes)
                axes.set_title(f"{display_name(dataset)}: {what}", loc="left")
                axes.tick_params(labelbottom=True, labelleft=True)
        figure.supxlabel("JSD from the base model's attention (nats)", fontsize=style.TEXT)
        figure.supylabel("largest weight of the base model", fontsize=style.TEXT)
        figure.legend(handles=violins.legend(counts), loc="outside upper center", ncols=max(counts) + 1)
    return figure
