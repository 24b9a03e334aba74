"""The explorer's page as a file, and its mathematics, run where a reader runs it, beside Python's."""

import re
from base64 import b64encode
from functools import partial
from hashlib import sha256

import numpy as np
import pytest
import torch
from explored import example
from numpy.testing import assert_allclose
from pages import Page
from readouts import make_pairs, make_readout
from seaborn.utils import relative_luminance

from attention_audit.audits.erasure import find_contributions
from attention_audit.explorer.document import pack_view
from attention_audit.explorer.page import join_modules, write_page

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def ask(chrome, tmp_path_factory):
    """Evaluates an expression among the modules of the page, but for the one that starts it; values are x, y, z."""
    script, main, _ = join_modules().partition("const about = readAbout();")
    assert main
    path = tmp_path_factory.mktemp("modules") / "modules.html"
    asked = "window.ask = (expression, x, y, z) => eval(expression);"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8"><script type="module">{script}{asked}</script>')
    chrome.get(path.as_uri())
    return partial(chrome.execute_script, "return ask(...arguments)")


def reading(readout, text):
    """A text as the page knows it."""
    head, candidates = readout.head, readout.candidates
    return {
        "attention": readout.attention[text].tolist(),
        "z": readout.contribution[text].ravel().tolist(),
        "bias": readout.bias[text].tolist(),
        "tail": None if head is None else {"weight": head.weight.tolist(), "bias": head.bias.tolist()},
        "candidates": None if candidates is None else candidates[text].tolist(),
    }


@pytest.mark.parametrize(("make", "outputs"), [(make_readout, 1), (make_readout, 3), (make_pairs, 3)])
def test_predictions_under_any_weights_are_those_of_python(ask, make, outputs):
    random, readout = np.random.default_rng(2), make([1, 4, 9, 30], outputs)
    for texts in readout.batches(torch.float64):
        for row, text in enumerate(texts.members):
            length = int(texts.lengths[row])
            weights = np.zeros(texts.attention.shape)
            weights[row, :length] = random.dirichlet(np.ones(length))
            expected = texts.predict(torch.from_numpy(weights)[None])[0, row]
            found = ask("predict(x, y)", reading(readout, text), weights[row, :length].tolist())
            assert_allclose(found, expected, atol=1e-6)


def test_contributions_are_exact(ask):
    for outputs in (1, 4):
        readout = make_readout([6, 6, 6], outputs)
        (texts,) = readout.batches(torch.float64)
        exact = find_contributions(texts)
        for row, text in enumerate(texts.members):
            lead = ask("lead(x)", reading(readout, text))
            assert_allclose(readout.attention[text] * lead, exact[row], atol=1e-6)


def test_a_moved_weight_leaves_the_others_their_proportions(ask):
    assert ask("moved([.5, .3, .2], 0, .75, [1, 0, 0])") == pytest.approx([0.75, 0.15, 0.1])
    assert ask("moved([.5, .3, .2], 2, 0, [1, 0, 0])") == pytest.approx([0.625, 0.375, 0])
    # where the others have nothing, their original weights decide, and then none does
    assert ask("moved([1, 0, 0], 0, .4, [.5, .1, .4])") == pytest.approx([0.4, 0.12, 0.48])
    assert ask("moved([1, 0, 0], 0, .4, [1, 0, 0])") == pytest.approx([0.4, 0.3, 0.3])
    assert ask("moved([1], 0, .4, [1])") == [1]


def test_other_weights_by_hand(ask):
    assert ask("uniform([.7, .1, .1, .1])") == [0.25] * 4
    assert ask("ranked([.1, .4, .4, .1])") == [1, 2, 0, 3]
    assert ask("meanOf([[.2, .8], [.6, .4]])") == pytest.approx([0.4, 0.6])


def test_a_shuffle_is_a_permutation_that_its_number_decides(ask):
    numbers = list(range(20))
    drawn = [ask("shuffled(x, y)", numbers, seed) for seed in (1, 1, 2, 3)]
    assert all(sorted(order) == numbers for order in drawn)
    assert drawn[0] == drawn[1] != drawn[2] != drawn[3]
    # each of three items comes first about as often
    firsts = ask("[...Array(3000).keys()].map((seed) => shuffled([0, 1, 2], seed)[0])")
    counts = np.bincount(firsts)
    assert counts.min() > 900, counts


def test_moves_follow_one_another(ask):
    first = ask("afterMove(afterMove(NOTHING, 0, .2), 0, .5)")
    assert first == {"begin": {"kind": "own"}, "moves": [[0, 0.5]]}
    both = ask("afterMove(x, 1, .5)", first)
    assert ask("held([.25, .25, .5], x, () => null)", both) == pytest.approx([0.3, 0.5, 0.2])
    unknown = {"begin": {"kind": "map", "key": "gone"}, "moves": [[9, 0.5]]}
    assert ask("held([.4, .6], x, () => null)", unknown) == [0.4, 0.6]


STATE = {
    "view": "a b/c&d=e/ü#%",
    "seed": "10",
    "text": "</script>\u2028%zz,+;",
    "left": "attention:10",
    "right": "loo:10",
    "hold": {"begin": {"kind": "erase", "key": "a,b&c", "count": 3}, "moves": [[0, 0.5], [12, 0.0625]]},
    "find": "one two,three",
    "sort": "moved",
    "down": True,
    "only": ["wrong", "far"],
    "where": [{"column": "x,y", "is": "a,b"}, {"column": "moved", "from": 0.25, "to": None}],
}


def test_an_address_says_a_state(ask):
    assert ask("fromFragment(toFragment(x))", STATE) == STATE
    assert ask("toFragment(START)") == "#"
    assert ask("fromFragment('')") == ask("START")


@pytest.mark.parametrize(
    "fragment",
    ["#begin=erase,x", "#begin=shuffle,x", "#begin=toString", "#moves=1:2,a:b,-1:.5,1.5:.5", "#begin=erase,%25zz"],
)
def test_what_an_address_says_wrongly_is_as_at_the_start(ask, fragment):
    assert ask("fromFragment(x).hold", fragment) == {"begin": {"kind": "own"}, "moves": []}


def test_words_can_be_read_on_every_shade(ask):
    """A contrast of 4.5 at least, as WCAG 2 asks of text."""

    for kind in ("attention", "signed", "share", "mark"):
        shades = ask("[...Array(201).keys()].map((at) => shade(x, at / 100 - 1))", kind)
        for shade in shades:
            background = [int(part) / 255 for part in shade["background"][4:-1].split()]
            light, ink = relative_luminance(background), relative_luminance(shade["ink"])
            assert (max(light, ink) + 0.05) / (min(light, ink) + 0.05) >= 4.5, (kind, shade)


@pytest.fixture(scope="module")
def written():
    about, views = example()
    return write_page(about, {key: pack_view(view) for key, view in views.items()})


def test_the_page_is_whole_and_loads_nothing(written):
    taken = Page(written)
    assert taken.loads == ["data:,"]
    assert taken.links == ["#"]
    assert taken.ids.most_common(1)[0][1] == 1
    assert "://" not in re.sub(r"<script type=\"(application/json|text/plain)\".*?</script>", "", written)


def test_the_policy_permits_this_script_and_this_style_only(written):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', written)
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].replace("&#39;", "'").split(";"))
    elements = {"script-src": '<script type="module"[^>]*>(.*?)</script>', "style-src": "<style[^>]*>(.*?)</style>"}
    for rule, element in elements.items():
        (content,) = re.findall(element, written, re.DOTALL)
        assert rules[rule] == f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"


def test_modules_become_one_script_that_ends_no_element_and_makes_no_markup():
    script = join_modules()
    assert not re.search("^(import|export)", script, re.MULTILINE)
    assert not re.search("</script|<!--", script, re.IGNORECASE)
    declared = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script, re.MULTILINE)
    assert len(declared) == len(set(declared))
    # what a constant is made of stands above it
    assert declared.index("NOTHING") < declared.index("START")
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b"
    assert not re.search(ways, script)
