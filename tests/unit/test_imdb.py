from functools import partial

import pytest
from published import pack, read_archive

from attention_audit.corpus.sources.labelled import split_like_keras
from attention_audit.corpus.text import Text
from attention_audit.raw_text import RawText

REVIEWS = {
    "test/neg/1_2.txt": "Dull .",
    "test/pos/0_10.txt": "Great, unseen fun!",
    "train/neg/0_3.txt": "Dull<br /><br />and long . . .",
    "train/pos/10_9.txt": "Great fun",
    "train/pos/2_7.txt": "It's great",
    "train/unsup/0_0.txt": "Nobody rated this",
}


def archive(folder, reviews):
    """An archive in the published layout, with the files that no review is."""
    files = {"README": "about", "train/labeledBow.feat": "1 0:9", **reviews}
    return pack(folder / "aclImdb_v1.tar.gz", {f"aclImdb/{name}": content for name, content in files.items()})


read = partial(read_archive, "imdb")


@pytest.fixture
def published(tmp_path):
    return archive(tmp_path, REVIEWS)


def test_the_order_is_train_then_test_and_positive_first_and_by_file_name(published):
    texts = read(published)
    place = f"{published}: aclImdb/test/neg/1_2.txt"
    written = RawText("Dull .", range(6))
    assert texts[-1] == Text("imdb-test-neg-1_2", "test", "negative", "Dull .", place, written=written)
    assert [text.id for text in texts] == [
        "imdb-train-pos-10_9",
        "imdb-train-pos-2_7",
        "imdb-train-neg-0_3",
        "imdb-test-pos-0_10",
        "imdb-test-neg-1_2",
    ]


def test_ratings_are_those_of_the_file_names(published):
    assert [text.label for text in read(published, labels="rating")] == ["9", "7", "3", "10", "2"]


@pytest.mark.parametrize("tag", ["<br />", "<br>"])
def test_line_breaks_become_spaces(tmp_path, tag):
    path = archive(tmp_path, {"train/pos/0_9.txt": f"one{tag}{tag}two"})
    (text,) = read(path)
    assert text.text == "one" + " " * 2 * len(tag) + "two"
    assert text.written == RawText(f"one{tag}{tag}two", range(6 + 2 * len(tag)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's 'Fine', I.e. A+!", ["it's", "'fine'", "i", "e", "a"]),
        ("one<br /><br />two_three", ["one", "br", "br", "two", "three"]),
        ("\u00c9t\u00e9\tin\nPARIS", ["\u00c9t\u00e9", "in", "paris"]),
        ("a\u00a0b c\u0085d", ["a\u00a0b", "c\u0085d"]),
        (" . ! ", []),
    ],
    ids=["apostrophes stay", "br is a word", "other capitals stay", "other white space parts nothing", "empty"],
)
def test_words_as_keras_splits_them(text, words):
    placed = split_like_keras(text)
    assert [word for word, _ in placed] == words
    assert all(text[start:].lower().startswith(word.lower()) for word, start in placed)


def test_in_keras_words_a_test_review_lacks_what_no_training_review_holds(published):
    texts = read(published, keras=True)
    assert texts[2].written == RawText(REVIEWS["train/neg/0_3.txt"], [0, 5, 11, 16, 20])
    assert [text.text for text in texts] == [
        ["great", "fun"],
        ["it's", "great"],
        ["dull", "br", "br", "and", "long"],
        ["great", "fun"],
        ["dull"],
    ]


def test_longer_reviews_are_left_out_in_keras_words(published):
    kept = {length: [text.id for text in read(published, shorter_than=length)] for length in (2, 3, 5, 6)}
    assert kept[2] == ["imdb-test-neg-1_2"]
    assert kept[3] == ["imdb-train-pos-10_9", "imdb-train-pos-2_7", "imdb-test-pos-0_10", "imdb-test-neg-1_2"]
    assert kept[5] == kept[3]  # five words are not fewer than five
    assert "imdb-train-neg-0_3" in kept[6]
