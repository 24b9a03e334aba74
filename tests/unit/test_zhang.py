import gzip

import pytest
from published import make_entry, pack, read_archive
from pydantic import ValidationError
from refusal import refusal

from attention_audit.corpus.text import Text

CLASSES = ["World", "Sports", "Business"]
TRAIN = '"1","Title one","Text one"\n"3","Title two","Text two"\n'
TEST = '"2","Title three","Text three"\n"1","Title four","Text four"\n'


def archive(folder, prefix="ag_news_csv/", **members):
    """An archive in the published layout, test before train; a member given as None is left out."""
    files = {"test": TEST, "train": TRAIN, **members}
    named = {f"{prefix}{name}.csv": content for name, content in files.items()}
    return pack(folder / "ag_news_csv.tgz", {f"{prefix}readme.txt": "AG", **named})


def read(path, **settings):
    return read_archive("zhang", path, classes=CLASSES, **settings)


def texts_of(folder, train, **settings):
    """The texts of such a train.csv."""
    path = archive(folder, train=train, test=train)
    return [text.text for text in read(path, **settings) if text.split == "train"]


@pytest.mark.parametrize("prefix", ["ag_news_csv/", "", "./a/b/"])
def test_both_files_are_read_wherever_they_stand(tmp_path, prefix):
    path = archive(tmp_path, prefix)
    assert read(path) == [
        Text("zhang-test-0000001", "test", "Sports", "Title three Text three", f"{path}: {prefix}test.csv, line 1"),
        Text("zhang-test-0000002", "test", "World", "Title four Text four", f"{path}: {prefix}test.csv, line 2"),
        Text("zhang-train-0000001", "train", "World", "Title one Text one", f"{path}: {prefix}train.csv, line 1"),
        Text("zhang-train-0000002", "train", "Business", "Title two Text two", f"{path}: {prefix}train.csv, line 2"),
    ]


def test_two_files_serve_as_well_as_an_archive(tmp_path):
    files = {"train": tmp_path / "train.csv", "test": tmp_path / "test.csv.gz"}
    files["train"].write_text(TRAIN)
    files["test"].write_bytes(gzip.compress(TEST.encode(), mtime=0))
    own = {"archive": None, "train": {"file": "train.csv"}, "test": {"file": "test.csv.gz"}}
    source = make_entry("zhang", classes=CLASSES, **own)
    assert [(text.id, text.place) for text in source.read("zhang", files)] == [
        ("zhang-train-0000001", f"{files['train']}, line 1"),
        ("zhang-train-0000002", f"{files['train']}, line 2"),
        ("zhang-test-0000001", f"{files['test']}, line 1"),
        ("zhang-test-0000002", f"{files['test']}, line 2"),
    ]


@pytest.mark.parametrize(
    ("train", "settings", "texts"),
    [
        ('"1","so \\""good\\"" it\\nis","a\\b"\n', {}, ['so "good" it\nis a\\b']),
        ('"1","a\\nb","\\$5"\n', {"escaped": False}, ["a\\nb \\$5"]),
        ('"1","title","body","answer"\n', {}, ["title body answer"]),
        ('"1","title","body","answer"\n', {"columns": [3, 1]}, ["answer title"]),
        ('"1","","text"\n"1","title",""\n', {"columns": [2]}, ["text", ""]),
    ],
    ids=["escapes", "nothing is escaped", "all columns", "some columns", "an empty field"],
)
def test_columns_and_escapes_are_those_that_the_settings_say(tmp_path, train, settings, texts):
    assert texts_of(tmp_path, train, **settings) == texts


def test_rows_of_other_classes_are_left_out_but_counted(tmp_path):
    train = '"2","a"\n"3","b"\n"2"\n"1","c"\n'
    texts = [text for text in read(archive(tmp_path, train=train), keep=["World", "Business"]) if text.split == "train"]
    assert [(text.id, text.label) for text in texts] == [
        ("zhang-train-0000002", "Business"),
        ("zhang-train-0000004", "World"),
    ]


@pytest.mark.parametrize(
    ("row", "columns", "message"),
    [
        ('"4","a","b"', None, "unknown class '4'; known: 1 to 3"),
        ('"Class","Title","Text"', None, "unknown class 'Class'"),
        ('"1","a"', [2], "2 columns, no text in column 2"),
        ('"1","open', None, "is a quote left open?"),
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path, row, columns, message):
    path = archive(tmp_path, train=f'"1","first\nrow","b"\n{row}\n')
    assert message in refusal(read, path, columns=columns).partition("train.csv, line 3: ")[2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"archive": None}, "give either `archive`, or `train` and `test`"),
        ({"train": {"file": "a"}, "test": {"file": "b"}}, "give either"),
        ({"keep": ["World", "Weather"]}, "keep: unknown class 'Weather'; known: World, Sports, Business"),
        ({"columns": [0]}, "greater than or equal to 1"),
    ],
)
def test_settings_that_can_not_be(settings, message):
    with pytest.raises(ValidationError, match=message):
        make_entry("zhang", classes=CLASSES, **settings)
