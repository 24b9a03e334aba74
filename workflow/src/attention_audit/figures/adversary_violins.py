"""Figures 6-8 of Jain & Wallace 2019: how far attention can move while the prediction stays."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from attention_audit.figures import style, violins
from attention_audit.figures.by_weight import by_weight
from attention_audit.figures.panels import describe
from attention_audit.names import Names
from attention_audit.tables.classes import class_names


def jw_fig_adversary(instance_adversary: pd.DataFrame, census: Mapping[str, pd.DataFrame], models: Names) -> Figure:
    """The greatest JSD (nats) that an adversary reaches within epsilon, by the largest weight and predicted class.

    Two panels for each data set and model, in the paper's bins and in quarters of the texts; more than violins.MOST
    classes are pooled. From columns.INSTANCE_ADVERSARY rows of any number of data sets, and columns.CENSUS frames by
    data set; `models` names and orders the panels.
    """
    instances = violins.instances_of(instance_adversary, "jsd", "base_max_attention", "base_prediction")
    names = class_names(census)
    with style.house_style(violins.written(names)):
        figure = by_weight(instances, names, models, violins.up_to_ln2)
        describe(
            figure,
            "greatest JSD from the model's own attention, with nearly the same prediction (nats)",
            "0: no other map would do; ln 2: a map that shares no word would do as well",
            "largest weight of the text",
        )
    return figure
