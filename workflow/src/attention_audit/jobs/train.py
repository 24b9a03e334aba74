"""The settings of a training job, and of those with several models: a search, and trainings on masked texts."""

from pydantic import Field

from attention_audit.training.settings import MaskedSettings, SearchSettings, TrainSettings


class TrainJob(TrainSettings):
    """A model of one data set, to be trained with one seed and read out on every split.

    training_code: hash of the code that trains, without that which reads out; weights that carry it, with the same
    settings and inputs, are kept. maps: further maps of a Transformer classifier that are read out.
    """

    training_code: str
    maps: list[str] = Field(default_factory=list)


class SearchJob(SearchSettings):
    """A search by continuation with one seed, all of whose models are read out on every split.

    models: of the steps, by their names in paths. training_code: as that of a training.
    """

    models: list[str]
    training_code: str


class MaskedJob(MaskedSettings):
    """The trainings on masked texts of one order and seed. training_code: as that of a training."""

    training_code: str
