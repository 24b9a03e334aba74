"""What a person may quote."""

import re
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.answer.sentence import (
    ALLOWED,
    ALONE,
    DOUBTFUL,
    FLATTENED,
    FROZEN,
    GUESSING,
    NOTHING_FURTHER,
    OPENS,
    OTHERS,
    POSITION,
    WARNINGS,
    WHETHER,
    Instead,
    Said,
    itself,
    listed,
    sentence,
)
from attention_audit.answer.words import FLAT, NO, NOT_ASKED, NOTHING_NEW, TOO_FEW, UNDECIDED, YES
from attention_audit.columns.summary import QUESTIONS

ABLE = Said(YES, 0.4, 5)
BETTER = Instead("gradient", True)
MADE_OF = Instead("attention x gradient", True, "nearly the yardstick itself")


def said(trainings: int = 5, value: float = 0.31, **words: str) -> dict[str, Said]:
    """An answer to every question; those that are not named were not asked."""
    return {question: Said(words.get(question, NOT_ASKED), value, trainings) for question in QUESTIONS}


def test_every_question_has_what_may_be_said():
    assert tuple(ALLOWED) == tuple(WHETHER) == QUESTIONS
    assert {*WARNINGS} == {*QUESTIONS}


def test_a_model_that_guesses_is_told_in_one_sentence():
    assert sentence(said(needed=NO, ranks=YES), Said(NO, -0.1, 5), {}) == GUESSING
    text = sentence(said(ranks=YES), Said(UNDECIDED, 0.1, 5), {})
    assert text.startswith(f"{DOUBTFUL} What may be said: positions with more weight")


def test_a_task_that_does_not_test_attention_hides_no_other_answer():
    text = sentence(said(needed=NO, used=YES, ranks=NO), ABLE, {})
    assert text.startswith(
        "A model trained with equal weights predicts about as well, so this task is no test of attention. "
        "Do not read the weights as importance"
    )
    assert "What may be said: the prediction depends on these weights." in text


def test_an_item_is_called_a_word_where_the_words_are_located():
    for located, item in ((YES, "word"), (NO, "position"), (UNDECIDED, "position"), (NOT_ASKED, "position")):
        text = sentence(said(located=located, signed=YES), ABLE, {})
        assert f"a highlighted {item} speaks for" in text
        assert text.endswith(POSITION) == (item == "position")


def test_what_was_found_by_erasing_says_so():
    contrary = sentence(said(1, signed=NO, used=YES), ABLE, {}, erased=True)
    assert contrary.startswith(
        "Do not read a highlighted position as one that speaks for the prediction: in too many texts it speaks against "
        "it, or hardly does either (found by erasing it). What"
    )
    mixed = said(used=YES) | {"signed": Said(YES, 0.95, 1)}
    assert f"the prediction (found by erasing it, {ALONE})." in sentence(mixed, ABLE, {}, erased=True)


def test_an_adversary_that_goes_no_further_than_another_training_shows_nothing_new():
    text = sentence(said(unique=NOTHING_NEW), ABLE, {})
    assert text.startswith(NOTHING_FURTHER)
    assert WHETHER["unique"] not in text


def test_what_is_open_is_said_in_everyday_words():
    text = sentence(said(stable=TOO_FEW, transferable=TOO_FEW, used=UNDECIDED, unique=UNDECIDED), ABLE, {})
    assert text.startswith(
        "It is undecided whether the prediction depends on these weights or another map would do as well. There are "
        "too few trainings or texts to say whether another training shows a similar map or the weights help another, "
        "simpler model too. This run did not ask whether the model predicts better"
    )


def test_words_of_these_trainings_say_so():
    these = Said(NO, nan, 2, these=True)
    scope = "true of these 2 trainings"
    mixed = sentence(said(2, used=YES) | {"ranks": these}, ABLE, {})
    assert mixed.startswith(f"Do not read the weights as importance ({scope}). What may be said: the prediction")
    assert f"All of this is {scope}. {OTHERS}" in sentence(said() | {"ranks": these}, ABLE, {})
    # what is known of one training only says so beside all else
    beside = sentence(said() | {"ranks": these, "unique": Said(YES, nan, 1)}, ABLE, {})
    assert f"no other map was found that would do as well ({ALONE})." in beside
    assert f"All else is {scope}. {OTHERS}" in beside


def test_what_not_to_read_and_what_to_show_instead():
    expected = (
        "Do not read the weights as importance: ranked by weight, positions come 31 % of the way from a random order "
        "to the smallest set that flips the decision. "
    )
    assert sentence(said(ranks=NO), ABLE, {"ranks": BETTER}).startswith(
        f"{expected}Gradient ranks them clearly better, so show it instead. This run"
    )
    assert sentence(said(ranks=NO), ABLE, {"ranks": MADE_OF}).startswith(
        f"{expected}Attention x gradient, nearly the yardstick itself, ranks them clearly better, so show it instead."
    )
    tied = sentence(said(ranks=NO), ABLE, {"ranks": BETTER._replace(second="AttnLRP")})
    assert "so show it instead; it is not clearly better than AttnLRP. This run" in tied
    tied = sentence(said(ranks=YES), ABLE, {"ranks": BETTER._replace(second="AttnLRP")})
    assert "clearly better than attention, and not clearly better than AttnLRP." in tied
    for instead in ({"ranks": BETTER._replace(better=False)}, {}, {"ranks": None}):
        assert sentence(said(ranks=NO), ABLE, instead).startswith(f"{expected}This run")
    for word, text in (
        ({"ranks": YES}, "ranks positions clearly better than attention."),
        ({"located": UNDECIDED}, "finds the words that matter clearly better than attention."),
    ):
        (question,) = word
        assert f"Gradient {text}" in sentence(said(**word), ABLE, {question: BETTER})


@pytest.mark.parametrize("value", [-0.2, 0.004])
def test_what_is_no_better_than_chance_has_no_number(value):
    text = sentence(said(value=value, ranks=NO, located=NO), ABLE, {})
    assert "importance: ranked by weight, positions do no better than a random order. Do not take" in text
    assert "that matter: chosen by weight, words do no better than a random choice." in text


def test_a_sentence_for_each_no():
    text = sentence(said(value=0.2, **dict.fromkeys(QUESTIONS, NO)), ABLE, {})
    for part in (
        "no test of attention.",
        "another training, which shows a different one.",
        "nearly the same when they are shuffled.",
        "positions come 20 % of the way from a random order to the smallest set that flips the decision.",
        "chosen by weight, words come 20 % of the way from a random choice to that of leave-one-out.",
        "in too many texts it speaks against it, or hardly does either.",
        "nearly alike attends elsewhere, further away than other trainings do.",
        "the weights hardly help another one.",
    ):
        assert part in text


def test_what_rests_on_one_training_says_so():
    assert f"All of this is {ALONE}." in sentence(said(1, used=YES, ranks=YES), ABLE, {})
    mixed = said(used=YES) | {"unique": Said(NO, 0.1, 1)}
    assert f"than other trainings do ({ALONE}). What may be said" in sentence(mixed, ABLE, {})
    assert ALONE not in sentence(said(1, used=UNDECIDED), ABLE, {})


def test_what_a_ceiling_is_made_of_is_called_that():
    assert [itself("ranks", name) for name in ("product", "loo", "gradient")] == ["nearly the yardstick itself", "", ""]
    assert [itself("located", name) for name in ("product", "loo")] == ["", "the yardstick itself"]


def test_flat_maps():
    text = sentence(said(stable=FLAT, ranks=FLAT, used=UNDECIDED), ABLE, {"ranks": BETTER})
    assert text.startswith(f"{FLATTENED} It is undecided whether the prediction")
    assert "clearly better" not in text


@pytest.mark.parametrize(("parts", "text"), [("a", "a"), ("ab", "a or b"), ("abc", "a, b or c")])
def test_lists(parts, text):
    assert listed(list(parts), "or") == text


@given(
    st.lists(st.sampled_from([YES, NO, UNDECIDED, TOO_FEW, NOT_ASKED]), min_size=8, max_size=8),
    st.integers(1, 3),
    st.booleans(),
)
def test_nothing_is_claimed_that_was_not_answered(words, trainings, erased):
    given_words = dict(zip(QUESTIONS, words, strict=True))
    answers = {question: Said(word, 0.2, trainings) for question, word in given_words.items()}
    text = sentence(answers, ABLE, {"ranks": BETTER, "located": MADE_OF}, erased=erased)
    item = "word" if given_words["located"] == YES else "position"
    parts = re.split(r"(?<=\.) ", text)
    opened = {YES: "What may be said: ", **{word: f"{opening} " for word, opening in OPENS.items()}}
    for question, word in given_words.items():
        for other, opening in opened.items():
            claim = (ALLOWED if other == YES else WHETHER)[question].format(item=item)
            assert any(part.startswith(opening) and claim in part for part in parts) == (word == other)
        warning = WARNINGS[question](answers[question], item)
        assert (warning in text) == (word == NO)
    assert (ALONE in text) == (trainings == 1 and bool({YES, NO} & {*words}))
    assert len(re.findall(r"\d+", text)) <= 2
    assert all(re.match(r"[A-Z].*\.$", part) for part in parts)


def test_several_trainings_on_one_frozen_encoder_are_called_that():
    assert FROZEN in sentence(said(stable=YES), ABLE, {}, frozen=True)
    assert FROZEN not in sentence(said(stable=YES), ABLE, {})
    assert FROZEN not in sentence(said(trainings=1, stable=NOT_ASKED, ranks=YES), ABLE, {}, frozen=True)
