"""Raw files: from a local mirror, or else from the network; checked before they count."""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import requests

from attention_audit.artefacts.files import whole
from attention_audit.corpus.source import RemoteFile
from attention_audit.errors import AuditError

ATTEMPTS = 3
PAUSE = 2.0
TIMEOUT = 30.0
CHUNK = 2**16
STEP = 50_000_000
"""Bytes between two lines of progress where the size of the file is unknown."""
SUMS = "SHA256SUMS"
"""Name of a mirror's list of checksums, in the format of sha256sum."""

Report = Callable[[str], None]


@dataclass(frozen=True)
class Fetched:
    """What has been fetched. `origin`: "mirror", or the url it was downloaded from.

    `canonical`: whether it is the published file; None where no checksum is published.
    """

    file: str
    origin: str
    bytes: int
    sha256: str
    canonical: bool | None


@contextmanager
def unlocked(path: Path) -> Iterator[None]:
    """Raises AuditError where the block can not read `path`."""
    try:
        yield
    except OSError as error:
        raise AuditError(f"{path}: can not be read ({error.strerror}); unlock it") from error


def checksum(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def holds(mirror: Path, entry: str) -> bool:
    """Whether the mirror has the file `entry`. Raises AuditError where it does not let itself be asked."""
    with unlocked(mirror / entry):
        there = (mirror / entry).is_file()
    return there


def listed_checksum(mirror: Path, entry: str) -> str | None:
    """The sha256 that the mirror's list gives for `entry` (<folder>/<file>); None where there is no list or entry.

    Raises AuditError at a line that is not one of sha256sum's.
    """
    sums = mirror / SUMS
    with unlocked(sums):
        text = sums.read_text(errors="replace") if sums.is_file() else ""
    for number, line in enumerate(text.splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if line.strip() and not match:
            raise AuditError(f"{sums}: line {number}: not '<sha256>  <folder>/<file>'; write it anew with sha256sum")
        if match and match[2].removeprefix("./") == entry:
            return match[1]
    return None


def copy(source: Path, target: Path) -> None:
    """Copy a file of the mirror. Raises AuditError where it can not be read."""
    with unlocked(source):
        stream = source.open("rb")
    with stream, target.open("wb") as copied:
        shutil.copyfileobj(stream, copied, CHUNK)


class Progress:
    """A line for every tenth of a file, or for every STEP bytes where its size is unknown."""

    def __init__(self, url: str, done: int, total: int | None, report: Report) -> None:
        self._url = url
        self._done = done
        self._total = total
        self._report = report
        self._steps = self._passed()

    def _passed(self) -> int:
        return 10 * self._done // self._total if self._total else self._done // STEP

    def update(self, count: int) -> None:
        """`count` more bytes have come."""
        self._done += count
        if self._passed() > self._steps:
            self._steps = self._passed()
            done = f"{10 * self._steps} % of {self._total / 1e6:.1f}" if self._total else f"{self._done / 1e6:.0f}"
            self._report(f"{self._url}: {done} MB")


def reason(error: requests.RequestException) -> str:
    """A failed request in a few words."""
    match error:
        case requests.HTTPError(response=requests.Response() as response):
            return f"the server answers {response.status_code} {response.reason}"
        case requests.Timeout():
            return f"no answer within {TIMEOUT:g} s"
        case requests.exceptions.SSLError():
            return "its certificate is refused"
        case requests.exceptions.ChunkedEncodingError():
            return "the transfer broke off"
        case requests.ConnectionError():
            return "no connection"
    return type(error).__name__


def may_pass(error: requests.RequestException) -> bool:
    """Whether another attempt may succeed: not where the server has answered that it refuses."""
    return error.response is None or error.response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR


def validator(response: requests.Response) -> str | None:
    """What tells this version of the file from a later one, as If-Range takes it (RFC 9110, 13.1.5)."""
    tag = response.headers.get("ETag", "W/")
    return response.headers.get("Last-Modified") if tag.startswith("W/") else tag


def extent(response: requests.Response) -> tuple[int, int | None]:
    """Where the bytes of an answer begin in the file, and how many the whole file has; None where it does not say."""
    match = re.fullmatch(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)", response.headers.get("Content-Range", ""))
    if response.status_code == HTTPStatus.PARTIAL_CONTENT and match:
        return int(match[1]), None if match[2] == "*" else int(match[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() else None


def body(response: requests.Response) -> Iterator[bytes]:
    """The bytes of an answer, just as sent. Raises Timeout, or ChunkedEncodingError where they end too early."""
    # some servers declare .gz to be an encoding of the transfer: unpacked, it would not be the published file
    response.raw.headers.pop("Content-Encoding", None)
    try:
        yield from response.iter_content(CHUNK)
    except requests.exceptions.SSLError as error:
        raise requests.exceptions.ChunkedEncodingError(error) from error
    except requests.ConnectionError as error:  # so does requests call a silence in the middle
        raise requests.ReadTimeout(error) from error


class Transfer:
    """One file on its way from the network to `target`, by as many requests as it takes.

    What lies at `target` is taken for its beginning where a checksum will tell whether it was.
    """

    def __init__(self, remote: RemoteFile, url: str, target: Path, report: Report) -> None:
        self._remote = remote
        self._url = url
        self._target = target
        self._report = report
        self._version: str | None = None

    def proceed(self) -> None:
        """One more request, for what `target` lacks, or for all where the server can not go on from there.

        Raises RequestException where it fails, AuditError where the server's file has not the size it should have.
        """
        done = self._done()
        with self._ask(done) as response:
            if not (done and self._can_not_go_on(response, done)):
                response.raise_for_status()
                self._receive(response)
                return
        self._target.unlink()
        self.proceed()

    def _done(self) -> int:
        """How many bytes to go on from: none where two versions of the file could get mixed unseen."""
        safe = self._remote.sha256 or self._version
        return self._target.stat().st_size if safe and self._target.exists() else 0

    def _ask(self, start: int) -> requests.Response:
        headers = {"Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
            if self._version:
                headers["If-Range"] = self._version
        return requests.get(self._url, headers=headers, stream=True, timeout=TIMEOUT)

    def _can_not_go_on(self, response: requests.Response, done: int) -> bool:
        if response.status_code == HTTPStatus.PARTIAL_CONTENT:
            start, _ = extent(response)
            return start != done or self._version not in (None, validator(response))
        return response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE

    def _receive(self, response: requests.Response) -> None:
        start, total = extent(response)
        self._version = validator(response)
        if total is not None:
            check_size(self._remote, self._url, self._target, total)
        if start:
            self._report(f"{self._url}: going on at {start / 1e6:.1f} MB")
        progress = Progress(self._url, start, total, self._report)
        with self._target.open("ab" if start else "wb") as stream:
            for chunk in body(response):
                stream.write(chunk)
                progress.update(len(chunk))
        if total is not None and self._target.stat().st_size != total:
            raise requests.exceptions.ChunkedEncodingError


def check_size(remote: RemoteFile, url: str, target: Path, found: int) -> None:
    """Raises AuditError, and removes `target`, where the config knows another size than `found`, in bytes."""
    if remote.bytes not in (None, found):
        target.unlink(missing_ok=True)
        raise AuditError(
            f"{url}: it has {found} bytes, not {remote.bytes} as the config says; check url and bytes there"
        )


def download(remote: RemoteFile, url: str, target: Path, remedy: str, report: Report) -> str:
    """Download `url` to `target`, in ATTEMPTS attempts, and return its sha256, which is the config's if that has one.

    Raises AuditError, ending in `remedy` where the network fails; then `target` stays for another run to go on from.
    It is removed where it proves to be the wrong file.
    """
    transfer = Transfer(remote, url, target, report)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            transfer.proceed()
            break
        except requests.RequestException as error:
            if attempt == ATTEMPTS or not may_pass(error):
                raise AuditError(f"{url}: {reason(error)}; {remedy}") from error
            report(f"{url}: {reason(error)}; trying again")
            time.sleep(PAUSE * attempt)
    check_size(remote, url, target, target.stat().st_size)
    sha256 = checksum(target)
    if remote.sha256 not in (None, sha256):
        target.unlink()
        raise AuditError(
            f"{url}: its sha256 is {sha256}, not {remote.sha256} as the config says; check the url, or run again"
        )
    return sha256


def take(remote: RemoteFile, mirror: Path, entry: str, target: Path, report: Report) -> str:
    """Copy `entry` of the mirror to `target` and return its sha256.

    Where the mirror lists its checksum, that decides: a mirror may hold a file of its own making. Else the config's.
    Raises AuditError where it is another, or the file can not be read.
    """
    place = mirror / entry
    listed = listed_checksum(mirror, entry)
    copy(place, target)
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

    `report` is given lines of progress. `homepage`: where the file can be asked for.
    Raises AuditError, and leaves nothing at `destination`, where the file can not be had or is not the right one. If
    the network fails and the checksum is known, what has come stays beside it, hidden, for the next run to go on from.
    """
    entry = f"{folder}/{remote.file}"
    place = (mirror or Path("<mirror>")) / entry
    ask = f"get it from {homepage} and " if homepage else ""
    begun = destination.with_name(f".{destination.name}.download")
    with whole(destination) as temporary:
        if mirror and holds(mirror, entry):
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
