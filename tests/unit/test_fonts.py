"""Texts in any script: each is drawn, in its own order, and what cannot be drawn is said once."""

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figure_rows import ANSWER, attention_maps
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from refusal import refusal

from attention_audit.figures import fonts, style
from attention_audit.figures.attention_maps import Word, wp_fig2_attention_maps, wrap
from attention_audit.figures.style import list_texts, save
from attention_audit.tables.wording import list_names, mark_direction

SAMPLES = {
    "Chinese": ("NotoSansCJK", "这部电影非常好。"),
    "Japanese": ("NotoSansCJK", "この映画は素晴らしいー"),
    "Korean": ("NotoSansCJK", "이 영화는 훌륭하다"),
    "Arabic": ("DejaVuSans", "هذا الفيلم رائع؟"),
    "Hebrew": ("DejaVuSans", "הסרט הזה נהדר"),
    "Hindi": ("NotoSansDevanagari", "यह फ़िल्म बहुत अच्छी है"),
    "Thai": ("NotoSansThai", "ภาพยนตร์เรื่องนี้ดีมาก"),
    "Cyrillic": ("DejaVuSans", "Этот фильм отличный"),
    "Tamil": ("NotoSansTamil", "இந்த படம் நன்றாக"),
    "emoji": ("Symbola", "🎉😀👍❤️🙏"),
}
"""By script: the beginning of the file of its font, and a text."""
UNASSIGNED = "\U0010fffd"
"""A character for private use, which stands for all that a font lacks."""


def drawn(text, families):
    """The outlines of a text, (n, 2)."""
    with style.use_house_style():
        return TextPath((0, 0), text, size=20, prop=FontProperties(family=list(families))).vertices


def width(text):
    return np.ptp(drawn(text, fonts.list_families([text]))[:, 0])


def needs(script):
    """Skip a test where this machine lacks the font of a script."""
    stem, _ = SAMPLES[script]
    paths = [*font_manager.findSystemFonts(), font_manager.findfont(fonts.FONT)]
    if not any(Path(path).name.startswith(stem) for path in paths):
        pytest.skip(f"no font for {script} is on this machine")


def census(*names):
    return {"sst": pd.DataFrame({"label": range(len(names)), "label_name": names})}


@pytest.mark.parametrize("script", SAMPLES)
def test_texts_and_classes_of_every_script_are_drawn_without_a_box(script, tmp_path, recwarn, caplog):
    needs(script)
    text = SAMPLES[script][1]
    families = fonts.list_families([text])
    assert families[0] == fonts.FONT
    boxes = [drawn(UNASSIGNED, [family]) for family in families]
    for character in fonts.list_visible([text]):
        outlines = drawn(character, families)
        assert len(outlines)
        assert not any(np.array_equal(outlines, box) for box in boxes)
    with caplog.at_level(logging.WARNING):
        figure = wp_fig2_attention_maps(attention_maps([text.split()]), census("b", text), ANSWER)
        save(figure, tmp_path / "a.pdf", tmp_path / "a.png", "{}")
    written = " ".join(list_texts(figure)).replace("\u200f", "")
    assert all(word in written for word in text.split())
    assert not fonts.describe_boxes(list_texts(figure))
    assert not recwarn.list
    assert not caplog.messages


def test_han_characters_are_drawn_as_those_beside_them_want():
    needs("Chinese")
    for text, form in (("这部", "SC"), ("映画は", "JP"), ("映画ー", "JP"), ("韓國 영화", "KR"), ("ㄅ國", "TC")):
        assert fonts.list_families([text]) == [fonts.FONT, f"Noto Sans CJK {form}"]


def test_what_no_font_has_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr(fonts, "_list_fonts", lambda: {fonts.FONT: font_manager.findfont(fonts.FONT)})
    assert fonts.list_families(["ภ", "a"]) == [fonts.FONT]
    line = fonts.describe_boxes(["ภาพ", "这 a\u200f", "🎉\ufe0f"])
    figure = wp_fig2_attention_maps(attention_maps([["ภาพ"]]), census("a", "b"), ANSWER)
    assert "fonts-noto-core" in " ".join(list_texts(figure))
    assert "\n" not in line
    assert line.startswith("boxes stand for 5 characters that no font of this machine has, such as U+0E1E (THAI CHAR")
    assert "U+0E2A" not in line
    assert "fonts-noto-cjk" in line
    assert fonts.describe_boxes(["café – λ ≤ 1"]) == ""


def test_the_chosen_font_comes_first_and_an_unknown_one_is_refused():
    with fonts.use_fonts(["DejaVu Serif", font_manager.findfont("DejaVu Sans Mono")]):
        assert fonts.list_families(["a"]) == ["DejaVu Serif", "DejaVu Sans Mono", "DejaVu Sans"]
        with style.use_house_style():
            assert Figure().text(0, 0, "a").get_fontfamily()[0] == "DejaVu Serif"
    assert fonts.list_families(["a"]) == ["DejaVu Sans"]
    said = refusal(fonts.use_fonts(["Garamonde"]).__enter__)
    assert said.startswith("config: font: this machine has no font 'Garamonde'; install it")


def test_a_file_that_is_no_font_is_refused(tmp_path):
    (tmp_path / "a.ttf").write_text("no font")
    said = refusal(fonts.use_fonts([str(tmp_path / "a.ttf")]).__enter__)
    assert said.startswith(f"config: font: {tmp_path}/a.ttf: not a font")


def test_letters_are_joined_as_their_script_wants():
    # two letters that join are narrower than the two alone; a vowel sign that is written second stands first
    assert width("بي") < 0.9 * (width("ب") + width("ي"))
    needs("Hindi")
    assert width("क्ष") < 0.9 * (width("क") + width("ष"))


def lay_out(text):
    """The words of one line, from left to right, and where they begin."""
    [line] = wrap([Word(word) for word in text.split()], style.TEXT_SIZE)
    lefts = [word.left for word in line]
    assert lefts == sorted(lefts)
    return [word.text.replace("\u200f", "") for word in line], lefts


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("one two 3", "one two 3"),
        ("ראשון שני 3", "3 שני ראשון"),
        ("ראשון one two 3", "3 one two ראשון"),
        ("ראשון one 2 two שני", "שני one 2 two ראשון"),
        ("one ראשון 2 שני two", "one שני 2 ראשון two"),
        ("one ראשון 2", "one ראשון 2"),
        ("( ראשון )", ") ראשון ("),
    ],
)
def test_words_stand_in_the_order_in_which_they_are_read(text, seen):
    assert lay_out(text)[0] == seen.split()


def test_what_is_read_from_the_right_begins_at_the_right():
    with style.use_house_style():
        (_, lefts), (_, others) = lay_out("ראשון שני"), lay_out("one two")
    assert min(lefts) > style.PAGE_WIDTH * 72 / 2
    assert min(others) == 12


def test_brackets_open_towards_what_they_hold():
    """A lone bracket in a text that is read from the right is the mirror image of the other one."""
    [[bracket, _]] = wrap(map(Word, ["ראשון", "("]), style.TEXT_SIZE)
    np.testing.assert_allclose(drawn(bracket.text, [fonts.FONT]), drawn(")", [fonts.FONT]))


def test_names_that_are_read_from_the_right_stand_in_the_order_of_their_classes():
    names = {0: "אב", 1: "גד"}
    assert list_names(names) == "\u2068אב\u2069, \u2068גד\u2069"
    assert list_names({1: "b", 0: "a"}) == "a, b"
    # the comma parts the two, so that the first is drawn first
    first, both = (drawn(text, [fonts.FONT]) for text in (f"x {mark_direction('אב')}", f"x {list_names(names)}"))
    np.testing.assert_allclose(both[: len(first)], first)
