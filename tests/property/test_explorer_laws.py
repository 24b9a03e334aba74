"""What a page computes from a view as it is written, against the readouts; and what a sample is."""

import math
from collections import Counter
from dataclasses import replace

import explored
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readouts import make_pairs, make_readout
from test_explorer import build

from attention_audit.explorer.document import order_texts, pack_view, round_digits, share_room
from attention_audit.readout import Maps

TOLERANCE = 1e-3
"""What is promised of every logit."""


def readout_of(kind, lengths, seed, **further):
    """A readout of a kind; what a Transformer's heads say is their mean alone."""
    outputs = {"two classes": 1, "several classes": 5, "pairs": 6, "heads": 2}[kind]
    made = (make_pairs if kind == "pairs" else make_readout)(lengths, outputs, seed=seed, **further)
    if kind != "heads":
        return made
    random = np.random.default_rng(seed)
    several = [random.dirichlet(np.full(n, further["peak"]), 3).T.astype(np.float32) for n in lengths]
    maps = Maps(several, np.zeros(len(lengths), np.int64))
    return replace(made, attention=[weights.mean(1) for weights in several], several=maps)


def view_of(first, second, other):
    """The view of a model with two seeds and one adversary, as it is read from the page."""
    _, view = build(first, runs={1: first, 2: second}, others=[("adversary", "adversary", "", other)])
    return explored.unpack(pack_view(view))


def list_exact(readout, place, weights):
    """The logits of a text under some weights, in plain arithmetic with every digit of the readout."""
    z, bias = (part[place].astype(np.float64).ravel().tolist() for part in (readout.contribution, readout.bias))
    tail = None
    if readout.head is not None:
        tail = dict(zip(("weight", "bias"), (part.double().tolist() for part in readout.head), strict=True))
    candidates = None if readout.candidates is None else readout.candidates[place].tolist()
    return explored.logits_of(explored.scores(weights, z, bias), tail, candidates)


@pytest.mark.parametrize("kind", ["two classes", "several classes", "pairs", "heads"])
@settings(max_examples=8)
@given(
    lengths=st.lists(st.integers(1, 30), min_size=1, max_size=4),
    seed=st.integers(0, 10**6),
    size=st.sampled_from([0.1, 3.0, 40.0]),
    peak=st.sampled_from([0.02, 1.0, 20.0]),
)
def test_every_logit_of_the_page_is_that_of_the_readout(kind, lengths, seed, size, peak):
    first, second, other = (readout_of(kind, lengths, seed + number, size=size, peak=peak) for number in range(3))
    view = view_of(first, second, other)
    sources = {"attention:1": first, "attention:2": second, "adversary": other}
    for place, length in enumerate(lengths):
        even = [1 / length] * length
        maps = [(even, even)] + [
            (
                np.atleast_2d(np.array(view["maps"][key][place])).mean(0).tolist(),
                source.attention[place].astype(np.float64).tolist(),
            )
            for key, source in sources.items()
        ]
        for number, states in ((1, first), (2, second)):
            for shown, exact in maps:
                found, wanted = explored.list_shown(view, number, place, shown), list_exact(states, place, exact)
                # classes that cannot be the answer have minus infinity
                assert found == pytest.approx(wanted, rel=0, abs=TOLERANCE)


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=20))
def test_six_digits_are_those_that_python_writes(values):
    for rounded, value in zip(round_digits(np.array(values)).tolist(), values, strict=True):
        assert rounded == (float(f"{value:.6g}") if abs(value) >= 1e-7 else 0) or math.isclose(
            rounded, value, rel_tol=5.0001e-6
        )
        assert len(f"{rounded!r}".lstrip("-").partition("e")[0].replace(".", "").strip("0")) <= 6


@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.data())
def test_any_beginning_of_a_sample_is_stratified(strata, data):
    ids = [f"text-{place}" for place in range(len(strata))]
    order = order_texts(ids, strata)
    assert sorted(order) == [*range(len(ids))]
    count = data.draw(st.integers(1, len(ids)))
    found, whole = (Counter(strata[place] for place in places) for places in (order[:count], order))
    if count >= len(whole):
        assert all(found[stratum] for stratum in whole)
    # as much as its share, to the one text that each stratum has at least
    for stratum, members in whole.items():
        assert abs(found[stratum] - count * members / len(ids)) <= len(whole)
    # which texts are drawn does not depend on their order
    assert {ids[place] for place in order[:count]} == {
        ids[::-1][place] for place in order_texts(ids[::-1], strata[::-1])[:count]
    }


@given(st.lists(st.tuples(st.integers(1, 2000), st.floats(1, 1e4)), min_size=1, max_size=6), st.floats(0, 1e7))
def test_what_is_shown_fits_and_no_room_is_left_that_somebody_needs(sets, room):
    counts = {str(place): count for place, (count, _) in enumerate(sets)}
    sizes = {str(place): size for place, (_, size) in enumerate(sets)}
    fitted = share_room(counts, sizes, room)
    used = sum(fitted[name] * sizes[name] for name in counts)
    assert all(1 <= fitted[name] <= counts[name] for name in counts)
    if used > room:
        # of some data set not one text fits
        assert any(fitted[name] == 1 for name in counts)
    short = [name for name in counts if fitted[name] < counts[name]]
    # but for a text of each, nothing is left, and nobody has more than one who is short
    one_of_each = sum(sizes.values()) + 1e-6 * room
    if short:
        assert room - used < one_of_each
        # a text that does not fit leaves its room to the others, which may have a text of each more than an equal share
        least = min((fitted[name] + 1) * sizes[name] for name in short)
        assert all(fitted[name] * sizes[name] <= least + one_of_each for name in counts)
