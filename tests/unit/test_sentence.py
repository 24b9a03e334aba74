"""What a person may quote."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.answer.sentence import (
    ALLOWED,
    ALONE,
    DOUBTFUL,
    FROZEN,
    GUESSING,
    NO_TEST_BED,
    NOTHING_FURTHER,
    WARNINGS,
    Instead,
    Said,
    Top,
    listed,
    sentence,
)
from attention_audit.answer.words import FLAT, NO, NOT_ASKED, NOTHING_NEW, TOO_FEW, UNDECIDED, YES
from attention_audit.columns.summary import QUESTIONS

ABLE = Said(YES, 0.4, 5)
WORDS = st.sampled_from([YES, NO, UNDECIDED, NOT_ASKED])


def said(trainings: int = 5, value: float = 0.31, **words: str) -> dict[str, Said]:
    """An answer to every question; those that are not named were not asked."""
    return {question: Said(words.get(question, NOT_ASKED), value, trainings) for question in QUESTIONS}


def test_every_question_has_what_may_be_said():
    assert tuple(ALLOWED) == QUESTIONS
    assert {*WARNINGS, "signed"} == {*QUESTIONS}


def test_a_model_that_guesses_is_told_in_one_sentence():
    assert sentence(said(needed=NO, ranks=YES), Said(NO, -0.1, 5), {}) == GUESSING
    assert sentence(said(ranks=YES), Said(UNDECIDED, 0.1, 5), {}).startswith(f"{DOUBTFUL} What may be said: items")


def test_a_task_that_is_no_test_bed_hides_no_other_answer():
    text = sentence(said(needed=NO, used=YES, ranks=NO), ABLE, {})
    assert text.startswith(f"{NO_TEST_BED} Do not read weights as importance")
    assert "Wiegreffe & Pinter 2019, section 3.2" in text
    assert "What may be said: the prediction depends on these weights." in text
    assert "uninformative" not in text


def test_an_item_is_called_a_word_where_the_words_are_located():
    for located, item in ((YES, "word"), (NO, "state"), (UNDECIDED, "state"), (NOT_ASKED, "state")):
        assert f"a highlighted {item} speaks for" in sentence(said(located=located, signed=YES), ABLE, {})
    contrary = sentence(said(value=0.2, signed=NO), ABLE, {}, top=Top(0.3, 0.5, True))
    assert contrary.startswith(
        "Do not read a highlighted state as one that speaks for the prediction (by erasure): it does in 20 % of the "
        "texts, speaks against it in 30 %, and hardly does either in 50 %."
    )
    assert "prediction (by erasure)." in sentence(said(signed=YES), ABLE, {}, top=Top(0.0, 0.0, True))


def test_an_adversary_that_goes_no_further_than_another_training_shows_nothing_new():
    text = sentence(said(unique=NOTHING_NEW), ABLE, {})
    assert text.startswith(NOTHING_FURTHER)
    assert "unique" not in text


def test_too_little_is_said_with_what_is_there_and_what_is_needed():
    few = Said(TOO_FEW, 0.3, 2, few="60 texts of the 100 needed")
    pair = Said(TOO_FEW, 0.3, 2, few="2 trainings of the 3 needed")
    text = sentence(said() | {"used": few, "ranks": few, "stable": pair}, ABLE, {})
    assert text.startswith(
        "Too little for a word: stable (2 trainings of the 3 needed); used, ranks (60 texts of the 100 needed)."
    )
    assert "Undecided" not in text


def test_words_of_these_trainings_say_so():
    each = Said(NO, 0.1, 2, these=True)
    assert sentence(said(2, used=YES) | {"ranks": each}, ABLE, {}).endswith("Of each of these 2 trainings only: ranks.")
    assert sentence(said() | {"ranks": each}, ABLE, {}).endswith("Of each of these 2 trainings only.")


def test_what_not_to_read_and_what_to_show_instead():
    better = {"ranks": Instead("attention x gradient", 0.94, 0.32, True)}
    rest = " Not asked: needed, stable, used, located, signed, unique, transferable."
    assert sentence(said(ranks=NO), ABLE, better) == (
        "Do not read weights as importance: erasing by attention reaches 0.32 of what can be had, attention x gradient "
        "0.94; show attention x gradient instead." + rest
    )
    unclear = {"ranks": better["ranks"]._replace(better=False)}
    for instead in (unclear, {}, {"ranks": None}):
        assert sentence(said(ranks=NO), ABLE, instead) == (
            "Do not read weights as importance: erasing by attention reaches 0.31 of what can be had." + rest
        )
    assert "Attention x gradient ranks the items better than attention (0.94 against 0.32)." in sentence(
        said(ranks=YES), ABLE, better
    )


def test_a_sentence_for_each_no():
    answers = said(value=0.2, **dict.fromkeys(QUESTIONS, NO))
    text = sentence(answers, ABLE, {}, top=Top(0.8, 0.0, False))
    for part in (
        "another training, which shows another one.",
        "shuffled, they move it by 0.200.",
        "deleting them from the input reaches 0.20 of",
        "speaks against it in 80 %",
        "a model that predicts alike attends elsewhere, further away than other trainings do.",
        "words beyond this model.",
    ):
        assert part in text
    assert "Undecided" not in text


def test_what_rests_on_one_training_says_so():
    assert sentence(said(1, used=YES, ranks=YES), ABLE, {}).endswith(f"{ALONE}.")
    mixed = said(used=YES) | {"unique": Said(NO, 0.1, 1)}
    assert sentence(mixed, ABLE, {}).endswith(f"{ALONE}: unique.")
    assert ALONE not in sentence(said(1, used=UNDECIDED), ABLE, {})


def test_flat_maps():
    text = sentence(said(stable=FLAT, ranks=FLAT, used=UNDECIDED), ABLE, {})
    assert text.startswith("The map is flat: all items have nearly the same weight. Undecided: used.")


@pytest.mark.parametrize(("parts", "text"), [("a", "a"), ("ab", "a and b"), ("abc", "a, b and c")])
def test_lists(parts, text):
    assert listed(list(parts)) == text


@given(st.lists(WORDS, min_size=8, max_size=8), st.booleans())
def test_nothing_is_claimed_that_was_not_answered(words, alone):
    given_words = dict(zip(QUESTIONS, words, strict=True))
    answers = {question: Said(word, math.nan, 1 if alone else 3) for question, word in given_words.items()}
    text = sentence(answers, ABLE, {})
    item = "word" if given_words["located"] == YES else "state"
    for question, word in given_words.items():
        assert (ALLOWED[question].format(item=item, by="") in text) == (word == YES)
    assert (ALONE in text) == (alone and bool({YES, NO} & set(words)))


def test_several_trainings_on_one_frozen_encoder_are_called_that():
    assert FROZEN in sentence(said(stable=YES), ABLE, {}, frozen=True)
    assert FROZEN not in sentence(said(stable=YES), ABLE, {})
    assert FROZEN not in sentence(said(trainings=1, stable=NOT_ASKED, ranks=YES), ABLE, {}, frozen=True)
