from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_audit.corpus.draft import split_chunk
from attention_audit.corpus.source import Length, Preparation, Splits
from attention_audit.corpus.text import Text
from attention_audit.corpus.tokens import Tokens

words = st.sampled_from(
    ["it", "Mr.", "3.5", "end.", "end.Next", "what?!", '"yes."', "...", "\n", "\u00a0", "(a)", "<DE>"]
)
texts = st.text(max_size=40) | st.lists(words, max_size=12).map(" ".join)


def row(text: str, **settings: Any) -> tuple[list[str], list[int] | None]:
    """Return the words and sentence starts of a text."""
    preparation = Preparation(Tokens.model_validate(settings), Length(), Splits(), None)
    [made] = split_chunk([Text("id", None, "label", text, "place")], preparation).to_pylist()
    return made["tokens"], made["sentences"]


@pytest.mark.parametrize("tokenizer", ["en", "spaces"])
@settings(deadline=None)  # the first text loads spaCy
@given(text=texts, punctuation=st.sampled_from(["drop", "keep"]))
def test_sentences_start_at_increasing_places_and_change_no_words(tokenizer: str, text: str, punctuation: str) -> None:
    tokens, starts = row(text, tokenizer=tokenizer, punctuation=punctuation, sentences=True)
    assert starts is not None
    assert starts[:1] == [0][: len(tokens)]
    assert all(one < another for one, another in pairwise([*starts, len(tokens)]))
    assert row(text, tokenizer=tokenizer, punctuation=punctuation, sentences=False) == (tokens, None)
