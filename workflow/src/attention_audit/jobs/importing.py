"""The settings of the jobs that read what is not trained here: models that are imported, and the Transformer of a run,
with its states of the words of a data set.
"""

from typing import Literal

from attention_audit.section import Count, Section, Seed
from attention_audit.transformer.settings import Backbone, ReadClassifier


class ImportJob(Section):
    """Trainings of a model of one data set, to be read from what the user has of them.

    model: its name in messages. seeds: the numbers of the trainings, in the order of the job's inputs and outputs.
    """

    dataset: str
    model: str
    seeds: list[Seed]


class ClassifierJob(ImportJob):
    """Trainings of a Transformer classifier. read: the folder of each, and how it is read. classes: all of the data
    set's, in order; None where its texts tell them.
    """

    read: list[ReadClassifier]
    classes: list[str] | None
    device: Literal["auto", "cpu", "cuda"]
    threads: Count


class TransformerJob(Section):
    """A Transformer to be told by the checksums of its files; `path` is that of the configuration. fetched: whether it
    lies among the results.
    """

    path: str
    fetched: bool


class StatesJob(Section):
    """The states of a frozen Transformer of the words of one data set; pair: whether it has pairs of texts."""

    dataset: str
    backbone: Backbone
    pair: bool
    device: Literal["auto", "cpu", "cuda"]
    threads: Count
