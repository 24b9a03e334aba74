"""Which fonts draw a text, and what none of them can draw.

Letters are shaped and put in order by matplotlib itself, with HarfBuzz and the bidirectional algorithm (libraqm). What
is left to do is to find a font: matplotlib remembers which fonts a machine had when it was first used, and takes no
other.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from fontTools import unicodedata as scripts
from matplotlib import font_manager
from matplotlib.ft2font import FaceFlags, FT2Font

from attention_audit.errors import AuditError

FONT = "DejaVu Sans"  # comes with matplotlib, so every machine draws the same
UNSEEN = {"Cc", "Cf", "Zs", "Zl", "Zp"}
"""Categories of characters that have no shape of their own."""
SELECTORS = range(0xFE00, 0xFE10)
"""They choose between forms of the character before them, and have no shape either."""
EMOJI, HAN = "emoji", "Han"
PICTURES = {
    "Dingbats",
    "Emoticons",
    "Enclosed Alphanumeric Supplement",
    "Miscellaneous Symbols",
    "Miscellaneous Symbols and Pictographs",
    "Supplemental Symbols and Pictographs",
    "Symbols and Pictographs Extended-A",
    "Transport and Map Symbols",
}
"""Blocks of Unicode that are called emoji here."""
EAST_ASIAN = {"Hiragana": "JP", "Katakana": "JP", "Hangul": "KR", "Bopomofo": "TC", HAN: "SC"}
"""Scripts that share one font, with the ending of the family that draws them as their readers are used to. Han comes
last: beside kana it is Japanese.
"""
PREFERRED = {EMOJI: ("NotoEmoji-Regular", "Symbola"), **dict.fromkeys(EAST_ASIAN, ("NotoSansCJK-Regular",))}
"""Files by script, where Noto's are not named after it."""
PACKAGES = {EMOJI: "fonts-symbola", **dict.fromkeys(EAST_ASIAN, "fonts-noto-cjk")}
"""Debian's packages by script; every other script is in OTHERS."""
OTHERS = "fonts-noto-core"

_CHOSEN: ContextVar[tuple[str, ...]] = ContextVar("chosen", default=())


def script_of(character: str) -> str:
    """The script of a character; of one that several scripts share, `emoji`, `Han`, or its block of Unicode."""
    code = scripts.script(character)
    if code not in ("Zyyy", "Zinh", "Zzzz"):
        return str(scripts.script_name(code))
    block = str(scripts.block(character))
    if block in PICTURES:
        return EMOJI
    return HAN if block.startswith(("CJK", "Halfwidth", "Hiragana", "Katakana", "Ideographic")) else block


def visible(texts: Iterable[str]) -> frozenset[str]:
    """The characters of these texts that have a shape."""
    return frozenset(
        character
        for character in set().union(*texts)
        if unicodedata.category(character) not in UNSEEN and ord(character) not in SELECTORS
    )


@cache
def _drawable() -> Mapping[str, FT2Font]:
    """Every font of this machine that is made of outlines, by its file; matplotlib draws no pictures in colour."""
    fonts = {}
    for path in sorted(font_manager.findSystemFonts()):
        try:
            font = FT2Font(path)
        except (OSError, RuntimeError):
            continue  # a damaged font is as good as none
        if FaceFlags.SCALABLE in font.face_flags and FaceFlags.COLOR not in font.face_flags:
            fonts[path] = font
    return fonts


def _known(path: str) -> list[str]:
    """The families in a file, which matplotlib knows from then on."""
    if all(entry.fname != path for entry in font_manager.fontManager.ttflist):
        font_manager.fontManager.addfont(path)
    return [entry.name for entry in font_manager.fontManager.ttflist if entry.fname == path]


def _covered(font: FT2Font, characters: Iterable[str]) -> set[str]:
    return {character for character in characters if font.get_char_index(ord(character))}


def _without_glyph(characters: Iterable[str], names: Iterable[str]) -> set[str]:
    """The characters that none of these families has."""
    rest = set(characters)
    for family in names:
        rest -= _covered(font_manager.get_font(font_manager.findfont(family)), rest)
    return rest


def _rank(path: str, script: str) -> tuple[bool, bool, str]:
    """Of fonts that have the same characters, that of the least rank is taken."""
    stem = Path(path).stem
    names = PREFERRED.get(script, (f"NotoSans{script.replace(' ', '')}-Regular",))
    return not stem.startswith(names), "regular" not in stem.lower(), path


def _family(path: str, script: str) -> str:
    """One family of a file; of a collection for East Asia the one of the script."""
    families = _known(path)
    ending = EAST_ASIAN.get(script, "")
    return next((name for name in families if name.endswith(ending) and "Mono" not in name), families[0])


@cache
def _further(characters: frozenset[str], first: tuple[str, ...]) -> tuple[str, ...]:
    """Families of this machine that have what `first` lacks, script by script."""
    rest = _without_glyph(characters, first)
    by_script: dict[str, set[str]] = {}
    for character in rest:
        by_script.setdefault(script_of(character), set()).add(character)
    shared = [script for script in EAST_ASIAN if script in by_script]
    found: list[str] = []
    for script in [*shared, *sorted(by_script.keys() - EAST_ASIAN.keys())]:
        missing = _without_glyph(by_script[script], found)
        while missing:
            covered = {path: _covered(font, missing) for path, font in _drawable().items()}
            best = min(covered, key=lambda path: (-len(covered[path]), _rank(path, script)), default="")
            if not best or not covered[best]:
                break
            missing -= covered[best]
            found.append(_family(best, script))
    return tuple(dict.fromkeys(found))


def _named(font: str) -> str:
    """The family of a font that the user names, by its family or by its file. Raises AuditError where there is none."""
    if Path(font).is_file():
        try:
            return _known(font)[0]
        except (OSError, RuntimeError) as error:
            raise AuditError(f"config: font: {font}: not a font ({error}); name a .ttf, .otf or .ttc file") from error
    if font not in font_manager.fontManager.get_font_names():
        for path in _drawable():
            _known(path)
    if font not in font_manager.fontManager.get_font_names():
        raise AuditError(
            f"config: font: this machine has no font {font!r}; install it, or name a file, or one of the families "
            "that `fc-list : family` prints"
        )
    return font


@contextmanager
def chosen(fonts: Iterable[str]) -> Iterator[None]:
    """Prefer these fonts in the block, the first most. Raises AuditError where one is not on this machine."""
    token = _CHOSEN.set(tuple(map(_named, fonts)))
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def families(texts: Iterable[str] = ()) -> list[str]:
    """The families that draw these texts, for matplotlib's font.family: chosen ones, FONT, and what else is needed."""
    first = (*_CHOSEN.get(), FONT)
    return [*first, *_further(visible(texts), first)]


def lacking(texts: Iterable[str]) -> dict[str, list[str]]:
    """The characters that no font of this machine has, by script."""
    texts = list(texts)
    by_script: dict[str, list[str]] = {}
    for character in sorted(_without_glyph(visible(texts), families(texts))):
        by_script.setdefault(script_of(character), []).append(character)
    return by_script


def warning(texts: Iterable[str]) -> str:
    """One line on what no font of this machine has: scripts, an example of each, and what to install; "" for none."""
    missing = lacking(texts)
    if not missing:
        return ""
    named = [
        f"{script} such as U+{ord(characters[0]):04X} (Debian's package {PACKAGES.get(script, OTHERS)})"
        for script, characters in missing.items()
    ]
    return (
        f"boxes stand for characters that no font of this machine has: {', '.join(named)}; install the package, or "
        "name a font that has them in `font`"
    )
