"""Downloads that report progress, try again, continue where they broke off, and end in the right file or one error."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


@dataclass
class Transfer:
    """The download of one file to `target`, by as many requests as it takes. version: of the file, as the server says.

    What is already at `target` counts as the beginning of the file, if a checksum will show whether that is true.
    """

    remote: RemoteFile
    url: str
    target: Path
    report: Report
    version: str | None = None

    def proceed(self) -> None:
        """Make one more request for what `target` lacks, or for the whole file where the server cannot continue.

        Raises RequestException where it fails, and AuditError where the server's file does not have the declared size.
        """
        headers = {"Accept-Encoding": "identity"}
        # without either, two versions of the file could get mixed without being noticed
        known = self.remote.sha256 or self.version
        if done := self.target.stat().st_size if known and self.target.exists() else 0:
            headers |= {"Range": f"bytes={done}-"} | ({"If-Range": self.version} if self.version else {})
        with requests.get(self.url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if not (done and self._cannot_continue(response, done)):
                response.raise_for_status()
                self._receive(response)
                return
        self.target.unlink()
        self.proceed()

    def _cannot_continue(self, response: requests.Response, done: int) -> bool:
        if response.status_code == HTTPStatus.PARTIAL_CONTENT:
            return extent(response)[0] != done or self.version not in (None, validator(response))
        return response.status_code == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE

    def _receive(self, response: requests.Response) -> None:
        done, total = extent(response)
        self.version = validator(response)
        if total is not None:
            check_size(self.remote, self.url, self.target, total)
        if done:
            self.report(f"{self.url}: going on at {done / 1e6:.1f} MB")
        told, _ = progress(done, total)
        with self.target.open("ab" if done else "wb") as stream:
            for chunk in body(response):
                stream.write(chunk)
                done += len(chunk)
                steps, said = progress(done, total)
                if steps > told:
                    self.report(f"{self.url}: {said}")
                told = steps
        if total not in (None, done):
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
