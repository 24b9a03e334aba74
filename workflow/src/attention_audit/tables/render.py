"""A table as .csv (tidy, every digit), .md and .tex (wide, rounded), each carrying its provenance in a comment."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pandas as pd
from tabulate import tabulate

from attention_audit.artefacts.files import whole
from attention_audit.names import JAIN_WALLACE, attribution_name, display_name
from attention_audit.tables.architectures import MODELS

HEADINGS = {
    "mean_length": "mean length (tokens)",
    "sd_length": "sd of length",
    "mean_sentences": "mean sentences",
    "sd_sentences": "sd of sentences",
    "tokens_with_vector": "train tokens with vector",
    "f1": "F1",
    "roc_auc": "ROC-AUC",
    "tvd": "TVD",
    "jsd": "JSD (nats)",
    "admissible_share": "texts with an adversary",
    "both_flip": "both flip (%)",
    "only_top_flips": "only top flips (%)",
    "only_other_flips": "only other flips (%)",
    "neither_flips": "neither flips (%)",
    "first_earlier": "first earlier (%)",
    "second_earlier": "second earlier (%)",
    "tied": "at once (%)",
    "earlier_ratio": "first / second",
    "tau": "τ",
    "tau_sd": "sd of τ over texts",
    "significant": "share with p ≤ 0.05",
    "top_k_overlap": "top-k overlap",
    "undefined": "texts without τ",
    "permutation_tvd": "TVD when permuted",
    "flat": "share of texts with flat attention",
    "permutation_tvd_flat": "TVD when permuted, flat attention",
}
ROWS = {
    "guide_uniform": "MLP, uniform weights",
    "guide_trained_mlp": "MLP, own attention",
    "guide_base_lstm": "MLP, base LSTM's attention",
    "guide_adversary": "MLP, adversary's attention",
    "instance_adversary": "per-instance adversary",
    "corrected": "corrected draw",
    "as_published": "draw as published",
    "smallest": "smallest set",
    **MODELS,
    **JAIN_WALLACE,
}
COUNTS = re.compile(
    r"instances|negative|positive|(smallest_|largest_)?class(es)?|words|train_and_dev|test|texts|excluded|undefined"
)
PERCENT = re.compile(r"(both|neither|only_(top|other))_flips?|(first|second)_earlier|tied")
LENGTHS = re.compile(r"(mean|sd)_(length|sentences)")
TEX = {"±": r"$\pm$", "λ": r"$\lambda$", "τ": r"$\tau$", "≥": r"$\geq$", "≤": r"$\leq$"}


def heading(metric: str) -> str:
    """How a metric is called at the head of a column."""
    return HEADINGS.get(metric, metric.replace("_", " "))


def number(value: float, metric: str, paper: bool = False) -> str:
    """A value with the digits that its metric deserves; nothing for null."""
    if math.isnan(value):
        return ""
    if COUNTS.fullmatch(metric):
        return f"{value:.0f}"
    if LENGTHS.fullmatch(metric):
        return f"{value:g}" if paper else f"{value:.1f}"
    return f"{value:.1f}" if PERCENT.fullmatch(metric) else f"{value:.3f}"


def named(row: str) -> str:
    """How a row is called; one of several things by the names of all, two attributions parted by ~ as one thing."""
    return ", ".join(ROWS.get(part) or " and ".join(map(attribution_name, part.split("~"))) for part in row.split("/"))


def uncertain(cell: pd.Series, metric: str) -> str:
    """A mean with its interval or, where there is none, its sd over seeds."""
    low, high, sd = (number(cell[name], metric) for name in ("low", "high", "sd"))
    return number(cell["mean"], metric) + (f" [{low}, {high}]" if low else f" ± {sd}" if sd else "")


def wide(table: pd.DataFrame) -> pd.DataFrame:
    """A schema.TABLE frame as strings: one row a data set, row and lambda; a column a metric, `paper` beside it."""
    lines = []
    published = set(table.loc[table["published"].notna(), "metric"])
    for _, cells in table.groupby(["dataset", "row", "lambda"], sort=False, dropna=False):
        dataset, row, lambda_ = cells[["dataset", "row", "lambda"]].iloc[0]
        line = {
            "data set": display_name(dataset),
            "row": named(row),
            "λ": "" if math.isnan(lambda_) else f"{lambda_:g}",
        }
        for metric in filter(None, table["metric"].unique()):
            cell = cells[cells["metric"] == metric]
            line[heading(metric)] = uncertain(cell.iloc[0], metric) if len(cell) else ""
            if metric in published:
                theirs = cell["published"].iloc[0] if len(cell) else math.nan
                line[f"paper: {heading(metric)}"] = number(theirs, metric, paper=True)
        seeds = cells["seeds"].max()
        line["seeds"] = str(seeds) if seeds else ""
        line["epoch selected on"] = ", ".join(dict.fromkeys(filter(None, cells["selection"])))
        line["note"] = "; ".join(dict.fromkeys(filter(None, cells["note"])))
        lines.append(line)
    frame = pd.DataFrame(lines, dtype=str)
    return frame.loc[:, (frame != "").any()]


def verdicts(controls: pd.DataFrame) -> pd.DataFrame:
    """A schema.CONTROLS frame as strings: the two bounds become one condition."""
    conditions = [
        f"{least:.3f} to {most:.3f}" if least <= most else f"≥ {least:.3f}" if math.isnan(most) else f"≤ {most:.3f}"
        for least, most in zip(controls["least"], controls["most"], strict=True)
    ]
    return pd.DataFrame(
        {
            "data set": controls["dataset"],
            "claim": controls["claim"],
            "statistic": controls["statistic"],
            "value": [f"{value:.3f}" for value in controls["value"]],
            "must be": conditions,
            "holds": ["yes" if holds else "NO" for holds in controls["holds"]],
        },
        dtype=str,
    )


def findings(claims: pd.DataFrame) -> pd.DataFrame:
    """A schema.CLAIMS frame as strings: the interval beside the value."""
    ours, low, high = ([f"{value:.3g}" for value in claims[name]] for name in ("ours", "low", "high"))
    return pd.DataFrame(
        {
            "data set": [display_name(dataset) for dataset in claims["dataset"]],
            "claim": claims["claim"],
            "statistic": claims["statistic"],
            "ours": [f"{value} [{least}, {most}]" for value, least, most in zip(ours, low, high, strict=True)],
            "paper": claims["theirs"],
            "holds": ["yes" if holds else "NO" for holds in claims["holds"]],
        },
        dtype=str,
    )


def grid(shown: pd.DataFrame, style: str) -> str:
    """`shown` in one of tabulate's styles; columns that hold numbers stand to the right."""
    text = ("data set", "row", "claim", "statistic", "note", "epoch selected on", "paper", "holds")
    aligned = ["left" if name in text else "right" for name in shown.columns]
    rows, names = shown.to_numpy().tolist(), list(shown.columns)
    return str(tabulate(rows, names, style, disable_numparse=True, colalign=aligned if rows else None))


def markdown(shown: pd.DataFrame, provenance: str) -> str:
    """A pipe table, with the provenance as an HTML comment at its end."""
    # "--" may not stand within a comment; in JSON the escape means the same
    escaped = provenance.replace("--", "-\\u002d")
    return f"{grid(shown, 'pipe')}\n\n<!-- {escaped} -->\n"


def latex(shown: pd.DataFrame, provenance: str) -> str:
    """A tabular for booktabs, after the provenance as a comment."""
    body = grid(shown, "latex_booktabs")
    for character, command in TEX.items():
        body = body.replace(character, command)
    body = re.sub(r"(?<![\w$])-(?=[\d ])", "$-$", body)
    return f"% {provenance}\n% needs \\usepackage{{booktabs}}\n{body}\n"


def render(table: pd.DataFrame, path: Path, provenance: str) -> None:
    """Write `table` (schema.TABLE, CONTROLS or CLAIMS) as `path` with the endings .csv, .md and .tex.

    `provenance` is one line of JSON. Raises AuditError where a file cannot be written.
    """
    shown = findings(table) if "theirs" in table else verdicts(table) if "holds" in table else wide(table)
    texts = {
        ".csv": f"# {provenance}\n" + table.to_csv(index=False, lineterminator="\n"),
        ".md": markdown(shown, provenance),
        ".tex": latex(shown, provenance),
    }
    for ending, text in texts.items():
        with whole(path.with_suffix(ending)) as temporary:
            temporary.write_text(text, encoding="utf-8")
