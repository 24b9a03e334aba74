"""The encoding of a file that is not in utf-8, as all of its lines tell it."""

import codecs
import re
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO

from attention_audit.corpus.languages import language_of
from attention_audit.corpus.raw import BLOCK, LONGEST_LINE, opened
from attention_audit.errors import AuditError

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
FEW = 0.05
"""Share of the lines beyond ASCII which may look like utf-8 in a file of another encoding."""
SAMPLE = 2000
"""Lines from which the encoding is guessed."""


def beginning(stream: IO[bytes], path: Path) -> bytes:
    """Return how a stream begins; nothing is taken from it. Raises AuditError where it seems to be utf-16."""
    begins: bytes = stream.peek(BLOCK)  # type: ignore[attr-defined]
    if begins.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or re.match(rb"([^\0]\0){2}|(\0[^\0]){2}", begins):
        raise AuditError(f"{path}: seems to be utf-16; save the file as utf-8")
    return begins


def can_decode(path: Path, encoding: str) -> bool:
    """Return whether the whole of a file is in an encoding."""
    with opened(path) as stream, suppress(UnicodeDecodeError):
        for _ in codecs.iterdecode(iter(partial(stream.read, BLOCK), b""), encoding):
            pass
        return True
    return False


def find_encoding(path: Path) -> str:
    """Return the encoding that all lines of a file are in.

    Raises AuditError, naming the first line that is not utf-8, where many others are, or no language tells another one.
    """
    with opened(path) as stream:
        beginning(stream, path)
    if can_decode(path, "utf-8"):
        return "utf-8"
    sound, faulty, first, sample = 0, 0, 0, list[bytes]()
    with opened(path) as stream:
        for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE), b""), start=1):
            if not line.isascii():
                try:
                    line.decode()
                    sound += 1
                except UnicodeDecodeError:
                    faulty, first = faulty + 1, first or number
                    sample += [line] * (faulty <= SAMPLE)
    place = f"{path}, line {first}: not utf-8"
    if sound > FEW * faulty:
        raise AuditError(
            f"{place}, as {sound:,} other lines with more than ASCII are"
            + (f" ({faulty - 1:,} more are not)" if faulty > 1 else "")
            + "; mend the line, or save the file as utf-8"
        )
    for encoding in (*ALPHABETS, *SCRIPTS):
        if fits(b"".join(sample), encoding) and can_decode(path, encoding):
            return encoding
    raise AuditError(
        f"{place}, and no language tells its encoding; set `encoding`, such as cp1252, cp1251, gb18030, shift_jis or "
        "euc-kr, or save it as utf-8"
    )


def has_script(text: str, script: str, least: float) -> bool:
    """Return whether the Unicode names of so many of the characters beyond ASCII begin so."""
    beyond = [unicodedata.name(each, "").startswith(script) for each in text if not each.isascii()]
    return sum(beyond) >= least * len(beyond)


def fits(sample: bytes, encoding: str) -> bool:
    """Return whether bytes, decoded so, are a language or a script that is written in this encoding."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    if encoding in SCRIPTS:
        # pairs of Cyrillic letters are characters of these too
        return has_script(text, *SCRIPTS[encoding]) and not has_script(sample.decode("cp1251", "ignore"), *CYRILLIC)
    runs = [len(run) > 2 for run in re.findall(rb"[\x80-\xff]+", sample)]
    code, sure = language_of(text.splitlines())
    # letters beyond ASCII stand alone in these languages, and side by side where a character has several bytes
    return sure and code in ALPHABETS[encoding].split() and (encoding != LATIN or sum(runs) <= FEW * len(runs))


def mend_encoding(path: Path, encoding: str) -> str:
    """Return what to do about a file that is not in an encoding. Raises AuditError as `find_encoding` does."""
    utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
    return f"set `encoding: {find_encoding(path)}`, or save it as utf-8" if utf8 else "set another `encoding`"
