"""What `python -m attention_audit list` prints."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import attention_audit.listing as module
from attention_audit.errors import AuditError
from attention_audit.listing import NEEDS, WIDTH, listing
from attention_audit.model.architecture import ATTENTION, ENCODERS
from attention_audit.plan.audit import Need
from attention_audit.plan.audits import AUDITS
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.suites import SUITES

ROOT = Path(__file__).parents[2]


def names(text: str) -> list[str]:
    """The names in the first column."""
    return [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2] != " "]


def test_every_entry_is_listed_once_with_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any folder."""
    monkeypatch.chdir(tmp_path)
    text = listing()
    listed = names(text)
    expected = [suite.key for suite in SUITES]
    expected += [audit.name for audit in AUDITS]
    expected += [exhibit.rule for exhibit in EXHIBITS]
    expected += [*ENCODERS.by_name, *ATTENTION.by_name, "sst", "snli", "needle", "digest"]
    expected += ["report_page", "explorer"]
    assert len(set(listed)) == len(listed)
    assert set(expected) <= set(listed)
    words = " ".join(text.split())
    assert all(suite.about in words for suite in SUITES)
    assert all(audit.asks in words for audit in AUDITS)
    assert all(exhibit.shows in words for exhibit in EXHIBITS)
    assert "needle one cue word somewhere in a long text decides " in words


def test_no_line_is_too_long() -> None:
    assert max(map(len, listing().splitlines())) <= WIDTH


def test_every_need_is_worded() -> None:
    assert set(NEEDS) == set(get_args(Need))


def test_the_data_sets_are_those_of_the_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TREE", tmp_path)
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow" / "catalogue.yaml").write_text(
        "corpora:\n  one: {kind: table, origin: {homepage: x, citation: Some Paper}}\n"
        "  two: {kind: table, path: a.csv}\n  three: {kind: nothing}\n"
    )
    words = " ".join(listing().split())
    assert "one Some Paper two your own csv" in words
    assert "three an unknown kind of data set, 'nothing'" in words


@pytest.mark.parametrize("text", ["corpora: [", "corpora: 3", "- a", "corpora: [1, 2]"])
def test_a_broken_configuration_is_named(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TREE", tmp_path)
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow" / "catalogue.yaml").write_text(text)
    with pytest.raises(
        AuditError, match=r"/workflow/catalogue\.yaml: cannot be read as a configuration \(.*\); mend it$"
    ):
        listing()


def test_a_run_says_how_it_trains_and_what_it_inherits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("jain_wallace: {datasets: [sst, snli], models: [lstm_tanh, cnn_tanh], recipe: {epochs: 9}}\n")
    second.write_text("overrides: {snli: {jain_wallace: {recipe: {epochs: 2}}}}\n")
    text = listing([first, second])
    assert max(map(len, text.splitlines())) <= WIDTH
    _, words = " ".join(text.split()).split(" Training -------- ")
    assert "sst: lstm_tanh epochs 9, batch_size 32, learning_rate 0.001," in words
    assert "sst: cnn_tanh epochs 9, batch_size 32, learning_rate 0.001," in words
    assert "snli: lstm_tanh epochs 2, batch_size 32, learning_rate 0.001," in words
    assert "Wiegreffe & Pinter 2019" not in words
    inherited = words.partition(" Inherited --------- ")[2]
    assert "jain_wallace.recipe.learning_rate 0.001" in inherited
    assert "overrides.snli.diversity.weight 0.1 (of workflow/catalogue.yaml)" in inherited
    assert "epochs 9" not in inherited
    assert "jain_wallace.recipe.epochs" not in inherited
    # of what no model of the run needs, nothing is said
    assert "serrano_smith" not in inherited
    assert "adversary" not in inherited.replace("instance_adversary", "")


def test_a_run_that_cannot_be_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(AuditError, match=r"^nowhere\.yaml: cannot be read as a configuration \(.*\); mend it$"):
        listing([Path("nowhere.yaml")])
    (tmp_path / "wrong.yaml").write_text("datsets: []")
    with pytest.raises(AuditError, match=r"^config: datsets: unknown key \(did you mean 'datasets'\?\)$"):
        listing([tmp_path / "wrong.yaml"])


def test_listing_loads_no_heavy_library() -> None:
    heavy = {"torch", "pandas", "sklearn", "scipy", "matplotlib"}
    code = f"import sys, attention_audit.listing; print({heavy} & {{*sys.modules}})"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
