import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from attention_audit.corpus.drawing import DEV, TEST, TRAIN, UNKNOWN_CODE, assign
from attention_audit.corpus.source import Splits
from attention_audit.errors import AuditError

LABELS = np.array([0] * 160 + [1] * 40)
"""Two hundred texts, one in five of class 1."""


def assigned(splits, labels=LABELS, alike=LABELS, **settings):
    return assign("own", splits, labels, alike, Splits.model_validate(settings))


DRAWN = np.full(len(LABELS), UNKNOWN_CODE)
"""Texts of which no split is known."""


def test_the_draw_is_that_of_scikit_learn():
    """Jain & Wallace draw with it, so that a seed of theirs gives their splits."""
    pool, test = train_test_split(np.arange(200), test_size=0.2, random_state=13478, stratify=LABELS)
    train, dev = train_test_split(pool, test_size=0.15, random_state=7, stratify=LABELS[pool])
    splits = assigned(DRAWN, test=0.2, test_seed=13478, dev=0.15, dev_seed=7)
    for code, members in ((TRAIN, train), (DEV, dev), (TEST, test)):
        assert set(np.flatnonzero(splits == code)) == set(members)


def test_a_sample_of_the_sources_own_test_split_is_stratified():
    own, labels = np.repeat([TRAIN, TEST], 100), np.tile([0, 1], 100)
    splits = assigned(own, labels, test_sample=0.2, test_seed=3)
    assert np.bincount(labels[splits == TEST]).tolist() == [10, 10]


def test_without_training_texts_nothing_is_drawn():
    tests = np.full(len(LABELS), TEST)
    assert np.array_equal(assigned(tests), tests)
    assert len(assigned(LABELS[:0], LABELS[:0])) == 0


@pytest.mark.parametrize("labels", [[0, 0, 0, 1], [0], [0, 1, 2, 3, 4, 5]])
def test_too_few_texts_are_refused_in_one_line(labels):
    message = rf"^own: {len(labels)} texts cannot be split into \d and \d .*; give more texts, or set `splits\.strat"
    with pytest.raises(AuditError, match=message):
        assigned(np.full(len(labels), UNKNOWN_CODE), np.array(labels))


def test_texts_that_are_alike_fall_into_one_split():
    alone, together = np.arange(200), {"alike_together": True}
    assert np.array_equal(assigned(DRAWN, alike=alone, **together), assigned(DRAWN))
    # each text stands twice, and the second time behind all others
    twice = assigned(np.tile(DRAWN, 2), np.tile(LABELS, 2), np.tile(alone, 2), **together)
    assert np.array_equal(twice, np.tile(assigned(DRAWN), 2))
    # of 68 pairs that are trained on, 91 texts are taken
    some = assigned(DRAWN, alike=alone // 2, most={"train": 91}, **together)
    assert (some == TRAIN).sum() == 91
    # the file's own splits: what is alike to a test text is one
    own = np.array([TRAIN] * 150 + [DEV] * 25 + [TEST] * 25)
    alike = alone.copy()
    alike[:10], alike[10:20] = np.arange(190, 200), np.arange(160, 170)
    expected = own.copy()
    expected[:10], expected[10:20] = TEST, DEV
    assert np.array_equal(assigned(own, alike=alike, **together), expected)
