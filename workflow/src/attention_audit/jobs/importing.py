"""The settings of the jobs that read what is not trained here: models that are imported, and the Transformer of a run,
with its states of the words of a data set.
"""

from typing import Literal

from attention_audit.section import Count, Section, Seed
from attention_audit.transformer.settings import Backbone, ReadClassifier


class ImportJob(Section):
    """A training of a model of one data set, to be read from what the user has of it. seed: its number."""

    dataset: str
    model: str
    seed: Seed


class ClassifierJob(ImportJob):
    """A training of a Transformer classifier. read: its folder, and how it is read. first: those of the model's first
    training, which is to read the same words. classes: all of the data set's, in order; None where its texts tell them.
    """

    read: ReadClassifier
    first: ReadClassifier
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
