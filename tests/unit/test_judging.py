"""Scores of any tool beside a function: by hand, and against the audit that has the network itself."""

import json
from functools import cache
from html import unescape
from itertools import chain

import numpy as np
import pandas as pd
import pytest
import torch
from refusal import refusal

from attention_audit import api
from attention_audit.answer.lines import write_line
from attention_audit.errors import AuditError

RANDOM = np.random.default_rng(0)
VALUES = {f"w{number}": float(value) for number, value in enumerate(RANDOM.normal(0, 0.5, 40))}
TOKENS = [[f"w{number}" for number in RANDOM.integers(0, 40, length)] for length in RANDOM.integers(5, 15, 120)]
Values = dict[str, float]


def bag_of_words(values):
    """The log odds of class 1 are the sum of the values of the words."""

    def predict(texts):
        odds = np.array([sum(values[word] for word in words) for words in texts])
        positive = 1 / (1 + np.exp(-odds))
        return np.stack([1 - positive, positive], 1)

    return predict


def right(values):
    """What each word adds to the log odds of the predicted class."""
    added = [np.array([values[word] for word in words]) for words in TOKENS]
    return [np.sign(own.sum()) * own for own in added]


MODEL, RIGHT = bag_of_words(VALUES), right(VALUES)


def judged(*args, **named):
    return api.judge(*args, **{"report": lambda line: None} | named)


@cache
def plain():
    """What is said of the right scores."""
    return judged(TOKENS, RIGHT, MODEL)


def row(found, question):
    return dict(found.table.set_index("question").loc[question])


def test_the_right_scores_locate_as_leave_one_out_does():
    # tensors will do
    maps, model = [*map(torch.from_numpy, RIGHT)], lambda texts: torch.from_numpy(np.asarray(MODEL(texts)))
    found = judged(TOKENS, maps, model)
    located = row(found, "located")
    assert located["value"] == pytest.approx(1)
    assert (located["zones"], located["verdict"], located["texts"]) == ("3", "yes, in this training", 120)
    # words of the greatest values go first, which is the smallest set of a sum
    assert (row(found, "ranks")["value"], row(found, "ranks")["zones"]) == (pytest.approx(1), "3")
    assert row(found, "signed")["verdict"] == "yes, in this training"
    np.testing.assert_allclose(found.texts["scores"], found.texts["leave_one_out"])
    np.testing.assert_allclose(found.texts["scores_until"], found.texts["leave_one_out_until"])


def test_shuffled_scores_locate_nothing_and_those_of_a_liar_are_worse():
    """A liar shows the words that hardly matter, and hides those that do."""
    shuffled = judged(TOKENS, [RANDOM.permutation(own) for own in RIGHT], MODEL)
    liar = judged(TOKENS, [-np.abs(own) for own in RIGHT], MODEL)
    for question in ("located", "ranks"):
        assert abs(row(shuffled, question)["value"]) < 0.2
        assert row(shuffled, question)["zones"] == "1"
        assert row(liar, question)["high"] < 0
    # as many texts as words support the prediction: nothing is avoided
    assert row(shuffled, "signed")["verdict"].startswith("no")
    signed = shuffled.summary.iloc[0]
    assert signed["signed_value"] == pytest.approx(signed["signed_shuffled"], abs=0.1)
    assert signed["signed_shuffled"] == pytest.approx(shuffled.texts["supporting"].mean())


def test_where_any_word_or_no_single_one_decides_that_is_said():
    found = judged([[*"abc"]] * 120, [[1, 2, 3]] * 120, bag_of_words({"a": 0.1, "b": 0.2, "c": 0.3}))
    assert found.reasons["signed"] == "any words would do"
    # one word of two in every second text decides, and both of the others say the same, as sure as can be
    values = {"a": 40.0, "b": 40.0, "c": 0.0}
    signed = row(judged([[*"ac"], [*"ab"]] * 60, [[1, 0]] * 120, bag_of_words(values)), "signed")
    assert signed["value"] == 0.5
    assert "the best choice of a word reaches 50 %" in signed["note"]


def test_classes_that_lie_apart_are_said_one_by_one():
    """The scores are right where class 1 is predicted, and turned around where class 0 is."""
    scores = [own if sum(VALUES[word] for word in text) > 0 else -own for text, own in zip(TOKENS, RIGHT, strict=True)]
    found = judged(TOKENS, scores, MODEL, classes=["bad", "good"])
    assert row(found, "located")["zones"] == "≠"
    assert row(found, "located")["verdict"] == "bad no; good yes"


def test_until_the_decision_flips_by_hand():
    """Log odds 3, 1, -2, -.5, so class 1 of 1.5. Of four words one, two and three go, and one stays.

    The decision flips without the 3; by the scores 1 goes first, then 3; by an order that begins with -2 and -.5, last.
    """
    values = {"a": 3.0, "b": 1.0, "c": -2.0, "d": -0.5}
    found = judged([[*"abcd"]] * 2, [[1, 2, 0, 0], [0.1, 0, 2, 1]], bag_of_words(values)).texts
    assert found["leave_one_out_until"].tolist() == [0.25, 0.25]
    # without c, d and a only b is left, which says class 1 too
    assert found["scores_until"].tolist()[0] == 0.5
    assert np.isnan(found["scores_until"][1])


def test_falls_by_hand():
    """Log odds 3, 1, -2, 0.5: class 1 of p(2.5). Of four words 1, 1, 1, 1 and 2 are deleted."""
    values = {"a": 3.0, "b": 1.0, "c": -2.0, "d": 0.5}
    texts = judged([[*"abcd"], ["a"]], [[0.1, 0.9, 0.5, 0.2], [1]], bag_of_words(values)).texts

    def p(odds):
        return float(1 / (1 + np.exp(-odds)))

    expected = {
        "prediction": 1,
        "probability": p(2.5),
        "top_word": 1,
        "top_fall": p(2.5) - p(1.5),
        "best_fall": p(2.5) - p(-0.5),
        # by the scores b goes first, then c; by leave-one-out a, then b
        "scores": p(2.5) - (4 * p(1.5) + p(3.5)) / 5,
        "leave_one_out": p(2.5) - (4 * p(-0.5) + p(-1.5)) / 5,
    }
    assert texts.loc[0, [*expected]].to_dict() == pytest.approx(expected)
    # a text of one word stays as it is
    assert texts.loc[1, ["random", "scores", "leave_one_out", "top_fall"]].isna().all()


def test_several_trainings():
    several = [{word: value + RANDOM.normal(0, 0.01) for word, value in VALUES.items()} for _ in range(3)]
    maps, functions = [*map(right, several)], [*map(bag_of_words, several)]
    found = judged(TOKENS, maps, functions)
    located, stable = row(found, "located"), row(found, "stable")
    assert stable["zones"] == located["zones"] == "3"
    assert stable["trainings"] == located["trainings"] == 3
    assert located["next_low"] <= located["low"]
    assert -1 <= stable["low"] < stable["value"] < stable["high"] <= 1
    assert found.texts.groupby("training").size().tolist() == [120] * 3
    alone = judged(TOKENS, maps[:1], functions[:1])
    assert alone.reasons["stable"] == "there is one training; give scores and functions of several"


def test_stable_is_the_mean_rank_correlation_by_hand():
    """Ranks 1 2 3 against 1 3 2: Spearman is 1 - 6 (0 + 1 + 1) / (3 (9 - 1)) = .5; against 3 2 1 it is -1."""
    tokens = [["w1", "w2", "w3"], ["w4", "w5", "w6"], ["w7", "w8", "w9"], ["w1"]]
    first, second, third = [0.1, 0.2, 0.3], [-5.0, 40.0, 0.0], [0.0, -1.0, -2.0]
    flat, alone = [7.0, 7.0, 7.0], [1.0]
    found = judged(tokens, [[first, first, third, alone], [second, third, flat, alone]], [MODEL] * 2)
    assert row(found, "stable")["value"] == pytest.approx((0.5 - 1) / 2)
    # the text that one training gives no order is left out, and one of one word
    assert row(found, "stable")["texts"] == 2
    assert "same top word 0 %, chance 33 %" in row(found, "stable")["note"]


def test_marks_are_compared_with_a_random_order():
    """Marked words 1st and 3rd of four by score: AUPRC (1 + 2/3) / 2."""
    scores, tokens = [[0.4, 0.3, 0.2, 0.1]] * 120, [["w1", "w2", "w3", "w4"]] * 120
    found = judged(tokens, scores, MODEL, marks=[[2, 0]] * 119 + [None])
    # of random orders of 4 words with 2 marked ones, all six sets
    random = (1 + 5 / 6 + 3 / 4 + 7 / 12 + 1 / 2 + 5 / 12) / 6
    texts, summary = found.texts, found.summary.iloc[0]
    assert texts["auprc"].tolist() == pytest.approx([5 / 6] * 119 + [np.nan], nan_ok=True)
    assert texts["auprc_random"][0] == pytest.approx(random)
    assert summary["plausibility_value"] == pytest.approx(5 / 6)
    assert summary["plausibility_random"] == pytest.approx(random)
    assert summary["plausibility_texts"] == 119
    assert "Marked words: AUPRC 0.83" in found._repr_html_()
    assert "AUPRC" not in judged(tokens, scores, MODEL)._repr_html_()


def test_few_texts_have_an_estimate_and_no_statement():
    found = judged(TOKENS[:20], RIGHT[:20], MODEL)
    assert "function of words" in found.reasons["used"]
    assert found.reasons["located"] == "20 of the 100 texts needed"
    located = row(found, "located")
    assert (located["zones"], located["verdict"], located["value"]) == ("-", "–", pytest.approx(1))
    assert found.paragraph == "Scores of words (1 training, 20 texts; 95 % intervals): no verdict."


def test_labels_stand_beside_the_answer():
    labels = [int(sum(VALUES[word] for word in text) > 0) for text in TOKENS]
    found = judged(TOKENS, RIGHT, MODEL, labels=labels)
    summary = found.summary.iloc[0]
    assert (summary["learnt"], summary["accuracy"]) == ("yes", 1)
    assert f"accuracy 1.00, largest class {np.bincount(labels).max() / 120:.2f}".replace("0.", ".") in repr(found)
    names, column = np.array(["bad", "good"])[labels].tolist(), np.array(labels)[:, None]
    assert judged(TOKENS, RIGHT, MODEL, labels=names, classes=["bad", "good"]).summary.loc[0, "accuracy"] == 1
    assert judged(TOKENS, RIGHT, MODEL, labels=names, classes=["good", "bad"]).summary.loc[0, "accuracy"] == 0
    assert judged(TOKENS, RIGHT, MODEL, labels=column).summary.loc[0, "accuracy"] == 1
    without = plain()
    assert without.summary.loc[0, "learnt"] == ""
    assert "accuracy 1.00" not in repr(without)
    pd.testing.assert_frame_equal(without.table, found.table)


def test_terminal_card_and_paragraph_show_the_same_line():
    found = plain()
    line = write_line(found.summary.iloc[0].to_dict(), "ranks")
    shown = unescape(unescape(found._repr_html_()))
    head, *lines = repr(found).splitlines()
    assert head == "May these scores be read as an explanation?"
    assert " ".join(lines[:3]).startswith(
        "In this one training, top words are the words that matter, more weight means more important, and the top"
    )
    assert any(each.startswith("1 training, 120 texts; no labels, largest predicted class") for each in lines)
    [shown_line] = [each for each in lines if line.claim in each]
    assert shown_line.split("  ")[0] == line.mark
    for part in (line.claim, line.said.partition(", ")[0], line.value, line.interval):
        assert part in shown_line
        assert part in shown
    assert f"{line.claim[1:]} ({line.value} [{line.interval}])" in found.paragraph
    assert found.paragraph in shown
    assert shown.startswith("<iframe srcdoc=")
    assert "http" not in shown
    assert len(found.paragraph.split()) <= 90


def test_maps_that_choose_nothing_locate_nothing():
    found = judged(TOKENS, [np.ones(len(words)) for words in TOKENS], MODEL)
    assert row(found, "located")["value"] == row(found, "ranks")["value"] == 0
    assert found.reasons["signed"] == "the words of each text all have the same score"
    assert set(found.texts["top_word"]) == {-1}


def test_each_text_is_predicted_once_and_in_batches_that_may_be_changed():
    asked = []
    said = []

    def predict(texts):
        asked.append([[*words] for words in texts])
        found = MODEL(texts)
        for words in texts:
            words.clear()
        return found

    found = api.judge(TOKENS[:30] * 2, RIGHT[:30] * 2, predict, batch_size=16, report=said.append)
    # of the first batch alone, the shorter half is asked again
    assert [*map(len, asked.pop(1))] == sorted(map(len, asked[0]))[:8]
    assert len({*map(tuple, chain(*asked))}) == sum(map(len, asked))
    assert max(map(len, asked)) == 16
    assert said[0].startswith("predict: ")
    pd.testing.assert_frame_equal(found.texts[:30], judged(TOKENS[:30], RIGHT[:30], MODEL).texts)


def held(attribute):
    """Objects as of LIME, an Explanation, or of Captum, a VisualizationDataRecord."""
    return [type("Object", (), {attribute: None})()] * 120


@pytest.mark.parametrize(
    ("argument", "value", "line"),
    [
        ("tokens", [], "tokens: there is no text"),
        ("tokens", [[], *TOKENS[1:]], "tokens: text 0 has no word"),
        ("scores", RIGHT[1:], "scores: has 119 entries for 120 texts"),
        ("scores", [RIGHT[0][1:], *RIGHT[1:]], "scores: text 0: has .* entries for .* words"),
        ("scores", [np.nan * own for own in RIGHT], "scores: text 0 holds NaN"),
        ("scores", [np.tile(own[:, None], 3) for own in RIGHT], "scores: text 0 has shape .* predict gives 2 columns"),
        ("scores", held("as_list"), r"scores: text 0: .*; give the number of each word, which its as_list\(\) has"),
        ("predict", [MODEL] * 2, "scores: is of 120 trainings, and predict of 2"),
        ("predict", "svm", "predict: is str, and no function"),
        ("predict", lambda texts: np.ones((len(texts), 2)), "predict: of the text .* are 1, 1; give probabilities"),
        ("predict", lambda texts: np.full((len(texts), 2), np.nan), "predict: of the text .* are nan, nan; give"),
        ("predict", lambda texts: np.ones(len(texts)), r"predict, its answer to 64 .* \(64,\); .* \[1 - p, p\]"),
        ("predict", lambda texts: np.full((3, 2), 0.5), "predict, .*: has 3 entries for 64 texts"),
        ("predict", lambda texts: np.ones((len(texts), 1)), "predict: gives 1 classes; give"),
        ("predict", lambda texts: RANDOM.dirichlet([1, 1], len(texts)), "predict: moves a probability .* dropout"),
        (
            "predict",
            lambda texts: [[(share := len(words) / max(map(len, texts))), 1 - share] for words in texts],
            "predict: moves a probability by .* in another batch; .* padding",
        ),
        ("predict", lambda texts: [{"score": 1.0} for _ in texts], "its answer .* not 'dict'.*; give"),
        ("marks", [[99]] * 120, "marks: text 0 names word 99 of"),
        ("marks", [[0, 1, 0]] * 120, "marks: text 0 names a word twice; give positions"),
        ("marks", [[True, False]] * 120, "marks: text 0: holds something else than whole numbers"),
        ("labels", [2] * 120, "labels: name class 2 of 2; number the classes from 0"),
        (
            "labels",
            ["bad"] * 120,
            "labels: has 'bad'; give the numbers of the classes, from 0, or all their names in `cl",
        ),
        (
            "labels",
            [[1, 1]] * 120,
            "labels: text 0 has 2 labels; give each text one, or ask audit_classifier or judge with output=",
        ),
        ("batch_size", "8", "batch_size: is '8'; give a whole number"),
        ("report", "quiet", "report: is str, and no function"),
    ],
)
def test_what_is_wrong_names_the_argument(argument, value, line):
    arguments = {"tokens": TOKENS, "scores": RIGHT, "predict": MODEL, argument: value}
    with pytest.raises(AuditError, match=line):
        judged(**arguments)


def test_strings_are_split_as_their_language_is():
    """Khmer, by its script, as characters with their marks; English, which must be named, by spaCy's rules."""
    values = {"ខ្ញុំ": 0.1, "មើ": -0.2, "ល": 0.4}
    texts = [[*RANDOM.choice([*values], 8)] for _ in range(20)]
    scores = [[values[word] for word in text] for text in texts]
    said = []
    found = api.judge(["".join(text) for text in texts], scores, bag_of_words(values), report=said.append)
    pd.testing.assert_frame_equal(found.texts, judged(texts, scores, bag_of_words(values)).texts)
    assert said[0].startswith("texts: Khmer is split into single characters, so that maps are of characters; for words")
    english = bag_of_words(dict.fromkeys(["Do", "do", "n't", "go", "."], 0.3))
    assert judged(["Don't go."], [[1, 2, 3, 4]], english, language="en").texts.loc[0, "words"] == 4


PIECE = "tokens: holds pieces of words, such as {!r} with its {}; give whole words, each with the sum of the scores of its pieces"  # noqa: E501
PIECES = {"##b": "##", "Ġb": "Ġ", "▁b": "▁", "b@@": "@@"}
NO_IDS = "tokens: text {} holds {}, and no word; give words, and no ids of them"
ONE_STRING = "tokens: text 0 is one string; give the list of its words"


@pytest.mark.parametrize(
    ("texts", "language", "line"),
    [
        ([[*"ab"], ["a", " ", "a"]], None, "tokens: text 1 has empty tokens; leave them out, with their scores"),
        ([[*"ab"], ["[PAD]"] * 2], None, "tokens: text 1 has no word; leave it out"),
        ([["a"], [101, 102]], None, NO_IDS.format(1, 101)),
        *(([["a", piece, "a"]], None, PIECE.format(piece, mark)) for piece, mark in PIECES.items()),
        (
            [["[CLS]", "a", "[SEP]", "b", "[SEP]"]],
            None,
            "tokens: [SEP] stands between words too; leave it out there, with its scores",
        ),
        (["Don't go."], None, ONE_STRING),
        (["Don't go.", ["go"]], "en", ONE_STRING),
        (["Don't go."], "english", "language: unknown 'english'; give spaCy's code, such as en or zh, or `spaces`"),
        ([["Do"]], "en", "language: the texts are lists of words already; leave it out, or give strings"),
    ],
)
def test_tokens_that_are_no_words_of_the_language_are_one_line(texts, language, line):
    scores = [[1.0] * len(words) for words in texts]
    assert refusal(judged, texts, scores, bag_of_words({}), language=language) == line


def test_words_that_mention_marks_and_pieces_are_words():
    """A mark within the text, a mark that begins one of three texts, a lone ##, and a Maltese name with a space."""
    texts = [["a", "[CLS]", "[SEP]", "a"], ["[CLS]", "a", "##"], ["a", "a", "a", "Ġorġ "]]
    scores, values, said = [[1.0] * len(words) for words in texts], dict.fromkeys(chain(*texts), 0.1), list[str]()
    found = api.judge(texts, scores, bag_of_words(values), report=said.append)
    assert found.texts["words"].tolist() == [4, 3, 4]
    assert said[0].startswith("tokens: some have a space at an end, as pieces of SHAP have")


def coarse(texts):
    """0 and 1 alone."""
    return np.round(MODEL(texts))


@pytest.mark.parametrize(
    "functions",
    [
        [lambda texts: np.round(MODEL(texts), 1)],
        [MODEL, coarse],
    ],
)
def test_classes_without_probabilities_are_too_coarse_for_all_trainings(functions):
    found = judged(TOKENS, [RIGHT] * len(functions), functions, labels=[0] * 120)
    for question in ("located", "ranks", "signed"):
        assert found.reasons[question] == (
            "predict gives 0 and 1 alone, or one decimal, which hides what single words do, so that it is too coarse "
            "for leave-one-out; give probabilities"
        )
    assert found.summary.loc[0, "learnt"] == "no"


POSITIVE, NEGATIVE = {"w1", "w2", "w3"}, {"w4", "w5"}


def lexicon(probabilities):
    """One of few probabilities of class 1, by how many more positive than negative words there are."""

    def predict(texts):
        counts = [sum(word in POSITIVE for word in words) - sum(word in NEGATIVE for word in words) for words in texts]
        middle = len(probabilities) // 2
        positive = np.array(probabilities)[np.clip(counts, -middle, middle) + middle]
        return np.stack([1 - positive, positive], 1)

    return predict


def grow_tree(texts):
    """A tree of two questions, with leaves of one decimal."""
    positive = [(0.9 if "w2" in words else 0.7) if "w1" in words else 0.2 for words in texts]
    return np.stack([1 - np.array(positive), positive], 1)


@pytest.mark.parametrize(
    "predict",
    [
        lexicon([0.1, 0.5, 0.9]),
        lexicon([0.12, 0.31, 0.5, 0.77, 0.94]),
        grow_tree,
        lambda texts: np.array([[0.0, 1.0] if "w1" in words else [1.0, 0.0] for words in texts]),
    ],
    ids=["lexicon", "lexicon of five", "tree", "rule"],
)
def test_models_of_few_outcomes_are_exact(predict):
    """Leave-one-out itself, by numpy: nothing is better, and it says what single words do."""
    whole = np.asarray(predict(TOKENS))
    scores = []
    for words, before in zip(TOKENS, whole, strict=True):
        without = np.asarray(predict([[*words[:at], *words[at + 1 :]] for at in range(len(words))]))
        scores.append(before.max() - without[:, before.argmax()])
    found = judged(TOKENS, scores, predict)
    assert "coarse" not in "".join(found.reasons.values())
    assert row(found, "located")["zones"] == "3"
    np.testing.assert_allclose(found.texts["best_fall"], [each.max() for each in scores], atol=1e-12)
    # where no word does anything, the scores choose none
    ordered = found.texts[found.texts["top_word"] >= 0]
    np.testing.assert_allclose(ordered["scores"], ordered["leave_one_out"])


def sort_rows(predict):
    """As a pipeline with top_k=None answers."""
    return lambda texts: -np.sort(-np.asarray(predict(texts)), 1)


def predict_three(texts):
    """A third class of its own words."""
    odds = np.array([[sum(VALUES[word] * scale for word in words) for scale in (1, -1)] for words in texts])
    logits = np.column_stack([odds, np.array([[sum(word < "w2" for word in words) - 3.0] for words in texts])])
    raised = np.exp(logits - logits.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


@pytest.mark.parametrize("predict", [MODEL, predict_three])
def test_sorted_rows_are_no_classes(predict):
    judged(TOKENS, RIGHT, predict)
    assert refusal(judged, TOKENS, RIGHT, sort_rows(predict)) == (
        "predict: in each row the probabilities fall, as where they are sorted (top_k=None of a pipeline); give each "
        "class a column of its own"
    )


def test_one_class_in_every_text_is_asked_about_where_there_are_several():
    """A model whose bias decides: its probabilities come never close."""
    said = []
    sure = bag_of_words({word: -abs(value) - 1 for word, value in VALUES.items()})
    found = api.judge(TOKENS, RIGHT, sure, report=said.append)
    asked = (
        "is each column of predict one class? Probabilities fall in all rows, of shortened texts too, as sorted ones do"
    )
    assert found.summary.loc[0, "note"] == asked == said[-1]
    assert asked[:90] in repr(found)
    assert judged(TOKENS[:5], RIGHT[:5], sure).summary.loc[0, "note"] == ""


@pytest.mark.parametrize("chosen", [0, 1])
def test_scores_of_one_class_in_every_text_are_asked_about(chosen):
    """As LIME gives them by default, for class 1; of the predicted class nothing is asked."""
    scores = [(2 * chosen - 1) * np.array([VALUES[word] for word in words]) for words in TOKENS]
    found = judged(TOKENS, scores, MODEL, classes=["bad", "good"])
    assert found.summary.loc[0, "note"] == (
        f"are these the scores of {['bad', 'good'][chosen]} in every text? Where another is predicted, they point the "
        "other way; give those of the predicted class, which of two classes are the others negated"
    )
    assert plain().summary.loc[0, "note"] == ""
    # rank correlation by pandas
    without = [p - np.asarray(MODEL([[*w[:at], *w[at + 1 :]] for at in range(len(w))]))[:, c] for w, p, c in zip(
        TOKENS, found.texts["probability"], found.texts["prediction"], strict=True)]  # fmt: skip
    by_hand = [pd.Series(a).corr(pd.Series(b), "spearman") for a, b in zip(scores, without, strict=True)]
    np.testing.assert_allclose(found.texts["agreement"], by_hand, atol=1e-12)


def test_scores_by_chance_and_of_a_liar_are_of_no_class():
    for scores in ([RANDOM.permutation(each) for each in RIGHT], [-each for each in RIGHT]):
        assert judged(TOKENS, scores, MODEL).summary.loc[0, "note"] == ""


def test_what_predict_raises_is_the_cause_of_one_line():
    def predict(texts):
        raise ValueError("text input must be\nof type `str`")

    with pytest.raises(AuditError) as caught:
        judged([["a", "b"], ["c"]], [[1, 2], [1]], predict, batch_size=1)
    assert isinstance(caught.value.__cause__, ValueError)
    assert str(caught.value) == (
        "predict: called with a list of 1 texts, the first being the list of words ['a', 'b'], it raises "
        "ValueError('text input must be\\nof type `str`'); make it take such lists"
    )


def test_scores_of_each_class_are_those_of_the_predicted_one():
    """Three classes; also as SHAP gives them, with the padding that its tokens have."""
    of_class = {word: [-value, value, 9.0] for word, value in VALUES.items()}

    def predict(texts):
        return np.column_stack([np.asarray(MODEL(texts)), np.zeros(len(texts))])

    wanted = judged(TOKENS, RIGHT, predict).texts
    scores = [[of_class[word] for word in words] for words in TOKENS]
    pd.testing.assert_frame_equal(judged(TOKENS, scores, predict).texts, wanted)
    shap = pytest.importorskip("shap")
    ends = np.zeros((1, 3))
    values = np.array([np.concatenate([ends, each, ends]) for each in scores], dtype=object)
    explained = shap.Explanation(values, data=[["", *words, ""] for words in TOKENS])
    found = judged(explained.data, explained, predict).texts
    pd.testing.assert_frame_equal(found.assign(top_word=found["top_word"] - 1), wanted)


@pytest.mark.parametrize(
    ("before", "behind", "said"),
    [
        (["[CLS]"], ["[SEP]"], "[CLS], [SEP]"),
        (["<s>"], ["</s>", "<pad>", "<pad>"], "</s>, <pad>, <s>"),
        ([""], ["", " "], "empty tokens"),
        ([], ["<|endoftext|>"], "<|endoftext|>"),
    ],
)
def test_marks_at_the_ends_are_left_out_with_their_scores(before, behind, said):
    # a map that is flat has no top word
    tokens = [["w1", "w2", "w3"], ["w4", "w5", "w6", "w7"], ["w2", "w4"]]
    scores, marks = [[0.1, 0.3, -0.2], [0.5, 0.1, 0.7, 0.2], [0.5, 0.5]], [[1], [0, 2], [1]]
    lines = []
    found = api.judge(
        [[*before, *words, *behind] for words in tokens],
        [[*[9.0] * len(before), *own, *[8.0] * len(behind)] for own in scores],
        MODEL,
        marks=[[place + len(before) for place in places] for places in marks],
        report=lines.append,
    )
    assert lines[0] == f"tokens: {said} at the ends of texts are no words; they are left out, with their scores"
    alone = judged(tokens, scores, MODEL, marks=marks)
    pd.testing.assert_frame_equal(found.table, alone.table)
    shift = [len(before), len(before), 0]
    pd.testing.assert_frame_equal(found.texts, alone.texts.assign(top_word=alone.texts["top_word"] + shift))
    assert found.texts["top_word"].tolist()[2] == -1


def test_marked_words_are_words():
    said = refusal(judged, [["[CLS]", "w1", "w2"]], [[3, 1, 2]], MODEL, marks=[[0]])
    assert said == "marks: text 0 names word 0, which is left out; name words alone"


def tell(found):
    """The numbers of each question."""
    return found.table[["value", "low", "high", "texts"]].to_numpy(float)


OTHERS = {word: -0.7 * value + 0.1 for word, value in VALUES.items()}


def two_labels(texts):
    """The probabilities of two labels, which need not sum to 1."""
    return np.stack([MODEL(texts)[:, 1], bag_of_words(OTHERS)(texts)[:, 1]], 1)


def of_labels():
    """What each word adds to the log odds of each label."""
    return [np.array([[VALUES[word], OTHERS[word]] for word in words]) for words in TOKENS]


def test_a_label_is_judged_as_a_class_against_none():
    found = judged(TOKENS, of_labels(), two_labels, output="labels", classes=["joy", "fear"], targets="joy")
    np.testing.assert_allclose(tell(found), tell(plain()), equal_nan=True)
    np.testing.assert_allclose(found.by_target[["value"]].to_numpy(float), tell(plain())[:, :1], equal_nan=True)
    assert {*found.texts["target"]} == {"joy"}


def test_labels_that_are_given_are_judged_by_their_own_scores():
    predicted = two_labels(TOKENS)
    gold = [[name for name, chance in zip(("joy", "fear"), row, strict=True) if chance > 0.4] for row in predicted]
    found = judged(
        TOKENS, of_labels(), two_labels, output="labels", classes=["joy", "fear"], labels=gold, threshold=0.4
    )
    on = predicted >= 0.4
    assert found.summary["texts"].item() == on.any(1).sum()
    assert f"{on.sum()} labels that the model gives" in found.summary["note"].item()
    assert "label accuracy 1.00" in found.summary["note"].item()
    assert row(found, "located")["value"] == pytest.approx(1)
    by_target = found.by_target.set_index(["target", "question"])["value"]
    assert by_target["joy", "located"] == pytest.approx(1)
    assert by_target["fear", "located"] == pytest.approx(1)
    assert [each["name"] for each in json.loads(found.summary["located_classes"].item())] == ["joy", "fear"]
    # those of the other label are of other words
    swapped = judged(TOKENS, [each[:, ::-1] for each in of_labels()], two_labels, output="labels", threshold=0.4)
    assert row(swapped, "located")["value"] < 0


def test_a_number_is_judged_on_both_sides_of_its_median():
    def rate(texts):
        return np.array([sum(VALUES[word] for word in words) for words in texts])

    values = rate(TOKENS)
    middle, scale = np.median(values), 1.702 / values.std(ddof=1)

    def say_above(texts):
        positive = 1 / (1 + np.exp(-scale * (rate(texts) - middle)))
        return np.stack([1 - positive, positive], 1)

    added = [np.array([[VALUES[word]] for word in words]) for words in TOKENS]
    above = values > middle
    signed = [own[:, 0] * (1 if side else -1) for own, side in zip(added, above, strict=True)]
    found, twin = judged(TOKENS, added, rate, output="number", labels=values), judged(TOKENS, signed, say_above)
    np.testing.assert_allclose(tell(found), tell(twin), equal_nan=True)
    assert found.summary["note"].item() == "r 1.00"
    assert "predict" in refusal(judged, TOKENS, added, lambda texts: rate(texts) * np.nan, output="number")
    assert "gives what is no probability" in refusal(
        judged, TOKENS, added, lambda t: two_labels(t) * 2, output="labels"
    )
    assert "scores: text 0 has shape" in refusal(judged, TOKENS, of_labels(), rate, output="number")
