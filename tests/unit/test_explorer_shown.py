"""The explorer in a browser: what a reader clicks, drags, types and sees, beside Python's numbers."""

from itertools import pairwise

import pytest
import torch
from browser import Shown
from explored import example, predicted
from selenium.webdriver import ActionChains, Keys

from attention_audit.divergence import jsd, tvd
from attention_audit.explorer.document import pack_view
from attention_audit.explorer.page import write_page

pytestmark = pytest.mark.xdist_group("browser")

ABOUT, VIEWS = example()
NEEDLE = "needle/wp/base"
VIEW = VIEWS[NEEDLE]


@pytest.fixture(scope="module")
def whole(chrome, tmp_path_factory):
    """The example's page; its file has a name that is markup."""
    path = tmp_path_factory.mktemp("explorer") / "<img src=x onerror=window.hurt=1>&amp;.html"
    path.write_text(write_page(ABOUT, {key: pack_view(view) for key, view in VIEWS.items()}), encoding="utf-8")
    return Shown(chrome, path)


def quiet(shown):
    """That the console said nothing, nothing was asked for, and no text became markup."""
    assert shown.said() == []
    assert shown.asked_for() == set()
    assert shown.run("return window.hurt === undefined && !document.querySelector('b b, i i, u, img')")


@pytest.fixture
def shown(whole):
    """The same page, which stays quiet whatever a test does to it."""
    yield whole
    quiet(whole)


def await_place(shown, words):
    """Wait until the page says that it shows a text, a model or a seed."""
    shown.until(f"return document.querySelector('#kicker').textContent.includes('{words}')")


def weights_of(shown):
    """The weights that the columns say."""
    return [float(value) for value in shown.each("#words [role=slider]", "n.ariaValueNow")]


def outcome(shown):
    """The distribution, JSD and TVD that the page says."""
    now = shown.each("#classes .class", "Number(n.dataset.now)")
    distances = shown.each("#distances dd", "Number(n.dataset.value)")
    return now, distances[0], distances[1]


def check_outcome(shown, place, seed=10):
    """That the page says what Python computes of the weights that it shows, which it returns."""
    own, weights = VIEW["maps"][f"attention:{seed}"][place], weights_of(shown)
    before, after = (predicted(VIEW, seed, place, those) for those in (own, weights))
    now, apart, moved = outcome(shown)
    assert now == pytest.approx(after, abs=1e-3)
    assert moved == pytest.approx(float(tvd(torch.tensor(before), torch.tensor(after))), abs=1e-3)
    assert apart == pytest.approx(float(jsd(torch.tensor(own), torch.tensor(weights))), abs=1e-3)
    return weights


@pytest.mark.parametrize("width", [1440, 800, 390])
@pytest.mark.parametrize("key", [NEEDLE, "sst/hf/base"])
def test_nothing_is_wider_than_the_window(shown, key, width):
    shown.open(f"#view={key}", width)
    assert shown.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    boxes = shown.each(
        "body *:not(.scroll *, .visually-hidden, .skip, .class-name)",
        "[n.id || n.className, n.checkVisibility() ? n.getBoundingClientRect().right : 0]",
    )
    clipped = [name for name, right in boxes if right > width + 1]
    assert clipped == []


@pytest.mark.parametrize("place", range(5))
def test_every_view_opens_and_says_what_python_says(shown, place):
    about = ABOUT["views"][place]
    for seed in about["seeds"]:
        shown.open(f"#view={about['key']}&seed={seed}")
        assert shown.one("#seed").get_property("value") == str(seed)
        run = VIEWS[about["key"]]["runs"][str(seed)]
        assert outcome(shown)[0] == pytest.approx(run["p"][0], abs=1e-3)
        assert outcome(shown)[1:] == (0, 0)
        assert about["classes"][run["prediction"][0]] in shown.text("#decision")


def test_the_answers_on_a_model_are_shown_where_there_are_any(shown):
    shown.open(f"#view={NEEDLE}")
    (line,) = ABOUT["views"][0]["lines"]
    assert shown.each("#lines tr > *", "n.textContent") == [line[name] for name in line if name != "beside"]
    assert shown.text("#answer-finding") == ABOUT["views"][0]["finding"]
    shown.open("#view=sst/hf/base")
    assert shown.one("#answer").get_property("hidden")


def test_a_drag_moves_the_weight_and_all_that_follows(shown):
    shown.open(f"#view={NEEDLE}&text=needle-test-00001")
    before = weights_of(shown)
    track = shown.all("#words .track")[2]
    top = float(shown.text("#scale").split(" weight of ")[1].split(" ")[0].rstrip("."))
    shown.run("arguments[0].scrollIntoView({block: 'center'})", track)
    height = track.size["height"]
    # from the middle of the column to a quarter of its height above
    ActionChains(shown.chrome, duration=50).move_to_element(track).click_and_hold().move_by_offset(
        0, -height // 4
    ).release().perform()
    after = check_outcome(shown, 1)
    assert after[2] == pytest.approx(0.75 * top, abs=2 * top / height)
    others = [weight for place, weight in enumerate(before) if place != 2]
    expected = [weight * (1 - after[2]) / sum(others) for weight in others]
    assert [weight for place, weight in enumerate(after) if place != 2] == pytest.approx(expected, abs=1e-6)
    assert "1 item moved by hand" in shown.text("#means")
    shown.one("#reset").click()
    assert weights_of(shown) == before
    assert outcome(shown)[1:] == (0, 0)


def test_a_finger_drags_too(shown):
    shown.open(f"#view={NEEDLE}&text=needle-test-00001", 390)
    track = shown.all("#words .track")[2]
    shown.run("arguments[0].scrollIntoView({block: 'center'})", track)
    box = shown.run("const r = arguments[0].getBoundingClientRect(); return [r.left, r.top, r.width, r.height]", track)
    x, middle = box[0] + box[2] / 2, box[1] + box[3] / 2
    for kind, y in (("touchStart", middle), ("touchMove", middle - 10), ("touchMove", box[1]), ("touchEnd", None)):
        points = [] if y is None else [{"x": x, "y": y}]
        shown.chrome.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert check_outcome(shown, 1)[2] > 0.3
    assert "1 item moved by hand" in shown.text("#means")


def test_the_keyboard_moves_weights_too(shown):
    shown.open(f"#view={NEEDLE}&text=needle-test-00003")
    before = weights_of(shown)
    first = shown.one("#words [tabindex='0']")
    first.send_keys(Keys.ARROW_RIGHT)
    second = shown.chrome.switch_to.active_element
    assert "Weight of word 2, " in str(second.get_attribute("aria-label"))
    assert len(shown.all("#words [tabindex='0']")) == 1
    second.send_keys(Keys.ARROW_UP, Keys.ARROW_UP)
    assert check_outcome(shown, 3)[1] == pytest.approx(before[1] + 0.02)
    second.send_keys(Keys.END)
    assert check_outcome(shown, 3)[1] == 1
    second.send_keys(Keys.HOME)
    assert check_outcome(shown, 3)[1] == 0
    shown.until("return document.querySelector('#said').textContent.includes('TVD')")


def test_the_buttons_do_what_they_say(shown):
    shown.open(f"#view={NEEDLE}&text=needle-test-00002")
    own = VIEW["maps"]["attention:10"][2]
    shown.one("#uniform").click()
    assert check_outcome(shown, 2) == pytest.approx([1 / len(own)] * len(own))
    shown.one("#shuffle").click()
    shuffled = check_outcome(shown, 2)
    assert sorted(shuffled) == sorted(own)
    assert shuffled != own
    shown.one("#shuffle").click()
    assert check_outcome(shown, 2) != shuffled
    shown.one("#another").click()
    assert check_outcome(shown, 2) == pytest.approx(VIEW["maps"]["attention:257"][2])
    assert "seed 257" in shown.text("#means")
    for name in ("adversary", "continuation", "instance", "adversary"):
        shown.one("#adversary").click()
        assert check_outcome(shown, 2) == pytest.approx(VIEW["maps"][name][2])
        assert shown.one("#adversary").get_attribute("aria-pressed") == "true"


def test_the_slider_erases_the_first_words_of_a_ranking(shown):
    shown.open(f"#view={NEEDLE}&text=needle-test-00002")
    own = VIEW["maps"]["attention:10"][2]
    loo = VIEW["maps"]["loo:10"][2]
    shown.one("#erase").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    weights = check_outcome(shown, 2)
    gone = sorted(range(len(own)), key=lambda item: -own[item])[:2]
    left = [0.0 if item in gone else weight for item, weight in enumerate(own)]
    assert weights == pytest.approx([weight / sum(left) for weight in left])
    shown.choose("#ranking", "loo:10")
    assert {item for item, weight in enumerate(check_outcome(shown, 2)) if not weight} == set(
        sorted(range(len(loo)), key=lambda item: -loo[item])[:2]
    )
    # without any weight the bias alone decides, and a map without mass has no distance
    shown.one("#erase").send_keys(Keys.END)
    now, _, _ = outcome(shown)
    assert now == pytest.approx(predicted(VIEW, 10, 2, [0.0] * len(own)), abs=1e-3)
    assert "not defined" in shown.text("#distances")


def test_what_is_not_linear_is_said_and_cannot_be_dragged(shown):
    view = VIEWS["sst/hf/base"]
    shown.open("#view=sst/hf/base&text=sst-test-00001")
    assert ABOUT["views"][4]["why_not"] in shown.text("#how")
    assert shown.all("#words [role=slider]") == []
    assert not any(shown.one(f"#{name}").is_enabled() for name in ("shuffle", "erase", "ranking"))
    for name, key in (("uniform", "uniform"), ("another", "attention:257"), ("adversary", "adversary")):
        shown.one(f"#{name}").click()
        assert outcome(shown)[0] == pytest.approx(view["imposed"]["10"][key][1])
    # marks of the tokenizer, the last two items, are no words of the list
    assert shown.text("#texts [aria-current] .snippet").split() == " ".join(view["words"][1][:-2]).split()
    heads = view["maps"]["attention:10"][1]
    shades = shown.each("#left .shaded", "Number(n.title)")
    assert shades == pytest.approx([sum(head[item] for head in heads) / 3 for item in range(len(heads[0]))], abs=1e-3)
    shown.all("#left .head")[1].click()
    shades = shown.each("#left .shaded", "Number(n.title)")
    assert shades == pytest.approx(heads[1], abs=1e-3)


def test_two_maps_stand_side_by_side_with_what_they_predict(shown):
    shown.open(f"#view={NEEDLE}&text=needle-test-00002")
    one, other = (torch.tensor(VIEW["maps"][f"attention:{seed}"][2]) for seed in (10, 257))
    assert float(shown.one("#apart").get_attribute("data-jsd") or "") == pytest.approx(float(jsd(one, other)), abs=1e-6)
    said = shown.each("#right .distribution", "[...n.querySelectorAll('.class')].map(row => Number(row.dataset.now))")
    assert said[0] == pytest.approx(predicted(VIEW, 10, 2, other.tolist()), abs=1e-3)
    assert said[1] == pytest.approx(VIEW["runs"]["257"]["p"][2])
    shown.choose("#left-map", "contribution:10")
    texts = shown.each("#left .shaded")
    assert texts == VIEW["words"][2]
    against = shown.each("#left .shaded", "n.classList.contains('against')")
    values = shown.each("#left .shaded", "Number(n.title) < 0")
    assert against == values
    assert any(values)


def ids(shown):
    """The texts of the list, by their ids, in order."""
    return list(shown.each("#texts a", "new URLSearchParams(n.hash.slice(1)).get('text')"))


def test_the_list_sorts_filters_and_searches(shown):
    shown.open(f"#view={NEEDLE}")
    assert ids(shown) == VIEW["id"]
    shown.choose("#sort", "moved")
    shown.one("#down").click()
    moved = dict(zip(VIEW["id"], VIEW["columns"]["moved"], strict=True))
    known = sorted((id_ for id_ in VIEW["id"] if moved[id_] is not None), key=lambda id_: -float(moved[id_] or 0))
    assert ids(shown) == [*known, VIEW["id"][1]]
    shown.one("#only input[value=wrong]").click()
    run = VIEW["runs"]["10"]
    wrong = [id_ for id_, gold, said in zip(VIEW["id"], VIEW["gold"], run["prediction"], strict=True) if gold != said]
    assert sorted(ids(shown)) == wrong
    assert shown.text("#count") == f"{len(wrong)} of 12 texts"
    shown.one("#by-column summary").click()
    shown.choose("#where-column", "moved")
    shown.one("#where-from").send_keys("0.3")
    shown.one("#where-add").click()
    kept = [id_ for id_ in ids(shown) if id_ in wrong and float(moved[id_] or 0) >= 0.3]
    assert ids(shown) == kept
    assert 0 < len(kept) < len(wrong)
    shown.one("#where button").click()
    assert sorted(ids(shown)) == wrong
    shown.one("#only input[value=wrong]").click()
    shown.one("#find").send_keys("JAVASCRIPT:alert")
    holding = [id_ for id_, words in zip(VIEW["id"], VIEW["words"], strict=True) if "javascript:alert(1)" in words]
    assert sorted(ids(shown)) == holding
    shown.one("#find").send_keys(" nowhere")
    assert ids(shown) == []
    assert "No text is like this" in shown.text("#count")


def test_a_text_is_chosen_from_the_list_and_by_the_way_back(shown):
    shown.open(f"#view={NEEDLE}")
    shown.all("#texts a")[4].click()
    await_place(shown, "needle-test-00004")
    assert shown.all("#texts a")[4].get_attribute("aria-current") == "true"
    shown.one("#next").click()
    assert "needle-test-00005" in shown.text("#kicker")
    shown.one("#previous").click()
    shown.one("#previous").click()
    assert "needle-test-00003" in shown.text("#kicker")
    shown.chrome.back()
    await_place(shown, "needle-test-00004")


def test_the_opening_text_has_its_reason_beside_it(shown):
    shown.open()
    assert shown.text("#why") == "Shown first because <b>base</b> is sure."
    shown.one("#next").click()
    assert not shown.one("#why").is_displayed()
    shown.one("#previous").click()
    assert shown.one("#why").is_displayed()
    # it is about the first training
    shown.choose("#seed", "257")
    await_place(shown, "seed 257")
    assert not shown.one("#why").is_displayed()


def test_data_set_suite_model_and_seed_are_chosen(shown):
    shown.open()
    for selector, value, words in (
        ("#dataset", "sst", "sst-test-00000"),
        ("#dataset", "needle", "needle-test-00000"),
        ("#suite", "jw", "lstm_tanh"),
        ("#suite", "wp", "base"),
        ("#seed", "257", "seed 257"),
    ):
        shown.choose(selector, value)
        await_place(shown, words)
    check_outcome(shown, 0, 257)


def test_an_address_opens_what_a_reader_saw(shown):
    shown.open(f"#view={NEEDLE}&seed=257&text=needle-test-00004&left=loo:10&right=contribution:257")
    shown.one("#shuffle").click()
    slider = shown.all("#words [role=slider]")[1]
    slider.send_keys(Keys.PAGE_UP)
    weights, address = weights_of(shown), str(shown.one("#address").get_attribute("href"))
    shown.until("return location.hash.includes('moves')")
    assert shown.chrome.current_url == address
    shown.open("#" + address.partition("#")[2])
    assert weights_of(shown) == pytest.approx(weights, abs=1e-4)
    assert "needle-test-00004" in shown.text("#kicker")
    # leave-one-out of seed 10 is not of this training, so its own attention stands there
    assert shown.one("#left-map").get_property("value") == "attention:257"
    assert shown.one("#right-map").get_property("value") == "contribution:257"
    check_outcome(shown, 4, 257)


def test_an_address_of_what_is_not_there_is_said(shown):
    shown.open("#view=needle/wp/gone&text=<b>gone</b>&seed=x&begin=map,gone&only=gone&sort=gone&where=gone,is,x")
    assert "no model needle/wp/gone, and no text <b>gone</b>" in shown.text("#notice")
    assert outcome(shown)[1:] == (0, 0)


def test_every_control_is_named_and_reached_by_the_keyboard(shown):
    shown.open(f"#view={NEEDLE}")
    named = shown.each(
        ":is(aside, main) :is(button, input, select):enabled, main summary, main a[href]",
        "[n.id, n.ariaLabel || [...(n.labels ?? [])].map(label => label.textContent).join(' ') || n.textContent]",
    )
    assert [id_ for id_, name in named if not name.strip()] == []
    reached = set()
    shown.run("document.body.focus()")
    for _ in range(80):
        ActionChains(shown.chrome, duration=0).send_keys(Keys.TAB).perform()
        reached.add(
            shown.run("const n = document.activeElement; return n.id || n.className || n.value || n.textContent")
        )
    wanted = {
        "skip", "dataset", "suite", "model", "seed", "find", "wrong", "sort", "down", "next", "address", "left-map",
        "right-map", "uniform", "shuffle", "another", "adversary", "ranking", "erase",
    }  # fmt: skip
    assert wanted <= reached, wanted - reached
    assert any("word" in name.split() for name in reached), reached
    headings = shown.each("h1, h2, h3", "Number(n.tagName[1])")
    assert headings[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(headings))


def test_texts_from_the_right_are_shown_from_the_right(chrome, tmp_path):
    about, views = example()
    view = views[NEEDLE]
    words = ["סרט", "חם", "ומצחיק"]
    view["words"][0] = (words * len(view["words"][0]))[: len(view["words"][0])]
    path = tmp_path / "explorer.html"
    path.write_text(write_page({**about, "views": about["views"][:1]}, {NEEDLE: pack_view(view)}), encoding="utf-8")
    shown = Shown(chrome, path).open()
    for selector in ("#words .word", "#left .shaded"):
        first, second = (part.rect["x"] for part in shown.all(selector)[:2])
        assert first > second, selector
    shown.one("#words [tabindex='0']").send_keys(Keys.ARROW_LEFT)
    assert "Weight of word 2, " in str(chrome.switch_to.active_element.get_attribute("aria-label"))
    assert shown.text("#left .shaded") == words[0]
    quiet(shown)


def test_all_numbers_of_a_text_are_a_table(shown):
    shown.open(f"#view={NEEDLE}&text=needle-test-00002&begin=uniform")
    shown.one("#numbers summary").click()
    shown.until("return document.querySelector('#numbers-body').children.length > 0")
    heads = shown.each("#numbers-head th")
    rows = shown.each("#numbers-body tr", "[...n.children].map(cell => cell.textContent)")
    assert [row[1] for row in rows] == VIEW["words"][2]
    assert {row[heads.index("now")] for row in rows} == {f"{1 / len(rows):.3f}"}
    at = heads.index("attention, seed 257")
    assert [float(row[at]) for row in rows] == pytest.approx(VIEW["maps"]["attention:257"][2], rel=0.05, abs=1e-3)


def test_a_run_without_views_says_so(chrome, tmp_path):
    path = tmp_path / "explorer.html"
    path.write_text(write_page({**ABOUT, "views": []}, {}), encoding="utf-8")
    shown = Shown(chrome, path).open()
    assert "no model" in shown.text("#notice")
    quiet(shown)
