"""Readouts from elsewhere: their files, and that what is wrong with one is a line that names file, text and column."""

import re
from collections.abc import Callable
from dataclasses import fields, replace
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from elsewhere import made
from refusal import refusal

from attention_audit import api
from attention_audit.errors import AuditError
from attention_audit.given import GivenReadout, check_beside, check_readout, list_labels, softmax
from attention_audit.given.files import read_given_readout, write_given_readout
from attention_audit.stages.import_readout import build_readout

TEXTS = made(1, 6)
Change = Callable[[GivenReadout], GivenReadout]


def in_text(column, value):
    """Text 2 with another value in a column."""

    def changed(given):
        values = list(getattr(given, column))
        values[2] = value(values[2]) if callable(value) else value
        stacked = np.array(values) if isinstance(getattr(given, column), np.ndarray) else values
        return replace(given, **{column: stacked})

    return changed


def in_map(value):
    """Two further maps, the second of which has other scores of text 2."""

    def changed(given):
        maps = {name: [np.arange(len(words)) - 1.5 for words in given.tokens] for name in ("rollout", "loo")}
        maps["loo"][2] = value(maps["loo"][2])
        return replace(given, maps=maps)

    return changed


def spoil(values):
    """Make one number NaN."""
    values = values.copy()
    values.flat[0] = np.nan
    return values


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (in_text("tokens", []), "tokens: has no word; leave the text out"),
        (
            in_text("attention", lambda a: np.append(a, 0.0)),
            r"attention: has \d+ entries for \d+ words; give each word one",
        ),
        (in_text("attention", lambda a: np.stack([a, a])), "attention: has 2 heads, and text 'text-0' 1; give"),
        (in_text("attention", lambda a: a[None][:0]), "attention: has 0 heads, and text 'text-0' 1; give"),
        (in_map(lambda scores: scores[1:]), r"maps: loo: has \d+ entries for \d+ words; give each word one"),
        (in_map(spoil), "maps: loo: holds NaN, an infinite number or nothing at all; give numbers"),
        (in_text("contribution", lambda z: z[1:]), r"contribution: has \d+ entries for \d+"),
        (in_text("contribution", lambda z: np.hstack([z, z])), "contribution: has 2 values a word, and bias has 1"),
        (in_text("attention", lambda a: 0.97 * a), "attention: sums to 0.97; give weights that sum"),
        (
            in_text("attention", lambda a: a + np.append([-1.5, 1.5], np.zeros(len(a) - 2))),
            r"attention: holds -1\.\d+; give weights that are not negative",
        ),
        *(
            (in_text(column, spoil), f"{column}: holds NaN")
            for column in ("attention", "contribution", "probabilities")
        ),
        (in_text("bias", lambda b: b + np.inf), "bias: holds NaN, an infinite number"),
        (in_text("labels", 2), "label: is 2, and the classes are 0 to 1; number the classes"),
        (in_text("evidence", [99]), r"evidence: names word 99 of \d+; count words"),
        (
            in_text("probabilities", lambda p: p[::-1]),
            r"probabilities: is 0\.\d+ away from softmax\(attention x contribution \+ bias\)",
        ),
    ],
)
def test_what_is_wrong_is_one_line_that_names_text_and_column(change, line):
    assert re.match(f"memory: text 'text-2', column {line}", refusal(check_readout, change(TEXTS)))


def test_a_readout_is_believed_within_the_tolerances():
    check_readout(TEXTS)
    check_readout(in_text("attention", lambda a: a * (1 + 9e-5))(TEXTS))
    assert "sums to" in refusal(check_readout, in_text("attention", lambda a: a * (1 + 1.1e-4))(TEXTS))
    twice = replace(TEXTS, ids=[*TEXTS.ids[:2], *TEXTS.ids[:1], *TEXTS.ids[3:]])
    assert refusal(check_readout, twice).startswith("memory: text 'text-0', column id: occurs twice")


def test_contributions_that_fit_any_map_are_refused():
    """The logits as what each word adds, as a map of rollout has been given; and a bias that mends any relevance."""
    odds, zero = np.log(TEXTS.probabilities[:, 1] / TEXTS.probabilities[:, 0]), np.zeros((6, 1))
    same = [np.full((len(words), 1), logit) for words, logit in zip(TEXTS.tokens, odds, strict=True)]
    with pytest.raises(AuditError, match=r"^memory: column contribution: all words of a text have the same, .* leave"):
        check_readout(replace(TEXTS, contribution=same, bias=zero))
    relevance = [np.random.default_rng(0).normal(size=values.shape) for values in same]
    rest = odds - [(a @ z).item() for a, z in zip(TEXTS.attention, relevance, strict=True)]
    said = refusal(check_readout, replace(TEXTS, contribution=relevance, bias=rest[:, None]))
    assert "column bias: is another one than in text 'text-0', so that any contrib" in said
    # a model that always says the same is no such case
    constant, always = [np.ones_like(values) for values in same], np.tile(softmax(np.ones(1)), (6, 1))
    check_readout(replace(TEXTS, contribution=constant, bias=zero, probabilities=always))


def test_a_map_needs_no_contributions():
    assert TEXTS.decided
    nothing = [np.empty((len(words), 0)) for words in TEXTS.tokens]
    given = replace(TEXTS, contribution=nothing, bias=np.empty((6, 0)))
    assert not given.decided
    check_readout(given)
    # and then any probabilities will do, if they are some
    check_readout(replace(given, probabilities=given.probabilities[:, ::-1]))
    said = refusal(check_readout, replace(given, probabilities=np.full((6, 2), 0.9)))
    assert "column probabilities: sums to 1.8; give probabilities that sum to 1" in said
    said = refusal(check_readout, replace(given, probabilities=given.probabilities[:, :1]))
    assert "column probabilities: has 1 values; give one for each class" in said


def test_outputs_are_one_a_class_or_one_for_two_classes():
    check_readout(made(1, 4, outputs=2))
    three = replace(made(1, 4), probabilities=np.full((4, 3), 1 / 3))
    assert "column bias: has 1 values for 3 classes; give one a class, or one for two" in refusal(check_readout, three)


def test_the_map_is_the_mean_over_heads():
    given = made(1, 5, heads=3)
    check_readout(given)
    assert given.attention[0].shape == (3, len(given.tokens[0]))
    assert given.seen[0] == pytest.approx(made(1, 5).attention[0])
    assert np.ptp(given.attention[0], axis=0).max() > 0
    said = refusal(check_readout, in_text("attention", lambda a: a * np.array([[1], [0.9], [1]]))(given))
    assert "column attention: head 1: sums to" in said


def rows_of(given, chosen):
    """Some texts of a readout, in this order."""
    held = {each.name: getattr(given, each.name) for each in fields(given)}
    taken = {name: [values[row] for row in chosen] for name, values in held.items() if isinstance(values, list)}
    arrays = {name: values[chosen] for name, values in held.items() if isinstance(values, np.ndarray)}
    return replace(given, **taken, **arrays)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            lambda given: rows_of(given, [0, 1, 2]),
            "memory: text 'text-3', column id: is missing and 2 more, of 6 texts of memory; "
            "give every training the same",
        ),
        (
            lambda given: replace(rows_of(given, [*range(6), 5]), ids=[*given.ids, "other"]),
            "memory: text 'other', column id: is not in memory; give every training the same texts",
        ),
        (
            in_text("tokens", lambda words: [*words[:-1], "else"]),
            "memory: text 'text-2', column tokens: are not the words of memory; give both the same",
        ),
        (
            in_text("labels", lambda label: 1 - label),
            r"memory: text 'text-2', column label: is \d, and in memory \d; give both the same",
        ),
        (
            lambda given: replace(given, probabilities=np.full((6, 3), 1 / 3)),
            "memory: text 'text-0', column probabilities: has 3 classes, and in memory 2; give both as many",
        ),
    ],
)
def test_trainings_of_other_texts_are_refused_in_one_line(change, line):
    assert re.match(line, refusal(check_beside, change(TEXTS), TEXTS))


def test_a_readout_that_is_wrong_is_not_written(tmp_path):
    with pytest.raises(AuditError, match="sums to"):
        write_given_readout(in_text("attention", lambda a: 2 * a)(TEXTS), tmp_path / "given.npz")
    said = refusal(write_given_readout, TEXTS, tmp_path / "given.csv")
    assert "given.csv: does not end in .parquet or .npz; name it so" in said
    assert [*tmp_path.iterdir()] == []


PLAIN = {
    "id": [7],
    "tokens": [["not", "bad"]],
    "label": [1],
    "attention": [[0.25, 0.75]],
    "contribution": [[0.0, 0.0, 0.0, float(np.log(4.0) * 4 / 3)]],
    "bias": [[0.0, 0.0]],
    "probabilities": [[0.2, 0.8]],
}
"""A Parquet file as a user may write it: one text of two words and two classes, in lists."""
ARRAYS = PLAIN | {
    "id": ["7"],
    "tokens": ["not", "bad"],
    "lengths": [2],
    "attention": [0.25, 0.75],
    "contribution": [0.0, np.log(4.0) * 4 / 3],
    "bias": [0.0],
}
"""The same text in the arrays of an .npz file, with one logit."""


def write_plain(path, **changed):
    """Write such a file with other columns; None is for one that is missing."""
    columns = (PLAIN if path.suffix == ".parquet" else ARRAYS) | changed
    columns = {name: values for name, values in columns.items() if values is not None}
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    else:
        np.savez(path, **columns)
    return path


def test_files_may_have_numbers_for_ids_flat_contributions_and_one_bias(tmp_path):
    attention = pa.array([[0.25, 0.75]], pa.large_list(pa.float32()))
    given = read_given_readout(write_plain(tmp_path / "plain.parquet", attention=attention))
    assert (given.ids, given.evidence) == (["7"], [None])
    assert given.contribution[0].tolist() == [[0.0, 0.0], [0.0, pytest.approx(np.log(4.0) * 4 / 3)]]
    given = read_given_readout(write_plain(tmp_path / "plain.npz", evidence=[False, True]))
    assert given.contribution[0].shape == (2, 1)
    assert (given.bias.tolist(), given.evidence) == ([[0.0]], [[1]])


OTHER_MAPS = "columns map_names and maps do not fit; give each map one name of its own"
PARQUET = [
    ({"attention": ["0.25 0.75"]}, "text '7', column attention: is str, and no numbers in rows of the same length"),
    ({"id": [1.5]}, r"column id: holds np.float64\(1.5\); give each text a name"),
    ({"attention": pa.array([None], pa.list_(pa.float64()))}, "text '7', column attention: is NoneType of shape"),
    ({"attention": [[0.25, None]]}, "text '7', column attention: holds NaN"),
    ({"contribution": [[[0.0, 0.0], [1.0]]]}, "text '7', column contribution: is list, and no numbers in rows of the"),
    ({"maps": [[[1.0, 2.0]]]}, r"column map_names is missing \(it has .*\); add it"),
    ({"map_names": [["rollout"]], "maps": [[[1.0, 2.0], [3.0, 4.0]]]}, OTHER_MAPS),
]
NPZ = [
    ({"tokens": np.array([["not"], None], dtype=object)}, "column tokens holds objects of Python"),
    ({"tokens": [b"not", b"bad"]}, "column tokens: text 0 holds b'not', and no word; give words"),
    ({"tokens": ["not"]}, "column tokens has 1 entries, and `lengths` counts 2 words"),
    ({"map_names": ["rollout"]}, r"column maps is missing \(it has .*\); add it"),
    ({"map_names": ["loo", "loo"], "maps": np.ones((2, 2))}, OTHER_MAPS),
    ({"evidence": [0, 1]}, "column evidence is not true or false a word; give it so"),
    ({"lengths": [-2]}, "column lengths holds -2; give counts of words"),
    (
        {"id": np.array([], "U1"), "label": [], "lengths": [], "probabilities": np.zeros((0, 2))},
        "has no text; give some",
    ),
]
MISSING = r"column {} is missing \(it has .*\); add it$"


@pytest.mark.parametrize(
    ("ending", "change", "line"),
    [
        *(("parquet", change, line) for change, line in PARQUET),
        *(("npz", change, line) for change, line in NPZ),
        *(("parquet", {column: None}, MISSING.format(column)) for column in PLAIN),
        *(("npz", {column: None}, MISSING.format(column)) for column in ARRAYS),
    ],
)
def test_a_file_of_other_columns_is_one_line(tmp_path, ending, change, line):
    path = write_plain(tmp_path / f"plain.{ending}", **change)
    assert re.match(line, refusal(read_given_readout, path).removeprefix(f"{path}: "))


def test_files_that_are_none_are_one_line(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    for name in ("given.npz", "given.parquet", "given.csv"):
        (tmp_path / name).write_text("no such format")
    for name, line in {
        "given.npz": "cannot be read as .*; write it anew",
        "given.parquet": "cannot be read as .*; write it anew",
        "given.csv": r"does not end in \.parquet or \.npz; save it",
        "one.npz": "holds one array and not several",
        "other.npz": "no such file; put it there",
    }.items():
        with pytest.raises(AuditError, match=f"{name}: {line}"):
            read_given_readout(tmp_path / name)


def add_marks(given, before, behind, weight=0.0):
    """The same readout with tokens around each text, of which each has a weight, and the words the rest."""
    share = 1 - weight * (len(before) + len(behind))
    shift = len(before)
    attention = [
        np.concatenate([np.full(len(before), weight), share * weights, np.full(len(behind), weight)])
        for weights in given.attention
    ]
    contribution = [
        np.concatenate([np.arange(1.0, 1 + len(before))[:, None], z / share, -np.ones((len(behind), 1))])
        for z in given.contribution
    ]
    logits = [a @ z + b for a, z, b in zip(attention, contribution, given.bias, strict=True)]
    return replace(
        given,
        tokens=[[*before, *words, *behind] for words in given.tokens],
        attention=attention,
        contribution=contribution,
        probabilities=np.stack([*map(softmax, logits)]),
        evidence=[each and [at + shift for at in each] for each in given.evidence],
        maps={name: [np.pad(each, (shift, len(behind))) for each in scores] for name, scores in given.maps.items()},
    )


@pytest.mark.parametrize(
    ("before", "behind", "weight"),
    [(["[CLS]"], ["[SEP]"], 0.2), (["<s>"], ["</s>", "</s>"], 0.1), ([], ["[SEP]", "[PAD]"], 0.0)],
)
def test_marks_are_items_behind_the_words(before, behind, weight):
    """Their weights stay; by numpy, each logit is what it was."""
    plain = replace(made(1, 8), maps={"rollout": [np.arange(len(words)) for words in made(1, 8).tokens]})
    given = add_marks(plain, before, behind, weight)
    check_readout(given)
    found, count = build_readout(given), len(before) + bool(behind)
    assert given.words == plain.tokens
    assert found.several.marks.tolist() == [count] * 8
    for at in range(8):
        words = len(plain.tokens[at])
        np.testing.assert_allclose(
            found.attention[at][:words], (1 - weight * len(before + behind)) * plain.seen[at], 1e-6
        )
        np.testing.assert_allclose(
            found.attention[at][words:], [weight * len(each) for each in (before, behind) if each]
        )
        logit = found.attention[at] @ found.contribution[at] + found.bias[at]
        np.testing.assert_allclose(softmax(logit), given.probabilities[at], atol=1e-6)
        np.testing.assert_array_equal(found.maps["rollout"][at], np.arange(words))


def test_padding_without_weight_is_as_if_it_were_not_there():
    """Through all audits, and into the words of a reading."""
    plain = made(1, 12)
    settings = {"instance_adversary": {"restarts": 1, "steps": 5}, "permutation": {"permutations": 5}}
    padded = replace(
        plain,
        tokens=[[*words, *["[PAD]"] * (16 - len(words))] for words in plain.tokens],
        attention=[np.pad(each, (0, 16 - len(each))) for each in plain.attention],
        contribution=[np.pad(each, ((0, 16 - len(each)), (0, 0))) for each in plain.contribution],
    )
    wanted, found = (api.audit(each, settings=settings) for each in (plain, padded))
    assert {*wanted} == {*found}
    for name, frame in wanted.items():
        pd.testing.assert_frame_equal(found[name], frame)
    assert api.reading(padded, 3).words["word"].tolist() == plain.tokens[3]


def test_marks_are_no_words_of_any_audit():
    """Where they have no weight, they are never first, random orders leave them, and marked words are those marked."""
    plain = made(1, 30)
    marked = add_marks(plain, ["[CLS]"], ["[SEP]"])
    settings = {"audits": {"own": ["plausibility", "attention_maps", "contributions"]}, "permutation": {"marks": False}}
    wanted, found = (api.audit(each, settings=settings) for each in (plain, marked))
    columns = ["id", "attribution", "auprc"]
    pd.testing.assert_frame_equal(found["plausibility"][columns], wanted["plausibility"][columns])
    assert found["contributions"]["top_items"].map(max).max() < max(map(len, plain.tokens))
    assert {*found["attention_maps"]["token"]} - {*chain(*plain.tokens)} == {"[CLS]", "[SEP]"}
    words = api.reading(marked, 0).words
    assert words["word"].tolist() == [*plain.tokens[0], "[CLS]", "[SEP]"]
    np.testing.assert_allclose(words["weight"], [*plain.seen[0], 0, 0], rtol=1e-6)
    assert "heads" not in api.audit(marked, settings={"audits": {"own": ["heads"]}})


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (add_marks(made(1, 6), ["[PAD]"], [], 0.1), "column tokens: has padding at an end, '[pad]'; leave it out"),
        (
            replace(add_marks(made(1, 6), ["[CLS]"], []), evidence=[[0]] * 6),
            "column evidence: names '[CLS]', which is no word; name words alone",
        ),
    ],
)
def test_marks_that_cannot_be_left_out_are_one_line(given, line):
    assert refusal(check_readout, given).startswith(f"memory: text 'text-0', {line}")


SEVERAL = '; give each text one, or ask audit_classifier or judge with output="labels"'


@pytest.mark.parametrize(
    "labels",
    [
        [[0], [1], [1]],
        np.array([[0], [1], [1]]),
        torch.tensor([[0], [1], [1]]),
        [(0,), (1,), (1,)],
        pd.Series([0, 1, 1]),
    ],
    ids=["lists", "array", "tensor", "tuples", "series"],
)
def test_a_column_of_labels_is_a_list_of_them(labels):
    assert list_labels(labels, "labels", 3) == [0, 1, 1]
    assert list_labels([["a"], ["b"]], "labels", 2) == ["a", "b"]


@pytest.mark.parametrize(
    ("labels", "line"),
    [
        (np.array([[1, 0, 0], [1, 1, 0]]), "text 1 has 2 labels" + SEVERAL),
        (torch.tensor([[1.0, 0.0], [0.0, 0.0]]), "text 1 has no labels" + SEVERAL),
        ([[True, False], [True, True]], "text 1 has 2 labels" + SEVERAL),
        ([["a"], ["a", "b"]], "text 1 has 2 labels" + SEVERAL),
        ([{"a"}, set()], "text 1 has no labels" + SEVERAL),
        ([[0, 2], [1, 3]], "text 0 has 2 labels" + SEVERAL),
        ([0, [0, 1]], "text 1 has 2 labels" + SEVERAL),
        (
            np.eye(2),
            "text 0 has several numbers, as of one-hot rows; give the place of its class in them, as argmax(1)",
        ),
        (
            [[0.3, 0.7], [0.9, 0.1]],
            "text 0 has several numbers, as of one-hot rows; give the place of its class in them",
        ),
    ],
)
def test_several_labels_are_one_line(labels, line):
    assert refusal(list_labels, labels, "labels", 2).startswith(f"labels: {line}")
    assert refusal(list_labels, labels, "labels", 2).count("argmax") == ("one-hot" in line)
