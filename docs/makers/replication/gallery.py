"""docs/gallery.md: every figure and table of the package once, from the runs that are kept."""

from pathlib import Path

from attention_audit.plan.exhibit import Exhibit, Table
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.suites import SUITES
from makers.replication.entries import QUOTING
from makers.replication.kept import Kept, every_kept
from makers.replication.pages import earlier, said

WORDS = frozenset({"summary", "texts", "controls", "pd_table_noticed"})
"""Exhibits that show words of the summary."""
ROWS = 4
"""Rows of a table that the gallery shows; the whole table is linked."""
OPENING = """# Gallery

Every figure and table of the package once, from the runs of [the record](replication/README.md). Written by `make
replication`. Below each name, what it shows and how to read it, from its entry and its caption in `workflow/report/`,
which says more. Of a table, the first rows.

"""
WITHOUT = """## Without a run

No run that is kept has these. Those that show texts are kept of generated corpora alone, since the texts of others
are not ours to hand on.

"""


def excerpt(text: str) -> str:
    """The first table of a page in Markdown, with at most ROWS rows; "" where there is none."""
    lines = text.splitlines()
    start = next((place for place, line in enumerate(lines) if line.startswith("|")), None)
    if start is None:
        return ""
    table = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        table.append(line)
    rest = len(table) - 2 - ROWS
    more = f"\n{rest} more row{'s' if rest > 1 else ''} in the file.\n" if rest > 0 else ""
    return "\n".join(table[: 2 + ROWS]) + "\n" + more


def entry(exhibit: Exhibit, kept: Kept) -> str:
    """One exhibit as a run has it."""
    path = f"replication/{kept.page.name}/{kept.run.name}/{exhibit.folder}/{kept.file(exhibit).name}"
    run = (
        f"From [{kept.page.title}](replication/{kept.page.name}.md), run {kept.run.name}: [`{exhibit.name}`]({path})\n"
    )
    if isinstance(exhibit, Table):
        shown = excerpt(kept.file(exhibit).read_text(encoding="utf-8"))
    else:
        shown = f"![{exhibit.shows}]({path})\n"
    return "\n".join([f"### {exhibit.name}\n", f"{said(exhibit)}\n", shown, run])


def of_earlier_words(exhibit: Exhibit, kept: Kept) -> bool:
    """Whether an exhibit has words of the summary from before its questions were defined as they are now."""
    table = kept.table("summary") if exhibit.name in WORDS else None
    return table is not None and any(earlier(row) for _, row in table.iterrows())


def gallery(record: Path) -> str:
    """The whole page."""
    runs = list(every_kept(record))
    whose: dict[str, Kept] = {}
    for kept in runs:
        for exhibit in kept.exhibits:
            if exhibit.name not in whose and kept.shows(exhibit) and not of_earlier_words(exhibit, kept):
                whose[exhibit.name] = kept
    parts = [OPENING]
    for key, title in [*((suite.key, suite.title) for suite in SUITES), ("", "Of all suites")]:
        entries = [entry(each, whose[each.name]) for each in EXHIBITS if each.suite == key and each.name in whose]
        parts += [f"## {title}\n\n", *(f"{text}\n" for text in entries)] if entries else []
    left = [each for each in EXHIBITS if each.name not in whose]
    lines = [f"- `{each.name}`: {said(each)}{' It shows texts.' if each.name in QUOTING else ''}" for each in left]
    return "".join([*parts, *([WITHOUT, "\n".join(lines), "\n"] if lines else [])])
