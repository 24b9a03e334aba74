"""Tables as strings, wide and rounded, as readers see them: one function for each kind of table.

Each takes a table and the labels of its names (from `tables.wording.collect_labels`). What readers see of a row is a
dictionary of texts by heading (`show_rows`). `render` writes a table as .csv (tidy, every digit), .md and .tex (wide,
rounded). The last two carry their provenance in a comment. A .csv file has no comments, so its provenance is in a file
beside it, .json.
"""

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from tabulate import tabulate

from attention_audit.answer.lines import (
    TableRow,
    describe_marks,
    describe_run,
    warn_of_others,
    warn_of_verdicts,
    write_finding,
    write_lines,
    write_share,
    write_zones,
)
from attention_audit.answer.verdicts import BY_CLASS, NONE, ZONES
from attention_audit.artefacts.files import write_whole
from attention_audit.columns.tables import CONTROLS, INSTEAD, OF_ROW, REPLICATION, TABLE, TEXTS, WORDED_BY
from attention_audit.names import display_name
from attention_audit.questions import QUESTIONS

from .summary import SHOWN_TEXTS, select_top
from .tidy import join_notes
from .wording import Labels, format_number, mark_direction, write_heading, write_name, write_names, write_subject


class Block(NamedTuple):
    """Rows of strings, with a title above them and a remark; title and remark may be empty."""

    rows: pd.DataFrame
    title: str = ""
    text: str = ""


Shown = Callable[[pd.DataFrame, Labels], list[Block]]
"""The type of the functions of this module: from a table and labels to blocks."""
RowTexts = dict[str, str]
TEX = str.maketrans(
    {
        "±": r"$\pm$", "λ": r"$\lambda$", "τ": r"$\tau$", "≥": r"$\geq$", "≤": r"$\leq$", "×": r"$\times$",
        "≠": r"$\neq$", "●": r"$\bullet$", "·": r"$\cdot$", "−": "$-$", "–": "{--}",
    }
)  # fmt: skip
MARKDOWN = re.compile(r"[\\`*|<~$]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)|(?<=\])\(")
WORD_COLUMNS = {
    "data set", "row", "claim", "statistic", "note", "epoch selected on", "paper", "holds", "model", "metric",
    "question", "measured", "agreement", "chance", "text", "label", "prediction", "top items: weight, contribution",
    "first, second", "beside", *QUESTIONS,
}  # fmt: skip
"""Columns that hold words and are therefore aligned to the left."""


def show_rows(rows: pd.DataFrame, write: Callable[[TableRow], RowTexts], blank: TableRow) -> pd.DataFrame:
    """Write each row. blank: a row in which nothing is known, so that a table without rows has headings."""
    return pd.DataFrame([*map(write, rows.to_dict("records")), write(blank)], dtype=str).iloc[:-1]


def drop_empty(rows: pd.DataFrame) -> pd.DataFrame:
    """Drop the columns that are empty in every row."""
    return rows.loc[:, (rows != "").any()]


def read_plain(row: TableRow, *names: str) -> RowTexts:
    """Read columns as they are; "" for a 0."""
    return {name: str(row[name] or "") for name in names}


def name_row(row: TableRow, labels: Labels, *names: str) -> RowTexts:
    """Name the data set that a row is about, and what further columns name."""
    return {"data set": display_name(row["dataset"]), **{name: write_name(row[name], labels) for name in names}}


def write_interval(low: float, high: float, metric: str = "") -> str:
    """Write an interval in brackets, with the digits of a metric; "" where an end is not known, or where the value
    itself is infinite. What has no upper end is said in words.
    """
    if math.isnan(low) or math.isnan(high) or low == math.inf:
        return ""
    lower = format_number(low, metric)
    return f" [at least {lower}]" if math.isinf(high) else f" [{lower}, {format_number(high, metric)}]"


def show_table(table: pd.DataFrame, labels: Labels, sign: str = ", ") -> list[Block]:
    """Show a table of columns.tables: one row for each thing that it is about, and lambda; one column for each metric,
    and one for the paper's value where there is any. `sign` follows the model.
    """
    lines = []
    for _, cells in table.groupby(["dataset", "paper", *OF_ROW, "lambda"], sort=False, dropna=False):
        subject = cells.iloc[0].to_dict()
        about = write_name(subject["paper"], labels), write_subject(subject, labels, sign)
        line = {
            "data set": display_name(subject["dataset"]),
            "row": ", ".join(filter(None, about)),
            "λ": f"{subject['lambda']:.3g}".replace("nan", ""),
        }
        by_metric = {cell["metric"]: cell for cell in cells.iloc[::-1].to_dict("records")}
        for metric in filter(None, table["metric"].unique()):
            cell, heading = by_metric.get(metric, TABLE.blank | {"metric": metric}), write_heading(metric)
            line[heading] = write_cell(cell)
            line[f"paper: {heading}"] = format_number(cell["published"], metric, paper=True)
        line["seeds"] = str(cells["seeds"].max() or "")
        line["epoch selected on"] = ", ".join(filter(None, cells["selection"].unique()))
        line["note"] = join_notes(*cells["note"].unique())
        lines.append(line)
    return [Block(drop_empty(pd.DataFrame(lines, dtype=str)))]


def show_pairs(table: pd.DataFrame, labels: Labels) -> list[Block]:
    """Show, as `show_table`, pairs of rankings in their order, a block for each data set and model."""
    blocks = []
    for (dataset, model), rows in table.groupby(["dataset", "model"], sort=False):
        # as the part, the second is parted from the first by a comma
        pairs = show_table(rows.assign(model="", part=rows["other"], other=""), labels)[0].rows
        title = ", ".join(filter(None, (display_name(str(dataset)), write_name(str(model), labels))))
        blocks.append(Block(pairs.drop(columns="data set").rename(columns={"row": "first, second"}), title))
    return blocks or show_table(table, labels)


show_marks = partial(show_table, sign=" - ")
"""Show attributions beside marked words: what attention is held against, behind a dash."""


def write_cell(cell: TableRow) -> str:
    """Write a mean with its interval or, where there is none, its sd over seeds."""
    mean, sd = (format_number(cell[name], cell["metric"]) for name in ("mean", "sd"))
    return mean and mean + (write_interval(cell["low"], cell["high"], cell["metric"]) or (f" ± {sd}" if sd else ""))


CLAIM_NOTE = (
    "●·· no, ·●· in part, ··● yes; – no verdict; ≠ classes differ: the lowest, the highest. A verdict may "
    "name no zone but those under 'must be'; behind 'touch' it must name one of them, and may name others."
)
GRID_HEADINGS = ["claim", "no", "in part", "yes"]
SHUFFLED_NOTE = (
    "Shuffled weights in the place of a map must not touch ··●: {} of {} claims hold; those that do not stand here."
)


def draw_claim(zones: str) -> str:
    """Draw zones as `CONTROLS` has them, those that are said or those that are allowed."""
    overall, split, ends = zones.partition(BY_CLASS)
    marks = overall.strip(f"?{NONE}")
    drawn = ["touch " * overall.endswith("?") + write_zones(marks)] if marks else []
    drawn += [write_zones(NONE).strip()] if NONE in overall else []
    drawn += [f"{BY_CLASS} {', '.join(map(write_zones, ends.split(',')))}"] if split else []
    return " or ".join(drawn)


def list_shown_zones(row: TableRow) -> list[str]:
    """List the zones that a claim that holds shows: each that is named alone, unless all three are allowed there."""
    overall, _, ends = row["allowed"].partition(BY_CLASS)
    verdicts = row["said"].strip(BY_CLASS).split(",")
    allowed = ends.split(",") if len(verdicts) > 1 and ends else [overall] * len(verdicts)
    return [zone for zone, may in zip(verdicts, allowed, strict=True) if len(zone) == 1 and may != ZONES]


def show_grid(claims: pd.DataFrame) -> Block:
    """Show by which data sets each zone of each question is shown, from the claims on zones."""
    evidence = {
        (row["question"], zone, display_name(row["dataset"])): None
        for row in claims[claims["holds"]].to_dict("records")
        for zone in list_shown_zones(row)
    }
    lines = [
        [wording.claim]
        + [", ".join(name for *key, name in evidence if key == [question, zone]) or "–" for zone in ZONES]
        for question, wording in QUESTIONS.items()
    ]
    return Block(pd.DataFrame(lines, columns=GRID_HEADINGS, dtype=str), "Which control shows which zone")


def show_claims(controls: pd.DataFrame, labels: Labels) -> list[Block]:
    """Show a table with the columns of `CONTROLS`. Two bounds become one condition, and which control shows which zone.

    Claims that do not hold come first; those on shuffled weights that hold are counted.
    """

    def write(row: TableRow) -> RowTexts:
        lower, upper = (f"{row[name]:.3f}".replace("nan", "") for name in ("least", "most"))
        bounds = f"{lower} to {upper}" if lower and upper else f"≥ {lower}" if lower else f"≤ {upper}"
        return {
            **name_row(row, labels, "model"),
            **read_plain(row, "claim", "statistic"),
            "found": " ".join(filter(None, [draw_claim(row["said"]), format_number(row["value"], "")])),
            "must be": draw_claim(row["allowed"]) or bounds,
            "holds": "yes" if row["holds"] else "NO",
        }

    shuffled, zones = controls["question"].eq("") & controls["allowed"].ne(""), controls["question"].ne("")
    silent = shuffled & controls["holds"]
    counts = SHUFFLED_NOTE.format(silent.sum(), shuffled.sum())
    remarks = [CLAIM_NOTE] * bool(zones.any()) + [counts] * bool(shuffled.any())
    worst_first = controls[~silent].sort_values("holds", kind="stable")
    claims = Block(show_rows(worst_first, write, CONTROLS.blank), text=" ".join(remarks))
    return [claims, show_grid(controls[zones])] if zones.any() else [claims]


NOTES = (
    "Marks: ●·· no, ·●· in part, ··● yes; two or three dots: the interval reaches into these; ≠: predicted classes "
    "differ; –: no verdict, with the reason. 95 %: the interval of models trained like these, over trainings and "
    "texts; of one or two trainings, over texts alone. one more training: where it may lie. What each claim means "
    "stands in docs/method/README.md; its thresholds are conventions.",
    "Many models and claims are judged here: of verdicts whose value lies at the border of two zones, one in 40 leaves "
    "out the right one by chance.",
)


def show_answer(row: TableRow, labels: Labels) -> Block:
    """Show the answers on one model, from a row of columns.SUMMARY."""
    # all of a line but its question
    heads = ["", "claim", "verdict", "estimate", "95 %", "one more training", "held against", "beside"]
    lines = pd.DataFrame([line[1:] for line in write_lines(row)], columns=heads, dtype=str)
    who = f"{display_name(row['dataset'])}, {write_names((row['paper'], row['model']), labels)}"
    remarks = [write_finding(row), f"{describe_run(row)}.", row["note"], describe_marks(row), warn_of_others(row)]
    return Block(lines, who, " ".join(filter(None, remarks)))


def show_answers(summary: pd.DataFrame, labels: Labels) -> list[Block]:
    """Show a table of columns.SUMMARY: each model's answers, and what the marks mean."""
    rows = summary.to_dict("records")
    missing = [f"{display_name(row['dataset'])}: {row['note']}" for row in rows if not row["model"]]
    measured = pd.DataFrame(
        [
            {"claim": each.claim, "measured": each.measured, "low end": each.ends[0], "high end": each.ends[1]}
            for each in QUESTIONS.values()
        ],
        dtype=str,
    )
    answers = [show_answer(row, labels) for row in rows if row["model"]]
    if warning := warn_of_verdicts(rows):
        answers.insert(0, Block(summary[[]], title=f"{warning}"))
    return [*answers, Block(measured, "What is measured", "\n\n".join([*missing, *NOTES]))]


def show_attributions(table: pd.DataFrame, labels: Labels) -> list[Block]:
    """Show a table of columns.INSTEAD: each attribution by both questions, and attention on the same texts."""

    def write(row: TableRow) -> RowTexts:
        texts = name_row(row, labels, "model", "attribution")
        for name in WORDED_BY:
            value, low, high, attention = (
                write_share(row[f"{name}_{end}"]) for end in ("value", "low", "high", "attention")
            )
            reference = ", sets the 1" if row[f"{name}_yardstick"] else ""
            texts |= {
                name: value and f"{value} [{low}, {high}]{reference}",
                f"{name}: attention": attention,
                f"{name}: texts": str(row[f"{name}_texts"] or ""),
            }
        return texts

    return [Block(show_rows(table, write, INSTEAD.blank))]


DECISION = {True: "stays", False: "flips"}
"""What becomes of a decision, by `survives_item` and `survives_word` of columns.texts."""
SAMPLE_NOTE = "The same texts of all models of a data set, drawn by their ids. The Parquet file has all texts."
NOTHING_PUBLISHED = "No published number has a counterpart in this run: none of its data sets is one of the papers'."


def show_texts(texts: pd.DataFrame, labels: Labels) -> list[Block]:
    """Show a table of columns.texts: a few texts of each model."""

    def write(row: TableRow) -> RowTexts:
        of_text = zip(row["words"], row["weights"], row["contributions"], strict=True)
        items = [f"{mark_direction(item)} {weight:.2f}, {part:+.3f}" for item, weight, part in of_text]
        return {
            **name_row(row, labels, "model"),
            "text": row["id"],
            "label": row["label_name"],
            "prediction": row["prediction_name"],
            "top items: weight, contribution": "; ".join(items),
            "seeds that agree": f"{row['agree']} of {row['others']}" if row["others"] else "",
            "moved (JSD)": format_number(row["moved"], ""),
            "without the item": DECISION.get(row["survives_item"], ""),
            "without the word": DECISION.get(row["survives_word"], ""),
            **{
                name: format_number(row[name], "")
                for name in ("stable", "used", "ranks", "located", "signed", "unique")
            },
        }

    return [Block(show_rows(select_top(texts), write, TEXTS.blank), f"{SHOWN_TEXTS} texts of each model", SAMPLE_NOTE)]


def show_comparisons(replication: pd.DataFrame, labels: Labels) -> list[Block]:
    """Show a table with the columns of `REPLICATION`, with a block for each paper and table."""

    def write(row: TableRow) -> RowTexts:
        metric = row["metric"]
        return {
            **name_row(row, labels),
            "row": write_subject(row, labels),
            "metric": write_heading(metric),
            "published": format_number(row["published"], metric, paper=True),
            "ours": format_number(row["ours"], metric) + write_interval(row["low"], row["high"], metric),
            "difference": format_number(row["difference"], metric),
            "single trainings of ours": write_interval(row["one_low"], row["one_high"], metric).strip(),
            "half-width": format_number(row["half_width"], metric),
            **read_plain(row, "chance", "seeds", "agreement", "note"),
        }

    blocks = []
    for (paper, table), rows in replication.groupby(["paper", "table"], sort=False):
        title = f"{write_name(str(paper), labels)}, {str(table)[:1].lower()}{str(table)[1:]}"
        blocks.append(Block(drop_empty(show_rows(rows, write, REPLICATION.blank)), title))
    return blocks or [Block(show_rows(replication, write, REPLICATION.blank), text=NOTHING_PUBLISHED)]


def write_grid(frame: pd.DataFrame, style: str) -> str:
    """Lay `frame` out in one of tabulate's styles; columns of numbers are aligned to the right."""
    aligned = ["left" if name in WORD_COLUMNS else "right" for name in frame.columns]
    return str(tabulate(frame, "keys", style, showindex=False, disable_numparse=True, colalign=aligned))


def escape_markdown(text: str) -> str:
    """Escape what Markdown would read in a text, such as a word of the user's; an underscore within a word is none."""
    return MARKDOWN.sub(r"\\\g<0>", text)


def write_markdown(parts: Sequence[Block], provenance: str) -> str:
    """Write a pipe table for each block, with the provenance as an HTML comment at the end."""
    # "--" must not occur within a comment; in JSON the escape means the same
    escaped = provenance.replace("--", "-\\u002d")
    blocks = [
        block
        for part in parts
        for block in (
            f"## {escape_markdown(part.title)}" if part.title else "",
            escape_markdown(part.text),
            write_grid(part.rows.map(escape_markdown), "pipe"),
        )
        if block
    ]
    return "\n\n".join([*blocks, f"<!-- {escaped} -->"]) + "\n"


def write_latex(parts: Sequence[Block], provenance: str) -> str:
    """Write a booktabs tabular for each block, after the provenance; titles and remarks are comments too."""
    blocks = []
    for part in parts:
        body = re.sub(r"(?<![\w$])-(?=[\d ])", "$-$", write_grid(part.rows, "latex_booktabs").translate(TEX))
        comments = "\n".join(filter(None, (part.title, part.text))).splitlines()
        blocks += [*(f"% {line}".rstrip() for line in comments), body]
    return "\n".join([f"% {provenance}", "% needs \\usepackage{booktabs}", *blocks]) + "\n"


def render(
    table: pd.DataFrame,
    path: Path,
    provenance: str,
    show: Shown,
    labels: Labels,
    top: Callable[[pd.DataFrame], pd.DataFrame] | None = None,
) -> None:
    """Write a published table as `path` with the endings .csv, .json, .md and .tex.

    `provenance` is one line of JSON. `show` is the function of this module for this kind of table. `top` picks the
    rows of the .csv file; without it, it has all. Raises AuditError where a file cannot be written.
    """
    parts = show(table, labels)
    texts = {
        ".csv": (top(table) if top else table).to_csv(index=False, lineterminator="\n"),
        ".json": f"{provenance}\n",
        ".md": write_markdown(parts, provenance),
        ".tex": write_latex(parts, provenance),
    }
    for ending, text in texts.items():
        with write_whole(path.with_suffix(ending)) as temporary:
            temporary.write_text(text, encoding="utf-8")
