"""A text as it is shown: words in the colours of its maps, and in files."""

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex
from PIL import Image
from refusal import refusal

from attention_audit.api import Reading
from attention_audit.figures import style
from attention_audit.figures.colours import mix_diverging

NAN = np.nan
WORDS = pd.DataFrame(
    {
        "word": ["<b>good</b>", "\x1b[31mfilm", "\u05d8\u05d5\u05d1", "zyx"],
        "weight": [0.5, 0.25, 0.25, NAN],
        # shares of what it adds in all: -1/8, 1/4 and 5/8
        "contribution": [-0.1, 0.2, 0.5, NAN],
        "gradient": NAN,
        "lowest": [0.5, 0.125, 0.25, NAN],
        "highest": [0.5, 0.25, 0.25, NAN],
        "adversary": NAN,
        "known": [True, True, True, False],
        "mine": [0, 0, 0, 0],
    }
)
FACTS = pd.Series(
    {
        "prediction": "\u05d8\u05d5\u05d1",
        "probability": 0.75,
        "trainings": 2,
        "same_top": 1.0,
        "jsd": 0.125,
        "chance_jsd": NAN,
        "adversary_jsd": NAN,
        "adversary_tvd": NAN,
    }
)
READING = Reading({name: values.to_numpy() for name, values in WORDS.items()}, FACTS.to_dict())
ISOLATED = "\u2068\u05d8\u05d5\u05d1\u2069"
HEAD = [
    f"prediction: {ISOLATED} (p = 0.750)",
    "the model does not read 1 of 4 words",
    "2 trainings: JSD 0.125; the same word is first in 100 % of the others",
]


def test_frames_are_made_of_what_is_shown():
    pd.testing.assert_frame_equal(READING.words, WORDS)
    pd.testing.assert_series_equal(READING.facts, FACTS)


def test_colours_are_those_of_figures():
    for shade in np.linspace(-1, 1, 401):
        assert to_hex(mix_diverging(shade)) == to_hex(style.DIVERGING((1 + shade) / 2))


def test_all_maps_have_one_scale():
    """Of the shares of words in their maps, the greatest is 5/8."""
    shades = READING._shade_maps()
    np.testing.assert_allclose(shades["weight"], [0.8, 0.4, 0.4, NAN])
    np.testing.assert_allclose(shades["contribution"], [-0.2, 0.4, 1, NAN])
    # a map may be zero all over
    assert shades["mine"].tolist() == [0, 0, 0, 0]
    assert [*shades] == ["weight", "contribution", "mine"]


def test_where_no_terminal_is_words_have_numbers():
    assert repr(READING).splitlines() == [
        *HEAD,
        f"attention: <b>good</b> (0.50) \u25a1[31mfilm (0.25) {ISOLATED} (0.25) zyx",
        f"contribution to the lead (logit): <b>good</b> (-0.10) \u25a1[31mfilm (0.20) {ISOLATED} (0.50) zyx",
        f"mine: <b>good</b> (0.00) \u25a1[31mfilm (0.00) {ISOLATED} (0.00) zyx (0.00)",
    ]


def test_in_a_terminal_words_have_colours(monkeypatch):
    monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
    *head, weights, contributions, _ = repr(READING).splitlines()
    assert head == HEAD
    painted = re.findall(r"\x1b\[(4;)?38;5;16;48;5;(\d+)m([^\x1b]*)\x1b\[0m", contributions)
    assert [word for _, _, word in painted] == ["<b>good</b>", "\u25a1[31mfilm", "\u05d8\u05d5\u05d1"]
    # what speaks against the prediction is underlined; the strongest blue is #4a9be8, which is 1, 3, 5 of 5
    assert [line for line, _, _ in painted] == ["4;", "", ""]
    assert painted[-1][1] == str(16 + 36 * 1 + 6 * 3 + 5)
    assert contributions.endswith(" zyx")
    assert "4;38" not in weights


def test_html_is_escaped_and_laid_out_as_the_text_is_read():
    page = READING._repr_html_()
    assert page == READING.to_html()
    assert "<b>" not in page
    assert "\x1b" not in page
    assert page.count('<p dir="auto"') == 3
    # what the browser finds the direction by is the text alone
    assert '<div><small>contribution to the lead (logit); dotted where negative</small></div>\n<p dir="auto"' in page
    assert page.count("underline dotted") == 1
    assert 'background:#4a9be8" title="0.500">\u05d8\u05d5\u05d1</span>' in page
    assert 'title="0.250, 0.125 to 0.250 in all trainings">\u25a1[31mfilm</span>' in page
    assert page.count("<span>zyx</span>") == 2


def test_a_text_is_saved_by_its_suffix(tmp_path):
    for suffix in ("html", "json", "png", "pdf"):
        READING.save(tmp_path / f"text.{suffix}")
    page = (tmp_path / "text.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert '<meta charset="utf-8">' in page
    assert READING.to_html() in page
    with Image.open(tmp_path / "text.png") as image:
        assert image.format == "PNG"
    assert (tmp_path / "text.pdf").read_bytes().startswith(b"%PDF")
    saved = json.loads((tmp_path / "text.json").read_text(encoding="utf-8"))
    assert saved == json.loads(READING.to_json()) == READING.to_dict()
    assert saved["elements"] == WORDS["word"].tolist()
    assert saved["known"] == [True, True, True, False]
    assert saved["attributions"] == {
        "weight": [0.5, 0.25, 0.25, None],
        "contribution": [-0.1, 0.2, 0.5, None],
        "lowest": [0.5, 0.125, 0.25, None],
        "highest": [0.5, 0.25, 0.25, None],
        "mine": [0, 0, 0, 0],
    }
    assert (saved["prediction"], saved["probability"], saved["jsd"]) == ("\u05d8\u05d5\u05d1", 0.75, 0.125)
    assert saved["chance_jsd"] is None
    line = "path: 'text.gif' has another suffix than is known; give .html, .json, .png or .pdf"
    assert refusal(READING.save, str(tmp_path / "text.gif")) == line
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".html", ".json", ".pdf", ".png"]
