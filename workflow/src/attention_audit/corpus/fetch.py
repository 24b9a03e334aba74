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
    """Count the tenths of a file that are there, or STEP bytes where its size is unknown; and say so in words."""
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


def check_size(remote: RemoteFile, origin: str, target: Path, size: int) -> None:
    """Raise AuditError, and remove `target`, where the config has another size than `size`, in bytes."""
    if remote.bytes not in (None, size):
        target.unlink(missing_ok=True)
        raise AuditError(f"{origin}: it has {size} bytes, not {remote.bytes} as the config says; check its entry there")


def receive(response: requests.Response, remote: RemoteFile, url: str, target: Path, report: Report) -> None:
    """Write the bytes of an answer exactly as sent: behind those of `target`, or from the beginning of the file.

    Raises AuditError as `check_size` does, Timeout, and ChunkedEncodingError where the bytes end too early.
    """
    done, total = extent(response)
    if total is not None:
        check_size(remote, url, target, total)
    if done:
        report(f"{url}: going on at {done / 1e6:.1f} MB")
    told, _ = progress(done, total)
    # some servers declare .gz as the encoding of the transfer; unpacked, it would not be the published file
    response.raw.headers.pop("Content-Encoding", None)
    with target.open("ab" if done else "wb") as stream:
        try:
            for chunk in response.iter_content(CHUNK):
                stream.write(chunk)
                done += len(chunk)
                steps, said = progress(done, total)
                if steps > told:
                    report(f"{url}: {said}")
                told = steps
        except requests.exceptions.SSLError as error:
            raise requests.exceptions.ChunkedEncodingError(error) from error
        except requests.ConnectionError as error:  # requests raises this for a timeout in the middle of an answer
            raise requests.ReadTimeout(error) from error
    if total not in (None, done):
        raise requests.exceptions.ChunkedEncodingError


def download(remote: RemoteFile, url: str, target: Path, remedy: str, report: Report) -> None:
    """Download `url` to `target`, in at most ATTEMPTS attempts.

    What is already at `target` counts as the beginning of the file, if a checksum will show whether that is true.
    Raises AuditError where the network fails, with `remedy` at the end of the message; `target` then stays, and another
    run continues from it. Raises AuditError, and removes `target`, where its size is not the config's.
    """
    version: str | None = None
    attempt = 1
    while True:
        headers = {"Accept-Encoding": "identity"}
        # without either, two versions of the file could get mixed without being noticed
        if done := target.stat().st_size if (remote.sha256 or version) and target.exists() else 0:
            headers |= {"Range": f"bytes={done}-"} | ({"If-Range": version} if version else {})
        try:
            with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
                refused = response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
                if response.status_code == HTTPStatus.PARTIAL_CONTENT:
                    refused = extent(response)[0] != done or version not in (None, validator(response))
                if not (done and refused):
                    response.raise_for_status()
                    version = validator(response)
                    return receive(response, remote, url, target, report)
            # the server cannot continue; only now, as it may serve one request at a time
            target.unlink()
        except requests.RequestException as error:
            # a server that has answered that it refuses a request will refuse it again
            refused = error.response is not None and error.response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
            if attempt == ATTEMPTS or refused:
                raise AuditError(f"{url}: {reason(error)}; {remedy}") from error
            report(f"{url}: {reason(error)}; trying again")
            time.sleep(PAUSE * attempt)
            attempt += 1


def take_wheel(remote: RemoteFile, package: str, target: Path, remedy: str, report: Report) -> None:
    """Bring the wheel of a package to `target`, by pip with the user's own index and proxies.

    Raises AuditError where pip fails, with `remedy` at the end of the message.
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


def take(remote: RemoteFile, mirror: Path, entry: str, target: Path, report: Report) -> str:
    """Copy `entry` of the mirror to `target` and return its sha256.

    The file must have the checksum that the mirror lists for it, since a mirror may have a file of its own in place of
    the published one; or, where the mirror lists none, the checksum in the config. Raises AuditError where the checksum
    differs, the file cannot be read, or the list is not in the format of sha256sum.
    """
    place, sums, listed = mirror / entry, mirror / SUMS, None
    with unlocked(sums):
        text = sums.read_text(errors="replace") if sums.is_file() else ""
    for number, line in enumerate(text.splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](?:\./)?(.+)", line)
        if line.strip() and not match:
            raise AuditError(f"{sums}: line {number}: not '<sha256>  <folder>/<file>'; write it again with sha256sum")
        if match and match[2] == entry:
            listed = match[1]
            break
    with unlocked(place):
        stream = place.open("rb")
    with stream, target.open("wb") as copied:
        shutil.copyfileobj(stream, copied, CHUNK)
    sha256 = checksum(target)
    if (listed or remote.sha256) not in (None, sha256):
        authority = sums if listed else "the config"
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
    entry, mirror = f"{folder}/{remote.file}", mirror or Path("<mirror>")
    place = mirror / entry
    ask = f"get it from {homepage} and " if homepage else ""
    begun = destination.with_name(f".{destination.name}.download")
    with whole(destination) as temporary:
        with unlocked(place):
            is_held = place.is_file()
        if is_held:
            origin, sha256 = "mirror", take(remote, mirror, entry, temporary, report)
        elif not (origin := remote.url or remote.package or ""):
            raise AuditError(f"{remote.file}: not at {place}, and the config has no url for it; {ask}put it there")
        else:
            target = begun if remote.url and remote.sha256 else temporary
            if remote.url:
                remedy = f"check the network and the url in the config, or {ask}put it at {place}"
                download(remote, origin, target, remedy, report)
            else:
                remedy = f"check the network and the settings of pip, or put {remote.file} at {place}; {WITHOUT}"
                take_wheel(remote, origin, target, remedy, report)
            check_size(remote, origin, target, target.stat().st_size)
            sha256 = checksum(target)
            if remote.sha256 not in (None, sha256):
                target.unlink()
                raise AuditError(
                    f"{origin}: its sha256 is {sha256}, not {remote.sha256} as the config says; check the config, or "
                    "run again"
                )
            target.replace(temporary)
        begun.unlink(missing_ok=True)
        size = temporary.stat().st_size
    if remote.sha256 is None:
        report(f"{remote.file}: no checksum is published; its sha256 is {sha256}")
    return Fetched(remote.file, origin, size, sha256, None if remote.sha256 is None else sha256 == remote.sha256)
