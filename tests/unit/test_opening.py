"""Which text a reader sees first."""

from math import nan

import pandas as pd
import pytest

from attention_audit.report.first_text import FAR_JSD, NO_REASON, SURE_PROBABILITY, choose_first_text

PLAIN = {"right": True, "sure": 0.9, "words": 12, "others": 4, "agree": 4, "moved": 0.1}
SPLIT = PLAIN | {"agree": 1}
MOVED = PLAIN | {"moved": 0.5}


def opening(*texts, item="word"):
    return choose_first_text(pd.DataFrame(texts), item)


def chosen(*texts):
    return opening(*texts)[0]


def test_trainings_that_disagree_and_a_far_adversary_come_before_one_of_them():
    both = SPLIT | {"agree": 3, "moved": 0.4}
    assert chosen(PLAIN, MOVED, SPLIT, both) == 3
    assert chosen(PLAIN, MOVED, SPLIT) == 2
    assert chosen(PLAIN, MOVED) == 1


def test_of_equals_the_most_disagreement_decides_then_the_distance_then_the_order():
    assert chosen(SPLIT | {"agree": 2}, SPLIT, SPLIT) == 1
    assert chosen(SPLIT, SPLIT | {"moved": 0.2}, SPLIT | {"moved": nan}) == 1
    # digits that no page has decide nothing
    assert chosen(SPLIT | {"moved": 0.20001}, SPLIT | {"moved": 0.20002}) == 0


@pytest.mark.parametrize("change", [{"right": False}, {"sure": SURE_PROBABILITY - 0.01}])
def test_the_model_is_right_and_sure(change):
    poor = SPLIT | change
    assert chosen(poor, MOVED) == 1
    assert opening(poor) == (0, NO_REASON.format(item="word"))


def test_a_text_of_readable_length_comes_before_a_better_reason():
    assert [chosen(SPLIT | {"words": words}, MOVED) for words in (7, 8, 30, 31)] == [1, 0, 0, 1]
    assert chosen(PLAIN, SPLIT | {"words": 200}) == 1


def test_the_reason_is_a_sentence():
    assert opening(SPLIT)[1] == (
        "Shown first because the model is right and sure (0.90), while 3 of the 4 other trainings have another top "
        "word."
    )
    all_differ = SPLIT | {"agree": 0, "moved": 0.5}
    assert opening(all_differ, item="sentence")[1].endswith(
        "while all 4 other trainings have another top sentence and an adversary moves the map by 0.50 of at most 0.69 "
        "(JSD)."
    )
    assert "while the other training has another top word." in opening(PLAIN | {"others": 1, "agree": 0})[1]
    one = PLAIN | {"agree": 3}
    assert "while 1 of the 4 other trainings has another top word." in opening(one)[1]


def test_without_a_reason_it_is_the_first_text_and_that_is_said():
    near, alone = PLAIN | {"moved": FAR_JSD}, dict.fromkeys(PLAIN) | {"right": True, "sure": 0.99, "words": 12}
    assert opening(near, alone) == (0, NO_REASON.format(item="word"))
