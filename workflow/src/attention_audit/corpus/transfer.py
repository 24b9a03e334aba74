"""Downloads that show progress, try again, go on where they broke off, and end in the right file or in one line."""

from __future__ import annotations

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
"""Bytes between two lines of progress where the size of the file is unknown."""

Report = Callable[[str], None]


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
