"""docs/gallery.md: every figure and table of the package once, from kept runs."""

from pathlib import Path

from attention_audit.plan.exhibits import EXHIBITS
from makers.replication.kept import list_kept

OPENING = """# Gallery

Every figure and table of the package, from runs of [the record](replication/README.md). Captions, in the report and in
`workflow/report/`, say how to read them. Where several suites have the same, one is named. Without a link, the record
keeps no file of it. Written by `make replication`.

| it shows | figure or table |
| --- | --- |
"""


def write_gallery(record: Path) -> dict[str, str]:
    """Write the page, by its path in docs/. Figures and tables that show the same stand in one row."""
    links: dict[str, str] = {}
    for kept in list_kept(record):
        for exhibit in EXHIBITS:
            if exhibit.shows not in links and (file := kept.locate(exhibit)).is_file():
                links[exhibit.shows] = f"[{exhibit.name}](replication/{file.relative_to(record).as_posix()})"
    rows = {each.shows: links.get(each.shows, f"`{each.name}`") for each in EXHIBITS}
    return {"gallery.md": OPENING + "".join(f"| {shows} | {link} |\n" for shows, link in rows.items())}
