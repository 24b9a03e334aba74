"""The command line of the record: keep a run, or write the pages of all that are kept."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from attention_audit.artefacts.files import whole
from attention_audit.errors import AuditError
from attention_audit.report.ending import find_commit
from makers.replication.gallery import gallery
from makers.replication.keeping import keep
from makers.replication.kept import RECORD, ROOT
from makers.replication.pages import written_pages, written_tables


def parser() -> argparse.ArgumentParser:
    """Its words."""
    parser = argparse.ArgumentParser(prog="python -m makers.replication", description=__doc__)
    parser.add_argument("--docs", type=Path, default=ROOT / RECORD.parent, help="the folder of the pages")
    verbs = parser.add_subparsers(dest="verb")
    keeping = verbs.add_parser("keep", help="keep a finished run; afterwards call this again without `keep`")
    keeping.add_argument("results", type=Path, help="the folder of its results")
    keeping.add_argument("place", help="<page> or <page>/<run>, as docs/makers/replication/entries.py declares them")
    keeping.add_argument("--commit", default="", help="of the code that made it; by default that of this checkout")
    return parser


def write(docs: Path) -> list[Path]:
    """Write all pages below `docs`, the gallery included, and remove those of runs that are no longer kept.

    The tables of the runs are written too, as the code of today shows them. Returns the paths of the pages.
    """
    record = docs / RECORD.name
    record.mkdir(parents=True, exist_ok=True)
    pages = {**written_pages(record), **gallery(record)}
    for stale in found_pages(docs):
        if stale.relative_to(docs).as_posix() not in pages:
            stale.unlink()
    for name, text in {**pages, **written_tables(record)}.items():
        with whole(docs / name) as path:
            path.write_text(text, encoding="utf-8")
    return [docs / name for name in pages]


def found_pages(docs: Path) -> list[Path]:
    """The pages that lie below `docs` by now."""
    folders = ("replication/*.md", "replication/*/*.md", "gallery.md")
    return [path for folder in folders for path in docs.glob(folder)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Keep a run or write the pages. A fault that the user can mend ends in one line and exit status 1."""
    call = parser().parse_args(arguments)
    try:
        if call.verb == "keep":
            print(keep(call.results, call.place, call.commit or find_commit(ROOT) or "", call.docs / RECORD.name))
        else:
            print(*write(call.docs), sep="\n")
    except AuditError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
