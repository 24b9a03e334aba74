"""The list of all kinds of data sets; a new source is added here."""

from typing import Annotated

from pydantic import Field

from attention_audit.corpus.sources.annotated import EraserCorpus, YelpHatCorpus
from attention_audit.corpus.sources.control import ControlCorpus
from attention_audit.corpus.sources.labelled import (
    ImdbCorpus,
    JmarsCorpus,
    MoviesCorpus,
    NewsgroupsCorpus,
    TaggedCorpus,
    ZhangCorpus,
)
from attention_audit.corpus.sources.mimic import MimicCorpus
from attention_audit.corpus.sources.pairs import BabiCorpus, CnnCorpus, EsnliCorpus, SnliCorpus
from attention_audit.corpus.sources.shortcut import ShortcutCorpus
from attention_audit.corpus.sources.sst import SstCorpus
from attention_audit.corpus.sources.table import ReadoutCorpus, TableCorpus

Corpus = Annotated[
    ControlCorpus
    | ShortcutCorpus
    | TableCorpus
    | ReadoutCorpus
    | MoviesCorpus
    | SstCorpus
    | ImdbCorpus
    | NewsgroupsCorpus
    | ZhangCorpus
    | MimicCorpus
    | JmarsCorpus
    | SnliCorpus
    | BabiCorpus
    | CnnCorpus
    | TaggedCorpus
    | YelpHatCorpus
    | EsnliCorpus
    | EraserCorpus,
    Field(discriminator="kind"),
]
