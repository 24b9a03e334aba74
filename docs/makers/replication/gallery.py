"""docs/gallery.md and the pages that it leads to: every figure and table of the package once, from kept runs."""

from pathlib import Path

from attention_audit.plan.exhibits import EXHIBITS, Exhibit, Table
from attention_audit.plan.suites import SUITES
from makers.replication.entries import QUOTING
from makers.replication.grids import excerpt
from makers.replication.kept import Kept, every_kept
from makers.replication.pages import said

ROWS = 4
"""Rows of a table that the gallery shows; the whole table is linked."""
OPENING = """# Gallery

Every figure and table of the package once, from the runs of [the record](replication/README.md), a page for each suite.
Written by `make replication`. Below each name, what it shows and how to read it, from its entry and its caption in
`workflow/report/`, which says more. Of a table, the first rows.

"""
WITHOUT = """## Without a run

No run that is kept has these. Those that show texts are kept of generated corpora alone, since the texts of others
are not ours to hand on.

"""


def entry(exhibit: Exhibit, kept: Kept) -> str:
    """One exhibit as a run has it."""
    path = f"../replication/{kept.page.name}/{kept.run.name}/{exhibit.folder}/{kept.file(exhibit).name}"
    page = f"[{kept.page.title}](../replication/{kept.page.name}.md)"
    shown = excerpt(kept.text(exhibit), ROWS) if isinstance(exhibit, Table) else f"![{exhibit.shows}]({path})\n"
    run = f"From {page}, run {kept.run.name}: [`{exhibit.name}`]({path})\n"
    return "\n".join([f"## {exhibit.name}\n", f"{said(exhibit)}\n", shown, run])


def gallery(record: Path) -> dict[str, str]:
    """The pages by their path in docs/: what there is, and a page for each suite."""
    whose: dict[str, Kept] = {}
    for kept in every_kept(record):
        for exhibit in kept.exhibits:
            if exhibit.name not in whose and kept.shows(exhibit):
                whose[exhibit.name] = kept
    pages, parts = {}, [OPENING]
    for key, title in [*((suite.name, suite.title) for suite in SUITES.values()), ("", "Of all suites")]:
        own = [each for each in EXHIBITS if each.suite == key and each.name in whose]
        if own:
            path = f"gallery/{key or 'all'}.md"
            opening = f"# Gallery: {title}\n\nA part of [the gallery](../gallery.md).\n"
            pages[path] = "\n".join([opening, *(entry(each, whose[each.name]) for each in own)])
            lines = [f"- [{each.name}]({path}#{each.name}): {each.shows}\n" for each in own]
            parts += [f"## {title}\n\n", *lines, "\n"]
    left = [each for each in EXHIBITS if each.name not in whose]
    lines = [f"- `{each.name}`: {said(each)}{' It shows texts.' if each.name in QUOTING else ''}\n" for each in left]
    return {"gallery.md": "".join([*parts, *([WITHOUT, *lines] if lines else [])]).rstrip("\n") + "\n", **pages}
