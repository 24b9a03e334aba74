"""Bootstrap intervals: against the normal law and scipy's, over seeds, in pairs, and where values are missing."""

import math

import numpy as np
import pytest
from scipy import stats

from attention_audit.answer.bootstrap import SEED, Floats, Statistic, bootstrap

VALUES = np.random.default_rng(0).exponential(2.0, 500)


def mean(values: Floats) -> Floats:
    """A statistic whose interval is known from elsewhere."""
    found: Floats = np.nanmean(values, axis=-1)
    return found


def median(values: Floats) -> Floats:
    """The statistic that tables have."""
    found: Floats = np.nanmedian(values, axis=-1)
    return found


def difference(statistic: Statistic) -> Statistic:
    """The difference of a statistic between two samples."""
    return lambda one, other: statistic(one) - statistic(other)


def test_the_mean_of_many_is_within_the_normal_laws_bounds() -> None:
    interval = bootstrap(mean, VALUES, seed=1, resamples=4000)
    error = 1.96 * VALUES.std() / math.sqrt(len(VALUES))
    assert interval.value == pytest.approx(VALUES.mean())
    assert interval.low == pytest.approx(VALUES.mean() - error, abs=error / 10)
    assert interval.high == pytest.approx(VALUES.mean() + error, abs=error / 10)


@pytest.mark.parametrize(("statistic", "theirs"), [(mean, np.mean), (median, np.median)])
def test_one_sample_is_scipys(statistic: Statistic, theirs: Statistic) -> None:
    ours = bootstrap(statistic, VALUES, seed=1, resamples=4000)
    expected = stats.bootstrap((VALUES,), theirs, n_resamples=4000, method="percentile", rng=2).confidence_interval
    assert (ours.low, ours.high) == pytest.approx(tuple(expected), rel=0.02)


def test_a_share_is_the_mean_of_flags() -> None:
    interval = bootstrap(mean, np.arange(400) < 100, seed=1, resamples=4000)
    assert interval.value == 0.25
    assert interval.low == pytest.approx(stats.binom(400, 0.25).ppf(0.025) / 400, abs=0.005)
    assert interval.high == pytest.approx(stats.binom(400, 0.25).ppf(0.975) / 400, abs=0.005)


@pytest.mark.parametrize("statistic", [mean, median])
def test_samples_are_compared_in_pairs(statistic: Statistic) -> None:
    assert bootstrap(difference(statistic), VALUES + 1, VALUES, seed=1, resamples=1000) == pytest.approx((1, 1, 1))
    seeds = np.stack([VALUES, 3 * VALUES])
    assert bootstrap(difference(statistic), seeds + 1, seeds, seed=1, resamples=1000) == pytest.approx((1, 1, 1))


def test_seeds_that_differ_widen_the_interval() -> None:
    """All instances alike: a mean of three seeds 0, 3 and 6 can be 0, with a chance of 1 in 27, but never less."""
    seeds = np.repeat([[0.0], [3.0], [6.0]], 50, axis=1)
    assert bootstrap(mean, seeds, seed=1, resamples=2000) == (3, 0, 6)
    assert bootstrap(mean, seeds[:1], seed=1, resamples=1000) == (0, 0, 0)


def test_seeds_that_agree_on_every_instance_are_one_seed() -> None:
    one, five = (bootstrap(median, np.tile(VALUES, (seeds, 1)), seed=1, resamples=1000) for seeds in (1, 5))
    assert one == five == bootstrap(median, VALUES, seed=1, resamples=1000)


def test_missing_values_are_left_out() -> None:
    holes = np.insert(VALUES, range(0, 500, 5), np.nan)
    for statistic in (mean, median):
        ours, full = (bootstrap(statistic, values, seed=1, resamples=2000) for values in (holes, VALUES))
        assert ours.value == pytest.approx(full.value)
        assert (ours.low, ours.high) == pytest.approx((full.low, full.high), rel=0.02)


def test_resamples_without_a_value_do_not_count() -> None:
    assert bootstrap(mean, [math.nan, math.nan, 4.0], seed=1, resamples=1000) == (4, 4, 4)
    assert np.isnan(bootstrap(mean, [math.nan, math.nan], seed=1, resamples=1000)).all()


def test_a_ratio_to_nothing_does_not_count() -> None:
    def ratio(wins: Floats, losses: Floats) -> Floats:
        return mean(wins) / mean(losses)

    interval = bootstrap(ratio, [1, 1, 1, 0], [0, 0, 0, 1], seed=1, resamples=1000)
    assert interval.value == 3
    assert math.isfinite(interval.high)


def test_memory_bounds_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = np.stack([VALUES, VALUES[::-1]])
    at_once = bootstrap(median, seeds, seed=1, resamples=50)
    monkeypatch.setattr("attention_audit.answer.bootstrap.CELLS", 3000)
    assert bootstrap(median, seeds, seed=1, resamples=50) == at_once
    assert bootstrap(median, seeds, seed=2, resamples=50) != at_once
    assert bootstrap(median, seeds, resamples=50) == bootstrap(median, seeds, seed=SEED, resamples=50)


def test_samples_of_other_instances_are_refused() -> None:
    with pytest.raises(ValueError, match=r"differ in shape: \[\(1, 3\), \(1, 2\)\]"):
        bootstrap(difference(mean), [1, 2, 3], [1, 2], seed=1, resamples=1000)
