from functools import partial

import pytest
from published import pack, read_archive
from refusal import refusal

from attention_audit.corpus.text import Text

FIRST = "@placeholder won\n@entity2\n@entity4 , @entity2 and @entity4 's ally ran .\n\n"
SECOND = "who met @placeholder ?\n@entity0\n( @entity9 ) @entity0 met\n\n"


def archive(folder, **members):
    """An archive in the published layout; a member given as None is left out."""
    splits = {"train": FIRST + SECOND, "dev": FIRST, "test": SECOND, **members}
    return pack(folder / "cnn.tar.gz", {f"cnn/{split}.txt": content for split, content in splits.items()})


read = partial(read_archive, "cnn")


def test_a_block_is_question_answer_passage(tmp_path):
    path = archive(tmp_path)
    texts = read(path)
    assert [text.id for text in texts] == [
        f"cnn-{name}" for name in ("train-000001", "train-000002", "dev-000001", "test-000001")
    ]
    assert texts[1] == Text(
        "cnn-train-000002",
        "train",
        "@entity0",
        ["(", "@entity9", ")", "@entity0", "met"],
        f"{path}: cnn/train.txt, line 5",
        query=["who", "met", "@placeholder", "?"],
        candidates=["@entity9", "@entity0"],
    )


def test_an_answer_that_the_passage_lacks_is_no_candidate(tmp_path):
    text = read(archive(tmp_path, train="@placeholder won\n@entity7\n@entity4 , @entity2 and @entity4 's lost\n\n"))[0]
    assert (text.label, text.candidates) == ("@entity7", ["@entity4", "@entity2"])


def test_an_empty_passage_is_left_for_the_census(tmp_path):
    texts = read(archive(tmp_path, train=f"@placeholder won\n@entity7\n\n\n{FIRST}"))
    assert (texts[0].text, texts[1].id, texts[1].label) == ([], "cnn-train-000002", "@entity2")


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n\n\n\n"])
def test_the_end_of_the_file_may_have_any_number_of_empty_lines(tmp_path, end):
    texts = read(archive(tmp_path, dev=f"{FIRST}{SECOND.rstrip()}{end}"))
    assert [text.label for text in texts if text.split == "dev"] == ["@entity2", "@entity0"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (f"{FIRST}who met @placeholder ?\n@entity0\n", 5),
        (f"{FIRST}who met @placeholder ?\n", 5),
        (f"{FIRST}\n{SECOND}", 5),
        (FIRST.rstrip() + "\n" + SECOND, 1),
        (f"{FIRST}{SECOND}who ?\nhim\nthe passage\n\n", 9),
    ],
    ids=["no passage", "no answer", "line too many", "line too few", "answer no entity"],
)
def test_a_malformed_block_is_named_by_its_line(tmp_path, content, line):
    message = refusal(read, archive(tmp_path, test=content))
    assert f"cnn/test.txt, line {line}: not a question, its answer" in message
