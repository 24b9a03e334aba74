"""The notebooks of examples/ with their outputs: each is run from its first cell to its last in this process.

    PYTHONPATH=docs python -m makers.notebooks [NAME]

What a cell prints, and the value that it ends with, as text, as HTML where it has that, or as a picture, is stored as
Jupyter would. Nothing of Jupyter is needed.
"""

import ast
import io
import json
import os
import sys
from base64 import b64encode
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[2] / "examples"
DOTS = 80
"""Dots an inch of a picture, so that it stays small."""

Notebook = dict[str, Any]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _shown(value: Any) -> dict[str, Any]:
    """A value in the formats that a notebook shows it in, by their names."""
    if isinstance(value, Figure):
        picture = io.BytesIO()
        value.savefig(picture, format="png", dpi=DOTS, metadata={"Software": None})
        return {"image/png": b64encode(picture.getvalue()).decode(), "text/plain": ["a figure"]}
    html = getattr(value, "_repr_html_", None)
    return ({"text/html": _lines(html())} if html else {}) | {"text/plain": _lines(repr(value))}


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell, and return what it printed and what it ended with."""
    body, last = ast.parse(source).body, None
    if body and isinstance(body[-1], ast.Expr):
        last = ast.Expression(body.pop().value)  # type: ignore[attr-defined]  # an Expr has one
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        value = None if last is None else eval(compile(last, "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(text)})
    if value is not None:
        outputs.append(
            {"data": _shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def executed(path: Path) -> Notebook:
    """A notebook with new outputs, run in its folder, which its imports are looked for in too. What a cell raises is
    passed on.
    """
    notebook: Notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    sys.path.insert(0, str(path.parent))
    try:
        with chdir(path.parent):
            for count, cell in enumerate(code, start=1):
                cell |= {"outputs": _outputs("".join(cell["source"]), names, count), "execution_count": count}
    finally:
        sys.path.remove(str(path.parent))
    return notebook


def main(names: list[str]) -> None:
    """Run the notebooks of these names, or all, and write them with their outputs."""
    os.environ["MPLBACKEND"] = "agg"
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            path.write_text(json.dumps(executed(path), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
