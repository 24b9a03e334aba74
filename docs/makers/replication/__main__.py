"""The command line of the record: keep a run, or write the pages of all that are kept."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from attention_audit.artefacts.files import write_whole
from attention_audit.errors import AuditError
from attention_audit.report.terminal import find_commit
from makers.replication.gallery import write_gallery
from makers.replication.keeping import keep_run
from makers.replication.kept import RECORD, ROOT
from makers.replication.pages import write_every_page


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of its words."""
    parser = argparse.ArgumentParser(prog="python -m makers.replication", description=__doc__)
    parser.add_argument("--docs", type=Path, default=ROOT / RECORD.parent, help="the folder of the pages")
    verbs = parser.add_subparsers(dest="verb")
    keeping = verbs.add_parser("keep", help="keep a finished run; afterwards call this again without `keep`")
    keeping.add_argument("results", type=Path, help="the folder of its results")
    keeping.add_argument("place", help="<page> or <page>/<run>, as docs/makers/replication/entries.py declares them")
    keeping.add_argument("--commit", default="", help="of the code that made it; by default that of this checkout")
    return parser


def write_pages(docs: Path) -> list[Path]:
    """Write all pages below `docs`, the gallery included, and remove those of runs that are no longer kept."""
    record = docs / RECORD.name
    record.mkdir(parents=True, exist_ok=True)
    pages = {docs / name: text for name, text in {**write_every_page(record), **write_gallery(record)}.items()}
    for stale in {*find_pages(docs)} - {*pages}:
        stale.unlink()
    for page, text in pages.items():
        with write_whole(page) as path:
            path.write_text(text, encoding="utf-8")
    return [*pages]


def find_pages(docs: Path) -> list[Path]:
    """Find the pages that lie below `docs` by now."""
    return [*docs.glob("replication/*.md"), *docs.glob("gallery.md")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Keep a run or write the pages. A fault that the user can mend ends in one line and exit status 1."""
    call = build_parser().parse_args(arguments)
    try:
        if call.verb == "keep":
            print(keep_run(call.results, call.place, call.commit or find_commit(ROOT) or "", call.docs / RECORD.name))
        else:
            print(*write_pages(call.docs), sep="\n")
    except AuditError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
