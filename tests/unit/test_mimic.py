import csv

import pytest
from pydantic import ValidationError
from refusal import refusal

from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.mimic import MimicCorpus, clean_note, read_admission_splits, read_labels
from attention_audit.corpus.tokens import Tokens, split_words

NOTE_COLUMNS = ["ROW_ID", "HADM_ID", "CATEGORY", "DESCRIPTION", "ISERROR", "TEXT"]
CODE_COLUMNS = ["ROW_ID", "HADM_ID", "ICD9_CODE"]
"""Those that are read, and one that is not."""


def note(admission, text, **other):
    """A row of NOTEEVENTS: of a discharge summary, unless said otherwise."""
    return {"HADM_ID": admission, "CATEGORY": "Discharge summary", "DESCRIPTION": "Report", "TEXT": text, **other}


def code(admission, icd):
    """A row of DIAGNOSES_ICD."""
    return {"HADM_ID": admission, "ICD9_CODE": icd}


def table(path, columns, rows):
    """A table of MIMIC as PhysioNet writes it: quotes around the header and all text."""
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, columns, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def tables(folder, notes, codes):
    return {
        "notes": table(folder / "NOTEEVENTS.csv", NOTE_COLUMNS, notes),
        "diagnoses": table(folder / "DIAGNOSES_ICD.csv", CODE_COLUMNS, codes),
    }


def corpus(**other):
    own = {"kind": "mimic", "notes": "n.csv", "diagnoses": "d.csv", "task": "diabetes"}
    return MimicCorpus.model_validate({**own, **other})


def read(raw, task="diabetes"):
    return list(corpus(task=task).read("mimic", raw))


CODES = [code("100", "25000"), code("200", "4019")]


def test_addenda_follow_the_reports_wherever_they_stand(tmp_path):
    notes = [
        note("100", "early", DESCRIPTION="Addendum"),
        note("200", 'He said: "no",\nthen\n\nleft.'),
        note("100", "first"),
        note("100", "late", DESCRIPTION="Addendum"),
        note("100", "second"),
    ]
    raw = tables(tmp_path, notes, CODES)
    assert [(text.id, text.text, text.place) for text in read(raw)] == [
        ("mimic-100", "first second early late", f"{raw['notes']}, line 2"),
        ("mimic-200", 'He said: "no",\nthen\n\nleft.', f"{raw['notes']}, line 3"),
    ]


@pytest.mark.parametrize(
    "row", [note("100", "wrong", ISERROR="1"), note("100", "scan", CATEGORY="Radiology"), note("300", "never coded")]
)
def test_notes_that_do_not_count(tmp_path, row):
    texts = read(tables(tmp_path, [row, note("100", "right"), note("200", "fine")], CODES))
    assert [text.text for text in texts] == ["right", "fine"]


def test_columns_are_found_by_name_in_any_case_and_order(tmp_path):
    notes = tmp_path / "notes.csv"
    notes.write_text("text,hadm_id,iserror,category,description\nSugar.,100,,Discharge summary,Report\n")
    codes = tmp_path / "codes.csv"
    codes.write_text("icd9_code,hadm_id\n25000,100\n")
    assert [text.text for text in read({"notes": notes, "diagnoses": codes})] == ["Sugar."]


@pytest.mark.parametrize(
    ("task", "codes", "labels"),
    [
        (
            "diabetes",
            [["25000"], ["4019", "25000"], ["25001"], ["V250", "12500"], [""]],
            {"0": "positive", "1": "positive", "2": "negative", "3": "negative"},
        ),
        ("anemia", [["2851", "2859"], ["28521"], ["2851", "28521"]], {"0": "positive", "1": "negative"}),
    ],
)
def test_the_codes_of_an_admission_decide_its_class(tmp_path, task, codes, labels):
    rows = [code(str(admission), icd) for admission, own in enumerate(codes) for icd in own]
    assert read_labels(table(tmp_path / "codes.csv", CODE_COLUMNS, rows), task) == labels


def id_lists(folder, **contents):
    """The three lists, each with one id unless said otherwise."""
    lists = {}
    for split, content in {"train": "100\n", "dev": "200\n", "test": "300\n", **contents}.items():
        lists[split] = folder / f"{split}_50_hadm_ids.csv"
        lists[split].write_text(content)
    return lists


def test_id_lists_choose_and_split(tmp_path):
    admissions = ("400", "300", "200", "100")
    raw = tables(
        tmp_path,
        [note(admission, "text") for admission in admissions],
        [code(admission, "25000") for admission in admissions],
    )
    lists = id_lists(tmp_path, train="\ufeff 100 \r\n\n999\n999", dev="200\t\n")
    texts = read(raw | {f"{split}_ids": path for split, path in lists.items()})
    assert [(text.id, text.split) for text in texts] == [
        ("mimic-300", "test"),
        ("mimic-200", "dev"),
        ("mimic-100", "train"),
    ]


@pytest.mark.parametrize(
    ("line", "said"),
    [("100", "100 is in the train list too"), *((odd, f"{odd!r} is no HADM_ID") for odd in ("HADM_ID", "1,2", "1.0"))],
)
def test_a_line_that_is_no_id_of_its_own_is_named(tmp_path, line, said):
    lists = id_lists(tmp_path, test=f"300\n{line}\n")
    assert refusal(read_admission_splits, lists).startswith(f"{lists['test']}, line 2: {said}")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Dr. [**Last Name (STitle) 12**] came", ["dr.", "<DE>", "came"]),
        ("on [**2151-7-16**], from [**Hospital1\n18**]", ["on", "<DE>", ",", "from", "<DE>"]),
        ("[**A**][**B**]", ["<DE>", "<DE>"]),
        ("> [**A**] >", [">", "<DE>", ">"]),
        ("an open [**Name", ["an", "open", "[", "*", "name"]),
        ("- - - done -- ok", ["-", "done", "-", "ok"]),
        ("gone... really??!", ["gone", ".", "really", "?", "!"]),
        ("aaa 2000 \u00e9\u00e9", ["aaa", "qqq", "\u00e9\u00e9"]),
    ],
)
def test_a_note_is_cleaned_before_it_is_split(text, words):
    assert split_words(clean_note(text), Tokens(mask_numbers=True)).words == words


def test_files_are_local_or_fetched():
    fetched = {f"{split}_ids": RemoteFile(file=f"{split}.csv") for split in ("train", "dev", "test")}
    assert corpus(**fetched).remote_files() == fetched
    own = corpus(**{**fetched, "dev_ids": "dev.csv"})
    assert own.local_files() == {"notes": "n.csv", "diagnoses": "d.csv", "dev_ids": "dev.csv"}
    assert sorted(own.remote_files()) == ["test_ids", "train_ids"]


def test_all_three_lists_or_none():
    with pytest.raises(ValidationError, match="or none of them"):
        corpus(train_ids="ids.csv", test_ids="ids.csv")


def test_a_missing_column_is_named(tmp_path):
    raw = tables(tmp_path, [], CODES)
    table(raw["notes"], NOTE_COLUMNS[:-1], [])
    assert refusal(read, raw).startswith(f"{raw['notes']}, line 1: no column TEXT; is it the right table")


def test_a_row_that_is_cut_off_is_named(tmp_path):
    raw = tables(tmp_path, [note("100", "text")], CODES)
    raw["notes"].write_text(raw["notes"].read_text() + '"2","7","100"\n')
    assert refusal(read, raw).startswith(f"{raw['notes']}, line 3: 3 columns, the header has 6")


def test_files_that_do_not_belong_together(tmp_path):
    raw = tables(tmp_path, [note("900", "text")], CODES)
    assert refusal(read, raw).startswith(f"{raw['notes']}: no summary of an admission with a class")
