"""Which words of a text a source marks, for tests of sources that split their texts themselves."""

from attention_audit.corpus.rationales import align
from attention_audit.corpus.text import Text


def marked(text: Text) -> list[int] | None:
    """The positions that most annotators mark; None where there are none."""
    if text.annotations is None:
        return None
    return align(text.annotations, [(at, at + 1) for at in range(len(text.text))]).majority
