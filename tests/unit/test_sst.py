from functools import partial

import pytest
from published import pack, read_archive
from refusal import refusal

from attention_audit.corpus.sources.annotated import clean_phrase, parse_tree

TRAIN = """(3 (2 It) (4 (2 works) (2 .)))
(2 (2 Neutral) (2 text))
(0 (1 Do) (1 n't))
(4 (2 Caf\u00e9) (2 -LRB-) (2 sci-fi\\/drama) (2 -RRB-))
(1 (2 US) (1 flops))
"""
OTHER = "(4 (2 Good) (3 film))\n(1 (2 Bad) (1 film))\n"


def archive(folder, **members):
    """An archive in the published layout; a member given as None is left out."""
    splits = {"train": TRAIN, "dev": OTHER, "test": OTHER, **members}
    return pack(folder / "trees.zip", {f"trees/{split}.txt": content for split, content in splits.items()})


read = partial(read_archive, "sst")


@pytest.mark.parametrize(
    ("line", "scores"),
    [
        # the phrase of two words is stronger than either, and than the whole
        ("(3 (2 It) (4 (3 really) (3 works)))", [0, 1, 1]),
        # the whole is stronger than all within it
        ("(4 (2 It) (3 (2 really) (3 works)))", [1, 1, 1]),
        # the whole is as strong as a word within it, which explains it; and so does a word of the other sign
        ("(3 (2 It) (3 (2 really) (3 works)))", [0, 0, 0.5]),
        ("(1 (2 It) (2 (2 never) (3 works)))", [0, 0, 0.5]),
        # a weak phrase within a weak one, beside a strong word
        ("(3 (4 Great) (2 (1 (2 too) (2 long)) (2 .)))", [1, 0.5, 0.5, 0]),
    ],
)
def test_the_sentiment_of_words_by_the_rule_of_carton_et_al(line, scores):
    assert parse_tree(line).scores == scores


@pytest.mark.parametrize("line", ["(3 (2 It) (4 works)", "(5 word)", "(3 )", "(3 a) (2 b)", ")"])
def test_malformed_trees(line):
    with pytest.raises(ValueError, match=r"tree|node"):
        parse_tree(line)


def test_text_is_cleaned():
    tree = parse_tree("(3 (4 -LRB-) (1 sci-fi\\/drama) (4 -RRB-) (2 it) (4 's) (4 ...))")
    text, scores, before = clean_phrase(tree)
    assert text == "sci fi drama it s"
    assert before.text == "( sci-fi/drama ) it 's ..."
    assert [before.text[place] for place in before.places] == [*"sci", *"ffi", *"ddrama", *"iit", *"ss"]
    assert [text[start:end] for start, end, _ in scores] == text.split()
    assert [score for *_, score in scores] == [0.5, 0.5, 0.5, 0.0, 1.0]


def test_words_may_stay_as_they_are(tmp_path):
    texts = read(archive(tmp_path), clean=False)
    words = [["It", "works", "."], ["Do", "n't"], ["Caf\u00e9", "(", "sci-fi/drama", ")"], ["US", "flops"]]
    assert [text.text for text in texts[:4]] == words


def test_reading(tmp_path):
    path = archive(tmp_path)
    texts = read(path)
    assert [(text.id, text.split, text.label, text.text) for text in texts[:4]] == [
        ("sst-train-00001", "train", "positive", "It works"),
        ("sst-train-00003", "train", "negative", "Do n t"),
        ("sst-train-00004", "train", "positive", "Caf\u00e9 sci fi drama"),
        ("sst-train-00005", "train", "negative", "US flops"),
    ]
    assert [(text.id, text.split, text.label) for text in texts[4:]] == [
        ("sst-dev-00001", "dev", "positive"),
        ("sst-dev-00002", "dev", "negative"),
        ("sst-test-00001", "test", "positive"),
        ("sst-test-00002", "test", "negative"),
    ]
    assert texts[3].place == f"{path}: trees/train.txt, line 5"


def test_a_malformed_tree_is_named_by_its_line(tmp_path):
    assert "trees/dev.txt, line 2: malformed tree" in refusal(read, archive(tmp_path, dev="(4 fine)\n(1 (2 cut) (1\n"))
