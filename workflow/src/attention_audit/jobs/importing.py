"""The settings of a job that imports a model which is not trained here."""

from typing import Literal

from attention_audit.section import Count, Section, Seed
from attention_audit.transformer.settings import ReadClassifier


class ImportJob(Section):
    """Trainings of a model of one data set, to be read from what the user has of them.

    model: its name in messages. seeds: the numbers of the trainings, in the order of the job's inputs and outputs.
    """

    dataset: str
    model: str
    seeds: list[Seed]


class ClassifierJob(ImportJob):
    """Trainings of a Transformer classifier. read: the folder of each, and how it is read."""

    read: list[ReadClassifier]
    device: Literal["auto", "cpu", "cuda"]
    threads: Count
