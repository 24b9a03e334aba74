"""Laws of readouts from elsewhere: what is written is imported with the same numbers, for any readout."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_audit.audits.erasure import find_contributions
from attention_audit.given import PADDING_WORDS, check_readout, readout, softmax
from attention_audit.given.files import read_given_readout, write_given_readout
from attention_audit.stages.import_readout import build_readout

WORDS = st.lists(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=5).filter(
        lambda word: word not in PADDING_WORDS
    ),
    min_size=1,
    max_size=6,
)


COLUMNS = ("attention", "contribution", "bias", "probabilities")


@st.composite
def readouts(draw):
    """Up to five texts of any words, with any heads and classes."""
    tokens = draw(st.lists(WORDS, min_size=1, max_size=5))
    outputs, heads = draw(st.integers(1, 4)), draw(st.integers(0, 3))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    attention = [random.dirichlet(np.ones(len(words)), heads or None) for words in tokens]
    contribution = [random.normal(0, 2, (len(words), outputs)) for words in tokens]
    # the same for all texts, since any contributions would fit where each had its own
    bias = random.normal(size=outputs)
    logits = [np.atleast_2d(a).mean(0) @ z + bias for a, z in zip(attention, contribution, strict=True)]
    marked = [draw(st.none() | st.sets(st.integers(0, len(words) - 1), min_size=1)) for words in tokens]
    return readout(
        tokens,
        attention,
        contribution,
        bias,
        random.integers(0, max(2, outputs), len(tokens)),
        [*map(softmax, logits)],
        evidence=[None if each is None else sorted(each) for each in marked],
        maps={name: [random.normal(size=len(words)) for words in tokens] for name in draw(st.sampled_from(["", "ab"]))},
    )


@given(readouts(), st.sampled_from(["parquet", "npz"]), st.booleans())
@settings(max_examples=60)
def test_what_was_written_is_read_with_the_same_numbers(given_, ending, bare):
    if bare:  # a map from which no predictions follow
        nothing = [np.empty((len(words), 0)) for words in given_.tokens]
        given_ = replace(given_, contribution=nothing, bias=np.empty((len(given_), 0)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"given.{ending}"
        write_given_readout(given_, path)
        read = read_given_readout(path)
    assert (read.ids, read.tokens, read.evidence) == (given_.ids, given_.tokens, given_.evidence)
    assert read.labels.tolist() == given_.labels.tolist()
    assert (read.place, [*read.maps]) == (str(path), [*given_.maps])
    held, written = ([*(getattr(one, name) for name in COLUMNS), *one.maps.values()] for one in (read, given_))
    for ours, theirs in zip(held, written, strict=True):
        assert all(map(np.array_equal, ours, theirs))


@given(readouts())
@settings(max_examples=60)
def test_an_imported_readout_predicts_what_was_given(given_):
    check_readout(given_)
    read = build_readout(given_)
    assert np.abs(read.predict(read.attention) - given_.probabilities).max() < 1e-5
    if given_.heads > 1:
        of_heads = zip(read.several.weights, given_.attention, strict=True)
        assert all(np.allclose(own.T, other, atol=1e-6) for own, other in of_heads)
    for texts in read.batches(torch.float64):
        exact = find_contributions(texts)
        assert exact.isfinite().all()
