"""Tables in Markdown, narrow enough that a reader takes them in."""

import re
from collections.abc import Iterable, Sequence
from math import ceil

LONG = 24
"""A table of more rows is folded."""
WIDE = 11
"""Columns of a table at most."""
NAMES = frozenset({"data set", "paper", "model", "row", "λ", "texts"})
"""The columns that each part of a table has: what tells its rows apart, and on how much they rest."""
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def table(head: Sequence[str], rules: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, of cells as they are."""
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rules, *rows))


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, without the columns that are empty in all rows."""
    lines = [[cell.replace("|", "/") for cell in row] for row in rows]
    kept = [place for place in range(len(headings)) if any(line[place] for line in lines)]
    return table(
        [headings[place] for place in kept], ["---"] * len(kept), ([line[each] for each in kept] for line in lines)
    )


def folded(text: str) -> str:
    """A table in Markdown, folded where it has more than LONG rows; GitHub and most readers open it at a click."""
    rows = text.count("\n") - 2
    return text if rows <= LONG else f"<details><summary>{rows} rows</summary>\n\n{text}\n</details>\n"


def cells(line: str) -> list[str]:
    """The cells of one line of a table."""
    return re.split(r" ?\| ?", line.rstrip())[1:-1]


def narrow(text: str) -> str:
    """A table in Markdown of which no part has more than WIDE columns.

    What all rows have alike is said once, above it; a column that is empty is left out; and what is then too wide is
    parted, each part with the columns of NAMES, and with the rows that it has a value of.
    """
    head, rules, *rows = map(cells, text.splitlines())
    alike = {place: rows[0][place] for place in range(len(head)) if len({row[place] for row in rows}) == 1}
    said = [f"{head[place]} {value}" for place, value in alike.items() if value] if len(rows) > 1 else []
    kept = [place for place in range(len(head)) if place not in alike or (len(rows) == 1 and alike[place])]
    parts = [kept]
    if len(kept) > WIDE:
        names, values = ([place for place in kept if (head[place] in NAMES) == told] for told in (True, False))
        size = ceil(len(values) / ceil(len(values) / (WIDE - len(names))))
        parts = [[*names, *values[start : start + size]] for start in range(0, len(values), size)]
    shown = []
    for part in parts:
        own = [row for row in rows if len(parts) == 1 or any(row[each] for each in part if head[each] not in NAMES)]
        lines = ([row[place] for place in part] for row in own)
        shown.append(table([head[place] for place in part], [rules[place] for place in part], lines))
    return "\n".join([*([f"In all rows: {'; '.join(said)}.\n"] if said else []), *map(folded, shown)])


def below(text: str) -> str:
    """A kept table in Markdown as a page shows it: its headings below the page's, its tables narrow."""
    deeper = re.sub(r"^#", "###", text, flags=re.MULTILINE)
    return TABLE.sub(lambda found: narrow(found[0]), deeper)
