"""A notebook that runs the workflow: from a csv to tables in pandas."""

import shutil

import pandas as pd
import pytest
from folder import ROOT, fresh

from makers.notebooks import executed

pytestmark = pytest.mark.whole


def test_a_csv_is_run_and_its_tables_are_read(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    folder = fresh(tmp_path / "audit").path
    shutil.copytree(ROOT / "examples", folder / "examples")
    cells = executed(folder / "examples" / "csv.ipynb")["cells"]
    *_, shown, picture = [output["data"] for cell in cells for output in cell.get("outputs", []) if "data" in output]
    texts = pd.read_parquet(folder / "runs" / "csv" / "tables" / "texts.parquet")
    assert len(texts) == 200
    for agree, count in texts["agree"].value_counts().items():
        assert any(line.split() == [str(agree), str(count)] for line in shown["text/plain"])
    assert "image/png" in picture
