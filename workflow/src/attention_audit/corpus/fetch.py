"""Fetching raw files from a local mirror, or else from the network or the package index, and checking them before use.

Downloads report progress, try again, continue where they broke off, and end in the right file or one error.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory

import requests

from attention_audit.artefacts.files import checksum, whole
from attention_audit.corpus.source import RemoteFile
from attention_audit.errors import AuditError

ATTEMPTS = 3
PAUSE = 2.0
TIMEOUT = 30.0
CHUNK = 2**16
STEP = 50_000_000
"""Bytes between two messages on progress where the size of the file is unknown."""

PIPLESS = "is pip installed beside this Python?"
"""What may be wrong where pip names no error."""
WITHOUT = "`make controls` runs without it, on generated texts"
SUMS = "SHA256SUMS"
"""Name of a mirror's list of checksums, in the format of sha256sum."""

Report = Callable[[str], None]


def progress(done: int, total: int | None) -> tuple[int, str]:
    """How many tenths of a file are there, or how many times STEP bytes where its size is unknown; and in words."""
    if not total:
        return done // STEP, f"{done / 1e6:.0f} MB"
    tenths = 10 * done // total
    return tenths, f"{10 * tenths} % of {total / 1e6:.1f} MB"


def reason(error: requests.RequestException) -> str:
    """Why a request failed, in a few words."""
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


def validator(response: requests.Response) -> str | None:
    """The header that tells this version of the file from later ones, for If-Range (RFC 9110, 13.1.5)."""
    tag = response.headers.get("ETag", "W/")
    return response.headers.get("Last-Modified") if tag.startswith("W/") else tag


def extent(response: requests.Response) -> tuple[int, int | None]:
    """Where the bytes of an answer begin in the file, and the size of the whole file; None where that is not said."""
    match = re.fullmatch(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)", response.headers.get("Content-Range", ""))
    if response.status_code == HTTPStatus.PARTIAL_CONTENT and match:
        return int(match[1]), None if match[2] == "*" else int(match[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() else None


def body(response: requests.Response) -> Iterator[bytes]:
    """The bytes of an answer exactly as sent. Raises Timeout, or ChunkedEncodingError where they end too early."""
    # some servers declare .gz as the encoding of the transfer; unpacked, it would not be the published file
    response.raw.headers.pop("Content-Encoding", None)
    try:
        yield from response.iter_content(CHUNK)
    except requests.exceptions.SSLError as error:
        raise requests.exceptions.ChunkedEncodingError(error) from error
    except requests.ConnectionError as error:  # requests raises this for a timeout in the middle of an answer
        raise requests.ReadTimeout(error) from error


def check_size(remote: RemoteFile, url: str, target: Path, size: int) -> None:
    """Raises AuditError, and removes `target`, where the config has another size than `size`, in bytes."""
    if remote.bytes not in (None, size):
        target.unlink(missing_ok=True)
        raise AuditError(f"{url}: it has {size} bytes, not {remote.bytes} as the config says; check its entry there")


def download(remote: RemoteFile, url: str, target: Path, remedy: str, report: Report) -> str:
    """Download `url` to `target`, in at most ATTEMPTS attempts, and return its sha256.

    What is already at `target` counts as the beginning of the file, if a checksum will show whether that is true.
    Raises AuditError where the network fails, with `remedy` at the end of the message; `target` then stays, and another
    run continues from it. Raises AuditError, and removes `target`, where its size or checksum is not the config's.
    """
    version: str | None = None

    def receive(response: requests.Response, done: int, total: int | None) -> None:
        """Write what an answer holds behind the `done` bytes of `target`."""
        if total is not None:
            check_size(remote, url, target, total)
        if done:
            report(f"{url}: going on at {done / 1e6:.1f} MB")
        told, _ = progress(done, total)
        with target.open("ab" if done else "wb") as stream:
            for chunk in body(response):
                stream.write(chunk)
                done += len(chunk)
                steps, said = progress(done, total)
                if steps > told:
                    report(f"{url}: {said}")
                told = steps
        if total not in (None, done):
            raise requests.exceptions.ChunkedEncodingError

    def proceed() -> None:
        """Make one more request for what `target` lacks, or for the whole file where the server cannot continue."""
        nonlocal version
        headers = {"Accept-Encoding": "identity"}
        # without either, two versions of the file could get mixed without being noticed
        known = remote.sha256 or version
        if done := target.stat().st_size if known and target.exists() else 0:
            headers |= {"Range": f"bytes={done}-"} | ({"If-Range": version} if version else {})
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            start, total = extent(response)
            refused = response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
            if response.status_code == HTTPStatus.PARTIAL_CONTENT:
                refused = start != done or version not in (None, validator(response))
            if not (done and refused):
                response.raise_for_status()
                version = validator(response)
                return receive(response, start, total)
        # only now, as a server may serve one request at a time
        target.unlink()
        proceed()

    for attempt in range(1, ATTEMPTS + 1):
        try:
            proceed()
            break
        except requests.RequestException as error:
            # a server that has answered that it refuses a request will refuse it again
            refused = error.response is not None and error.response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
            if attempt == ATTEMPTS or refused:
                raise AuditError(f"{url}: {reason(error)}; {remedy}") from error
            report(f"{url}: {reason(error)}; trying again")
            time.sleep(PAUSE * attempt)
    return checked(remote, url, target)


def checked(remote: RemoteFile, origin: str, target: Path) -> str:
    """The sha256 of what came to `target`. Raises AuditError, and removes it, where that or its size is another one."""
    check_size(remote, origin, target, target.stat().st_size)
    sha256 = checksum(target)
    if remote.sha256 not in (None, sha256):
        target.unlink()
        raise AuditError(
            f"{origin}: its sha256 is {sha256}, not {remote.sha256} as the config says; check the config, or run again"
        )
    return sha256


def from_index(remote: RemoteFile, package: str, target: Path, remedy: str, report: Report) -> str:
    """Bring the wheel of a package to `target`, by pip with the user's own index and proxies, and return its sha256.

    Raises AuditError where pip fails, with `remedy` at the end of the message, and where the wheel is another one.
    """
    report(f"{package}: pip fetches its wheel from the package index")
    with TemporaryDirectory() as folder:
        # a wheel runs nothing when it is fetched; a source distribution would
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input", "--quiet"]
        answer = subprocess.run([*command, "--dest", folder, package], capture_output=True, text=True, check=False)
        wheel = Path(folder) / remote.file
        if not wheel.is_file():
            errors = [line for line in answer.stderr.splitlines() if line.startswith("ERROR:")] or [PIPLESS]
            raise AuditError(f"{package}: pip cannot fetch it ({errors[0].removeprefix('ERROR: '):.200}); {remedy}")
        shutil.copyfile(wheel, target)
    return checked(remote, package, target)


@dataclass(frozen=True)
class Fetched:
    """A fetched file. origin: "mirror", the url from which it was downloaded, or the package whose wheel it is.

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
        elif remote.package:
            origin = remote.package
            remedy = f"check the network and the settings of pip, or put {remote.file} at {place}; {WITHOUT}"
            sha256 = from_index(remote, remote.package, temporary, remedy, report)
        else:
            raise AuditError(f"{remote.file}: not at {place}, and the config has no url for it; {ask}put it there")
        begun.unlink(missing_ok=True)
        size = temporary.stat().st_size
    if remote.sha256 is None:
        report(f"{remote.file}: no checksum is published; its sha256 is {sha256}")
    return Fetched(remote.file, origin, size, sha256, None if remote.sha256 is None else sha256 == remote.sha256)
