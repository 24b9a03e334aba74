"""The language of some texts, by their script and frequent words, and whether they have spaces."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from string import punctuation

from pydantic import ValidationError

from attention_audit.corpus.tokens import PACKAGES, SPACES, UNSPACED, Tokens, blank, describe_missing, splitting
from attention_audit.errors import AuditError

LANGUAGES = dict(
    line.split(maxsplit=1)
    for line in """
    LATIN en de fr es it pt nl da sv nb fi pl cs hu ro tr id hr vi
    CYRILLIC ru uk bg sr mk
    ARABIC ar fa ur
    DEVANAGARI hi mr ne
    HIRAGANA ja
    KATAKANA ja
    HANGUL ko
    CJK zh
    THAI th
    KHMER km
    LAO lo
    MYANMAR my
    TIBETAN bo
    HEBREW he
    GREEK el
    BENGALI bn
    TAMIL ta
    TELUGU te
    KANNADA kn
    MALAYALAM ml
    GUJARATI gu
    ARMENIAN hy
    SINHALA si
    ETHIOPIC am
    """.strip().splitlines()
)
"""Codes of languages, as `Tokens` has them, by script, as Unicode calls it."""
KANA = 0.05
"""Share of the letters from which on they are Japanese, most of whose letters may be Chinese ones."""
SIGNS = f"{punctuation}«»“”„‘’…।،؟"
COMMON = 0.15
"""Share of the words of a text that are among the frequent ones of its language, at least."""
SPACES_A_LETTER = 0.1
"""Spaces between the letters of a text without spaces, at most; twice as many where most words are of two letters."""
FEW, SAMPLE, BEGINNING = 0.05, 500, 2000
"""Share of letters of scripts without spaces beyond which they count; texts that are looked at; characters of each."""
LETTERS, GAPS = re.compile(f"[{UNSPACED}]"), re.compile(rf"(?<=[{UNSPACED}])\s+(?=[{UNSPACED}])")


def sample_texts(texts: Sequence[str]) -> list[str]:
    """Return the beginnings of some of the texts."""
    return [text[:BEGINNING] for text in texts[:: max(len(texts) // SAMPLE, 1)]]


def language_of(texts: Sequence[str]) -> tuple[str, bool]:
    """spaCy's code of the language of some texts, by their script and by its frequent words; and whether it is sure.

    Without a sign of another one it is en in Latin script, and xx, any language, in others.
    """
    texts = sample_texts(texts)
    letters = filter(str.isalpha, "".join(texts))
    scripts = Counter(unicodedata.name(letter, "?").partition(" ")[0] for letter in letters)
    if not scripts:
        return "en", False
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > KANA * scripts.total():
        return "ja", True
    script = max(scripts, key=lambda name: scripts[name])
    codes = LANGUAGES.get(script, "xx").split()
    if len(codes) == 1:
        return codes[0], codes != ["xx"]
    from spacy.util import get_lang_class  # imported here, since it takes a second

    words = [word.strip(SIGNS) for word in " ".join(texts).lower().split()]
    common = {code: get_lang_class(code).Defaults.stop_words for code in codes}
    shares = {code: sum(word in common[code] for word in words) / max(len(words), 1) for code in codes}
    best = max(codes, key=lambda code: shares[code])
    return (best, True) if shares[best] >= COMMON else ("en" if script == "LATIN" else "xx", False)


def find_unspaced(texts: Sequence[str]) -> str:
    """Return the code of the language of texts with hardly any spaces between words; "" where there are spaces."""
    joined = "|".join(sample_texts(texts))
    letters = LETTERS.findall(joined)
    if len(letters) <= FEW * sum(map(str.isalpha, joined)):
        return ""
    code, known = language_of(letters)
    most = SPACES_A_LETTER * len(letters) * (2 if code in ("zh", "ja") else 1)
    return code if known and len(GAPS.findall(joined)) < most else ""


def choose_tokens(texts: Sequence[str], language: str | None, split: bool, report: Callable[[str], None]) -> Tokens:
    """Return how texts become words: by their `language`, or without spaces by their script, else by English rules.

    split: whether they are words with spaces between them. Raises AuditError, naming the argument, where the language
    is unknown or has no part, or a package is missing.
    """
    dense = "" if language else find_unspaced(texts)
    if split and language not in (None, SPACES):
        raise AuditError("language: the texts are lists of words already; leave it out, or give strings")
    code = SPACES if split else language or dense or "en"
    try:
        tokens = Tokens(tokenizer=code, lower=False)
        if code in PACKAGES:
            blank(code, tokens.segmenter)
    except ValidationError as error:
        raise AuditError(
            f"language: unknown {language!r:.40}; give spaCy's code, such as en or zh, or `spaces`"
        ) from error
    except ImportError as error:
        raise AuditError(f"language: {describe_missing(code)}, or give lists of words") from error
    clauses = f"words are whole clauses, since {dense!r} has no spaces; give strings, which are split" if split else ""
    if how := clauses if dense and split else splitting(tokens):
        report(f"texts: {how}")
    return tokens
