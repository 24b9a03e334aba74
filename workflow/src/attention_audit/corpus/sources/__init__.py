"""The list of all kinds of data sets; a new source is added here."""

from typing import Annotated

from pydantic import Field

from .annotated import EraserCorpus, SstCorpus, YelpHatCorpus
from .control import ControlCorpus, ShortcutCorpus
from .labelled import ImdbCorpus, JmarsCorpus, MoviesCorpus, NewsgroupsCorpus, TaggedCorpus, ZhangCorpus
from .mimic import MimicCorpus
from .pairs import BabiCorpus, CnnCorpus, EsnliCorpus, SnliCorpus
from .table import ReadoutCorpus, TableCorpus

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
