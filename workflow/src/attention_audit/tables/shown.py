"""Tables as strings, wide and rounded, as readers see them: one function for each kind of table.

Each takes a table and the labels of its names (from `tables.wording.labels_of`), and raises AuditError for a name
without a label. A function declares the columns that readers see, each by its heading and what a row says there:
`effect` and `said` word a value with its interval, `called` names, and `plain` is a column as it is.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from attention_audit.answer.lines import (
    count_readings,
    describe_marks,
    describe_run,
    draw_zones,
    warn_of_next,
    write_lines,
    write_share,
)
from attention_audit.answer.statements import CLASSES, NONE, ZONES
from attention_audit.columns.tables import BY
from attention_audit.names import display_name
from attention_audit.questions import QUESTIONS
from attention_audit.tables.texts import TOP, top
from attention_audit.tables.wording import heading, isolated, label_of, named, number


class Block(NamedTuple):
    """Rows of strings, with a title above them and a remark; title and remark may be empty."""

    rows: pd.DataFrame
    title: str = ""
    text: str = ""


Shown = Callable[[pd.DataFrame, Mapping[str, str]], list[Block]]
"""The type of the functions of this module: from a table and labels to blocks."""
Row = Mapping[Any, Any] | pd.Series
Cell = Callable[[Row], str]
"""What a row says in a column."""


def block(rows: pd.DataFrame | Iterable[Row], cells: Mapping[str, Cell], title: str = "", text: str = "") -> Block:
    """The cells of each row, by their headings."""
    records = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else rows
    lines = [[cell(row) for cell in cells.values()] for row in records]
    return Block(pd.DataFrame(lines, columns=list(cells), dtype=str), title, text)


def filled(shown: Block, empty: str = "") -> Block:
    """A block without the columns that are empty in every row."""
    return shown._replace(rows=shown.rows.loc[:, (shown.rows != empty).any()])


def plain(*names: str) -> dict[str, Cell]:
    """Columns of the table under their own names; "" for a 0."""
    return {name: partial(lambda name, row: str(row[name] or ""), name) for name in names}


def real(name: str) -> Cell:
    """A number with the digits of the metric that the row is about, where it is about one."""
    return lambda row: number(float(row[name]), row.get("metric", ""))


def called(labels: Mapping[str, str], *names: str) -> dict[str, Cell]:
    """The data set that a row is about, and the labels of further names."""
    cells = {name: partial(lambda name, row: named(row[name], labels), name) for name in names}
    return {"data set": lambda row: display_name(row["dataset"]), **cells}


UNBOUNDED = "cannot be bounded: its divisor may be 0"
"""Of an interval without ends, which only a ratio has."""


def interval(low: float, high: float, metric: str = "") -> str:
    """Write an interval in brackets, with the digits of a metric; "" where an end is not known, or where the value
    itself is infinite. What has no end is said in words.
    """
    if math.isnan(low) or math.isnan(high) or low == math.inf:
        return ""
    if math.isinf(low):
        return f" [{UNBOUNDED}]"
    first = number(low, metric)
    return f" [at least {first}]" if math.isinf(high) else f" [{first}, {number(high, metric)}]"


def wide(table: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.tables: one row for each data set, row and lambda; one column for each metric, and one for the
    paper's value where there is any.
    """
    lines = []
    published = set(table.loc[table["published"].notna(), "metric"])
    for _, cells in table.groupby(["dataset", "row", "lambda"], sort=False, dropna=False):
        dataset, row, lambda_ = cells[["dataset", "row", "lambda"]].iloc[0]
        line = {
            "data set": display_name(dataset),
            "row": named(row, labels, cells["class_name"].iloc[0]),
            "λ": "" if math.isnan(lambda_) else f"{lambda_:.3g}",
        }
        own = {cell["metric"]: cell for cell in cells.iloc[::-1].to_dict("records")}
        for metric in filter(None, table["metric"].unique()):
            line[heading(metric)] = uncertain(own[metric]) if metric in own else ""
            if metric in published:
                theirs = own[metric]["published"] if metric in own else math.nan
                line[f"paper: {heading(metric)}"] = number(theirs, metric, paper=True)
        line["seeds"] = str(cells["seeds"].max() or "")
        line["epoch selected on"] = ", ".join(dict.fromkeys(filter(None, cells["selection"])))
        line["note"] = "; ".join(dict.fromkeys(filter(None, cells["note"])))
        lines.append(line)
    return [filled(Block(pd.DataFrame(lines, dtype=str)))]


def pairwise(table: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """As `wide`, of rows <model>/<first>/<second>, a block for each data set and model."""
    parts = table["row"].str.partition("/")
    blocks = []
    for (dataset, model), rows in table.assign(row=parts[2]).groupby(["dataset", parts[0]], sort=False):
        [shown] = wide(rows, labels)
        title = ", ".join(filter(None, (display_name(str(dataset)), named(str(model), labels))))
        pairs = shown.rows.drop(columns="data set").rename(columns={"row": "first, second"})
        blocks.append(Block(pairs, title))
    return blocks or wide(table, labels)


def uncertain(cell: Row) -> str:
    """A mean with its interval or, where there is none, its sd over seeds."""
    mean, sd = (number(cell[name], cell["metric"]) for name in ("mean", "sd"))
    return mean and mean + (interval(cell["low"], cell["high"], cell["metric"]) or (f" ± {sd}" if sd else ""))


CLAIMS = (
    "●·· low, ·●· middle, ··● high; – nothing stated; ≠ classes lie apart: the lowest, the highest. A statement may "
    "name no zone but those under 'must be'; behind 'touch' it must name one of them, and may name others."
)
ZONE_NAMES = {"1": "low", "2": "middle", "3": "high"}
SHUFFLED = (
    "Shuffled weights in the place of a map must not touch ··●: {} of {} claims hold; those that do not stand here."
)


def draw_claim(zones: str) -> str:
    """Draw zones as `CONTROLS` has them, those that are said or those that are allowed."""
    whole, split, ends = zones.partition(CLASSES)
    known = whole.strip(f"?{NONE}")
    drawn = ["touch " * whole.endswith("?") + draw_zones(known)] if known else []
    drawn += [draw_zones(NONE).strip()] if NONE in whole else []
    drawn += [f"{CLASSES} {', '.join(map(draw_zones, ends.split(',')))}"] if split else []
    return " or ".join(drawn)


def list_zones(row: Mapping[Any, Any]) -> list[str]:
    """List the zones that a claim that holds shows: each that is named alone, unless all three are allowed there."""
    whole, _, ends = str(row["allowed"]).partition(CLASSES)
    said = str(row["said"]).strip(CLASSES).split(",")
    allowed = ends.split(",") if len(said) > 1 and ends else [whole] * len(said)
    return [one for one, may in zip(said, allowed, strict=True) if len(one) == 1 and may != ZONES]


def show_grid(claims: pd.DataFrame) -> Block:
    """Show by which data sets each zone of each question is shown, from the claims on zones."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in claims[claims["holds"]].to_dict("records"):
        for zone in list_zones(row):
            found.setdefault((row["question"], zone), []).append(display_name(row["dataset"]))

    def list_found(zone: str) -> Cell:
        return lambda row: ", ".join(dict.fromkeys(found.get((row["name"], zone), []))) or "–"

    cells = {"question": lambda row: row["asks"], **{name: list_found(zone) for zone, name in ZONE_NAMES.items()}}
    rows = [{"name": name, "asks": asked.asks} for name, asked in QUESTIONS.items()]
    return block(rows, cells, "Which control shows which zone")


def verdicts(controls: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table with the columns of `CONTROLS`. Two bounds become one condition, and which control shows which zone.

    Claims that do not hold come first; those on shuffled weights that hold are counted.
    """

    def condition(row: Row) -> str:
        least, most = row["least"], row["most"]
        if row["allowed"]:
            return draw_claim(row["allowed"])
        if least <= most:
            return f"{least:.3f} to {most:.3f}"
        return f"≥ {least:.3f}" if math.isnan(most) else f"≤ {most:.3f}"

    cells = {
        **called(labels, "model"),
        **plain("claim", "statistic"),
        "found": lambda row: " ".join(filter(None, [draw_claim(row["said"]), number(row["value"], "")])),
        "must be": condition,
        "holds": lambda row: "yes" if row["holds"] else "NO",
    }
    shuffled, zones = controls["question"].eq("") & controls["allowed"].ne(""), controls["question"].ne("")
    text = " ".join(
        [CLAIMS] * bool(zones.any())
        + [SHUFFLED.format((shuffled & controls["holds"]).sum(), shuffled.sum())] * bool(shuffled.any())
    )
    worst_first = controls[~(shuffled & controls["holds"])].sort_values("holds", kind="stable")
    claims = block(worst_first, cells, text=text)
    return [claims, show_grid(controls[zones])] if zones.any() else [claims]


NOTES = (
    "Marks: ●·· low, ·●· middle, ··● high; two or three dots: the interval touches these zones; ≠: predicted classes "
    "lie apart; –: nothing is stated, with the reason. these: the 95 % interval over texts, of these trainings; next: "
    "the 95 % range of one more training. docs/method/questions.md says what each question means.",
    "Many models and questions are answered here: of statements whose value lies at the border of two zones, one in 40 "
    "leaves out the right one by chance.",
)


def answer_model(row: Mapping[Any, Any], labels: Mapping[str, str]) -> Block:
    """Show the answers on one model, from a row of columns.SUMMARY."""
    lines = [
        {
            "": line.mark, "question": line.asks, "statement": line.said, "estimate": line.value,
            "these": line.interval, "trainings": line.trainings, "next": line.next, "beside": line.remark,
        }
        for line in write_lines(row)
    ]  # fmt: skip
    who = ", ".join([display_name(row["dataset"]), named(row["paper"], labels), named(row["model"], labels)])
    said = [f"{describe_run(row)}. {count_readings(row)}.", row["note"], describe_marks(row), warn_of_next(row)]
    return Block(pd.DataFrame(lines, dtype=str), who, " ".join(filter(None, said)))


def answers(summary: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.SUMMARY: each model's answers, and what the marks mean."""
    rows = summary.to_dict("records")
    missing = [f"{display_name(row['dataset'])}: {row['note']}" for row in rows if not row["model"]]
    measured = [{"question": asked.asks, "measured": asked.measured} for asked in QUESTIONS.values()]
    return [
        *(answer_model(row, labels) for row in rows if row["model"]),
        block(measured, plain("question", "measured"), "What is measured", "\n\n".join([*missing, *NOTES])),
    ]


def attributions(table: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.INSTEAD: each attribution by both questions, and attention on the same texts."""

    def write(question: str) -> Cell:
        def cell(row: Row) -> str:
            value, low, high = (float(row[f"{question}_{end}"]) for end in ("value", "low", "high"))
            said = "" if math.isnan(value) else f"{write_share(value)} [{write_share(low)}, {write_share(high)}]"
            return f"{said}, the yardstick" if said and row[f"{question}_yardstick"] else said

        return cell

    cells: dict[str, Cell] = called(labels, "model", "attribution")
    for name in BY:
        cells |= {
            name: write(name),
            f"{name}: attention": lambda row, name=name: write_share(float(row[f"{name}_attention"])),  # type: ignore[misc]
            f"{name}: texts": lambda row, name=name: str(row[f"{name}_texts"] or ""),  # type: ignore[misc]
        }
    return [block(table, cells)]


DECISION = {True: "stays", False: "flips", None: ""}
"""What becomes of a decision, by `survives_item` and `survives_word` of columns.texts."""
DRAWN = "The same texts of all models of a data set, drawn by their ids. The Parquet file has all texts."
NOTHING_PUBLISHED = "No published number has a counterpart in this run: none of its data sets is one of the papers'."


def single(texts: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.texts: a few texts of each model."""

    def items(row: Row) -> str:
        of_text = zip(row["words"], row["weights"], row["contributions"], strict=True)
        return "; ".join(f"{isolated(item)} {weight:.2f}, {part:+.3f}" for item, weight, part in of_text)

    who = called(labels, "model")
    cells = {
        **who,
        "text": lambda row: row["id"],
        "label": lambda row: row["label_name"],
        "prediction": lambda row: row["prediction_name"],
        "top items: weight, contribution": items,
        "seeds that agree": lambda row: f"{row['agree']} of {row['others']}" if row["others"] else "",
        "moved (JSD)": real("moved"),
        "without the item": lambda row: DECISION[row["survives_item"]],
        "without the word": lambda row: DECISION[row["survives_word"]],
        **{name: real(name) for name in ("stable", "used", "ranks", "located", "signed", "unique")},
    }
    return [block(top(texts), cells, f"{TOP} texts of each model", DRAWN)]


def comparisons(replication: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table with the columns of `REPLICATION`, with a block for each paper and table."""
    cells = {
        **called(labels, "row"),
        "metric": lambda row: heading(row["metric"]),
        "published": lambda row: number(row["published"], row["metric"], paper=True),
        "ours": lambda row: number(row["ours"], row["metric"]) + interval(row["low"], row["high"], row["metric"]),
        "difference": real("difference"),
        "single trainings of ours": lambda row: interval(row["one_low"], row["one_high"], row["metric"]).strip(),
        "half-width": real("half_width"),
        **plain("chance", "seeds", "agreement", "note"),
    }
    if replication.empty:
        known = ("data set", "row", "metric", "published", "ours", "difference", "agreement", "note")
        return [block(replication, {name: cells[name] for name in known}, text=NOTHING_PUBLISHED)]
    blocks = []
    for _, rows in replication.groupby(["paper", "table"], sort=False):
        paper, table = (str(rows[name].iloc[0]) for name in ("paper", "table"))
        blocks.append(filled(block(rows, cells, f"{label_of(paper, labels)}, {table[:1].lower()}{table[1:]}")))
    return blocks
