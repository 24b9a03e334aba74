import datetime
import decimal
import json
import re
import sys
import tarfile
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError
from refusal import refusal
from tables_on_disk import open_table, write_bytes, write_rows, write_sheet

from attention_audit.corpus import tabular
from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError
from attention_audit.initialising import guess_layout, rank_labels, rank_texts, read_columns

ENDINGS = [
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".CSV",
    ".csv.gz",
    ".tsv.gz",
    ".json.gz",
    ".jsonl.gz",
    ".csv.bz2",
    ".parquet",
    ".xlsx",
]
ROWS = [{"text": "good, warm", "label": "yes"}, {"text": 'a "bad"\nend', "label": "no"}, {"text": "né", "label": "no"}]


def read(path, **settings):
    return list(open_table(path, **settings).read("own", {"path": path}))


def refused(path, **settings):
    """What is said of a file, its name left out."""
    return refusal(read, path, **settings).removeprefix(str(path))


def fault_of(path, **settings):
    """The place of the fault for which a file is refused, the fault, and the remedy."""
    with pytest.raises(AuditError) as caught:
        read(path, **settings)
    return caught.value.place, caught.value.fault, caught.value.remedy


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_gives_the_same_texts(tmp_path, ending):
    path = write_rows(tmp_path / f"own{ending}", ROWS)
    texts = read(path)
    assert [(text.id, text.split, text.label, text.text) for text in texts] == [
        (f"own-000000{number}", None, row["label"], row["text"]) for number, row in enumerate(ROWS, start=1)
    ]
    # where each row begins
    noun, begins = {".parquet": ("row", [1, 2, 3]), ".xlsx": ("row", [2, 3, 4])}.get(ending, ("line", [2, 3, 5]))
    if ".json" in ending:
        noun, begins = "element" if ".json" in path.suffixes else "line", [1, 2, 3]
    assert [text.place for text in texts] == [f"{path}, {noun} {at}" for at in begins]


@pytest.mark.parametrize("ending", ENDINGS)
def test_columns_go_by_the_names_of_the_config(tmp_path, ending):
    row = {"n": 7, "text": "no", "review": "fine film", "stars": 4, "reply": "thanks", "set": "test", "user": " ann "}
    path = write_rows(tmp_path / f"own{ending}", [row, row | {"n": 8, "user": ""}])
    keys = {"text": "review", "label": "stars", "query": "reply", "split": "set", "id": "n", "group": "user"}
    first, other = read(path, **keys)
    assert first == Text("7", "test", "4", "fine film", first.place, query="thanks", group="ann")
    assert (other.id, other.group) == ("8", None)


def test_splits_go_by_their_usual_names(tmp_path):
    said = ("Validation", " val ", "test", "", "testing")
    path = write_rows(tmp_path / "own.jsonl", [{"text": "a", "label": "x", "split": name} for name in said])
    assert [text.split for text in read(path, split="split")] == ["dev", "dev", "test", None, "testing"]


def test_one_file_a_split(tmp_path):
    paths = {"train": tmp_path / "a.csv", "test": tmp_path / "b.jsonl"}
    corpus = open_table({split: str(write_rows(path, ROWS[:2])) for split, path in paths.items()})
    assert corpus.local_files() == {split: str(path) for split, path in paths.items()}
    assert [(text.id, text.split) for text in corpus.read("own", paths)] == [
        ("own-train-0000001", "train"),
        ("own-train-0000002", "train"),
        ("own-test-0000001", "test"),
        ("own-test-0000002", "test"),
    ]


def at_address(**settings):
    return TableCorpus.model_validate({"kind": "table", "url": "https://example.org/a/own.csv", **settings})


def test_files_at_addresses_are_fetched_by_their_names(tmp_path):
    corpus = at_address(url="https://example.org/a/own.csv?download=1#rows", sha256="0" * 64)
    assert corpus.remote_files() == {"path": RemoteFile(file="own.csv", url=corpus.url, sha256="0" * 64)}
    assert corpus.local_files() == {}
    path = write_rows(tmp_path / "own.csv", ROWS)
    assert [*corpus.read("own", {"path": path})] == read(path)
    urls = {split: f"https://example.org/{split}.jsonl" for split in ("train", "test")}
    corpus = at_address(url=urls, sha256={"test": "1" * 64}, block={"file": {"train": "a.mask", "test": "b.mask"}})
    files = {split: RemoteFile(file=f"{split}.jsonl", url=url) for split, url in urls.items()}
    assert corpus.remote_files() == files | {"test": files["test"].model_copy(update={"sha256": "1" * 64})}
    assert corpus.local_files() == {"block-train": "a.mask", "block-test": "b.mask"}
    assert corpus.trained
    assert not at_address(url={"test": "https://example.org/test.csv"}).trained


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"path": "own.csv"}, "give either `path`, for a file of your own, or `url`, for one that is fetched"),
        ({"url": None}, "give either `path`, for a file of your own, or `url`, for one that is fetched"),
        ({"path": "own.csv", "url": None, "sha256": "0" * 64}, "sha256: only for a file that is fetched from a `url`"),
        ({"sha256": {"train": "0" * 64}}, "sha256: give one checksum for one `url`, or one for each split"),
        ({"url": "ftp://example.org/own.csv"}, "url: 'ftp://example.org/own.csv' is no address; write it as https://"),
        ({"url": {"train": "http://[own.csv"}}, "url: 'http://[own.csv' is no address"),
        ({"sha256": "0" * 63}, f"sha256: '{'0' * 63}' is no checksum; write its 64 digits, 0 to 9 and a to f"),
        ({"url": "https://example.org/own.csv/"}, "url: 'https://example.org/own.csv/' does not end in .csv"),
        ({"url": "https://example.org/.csv"}, "url: 'https://example.org/.csv' does not end in .csv"),
        ({"url": {"valid": "https://example.org/own.csv"}}, "url: unknown split 'valid'; known: train, dev, test"),
        (
            {"url": {"train": "https://example.org/a/own.csv", "test": "https://example.org/b/own.csv"}},
            "url: two files are called 'own.csv'; download them, and name them as `path`",
        ),
    ],
)
def test_addresses_that_can_not_be_are_refused(settings, message):
    with pytest.raises(ValidationError, match=re.escape(message)):
        at_address(**settings)


def test_labels_become_text(tmp_path):
    cells = (" warm\n", 3.0, -0.0, 0.5, True, "-2.00", "2.10", "01")
    path = write_rows(tmp_path / "own.jsonl", [{"text": "a", "label": cell} for cell in cells])
    assert [text.label for text in read(path)] == ["warm", "3", "0", "0.5", "true", "-2", "2.10", "01"]


@pytest.mark.parametrize(
    ("ending", "place", "cells"),
    [
        (".csv", "line 3", ["x", " \t"]),
        (".jsonl", "line 2", ["x", None]),
        (".jsonl", "line 2", [1, float("nan")]),
        (".parquet", "row 2", [1.0, float("nan")]),
    ],
)
def test_a_missing_label_is_named_by_its_row(tmp_path, ending, place, cells):
    path = write_rows(tmp_path / f"own{ending}", [{"text": "a", "label": cell} for cell in cells])
    assert (
        refused(path)
        == f", {place}: no label in column 'label'; give it one, or leave such rows out with `drop_unlabelled: true`"
    )


@pytest.mark.parametrize("ending", [".jsonl", ".parquet"])
def test_a_missing_text_is_empty(tmp_path, ending):
    path = write_rows(tmp_path / f"own{ending}", [{"text": cell, "label": "x"} for cell in (None, float("nan"))])
    assert [text.text for text in read(path)] == ["", ""]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_missing_column_is_named_with_those_that_are_there(tmp_path, ending):
    path = write_rows(tmp_path / f"own{ending}", ROWS)
    places = dict.fromkeys((".parquet", ".xlsx"), ", row 1")
    place = places.get(ending, ", element 1" if ".json" in path.suffixes else ", line 1")
    said = f"{place}: no column 'class', only 'text', 'label'; set `label` to one of these"
    said += ", or to null where nobody knows them"
    assert refused(path, label="class") == said


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_key_that_some_objects_lack_is_an_empty_cell(tmp_path, ending):
    for rows in ([{"text": "a", "label": "x"}, {"text": "b"}], [{"text": "b"}, {"text": "a", "label": "x"}]):
        path = write_rows(tmp_path / f"own{ending}", rows)
        assert {(text.text, text.label) for text in read(path, drop_unlabelled=True)} == {("a", "x"), ("b", None)}
        assert ": no label in column 'label'; " in refused(path)
        assert ": no column 'class', only " in refused(path, label="class", drop_unlabelled=True)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_column_that_stands_twice_is_refused(tmp_path, ending):
    path = write_bytes(tmp_path / f"own{ending}", b"text,label,text\na,x,b\n")
    if ending == ".parquet":
        columns = [pa.array(["a"]), pa.array(["x"]), pa.array(["b"])]
        pq.write_table(pa.Table.from_arrays(columns, names=["text", "label", "text"]), path)
    assert "more than one column 'text'" in refused(path)


NO_OBJECT = ", line 3: not a JSON object; give one a line, and the whole of it, or an array of them"
NAMES = {"columns": ["text", "label"]}
MANY = ", ".join(f"'c{number}'" for number in range(20))
FAULTS = [
    (
        *(".csv", "text,label,user\na,x,ann\n", {"group": "users"}),
        ", line 1: no column 'users', only 'text', 'label', 'user' (did you mean 'user'?); set `group` to one of these",
    ),
    (
        ".csv",
        ",".join(f"c{number}" for number in range(21)),
        {},
        f", line 1: no column 'text', only {MANY} and 1 more; ",
    ),
    (".csv", "text,label,n\na,x,\n", {"id": "n"}, ", line 2: no id in column 'n'; give it one"),
    (".csv", "text,label\n\na\n", {}, ", line 3: 1 fields where the header has 2; mend the row"),
    (".csv", "a,x\nb,y,z\n", NAMES, ", line 2: 3 fields where `columns` has 2; mend the row"),
    (
        *(".csv", "word " * 140 + ",x\n", {}),
        f", line 1: there seems to be no header, since the first row is 'word {'word ' * 7}...', 'x'; name all 2 ",
    ),
    *(
        (".jsonl", f'{{"text": "a", "label": "x"}}\n\n{line}\n', {}, NO_OBJECT)
        # the last are too deep, and a number of too many digits
        for line in ("{", "5", "{}{}", "[" * 100_000, "1" * 5000)
    ),
    (".jsonl", '{"text": "\\ud83d", "label": "x"}\n', {}, ", line 1: column 'text' holds half a character"),
    (".json", '[{"text": "a", "label": "x"}, 5]', {}, ", element 2: not a JSON object"),
    (".json", '[{"text": "a", "label": "x"}', {}, ", after element 1: malformed or cut off"),
    (".json", '{\n "text": "a",\n "label": "x"\n}\n{\n "text": "b"\n}', {}, NO_OBJECT.replace("3", "1")),
    (".json", '{"train": [{"text": "a"}], "test": []}', {}, ", line 1: no column 'text', only 'train', "),
    (
        ".json",
        "text,label\na,x\n",
        {},
        ": is not JSON (.json), as its name says; give it the ending of what it is, or ",
    ),
    (".xlsx", "PK\x03\x04no zip", {}, ": truncated or corrupt ("),
    (".parquet", "PAR1....PAR1", {}, ": truncated or corrupt ("),
    *(
        (ending, content, {}, ": no rows in it; ")
        for ending, content in ((".csv", ""), (".tsv.gz", "\n\n"), (".csv", "text,label\n"), (".jsonl", "\n"))
    ),
]
"""Files, how they are read, and how what is said of them begins."""


@pytest.mark.parametrize(("ending", "content", "settings", "said"), FAULTS, ids=range(len(FAULTS)))
def test_a_fault_is_named_by_its_place(tmp_path, ending, content, settings, said):
    assert refused(write_bytes(tmp_path / f"own{ending}", content.encode()), **settings).startswith(said)


@pytest.mark.parametrize(
    ("ending", "content", "first", "keys"),
    [
        (".csv", 'text,label\na,x\n"b,x\nc,y\n', ", line 3: ", {"quotes": "none"}),
        (".tsv", 'text\tlabel\na\tx\n"b\tx\n"c\ty\n', ", line 3: ", {"quotes": "none"}),
        (".csv", "text;label\na, b;x\n", ", line 1: no column 'text', only 'text;label'; ", {"delimiter": ";"}),
        (".csv", "text\tlabel\na, b\tx\n", ", line 1: no column 'text', only 'text\\tlabel'; ", {"delimiter": "\t"}),
        (".csv", "Export of 2024\n\ntext,label\na,x\n", ", line 1: ", {"skip": 1}),
        (".csv", 'text,label\n"a \\"b\\", c",x\n', ", line 2: ", {"escape": "\\"}),
    ],
)
def test_a_file_that_is_laid_out_otherwise_is_named_with_the_key_that_reads_it(tmp_path, ending, content, first, keys):
    path = write_bytes(tmp_path / f"own{ending}", content.encode())
    [(key, value)] = keys.items()
    said = refused(path)
    assert said.startswith(first)
    assert said.endswith(f", or set `{key}: {value if key == 'quotes' else json.dumps(value)}`, which reads every row")
    separated = content.splitlines()[1 + 2 * ("skip" in keys) :]
    assert len(read(path, **keys)) == len(separated)


def test_marks_and_places_are_those_that_the_keys_say(tmp_path):
    path = write_bytes(tmp_path / "own.csv", b'text,label\n"a \\"b\\", c",x\n')
    assert [text.text for text in read(path, escape="\\")] == ['a "b", c']
    path = write_bytes(tmp_path / "own.csv", b"Export of 2024\n\ntext;label\na, b;x\n")
    assert [(text.text, text.place) for text in read(path, skip=1, delimiter=";")] == [("a, b", f"{path}, line 4")]
    path = write_bytes(tmp_path / "own.csv", b"a;x\n")
    place, fault, remedy = fault_of(path, **NAMES)
    assert (place, fault) == (f"{path}, line 1", "1 fields where `columns` has 2")
    assert remedy.startswith('mend the row, or set `delimiter: ";"`')


@pytest.mark.parametrize("rows", ["good,1\nbad,0\n", "good,pos\nbad,neg\nfine,pos\n"])
def test_a_file_without_a_header_is_named_with_its_key(tmp_path, rows):
    path = write_bytes(tmp_path / "own.csv", rows.encode())
    place, fault, remedy = fault_of(path)
    assert place == f"{path}, line 1"
    assert fault.startswith("there seems to be no header")
    assert remedy.startswith("name all 2 columns")
    assert remedy.endswith("`columns: [text, label]`")
    assert len(read(path, **NAMES)) == rows.count("\n")


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".jsonl"])
def test_bytes_of_another_encoding_are_named_by_their_line(tmp_path, ending):
    content = (tmp_path / "utf-8").with_suffix(ending.removesuffix(".gz"))
    text = write_rows(content, [{"text": "a", "label": "x"}, {"text": "caf#", "label": "y"}]).read_bytes()
    path = write_bytes(tmp_path / f"own{ending}", text.replace(b"#", b"\xe9"))
    line = 2 if "json" in ending else 3
    assert f", line {line}: not utf-8" in refused(path)
    assert [text.text for text in read(path, encoding="latin-1")] == ["a", "café"]


def test_bytes_of_another_encoding_in_parquet_are_named_by_their_row(tmp_path):
    text = pa.array([b"a", b"caf\xe9"]).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"text": text, "label": ["x", "y"]}), tmp_path / "own.parquet")
    assert ", row 2: not utf-8" in refused(tmp_path / "own.parquet")


@pytest.mark.parametrize(
    ("text", "encoding", "mend"),
    [
        ("le caf\u00e9 est tr\u00e8s bon", "cp1252", "set `encoding: cp1252`, or save it as utf-8"),
        ("фильм был очень хороший и я бы", "cp1251", "set `encoding: cp1251`, or save it as utf-8"),
        (
            "\u043f\u0440\u0438\u0432\u0435\u0442",
            "cp1251",
            "no language tells its encoding; set `encoding`, such as cp1252, cp1251, ",
        ),
    ],
)
def test_another_encoding_is_named_with_its_key(tmp_path, text, encoding, mend):
    assert "seems to be utf-16" in refused(
        write_bytes(tmp_path / "own.csv", f"text,label\n{text},x\n".encode("utf-16"))
    )
    path = write_bytes(tmp_path / "own.csv", f"text,label\n{text},x\n".encode(encoding))
    assert mend in refused(path)
    assert [row.text for row in read(path, encoding=encoding)] == [text]


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".parquet"])
def test_fields_inside_objects_go_by_dotted_names(tmp_path, ending):
    rows = [{"data": {"text": "a", "by": {"id": 3}}, "label": "x"}]
    path = write_rows(tmp_path / f"own{ending}", rows)
    assert [(text.id, text.text) for text in read(path, text="data.text", id="data.by.id")] == [("3", "a")]
    assert "no column 'data.body', only 'data.text', 'data.by.id', 'label' (did you mean " in refused(
        path, text="data.body"
    )


RECORDS = [{"text": f"text {at}", "label": "ab"[at % 2]} for at in range(5)]
FRAME = pd.DataFrame(RECORDS)
SHAPES = {
    "columns": FRAME.to_json(),
    "columns in lines": json.dumps(json.loads(FRAME.to_json()), indent=2),
    "lists": json.dumps(FRAME.to_dict("list")),
    "lists beside objects": json.dumps({**FRAME.to_dict("list"), "more": RECORDS[::-1]}),
    "index": FRAME.to_json(orient="index"),
    "split": FRAME.to_json(orient="split"),
    "table": FRAME.to_json(orient="table"),
    "envelope": json.dumps({"version": 1, "data": RECORDS}, indent=1),
    "lines": FRAME.to_json(orient="records", lines=True),
    "records": FRAME.to_json(orient="records"),
}


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".json.gz"])
@pytest.mark.parametrize("shape", SHAPES)
def test_json_is_read_in_every_shape_that_pandas_writes(tmp_path, shape, ending):
    path = write_bytes(tmp_path / f"own{ending}", SHAPES[shape].encode())
    assert [(text.text, text.label) for text in read(path)] == [(row["text"], row["label"]) for row in RECORDS]


CELLS = [True, 5, ["a"], float("inf"), b"a", decimal.Decimal("1.5"), datetime.date(2024, 5, 1)]


@pytest.mark.parametrize(
    ("ending", "column", "cell"),
    [
        *((".jsonl", "text", cell) for cell in CELLS[:4]),
        *((".parquet", "text", cell) for cell in CELLS),
        *((ending, "label", ["a"]) for ending in (".jsonl", ".parquet")),
    ],
)
def test_one_odd_cell_is_named_and_hides_no_column(tmp_path, ending, column, cell):
    rows = [{"text": f"this is text {at}", "label": "ab"[at % 2]} for at in range(40)]
    odd = rows[0] | {column: cell}
    columns = read_columns([*rows, odd])
    assert [[each.name for each in found(columns)] for found in (rank_texts, rank_labels)] == [["text"], ["label"]]
    path = write_rows(tmp_path / f"own{ending}", [odd])
    assert f" 1: column {column!r} holds {cell!r:.50}, which is no text" in refused(path)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".json", ".parquet", ".xlsx"])
@pytest.mark.parametrize(
    ("begins", "what"),
    [
        (b"PAR1....PAR1", "Parquet (.parquet)"),
        (b"PK\x03\x04....", "a workbook (.xlsx) or another zip archive"),
        (b"\xd0\xcf\x11\xe0....", "an old workbook (.xls), or one with a password"),
        (b"\n<!DOCTYPE html>", "a web page or XML"),
        (b'[{"text": "a"}]', "JSON (.json)"),
        (b"7z\xbc\xaf\x27\x1c....", "a 7z or RAR archive"),
        (b"ARROW1..", "an Arrow or Feather file"),
        (b"\x80\x04\x95....", "pickled by Python"),
    ],
)
def test_a_file_that_is_named_otherwise_is_called_what_it_is(tmp_path, begins, what, ending):
    if ending not in what:
        path = write_bytes(tmp_path / f"own{ending}", begins)
        remedy = (
            "give it the ending of what it is, or save it as csv"
            if "(." in what and "old" not in what
            else "save it as csv"
        )
        assert refused(path) == f": is {what}; {remedy}"


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_quoted_fields_that_swallowed_rows_are_named(tmp_path, delimiter):
    lines = [f"{at} words{delimiter}{'ab'[at % 2]}" for at in range(20)]
    lines[5], lines[8] = f'"{lines[5]}', lines[8].replace("words", 'words"')
    path = write_bytes(tmp_path / "own.csv", "\n".join([f"text{delimiter}label", *lines, ""]).encode())
    settings = {} if delimiter == "," else {"delimiter": delimiter}
    said = (
        "a quoted field holds 4 lines that look like rows; set `quotes: none` if quotation marks are characters, else "
    )
    assert refused(path, **settings) == f", line 7: {said}`quotes: double`"
    texts = read(path, quotes="none", **settings)
    assert [f"{text.text}{delimiter}{text.label}" for text in texts] == lines
    assert len(read(path, quotes="double", **settings)) == 17


def test_a_text_of_several_lines_has_swallowed_nothing(tmp_path):
    rows = [{"text": f'Dear all, {at}\nI came,\nhe said, "so"', "label": "ab"[at % 2]} for at in range(20)]
    assert [text.text for text in read(write_rows(tmp_path / "own.csv", rows))] == [row["text"] for row in rows]


def test_a_sheet_of_a_workbook(tmp_path):
    rows = [["text", "label", "n"], ["good", 1, None], [None, None, None], ["bad", 2.0, "x"]]
    path = write_sheet(tmp_path / "own.XLSX", rows, "empty")
    found = [("good", "1", f"{path}, row 2"), ("bad", "2", f"{path}, row 4")]
    assert [(text.text, text.label, text.place) for text in read(path, sheet="Sheet")] == found
    assert refused(path, sheet="Sheet", label="class").startswith(
        ", row 1: no column 'class', only 'text', 'label', 'n'; "
    )
    assert refused(path, sheet="post") == ": no sheet 'post', only 'empty', 'Sheet'; set `sheet`"
    assert refused(path) == ": no rows in sheet 'empty'; set `sheet` to another one of 'empty', 'Sheet'"


def test_an_error_in_a_sheet_is_named_and_no_cell_is_lost(tmp_path):
    path = write_sheet(tmp_path / "own.xlsx", [["text", "label"], ["a", "x"], ["b", "y"], ["c", "#N/A"]])
    assert ", row 4: column 'label' holds Excel's error #N/A; mend the cell" in refused(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(
                name, re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:A2"', part).replace(b"#N/A", b"z")
            )
    assert ", row 4: column 'label' holds Excel's error z" in refused(path)


def test_a_workbook_without_openpyxl(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    message = refused(write_bytes(tmp_path / "own.xlsx", b""))
    assert message.startswith(": .xlsx needs openpyxl; install it with `python -m pip install openpyxl`, or ")


@pytest.mark.parametrize("type_", [pa.string_view(), pa.dictionary(pa.int8(), pa.string())])
def test_every_kind_of_text_that_parquet_has(tmp_path, type_):
    columns = {"label": pa.array(["x", "y"]).cast(type_), "a.b": pa.array(["a", None]).cast(type_)}
    pq.write_table(pa.table(columns), tmp_path / "own.parquet")
    texts = read(tmp_path / "own.parquet", text="a.b")
    assert [(text.text, text.label) for text in texts] == [("a", "x"), ("", "y")]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".xlsx"])
@pytest.mark.parametrize("names", [("text", "label"), ("\ufeffText", " label "), ("label", "text")])
def test_a_header_that_stands_again_is_named_with_its_row(tmp_path, ending, names):
    header = dict(zip(("text", "label"), names, strict=True))
    path = write_rows(tmp_path / f"own{ending}", [*ROWS[:1], header, *ROWS[2:], header])
    place = {".csv": "line 3", ".xlsx": "row 3", ".jsonl": "line 2", ".parquet": "row 2"}[ending]
    assert refused(path) == f", {place}: the header stands again in this row, as in 1 more; take out such rows"


def test_a_header_that_stands_again_is_no_sign_that_there_is_none(tmp_path):
    part = "text,label\n" + "".join(f"text {at},{'ab'[at % 2]}\n" for at in range(5))
    path = write_bytes(tmp_path / "own.csv", (part + part).encode())
    assert guess_layout(path) == tabular.Layout(delimiter=",")
    assert refused(path, **NAMES) == ", line 1: the header stands again in this row, as in 1 more; take out such rows"


@pytest.mark.parametrize(("header", "rows"), [("", ","), (",", ""), (",,", ","), (",", ",,")])
def test_delimiters_at_the_end_of_lines_make_no_column(tmp_path, header, rows):
    path = write_bytes(tmp_path / "own.csv", f"text,label{header}\na,x{rows}\nb,y{rows}\n".encode())
    assert [(text.text, text.label) for text in read(path)] == [("a", "x"), ("b", "y")]
    path = write_bytes(tmp_path / "own.csv", f"text,label{header}\na,x{rows}\nb,y,,,,z\n".encode())
    assert f", line 3: 6 fields where the header has {2 + len(header)}; mend the row" in refused(path)


@pytest.mark.parametrize("footer", ["(1 row affected)\n", "(1 row affected)\n\nCompletion time: 2024-05-01\n"])
def test_what_stands_below_the_table_is_shown(tmp_path, footer):
    path = write_bytes(tmp_path / "own.csv", f"text,label\na,x\n\n{footer}".encode())
    said = ", line 4: 1 fields where the header has 2; mend the row"
    assert refused(path) == f"{said}, or take out what is below the table: '(1 row affected)'"
    write_bytes(path, f"text,label\na,x\n\n{footer}b,y\n".encode())
    assert refused(path) == said


def test_archives_are_named_with_what_is_in_them(tmp_path):
    for ending in (".csv", ".xlsx", ".jsonl"):
        path = tmp_path / f"own{ending}"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("reviews.csv", "text,label\na,x\n")
        assert refused(path) == ": is a zip archive of 'reviews.csv'; unpack it"
    book = write_sheet(tmp_path / "own.xlsx", [["text", "label"], ["a", "x"]])
    assert ": is a workbook (.xlsx) or another zip archive; " in refused(book.rename(tmp_path / "book.csv"))
    with tarfile.open(tmp_path / "own.csv.gz", "w:gz") as archive:
        archive.add(write_bytes(tmp_path / "a.csv", b"text,label\na,x\n"), "a.csv")
    assert refused(tmp_path / "own.csv.gz").startswith(": is a tar archive; ")


def test_rows_above_the_header_of_a_sheet_are_skipped_or_named_with_the_key(tmp_path):
    rows = [["Export of 2024"], [], ["text", "label"], ["good", "x"], ["bad", "y"]]
    path = write_sheet(tmp_path / "own.xlsx", rows)
    assert guess_layout(path).skip == 2
    assert [(text.text, text.place) for text in read(path, skip=2)] == [
        ("good", f"{path}, row 4"),
        ("bad", f"{path}, row 5"),
    ]
    assert refused(path) == (
        ", row 1: no column 'text', only 'Export of 2024'; set `text` to one of these, or set `skip: 2`, which reads "
        "every row"
    )
    assert guess_layout(write_sheet(tmp_path / "plain.xlsx", [[], *rows[2:]])).skip == 0
    assert guess_layout(write_sheet(tmp_path / "one.xlsx", [["text"], ["a"]])).skip == 0
    assert guess_layout(write_sheet(tmp_path / "none.xlsx", [])).skip == 0


def test_decimals_are_labels_as_numbers_are(tmp_path):
    cells = [decimal.Decimal(cell) for cell in ("250.00", "250.50", "0.25")]
    path = write_rows(tmp_path / "own.parquet", [{"text": "a", "label": cell} for cell in cells])
    assert [text.label for text in read(path)] == ["250", "250.5", "0.25"]


@pytest.mark.parametrize(
    "cell",
    [decimal.Decimal("2.50"), datetime.date(2024, 5, 1), datetime.datetime(2024, 5, 1, 8), b"good", ["good"], True],
)
def test_no_kind_of_cells_hides_a_column(tmp_path, cell):
    rows = [{"text": f"this is text {at}", "label": cell} for at in range(40)]
    rows[0]["label"] = type(cell)(cell[:2]) if isinstance(cell, bytes | list) else cell
    columns = read_columns(rows + [{"text": "so", "label": rows[0]["label"]} | {"label": "other"}] * 4)
    assert [each.name for each in rank_labels(columns)] == ["label"]
    texts = read_columns([{"inhalt": [cell, f"{cell} {at}"], "label": "ab"[at % 2]} for at in range(40)])
    assert [each.name for each in rank_texts(texts)] == ["inhalt"]


def test_names_of_classes_are_those_that_datasets_writes(tmp_path):
    table = pa.table({"text": ["a", "b"], "label": [0, 1]})
    described = {"label": {"names": ["bad", "good"], "_type": "ClassLabel"}, "text": {"dtype": "string"}}
    for metadata, names in (
        ({"huggingface": json.dumps({"info": {"features": described}})}, {"0": "bad", "1": "good"}),
        ({"huggingface": "{"}, {}),
        ({"huggingface": json.dumps({"info": {"features": {"label": {"dtype": "int64"}}}})}, {}),
        (None, {}),
    ):
        pq.write_table(table.replace_schema_metadata(metadata), tmp_path / "own.parquet")
        assert tabular.read_class_names(tmp_path / "own.parquet", "label") == names
    assert tabular.read_class_names(tmp_path / "own.parquet", "text") == {}


def test_rows_of_parquet_are_counted_over_batches_and_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(tabular, "PARQUET_BATCH", 2)
    path = tmp_path / "own.parquet"
    pq.write_table(pa.table({"text": [f"t{i}" for i in range(1, 8)], "label": range(7)}), path, row_group_size=3)
    assert [(text.place, text.text) for text in read(path)] == [(f"{path}, row {i}", f"t{i}") for i in range(1, 8)]
    pq.write_table(pq.read_table(path).slice(0, 0), path)
    assert refused(path).startswith(": no rows in it; ")


@pytest.mark.parametrize(
    ("ending", "content"), [(".csv", "text,label\na,x\nb\n"), (".jsonl", '{"text": "a", "label": "x"}\n{\n')]
)
def test_a_file_is_read_row_by_row(tmp_path, ending, content):
    """The first row is had before the second, which is broken, is looked at."""
    path = write_bytes(tmp_path / f"own{ending}", content.encode())
    texts = open_table(path).read("own", {"path": path})
    assert next(texts).text == "a"
    with pytest.raises(AuditError):
        next(texts)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"path": "own.txt"}, "path: 'own.txt' does not end in .csv"),
        ({"path": {"train": ["a.csv", "b.csv"]}}, "['a.csv', 'b.csv'] is several files; join them to one"),
        ({"path": {"train": "train-*.csv"}}, "'train-*.csv' is several files; join them to one"),
        ({"path": "https://example.org/own.csv"}, "'https://example.org/own.csv' is an address; name it as `url`"),
        ({"delimiter": ";;"}, "';;' separates no fields; give one character"),
        ({"path": "own.parquet", "delimiter": ";"}, "delimiter: only for csv, tsv, and own.parquet is none; remove it"),
        ({"sheet": "1"}, "sheet: only for xlsx, and own.csv is none"),
        ({"columns": ["text", "text"]}, "duplicate value 'text'"),
        ({"columns": ["text", "stars"]}, "columns: 'label', which `label` names, is not among them"),
        ({"label": "text"}, "text and label are the same column, 'text'"),
        ({"classes": [1, "1.0"]}, "duplicate value '1'"),
        ({"path": {"train": "a.csv", "test": "b.xls"}}, "'b.xls' does not end in"),
        ({"path": {"dev": "a.csv", "test": "b.csv"}}, "path: no file for train"),
        ({"path": {"train": "a.csv"}, "split": "s"}, "either one file for each split, or a column"),
        ({"encoding": "utf-88"}, "unknown encoding 'utf-88'"),
        ({"encoding": "utf-16"}, "utf-16 has line ends of its own; convert the file to utf-8"),
    ],
)
def test_settings_that_can_not_be_are_refused(settings, message):
    with pytest.raises(ValidationError, match=re.escape(message)):
        open_table(**{"path": "own.csv"} | settings)
