"""The list of all kinds of data sets; a new source is added here."""

from typing import Annotated

from pydantic import Field

from .sources.annotated import EraserCorpus, YelpHatCorpus
from .sources.control import ControlCorpus
from .sources.labelled import (
    ImdbCorpus,
    JmarsCorpus,
    MoviesCorpus,
    NewsgroupsCorpus,
    TaggedCorpus,
    ZhangCorpus,
)
from .sources.mimic import MimicCorpus
from .sources.pairs import BabiCorpus, CnnCorpus, EsnliCorpus, SnliCorpus
from .sources.shortcut import ShortcutCorpus
from .sources.sst import SstCorpus
from .sources.table import ReadoutCorpus, TableCorpus

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
