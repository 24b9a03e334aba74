"""Readouts from elsewhere: their files, and that what is wrong with one is a line that names file, text and column."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from elsewhere import made

from attention_audit.errors import AuditError
from attention_audit.given.files import holdings, read_given, write_given
from attention_audit.given.readouts import GivenReadout, check, check_beside, softmax

TEXTS = made(1, 6)
Change = Callable[[GivenReadout], GivenReadout]


def in_text(column: str, value: Any) -> Change:
    """Text 2 with another value in a column."""

    def changed(given: GivenReadout) -> GivenReadout:
        values = list(getattr(given, column))
        values[2] = value(values[2]) if callable(value) else value
        stacked = np.array(values) if isinstance(getattr(given, column), np.ndarray) else values
        return replace(given, **{column: stacked})

    return changed


def first_is(number: float) -> Callable[[Any], Any]:
    """An array whose first value is another."""
    return lambda values: np.concatenate([[number], np.ravel(values)[1:]]).reshape(np.shape(values))


def mapped(given: GivenReadout) -> GivenReadout:
    """The same with two further maps, of any sign."""
    scores = [np.linspace(-1, number, len(words)) for number, words in enumerate(given.tokens)]
    return replace(given, maps={"rollout": scores, "loo": [row**2 for row in scores]})


def in_map(text: int, value: float) -> Change:
    """Another first score of a text by the second of its maps."""

    def changed(given: GivenReadout) -> GivenReadout:
        rows = [first_is(value)(row) if number == text else row for number, row in enumerate(given.maps["loo"])]
        return replace(given, maps={**given.maps, "loo": rows})

    return changed


FAULTS = [
    (in_text("tokens", []), "column tokens: has no word; leave the text out"),
    (in_text("attention", lambda a: np.append(a, 0.0)), r"column attention: has \d+ entries for"),
    (in_text("attention", lambda a: np.stack([a, a])), "attention: has 2 heads, and text 'text-0' 1; give"),
    (in_text("attention", lambda a: a[None][:0]), "column attention: has 0 heads, and text 'text-0' 1; give"),
    (
        lambda given: replace(given, maps=mapped(in_text("tokens", lambda words: [*words, "more"])(given)).maps),
        r"column maps: rollout: has \d+ entries for \d+ words; give each word one",
    ),
    (
        lambda given: in_map(2, np.nan)(mapped(given)),
        "column maps: loo: holds NaN, an infinite number or nothing at all; give numbers",
    ),
    (in_text("contribution", lambda z: z[1:]), r"column contribution: has \d+ entries for \d+"),
    (in_text("contribution", lambda z: np.hstack([z, z])), "has 2 values a word, and bias has 1"),
    (in_text("attention", lambda a: 0.97 * a), "column attention: sums to 0.97; give weights that sum"),
    (
        in_text("attention", lambda a: a + np.append([-1.5, 1.5], np.zeros(len(a) - 2))),
        r"column attention: holds -1\.\d+; give weights that are not negative",
    ),
    (in_text("attention", first_is(np.nan)), "column attention: holds NaN"),
    (in_text("contribution", first_is(np.nan)), "column contribution: holds NaN"),
    (in_text("bias", first_is(np.inf)), "column bias: holds NaN, an infinite number"),
    (in_text("probabilities", first_is(np.nan)), "column probabilities: holds NaN"),
    (in_text("labels", 2), "column label: is 2, and the classes are 0 to 1; number the classes"),
    (in_text("evidence", [99]), r"column evidence: names word 99 of \d+; count words"),
    (
        in_text("probabilities", lambda p: p[::-1]),
        r"column probabilities: is 0\.\d+ away from softmax\(attention x contribution \+ bias\)",
    ),
]


@pytest.mark.parametrize(("change", "line"), FAULTS)
def test_what_is_wrong_is_one_line_that_names_text_and_column(change: Change, line: str) -> None:
    with pytest.raises(AuditError, match=rf"^memory: text 'text-2', .*{line}") as caught:
        check(change(TEXTS))
    assert "\n" not in str(caught.value)


def test_a_readout_is_believed_within_the_tolerances() -> None:
    check(TEXTS)
    check(in_text("attention", lambda a: a * (1 + 9e-5))(TEXTS))
    with pytest.raises(AuditError, match="sums to"):
        check(in_text("attention", lambda a: a * (1 + 1.1e-4))(TEXTS))
    with pytest.raises(AuditError, match="has no text"):
        check(replace(TEXTS, ids=[]))
    with pytest.raises(AuditError, match=r"^memory: text 'text-0', column id: occurs twice"):
        check(replace(TEXTS, ids=[*TEXTS.ids[:2], *TEXTS.ids[:1], *TEXTS.ids[3:]]))


def without(given: GivenReadout) -> GivenReadout:
    """The same map, from which no predictions follow."""
    nothing = [np.empty((len(words), 0)) for words in given.tokens]
    return replace(given, contribution=nothing, bias=np.empty((len(given), 0)))


def test_contributions_that_fit_any_map_are_refused() -> None:
    """The logits as what each word adds, as a map of rollout has been given; and a bias that mends any relevance."""
    odds = np.log(TEXTS.probabilities[:, 1] / TEXTS.probabilities[:, 0])
    same = [np.full((len(words), 1), logit) for words, logit in zip(TEXTS.tokens, odds, strict=True)]
    with pytest.raises(AuditError, match=r"^memory: column contribution: all words of a text have the same, .* leave"):
        check(replace(TEXTS, contribution=same, bias=np.zeros((6, 1))))
    relevance = [np.random.default_rng(0).normal(size=(len(words), 1)) for words in TEXTS.tokens]
    rest = odds - [float((a @ z)[0]) for a, z in zip(TEXTS.attention, relevance, strict=True)]
    with pytest.raises(AuditError, match="column bias: is another one than in text 'text-0', so that any contrib"):
        check(replace(TEXTS, contribution=relevance, bias=rest[:, None]))
    # a model that always says the same is no such case
    constant = [np.ones((len(words), 1)) for words in TEXTS.tokens]
    check(
        replace(TEXTS, contribution=constant, bias=np.zeros((6, 1)), probabilities=np.tile(softmax(np.ones(1)), (6, 1)))
    )


def test_a_map_needs_no_contributions() -> None:
    assert TEXTS.decided
    given = without(TEXTS)
    assert not given.decided
    check(given)
    # and then any probabilities will do, if they are some
    check(replace(given, probabilities=given.probabilities[:, ::-1]))
    with pytest.raises(AuditError, match=r"column probabilities: sums to 1\.8; give probabilities that sum to 1"):
        check(replace(given, probabilities=np.full((6, 2), 0.9)))
    with pytest.raises(AuditError, match="column probabilities: has 1 values; give one for each class"):
        check(replace(given, probabilities=given.probabilities[:, :1]))


def test_outputs_are_one_a_class_or_one_for_two_classes() -> None:
    check(made(1, 4, outputs=2))
    three = replace(made(1, 4), probabilities=np.full((4, 3), 1 / 3))
    with pytest.raises(AuditError, match="column bias: has 1 values for 3 classes; give one a class, or one for two"):
        check(three)


def test_softmax_of_one_logit_is_that_of_the_second_class() -> None:
    assert softmax(np.array([np.log(3.0)])) == pytest.approx([0.25, 0.75])
    assert softmax(np.array([np.log(2.0), 0.0, 0.0])) == pytest.approx([0.5, 0.25, 0.25])


def test_the_map_is_the_mean_over_heads() -> None:
    given = made(1, 5, heads=3)
    check(given)
    assert given.attention[0].shape == (3, len(given.tokens[0]))
    assert given.seen[0] == pytest.approx(made(1, 5).attention[0])
    assert np.ptp(given.attention[0], axis=0).max() > 0
    with pytest.raises(AuditError, match="column attention: head 1: sums to"):
        check(in_text("attention", lambda a: a * np.array([[1], [0.9], [1]]))(given))


OTHERS = [
    (
        lambda given: rows_of(given, [0, 1, 2]),
        "memory: text 'text-3', column id: is missing and 2 more, of 6 texts of memory; give every training the same",
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
]


def rows_of(given: GivenReadout, chosen: list[int]) -> GivenReadout:
    """Some texts of a readout, in this order."""
    lists = ("ids", "tokens", "attention", "contribution", "evidence")
    arrays = ("labels", "bias", "probabilities")
    return replace(
        given,
        **{name: [getattr(given, name)[row] for row in chosen] for name in lists},
        **{name: getattr(given, name)[chosen] for name in arrays},
    )


@pytest.mark.parametrize(("change", "line"), OTHERS)
def test_trainings_of_other_texts_are_refused_in_one_line(change: Change, line: str) -> None:
    with pytest.raises(AuditError, match=f"^{line}"):
        check_beside(change(TEXTS), TEXTS)


def test_texts_may_stand_in_another_order() -> None:
    check_beside(rows_of(TEXTS, [5, 3, 1, 0, 2, 4]), TEXTS)


@pytest.mark.parametrize("ending", ["parquet", "npz"])
def test_what_a_readout_may_have_is_seen_without_reading_it(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"given.{ending}"
    write_given(TEXTS, path)
    assert holdings(path) == {"evidence", "contribution"}
    write_given(without(TEXTS), path)
    assert holdings(path) == {"evidence"}
    write_given(replace(made(3, 5, heads=2), evidence=[None] * 5), path)
    assert holdings(path) == {"heads", "contribution"}
    path.write_text("neither")
    assert holdings(path) == set()


def test_a_readout_that_is_wrong_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="sums to"):
        write_given(in_text("attention", lambda a: 2 * a)(TEXTS), tmp_path / "given.npz")
    with pytest.raises(AuditError, match=r"given\.csv: does not end in \.parquet or \.npz; name it so"):
        write_given(TEXTS, tmp_path / "given.csv")
    assert [*tmp_path.iterdir()] == []


def plain_columns() -> dict[str, Any]:
    """A Parquet file as a user may write it: one text of two words and two classes, in lists."""
    return {
        "id": [7],
        "tokens": [["not", "bad"]],
        "label": [1],
        "attention": [[0.25, 0.75]],
        "contribution": [[0.0, 0.0, 0.0, float(np.log(4.0) * 4 / 3)]],
        "bias": [[0.0, 0.0]],
        "probabilities": [[0.2, 0.8]],
    }


def test_a_parquet_file_may_have_numbers_for_ids_and_flat_contributions(tmp_path: Path) -> None:
    path = tmp_path / "plain.parquet"
    columns = pa.table(plain_columns())
    pq.write_table(columns.cast(pa.schema([
        pa.field(field.name, pa.large_list(pa.float32()) if field.name == "attention" else field.type)
        for field in columns.schema
    ])), path)  # fmt: skip
    given = read_given(path)
    assert given.ids == ["7"]
    assert given.contribution[0].tolist() == [[0.0, 0.0], [0.0, pytest.approx(np.log(4.0) * 4 / 3)]]
    assert given.evidence == [None]


PARQUET = [
    ({"attention": ["0.25 0.75"]}, "text '7', column attention: is str, and no numbers in rows of the same length"),
    ({"label": ["good"]}, "column label: holds something else than whole numbers; give a flat list"),
    ({"id": [1.5]}, r"column id: holds np.float64\(1.5\); give each text a name"),
    ({"attention": pa.array([None], pa.list_(pa.float64()))}, "text '7', column attention: is NoneType of shape"),
    ({"tokens": [["not", None]]}, "column tokens: text 0 holds None, and no word; give words"),
    ({"attention": [[0.25, None]]}, "text '7', column attention: holds NaN"),
    ({"id": pa.array([None], pa.string())}, "column id: holds None; give each text a name"),
    (
        {"contribution": [[[0.0, 0.0], [1.0]]]},
        "text '7', column contribution: is list, and no numbers in rows of the same length",
    ),
    ({"bias": [[[0.0, 0.0]]]}, r"column bias: is list of shape \(1, 1, 2\); give a number a"),
    ({"maps": [[[1.0, 2.0]]]}, r"column map_names is missing \(it has .*\); add it"),
    (
        {"map_names": [["rollout"]], "maps": [[[1.0, 2.0], [3.0, 4.0]]]},
        "columns map_names and maps do not fit; give each map one name of its own",
    ),
    ({"evidence": [["bad"]]}, "text '7', column evidence: holds something else than whole numbers"),
]


@pytest.mark.parametrize(("change", "line"), PARQUET)
def test_a_parquet_file_of_other_columns_is_one_line(tmp_path: Path, change: dict[str, Any], line: str) -> None:
    path = tmp_path / "plain.parquet"
    pq.write_table(pa.table(plain_columns() | change), path)
    with pytest.raises(AuditError, match=rf"^{re.escape(str(path))}: {line}"):
        read_given(path)


def arrays() -> dict[str, Any]:
    """The same text in the arrays of an .npz file, with one logit."""
    return {
        "id": np.array(["7"]),
        "tokens": np.array(["not", "bad"]),
        "label": np.array([1]),
        "lengths": np.array([2]),
        "attention": np.array([0.25, 0.75]),
        "contribution": np.array([0.0, np.log(4.0) * 4 / 3]),
        "bias": np.array([0.0]),
        "probabilities": np.array([[0.2, 0.8]]),
    }


NPZ = [
    ({"tokens": np.array([["not"], None], dtype=object)}, "column tokens holds objects of Python"),
    ({"tokens": np.array([b"not", b"bad"])}, "column tokens: text 0 holds b'not', and no word; give words"),
    ({"tokens": np.array(["not"])}, "column tokens has 1 entries, and `lengths` counts 2 words"),
    ({"label": np.array([1, 0])}, "column label: has 2 entries for 1 texts; give each text one"),
    ({"probabilities": np.array([0.8])}, r"column probabilities: is ndarray of shape"),
    ({"map_names": np.array(["rollout"])}, r"column maps is missing \(it has .*\); add it"),
    (
        {"map_names": np.array(["loo", "loo"]), "maps": np.ones((2, 2))},
        "columns map_names and maps do not fit; give each map one name of its own",
    ),
    ({"evidence": np.array([0, 1])}, "column evidence is not true or false a word; give it so"),
    ({"lengths": np.array([-2])}, "column lengths holds -2; give counts of words"),
    (
        {"id": np.array([], "U1"), "label": np.array([], int), "lengths": np.array([], int),
         "probabilities": np.zeros((0, 2))},
        "has no text; give some",
    ),
]  # fmt: skip


def test_an_npz_file_may_have_one_bias_for_all_texts(tmp_path: Path) -> None:
    path = tmp_path / "plain.npz"
    np.savez(path, **arrays(), evidence=np.array([False, True]))
    given = read_given(path)
    assert given.contribution[0].shape == (2, 1)
    assert given.bias.tolist() == [[0.0]]
    assert given.evidence == [[1]]


@pytest.mark.parametrize(("change", "line"), NPZ)
def test_an_npz_file_of_other_arrays_is_one_line(tmp_path: Path, change: dict[str, Any], line: str) -> None:
    path = tmp_path / "plain.npz"
    np.savez(path, **arrays() | change)
    with pytest.raises(AuditError, match=rf"^{re.escape(str(path))}: {line}"):
        read_given(path)


@pytest.mark.parametrize("column", [*arrays()])
def test_a_missing_column_is_named(tmp_path: Path, column: str) -> None:
    path = tmp_path / "plain.npz"
    np.savez(path, **{name: values for name, values in arrays().items() if name != column})
    with pytest.raises(AuditError, match=rf"plain\.npz: column {column} is missing \(it has .*\); add it$"):
        read_given(path)
    if column != "lengths":
        path = tmp_path / "plain.parquet"
        pq.write_table(pa.table({name: values for name, values in plain_columns().items() if name != column}), path)
        with pytest.raises(AuditError, match=rf"plain\.parquet: column {column} is missing \(it has .*\); add it$"):
            read_given(path)


def test_files_that_are_none_are_one_line(tmp_path: Path) -> None:
    for name in ("given.npz", "given.parquet"):
        (tmp_path / name).write_text("no such format")
        with pytest.raises(AuditError, match=rf"{name}: cannot be read as .*; write it anew"):
            read_given(tmp_path / name)
        with pytest.raises(AuditError, match=rf"other{name}: no such file; put it there"):
            read_given(tmp_path / f"other{name}")
    np.save(tmp_path / "one.npy", np.zeros(3))
    (tmp_path / "one.npy").rename(tmp_path / "one.npz")
    with pytest.raises(AuditError, match=r"one\.npz: holds one array and not several"):
        read_given(tmp_path / "one.npz")
    (tmp_path / "given.csv").touch()
    with pytest.raises(AuditError, match=r"given\.csv: does not end in \.parquet or \.npz; save it"):
        read_given(tmp_path / "given.csv")
