"""Which files of a data set are not available, and how to get them; light, since this runs while a run is planned."""

import os
from collections.abc import Sequence
from pathlib import Path

from attention_audit.corpus.source import RawSource, RemoteFile, Source


def locate(path: str, mirror: Path | None) -> Path | None:
    """The path of a user's own file: absolute, or relative to the working directory, else in the mirror; else None."""
    places = [Path(path), *([mirror / path] if mirror else [])]
    return next((place for place in places if os.path.isfile(place)), None)


def placed(path: str, mirror: Path | None) -> Path:
    """The path of a user's own file or folder: as it is named where that exists, else in the mirror if it is there."""
    there = mirror / path if mirror else Path(path)
    return there if not os.path.exists(path) and os.path.exists(there) else Path(path)


def unheld(remote: RemoteFile, folder: str, mirror: Path | None, raw: Path) -> str | None:
    """Where a file is looked for that is neither on this machine nor on the network; None where it can be had."""
    places = [root / folder / remote.file for root in (mirror or Path("<mirror>"), raw)]
    return None if remote.url or any(os.path.isfile(place) for place in places) else str(places[0])


def missing(name: str, source: RawSource, mirror: Path | None, raw: Path) -> list[str]:
    """The files that are neither on this machine nor on the network, each as the path where it is looked for."""
    looked = (unheld(remote, source.folder or name, mirror, raw) for remote in source.remote_files().values())
    own = (path for path in source.local_files().values() if not locate(path, mirror))
    return [*filter(None, looked), *own]


def enumerated(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def unavailable(name: str, source: Source, mirror: Path | None, raw: Path) -> str | None:
    """One line that names each missing file of a data set and how to get it; None where every file is available.

    `raw`: the folder of fetched files.
    """
    absent = missing(name, source, mirror, raw) if isinstance(source, RawSource) else []
    if not absent:
        return None
    are, them, their = ("is", "it", "its") if len(absent) == 1 else ("are", "them", "their")
    homepage = source.origin.homepage if isinstance(source, RawSource) else ""
    get = f"get {them} from {homepage} and " if homepage else ""
    return f"{name}: {enumerated(absent)} {are} not here; {get}put {them} there, or name {their} place in the config"
