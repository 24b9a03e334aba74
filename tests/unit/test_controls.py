from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import MultinomialNB

from attention_audit.corpus.controls import KINDS, generate, pseudo_words
from attention_audit.corpus.instances import Instance, check_instances, split_of
from attention_audit.corpus.settings import ControlCorpus, Texts

SIZES = Texts(train=1200, dev=120, test=600)


def control(kind: str, seed: int = 1, texts: Texts = SIZES) -> list[Instance]:
    return generate(kind, ControlCorpus.model_validate({"kind": kind, "seed": seed, "texts": texts}))


@pytest.fixture(scope="module")
def corpora() -> dict[str, list[Instance]]:
    return {kind: control(kind) for kind in KINDS}


def cues_of(instance: Instance, kind: str) -> list[tuple[int, int]]:
    """(position, class) of every cue in a text, found by its spelling alone."""
    spelling = {
        "needle": (r"straw|hay|chaff", r"needle|thorn|spike"),
        "chorus": (r"dys\w+", r"eu\w+"),
        "static": (r"(?!)", r"(?!)"),
    }[kind]
    return [
        (position, label)
        for position, token in enumerate(instance.tokens)
        for label, pattern in enumerate(spelling)
        if re.fullmatch(pattern, token)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_ids_and_soundness(corpora: dict[str, list[Instance]], kind: str) -> None:
    corpus = corpora[kind]
    check_instances(kind, corpus)
    assert [len(split_of(corpus, split)) for split in ("train", "dev", "test")] == [1200, 120, 600]
    assert corpus[16].id == f"{kind}-train-00017"
    assert corpus[-1].id == f"{kind}-test-00600"


@pytest.mark.parametrize(("kind", "share"), [("needle", 1 / 6), ("chorus", 1 / 2), ("static", 1 / 2)])
def test_share_of_positives_is_exact(corpora: dict[str, list[Instance]], kind: str, share: float) -> None:
    for split, size in (("train", 1200), ("dev", 120), ("test", 600)):
        assert sum(instance.label for instance in split_of(corpora[kind], split)) == size * share


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides(corpora: dict[str, list[Instance]], kind: str) -> None:
    assert control(kind) == corpora[kind]
    assert control(kind, seed=2) != corpora[kind]


def test_the_size_of_one_split_does_not_touch_another(corpora: dict[str, list[Instance]]) -> None:
    other = control("chorus", texts=Texts(train=10, dev=120, test=600))
    for split in ("dev", "test"):
        assert split_of(other, split) == split_of(corpora["chorus"], split)


def test_splits_share_no_text(corpora: dict[str, list[Instance]]) -> None:
    texts = [tuple(instance.tokens) for instance in corpora["needle"]]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("kind", KINDS)
def test_length_matches_its_negative_binomial(corpora: dict[str, list[Instance]], kind: str) -> None:
    shortest, mean = {"needle": (60, 120), "chorus": (12, 17), "static": (8, 15)}[kind]
    lengths = np.array([len(instance.tokens) for instance in corpora[kind]])
    excess = mean - shortest
    deviation = np.sqrt(excess + excess**2 / 4)
    assert lengths.min() >= shortest
    assert abs(lengths.mean() - mean) < 4 * deviation / np.sqrt(len(lengths))
    assert lengths.std() == pytest.approx(deviation, rel=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_length_does_not_tell_the_label(corpora: dict[str, list[Instance]], kind: str) -> None:
    lengths = np.array([len(instance.tokens) for instance in corpora[kind]])
    positive = np.array([instance.label for instance in corpora[kind]]) == 1
    error = lengths.std() * np.sqrt(1 / positive.sum() + 1 / (~positive).sum())
    assert abs(lengths[positive].mean() - lengths[~positive].mean()) < 3 * error


def test_fillers_follow_zipf_mandelbrot(corpora: dict[str, list[Instance]]) -> None:
    tokens = [token for instance in corpora["static"] for token in instance.tokens]
    _, counts = np.unique(tokens, return_counts=True)
    shares = np.sort(counts)[::-1] / len(tokens)
    normaliser = sum(1 / (rank + 2.7) for rank in range(1, 801))
    for rank in (1, 2, 10, 50):
        assert shares[rank - 1] == pytest.approx(1 / (rank + 2.7) / normaliser, rel=0.12)


def test_no_filler_is_a_cue() -> None:
    words = pseudo_words(np.random.default_rng(0), 3000)
    assert len(set(words)) == 3000
    assert [len(word) for word in words] == sorted(len(word) for word in words)
    fillers = Instance("fillers", "train", 0, words)
    assert cues_of(fillers, "needle") == cues_of(fillers, "chorus") == []


def test_needle_holds_one_cue_of_its_own_class(corpora: dict[str, list[Instance]]) -> None:
    for instance in corpora["needle"]:
        [(position, label)] = cues_of(instance, "needle")
        assert label == instance.label
        assert instance.evidence == [position]


def test_needle_lies_anywhere(corpora: dict[str, list[Instance]]) -> None:
    places = [instance.evidence[0] / len(instance.tokens) for instance in corpora["needle"] if instance.evidence]
    quarters, _ = np.histogram(places, bins=4, range=(0, 1))
    assert len(places) == 1920
    assert np.all(abs(quarters - 480) < 4 * np.sqrt(1920 * 1 / 4 * 3 / 4))


def test_chorus_majority_decides(corpora: dict[str, list[Instance]]) -> None:
    margins = set()
    for instance in corpora["chorus"]:
        cues = cues_of(instance, "chorus")
        own = sum(label == instance.label for _, label in cues)
        margins.add(2 * own - len(cues))
        assert len(cues) in {5, 7, 9}
        assert instance.evidence == [position for position, _ in cues]
    assert margins == {3, 5, 7, 9}


def test_static_has_no_evidence(corpora: dict[str, list[Instance]]) -> None:
    assert {instance.evidence for instance in corpora["static"]} == {None}


@pytest.mark.parametrize(("kind", "least", "most"), [("chorus", 0.95, 1.0), ("static", 0.43, 0.57)])
def test_a_bag_of_words_reads_chorus_but_not_static(
    corpora: dict[str, list[Instance]], kind: str, least: float, most: float
) -> None:
    """600 test texts: chance lies within 0.5 +- 0.07 with a probability of 0.999."""
    vectoriser = CountVectorizer(analyzer=str.split)
    train, test = split_of(corpora[kind], "train"), split_of(corpora[kind], "test")
    model = MultinomialNB().fit(vectoriser.fit_transform(" ".join(i.tokens) for i in train), [i.label for i in train])
    predicted = model.predict(vectoriser.transform(" ".join(i.tokens) for i in test))
    assert least <= accuracy_score([i.label for i in test], predicted) <= most
