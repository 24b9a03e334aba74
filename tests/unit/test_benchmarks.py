"""The benchmarks stand on the package as it is."""

from importlib import import_module

import pytest
from planned import ROOT

BENCHMARKS = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_can_be_imported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    assert import_module(name).__doc__
