"""Figure 3 of Wiegreffe & Pinter 2019: does an adversary move attention further than another seed does?"""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from attention_audit.figures import style, violins
from attention_audit.figures.panels import LETTERS, PAD, describe, filled
from attention_audit.names import Names, display_name
from attention_audit.tables.classes import class_names

MARGIN, TITLE = 0.8, 0.65  # inches
COLUMNS = 2


def median_over_seeds(comparison: pd.DataFrame) -> pd.DataFrame:
    """One row for each test text: the median JSD between the base model and its further seeds."""
    seeds = comparison[comparison["model"] == "base"]
    keys = ["dataset", "id", "base_prediction", "base_max_attention"]
    return seeds.groupby(keys, sort=False)["jsd"].median().reset_index()


def wp_fig3_seed_variance(
    comparison: pd.DataFrame, instance_adversary: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names
) -> Figure:
    """Densities of JSD (nats) from the base model's attention, by its largest weight and predicted class.

    For each data set: left, the median over further seeds (the authors' choice, in their code); right, Jain & Wallace's
    per-instance adversary; above in the paper's bins, below in quarters of the texts. More than violins.MOST classes
    are pooled. From columns.COMPARISON and INSTANCE_ADVERSARY rows of any number of data sets, and columns.CENSUS
    frames by data set. Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown(comparison["model"].unique())
    instance_adversary = instance_adversary[instance_adversary["model"] == "base"]
    shown = {"further seeds": median_over_seeds(comparison), "per-instance adversary": instance_adversary}
    shown = {
        what: violins.instances_of(frame, "jsd", "base_max_attention", "base_prediction")
        for what, frame in shown.items()
    }
    names = class_names(census)
    datasets = [str(dataset) for dataset in comparison["dataset"].unique()]
    bins = {
        dataset: violins.both(instance_adversary.loc[instance_adversary["dataset"] == dataset, "base_max_attention"])
        for dataset in datasets
    }
    heights = [
        violins.height(part, violins.classes_of(names[dataset])) for dataset in datasets for part in bins[dataset]
    ]
    with style.house_style(violins.written(names)):
        size = (style.WIDTH, sum(heights) + TITLE * len(datasets) + MARGIN)
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(heights), COLUMNS, sharex=True, sharey="row", squeeze=False, height_ratios=heights)
        for place, dataset in enumerate(datasets):
            rows = panels[COLUMNS * place : COLUMNS * (place + 1)]
            for cell, (what, frame) in zip(rows.T, shown.items(), strict=True):
                for axes in cell:
                    violins.up_to_ln2(axes)
                violins.draw_both(cell, frame[frame["dataset"] == dataset], names[dataset], bins[dataset])
                for axes in cell:
                    axes.tick_params(labelbottom=True, labelleft=True)
                name = filled([f"{display_name(dataset)}: {what}", violins.key(names[dataset])], LETTERS[COLUMNS])
                cell[0].set_title(name, loc="left", fontsize=style.TEXT, pad=PAD)
            for axes, label in zip(rows[:, 0], (violins.PAPERS, violins.OURS), strict=True):
                axes.set_ylabel(label, fontsize=style.SMALL)
        describe(
            figure,
            "JSD from the base model's attention (nats)",
            "0: the same map; ln 2: maps that share no word",
            "largest weight of the base model in the text",
        )
    return figure
