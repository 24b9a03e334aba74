"""Tables as strings, wide and rounded, as readers see them: one function for each kind of table.

Each takes a table and the labels of its names (from `tables.wording.labels_of`), and raises AuditError for a name
without a label. A function declares the columns that readers see, each by its heading and what a row says there:
`effect` and `said` word a value with its interval, `called` names, and `plain` is a column as it is.
"""

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import pandas as pd

from attention_audit.answer.sentence import beside_marks, itself, quality
from attention_audit.answer.sizes import TEXTS
from attention_audit.answer.words import NO, TOO_FEW, YES, multiplicity
from attention_audit.columns.noticed import DOES_NOT, NOT_ASKED, NOTICES, UNCLEAR
from attention_audit.columns.readable import READ_BY
from attention_audit.columns.summary import CEILINGS, INSTEAD, MEASURED, QUESTIONS
from attention_audit.columns.texts import MAY, OPEN, UNKNOWN, WHY_NOT
from attention_audit.names import display_name
from attention_audit.tables.texts import TOP, top
from attention_audit.tables.wording import MOST_VALUES, each_of, heading, isolated, label_of, named, number


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


def within(low: float, high: float, written: Callable[[float], str]) -> str:
    """An interval in brackets, its ends as `written` has them; "" where one is not known, or where the value itself is
    infinite. What has no end is said in words.
    """
    if math.isnan(low) or math.isnan(high) or low == math.inf:
        return ""
    if math.isinf(low):
        return f" [{UNBOUNDED}]"
    return f" [at least {written(low)}]" if math.isinf(high) else f" [{written(low)}, {written(high)}]"


def interval(low: float, high: float, metric: str = "") -> str:
    """An interval in brackets, with the digits of a metric; see `within`."""
    return within(low, high, partial(number, metric=metric))


def significant(value: float) -> str:
    """A value with three significant digits, whatever it measures."""
    return f"{value:.3g}" if math.isfinite(value) else number(value, "")


def found(row: Row) -> str:
    """The value of a row of columns.claims with its interval; "" where it is not known."""
    ours = significant(row["ours"])
    return ours and ours + within(row["low"], row["high"], significant)


def effect(row: Row, name: str) -> str:
    """A value with its interval, from the columns <name>_value, <name>_low and <name>_high; "" where it has none."""
    value, low, high = (float(row[f"{name}_{part}"]) for part in ("value", "low", "high"))
    return "" if math.isnan(value) else number(value, "") + interval(low, high)


def said(row: Row, word: str, name: str) -> str:
    """The word of an answer, and its effect."""
    return ": ".join(filter(None, (str(row[word]), effect(row, name))))


def answered(row: Row, question: str) -> str:
    """One answer of the summary: the word, and the value with its interval."""
    return said(row, question, question)


def wide(table: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.table: one row for each data set, row and lambda; one column for each metric, and one for the
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
    """A table of columns.table whose rows are <model>/<first>/<second>: `wide`, a block for each data set and model."""
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


def verdicts(controls: pd.DataFrame, _labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.controls; the two bounds become one condition."""

    def condition(row: Row) -> str:
        least, most = row["least"], row["most"]
        if least <= most:
            return f"{least:.3f} to {most:.3f}"
        return f"≥ {least:.3f}" if math.isnan(most) else f"≤ {most:.3f}"

    cells = {
        "data set": lambda row: row["dataset"],
        **plain("claim", "statistic"),
        "value": lambda row: f"{row['value']:z.3f}",
        "must be": condition,
        "holds": lambda row: "yes" if row["holds"] else "NO",
    }
    return [block(controls, cells)]


def findings(claims: pd.DataFrame, _labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.claims, with the interval beside the value; "" where the value is not known."""

    cells = {
        **called({}),
        **plain("claim", "statistic"),
        "ours": found,
        "paper": lambda row: row["theirs"],
        "holds": lambda row: row["holds"].upper() if row["holds"] == NO else row["holds"],
    }
    return [block(claims, cells)]


def readable(table: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.readable: each word with its effect, beside that of the twin."""

    def with_value(name: str) -> Cell:
        return lambda row: row[name] + (f" ({value})" if (value := number(row[f"{name}_value"], "")) else "")

    cells = called(labels, "model")
    cells |= {"instead of": lambda row: named(row["twin"], labels), "answer": lambda row: row["sentence"]}
    for name in READ_BY:
        cells |= {name: with_value(name), f"{name}, without the remedy": with_value(f"{name}_twin")}
    return [block(table, cells)]


def noticings(noticed: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.noticed: a row for each liar and question; and, above them, how many liars each notices."""
    cells = {
        **called(labels, "liar"),
        **plain("question"),
        "it notices": lambda row: row["word"],
        "honest model": lambda row: said(row, "honest_word", "honest"),
        "liar's answer": lambda row: said(row, "liar_word", "liar"),
        "difference": lambda row: effect(row, "difference"),
        **plain("note"),
    }
    words = [word for word in (NOTICES, DOES_NOT, UNCLEAR, NOT_ASKED) if word in set(noticed["word"])]
    counts = [
        {"question": question, **{word: str((rows["word"] == word).sum()) for word in words}}
        for question, rows in noticed.groupby("question", sort=False)
    ]
    return [
        block(counts, plain("question", *words), "How many liars each question notices"),
        block(noticed, cells, "Liar by liar"),
    ]


def instead(row: Row, question: str, labels: Mapping[str, str]) -> str:
    """The attribution that does best on a question, with its gain over attention; "" where it is not known.

    It says so where the attribution is what the ceiling of the question is made of, or goes beyond that ceiling, and
    where it is not clearly better than the next best.
    """
    name = f"instead_by_{question}"
    if not row[name]:
        return ""
    label = label_of(row[name], labels)
    gain, low, high = (float(row[f"{name}_{part}"]) for part in ("gain", "low", "high"))
    if math.isnan(gain):
        return label
    few = f", too few texts for a word: {row[f'{name}_texts']:.0f} of the {TEXTS[0]} needed in that half"
    clear = {YES: "", TOO_FEW: few}.get(row[f"{name}_better"], ", not clearly better")
    own, value = itself(question, row[name]), round(float(row[f"{name}_value"]), 3)
    beyond = f", at {value:.3f} beyond {CEILINGS[question]}" if value > 1 and not own else ""
    tied = row[f"{name}_second"] and f", not clearly better than {label_of(row[f'{name}_second'], labels)}"
    return f"{', '.join(filter(None, (label, own)))} ({gain:+.3f}{interval(low, high)}{clear}{beyond}{tied})"


BESIDE = {
    "accuracy, and of the largest class": ("accuracy", "majority_accuracy"),
    "macro F1": ("macro_f1",),
    "texts whose top item is that of another training": ("stable_same_top",),
    "between two trainings: JSD (nats), TVD": ("stable_jsd", "stable_tvd"),
    "permutations that change the decision": ("used_flips",),
    "located: texts whose first word is 3 of the 5 sizes": ("located_short",),
    "texts whose top item opposes the prediction, is inert": ("signed_opposes", "signed_inert"),
    "attention on items that speak against the prediction": ("signed_against",),
    "the adversary ({chosen}): JSD (nats), TVD": ("unique_jsd", "unique_tvd"),
    "how much further it goes than any other training (nats)": ("unique_further",),
    "texts whose top item is the same under it": ("unique_same_top",),
    "the effect of unique for the exact contributions": ("unique_contribution",),
    "texts whose top contribution is the same under it": ("unique_contribution_same_top",),
    "macro F1 of the MLP: the model's maps - an adversary's": ("transferable_adversary",),
    "macro F1 of the MLP: the model's maps - attention of its own": ("transferable_own",),
    "marked words: AUPRC of attention": ("plausibility",),
    "AUPRC: random, one annotator against the others": ("plausibility_random", "plausibility_others"),
}
"""What stands beside the answers of a model: numbers of its row, or one effect."""


def beside(row: Row, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What stands beside the answers of a model, in words; what is not known is left out."""
    lambda_ = "" if math.isnan(row["unique_lambda"]) else f", λ {row['unique_lambda']:g}"
    chosen = f"{label_of(row['unique_model'], labels)}{lambda_}" if row["unique_model"] else ""
    for about, names in BESIDE.items():
        if f"{names[0]}_value" in row:
            shown = effect(row, names[0])
        else:
            shown = ", ".join(filter(None, (number(float(row[name]), "") for name in names)))
        if shown:
            yield about.format(chosen=chosen), shown


ENDS = ("value", "low", "high")
LEGEND = (
    "In brackets 95 % intervals over trainings and texts. `docs/method/questions.md` says what each one asks. Each "
    "training: the effect of each by itself, in the order of seeds; of stable, that of each pair; of more than "
    f"{MOST_VALUES}, the least and the greatest; a dash where it cannot be bounded."
)


def wrapped(*paragraphs: str) -> str:
    """Paragraphs in lines that a terminal shows whole; empty ones are left out."""
    filled_up = partial(textwrap.fill, width=100, break_long_words=False, break_on_hyphens=False)
    return "\n\n".join(map(filled_up, filter(None, paragraphs)))


def compared(row: Row, labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Attention and the attribution that does best, by the questions by which they are compared."""
    for question in INSTEAD:
        if best := row[name := f"instead_by_{question}"]:
            values = (number(float(row[f"{name}_{whose}"]), "") for whose in ("attention", "value"))
            yield f"{question}, on half of the texts: attention, {label_of(best, labels)}", ", ".join(values)


def of_model(row: Mapping[Any, Any], labels: Mapping[str, str]) -> Iterator[Block]:
    """One row of columns.summary: its eight answers; then which attribution to show instead, the sentence, and what
    stands beside them.
    """
    asked = [
        {"question": question, "word": row[question]}
        | {name: row[f"{question}_{name}"] for name in (*ENDS, "margin", "trainings", "texts", "each")}
        for question in QUESTIONS
    ]
    cells = plain("question", "word") | {"effect": real("value")}
    cells["95 % interval"] = lambda answer: interval(answer["low"], answer["high"]).strip()
    cells |= {"margin": real("margin"), **plain("trainings", "texts")}
    if any(len(answer["each"]) for answer in asked):
        cells["each training"] = lambda answer: each_of(answer["each"])
    model = ", ".join(filter(None, (named(row[name], labels) for name in ("model", "paper"))))
    trained = f"{row['seeds']} training{'s' if row['seeds'] > 1 else ''}" if row["seeds"] else ""
    how_well = quality(str(row["learnt"]), row)
    yield block(asked, cells, f"{display_name(row['dataset'])}: {model}", "; ".join(filter(None, (trained, how_well))))
    shown = [f"by {question}: {best}" for question in INSTEAD if (best := instead(row, question, labels))]
    notes = [f"{question}: {note}" for question in QUESTIONS if (note := row[f"{question}_note"])]
    text = wrapped(
        f"Show instead, {'; '.join(shown)}." if shown else "",
        f"To quote: {row['sentence']}",
        beside_marks(row),
        f"Notes. {'. '.join(notes)}." if notes else "",
    )
    besides = [{"beside": about, "value": value} for about, value in (*compared(row, labels), *beside(row, labels))]
    yield block(besides, plain("beside", "value"), text=text)


def answers(summary: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.summary: the words of all models; each model's answers; what each effect is."""
    rows = summary.to_dict("records")
    judged = [row for row in rows if row["model"]]
    missing = (f"{display_name(row['dataset'])}: {row['sentence']}" for row in rows if not row["model"])
    chance = multiplicity(row[question] for row in judged for question in QUESTIONS)
    legend = [{"question": question, "measured": measured} for question, measured in MEASURED.items()]
    # two suites may have models of one name
    suites = ["paper"] if len({(row["dataset"], row["model"]) for row in judged}) < len(judged) else []
    return [
        block(judged, {**called(labels, *suites, "model"), **plain(*QUESTIONS)}, text=wrapped(*missing, chance)),
        *(part for row in judged for part in of_model(row, labels)),
        block(legend, plain("question", "measured"), "What is measured", wrapped(LEGEND)),
    ]


DECISION = {True: "stays", False: "flips", None: ""}
"""What becomes of a decision, by `survives_item` and `survives_word` of columns.texts."""
PLAIN = {WHY_NOT["learnt"]: f"{WHY_NOT['learnt']}: the model is no better than always the same answer"}
"""What `show` is called where its word alone hides that the model as a whole is in question."""
SHARES = "Percent of the test texts: whose map may be shown, and whose may not, by the first margin that fails."
DRAWN = "The same texts of all models of a data set, drawn by their ids. The Parquet file has all texts."
NOTHING_PUBLISHED = "No published number has a counterpart in this run: none of its data sets is one of the papers'."


def single(texts: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.texts: how many maps of each model may be shown, and a few of its texts."""

    def share(word: str) -> Cell:
        return lambda row: f"{100 * row['shares'].get(word, 0.0):.1f}"

    def items(row: Row) -> str:
        of_text = zip(row["words"], row["weights"], row["contributions"], strict=True)
        return "; ".join(f"{isolated(item)} {weight:.2f}, {part:+.3f}" for item, weight, part in of_text)

    models = [
        {**rows.iloc[0], "texts": len(rows), "shares": rows["show"].value_counts(normalize=True)}
        for _, rows in texts.groupby(["dataset", "suite", "model"], sort=False)
    ]
    who = called(labels, "model")
    shares = {word: share(word) for word in (MAY, OPEN, *WHY_NOT.values(), UNKNOWN)}
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
        "passed": lambda row: f"{row['passed']} of {row['asked']} asked",
        "show": lambda row: str(PLAIN.get(row["show"], row["show"])),
    }
    return [
        filled(block(models, {**who, **plain("texts"), **shares}, "How many maps may be shown", SHARES), "0.0"),
        block(top(texts), cells, f"{TOP} texts of each model", DRAWN),
    ]


def comparisons(replication: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.replication, with a block for each paper and table."""
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
