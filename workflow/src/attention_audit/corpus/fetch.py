"""Raw files: from a local mirror, or else from the network; checked before they count."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pooch
import requests

from attention_audit.artefacts.files import whole
from attention_audit.corpus.settings import RemoteFile
from attention_audit.errors import AuditError

ATTEMPTS = 3
PAUSE = 2.0
TIMEOUT = 30.0
CHUNK = 2**18
SUMS = "SHA256SUMS"
"""Name of a mirror's list of checksums, in the format of sha256sum."""


class Progress:
    """What pooch asks of a progress bar, as a line for every tenth of the file."""

    def __init__(self, url: str, report: Callable[[str], None]) -> None:
        self.total = 0
        self._url = url
        self._report = report
        self._done = 0
        self._tenths = 0

    def update(self, count: int) -> None:
        """`count` more bytes have come."""
        self._done += count
        tenths = min(10, 10 * self._done // self.total) if self.total else 0
        if tenths > self._tenths:
            self._tenths = tenths
            self._report(f"{self._url}: {10 * tenths} % of {self.total / 1e6:.1f} MB")

    def reset(self) -> None:
        """The count starts again; pooch does so at the end, to end on the true size."""
        self._done = 0

    def close(self) -> None:
        """The download is over."""


def listed_checksum(mirror: Path, entry: str) -> str | None:
    """The sha256 that the mirror's list gives for `entry` (<data set>/<file>); None where there is no list or entry.

    Raises AuditError at a line that is not one of sha256sum's.
    """
    sums = mirror / SUMS
    if not sums.is_file():
        return None
    for number, line in enumerate(sums.read_text(errors="replace").splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        if line.strip() and not match:
            raise AuditError(f"{sums}: line {number}: not '<sha256>  <data set>/<file>'; write it anew with sha256sum")
        if match and match[2].removeprefix("./") == entry:
            return match[1]
    return None


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
    return error.response is None or error.response.status_code >= 500


def download(url: str, target: Path, remedy: str, report: Callable[[str], None]) -> None:
    """Download `url` to `target`, in ATTEMPTS attempts. Raises AuditError ending in `remedy`."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            pooch.HTTPDownloader(Progress(url, report), CHUNK, timeout=TIMEOUT)(url, target, None)
            return
        except requests.RequestException as error:
            if error.response is not None:
                error.response.close()
            if attempt == ATTEMPTS or not may_pass(error):
                raise AuditError(f"{url}: {reason(error)}; {remedy}") from error
            report(f"{url}: {reason(error)}; trying again")
            time.sleep(PAUSE * attempt)


def copy(source: Path, target: Path) -> None:
    """Copy a file of the mirror. Raises AuditError where it can not be read."""
    try:
        stream = source.open("rb")
    except OSError as error:
        raise AuditError(f"{source}: can not be read ({error.strerror}); unlock it") from error
    with stream, target.open("wb") as copied:
        shutil.copyfileobj(stream, copied, CHUNK)


def fetch(
    remote: RemoteFile, folder_name: str, mirror: Path | None, destination: Path, report: Callable[[str], None]
) -> str:
    """Bring a raw file to `destination` and return its sha256.

    It is copied from <mirror>/<folder_name>/<file> where that exists, else downloaded. Its sha256 must be the config's,
    or where the config has none, the one that the mirror lists. `report` is given lines of progress.
    Raises AuditError, and leaves nothing at `destination`, where the file can not be had or is not the right one.
    """
    entry = f"{folder_name}/{remote.file}"
    place = (mirror or Path("<mirror>")) / entry
    listed = listed_checksum(mirror, entry) if mirror else None
    expected = remote.sha256 or listed
    with whole(destination) as temporary:
        if mirror and place.is_file():
            origin = str(place)
            copy(place, temporary)
        elif remote.url:
            origin = remote.url
            download(
                origin, temporary, f"check the network and the url in the config, or put the file at {place}", report
            )
        else:
            raise AuditError(f"{remote.file}: not at {place}, and the config has no url for it; put it there")
        found = pooch.file_hash(str(temporary))
        if expected is None:
            report(f"{origin}: no checksum to compare with; its sha256 is {found}")
        elif found != expected:
            authority = "the config" if remote.sha256 else f"{mirror}/{SUMS}"
            raise AuditError(f"{origin}: its sha256 is {found}, not {expected} as {authority} says; replace the file")
    return str(found)
