"""The language of some texts, by their script and frequent words, and whether they have spaces; and the encoding of a
file that is not in utf-8, as all of its lines tell it.
"""

import codecs
import re
import runpy
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from string import punctuation
from typing import IO

from pydantic import ValidationError

from attention_audit.errors import AuditError

from .english import list_spacy_folders
from .raw import BLOCK_BYTES, LONGEST_LINE, EncodingError, open_raw, read_lines
from .tokens import PACKAGES, SPACES, UNSPACED, Tokens, build_pipeline, describe_splitting

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
FOREIGN_COMMON, MIN_FOREIGN_WORDS = 0.2, 5
"""The same for a single text that is in another language than others, and how many words tell it."""
SPACES_A_LETTER = 0.1
"""Spaces between the letters of a text without spaces, at most; twice as many where most words are of two letters."""
FEW, SAMPLE_SIZE, BEGINNING = 0.05, 500, 2000
"""Share of letters of scripts without spaces beyond which they count; texts that are looked at; characters of each."""
UNSPACED_LETTERS, GAPS = re.compile(f"[{UNSPACED}]"), re.compile(rf"(?<=[{UNSPACED}])\s+(?=[{UNSPACED}])")


def sample_beginnings(texts: Sequence[str], size: int = SAMPLE_SIZE) -> list[str]:
    """Return the beginnings of some of the texts, up to twice as many as `size`."""
    return [text[:BEGINNING] for text in texts[:: max(len(texts) // size, 1)]]


@cache
def list_frequent(code: str) -> Collection[str]:
    """List the frequent words of a language, as spaCy has them beside its rules, which take seconds to import."""
    (folder,) = list_spacy_folders()
    words: Collection[str] = runpy.run_path(str(Path(folder, "lang", code, "stop_words.py")))["STOP_WORDS"]
    return words


def list_words(text: str) -> list[str]:
    """List the words of a text between white space, without signs around them."""
    return [word.strip(SIGNS) for word in text.lower().split()]


def find_foreign(text: str, code: str) -> str:
    """Find another language of the script of `code` whose frequent words a text has, and at most half as many of those
    of `code`; "" where there is none, and in a text of few words.
    """
    codes = next((line.split() for line in LANGUAGES.values() if code in line.split()), [])
    if len(codes) < 2 or len(words := list_words(text)) < MIN_FOREIGN_WORDS:
        return ""
    frequent = {each: sum(word in list_frequent(each) for word in words) for each in codes}
    best = max(codes, key=frequent.__getitem__)
    return best if frequent[best] >= max(FOREIGN_COMMON * len(words), 2 * frequent[code]) else ""


def find_language(texts: Sequence[str]) -> tuple[str, bool]:
    """Find spaCy's code of the language of some texts, by their script and frequent words; and whether it is sure.

    Without a sign of another one it is en in Latin script, and xx, any language, in others.
    """
    texts = sample_beginnings(texts)
    letters = filter(str.isalpha, "".join(texts))
    scripts = Counter(unicodedata.name(letter, "?").partition(" ")[0] for letter in letters)
    if not scripts:
        return "en", False
    if scripts["HIRAGANA"] + scripts["KATAKANA"] > KANA * scripts.total():
        return "ja", True
    script, _ = scripts.most_common(1)[0]
    codes = LANGUAGES.get(script, "xx").split()
    if len(codes) == 1:
        return codes[0], codes != ["xx"]
    words = list_words(" ".join(texts))
    frequent = {code: sum(word in list_frequent(code) for word in words) for code in codes}
    best = max(codes, key=frequent.__getitem__)
    return (best, True) if frequent[best] / len(words) >= COMMON else ("en" if script == "LATIN" else "xx", False)


def find_unspaced(texts: Sequence[str]) -> str:
    """Return the code of the language of texts with hardly any spaces between words; "" where there are spaces."""
    joined = "|".join(sample_beginnings(texts))
    letters = UNSPACED_LETTERS.findall(joined)
    if len(letters) <= FEW * sum(map(str.isalpha, joined)):
        return ""
    code, sure = find_language(letters)
    limit = SPACES_A_LETTER * len(letters) * (2 if code in ("zh", "ja") else 1)
    return code if sure and len(GAPS.findall(joined)) < limit else ""


def choose_tokens(texts: Sequence[str], language: str | None, split: bool, report: Callable[[str], None]) -> Tokens:
    """Return how texts become words: by their `language`, or without spaces by their script, else by English rules.

    split: whether they are words with spaces between them. Raises AuditError, naming the argument, where the language
    is unknown or has no part, or a package is missing.
    """
    dense = "" if language else find_unspaced(texts)
    if split and language not in (None, SPACES):
        raise AuditError("language", "the texts are lists of words already", "leave it out, or give strings")
    code = SPACES if split else language or dense or "en"
    try:
        tokens = Tokens(tokenizer=code, lower=False)
        if code in PACKAGES:
            build_pipeline(code, tokens.segmenter)
    except ValidationError as error:
        remedy = "give spaCy's code, such as en or zh, or `spaces`"
        raise AuditError("language", f"unknown {language!r:.40}", remedy) from error
    except AuditError as error:
        raise AuditError("language", error.fault, f"{error.remedy}, or give lists of words") from error
    how = describe_splitting(tokens)
    if split and dense:
        how = f"words are whole clauses, since {dense!r} has no spaces; give strings, which are split"
    if how:
        report(f"texts: {how}")
    return tokens


LATIN = "cp1252"
ALPHABETS: Mapping[str, str] = {
    LATIN: "en de fr es it pt nl da sv nb fi id",
    "cp1250": "pl cs hu ro hr",
    "cp1251": "ru uk bg sr mk",
    "cp1254": "tr",
}
"""Encodings of one byte a character, with the languages whose frequent words tell that a file is in them."""
SCRIPTS: Mapping[str, tuple[str, float]] = {
    "shift_jis": ("HIRAGANA", 0.2),
    "euc-kr": ("HANGUL", 0.8),
    "gb18030": ("CJK UNIFIED", 0.7),
}
"""Encodings of several; with how the Unicode names of most characters beyond ASCII then begin, and their share."""
CYRILLIC = ("CYRILLIC SMALL", 0.7)
MAX_UTF8_SHARE = 0.05
"""Share of the lines beyond ASCII which may look like utf-8 in a file of another encoding."""
SAMPLE_LINES = 2000
"""Lines from which the encoding is guessed."""


def read_beginning(stream: IO[bytes], path: Path) -> bytes:
    """Return how a stream begins; nothing is taken from it. Raises AuditError where it seems to be utf-16."""
    begins = stream.peek(BLOCK_BYTES)  # type: ignore[attr-defined]
    if begins.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or re.match(rb"([^\0]\0){2}|(\0[^\0]){2}", begins):
        raise AuditError(path, "seems to be utf-16", "save the file as utf-8")
    return begins


def find_encoding(path: Path) -> str:
    """Return the encoding that all lines of a file are in.

    Raises AuditError, naming the first line that is not utf-8, where many others are, or no language tells another one.
    """
    sound, faulty, faulty_line, sample = 0, 0, 0, b""
    with open_raw(path) as stream:
        read_beginning(stream, path)
        for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), start=1):
            if not line.isascii():
                try:
                    line.decode()
                    sound += 1
                except UnicodeDecodeError:
                    faulty, faulty_line = faulty + 1, faulty_line or number
                    sample += line if faulty <= SAMPLE_LINES else b""
    if not faulty:
        return "utf-8"
    location, fault = f"{path}, line {faulty_line}", "not utf-8"
    if sound > MAX_UTF8_SHARE * faulty:
        more = f" ({faulty - 1:,} more are not)" if faulty > 1 else ""
        raise AuditError(
            location,
            f"{fault}, as {sound:,} other lines with more than ASCII are{more}",
            "mend the line, or save the file as utf-8",
        )
    for encoding in (*ALPHABETS, *SCRIPTS):
        with suppress(EncodingError):
            # the whole file is to be in it
            if match_encoding(sample, encoding) and all(True for _ in read_lines(path, encoding)):
                return encoding
    raise AuditError(
        location,
        f"{fault}, and no language tells its encoding",
        "set `encoding`, such as cp1252, cp1251, gb18030, shift_jis or euc-kr, or save it as utf-8",
    )


def has_script(text: str, script: str, share: float) -> bool:
    """Tell whether the Unicode names of this share of the characters beyond ASCII begin so."""
    beyond = [unicodedata.name(each, "").startswith(script) for each in text if not each.isascii()]
    return sum(beyond) >= share * len(beyond)


def match_encoding(sample: bytes, encoding: str) -> bool:
    """Tell whether bytes, decoded so, are a language or a script that is written in this encoding."""
    text = sample.decode(encoding, "replace")
    if encoding in SCRIPTS:
        # pairs of Cyrillic letters are characters of these too
        return has_script(text, *SCRIPTS[encoding]) and not has_script(sample.decode("cp1251", "ignore"), *CYRILLIC)
    runs = [len(run) > 2 for run in re.findall(rb"[\x80-\xff]+", sample)]
    code, sure = find_language(text.splitlines())
    # letters beyond ASCII stand alone in these languages, and side by side where a character has several bytes
    return (
        sure and code in ALPHABETS[encoding].split() and (encoding != LATIN or sum(runs) <= MAX_UTF8_SHARE * len(runs))
    )


def name_encoding(path: Path, encoding: str) -> str:
    """Return what to do about a file that is not in an encoding. Raises AuditError as `find_encoding` does."""
    utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
    return f"set `encoding: {find_encoding(path)}`, or save it as utf-8" if utf8 else "set another `encoding`"
