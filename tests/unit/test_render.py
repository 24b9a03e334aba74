"""Rendered tables."""

import html
import json
import math
import re

import pandas as pd
import pytest
from labels import LABELS
from markdown_it import MarkdownIt
from refusal import refusal
from tabled import assert_fits, render_lines

from attention_audit.columns.tables import CONTROLS, TABLE
from attention_audit.questions import QUESTIONS
from attention_audit.tables.render import render, show_claims, show_pairs, show_table, write_cell
from attention_audit.tables.tidy import average_columns, order_rows
from attention_audit.tables.wording import format_number

CLASSES = [*enumerate(["0", "1", "cat", "dog", "newt", "my:owl"])]
"""Texts, each of a predicted class of its own that nobody has a label for."""
PROVENANCE = json.dumps({"note": "a--b---> 100%", "rows": [1, 2]})


def rows_of(*rows):
    """Dictionaries as rows of columns.TABLE; what is left out is a blank."""
    return pd.DataFrame([TABLE.blank | row for row in rows])[TABLE.schema.names]


@pytest.fixture
def table():
    adversary = {"dataset": "sst", "model": "adversary", "lambda": 2e-5, "seeds": 1, "selection": "train"}
    return rows_of(
        {"dataset": "sst", "model": "base", "metric": "f1", "mean": 0.82951, "sd": 0.0042, "seeds": 9}
        | {"published": 0.831, "selection": "dev", "note": "J&W report 0.81"},
        adversary | {"metric": "f1", "mean": 0.8},
        adversary | {"metric": "jsd", "mean": -0.25, "sd": 0.5},
        {"dataset": "a-1", "model": "guide_base_lstm", "metric": "odd_metric", "mean": 0.5, "seeds": 9}
        | {"selection": "dev", "note": "50 % & more"},
    )


def cells(line, separator):
    return [cell.strip() for cell in line.split(separator)]


def cells_of(lines):
    """The cells of lines of markdown."""
    return [cells(line, "|")[1:-1] for line in lines]


def test_csv_keeps_every_digit(table, tmp_path):
    render(table, tmp_path / "t.csv", PROVENANCE, show_table, LABELS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv", "t.json", "t.md", "t.tex"]
    assert json.loads((tmp_path / "t.json").read_text()) == json.loads(PROVENANCE)
    assert (tmp_path / "t.csv").read_text().startswith("dataset,paper,model,ranking,other,part,label,")
    back = pd.read_csv(tmp_path / "t.csv")
    assert list(back) == list(table)
    # empty texts come back as missing
    texts = [name for name, blank in TABLE.blank.items() if blank == ""]
    back[texts] = back[texts].astype(object).fillna("")
    pd.testing.assert_frame_equal(back, table, check_dtype=False)


def test_markdown_is_wide(table, tmp_path):
    lines = render_lines(table, tmp_path, provenance=PROVENANCE)
    assert cells_of([lines[0], *lines[2:5]]) == [
        ["data set", "row", "λ", "F1", "paper: F1", "JSD (nats)", "odd metric", "seeds", "epoch selected on", "note"],
        ["SST", "base", "", "0.830 ± 0.004", "0.831", "", "", "9", "dev", "J&W report 0.81"],
        ["SST", "adversary", "2e-05", "0.800", "", "-0.250 ± 0.500", "", "1", "train", ""],
        ["a-1", "MLP, base model's attention", "", "", "", "", "0.500", "9", "dev", "50 % & more"],
    ]
    comment = lines[-1].removeprefix("<!-- ").removesuffix(" -->")
    assert "--" not in comment
    assert json.loads(comment) == json.loads(PROVENANCE)


@pytest.mark.parametrize(
    "text",
    [
        "a|b", "\\|", "<br>", "a <!-- b", "**", "*a*", "_a_ __ b", "``", "`a` ''", "[a](b)", "![a](b)", "&lt; &#39;",
        "a & b", "~~a~~", "$5, $6", "\\", "a\\*", "[.33, .37]", "guide_base_lstm", "2 < 3 > 1",
    ],
)  # fmt: skip
def test_a_reader_of_markdown_shows_words_as_they_are(table, tmp_path, text):
    lines = render_lines(table.assign(note=f"{text} 1; {text} 2"), tmp_path)
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render("\n".join(lines))
    rows = re.findall("<tr>(.*?)</tr>", page, flags=re.DOTALL)
    shown = [[html.unescape(cell) for cell in re.findall("<td[^>]*>(.*?)</td>", row)] for row in rows[1:]]
    assert [(row[0], row[-1]) for row in shown] == [(name, f"{text} 1; {text} 2") for name in ("SST", "SST", "a-1")]


def test_latex_is_escaped_booktabs(table, tmp_path):
    render(table.assign(note="x_1 & 5 %, −≠●·–"), tmp_path / "t", PROVENANCE, show_table, LABELS | {"base": "a_b"})
    lines = (tmp_path / "t.tex").read_text().splitlines()
    assert lines[0] == f"% {PROVENANCE}"
    assert lines[2] == r"\begin{tabular}{llrrrrrrll}"
    assert {r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"} <= set(lines)
    body = [cells(line.removesuffix(r"\\"), " & ") for line in lines[4:] if line.endswith(r"\\")]
    assert body[0][2:4] == [r"$\lambda$", "F1"]
    assert body[1][:5] == ["SST", r"a\_b", "", r"0.830 $\pm$ 0.004", "0.831"]
    assert body[2][2:6] == ["2e-05", "0.800", "", r"$-$0.250 $\pm$ 0.500"]
    assert body[3][0] == "a-1"
    assert {row[-1] for row in body[1:]} == {r"x\_1 \& 5 \%, $-$$\neq$$\bullet$$\cdot${--}"}
    assert all(character.isascii() for line in lines for character in line)


def test_counts_are_whole_and_empty_columns_left_out(tmp_path):
    rows = [
        ("sst", "train", "instances", 6355, math.nan),
        ("sst", "train", "negative", 3034, 3034),
        ("sst", "train", "mean_length", 18.74, 19),
        ("sst", "vocabulary", "words", 13826, math.nan),
        ("sst", "vocabulary", "words_with_vector", 0.808, math.nan),
    ]
    lines = render_lines(
        rows_of(*(dict(zip(("dataset", "part", "metric", "mean", "published"), row, strict=True)) for row in rows)),
        tmp_path,
    )
    assert cells_of([lines[0], *lines[2:4]]) == [
        ["data set", "row", "instances", "first class", "paper: first class", "mean length (tokens)",
         "paper: mean length (tokens)", "words", "words with vector"],
        ["SST", "train", "6355", "3034", "3034", "18.7", "19", "", ""],
        ["SST", "vocabulary", "", "", "", "", "", "13826", "0.808"],
    ]  # fmt: skip


def test_no_zero_has_a_sign():
    numbers = [(-0.0004, "f1"), (-0.0005001, "f1"), (-0.4, "test"), (-0.04, "tied")]
    assert [format_number(*number) for number in numbers] == ["0.000", "-0.001", "0", "0.0"]


@pytest.mark.parametrize(
    ("value", "low", "high", "shown"),
    [
        (0.5, 0.25, 0.75, "0.500 [0.250, 0.750]"),
        (6.0, 2.5, math.inf, "6.000 [at least 2.500]"),
        (math.inf, 2.5, math.inf, "always [at least 2.500]"),
        (math.inf, math.inf, math.inf, "always ± 1.000"),
        (0.5, math.nan, math.nan, "0.500 ± 1.000"),
    ],
)
def test_an_interval_stands_in_place_of_the_spread_and_what_has_no_end_is_said_in_words(value, low, high, shown):
    assert write_cell({"mean": value, "sd": 1.0, "low": low, "high": high, "metric": "earlier_ratio"}) == shown


def test_pairs_of_rankings_have_a_part_for_each_model(tmp_path):
    rows = [
        {"dataset": "yelp", "model": model, "ranking": first, "other": second, "metric": metric, "mean": mean}
        | {"seeds": 1}
        for model in ("han_rnn", "flan_none")
        for first, second in (("smallest", "random"), ("gradient", "attention"))
        for metric, mean in (("first_earlier", 40.0), ("earlier_ratio", math.inf))
    ]
    lines = render_lines(rows_of(*rows), tmp_path, show_pairs)
    assert [line for line in lines if line.startswith("#")] == ["## Yelp, HANrnn", "## Yelp, FLANnoenc"]
    assert cells_of([lines[2], *lines[4:6]]) == [
        ["first, second", "first earlier (%)", "first / second", "seeds"],
        ["smallest set, random", "40.0", "always", "1"],
        ["gradient, attention", "40.0", "always", "1"],
    ]


def controls_table(rows):
    """Rows of columns.CONTROLS from dictionaries; what is left out is a blank."""
    blank = {"suite": "wp", "model": "base", "claim": "c", "statistic": "s"}
    return pd.DataFrame([{**CONTROLS.blank, **blank, **row} for row in rows])[CONTROLS.schema.names]


def test_controls_state_their_bounds(tmp_path):
    rows = [
        {"dataset": "needle", "value": 0.2, "least": 0.15, "holds": True},
        {"dataset": "chorus", "value": 0.03, "most": 0.02, "holds": False},
        {"dataset": "static", "value": 0.5, "least": 0.45, "most": 0.55, "holds": True},
    ]
    lines = render_lines(controls_table(rows), tmp_path, show_claims)
    assert [row[4:] for row in cells_of(lines[2:5])] == [
        ["0.030", "≤ 0.020", "NO"],
        ["0.200", "≥ 0.150", "yes"],
        ["0.500", "0.450 to 0.550", "yes"],
    ]
    assert r"$\geq$ 0.150" in (tmp_path / "t.tex").read_text()


@pytest.mark.parametrize(
    ("said", "allowed", "drawn"),
    [
        ("12", "12?", ["●●·", "touch ●●·"]),
        ("3", "3-", ["··●", "··● or –"]),
        ("-", "-", ["–", "–"]),
        ("≠1,23", "3≠123,3", ["≠ ●··, ·●●", "··● or ≠ ●●●, ··●"]),
    ],
)
def test_zones_that_are_claimed_are_drawn(said, allowed, drawn):
    table = controls_table([{"dataset": "c", "question": "needed", "said": said, "allowed": allowed, "holds": True}])
    assert show_claims(table, LABELS)[0].rows[["found", "must be"]].to_numpy().tolist() == [drawn]


def test_the_grid_has_every_zone_that_a_control_shows():
    rows = [
        # no zone alone; alone
        {"dataset": "a", "question": "needed", "said": "12", "allowed": "12?"},
        {"dataset": "b", "question": "needed", "said": "1", "allowed": "1"},
        {"dataset": "c", "question": "needed", "said": "1", "allowed": "12"},
        # the lowest and the highest class; of the lowest nothing is known beforehand
        {"dataset": "d", "question": "used", "said": "≠1,3", "allowed": "≠1,23"},
        {"dataset": "e", "question": "used", "said": "≠2,3", "allowed": "3≠123,3"},
        {"dataset": "f", "question": "used", "said": "≠1,2", "allowed": "12"},
        # a claim that fails shows nothing, and nothing stated is no zone
        {"dataset": "g", "question": "ranks", "said": "3", "allowed": "1", "holds": False},
        {"dataset": "g", "question": "signed", "said": "-", "allowed": "-"},
    ]
    grid = show_claims(controls_table([{"holds": True, **row} for row in rows]), LABELS)[1].rows.set_index("claim")
    assert list(grid.columns) == ["no", "in part", "yes"]
    assert len(grid) == len(QUESTIONS)
    assert grid.loc[QUESTIONS["needed"].claim].tolist() == ["b, c", "–", "–"]
    assert grid.loc[QUESTIONS["used"].claim].tolist() == ["d, f", "f", "d, e"]
    for name in ("ranks", "signed"):
        assert grid.loc[QUESTIONS[name].claim].tolist() == ["–"] * 3


def test_claims_on_shuffled_weights_are_counted_and_those_that_fail_are_shown():
    rows = [{"dataset": "a", "said": said, "allowed": "12-", "holds": holds} for said, holds in [("1", 1), ("3", 0)]]
    (shown,) = show_claims(controls_table(rows).astype({"holds": bool}), LABELS)
    assert shown.rows[["found", "must be", "holds"]].to_numpy().tolist() == [["··●", "●●· or –", "NO"]]
    assert "1 of 2 claims hold" in shown.text


def test_empty_controls_render(tmp_path):
    assert "| data set" in render_lines(pd.DataFrame([], columns=CONTROLS.schema.names), tmp_path, show_claims)[0]


def test_a_path_that_cannot_be_written_is_named(table, tmp_path):
    (tmp_path / "t.csv").mkdir()
    assert "t.csv: cannot be written" in refusal(render, table, tmp_path / "t", PROVENANCE, show_table, LABELS)


def test_a_table_of_ones_own_shows_names_as_they_are_and_every_class(tmp_path):
    of_texts = [(model, label, f"t{number}", 0.1 * number) for model in ("gpt", "base") for number, label in CLASSES]
    rows = pd.DataFrame(of_texts, columns=["model", "label", "id", "evenness"])
    rows = rows.assign(dataset="pets", seed=1, ranking="glow")
    averages = average_columns(rows, ["model", "ranking", "label"], ["evenness"])
    table = order_rows(averages, ["evenness"], model=["base"])
    assert_fits(table, tmp_path)
    lines = render_lines(table, tmp_path)
    assert [line[1] for line in cells_of(lines[2:14])] == [
        *(f"base, glow, class {label}" for _, label in CLASSES),
        *(f"gpt, glow, class {label}" for _, label in CLASSES),
    ]
