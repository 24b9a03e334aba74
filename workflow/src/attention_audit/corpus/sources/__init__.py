"""The list of all kinds of data sets, where a new source is added; and the settings of the job that reads one."""

from typing import Annotated

from pydantic import Field

from attention_audit.section import Section
from attention_audit.transformer.settings import Granularity

from ..source import Vectors
from .annotated import EraserCorpus, SstCorpus, YelpHatCorpus
from .control import ControlCorpus, ShortcutCorpus
from .labelled import ImdbCorpus, JmarsCorpus, MoviesCorpus, TaggedCorpus, ZhangCorpus
from .mimic import MimicCorpus
from .newsgroups import MixedPostsCorpus, NewsgroupsCorpus
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
    | MixedPostsCorpus
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


class CorpusJob(Section):
    """One data set to read.

    files: the fields of `corpus` that name its raw files, in the order of the inputs. vectors: the word vectors of the
    data set, null for random ones. granularity: the units in the place of words; tokenizer: the folder of the one whose
    pieces they are, where it is needed.
    """

    dataset: str
    corpus: Corpus
    files: list[str]
    vectors: Vectors | None
    granularity: Granularity = "word"
    tokenizer: str | None = None
