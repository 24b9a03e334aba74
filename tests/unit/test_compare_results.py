"""benchmarks/compare_results.py on folders of a few values."""

import runpy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

compare = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "compare_results.py"))["main"]

PERMUTATION = "audits/chorus/wp_permutation.parquet"
STABILITY = "audits/chorus/stability.parquet"
ADVERSARY = "audits/chorus/instance_adversary.parquet"
WEIGHTS = "models/chorus/base/seed10.safetensors"
FIGURE = "figures/wp_fig3_seed_variance.png"


BEFORE = {
    PERMUTATION: {"id": ["a", "a", "b"], "seed": [1, 2, 1], "tvd": [0.5, float("nan"), None], "n": [1, 2, 3]},
    STABILITY: {"model": ["base", "lstm_tanh"], "lambda": [None, 0.1], "jsd": [0.25, 0.125]},
    ADVERSARY: {"id": ["a", "b"], "flip": [True, False], "attention": [[0.25, 0.75], [1.0]]},
}


def table(folder, path, content):
    pq.write_table(pa.table(dict(content)), folder / path)


def tensors(folder, path, **content):
    save_file({name: np.array(values, np.float32) for name, values in content.items()}, folder / path)


def results(folder):
    for path in (*BEFORE, WEIGHTS, FIGURE):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
    for path, content in BEFORE.items():
        table(folder, path, content)
    tensors(folder, WEIGHTS, weight=[0.0, 1.0], bias=[2.0])
    (folder / FIGURE).write_bytes(b"png")
    return folder


@dataclass(frozen=True)
class Compared:
    """Two folders of the same results, until a test changes one, and what compares them."""

    before: Path
    after: Path
    capsys: pytest.CaptureFixture[str]

    def output(self, *more, after=None):
        """What it prints, and that its exit status says the same."""
        status = compare([str(self.before), str(after or self.after), *more])
        text = self.capsys.readouterr().out
        verdict = text.splitlines()[-1]
        assert verdict.startswith("NOT THE SAME" if status else "THE SAME"), text
        return text


@pytest.fixture
def two(tmp_path, capsys):
    return Compared(results(tmp_path / "before"), results(tmp_path / "after"), capsys)


def test_rows_are_matched_by_key_and_not_by_place(two):
    for path, content in BEFORE.items():
        table(two.after, path, {name: values[::-1] for name, values in content.items()})
    text = two.output()
    assert text.endswith("THE SAME: all 28 values are exact\n")
    assert "only in AFTER" not in text


def test_rows_of_the_same_key_are_matched_in_their_order(two):
    for folder, last in ((two.before, 2.0), (two.after, 3.0)):
        table(folder, "audits/chorus/planted.parquet", {"id": ["a", "a", "b"], "value": [1.0, 2.0, last]})
        table(folder, "audits/chorus/agreement.parquet", {"value": [1.0, last]})
    text = two.output()
    assert "planted.parquet: column value: 1 of 3 values differ" in text
    assert "agreement.parquet: column value: 1 of 2 values differ" in text


@pytest.mark.parametrize(
    ("path", "column", "values"),
    [
        (PERMUTATION, "tvd", [0.5, float("nan"), 0.0]),
        (PERMUTATION, "tvd", [np.nextafter(0.5, 1), float("nan"), None]),
        (PERMUTATION, "n", [1, 2, 2**60]),
        (ADVERSARY, "flip", [True, True]),
        (ADVERSARY, "attention", [[0.25, 0.75], [0.5]]),
        (ADVERSARY, "attention", [[0.25, 0.75], None]),
    ],
)
def test_one_value_that_differs_is_found(two, path, column, values):
    table(two.after, path, BEFORE[path] | {column: values})
    text = two.output()
    assert f"{path}: column {column}: 1 of" in text
    assert text.endswith("NOT THE SAME: 1 differences\n")


def test_a_tolerance_is_named_by_the_verdict(two):
    table(two.after, PERMUTATION, BEFORE[PERMUTATION] | {"tvd": [0.5 + 1e-13, float("nan"), None]})
    allowed = two.output("--relative", "1e-12")
    assert "THE SAME within a relative difference of 1e-12: 1 of 28 are not exact" in allowed
    assert "NOT THE SAME" in two.output("--relative", "1e-13")
    assert "NOT THE SAME" in two.output()


@pytest.mark.parametrize("weight", [[0.0, 1.5], [0.0]])
def test_tensors_are_compared_element_by_element(two, weight):
    tensors(two.after, WEIGHTS, weight=weight, bias=[2.0])
    assert f"{WEIGHTS}: column weight: " in two.output()


@pytest.mark.parametrize("path", [PERMUTATION, WEIGHTS, FIGURE])
def test_a_file_that_is_missing_is_found(two, path):
    (two.after / path).unlink()
    text = two.output()
    assert f"{path}: the file is missing" in text
    assert text.endswith("NOT THE SAME: 1 differences\n")


def test_columns_rows_and_tensors_that_are_missing_are_found(two):
    old = BEFORE[PERMUTATION]
    table(two.after, PERMUTATION, {name: values[1:] for name, values in old.items() if name != "n"})
    tensors(two.after, WEIGHTS, weight=[0.0, 1.0])
    text = two.output()
    assert f"{PERMUTATION}: column n is missing" in text
    assert f"{PERMUTATION}: 1 of 3 rows are missing, first id a, seed 1" in text
    assert f"{WEIGHTS}: column bias is missing" in text
    assert text.endswith("NOT THE SAME: 3 differences\n")


def test_what_is_new_is_listed_and_no_error(two):
    table(two.after, ADVERSARY, BEFORE[ADVERSARY] | {"model": ["base", "base"], "seed": [10, 10]})
    more = {name: [*values, values[0]] for name, values in BEFORE[STABILITY].items()}
    table(two.after, STABILITY, more | {"model": ["base", "lstm_tanh", "cnn_tanh"]})
    tensors(two.after, WEIGHTS, weight=[0.0, 1.0], bias=[2.0], scale=[1.0])
    table(two.after, "audits/chorus/conicity.parquet", {"id": ["a"], "conicity": [0.5]})
    text = two.output()
    assert "THE SAME: all 28" in text
    for line in (
        f"{ADVERSARY}: column model",
        f"{STABILITY}: 1 rows",
        f"{WEIGHTS}: column scale",
        "audits/chorus/conicity.parquet: the file",
    ):
        assert f"\n  {line}\n" in text


@pytest.mark.parametrize(
    ("name", "row", "about"),
    [
        ("wp_table1_datasets", "train", {"part": "train"}),
        ("wp_table2_uniform", "base - uniform", {"model": "base", "other": "uniform"}),
        ("ss_table2_flips", "han_rnn/gradient/as_published", ("han_rnn", "gradient", "", "as_published")),
        ("jw_table2_correlation", "lstm_tanh/attention~loo/class_1", ("lstm_tanh", "attention", "loo", "", "1")),
        ("roar_table_racu", "loo", {"ranking": "loo"}),
        ("table_plausibility", "WP2019/base - others", {"paper": "WP2019", "model": "base", "ranking": "others"}),
        ("replication", "encoders/gradient/attention", ("encoders", "gradient", "attention")),
    ],
)
def test_rows_of_tables_of_before_are_found_by_what_they_are_about(two, name, row, about):
    columns = ("model", "ranking", "other", "part", "label")
    named = about if isinstance(about, dict) else dict(zip(columns, about, strict=False))
    after = {column: [named.get(column, "")] for column in ("paper", *columns)}
    for folder, content in ((two.before, {"row": [row]}), (two.after, after)):
        (folder / "tables").mkdir()
        table(folder, f"tables/{name}.parquet", content | {"mean": [0.5]})
    assert "THE SAME" in two.output()
    table(two.after, f"tables/{name}.parquet", after | {"part": ["other"], "mean": [0.5]})
    assert "1 of 1 rows are missing" in two.output()


def test_a_folder_without_results_is_refused(two, tmp_path):
    with pytest.raises(SystemExit):
        two.output(after=tmp_path / "none")
    assert "no results there" in two.capsys.readouterr().err
