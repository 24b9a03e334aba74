"""What the words of texts at hand are: words, pieces of the tokenizer, sentences, or spans of characters.

What no span covers is read, and ranked never, as the marks of a tokenizer are. A piece that two units share is of the
one that has its first letter.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

from attention_audit.corpus.rationales import Span
from attention_audit.corpus.tokens import Tokens
from attention_audit.corpus.units import split_units
from attention_audit.errors import AuditError
from attention_audit.given import make_list
from attention_audit.raw_text import RawText
from attention_audit.transformer.pieces import find_added
from attention_audit.transformer.settings import Granularity

PIECE_FORMS = {
    "##": (r"##\w.*", 0.01),
    "▁": (r"▁.*", 0.01),
    "@@": (r".+@@", 0.01),
    "</w>": (r".+</w>", 0.01),
    "Ġ": (r"Ġ.*", 0.25),
}
"""How pieces of a word are written, and the share of them from which all tokens are such; Ġ is a letter of Maltese."""
Spans = Sequence[Sequence[Span]]
"""Of each text, the characters at which each unit begins and ends."""


def refuse_pieces(words: Sequence[str], argument: str, remedy: str) -> None:
    """Raise AuditError where words are pieces of words, as tokenizers write them."""
    for sign, (form, share) in PIECE_FORMS.items():
        pieces = [word for word in words if re.fullmatch(form, word)]
        if len(pieces) >= share * len(words) and pieces:
            raise AuditError(argument, f"holds pieces of words, such as {pieces[0]!r} with its {sign}", remedy)


def check_spans(spans: Any, texts: Sequence[str]) -> list[list[Span]]:
    """Check spans of N texts, and sort those of each. Raises AuditError, naming the text, where they overlap, lie
    outside of it, or hold no letter.
    """
    entries = make_list(spans, "spans", len(texts))
    checked = []
    for number, (of_text, text) in enumerate(zip(entries, texts, strict=True)):
        place = f"spans: text {number}"
        try:
            ordered = sorted((int(start), int(stop)) for start, stop in of_text)
        except (TypeError, ValueError) as error:
            raise AuditError(place, f"has {of_text!r:.40}", "give pairs (start, stop) of characters") from error
        if not ordered:
            raise AuditError(place, "has none", "give one or more, or leave the text out")
        for start, stop in ordered:
            if not 0 <= start < stop <= len(text):
                fault = f"({start}, {stop}) is not within its {len(text)} characters"
                raise AuditError(place, fault, "count characters from 0")
            if not text[start:stop].strip():
                raise AuditError(place, f"({start}, {stop}) holds no letter", "leave it out")
        for first, second in pairwise(ordered):
            if second[0] < first[1]:
                raise AuditError(place, f"{first} and {second} overlap", "units are apart")
        checked.append(ordered)
    return checked


@dataclass(frozen=True)
class Units:
    """Finds the units of texts. spans: those of each text, None where they are found by `granularity`."""

    granularity: Granularity
    tokens: Tokens
    tokenizer: Any
    spans: Sequence[Sequence[Span]] | None = None

    def find(self, text: str, number: int) -> tuple[list[str], RawText]:
        """Find the units of a text, by its number, and where they stand in it."""
        if self.spans is not None:
            spans = self.spans[number]
            edges = [0, *(at for span in spans for at in span), len(text)]
            outside = [*zip(edges[::2], edges[1::2], strict=True)]
            begins = [start + len(text[start:stop]) - len(text[start:stop].lstrip()) for start, stop in spans]
            return [text[start:stop].strip() for start, stop in spans], RawText(text, begins, outside=outside)
        # special and added tokens are one word each
        added = [text[start:stop] for start, stop in find_added(self.tokenizer, text)]
        tokens = self.tokens.model_copy(update={"whole": added}) if added else self.tokens
        split = split_units(text, tokens, self.granularity, self.tokenizer)
        return split.words, RawText(text, [start for start, _ in split.places])


def choose_granularity(granularity: Any, spans: Any, columns: Mapping[str, Any]) -> Granularity:
    """Check which units are asked for. columns: the texts, or both of each pair. Raises AuditError where it is unknown,
    and for spans of pairs.
    """
    known: Sequence[Granularity] = get_args(Granularity)
    if granularity not in known:
        raise AuditError("granularity", f"{granularity!r:.40} is not known", f"give {', '.join(known)}, or `spans`")
    if spans is not None and len(columns) > 1:
        raise AuditError("spans", "are of single texts, and these are pairs", "use granularity")
    return known[known.index(granularity)]
