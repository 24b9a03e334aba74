from functools import partial

import pytest
from marked import marked
from published import pack, read_archive
from refusal import refusal

from attention_audit.corpus.rationales import mark_words
from attention_audit.corpus.text import Text

STORY = """1 Mary moved to the hall.\r
2 John took the milk.
3 Where is Mary? \thall\t1
4 Mary took it.
5 Where is it? \thall\t4 1
1 Sue slept.
2 Where is Sue? \tbed\t1
"""


def archive(folder, task="qa2_two-supporting-facts", **members):
    """An archive in the published layout, test before train; a member given as None is left out."""
    files = {f"en-10k/{task}_{split}": content for split, content in {"test": STORY, "train": STORY, **members}.items()}
    others = {
        "en/qa2_two-supporting-facts_train": "1 Not read",
        "shuffled-10k/qa2_two-supporting-facts_train": "2 Not read",
    }
    named = {f"tasks_1-20_v1-2/{name}.txt": content for name, content in {**others, **files}.items()}
    return pack(folder / "tasks_1-20_v1-2.tar.gz", named)


read = partial(read_archive, "babi", task=2)


def train(path):
    return [text for text in read(path) if text.split == "train"]


def test_a_question_has_the_story_before_it(tmp_path):
    path = archive(tmp_path)
    assert train(path)[0] == Text(
        "babi-train-000003",
        "train",
        "hall",
        ["Mary", "moved", "to", "the", "hall", ".", "John", "took", "the", "milk"],
        f"{path}: tasks_1-20_v1-2/en-10k/qa2_two-supporting-facts_train.txt, line 3",
        query=["Where", "is", "Mary"],
        annotations=mark_words("supporting facts", [0, 1, 2, 3, 4]),
        group="babi-train-000001",
    )


def test_a_story_has_no_questions_and_ends_where_the_next_begins(tmp_path):
    _, second, third = train(archive(tmp_path))
    assert " ".join(second.text) == "Mary moved to the hall . John took the milk . Mary took it"
    # supporting facts are evidence in the order of the story
    assert " ".join(second.text[at] for at in marked(second) or []) == "Mary moved to the hall Mary took it"
    assert (third.id, third.text, third.label) == ("babi-train-000007", ["Sue", "slept"], "bed")


def test_questions_on_a_story_are_a_group(tmp_path):
    assert [(text.id, text.group) for text in read(archive(tmp_path))] == [
        (f"babi-{split}-{question}", f"babi-{split}-{first}")
        for split in ("test", "train")
        for question, first in (("000003", "000001"), ("000005", "000001"), ("000007", "000006"))
    ]


def test_task_1_is_not_task_10(tmp_path):
    path = archive(tmp_path, task="qa10_indefinite-knowledge")
    assert len(read(path, task=10)) == 6
    assert "no train file of task 1 in it; is it tasks_1-20_v1-2.tar.gz?" in refusal(read, path, task=1)


@pytest.mark.parametrize(
    "line",
    [
        "Mary moved.",
        "two Mary moved.",
        "2 Mary moved",
        "2 Where is Mary?\thall",
        "2 Where is Mary?\thall\tone",
        "2 Where is Mary?\thall\t2",
        "2 Where is Mary?\thall\t1\tmore",
    ],
)
def test_a_bad_line_is_named(tmp_path, line):
    message = refusal(read, archive(tmp_path, train=f"1 Mary slept.\n{line}\n"))
    assert "qa2_two-supporting-facts_train.txt, line 2: neither a sentence nor a question" in message
