"""Which fonts draw a text, and what none of them can draw.

Letters are shaped and put in order by matplotlib itself, with HarfBuzz and the bidirectional algorithm (libraqm), and
each character is taken from the first family of `font.family` that has it. What is left to do is to name the families;
matplotlib remembers which fonts a machine had when it was first used, and knows no later one.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from matplotlib.font_manager import findSystemFonts, fontManager, get_font
from matplotlib.ft2font import FaceFlags

from attention_audit.errors import AuditError

FONT = "DejaVu Sans"  # comes with matplotlib, so every machine draws the same
BOXES = "Last Resort"  # comes with matplotlib too, and has a box for every character
UNSEEN = {"Cc", "Cf", "Zs", "Zl", "Zp"}
"""Categories of characters that have no shape of their own."""
VARIATION_SELECTORS = range(0xFE00, 0xFE10)
"""They choose between forms of the character before them, and have no shape either."""
PREFERRED = "Noto Sans"
EAST_ASIAN = {"HIRAGANA": "JP", "KATAKANA": "JP", "HANGUL": "KR", "BOPOMOFO": "TC", "CJK": "SC"}
"""In whose form Han characters are drawn, by words in the names of all characters: the ending of the family."""

_CHOSEN: ContextVar[tuple[str, ...]] = ContextVar("chosen", default=())


def list_visible(texts: Iterable[str]) -> set[str]:
    """List the characters of these texts that have a shape."""
    return {
        character
        for character in set().union(*texts)
        if unicodedata.category(character) not in UNSEEN and ord(character) not in VARIATION_SELECTORS
    }


@cache
def _list_fonts() -> Mapping[str, str]:
    """List every family of this machine, with a file of it: upright and of normal weight, where there is one."""
    for path in set(findSystemFonts()) - {entry.fname for entry in fontManager.ttflist}:
        with suppress(OSError, RuntimeError):  # a damaged font is as good as none
            fontManager.addfont(path)
    entries = sorted(fontManager.ttflist, key=lambda entry: (entry.style == "normal", entry.weight == 400))
    usable_entries = (entry for entry in entries if Path(entry.fname).is_file() and not entry.name.startswith(BOXES))
    return dict(sorted({entry.name: str(entry.fname) for entry in usable_entries}.items()))


@cache
def _list_characters(path: str) -> frozenset[str]:
    """List the characters of a font; none where it has pictures in colour, which matplotlib does not draw."""
    font = get_font(path)
    return frozenset() if FaceFlags.COLOR in font.face_flags else frozenset(map(chr, font.get_charmap()))


def _find_missing(texts: Iterable[str], names: Iterable[str]) -> set[str]:
    """List the visible characters of these texts that none of these families has."""
    return list_visible(texts).difference(*(_list_characters(_list_fonts()[name]) for name in names))


def _find_family(font: str) -> str:
    """Find the family of a font that the user names, by its family or by its file. Raises AuditError where there is
    none.
    """
    if Path(font).is_file():
        try:
            fontManager.addfont(font)
            _list_fonts.cache_clear()
            return str(get_font(font).family_name)
        except (OSError, RuntimeError) as error:
            fault, remedy = f"not a font ({error})", "name a .ttf, .otf or .ttc file"
            raise AuditError(f"config: font: {font}", fault, remedy) from error
    if font not in _list_fonts():
        raise AuditError(
            "config: font",
            f"this machine has no font {font!r}",
            "install it, or name a file, or one of the families that `fc-list : family` prints",
        )
    return font


@contextmanager
def use_fonts(fonts: Iterable[str]) -> Iterator[None]:
    """Prefer these fonts in the block, the first most. Raises AuditError where one is not on this machine."""
    token = _CHOSEN.set(tuple(map(_find_family, fonts)))
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def list_families(texts: Iterable[str] = ()) -> list[str]:
    """Name the families that draw these texts, for matplotlib's font.family: chosen ones, FONT, and what else is
    needed.
    """
    families = [*_CHOSEN.get(), FONT]
    missing = _find_missing(texts, families)
    names = " ".join(unicodedata.name(character, "") for character in missing)
    forms = next((form for word, form in EAST_ASIAN.items() if word in names), "")
    # those for East Asia and PREFERRED ones before others
    for family in sorted(_list_fonts(), key=lambda each: (each != f"{PREFERRED} CJK {forms}", PREFERRED not in each)):
        if not missing:
            break
        if covered := missing & _list_characters(_list_fonts()[family]):
            missing -= covered
            families.append(family)
    return families


def describe_boxes(texts: Iterable[str]) -> str:
    """Say in one line what no font of this machine has, and what to install; "" for nothing."""
    texts = list(texts)
    missing = sorted(_find_missing(texts, list_families(texts)))
    if not missing:
        return ""
    examples = [f"U+{ord(character):04X} ({unicodedata.name(character, 'no name')})" for character in missing[:3]]
    return (
        f"boxes stand for {len(missing)} characters that no font of this machine has, such as {', '.join(examples)}; "
        "install one (Debian's packages fonts-noto-core, fonts-noto-cjk and fonts-symbola), or name one in `font`"
    )
