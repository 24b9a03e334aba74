"""A table as .csv (tidy, every digit), .md and .tex (wide, rounded).

The last two carry their provenance in a comment. A .csv file has no comments, so its provenance is in a file beside it,
.json.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
from tabulate import tabulate

from attention_audit.artefacts.files import whole
from attention_audit.questions import QUESTIONS

from .shown import Block, Shown
from .wording import Labels

TEX = str.maketrans(
    {"±": r"$\pm$", "λ": r"$\lambda$", "τ": r"$\tau$", "≥": r"$\geq$", "≤": r"$\leq$", "×": r"$\times$"}
)
WORDS = {
    "data set", "row", "claim", "statistic", "note", "epoch selected on", "paper", "holds", "model", "metric",
    "question", "measured", "agreement", "chance", "text", "label", "prediction", "top items: weight, contribution",
    "first, second", "beside", *QUESTIONS,
}  # fmt: skip
"""Columns that hold words and are therefore aligned to the left."""


def grid(shown: pd.DataFrame, style: str) -> str:
    """`shown` in one of tabulate's styles; columns of numbers are aligned to the right."""
    aligned = ["left" if name in WORDS else "right" for name in shown.columns]
    rows, names = shown.to_numpy().tolist(), list(shown.columns)
    return str(tabulate(rows, names, style, disable_numparse=True, colalign=aligned if rows else None))


def markdown(parts: Sequence[Block], provenance: str) -> str:
    """A pipe table for each block, with the provenance as an HTML comment at the end."""
    # "--" must not occur within a comment; in JSON the escape means the same
    escaped = provenance.replace("--", "-\\u002d")
    blocks = [
        block
        for part in parts
        for block in (f"## {part.title}" if part.title else "", part.text, grid(part.rows, "pipe"))
        if block
    ]
    return "\n\n".join([*blocks, f"<!-- {escaped} -->"]) + "\n"


def latex(parts: Sequence[Block], provenance: str) -> str:
    """A booktabs tabular for each block, after the provenance as a comment; titles and remarks are comments too."""
    blocks = []
    for part in parts:
        body = re.sub(r"(?<![\w$])-(?=[\d ])", "$-$", grid(part.rows, "latex_booktabs").translate(TEX))
        comments = "\n".join(filter(None, (part.title, part.text))).splitlines()
        blocks += [*(f"% {line}".rstrip() for line in comments), body]
    return "\n".join([f"% {provenance}", "% needs \\usepackage{booktabs}", *blocks]) + "\n"


def render(
    table: pd.DataFrame,
    path: Path,
    provenance: str,
    shown: Shown,
    labels: Labels,
    top: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
) -> None:
    """Write a published table as `path` with the endings .csv, .json, .md and .tex.

    `provenance` is one line of JSON. `shown` is the function of tables.shown for this kind of table, and `labels` come
    from `tables.wording.labels_of`. `top` picks the rows of the .csv file; without it, it has all. Raises AuditError
    where a name has no label or a file cannot be written.
    """
    parts = shown(table, labels)
    texts = {
        ".csv": (top(table) if top else table).to_csv(index=False, lineterminator="\n"),
        ".json": f"{provenance}\n",
        ".md": markdown(parts, provenance),
        ".tex": latex(parts, provenance),
    }
    for ending, text in texts.items():
        with whole(path.with_suffix(ending)) as temporary:
            temporary.write_text(text, encoding="utf-8")
