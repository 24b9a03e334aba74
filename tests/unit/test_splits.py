from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from sklearn.model_selection import train_test_split

from attention_audit.arrays import Integers
from attention_audit.corpus.prepare import DEV, LEFT_OUT, TEST, TRAIN, UNKNOWN, assign
from attention_audit.corpus.source import Splits
from attention_audit.errors import AuditError

LABELS = np.array([0] * 160 + [1] * 40)
"""Two hundred texts, one in five of class 1."""


def assigned(splits: Integers, labels: Integers = LABELS, **settings: Any) -> Integers:
    return assign("own", splits, labels, Splits.model_validate(settings))


def sizes(splits: Integers, labels: Integers = LABELS) -> dict[int, tuple[int, int]]:
    """Texts of class 0 and of class 1 in each split."""
    return {int(code): tuple(np.bincount(labels[splits == code], minlength=2).tolist()) for code in np.unique(splits)}


def whole(code: int) -> Integers:
    return np.full(len(LABELS), code)


def test_the_draw_is_that_of_scikit_learn() -> None:
    """Jain & Wallace draw with it, so that a seed of theirs gives their splits."""
    pool, test = train_test_split(np.arange(200), test_size=0.2, random_state=13478, stratify=LABELS)
    train, dev = train_test_split(pool, test_size=0.15, random_state=7, stratify=LABELS[pool])
    splits = assigned(whole(UNKNOWN), test=0.2, test_seed=13478, dev=0.15, dev_seed=7)
    for code, members in ((TRAIN, train), (DEV, dev), (TEST, test)):
        assert set(np.flatnonzero(splits == code)) == set(members)


def test_the_seeds_decide_each_its_own_draw() -> None:
    one, other = assigned(whole(UNKNOWN), dev_seed=1), assigned(whole(UNKNOWN), dev_seed=2)
    assert np.array_equal(one, assigned(whole(UNKNOWN), dev_seed=1))
    assert np.array_equal(one == TEST, other == TEST)
    assert not np.array_equal(one == DEV, other == DEV)
    assert not np.array_equal(one == TEST, assigned(whole(UNKNOWN), test_seed=2) == TEST)


def test_a_sample_of_the_sources_own_test_split() -> None:
    own = np.repeat([TRAIN, TEST], 100)
    labels = np.tile([0, 1], 100)
    splits = assigned(own, labels, test_sample=0.2)
    assert sizes(splits, labels)[TEST] == (10, 10)
    assert sizes(splits, labels)[LEFT_OUT] == (40, 40)
    assert np.array_equal(np.isin(splits, (TEST, LEFT_OUT)), own == TEST)


def test_without_training_texts_nothing_is_drawn() -> None:
    assert np.array_equal(assigned(whole(TEST)), whole(TEST))
    assert len(assigned(LABELS[:0], LABELS[:0])) == 0


@pytest.mark.parametrize("labels", [[0, 0, 0, 1], [0], [0, 1, 2, 3, 4, 5]])
def test_too_few_texts_are_refused_in_one_line(labels: list[int]) -> None:
    message = (
        rf"^own: {len(labels)} texts cannot be split 80% to 20% .*; give more texts, or set splits\.stratified: false$"
    )
    with pytest.raises(AuditError, match=message):
        assigned(np.full(len(labels), UNKNOWN), np.array(labels))


@pytest.mark.parametrize("share", [0.0, 1.0])
@pytest.mark.parametrize("key", ["test", "dev", "test_sample"])
def test_a_share_lies_between_nothing_and_all(key: str, share: float) -> None:
    with pytest.raises(ValidationError):
        Splits.model_validate({key: share})


def test_texts_that_are_alike_fall_into_one_split() -> None:
    alone = np.arange(200)
    settings = Splits()
    assert np.array_equal(assign("own", whole(UNKNOWN), LABELS, settings, alone), assigned(whole(UNKNOWN)))
    # each text stands twice, and the second time behind all others
    twice = assign("own", np.tile(whole(UNKNOWN), 2), np.tile(LABELS, 2), settings, np.tile(alone, 2))
    assert np.array_equal(twice, np.tile(assigned(whole(UNKNOWN)), 2))
    # the file's own splits: what is alike to a test text is one
    own = np.array([TRAIN] * 150 + [DEV] * 25 + [TEST] * 25)
    alike = alone.copy()
    alike[:10], alike[10:20] = np.arange(190, 200), np.arange(160, 170)
    expected = own.copy()
    expected[:10], expected[10:20] = TEST, DEV
    assert np.array_equal(assign("own", own, LABELS, settings, alike), expected)
