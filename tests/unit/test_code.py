"""The hash of a stage's code: which files it covers, and what changes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from attention_audit import code


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package where `stages.a` imports `b` in a function, `b` imports `c`, and nothing imports `d`."""
    files = {
        "__init__.py": "",
        "stages/__init__.py": "",
        "stages/a.py": "def run():\n    from attention_audit import b\n",
        "b.py": "import attention_audit.c.inner\nimport json\n",
        "c/__init__.py": "",
        "c/inner.py": "",
        "c/table.csv": "x\n1\n",
        "d.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(code, "SOURCE", tmp_path)
    code.closure.cache_clear()
    return tmp_path


def test_closure_follows_imports_however_deep(package: Path) -> None:
    assert code.closure("attention_audit.stages.a") == {
        "attention_audit",
        "attention_audit.stages",
        "attention_audit.stages.a",
        "attention_audit.b",
        "attention_audit.c",
        "attention_audit.c.inner",
    }
    code.closure.cache_clear()


@pytest.mark.parametrize(
    ("edited", "changes"),
    [("stages/a.py", True), ("b.py", True), ("c/inner.py", True), ("c/table.csv", True), ("d.py", False)],
)
def test_an_edit_changes_the_hash_of_what_imports_it(package: Path, edited: str, changes: bool) -> None:
    before = code.code_hash("stages.a")
    with (package / edited).open("a") as handle:
        handle.write("\n")
    code.closure.cache_clear()
    assert (code.code_hash("stages.a") != before) == changes
    code.closure.cache_clear()


def test_figures_import_no_model_and_no_torch() -> None:
    code.closure.cache_clear()
    for stage in ("wp_fig2_attention_maps", "wp_fig3_seed_variance", "wp_fig5_tvd_jsd", "wp_table5_adversary"):
        modules = code.closure(f"attention_audit.stages.{stage}")
        assert not [name for name in modules if name.split(".")[1:2] in (["model"], ["training"], ["audits"])]
        for name in modules:
            path = code._file(name)
            assert path is not None
            assert "import torch" not in path.read_text()
