from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.arrays import Flags
from attention_audit.corpus.prepare import DEV, TEST, TRAIN, UNKNOWN, find_short_and_long
from attention_audit.corpus.source import Length

Texts = list[tuple[int, int, int, int]]
"""Split, tokens, sentences and tokens of the longest sentence of each text."""
NAMES = ("words", "sentence_count", "longest")

most = st.none() | st.integers(1, 12)
above = most | st.just("shortest")
below = most | st.just("longest")
corpora = st.lists(
    st.tuples(st.sampled_from([TRAIN, DEV, TEST, UNKNOWN]), st.integers(1, 12), st.integers(1, 5), st.integers(1, 6)),
    max_size=40,
)


def dropped(texts: Texts, **length: Any) -> tuple[Flags, Flags]:
    table = pd.DataFrame(np.array(texts, np.int64).reshape(-1, 4), columns=["split", *NAMES])
    short, long = find_short_and_long(table, table["split"].to_numpy(), Length.model_validate(length))
    return short.to_numpy(), long.to_numpy()


@given(corpora, above, below)
def test_a_text_is_kept_exactly_where_its_length_lies_inside(
    texts: Texts, above: int | str | None, below: int | str | None
) -> None:
    short, long = dropped(texts, above=above, below=below)
    for i, (split, tokens, _, _) in enumerate(texts):
        peers = [other for where, other, _, _ in texts if where == split]
        least = min(peers) if above == "shortest" else above
        greatest = max(peers) if below == "longest" else below
        inside = (least is None or tokens > int(least)) and (greatest is None or tokens < int(greatest))
        assert inside or split == UNKNOWN or short[i] != long[i]
        assert not (short[i] or long[i]) or (split != UNKNOWN and not inside)


@given(corpora, most, most)
def test_bounds_on_sentences_leave_the_test_split_alone(
    texts: Texts, sentences: int | None, sentence: int | None
) -> None:
    short, long = dropped(texts, most_sentences=sentences, longest_sentence=sentence)
    assert not short.any()
    for out, (split, _, number, longest) in zip(long, texts, strict=True):
        beyond = number > (sentences or np.inf) or longest > (sentence or np.inf)
        assert out == (split in (TRAIN, DEV) and beyond)
