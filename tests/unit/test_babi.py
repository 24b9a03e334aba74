import io
import tarfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from marked import marked
from refusal import refusal

from attention_audit.corpus.rationales import of_words
from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.pairs import BabiCorpus
from attention_audit.corpus.text import Text
from attention_audit.errors import AuditError

STORY = """1 Mary moved to the hall.
2 John took the milk.
3 Where is Mary? \thall\t1
4 Mary took it.
5 Where is it? \thall\t4 1
1 Sue slept.
2 Where is Sue? \tbed\t1
"""


def archive(folder: Path, language: str = "en-10k", task: str = "qa2_two-supporting-facts", **members: Any) -> Path:
    """An archive in the published layout, test before train; a member given as None is left out."""
    path = folder / "tasks_1-20_v1-2.tar.gz"
    files = {
        f"{language}/{task}_{split}": content for split, content in {"test": STORY, "train": STORY, **members}.items()
    }
    others = {
        "en/qa20_agents-motivations_train": "1 Not read",
        "shuffled-10k/qa2_two-supporting-facts_train": "2 Not read",
    }
    with tarfile.open(path, "w:gz") as handle:
        for name, content in {**others, **files}.items():
            if content is not None:
                data = content.encode() if isinstance(content, str) else content
                info = tarfile.TarInfo(f"tasks_1-20_v1-2/{name}.txt")
                info.size = len(data)
                handle.addfile(info, io.BytesIO(data))
    return path


def read(path: Path, **settings: Any) -> list[Text]:
    corpus = BabiCorpus(**{"kind": "babi", "archive": RemoteFile(file=path.name), "task": 2, **settings})
    return list(corpus.read("babi", {"archive": path}))


def train(path: Path) -> list[Text]:
    return [text for text in read(path) if text.split == "train"]


def story(text: Text) -> str:
    return " ".join(text.text)


def evidence(text: Text) -> list[str]:
    return [text.text[position] for position in marked(text) or []]


def test_a_question_has_the_story_before_it(tmp_path: Path) -> None:
    path = archive(tmp_path)
    assert train(path)[0] == Text(
        "babi-train-000003",
        "train",
        "hall",
        ["Mary", "moved", "to", "the", "hall", ".", "John", "took", "the", "milk"],
        f"{path}: tasks_1-20_v1-2/en-10k/qa2_two-supporting-facts_train.txt, line 3",
        query=["Where", "is", "Mary"],
        annotations=of_words({"supporting facts": [0, 1, 2, 3, 4]}),
        group="babi-train-000001",
    )


def test_questions_between_sentences_are_no_part_of_the_story(tmp_path: Path) -> None:
    assert story(train(archive(tmp_path))[1]) == "Mary moved to the hall . John took the milk . Mary took it"


def test_several_supporting_facts_are_evidence_in_the_order_of_the_story(tmp_path: Path) -> None:
    assert evidence(train(archive(tmp_path))[1]) == ["Mary", "moved", "to", "the", "hall", "Mary", "took", "it"]


def test_a_story_ends_where_the_next_begins(tmp_path: Path) -> None:
    text = train(archive(tmp_path))[2]
    assert (text.id, story(text), text.label) == ("babi-train-000007", "Sue slept", "bed")


def test_questions_on_a_story_are_a_group(tmp_path: Path) -> None:
    assert [(text.id, text.group) for text in read(archive(tmp_path))] == [
        (f"babi-{split}-{question}", f"babi-{split}-{first}")
        for split in ("test", "train")
        for question, first in (("000003", "000001"), ("000005", "000001"), ("000007", "000006"))
    ]


def test_both_splits_are_read_and_the_rest_of_the_archive_is_not(tmp_path: Path) -> None:
    assert [text.id for text in read(archive(tmp_path))] == [
        f"babi-{split}-00000{line}" for split in ("test", "train") for line in (3, 5, 7)
    ]


def test_line_ends_of_windows_pass(tmp_path: Path) -> None:
    (tmp_path / "windows").mkdir()
    windows = archive(tmp_path / "windows", train=STORY.replace("\n", "\r\n"))
    plain = archive(tmp_path)
    assert [(text.text, text.query, text.label) for text in train(windows)] == [
        (text.text, text.query, text.label) for text in train(plain)
    ]


def test_task_1_is_not_task_10(tmp_path: Path) -> None:
    path = archive(tmp_path, task="qa10_indefinite-knowledge")
    assert len(read(path, task=10)) == 6
    with pytest.raises(AuditError, match="no train file of task 1 in it"):
        read(path, task=1)


def test_the_small_set_is_another_folder(tmp_path: Path) -> None:
    path = archive(tmp_path, language="en")
    assert len(read(path, language="en")) == 6
    assert "no train file of task 2 in it; is it tasks_1-20_v1-2.tar.gz?" in refused(path)


def test_it_is_a_corpus_of_pairs() -> None:
    assert BabiCorpus(kind="babi", archive=RemoteFile(file="a.tar.gz"), task=1).pair


refused = partial(refusal, read)


@pytest.mark.parametrize(
    "line",
    [
        "Mary moved.",
        "two Mary moved.",
        "2",
        "",
        "2 Mary moved",
        "2 Where is Mary?",
        "2 Where is Mary?\thall",
        "2 Where is Mary\thall\t1",
        "2 Where is Mary?\thall\tone",
        "2 Where is Mary?\thall\t2",
        "2 Where is Mary?\thall\t1\tmore",
    ],
    ids=[
        "no number",
        "number in words",
        "number only",
        "empty",
        "no full stop",
        "no answer",
        "no fact",
        "no question mark",
        "fact in words",
        "fact that is no sentence",
        "column too many",
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    message = refused(archive(tmp_path, train=f"1 Mary slept.\n{line}\n"))
    assert "qa2_two-supporting-facts_train.txt, line 2: neither a sentence nor a question" in message


def test_bad_encoding_is_named_by_its_line(tmp_path: Path) -> None:
    assert "_test.txt, line 2: not utf-8" in refused(archive(tmp_path, test=b"1 Mary slept.\n2 Caf\xe9.\n"))


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_missing_file(tmp_path: Path, split: str) -> None:
    assert f"no {split} file of task 2 in it" in refused(archive(tmp_path, **{split: None}))


def test_a_truncated_archive(tmp_path: Path) -> None:
    path = archive(tmp_path)
    path.write_bytes(path.read_bytes()[:-40])
    assert "truncated or corrupt" in refused(path)
