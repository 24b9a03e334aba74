"""English words as spaCy finds them, by the rules in its files and without itself, whose import takes longer than a
model takes to read some texts.

What stands between white space is a chunk. Prefixes and suffixes are taken off until a special case is left, such as
don't, or nothing more comes off; what is then left is cut at its infixes, unless it is an address. Special cases that
have such parts themselves, such as :), are found again among the tokens of the text. These are the tokens of spaCy's
`Tokenizer` (spacy.io/usage/linguistic-features#how-tokenizer-works).
"""

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from types import ModuleType
from typing import Any

from .rationales import Span

ENGLISH = "en"
DEIDENTIFIED = "<DE>"
"""The word that stands for a de-identified passage of MIMIC; it is never changed."""
FURTHER_SUFFIX = r"(?<=[\u0530-\u1cff])[.։]"
"""spaCy parts the full stop from the letters of some scripts alone, without Armenian, Gujarati and Malayalam."""
ALIAS = "attention_audit_rules"
"""What spaCy's folder is called while its rules are read, since under its own name all of it is imported."""
RULES = ("punctuation", "tokenizer_exceptions", "en.punctuation", "en.tokenizer_exceptions")
CHUNK = re.compile(r"\S+|\s+")
MAX_CHUNKS = 2**18
"""Different chunks that are kept in memory at most, with their tokens."""


def list_spacy_folders() -> Sequence[str]:
    """List the folders of spaCy, which is located and not imported."""
    spec = find_spec("spacy")
    return (spec and spec.submodule_search_locations) or ()


def update_exceptions(base: Mapping[str, Any], further: Mapping[str, Any]) -> dict[str, Any]:
    """Add special cases to others, with both kinds of apostrophe."""
    joined = {**base, **further}
    curled = {
        chunk.replace("'", "’"): [{"orth": token["orth"].replace("'", "’")} for token in tokens]
        for chunk, tokens in joined.items()
        if "'" in chunk
    }
    return joined | curled


def import_rules() -> list[Any]:
    """Import the modules `RULES` from spaCy's folder; what they import of the rest of spaCy is as much as they need."""
    contents: dict[str, dict[str, Any]] = {
        path: {"__path__": [f"{folder}/{path.replace('.', '/')}" for folder in list_spacy_folders()]}
        for path in ("", ".lang", ".lang.en")
    }
    contents |= {".symbols": {"ORTH": "orth", "NORM": "norm"}, ".util": {"update_exc": update_exceptions}}
    for path, content in contents.items():
        sys.modules[ALIAS + path] = module = ModuleType(ALIAS + path)
        vars(module).update(content)
    try:
        return [import_module(f"{ALIAS}.lang.{name}") for name in RULES]
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == ALIAS]:
            del sys.modules[name]


def find_length(match: re.Match[str] | None) -> int:
    """Return how many characters match."""
    return match.end() - match.start() if match else 0


@dataclass(frozen=True)
class EnglishRules:
    """The rules. special: the tokens of each special case. repeated: of those with parts that come off, the tokens that
    they would have otherwise, by the first of these.
    """

    prefix: re.Pattern[str]
    suffix: re.Pattern[str]
    infix: re.Pattern[str]
    match_address: Callable[[str], Any]
    special: Mapping[str, Sequence[str]]
    repeated: Mapping[str, Sequence[Sequence[str]]]

    def cut(self, chunk: str, special: Mapping[str, Sequence[str]]) -> list[str]:
        """Cut a chunk into its tokens; `special` ones stay."""
        before, behind, size = list[str](), list[str](), -1
        while chunk and len(chunk) != size and chunk not in special:
            size = len(chunk)
            begin = find_length(self.prefix.search(chunk))
            if chunk[begin:] in special:
                before.append(chunk[:begin])
                chunk = chunk[begin:]
                break
            end = size - find_length(self.suffix.search(chunk[begin:]))
            if chunk[:end] in special:
                behind.append(chunk[end:])
                chunk = chunk[:end]
                break
            before += [chunk[:begin]] * (begin > 0)
            behind += [chunk[end:]] * (end < size)
            chunk = chunk[begin:end]
        middle = [chunk]
        if chunk in special:
            middle = [*special[chunk]]
        elif not self.match_address(chunk):
            # an infix at the start parts nothing
            edges = [at for match in self.infix.finditer(chunk) if match.start() for at in match.span()]
            middle = [chunk[start:stop] for start, stop in zip([0, *edges], [*edges, len(chunk)], strict=True)]
        return [token for token in (*before, *middle, *behind[::-1]) if token]

    def find(self, tokens: list[str], places: list[int], text: str) -> Iterator[tuple[int, int, Sequence[str]]]:
        """Find special cases that are several tokens: from where to where these are, and which they should be."""
        found = [
            (len(sequence), -at)
            for at, token in enumerate(tokens)
            for sequence in self.repeated.get(token, ())
            if tokens[at : at + len(sequence)] == sequence
        ]
        taken: set[int] = set()
        # the longest first, and of these the first one
        for size, at in sorted(found, reverse=True):
            start, stop = -at, size - at
            if not taken & {start, stop - 1}:
                written = text[places[start] : places[stop - 1] + len(tokens[stop - 1])]
                if written in self.special:
                    yield start, stop, self.special[written]
            taken |= {*range(start, stop)}


def join_rules(rules: Sequence[str], form: str = "{}") -> re.Pattern[str]:
    """Compile rules as one, each in a form; some are empty."""
    return re.compile("|".join(form.format(rule) for rule in rules if rule.strip()))


@cache
def read_rules() -> EnglishRules:
    """Read the rules of the spaCy that is installed."""
    punctuation, shared, english, exceptions = import_rules()
    special = {
        chunk: [token["orth"] for token in tokens] for chunk, tokens in exceptions.TOKENIZER_EXCEPTIONS.items()
    } | {DEIDENTIFIED: [DEIDENTIFIED]}
    repeated: defaultdict[str, list[list[str]]] = defaultdict(list)
    rules = EnglishRules(
        join_rules(punctuation.TOKENIZER_PREFIXES, "^{}"),
        join_rules([*punctuation.TOKENIZER_SUFFIXES, FURTHER_SUFFIX], "{}$"),
        join_rules(english.TOKENIZER_INFIXES),
        shared.URL_MATCH,
        special,
        repeated,
    )
    for chunk in special:
        if any(rule.search(chunk) for rule in (rules.prefix, rules.infix, rules.suffix)):
            tokens = rules.cut(chunk, {})
            repeated[tokens[0]].append(tokens)
    return rules


@lru_cache(MAX_CHUNKS)
def cut_chunk(chunk: str) -> list[str]:
    """Cut a chunk into its tokens, as often as it comes."""
    rules = read_rules()
    return rules.cut(chunk, rules.special)


def find_english_words(text: str) -> list[Span]:
    """Find where the words of a text begin and end, in order."""
    tokens, places = list[str](), list[int]()
    for match in CHUNK.finditer(text):
        chunk, start = match[0], match.start()
        if chunk.isspace():
            # one space behind a word is no token
            cut = [chunk[1:] if start and chunk[0] == " " else chunk]
            start = match.end() - len(cut[0])
        else:
            cut = cut_chunk(chunk)
        if cut[0]:
            tokens += cut
            places += [*accumulate(map(len, cut), initial=start)][:-1]
    for first, stop, parts in sorted(read_rules().find(tokens, places, text), reverse=True):
        places[first:stop] = [*accumulate(map(len, parts), initial=places[first])][:-1]
        tokens[first:stop] = parts
    return [(at, at + len(token)) for at, token in zip(places, tokens, strict=True) if not token.isspace()]
