"""Tables as strings, wide and rounded, as readers see them: one function for each kind of table.

Each takes a table and the labels of its names (from `tables.wording.labels_of`), and raises AuditError for a name
without a label.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from attention_audit.answer.sentence import beside_marks
from attention_audit.answer.sizes import TEXTS
from attention_audit.answer.words import NO, TOO_FEW, YES
from attention_audit.columns.noticed import DOES_NOT, NOT_ASKED, NOTICES, UNCLEAR
from attention_audit.columns.readable import READ_BY
from attention_audit.columns.summary import INSTEAD, MEASURED, QUESTIONS
from attention_audit.columns.texts import MAY, OPEN, UNKNOWN, WHY_NOT
from attention_audit.names import display_name
from attention_audit.tables.classes import isolated
from attention_audit.tables.texts import TOP, top
from attention_audit.tables.wording import heading, label_of, named, number


class Block(NamedTuple):
    """Rows of strings, with a title above them and a remark; title and remark may be empty."""

    rows: pd.DataFrame
    title: str = ""
    text: str = ""


Shown = Callable[[pd.DataFrame, Mapping[str, str]], list[Block]]
"""The type of the functions of this module: from a table and labels to blocks."""


def uncertain(cell: pd.Series, metric: str) -> str:
    """A mean with its interval or, where there is none, its sd over seeds."""
    low, high, sd = (number(cell[name], metric) for name in ("low", "high", "sd"))
    return number(cell["mean"], metric) + (f" [{low}, {high}]" if low else f" ± {sd}" if sd else "")


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
    return [Block(frame.loc[:, (frame != "").any()])]


def verdicts(controls: pd.DataFrame, _labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.controls; the two bounds become one condition."""
    conditions = [
        f"{least:.3f} to {most:.3f}" if least <= most else f"≥ {least:.3f}" if math.isnan(most) else f"≤ {most:.3f}"
        for least, most in zip(controls["least"], controls["most"], strict=True)
    ]
    frame = pd.DataFrame(
        {
            "data set": controls["dataset"],
            "claim": controls["claim"],
            "statistic": controls["statistic"],
            "value": [f"{value:z.3f}" for value in controls["value"]],
            "must be": conditions,
            "holds": ["yes" if holds else "NO" for holds in controls["holds"]],
        },
        dtype=str,
    )
    return [Block(frame)]


def findings(claims: pd.DataFrame, _labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.claims, with the interval beside the value; "" where the value is not known."""
    ours = [
        "" if math.isnan(value) else f"{value:.3g} [{low:.3g}, {high:.3g}]"
        for value, low, high in zip(claims["ours"], claims["low"], claims["high"], strict=True)
    ]
    frame = pd.DataFrame(
        {
            "data set": [display_name(dataset) for dataset in claims["dataset"]],
            "claim": claims["claim"],
            "statistic": claims["statistic"],
            "ours": ours,
            "paper": claims["theirs"],
            "holds": [word.upper() if word == NO else word for word in claims["holds"]],
        },
        dtype=str,
    )
    return [Block(frame)]


def readable(table: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.readable: each word with its effect, beside that of the twin."""
    frame = pd.DataFrame(
        {
            "data set": [display_name(dataset) for dataset in table["dataset"]],
            "model": [label_of(model, labels) for model in table["model"]],
            "instead of": [label_of(model, labels) for model in table["twin"]],
            "answer": table["sentence"],
            **{
                f"{name}{heard}": [
                    f"{word} ({number(value, '')})" if number(value, "") else word
                    for word, value in zip(table[f"{name}{part}"], table[f"{name}{part}_value"], strict=True)
                ]
                for name in READ_BY
                for part, heard in (("", ""), ("_twin", ", without the remedy"))
            },
        },
        dtype=str,
    )
    return [Block(frame)]


def noticings(noticed: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.noticed: a row for each liar and question; and, above them, how many liars each notices."""
    lines = [
        {
            "data set": display_name(row["dataset"]),
            "liar": named(row["liar"], labels),
            "question": row["question"],
            "it notices": row["word"],
            "honest model": said_of(row, "honest"),
            "liar's answer": said_of(row, "liar"),
            "difference": effect_in(row, "difference"),
            "note": row["note"],
        }
        for row in noticed.to_dict("records")
    ]
    words = [word for word in (NOTICES, DOES_NOT, UNCLEAR, NOT_ASKED) if word in set(noticed["word"])]
    counts = [
        {"question": question, **{word: str(int((rows["word"] == word).sum())) for word in words}}
        for question, rows in noticed.groupby("question", sort=False)
    ]
    return [
        Block(pd.DataFrame(counts, dtype=str), "How many liars each question notices"),
        Block(pd.DataFrame(lines, dtype=str), "Liar by liar"),
    ]


def effect_in(row: Mapping[Any, Any], name: str) -> str:
    """An effect with its interval, as a table of columns.noticed has it; "" where it has none."""
    value, low, high = (float(row[f"{name}_{part}"]) for part in ("value", "low", "high"))
    return "" if math.isnan(value) else f"{number(value, '')}{interval(low, high)}"


def said_of(row: Mapping[Any, Any], name: str) -> str:
    """One model's answer there: the word, and the effect."""
    return ": ".join(filter(None, (row[f"{name}_word"], effect_in(row, name))))


def interval(low: float, high: float, metric: str = "") -> str:
    """An interval in brackets; "" where a bound is NaN."""
    return "" if math.isnan(low) or math.isnan(high) else f" [{number(low, metric)}, {number(high, metric)}]"


def answered(row: pd.Series, question: str) -> str:
    """One answer: the word, and the value with its interval."""
    value, low, high = (float(row[f"{question}_{name}"]) for name in ("value", "low", "high"))
    return str(row[question]) if math.isnan(value) else f"{row[question]}: {number(value, '')}{interval(low, high)}"


def instead(row: pd.Series, question: str, labels: Mapping[str, str]) -> str:
    """The attribution that does best on a question, with its gain over attention; "" where it is not known."""
    name = f"instead_by_{question}"
    if not row[name]:
        return ""
    label = label_of(row[name], labels)
    gain, low, high = (float(row[f"{name}_{part}"]) for part in ("gain", "low", "high"))
    if math.isnan(gain):
        return label
    few = f", too few texts for a word: {row[f'{name}_texts']:.0f} of the {TEXTS[0]} needed in that half"
    clear = {YES: "", TOO_FEW: few}.get(row[f"{name}_better"], ", not clearly better")
    return f"{label} ({gain:+.3f}{interval(low, high)}{clear})"


def grounds(row: pd.Series, question: str) -> dict[str, str]:
    """What one answer rests on."""
    return {
        "question": question,
        "answer": answered(row, question),
        "margin": number(float(row[f"{question}_margin"]), ""),
        "trainings": str(row[f"{question}_trainings"] or ""),
        "texts": str(row[f"{question}_texts"] or ""),
        "note": str(row[f"{question}_note"]),
    }


def beside(row: pd.Series, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """What stands beside the answers of a model, in words; what is not known is left out."""
    lambda_ = "" if math.isnan(row["unique_lambda"]) else f", λ {row['unique_lambda']:g}"
    chosen = f"{label_of(row['unique_model'], labels)}{lambda_}" if row["unique_model"] else ""
    known = [
        ("accuracy, and of the largest class", "accuracy", "majority_accuracy"),
        ("macro F1", "macro_f1"),
        ("texts whose top item is that of another training", "stable_same_top"),
        ("between two trainings: JSD (nats), TVD", "stable_jsd", "stable_tvd"),
        ("permutations that change the decision", "used_flips"),
        ("texts whose top item opposes the prediction, is inert", "signed_opposes", "signed_inert"),
        ("attention on items that speak against the prediction", "signed_against"),
        (f"the adversary ({chosen}): JSD (nats), TVD", "unique_jsd", "unique_tvd"),
        ("how much further it goes than any other training (nats)", "unique_further"),
        ("texts whose top item is the same under it", "unique_same_top"),
        ("the effect of unique for the exact contributions", "unique_contribution"),
        ("texts whose top contribution is the same under it", "unique_contribution_same_top"),
        ("macro F1 of the MLP: the model's maps - an adversary's", "transferable_adversary"),
        ("macro F1 of the MLP: the model's maps - attention of its own", "transferable_own"),
        ("marked words: AUPRC of attention", "plausibility"),
        (
            "AUPRC: random, one annotator against the others",
            "plausibility_random",
            "plausibility_others",
        ),
    ]
    lines = []
    for about, *names in known:
        if f"{names[0]}_value" in row:
            value, low, high = (float(row[f"{names[0]}_{part}"]) for part in ("value", "low", "high"))
            shown = number(value, "") + interval(low, high) if not math.isnan(value) else ""
        else:
            shown = ", ".join(filter(None, (number(float(row[name]), "") for name in names)))
        if shown:
            lines.append((about, shown))
    return lines


def answers(summary: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.summary: the answers; what they rest on; what stands beside them; what each effect is."""
    lines, rests, besides = [], [], []
    for _, row in summary.iterrows():
        who = {"data set": display_name(row["dataset"]), "model": named(row["model"], labels)}
        lines.append(
            {
                "data set": who["data set"],
                "paper": named(row["paper"], labels),
                "model": who["model"],
                "seeds": str(row["seeds"]),
                "answer": row["sentence"],
                **{question: answered(row, question) for question in QUESTIONS},
                **{f"show instead, by {question}": instead(row, question, labels) for question in INSTEAD},
                "marked words": beside_marks(row.to_dict()).removeprefix("Marked words: "),
            }
        )
        if row["model"]:
            rests += [{**who, **grounds(row, question)} for question in QUESTIONS]
            besides += [{**who, "measured": about, "value": value} for about, value in beside(row, labels)]
    columns = ["data set", "paper", "model", "seeds", "answer", *QUESTIONS]
    columns += [f"show instead, by {question}" for question in INSTEAD]
    columns += ["marked words"] if any(line["marked words"] for line in lines) else []
    legend = pd.DataFrame({"question": list(MEASURED), "measured": list(MEASURED.values())}, dtype=str)
    text = "In brackets 95 % intervals over trainings and texts. `docs/method.md` says what each question means."
    blocks = [Block(pd.DataFrame(lines, columns=columns, dtype=str))]
    if rests:
        blocks.append(Block(pd.DataFrame(rests, dtype=str), "What each answer rests on", text))
        blocks.append(Block(pd.DataFrame(besides, columns=["data set", "model", "measured", "value"]), "Beside them"))
    return [*blocks, Block(legend, "What is measured")]


def single(texts: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.texts: how many maps of each model may be shown, and a few of its texts."""
    counts, lines = [], []
    for _, rows in texts.groupby(["dataset", "suite", "model"], sort=False):
        shares = rows["show"].value_counts(normalize=True)
        counts.append(
            {
                "data set": display_name(rows["dataset"].iloc[0]),
                "model": named(rows["model"].iloc[0], labels),
                "texts": str(len(rows)),
                **{word: f"{100 * shares.get(word, 0.0):.1f}" for word in (MAY, OPEN, *WHY_NOT.values(), UNKNOWN)},
            }
        )
    for _, row in top(texts).iterrows():
        items = zip(row["words"], row["weights"], row["contributions"], strict=True)
        lines.append(
            {
                "data set": display_name(row["dataset"]),
                "model": named(row["model"], labels),
                "text": row["id"],
                "label": row["label_name"],
                "prediction": row["prediction_name"],
                "top items: weight, contribution": "; ".join(
                    f"{isolated(item)} {weight:.2f}, {part:+.3f}" for item, weight, part in items
                ),
                "seeds that agree": f"{row['agree']} of {row['others']}" if row["others"] else "",
                "moved (JSD)": number(float(row["moved"]), ""),
                "without the item": DECISION[row["survives_item"]],
                "without the word": DECISION[row["survives_word"]],
                "passed": f"{row['passed']} of {row['asked']} asked",
                "show": PLAIN.get(row["show"], row["show"]),
            }
        )
    how_many = pd.DataFrame(counts, dtype=str)
    return [
        Block(how_many.loc[:, (how_many != "0.0").any()], "How many maps may be shown", SHARES),
        Block(pd.DataFrame(lines, dtype=str), f"{TOP} texts of each model", DRAWN),
    ]


DECISION = {True: "stays", False: "flips", None: ""}
"""What becomes of a decision, by `survives_item` and `survives_word` of columns.texts."""
PLAIN = {WHY_NOT["learnt"]: f"{WHY_NOT['learnt']}: the model is no better than always the same answer"}
"""What `show` is called where its word alone hides that the model as a whole is in question."""
SHARES = "Percent of the test texts: whose map may be shown, and whose may not, by the first margin that fails."
DRAWN = "The same texts of all models of a data set, drawn by their ids. The Parquet file has all texts."
NOTHING_PUBLISHED = "No published number has a counterpart in this run: none of its data sets is one of the papers'."


def comparisons(replication: pd.DataFrame, labels: Mapping[str, str]) -> list[Block]:
    """A table of columns.replication, with a block for each paper and table."""
    blocks = []
    for _, rows in replication.groupby(["paper", "table"], sort=False):
        paper, table = (str(rows[name].iloc[0]) for name in ("paper", "table"))
        lines = [
            {
                "data set": display_name(row["dataset"]),
                "row": named(row["row"], labels),
                "metric": heading(row["metric"]),
                "published": number(row["published"], row["metric"], paper=True),
                "ours": number(row["ours"], row["metric"]) + interval(row["low"], row["high"], row["metric"]),
                "difference": number(row["difference"], row["metric"]),
                "single trainings of ours": interval(row["one_low"], row["one_high"], row["metric"]).strip(),
                "half-width": number(row["half_width"], row["metric"]),
                "chance": row["chance"],
                "seeds": str(row["seeds"]) if row["seeds"] else "",
                "agreement": row["agreement"],
                "note": row["note"],
            }
            for _, row in rows.iterrows()
        ]
        frame = pd.DataFrame(lines, dtype=str)
        title = f"{label_of(paper, labels)}, {table[:1].lower()}{table[1:]}"
        blocks.append(Block(frame.loc[:, (frame != "").any()], title))
    columns = ["data set", "row", "metric", "published", "ours", "difference", "agreement", "note"]
    return blocks or [Block(pd.DataFrame(columns=columns, dtype=str), text=NOTHING_PUBLISHED)]
