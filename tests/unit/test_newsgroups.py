import codecs
import pickle
import re
from functools import partial

import pytest
from published import pack, read_archive
from refusal import refusal
from sklearn.datasets import fetch_20newsgroups, load_files

GROUPS = ["rec.autos", "rec.sport.baseball", "rec.sport.hockey", "sci.med"]
HEADER = b"From: someone@somewhere\nSubject: hats\n\n"
PARTS = ("headers", "footers", "quotes")


def post(number):
    """A post with a header, a quote, text, and a footer."""
    return HEADER + b"In article <1@x> someone writes:\n> quoted\n\nText %d caf\xe9\n\n--\nA name\n" % number


def posts():
    """Posts of four groups; their numbers do not sort as their names do."""
    return {
        f"20news-bydate-{subset}/{group}/{first + number}": post(first + number)
        for subset, first in (("test", 95), ("train", 8))
        for group in reversed(GROUPS)
        for number in range(6)
    }


def archive(folder, files):
    return pack(folder / "20news-bydate.tar.gz", files)


read = partial(read_archive, "newsgroups")


@pytest.fixture
def by_scikit_learn(tmp_path):
    """What scikit-learn's own loader makes of the same posts, from its cache."""
    for name, data in posts().items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    parts = {name: load_files(tmp_path / f"20news-bydate-{name}", encoding="latin1") for name in ("train", "test")}
    (tmp_path / "20news-bydate_py3.pkz").write_bytes(codecs.encode(pickle.dumps(parts), "zlib_codec"))
    return fetch_20newsgroups(data_home=tmp_path, subset="all", remove=PARTS, download_if_missing=False)


def test_all_posts_stand_as_scikit_learn_has_them(tmp_path, by_scikit_learn):
    ours = read(archive(tmp_path, posts()))
    assert len(ours) == 48
    assert [text.text for text in ours] == by_scikit_learn.data
    assert [text.label for text in ours] == [by_scikit_learn.target_names[i] for i in by_scikit_learn.target]


def test_some_groups_stand_one_after_another_in_the_order_of_all(tmp_path, by_scikit_learn):
    groups = ["rec.sport.hockey", "rec.autos"]
    labelled = list(zip(by_scikit_learn.data, by_scikit_learn.target, strict=True))
    expected = [text for number in (2, 0) for text, target in labelled if target == number]
    ours = read(archive(tmp_path, posts()), groups=groups)
    assert [text.text for text in ours] == expected
    assert [text.label for text in ours] == ["rec.sport.hockey"] * 12 + ["rec.autos"] * 12


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"On day one Joe writes:\n> old\n>> older\nNew\n| bar\n", "New\n"),
        (b"Text\n\n-----\nJoe\nJoe's address\n", "Text\n"),
        (b"na\xefve \x92quote\x92\n", "na\u00efve \u0092quote\u0092\n"),
    ],
)
def test_headers_quotes_and_footers_go(tmp_path, body, text):
    path = archive(tmp_path, {"20news-bydate-test/sci.med/1": HEADER + body})
    [post] = read(path)
    place = f"{path}: 20news-bydate-test/sci.med/1"
    assert (post.id, post.split, post.text, post.place) == ("newsgroups-sci.med-1", None, text, place)


def test_a_group_that_the_archive_lacks(tmp_path):
    path = archive(tmp_path, posts())
    assert "no newsgroup 'sci.space' in it; is it" in refusal(read, path, groups=["sci.med", "sci.space"])


TOPICS = {"cars": ["rec.autos"], "sport": ["rec.sport.baseball", "rec.sport.hockey"], "medicine": ["sci.med"]}
HALVES = range(20), range(20, 40)
SIZES = {"train": 9, "test": 6}


def long_posts():
    """Posts of 40 words, each of which says its group's last part, its subset and its number in letters."""
    for subset in ("train", "test"):
        for group in GROUPS:
            for number in range(12):
                word = f"{group.split('.')[-1]}-{subset}-{'abcdefghijkl'[number]}-x"
                body = " <a@b.c> /usr/bin ".join(" ".join(word + at * "x" for at in half) for half in HALVES)
                yield f"20news-bydate-{subset}/{group}/{number}", HEADER.decode() + body


read_mixed = partial(read_archive, "mixed-posts", topics=TOPICS)


def test_each_snippet_is_the_evidence_of_its_topic(tmp_path):
    texts = read_mixed(archive(tmp_path, dict(long_posts())), **SIZES)
    assert [text.split for text in texts] == [split for split, size in SIZES.items() for _ in range(size)]
    assert {len(text.labels) for text in texts} == {1, 2, 3}
    snippets = []
    for text in texts:
        assert text.label is None
        assert text.labels == [*text.annotations.marks]
        edges = [edge for [span] in text.annotations.marks.values() for edge in span]
        assert edges[::2] == [0, *(stop + 1 for stop in edges[1:-1:2])]
        assert edges[-1] == len(text.text)
        for topic, [(start, stop)] in text.annotations.marks.items():
            snippet = text.text[start:stop]
            words = [word.split("-") for word in snippet.removesuffix(".").split()]
            assert 10 <= len(words) <= 16
            [(group, subset, _)] = {(*word[:3],) for word in words}
            assert group in {name.rpartition(".")[2] for name in TOPICS[topic]}
            assert subset == text.split
            snippets.append(snippet)
    assert len({*snippets}) == len(snippets)


def test_texts_without_snippets_for_them_are_one_line(tmp_path):
    path = archive(tmp_path, dict(long_posts()))
    line = refusal(read_mixed, path, **SIZES | {"test": 90})
    assert re.search("the test posts on .* have too few snippets for 90 texts; lower `test` of mixed-posts", line)
    line = refusal(read_mixed, path, topics=TOPICS | {"space": ["sci.space"]})
    assert "no newsgroup 'sci.space' in it" in line
