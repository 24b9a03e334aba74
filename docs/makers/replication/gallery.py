"""docs/gallery.md: every figure and table of the package once, from kept runs."""

from pathlib import Path

from attention_audit.plan.exhibits import EXHIBITS
from makers.replication.kept import every_kept

OPENING = """# Gallery

Every figure and table of the package, from runs of [the record](replication/README.md). The caption of each says how to
read it; captions are in the report and in `workflow/report/`. Of several that show the same, of other suites, one is
named. What has no link is in no run of the record. Written by `make replication`.

| it shows | figure or table |
| --- | --- |
"""


def gallery(record: Path) -> dict[str, str]:
    """Print the page, by its path in docs/. Figures and tables that show the same stand in one row."""
    links: dict[str, str] = {}
    for kept in every_kept(record):
        for exhibit in kept.exhibits:
            if exhibit.shows not in links and kept.shows(exhibit):
                file = kept.file(exhibit).relative_to(record)
                links[exhibit.shows] = f"[{exhibit.name}](replication/{file.as_posix()})"
    rows = {each.shows: links.get(each.shows, f"`{each.name}`") for each in EXHIBITS}
    return {"gallery.md": OPENING + "".join(f"| {shows} | {link} |\n" for shows, link in rows.items())}
