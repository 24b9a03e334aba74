"""ranked sets -> comprehensiveness and sufficiency of each ranking."""

from __future__ import annotations

import pandas as pd

from attention_audit.columns.ranked_sets import RANKED_SETS
from attention_audit.figures.faithfulness import curve_points, ss_fig_aopc
from attention_audit.stages.job import Job
from attention_audit.stages.publish_figure import publish_figure
from attention_audit.stages.slim import slim_frames

COLUMNS = ("dataset", "model", "seed", "id", "ranking", "comprehensiveness_curve", "sufficiency_curve")


def run(job: Job) -> None:
    """Draw the figure."""
    frames = slim_frames(job, "ranked_sets", RANKED_SETS, COLUMNS)
    points = [curve_points(frame, job.settings["resamples"]) for frame in frames]
    publish_figure(job, ss_fig_aopc(pd.concat(points, ignore_index=True)))
