"""benchmarks/compare_results.py on folders of a few values."""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "compare_results.py"

PERMUTATION = "audits/chorus/wp_permutation.parquet"
STABILITY = "audits/chorus/stability.parquet"
ADVERSARY = "audits/chorus/instance_adversary.parquet"
WEIGHTS = "models/chorus/base/seed10.safetensors"
FIGURE = "figures/wp_fig3_seed_variance.png"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("compare_results", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["compare_results"] = module  # where dataclasses look up their annotations
    spec.loader.exec_module(module)
    return module


def columns(path: str) -> dict[str, list[Any]]:
    """What the Parquet file of BEFORE holds."""
    contents: dict[str, dict[str, list[Any]]] = {
        PERMUTATION: {"id": ["a", "a", "b"], "seed": [1, 2, 1], "tvd": [0.5, float("nan"), None], "n": [1, 2, 3]},
        STABILITY: {"model": ["base", "lstm_tanh"], "lambda": [None, 0.1], "jsd": [0.25, 0.125]},
        ADVERSARY: {"id": ["a", "b"], "flip": [True, False], "attention": [[0.25, 0.75], [1.0]]},
    }
    return contents[path]


def table(folder: Path, path: str, content: Mapping[str, list[Any]]) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(dict(content)), folder / path)


def tensors(folder: Path, path: str, **content: list[float]) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    save_file({name: np.array(values, np.float32) for name, values in content.items()}, folder / path)


def results(folder: Path) -> Path:
    for path in (PERMUTATION, STABILITY, ADVERSARY):
        table(folder, path, columns(path))
    tensors(folder, WEIGHTS, weight=[0.0, 1.0], bias=[2.0])
    (folder / FIGURE).parent.mkdir()
    (folder / FIGURE).write_bytes(b"png")
    return folder


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return results(tmp_path / "before")


@pytest.fixture
def after(tmp_path: Path) -> Path:
    return results(tmp_path / "after")


def output(script: ModuleType, capsys: pytest.CaptureFixture[str], before: Path, after: Path, *more: str) -> str:
    """What it prints, and that its exit status says the same."""
    status = script.main([str(before), str(after), *more])
    text = capsys.readouterr().out
    verdict = text.splitlines()[-1]
    assert verdict.startswith("NOT THE SAME" if status else "THE SAME"), text
    return text


Captured = pytest.CaptureFixture[str]


def test_the_same_results_are_exact(script: ModuleType, capsys: Captured, before: Path, after: Path) -> None:
    text = output(script, capsys, before, after)
    assert text.endswith("THE SAME: all 28 values are exact\n")
    assert " no\n" not in text
    assert "only in AFTER" not in text


def test_rows_are_matched_by_key_and_not_by_place(
    script: ModuleType, capsys: Captured, before: Path, after: Path
) -> None:
    for path in (PERMUTATION, STABILITY, ADVERSARY):
        table(after, path, {name: values[::-1] for name, values in columns(path).items()})
    assert "THE SAME: all 28" in output(script, capsys, before, after)


def test_rows_of_the_same_key_are_matched_in_their_order(
    script: ModuleType, capsys: Captured, before: Path, after: Path
) -> None:
    for folder, last in ((before, 2.0), (after, 3.0)):
        table(folder, "audits/chorus/planted.parquet", {"id": ["a", "a", "b"], "value": [1.0, 2.0, last]})
        table(folder, "audits/chorus/agreement.parquet", {"value": [1.0, last]})
    text = output(script, capsys, before, after)
    assert "planted.parquet: column value: 1 of 3 values differ" in text
    assert "agreement.parquet: column value: 1 of 2 values differ" in text


@pytest.mark.parametrize(
    ("path", "column", "values"),
    [
        (PERMUTATION, "tvd", [0.5, float("nan"), 0.0]),
        (PERMUTATION, "tvd", [np.nextafter(0.5, 1), float("nan"), None]),
        (PERMUTATION, "tvd", [0.5, 0.0, None]),
        (PERMUTATION, "n", [1, 2, 2**60]),
        (ADVERSARY, "flip", [True, True]),
        (ADVERSARY, "attention", [[0.25, 0.75], [0.5]]),
        (ADVERSARY, "attention", [[0.25, 0.75, 0.0], [1.0]]),
        (ADVERSARY, "attention", [[0.25, 0.75], None]),
    ],
)
def test_one_value_that_differs_is_found(
    script: ModuleType, capsys: Captured, before: Path, after: Path, path: str, column: str, values: list[Any]
) -> None:
    table(after, path, columns(path) | {column: values})
    text = output(script, capsys, before, after)
    assert f"{path}: column {column}: 1 of" in text
    assert text.endswith("NOT THE SAME: 1 values\n")


def test_a_tolerance_is_named_by_the_verdict(script: ModuleType, capsys: Captured, before: Path, after: Path) -> None:
    table(after, PERMUTATION, columns(PERMUTATION) | {"tvd": [0.5 + 1e-13, float("nan"), None]})
    allowed = output(script, capsys, before, after, "--relative", "1e-12")
    assert "THE SAME within a relative difference of 1e-12: 1 of 28 values are not exact" in allowed
    assert "NOT THE SAME" in output(script, capsys, before, after, "--relative", "1e-13")
    assert "NOT THE SAME" in output(script, capsys, before, after)
    assert "(a relative difference of 1e-12 was allowed)" in output(
        script, capsys, before, before, "--relative", "1e-12"
    )


@pytest.mark.parametrize("weight", [[-0.0, 1.0], [0.0, 1.5], [0.0]])
def test_tensors_are_the_same_bit_by_bit(
    script: ModuleType, capsys: Captured, before: Path, after: Path, weight: list[float]
) -> None:
    tensors(after, WEIGHTS, weight=weight, bias=[2.0])
    assert f"{WEIGHTS}: tensor weight: " in output(script, capsys, before, after)


@pytest.mark.parametrize("path", [PERMUTATION, WEIGHTS, FIGURE])
def test_a_file_that_is_missing_is_found(
    script: ModuleType, capsys: Captured, before: Path, after: Path, path: str
) -> None:
    (after / path).unlink()
    text = output(script, capsys, before, after)
    assert f"{path}: the file is missing" in text
    assert text.endswith("NOT THE SAME: 1 files missing\n")


def test_columns_rows_and_tensors_that_are_missing_are_found(
    script: ModuleType, capsys: Captured, before: Path, after: Path
) -> None:
    old = columns(PERMUTATION)
    table(after, PERMUTATION, {name: values[1:] for name, values in old.items() if name != "n"})
    tensors(after, WEIGHTS, weight=[0.0, 1.0])
    text = output(script, capsys, before, after)
    assert f"{PERMUTATION}: column n is missing" in text
    assert f"{PERMUTATION}: 1 of 3 rows are missing, first id a, seed 1" in text
    assert f"{WEIGHTS}: tensor bias is missing" in text
    assert text.endswith("NOT THE SAME: 1 columns missing, 1 rows missing, 1 tensors missing\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("audits/a/wp/permutation.parquet", ["audits/a/base/permutation.parquet"]),
        ("audits/a/pd/located.parquet", ["audits/a/honest/located.parquet", "audits/a/liar_lambda0.1/located.parquet"]),
        ("audits/a/own/performance.parquet", ["audits/a/own_mine/performance.parquet"]),
        ("models/a/wp/base/seed1.safetensors", ["models/a/base/seed1.safetensors"]),
        ("models/a/hf/base/seed1.safetensors", ["models/a/hf_base/seed1.safetensors"]),
        ("models/a/roar/base/seed1.safetensors", ["models/a/base/seed1.safetensors"]),
        ("readouts/a/jw/lstm_tanh/seed1/test.parquet", ["readouts/a/lstm_tanh/seed1/test.parquet"]),
    ],
)
def test_a_layout_with_suites_is_followed(script: ModuleType, old: str, new: list[str]) -> None:
    others = ["audits/a/han_rnn/located.parquet", "audits/b/base/permutation.parquet", "audits/a/base/erasure.parquet"]
    assert sorted(script.places_of(old, {*new, *others})) == new
    assert script.places_of(old, {old, *new}) == [old]
    assert script.places_of(old, set(others)) == []


def test_rows_of_a_suite_may_be_spread_over_models(
    script: ModuleType, capsys: Captured, before: Path, after: Path
) -> None:
    (after / STABILITY).unlink()
    for folder, path, rows in ((before, "jw", [0, 1]), (after, "lstm_tanh", [0]), (after, "cnn_tanh", [1])):
        moved = {name: [values[row] for row in rows] for name, values in columns(STABILITY).items()}
        table(folder, f"audits/chorus/{path}/stability.parquet", moved)
    (before / STABILITY).unlink()
    assert "THE SAME: all 28" in output(script, capsys, before, after)


def test_what_is_new_is_listed_and_no_error(script: ModuleType, capsys: Captured, before: Path, after: Path) -> None:
    table(after, ADVERSARY, columns(ADVERSARY) | {"model": ["base", "base"], "seed": [10, 10]})
    more = {name: [*values, values[0]] for name, values in columns(STABILITY).items()}
    table(after, STABILITY, more | {"model": ["base", "lstm_tanh", "cnn_tanh"]})
    tensors(after, WEIGHTS, weight=[0.0, 1.0], bias=[2.0], scale=[1.0])
    table(after, "audits/chorus/base/conicity.parquet", {"id": ["a"], "conicity": [0.5]})
    text = output(script, capsys, before, after)
    assert "THE SAME: all 28" in text
    for line in (
        f"{ADVERSARY}: columns model, seed",
        f"{STABILITY}: 1 rows",
        f"{WEIGHTS}: tensor scale",
        "audits/chorus/base/conicity.parquet: the file",
    ):
        assert f"\n  {line}\n" in text


def test_a_folder_without_results_is_refused(
    script: ModuleType, capsys: Captured, before: Path, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit):
        script.main([str(before), str(tmp_path / "none")])
    assert "no results there" in capsys.readouterr().err
