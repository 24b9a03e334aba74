"""The settings of a training job, and of a search, whose job has several models."""

from attention_audit.training.settings import SearchSettings, TrainSettings


class TrainJob(TrainSettings):
    """A model of one data set, to be trained with one seed and read out on every split.

    maps: further maps of a Transformer classifier that are read out.
    """

    maps: list[str] = []


class SearchJob(SearchSettings):
    """A search by continuation with one seed, all of whose models are read out on every split.

    models: of the steps, by their names in paths.
    """

    models: list[str]
