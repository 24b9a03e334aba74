from math import ceil

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.corpus.drawing import DEV, LEFT_OUT, TEST, TRAIN, UNKNOWN_CODE, assign
from attention_audit.corpus.source import Splits

splits = st.builds(
    Splits,
    test=st.floats(0.1, 0.4),
    test_seed=st.integers(0, 99),
    dev=st.floats(0.1, 0.4),
    dev_seed=st.integers(0, 99),
    stratified=st.just(False),
    test_sample=st.none() | st.floats(0.3, 0.7),
)


@given(st.data(), splits)
def test_every_text_is_in_one_split_and_those_of_the_source_stay(data, way):
    named = data.draw(st.sets(st.sampled_from([DEV, TEST])))
    own = np.array(
        data.draw(st.lists(st.sampled_from([TRAIN, UNKNOWN_CODE, *sorted(named)]), min_size=10, max_size=60))
    )
    own = np.concatenate([own, [TRAIN] * 5, *([code] * 4 for code in sorted(named))])
    labels = np.zeros(len(own), np.int64)
    made = assign("own", own, labels, labels, way)
    pool = int(np.isin(own, (TRAIN, UNKNOWN_CODE)).sum())
    if TEST in named:
        kept, tests = (made == TEST).sum(), (own == TEST).sum()
        assert np.array_equal(np.isin(made, (TEST, LEFT_OUT)), own == TEST)
        assert kept == (tests if way.test_sample is None else tests - ceil(tests * (1 - way.test_sample)))
    else:
        assert (made == TEST).sum() == ceil(pool * way.test)
        assert LEFT_OUT not in made
        pool -= ceil(pool * way.test)
    if DEV in named:
        assert np.array_equal(made == DEV, own == DEV)
    else:
        assert (made == DEV).sum() == ceil(pool * way.dev)
    assert np.isin(own[made == TRAIN], (TRAIN, UNKNOWN_CODE)).all()


@given(st.integers(2, 20), st.integers(0, 99), st.floats(0.1, 0.5))
def test_a_stratified_draw_takes_its_share_of_every_class(classes, seed, share):
    sizes = [10 + (7 * label + seed) % 30 for label in range(classes)]
    labels = np.random.default_rng(seed).permutation(np.repeat(np.arange(classes), sizes))
    made = assign("own", np.full(len(labels), UNKNOWN_CODE), labels, labels, Splits(test=share, test_seed=seed))
    for label, size in enumerate(sizes):
        assert abs((labels[made == TEST] == label).sum() - share * size) < 2
