"""Fetching raw files from a local mirror or else from the network, and checking them before they are used."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from attention_audit.artefacts.files import checksum, whole
from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.transfer import CHUNK, Report, download
from attention_audit.errors import AuditError

SUMS = "SHA256SUMS"
"""Name of a mirror's list of checksums, in the format of sha256sum."""


@dataclass(frozen=True)
class Fetched:
    """A fetched file. origin: "mirror", or the url from which it was downloaded.

    canonical: whether it is the published file; None where no checksum is published.
    """

    file: str
    origin: str
    bytes: int
    sha256: str
    canonical: bool | None


@contextmanager
def unlocked(path: Path) -> Iterator[None]:
    """Raises AuditError where the block cannot read `path`."""
    try:
        yield
    except OSError as error:
        raise AuditError(f"{path}: cannot be read ({error.strerror}); unlock it") from error


def listed_checksum(mirror: Path, entry: str) -> str | None:
    """The sha256 that the mirror's list has for `entry` (<folder>/<file>); None where there is no list or no entry.

    Raises AuditError at a line that is not in the format of sha256sum.
    """
    sums = mirror / SUMS
    with unlocked(sums):
        text = sums.read_text(errors="replace") if sums.is_file() else ""
    for number, line in enumerate(text.splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if line.strip() and not match:
            raise AuditError(f"{sums}: line {number}: not '<sha256>  <folder>/<file>'; write it again with sha256sum")
        if match and match[2].removeprefix("./") == entry:
            return match[1]
    return None


def take(remote: RemoteFile, mirror: Path, entry: str, target: Path, report: Report) -> str:
    """Copy `entry` of the mirror to `target` and return its sha256.

    The file must have the checksum that the mirror lists for it, since a mirror may have a file of its own in place of
    the published one; or, where the mirror lists none, the checksum in the config. Raises AuditError where the checksum
    differs or the file cannot be read.
    """
    place = mirror / entry
    listed = listed_checksum(mirror, entry)
    with unlocked(place):
        stream = place.open("rb")
    with stream, target.open("wb") as copied:
        shutil.copyfileobj(stream, copied, CHUNK)
    sha256 = checksum(target)
    if (listed or remote.sha256) not in (None, sha256):
        authority = mirror / SUMS if listed else "the config"
        raise AuditError(
            f"{place}: its sha256 is {sha256}, not {listed or remote.sha256} as {authority} says; replace the file"
        )
    if remote.sha256 not in (None, sha256):
        report(f"{place}: not the published bytes, whose sha256 is {remote.sha256}; the mirror's list vouches for it")
    return sha256


def fetch(
    remote: RemoteFile, folder: str, mirror: Path | None, destination: Path, report: Report, homepage: str = ""
) -> Fetched:
    """Bring a raw file to `destination`: from <mirror>/<folder>/<file> where that exists, else from its url.

    `report` receives messages on progress. `homepage`: where a user can ask for the file. Raises AuditError, and leaves
    nothing at `destination`, where the file is not available or is not the right one. If the network fails and the
    checksum is known, the bytes received so far stay in a hidden file beside it, and the next run continues from them.
    """
    entry = f"{folder}/{remote.file}"
    place = (mirror or Path("<mirror>")) / entry
    ask = f"get it from {homepage} and " if homepage else ""
    begun = destination.with_name(f".{destination.name}.download")
    with whole(destination) as temporary:
        with unlocked(place):
            held = mirror is not None and place.is_file()
        if mirror and held:
            origin = "mirror"
            sha256 = take(remote, mirror, entry, temporary, report)
        elif remote.url:
            origin = remote.url
            remedy = f"check the network and the url in the config, or {ask}put it at {place}"
            target = begun if remote.sha256 else temporary
            sha256 = download(remote, remote.url, target, remedy, report)
            target.replace(temporary)
        else:
            raise AuditError(f"{remote.file}: not at {place}, and the config has no url for it; {ask}put it there")
        begun.unlink(missing_ok=True)
        size = temporary.stat().st_size
    if remote.sha256 is None:
        report(f"{remote.file}: no checksum is published; its sha256 is {sha256}")
    return Fetched(remote.file, origin, size, sha256, None if remote.sha256 is None else sha256 == remote.sha256)
