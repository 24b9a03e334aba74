"""Downloads that report progress, try again, continue where they broke off, and end in the right file or one error."""

import re
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path

import requests

from attention_audit.artefacts.files import checksum
from attention_audit.corpus.source import RemoteFile
from attention_audit.errors import AuditError

ATTEMPTS = 3
PAUSE = 2.0
TIMEOUT = 30.0
CHUNK = 2**16
STEP = 50_000_000
"""Bytes between two messages on progress where the size of the file is unknown."""

Report = Callable[[str], None]


class DownloadProgress:
    """Reports every tenth of a file, or every STEP bytes where the file's size is unknown."""

    def __init__(self, url: str, done: int, total: int | None, report: Report) -> None:
        self._url = url
        self._done = done
        self._total = total
        self._report = report
        self._steps = self._passed()

    def _passed(self) -> int:
        return 10 * self._done // self._total if self._total else self._done // STEP

    def update(self, count: int) -> None:
        """Add `count` received bytes."""
        self._done += count
        if self._passed() > self._steps:
            self._steps = self._passed()
            done = f"{10 * self._steps} % of {self._total / 1e6:.1f}" if self._total else f"{self._done / 1e6:.0f}"
            self._report(f"{self._url}: {done} MB")


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


def may_pass(error: requests.RequestException) -> bool:
    """Whether another attempt may succeed; not where the server has answered that it refuses the request."""
    return error.response is None or error.response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR


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


class Transfer:
    """The download of one file to `target`, by as many requests as it takes.

    What is already at `target` counts as the beginning of the file, if a checksum will show whether that is true.
    """

    def __init__(self, remote: RemoteFile, url: str, target: Path, report: Report) -> None:
        self._remote = remote
        self._url = url
        self._target = target
        self._report = report
        self._version: str | None = None

    def proceed(self) -> None:
        """Make one more request for what `target` lacks, or for the whole file where the server cannot continue.

        Raises RequestException where it fails, and AuditError where the server's file does not have the declared size.
        """
        done = self._done()
        with self._ask(done) as response:
            if not (done and self._cannot_continue(response, done)):
                response.raise_for_status()
                self._receive(response)
                return
        self._target.unlink()
        self.proceed()

    def _done(self) -> int:
        """How many bytes to continue from; 0 where two versions of the file could get mixed without being noticed."""
        safe = self._remote.sha256 or self._version
        return self._target.stat().st_size if safe and self._target.exists() else 0

    def _ask(self, start: int) -> requests.Response:
        headers = {"Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
            if self._version:
                headers["If-Range"] = self._version
        return requests.get(self._url, headers=headers, stream=True, timeout=TIMEOUT)

    def _cannot_continue(self, response: requests.Response, done: int) -> bool:
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
        progress = DownloadProgress(self._url, start, total, self._report)
        with self._target.open("ab" if start else "wb") as stream:
            for chunk in body(response):
                stream.write(chunk)
                progress.update(len(chunk))
        if total is not None and self._target.stat().st_size != total:
            raise requests.exceptions.ChunkedEncodingError


def check_size(remote: RemoteFile, url: str, target: Path, size: int) -> None:
    """Raises AuditError, and removes `target`, where the config has another size than `size`, in bytes."""
    if remote.bytes not in (None, size):
        target.unlink(missing_ok=True)
        raise AuditError(
            f"{url}: it has {size} bytes, not {remote.bytes} as the config says; check url and bytes there"
        )


def download(remote: RemoteFile, url: str, target: Path, remedy: str, report: Report) -> str:
    """Download `url` to `target`, in at most ATTEMPTS attempts, and return its sha256.

    Raises AuditError where the network fails, with `remedy` at the end of the message; `target` then stays, and another
    run continues from it. Raises AuditError, and removes `target`, where its size or checksum is not the config's.
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
