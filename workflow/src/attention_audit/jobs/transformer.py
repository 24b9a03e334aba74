"""The settings of the jobs that know a Transformer: which one it is, and its states of the words of a data set."""

from typing import Literal

from attention_audit.section import Count, Section
from attention_audit.transformer.settings import Backbone


class TransformerJob(Section):
    """A Transformer to be told by the checksums of its files; `path` is that of the configuration."""

    path: str


class StatesJob(Section):
    """The states of a frozen Transformer of the words of one data set; pair: whether it has pairs of texts."""

    dataset: str
    backbone: Backbone
    pair: bool
    device: Literal["auto", "cpu", "cuda"]
    threads: Count
