"""Clean a text, and keep the place of each character: NFC, characters that nobody sees, and HTML."""

import re
import unicodedata
from collections.abc import Sequence
from html import unescape

MARKS = "".join(chr(code) for code in range(0x300, 0x1F000) if unicodedata.category(chr(code))[0] == "M")
MARKS += "\U000e0100-\U000e01ef"
"""Vowel signs, diacritics, points and variation selectors (Unicode M), each a part of the character before it."""
EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
"""Blocks of the symbols that joiners make one emoji of."""
JOINED = "\u0600-\u109f\u1780-\u18af"
"""Scripts in which joiners and non-joiners change how a word is written: Arabic, those of India, and others."""
SPACED = "\u0e00-\u109f\u1780-\u17ff"
"""Scripts in which spaces of no width may stand between words: Thai, Lao, Tibetan, Burmese and Khmer."""
ZERO_WIDTH_SPACE = re.compile(f"(?<=[{SPACED}])\u200b(?=[{SPACED}])")
HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff"
    "\uffa0\ufff9-\ufffb"
)
JOINERS = "\u200c\u200d"
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
INVISIBLE = re.compile(f"[{HIDDEN}{JOINERS}{SELECTORS}]")
"""Characters that nobody sees by themselves: soft hyphens, direction marks, fillers, joiners, variation selectors."""
NEEDLESS = re.compile(
    f"[{HIDDEN}]"
    f"|[{JOINERS}](?!(?<=[{JOINED}].)[{JOINED}]|(?<=[{EMOJI}\ufe0f]\u200d)[{EMOJI}])"
    f"|(?<![^\\w\\s{MARKS}])[{SELECTORS}](?!\u20e3)"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001\U000e0020-\U000e007f]+"
)
"""The same, except joiners that a script needs, and parts of an emoji; and tags that belong to no flag."""
COMPOSED = re.compile(f"\\s|.[{MARKS}\u1160-\u11ff]*")
"""A character and all that NFC may make one with it: marks, and the parts of a Korean syllable."""
FILLER = "\u2060"
"""An invisible character, which fills up what is shorter than the source's text."""
TAGS = (
    "a abbr article b big blockquote body br center code dd div dl dt em figure font footer form h[1-6] head header "
    "hr html i iframe img li meta nav ol option p pre section select small span strike strong sub sup table tbody td "
    "tfoot th thead title tr tt u ul wbr"
).replace(" ", "|")
MARKUP = re.compile(
    r"(?:<|&lt;)(?:(script|style)\b.*?/\1\s*|!--.*?--"
    rf"|/?(?:{TAGS})(?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'<>&]+))*\s*/?)(?:>|&gt;)"
    r"|(?P<entity>&(?:amp;)*(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]*);)",
    re.IGNORECASE | re.DOTALL,
)
"""Tags that HTML knows, scripts, comments and what may be entities, all of which may be escaped themselves."""


def clean(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in NFC without invisible characters, and the place of each character and of the end, (L + 1,).

    An invisible character has the place of the one before it; behind white space, of the one after it.
    """
    places: Sequence[int] = range(len(text) + 1)
    if text.isascii() or (unicodedata.is_normalized("NFC", text) and not NEEDLESS.search(text)):
        return text, places
    shown = ZERO_WIDTH_SPACE.sub(" ", text)
    while gone := {at for found in NEEDLESS.finditer(shown) for at in range(*found.span())}:
        left = [at for at in range(len(shown)) if at not in gone]
        shown, places = "".join(shown[at] for at in left), [places[at] for at in left]
    made = ""
    kept: list[int] = []
    for found in COMPOSED.finditer(shown):
        part, own = unicodedata.normalize("NFC", found[0]), [*places[found.start() : found.end()]]
        kept += own if len(part) == len(own) else own[:1] * len(part)
        made += part
    ends = [*kept, len(text)]
    first = [end if at and not made[at - 1].isspace() else at and ends[at - 1] + 1 for at, end in enumerate(ends)]
    return made, first


def read_markup(found: re.Match[str]) -> str:
    """Return spaces for a tag, the character of an entity, and of anything else itself, as long as what was found."""
    whole = read = found[0]
    if found["entity"] is None:
        return " " * len(whole)
    while (again := unescape(read)) != read:
        read = again
    return read + FILLER * (len(whole) - len(read)) if len(read) <= 2 else whole


def find_markup(text: str) -> str:
    """Return the first HTML tag or entity of a text, "" where there is none."""
    return next((found[0] for found in MARKUP.finditer(text) if read_markup(found) != found[0]), "")


def strip_html(text: str) -> str:
    """Replace tags by spaces and entities by their characters; each other character keeps its place."""
    return MARKUP.sub(read_markup, text)
