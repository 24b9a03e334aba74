import re

import numpy as np
import pytest
from marked import marked
from refusal import refusal
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import accuracy_score
from sklearn.naive_bayes import MultinomialNB

from attention_audit.corpus.sources.control import TEXT_KINDS, ControlCorpus, SplitSizes, invent_words

SIZES = SplitSizes(train=1200, dev=120, test=600)


def control(kind, seed=1, texts=SIZES):
    return list(ControlCorpus.model_validate({"kind": kind, "seed": seed, "texts": texts}).read(kind, {}))


def split_of(corpus, split):
    return [text for text in corpus if text.split == split]


@pytest.fixture(scope="module")
def corpora():
    return {kind: control(kind) for kind in TEXT_KINDS}


def cues_of(words, kind):
    """(position, class) of every cue among the words of a text, found by its spelling alone."""
    spelling = {
        "needle": (r"straw|hay|chaff", r"needle|thorn|spike"),
        "chorus": (r"dys\w+", r"eu\w+"),
        "unison": ("low", "high"),
        "debate": ("nay", "yea"),
        "poll": ("nay", "yea"),
        "feint": ("cold", "hot"),
        "static": (),
        "beacon": ("lamp", "torch", "flare", "lantern", "candle", "bonfire", "lighthouse", "headlight"),
    }[kind]
    return [
        (position, str(label))
        for position, word in enumerate(words)
        for label, pattern in enumerate(spelling)
        if re.fullmatch(pattern, word)
    ]


@pytest.mark.parametrize(("kind", "share"), [("needle", 1 / 2), ("chorus", 1 / 2), ("static", 1 / 2)])
def test_share_of_positives_is_exact(corpora, kind, share):
    for split, size in (("train", 1200), ("dev", 120), ("test", 600)):
        assert sum(text.label == "1" for text in split_of(corpora[kind], split)) == size * share


def test_classes_of_beacon_are_balanced():
    texts = split_of(control("beacon", texts=SplitSizes(train=125)), "train")
    counts = [sum(text.label == str(label) for text in texts) for label in range(8)]
    assert sum(counts) == 125
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("kind", TEXT_KINDS)
def test_the_seed_decides(corpora, kind):
    assert control(kind) == corpora[kind]
    assert [text.id for text in corpora[kind][1199:1201]] == [f"{kind}-train-01200", f"{kind}-dev-00001"]
    assert control(kind, seed=2) != corpora[kind]


def test_the_size_of_one_split_does_not_touch_another(corpora):
    other = control("chorus", texts=SplitSizes(train=10, dev=120, test=600))
    for split in ("dev", "test"):
        assert split_of(other, split) == split_of(corpora["chorus"], split)


@pytest.mark.parametrize(
    ("kind", "words", "shortest"), [("needle", 40, 20), ("static", 12, 8), ("chorus", 12, 12), ("beacon", 20, 17)]
)
def test_texts_are_shortened_in_proportion_with_room_for_their_cues(kind, words, shortest):
    own = {"kind": kind, "seed": 1, "texts": SIZES, "words": words}
    texts = [text.text for text in ControlCorpus.model_validate(own).read(kind, {})]
    lengths = np.array([len(text) for text in texts])
    excess = words - shortest
    assert shortest <= lengths.min() <= shortest + 2
    assert lengths.mean() == pytest.approx(words, abs=5 * np.sqrt((excess + excess**2 / 4) / len(lengths)))


def test_digest_takes_no_words():
    digest = ControlCorpus(kind="digest", words=20)
    assert refusal(list, digest.read("digest", {})) == (
        "digest: the sentences of digest have lengths of their own; leave out `words`"
    )


@pytest.mark.parametrize("kind", TEXT_KINDS)
def test_length_matches_its_negative_binomial_and_does_not_tell_the_label(corpora, kind):
    shortest, mean = TEXT_KINDS[kind].shortest, TEXT_KINDS[kind].mean
    lengths = np.array([len(text.text) for text in corpora[kind]])
    excess = mean - shortest
    deviation = np.sqrt(excess + excess**2 / 4)
    assert lengths.min() >= shortest
    assert abs(lengths.mean() - mean) <= 4 * deviation / np.sqrt(len(lengths))
    assert lengths.std() == pytest.approx(deviation, rel=0.1)
    positive = np.array([text.label == "1" for text in corpora[kind]])
    error = lengths.std() * np.sqrt(1 / positive.sum() + 1 / (~positive).sum())
    assert abs(lengths[positive].mean() - lengths[~positive].mean()) <= 3 * error


def test_fillers_follow_zipf_mandelbrot(corpora):
    tokens = [word for text in corpora["static"] for word in text.text]
    _, counts = np.unique(tokens, return_counts=True)
    shares = np.sort(counts)[::-1] / len(tokens)
    normaliser = sum(1 / (rank + 2.7) for rank in range(1, 801))
    for rank in (1, 2, 10, 50):
        assert shares[rank - 1] == pytest.approx(1 / (rank + 2.7) / normaliser, rel=0.12)


def test_no_filler_is_a_cue():
    words = invent_words(np.random.default_rng(0), 3000)
    assert len(set(words)) == 3000
    assert [len(word) for word in words] == sorted(len(word) for word in words)
    assert cues_of(words, "needle") == cues_of(words, "chorus") == cues_of(words, "beacon") == []


@pytest.mark.parametrize("kind", ["needle", "beacon", "feint", "unison", "static"])
def test_cues_of_a_text_are_of_its_own_class(corpora, kind):
    for text in corpora[kind]:
        cues = cues_of(text.text, kind)
        assert len(cues) == {"unison": len(text.text), "static": 0}.get(kind, 1)
        assert {label for _, label in cues} <= {text.label}
        assert (marked(text) or []) == [position for position, _ in cues]


def test_needle_lies_anywhere(corpora):
    places = [cue / len(text.text) for text in corpora["needle"] for cue in marked(text) or []]
    quarters, _ = np.histogram(places, bins=4, range=(0, 1))
    assert len(places) == 1920
    assert np.all(abs(quarters - 480) < 4 * np.sqrt(1920 * 1 / 4 * 3 / 4))


def test_chorus_majority_decides(corpora):
    margins = set()
    for text in corpora["chorus"]:
        cues = cues_of(text.text, "chorus")
        own = sum(label == text.label for _, label in cues)
        margins.add(2 * own - len(cues))
        assert len(cues) in {5, 7, 9}
        assert marked(text) == [position for position, _ in cues]
    assert margins == {3, 5, 7, 9}


def test_a_word_of_a_debate_is_of_the_texts_class_six_times_of_ten(corpora):
    """1,920 texts of 12 words: the share has a standard error of 0.0032."""
    own = [label == text.label for text in corpora["debate"] for _, label in cues_of(text.text, "debate")]
    assert len(own) == 12 * len(corpora["debate"])
    assert abs(np.mean(own) - 0.6) < 4 * np.sqrt(0.24 / len(own))


def test_the_label_of_a_poll_is_drawn_from_its_cues(corpora):
    """Of the texts with a certain share of cues of class 1, that share has class 1, however many cues there are."""
    cues = [[label == "1" for _, label in cues_of(text.text, "poll")] for text in corpora["poll"]]
    labels = np.array([text.label == "1" for text in corpora["poll"]])
    shares, counts = np.array([np.mean(own) for own in cues]), np.array([len(own) for own in cues])
    assert counts.min() == 1
    assert max(len(own) / len(text.text) for own, text in zip(cues, corpora["poll"], strict=True)) == 1
    for part in (*(shares * 4 // 1 == quarter for quarter in range(4)), counts <= 20, counts > 20):
        assert abs((labels - shares)[part].mean()) < 4 * 0.5 / np.sqrt(part.sum())


def test_the_decoy_of_a_feint_is_of_the_other_class_and_no_evidence(corpora):
    for text in corpora["feint"]:
        assert [word for word in text.text if word in ("cool", "warm")] == [("warm", "cool")[int(text.label)]]


@pytest.mark.parametrize(("kind", "least", "most"), [("chorus", 0.95, 1.0), ("static", 0.43, 0.57)])
def test_a_bag_of_words_reads_chorus_but_not_static(corpora, kind, least, most):
    """600 test texts: chance lies within 0.5 +- 0.07 with a probability of 0.999."""
    bags = CountVectorizer(analyzer=lambda text: text.text)
    train, test = split_of(corpora[kind], "train"), split_of(corpora[kind], "test")
    model = MultinomialNB().fit(bags.fit_transform(train), [text.label for text in train])
    predicted = model.predict(bags.transform(test))
    assert least <= accuracy_score([text.label for text in test], predicted) <= most
