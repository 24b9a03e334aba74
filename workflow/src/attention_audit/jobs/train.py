"""The settings of a training job."""

from __future__ import annotations

from attention_audit.training.settings import TrainSettings


class TrainJob(TrainSettings):
    """A model of one data set, to be trained with each of its seeds and read out on every split.

    training_code: hash of the code that trains, without that which reads out; weights that carry it, with the same
    settings and inputs, are kept.
    """

    training_code: str
