"""The hash of a stage's code: which files it covers, what changes it, and which words do not."""

import ast
import sys

import pytest
from in_process import forget_code

from attention_audit import code_hash as code

MODULE = '''"""What the module does."""

from pydantic import Field

from attention_audit.columns.kinds import Column, REAL

ALPHA = 0.05
"""How sure we are."""
RATE = Column("rate", REAL, unit="share", meaning="how often")


class Settings:
    """Settings."""

    epochs: int = Field(8, ge=1, description="How many epochs.")
    """Epochs."""


def rate(flips: int, texts: int = 10) -> float:
    """Share of the texts."""
    # a text counts once
    return flips / texts + ALPHA
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package where `stages.a` imports `b` in a function, `b` imports `c`, and nothing imports `d`."""
    files = {
        "__init__.py": "",
        "stages/__init__.py": "",
        "stages/a.py": "def run():\n    from attention_audit import b\n",
        "b.py": "import attention_audit.c.inner\nimport json\n",
        "c/__init__.py": "",
        "c/inner.py": MODULE,
        "c/table.csv": "x\n1\n",
        "d.py": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(code, "PACKAGE_FOLDER", tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    forget_code()
    yield tmp_path
    forget_code()


def changes(path, old, new, words=False):
    """Whether the hash of `stages.a` is another one after an edit of `path`."""
    before = code.code_hash("stages.a", words=words)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    forget_code()
    return code.code_hash("stages.a", words=words) != before


def test_closure_follows_imports_however_deep(package):
    assert code.find_closure("attention_audit.stages.a") == {
        "attention_audit",
        "attention_audit.stages",
        "attention_audit.stages.a",
        "attention_audit.b",
        "attention_audit.c",
        "attention_audit.c.inner",
    }


@pytest.mark.parametrize(
    "block",
    [
        "if None:\n    pass\nelif True:\n    {}",
        "try:\n    {}\nfinally:\n    pass",
        "try:\n    pass\nexcept OSError:\n    {}",
        "try:\n    pass\nexcept OSError:\n    pass\nelse:\n    {}",
        "try:\n    pass\nfinally:\n    {}",
        "for i in ():\n    pass\nelse:\n    {}",
        "class A:\n    def b(self):\n        with open(0):\n            {}",
        "match 1:\n    case 1:\n        {}",
    ],
)
def test_imports_in_any_block_are_seen(package, block):
    (package / "stages/a.py").write_text(block.format("import attention_audit.d"))
    assert "attention_audit.d" in code.find_closure("attention_audit.stages.a")


@pytest.mark.parametrize(
    ("edited", "expected"),
    [("stages/a.py", True), ("b.py", True), ("c/inner.py", True), ("c/table.csv", True), ("d.py", False)],
)
def test_an_edit_changes_the_hash_of_what_imports_it(package, edited, expected):
    assert changes(package / edited, "", "import os\n") == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# a text counts once", "# each text counts once"),
        ("    # a text counts once\n", ""),
        ('"""What the module does."""', '"""What this module does,\n\nand how."""'),
        ('"""What the module does."""\n', ""),
        ('    """Share of the texts."""\n', '    "The share."\n'),
        ('"""How sure we are."""', '"""The level."""'),
        ('    """Epochs."""\n', ""),
        ("class Settings", "\n\nclass Settings"),
        ("flips / texts + ALPHA", "(flips / texts) + (ALPHA)"),
        ("texts: int = 10)", "texts: int = 10,\n)"),
        ('meaning="how often"', 'meaning="how often it flips"'),
        ('unit="share"', 'unit="percent"'),
        ('unit="share", ', ""),
        ('description="How many epochs."', 'description="Epochs" + " of a training."'),
    ],
)
def test_words_and_layout_change_no_hash(package, old, new):
    assert not changes(package / "c/inner.py", old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0.05", "0.01"),
        ("0.05", "None"),
        ("ALPHA", "BETA"),
        ("flips / texts", "flips // texts"),
        ("texts: int = 10", "texts: int = 11"),
        ("texts: int = 10", "texts: int"),
        ("flips: int", "flips: float"),
        ("Field(8", "Field(9"),
        ("ge=1", "ge=2"),
        ("ge=1", "gt=1"),
        ('Column("rate"', 'Column("share"'),
        ("REAL, unit", "FLAG, unit"),
        ("REAL, unit", "REAL, nullable=True, unit"),
        ("return flips", "yield flips"),
        ("import Field", "import Field as Field_"),
    ],
)
def test_what_the_code_does_changes_the_hash(package, old, new):
    assert changes(package / "c/inner.py", old, new)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"the rate"', '"how often it flips"', False),
        ('f"at least {ALPHA}"', '"none"', False),
        ("share.or_null", "share", True),
        ("rate=", "ratio=", True),
        ('describe_file("rates"', 'describe_file("shares"', True),
    ],
)
def test_of_a_column_all_but_its_meaning_counts(package, old, new, expected):
    path = package / "columns/some.py"
    path.parent.mkdir()
    path.write_text(
        'R = describe_file("rates", meaning="All.").add_columns('
        'rate=share("the rate"), p=share.or_null(f"at least {ALPHA}"))'
    )
    (package / "b.py").write_text("import attention_audit.columns.some")
    forget_code()
    assert changes(path, old, new) == expected


def test_every_other_keyword_argument_counts(package):
    assert sorted(code.READER_KEYWORDS) == ["description", "meaning", "unit"]
    for keyword in ("lr", "label", "default"):
        assert changes(package / "c/inner.py", 'unit="share"', f'unit="share", {keyword}="a"')


def test_for_what_prints_the_words_they_count(package):
    assert changes(package / "c/inner.py", "how often", "how often it flips", words=True)


def test_a_module_that_is_named_counts_too(package):
    before = code.code_hash("stages.a", "d")
    (package / "d.py").write_text("ALPHA = 1\n")
    forget_code()
    assert code.code_hash("stages.a", "d") != before


def kept_beside(path):
    """The file beside a module's bytecode."""
    (kept,) = (path.parent / "__pycache__").glob(f"{path.stem}.*.code")
    return kept


@pytest.mark.parametrize("hurt", ["whole", "gone", "empty", "a digit flipped", "of other code", "a folder"])
def test_what_is_kept_of_a_module_changes_no_hash(package, monkeypatch, hurt):
    before = code.code_hash("stages.a")
    kept = kept_beside(package / "c/inner.py")
    parsed, parse = [], ast.parse

    def noted(source, filename):
        parsed.append(filename)
        return parse(source, filename)

    monkeypatch.setattr(ast, "parse", noted)
    match hurt:
        case "gone" | "a folder":
            kept.unlink()
        case "empty":
            kept.write_text("")
        case "a digit flipped":
            kept.write_text(kept.read_text().translate(str.maketrans("01", "10")))
        case "of other code":
            kept.write_text(kept_beside(package / "b.py").read_text())
    if hurt == "a folder":
        kept.mkdir()
    forget_code()
    assert code.code_hash("stages.a") == before
    assert not list(package.rglob("*.part"))
    assert parsed == ([] if hurt == "whole" else [str(package / "c/inner.py")])


def test_a_folder_that_cannot_be_written_keeps_nothing(package, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = code.code_hash("stages.a")
    assert not list(package.rglob("*.code"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (package / "c/__pycache__").write_text("no folder")
    forget_code()
    assert code.code_hash("stages.a") == before
    assert not list((package / "c").glob("*.part"))
    assert kept_beside(package / "b.py").is_file()


def test_columns_of_audits_pull_no_others():
    forget_code()
    columns = {name for name in code.find_closure("attention_audit.columns.audits") if ".columns." in name}
    assert columns == {f"attention_audit.columns.{name}" for name in ("audits", "kinds")}
