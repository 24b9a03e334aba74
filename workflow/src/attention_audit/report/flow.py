"""Which files were made from which, as a drawing: stages in columns, one a folder of results, joined by curves.

The layout is computed here, since Graphviz would need a program that pip does not install.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from attention_audit.artefacts.journal import Entry

COLUMNS = ("raw", "corpora", "models", "audits", "published")
HEADINGS = ("raw files", "corpora", "models and readouts", "audits", "tables and figures")
WIDTHS = (104, 104, 166, 138, 202)
"""Of the boxes of each column, in pixels."""
GAP, PITCH, HEIGHT, TOP, MARGIN = 64, 25, 19, 30, 16
SWEEPS = 8

Key = tuple[str, str]
"""Column, and the words in the box."""


@dataclass(frozen=True)
class Box:
    """One kind of job: where it stands, what it is called, how many jobs there were and how long they took in all."""

    name: str
    column: str
    x: float
    y: float
    width: float
    jobs: int
    seconds: float


@dataclass(frozen=True)
class Drawing:
    """Sizes, boxes, and the paths of the curves between them as SVG writes them; headings with their places."""

    width: float
    height: float
    box_height: float
    headings: list[tuple[float, str]]
    boxes: list[Box]
    curves: list[str]


def key_of(entry: Entry) -> Key:
    """The box of a job: its stage; of a training also the suite, and the first word of the model's name.

    Training and reading out are one job, so weights and readouts are made in one column.
    """
    _, folder, _, suite, model, *_ = [*entry.outputs[0].split("/"), "", "", "", ""]
    if folder in ("models", "readouts"):
        family = re.match(r"[a-z]*", model)
        return "models", " ".join(filter(None, (entry.stage, suite, family and family[0])))
    return (folder if folder in COLUMNS else COLUMNS[-1]), entry.stage


def edges_of(entries: Iterable[Entry]) -> list[tuple[Key, Key]]:
    """Pairs of boxes, a file of the first being read by the second; each pair once."""
    entries = list(entries)
    makers = {path: key_of(entry) for entry in entries for path in entry.outputs}
    pairs = ((makers[path], key_of(entry)) for entry in entries for path in entry.inputs if path in makers)
    return list(dict.fromkeys(pairs))


def _ordered(keys: list[Key], edges: list[tuple[Key, Key]]) -> dict[str, list[Key]]:
    """The boxes of each column from top to bottom, near those they are joined to (barycentres, swept to and fro)."""
    columns = {column: [key for key in keys if key[0] == column] for column in COLUMNS}
    columns = {column: members for column, members in columns.items() if members}
    neighbours: dict[Key, list[Key]] = {key: [] for key in keys}
    for first, second in edges:
        if first[0] != second[0]:
            neighbours[first].append(second)
            neighbours[second].append(first)
    place: dict[Key, float] = {}

    def settle(members: list[Key]) -> None:
        for rank, key in enumerate(members):
            place[key] = (rank + 0.5) / len(members)

    def pull(key: Key) -> float:
        joined = neighbours[key]
        return sum(place[other] for other in joined) / len(joined) if joined else place[key]

    for members in columns.values():
        settle(members)
    # the last column stays in the order of the page
    free = list(columns)[:-1]
    for sweep in range(SWEEPS):
        for column in free if sweep % 2 else reversed(free):
            columns[column].sort(key=pull)
            settle(columns[column])
    return columns


def _curve(start: Box, end: Box) -> str:
    """From one box to another: to the right, back to the left, or within a column, round by the left of both."""
    y1, y2 = start.y + HEIGHT / 2, end.y + HEIGHT / 2
    if start.x == end.x:
        x1 = x2 = start.x
        bend1 = bend2 = -1.2 * MARGIN
    elif start.x < end.x:
        x1, x2 = start.x + start.width, end.x
        bend1 = min(GAP, (x2 - x1) / 2)
        bend2 = -bend1
    else:
        x1, x2 = start.x, end.x + end.width
        bend1, bend2 = -GAP / 2, GAP / 2
    return f"M{x1:g},{y1:g}C{x1 + bend1:g},{y1:g} {x2 + bend2:g},{y2:g} {x2:g},{y2:g}"


def draw(entries: list[Entry], order: Mapping[str, int]) -> Drawing:
    """The run as a drawing. `order`: rank of the stages of the last column; others come after them."""
    kinds: dict[Key, list[Entry]] = {}
    for entry in entries:
        kinds.setdefault(key_of(entry), []).append(entry)
    keys = sorted(kinds, key=lambda key: (COLUMNS.index(key[0]), order.get(key[1], len(order))))
    edges = edges_of(entries)
    columns = _ordered(keys, edges)
    tallest = max(map(len, columns.values()), default=0)
    boxes: dict[Key, Box] = {}
    headings, x = [], float(MARGIN)
    for column, members in columns.items():
        width, heading = WIDTHS[COLUMNS.index(column)], HEADINGS[COLUMNS.index(column)]
        headings.append((x, heading))
        pitch = min(2.0, tallest / len(members)) * PITCH
        top = TOP + (tallest * PITCH - len(members) * pitch) / 2 + (pitch - PITCH) / 2
        for rank, key in enumerate(members):
            seconds = sum(entry.seconds for entry in kinds[key])
            boxes[key] = Box(key[1], column, x, top + rank * pitch, width, len(kinds[key]), seconds)
        x += width + GAP
    curves = [_curve(boxes[first], boxes[second]) for first, second in edges if first != second]
    return Drawing(x - GAP + 1, TOP + tallest * PITCH, HEIGHT, headings, list(boxes.values()), curves)
