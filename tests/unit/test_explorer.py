"""The explorer's data: from readouts, audits and texts to what its page reads."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from explored import example, unpack
from explored_run import CLASSES, HOSTILE, job_of, readout

from attention_audit.errors import AuditError
from attention_audit.explorer.document import About, AboutView, View, pack_view, write_json
from attention_audit.explorer.views import NO_CONTRIBUTION, NOT_DECIDED, NOT_LINEAR, ViewBuilder
from attention_audit.jobs.pages import ExploredRun
from attention_audit.readout import Readout
from attention_audit.stages.explorer import choose_adversary, run

MakeReadout = Callable[..., Readout]


def parts_of(text: str) -> tuple[About, dict[str, View]]:
    """The data of a page: the short text, and the unpacked views by key."""
    (short,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    views = re.findall(r'<script type="text/plain" data-view="([^"]*)"[^>]*>(.*?)</script>', text, re.DOTALL)
    return json.loads(short), {unescape(key): unpack(part) for key, part in views}


def reorder(part: Any, places: list[int]) -> Any:
    """Put the texts of a view, or of a part of it, into another order."""
    if isinstance(part, list):
        return [part[place] for place in places]
    return {key: reorder(value, places) for key, value in part.items()}


def text_of(*words: str, **further: Any) -> dict[str, Any]:
    """A text of the corpus, of which nothing but the words is known, unless it is given."""
    return {"tokens": list(words), "sentences": None, "query": None, "marks": None} | further


def build(first: Readout, items: str = "words", **further: Any) -> tuple[AboutView, View]:
    """What the page holds of one model, at once and as its texts; nothing is beside it, unless it is given."""
    about = dict.fromkeys(AboutView.__annotations__, "") | {"items": items, "missing": {}}
    texts = [text_of(*(f"w{place}" for place in range(length + 1))) for length in first.words]
    plain = {"about": about, "classes": {0: "no", 1: "yes"}, "texts": texts, "runs": {1: first}}
    plain |= {"twin": None, "others": (), "instance": {}, "attributions": {}, "columns": {}}
    builder = ViewBuilder(**plain | further)
    return builder.describe_view(), builder.write_view()


def test_what_is_written_into_the_page_is_no_markup() -> None:
    about, views = example()
    written = write_json(about)
    assert json.loads(written) == about
    assert not set("<>&\u2028\u2029") & set(written)
    for view in views.values():
        text = pack_view(view)
        assert unpack(text) == view
        assert re.fullmatch(r"[A-Za-z0-9+/=]+", text)
        assert pack_view(view) == text


def test_half_a_character_does_not_stop_the_page() -> None:
    _, views = example()
    view = next(iter(views.values()))
    words = [["\ud800", *row[1:]] for row in view["words"]]
    assert unpack(pack_view(View(**view | {"words": words})))["words"][0][0] == "?"


def test_a_whole_run_is_on_the_page(tmp_path: Path) -> None:
    job, said = job_of(tmp_path, {"first": 30, "second": 9})
    run(job)
    text = (tmp_path / "explorer.html").read_text()
    about, views = parts_of(text)
    base, other = about["views"]
    assert [*views] == [base["key"], other["key"]] == ["first/wp/base", "second/wp/other"]
    known = {
        "sampled": {"of": 30, "shown": 30, "why": ""},
        "classes": list(CLASSES),
        "suite_name": "<u>W&P</u>",
        "model_name": "<i>base</i>",
        "seeds": [1, 2],
        "columns_seed": 1,
    }
    assert base.items() >= known.items()
    by_key = {map_["key"]: map_ for map_ in base["maps"]}
    assert [*by_key] == [
        *("attention:1", "attention:2", "uniform", "adversary", "instance"),
        *("contribution:1", "contribution:2", "loo:1", "people"),
    ]
    # the other one goes further, but beyond the budget
    assert by_key["adversary"]["label"] == "adversary, lambda 0.1"
    assert by_key["adversary"]["meaning"].endswith("within a TVD of 0.05.")
    assert [map_["key"] for map_ in other["maps"]] == ["attention:7", "uniform", "contribution:7", "people"]
    assert other["missing"] == {
        "adversary": "No model of this suite was trained to attend elsewhere.",
        "gradient, leave-one-out or integrated gradients": "The audit word_attributions needs a network.",
    }
    # of the texts that are right, sure and of 8 to 30 words, the first on which the other training disagrees
    assert base["opening"].startswith("Shown first because the model is right and sure (0.8")
    assert base["opening"].endswith("while the other training has another top word.")
    shown = views["first/wp/base"]
    assert shown["id"] == ["test-00006", *(f"test-{place:05d}" for place in range(30) if place != 6)]
    view = reorder(shown, sorted(range(30), key=shown["id"].__getitem__))
    first, twin, far, last = (readout(30, 12, seed) for seed in (1, 2, 3, 4))
    assert (view["id"], view["gold"]) == (first.ids, first.labels.tolist())
    assert view["words"][5] == [HOSTILE[(5 + place) % 4] for place in range(first.lengths[5])]
    for written, made in (
        (view["runs"]["1"]["p"], first),
        (view["own"]["uniform"], twin),
        (view["own"]["adversary"], far),
    ):
        np.testing.assert_allclose(written, made.probabilities, atol=1e-6)
    for key, made in (("instance", far), ("loo:1", last)):
        np.testing.assert_allclose(np.concatenate(view["maps"][key]), np.concatenate(made.attention), rtol=6e-3)
    for place, (marked, words) in enumerate(zip(view["maps"]["people"], view["words"], strict=True)):
        assert marked == ([0.5] + [0.0] * (len(words) - 1) if place % 2 else None)
    kinds = {column["name"]: column["kind"] for column in base["columns"]}
    assert {*kinds} == {*view["columns"]}
    some = {"contributions": "number", "agree": "integer", "survives_item": "flag", "words": "text"}
    assert kinds.items() >= some.items()
    values = {name: column[3] for name, column in view["columns"].items()}
    row = {"words": HOSTILE[0], "contributions": -1.235, "moved": 0.1235, "agree": 1, "stable": None}
    assert values.items() >= row.items()
    (located,) = (line for line in base["lines"] if line["question"] == "located")
    line = {"mark": "·●·", "said": "partly", "value": ".35", "interval": ".33 to .37", "remark": HOSTILE[0]}
    assert located.items() >= line.items()
    assert (len(base["lines"]), other["lines"]) == (8, [])
    assert said[-1].startswith("2 views in ")


def test_hostile_texts_and_names_are_no_markup_in_the_page(tmp_path: Path) -> None:
    job, _ = job_of(tmp_path, {"first": 6, "second": 3})
    run(job)
    text = (tmp_path / "explorer.html").read_text()
    for hostile in (*HOSTILE[:3], *CLASSES, "<u>W&P</u>", "<i>base</i>", "</script>good"):
        assert hostile not in text
    # one that computes, one of facts, and one a view
    assert text.count("<script") == text.count("</script") == 4


def test_a_sample_keeps_the_opening_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = job_of(tmp_path / "whole", {"first": 60, "second": 3})
    run(whole)
    monkeypatch.setattr("attention_audit.stages.explorer.MOST", 4)
    few, _ = job_of(tmp_path / "few", {"first": 60, "second": 3})
    run(few)
    firsts = []
    for name in ("whole", "few"):
        about, views = parts_of((tmp_path / name / "explorer.html").read_text())
        view = about["views"][0]
        firsts.append((view["opening"], views[view["key"]]["id"][0]))
    assert firsts[0] == firsts[1]
    assert [each["sampled"]["shown"] for each in about["views"]] == [4, 3]
    assert view["sampled"]["why"].startswith("The page shows 4 texts of a data set at most, drawn by ")


def test_names_of_classes_that_are_read_from_the_right_keep_their_place() -> None:
    about, _ = build(readout(3, 4, 1), classes={0: "سلبي", 1: "good"})
    assert about["classes"] == ["\u2068سلبي\u2069", "good"]


def test_a_large_run_is_cut_to_the_size_of_a_page(tmp_path: Path) -> None:
    job, said = job_of(tmp_path, {"first": 400, "second": 60}, words=40)
    run(job, limit=300_000)
    text = (tmp_path / "explorer.html").read_text()
    assert len(text.encode()) <= 300_000
    about, views = parts_of(text)
    base, other = (view["sampled"] for view in about["views"])
    assert 40 < base["shown"] < base["of"] == 400
    # the small data set needs less than its share
    assert other == {"of": 60, "shown": 60, "why": ""}
    assert base["why"] == (
        "The page has at most 0.3 MB, so that it shows a sample of the texts, drawn by label and by whether the first "
        "model predicts it."
    )
    assert re.search(rf"first: {base['shown']} of 400 texts, 0\.\d MB", "\n".join(said))
    view = views["first/wp/base"]
    assert len(view["id"]) == base["shown"] == len(view["runs"]["2"]["z"]) == len(view["maps"]["adversary"])
    # the room is used
    assert len(text.encode()) > 250_000


@pytest.mark.parametrize(
    ("name", "place"),
    [
        *((name, 0) for name in ("readouts", "corpus", "census", "texts", "summary")),
        *(("audits", at) for at in range(3)),
    ],
)
def test_a_damaged_file_is_one_line_and_writes_no_page(tmp_path: Path, name: str, place: int) -> None:
    job, _ = job_of(tmp_path, {"first": 5, "second": 3})
    path = job.inputs[name][place]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(AuditError, match=rf"^{path}: truncated or corrupt Parquet; rebuild it with: "):
        run(job)
    assert not (tmp_path / "explorer.html").exists()


def test_a_text_that_the_corpus_lacks_is_one_line(tmp_path: Path) -> None:
    job, _ = job_of(tmp_path, {"first": 5, "second": 3})
    job.inputs["corpus"][0] = job.inputs["corpus"][1]
    with pytest.raises(AuditError, match=r"corpus\.parquet: text 'test-00003' is missing; rebuild it with: "):
        run(job)


def test_a_head_that_is_no_sum_of_words_is_said(random_pairs: MakeReadout) -> None:
    about, view = build(random_pairs([3, 5], classes=4))
    assert (about["here"], about["tail"], about["outputs"], about["why_not"]) == (True, True, 3, "")
    assert about["missing"] == {"exact contribution": NO_CONTRIBUTION}
    assert about["classes"] == ["no", "yes", "2", "3"]
    assert view["candidates"] == [[1, 2, 3], [0, 2, 3]]
    assert np.shape(view["runs"]["1"]["tail"]["weight"]) == (4, 3)
    # a word more than was read
    assert view["unread"] == [1, 1]


def test_of_a_transformer_predictions_are_computed_before(random_heads: MakeReadout) -> None:
    first, second = (random_heads([6, 4], heads=2, seed=seed, marks=2) for seed in (0, 1))
    flat = {first.ids[0]: second.several.weights[0].reshape(-1)}  # type: ignore[union-attr]
    other = "adversary", "", "", second
    known = {"gradient": {id_: np.ones(length - 2, np.float32) for id_, length in zip(first.ids, (6, 4), strict=True)}}
    about, view = build(first, others=[other], instance=flat, attributions=known)
    assert (about["here"], about["heads"], about["outputs"], about["why_not"]) == (False, 2, 0, NOT_LINEAR)
    assert view["words"] == [["w0", "w1", "w2", "w3", "[CLS]", "[SEP]"], ["w0", "w1", "[CLS]", "[SEP]"]]
    assert view["marks"] == [2, 2]
    assert view["maps"]["gradient:1"] == [[1, 1, 1, 1, 0, 0], [1, 1, 0, 0]]
    assert "z" not in view["runs"]["1"]
    assert np.shape(view["maps"]["attention:1"][0]) == (2, 6)
    np.testing.assert_allclose(view["maps"]["instance"][0], view["maps"]["adversary"][0])
    assert view["maps"]["instance"][1] is None
    imposed = view["imposed"]["1"]
    assert [*imposed] == ["uniform", "attention:1", "adversary", "instance"]
    np.testing.assert_allclose(imposed["attention:1"], view["runs"]["1"]["p"], atol=2e-6)
    assert imposed["instance"][1] is None
    even = [np.full((length, 2), 1 / length, np.float32) for length in (6, 4)]
    for key, weights in (("uniform", even), ("adversary", second.several.weights)):  # type: ignore[union-attr]
        np.testing.assert_allclose(imposed[key], first.predict(weights), atol=5e-6)
    # of the expansion, the contributions add up to the lead of the logit
    assert len(view["maps"]["contribution:1"][0] or []) == 6


def test_where_a_map_decides_nothing_no_prediction_is_shown(random_readout: MakeReadout) -> None:
    readout_ = random_readout([3, 2], outputs=2)
    nothing = [np.empty((length, 0), np.float32) for length in (3, 2)]
    undecided = replace(readout_, contribution=nothing, bias=np.empty((2, 0), np.float32))
    about, view = build(undecided)
    assert (about["here"], about["why_not"], view["imposed"]) == (False, NOT_DECIDED, {})
    assert "exact contribution" in about["missing"]


def test_items_of_a_model_of_sentences_are_sentences(random_readout: MakeReadout) -> None:
    readout_ = random_readout([2, 1])
    texts = [text_of(*"abcd", sentences=[0, 3], marks=[[0]]), text_of("e", sentences=[0])]
    about, view = build(readout_, items="sentences", texts=texts)
    assert (view["words"], view["unread"]) == ([["a b c", "d"], ["e"]], [0, 0])
    assert "people" not in {map_["key"] for map_ in about["maps"]}


def test_a_map_of_another_length_is_left_out(random_readout: MakeReadout) -> None:
    other = "adversary", "", "", random_readout([3, 4])
    _, view = build(random_readout([3, 5]), others=[other])
    assert [map_ is None for map_ in view["maps"]["adversary"]] == [False, True]


def test_the_adversary_that_is_shown_is_the_furthest_within_the_budget() -> None:
    members = [
        ExploredRun(family="adversary", lambda_=value, seed=1, readout=str(place))
        for place, value in enumerate((0.1, 0.2, 0.3))
    ]

    def rows(*tvds: float) -> list[dict[str, Any]]:
        pairs = zip((0.1, 0.2, 0.3), tvds, strict=True)
        return [{"model": "adversary", "lambda": at, "seed": 1, "tvd": tvd, "jsd": at} for at, tvd in pairs]

    assert choose_adversary(members, rows(0.01, 0.05, 0.06), 0.05)[0].lambda_ == 0.2
    nearest, said = choose_adversary(members, rows(0.3, 0.2, 0.25), 0.05)
    assert (nearest.lambda_, said) == (
        0.2,
        "None of 3 is within a TVD of 0.05; this one is nearest, with 0.200.",
    )
    assert "`consistency`" in choose_adversary(members, [], 0.05)[1]
    assert choose_adversary(members[2:], [], 0.05) == (members[2], "")
