"""The explorer's data: from readouts, audits and texts to what its page reads."""

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest
from explored import example, unpack
from numpy.testing import assert_allclose
from readouts import make_heads, make_pairs, make_readout
from summaries import answer, row

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.audits import CONSISTENCY, INSTANCE_ADVERSARY, WORD_ATTRIBUTIONS
from attention_audit.columns.files import CENSUS, CORPUS, READOUT
from attention_audit.columns.tables import SUMMARY, TEXTS
from attention_audit.errors import AuditError
from attention_audit.explorer.document import AboutView, View, pack_view, write_about
from attention_audit.explorer.views import NO_CONTRIBUTION, NOT_DECIDED, NOT_LINEAR, ViewBuilder
from attention_audit.jobs import ExploredRun, ExploredView, ExplorerJob, ShownSuite
from attention_audit.stages.explorer import choose_adversary, run
from attention_audit.stages.job import Job

CLASSES = ("<b>bad</b>", "</script>good & \u2028")
HOSTILE = ("</script><script>document.title='hurt'</script>", "<img src=x onerror=alert(1)>", "\u202e&lt;", "plain")
PROVENANCE = Provenance("test", {}, "0")
SUITE = ShownSuite(
    key="wp", paper="WP2019", title="<u>W&P</u>", about="?", citation=[], datasets=["first", "second"],
    models={"base": "<i>base</i>", "adversary": "adversary", "other": "other"}, seeds={"base": [1, 2]},
)  # fmt: skip


def readout(texts, words, seed):
    """A readout of made-up texts, whose lengths are the same in all of them; every fourth prediction is wrong."""
    made = make_readout(1 + (np.arange(texts) * 7) % words, seed=seed)
    labels = (made.predictions + (np.arange(texts) % 4 == 0)) % 2
    return replace(made, ids=[f"test-{place:05d}" for place in range(texts)], labels=labels)


def write_rows(path, kind, rows):
    """Write rows of which nothing but this is known."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(path, kind, pd.DataFrame([kind.blank | row for row in rows])[kind.schema.names], PROVENANCE)
    return path


def write_readout(path, of):
    path.parent.mkdir(parents=True, exist_ok=True)
    write_batches(path, READOUT, of.tables(), PROVENANCE)
    return path


def write_corpus(path, of):
    """The words are hostile, and somebody marked the first word of each second text."""
    rows = [
        dict.fromkeys(CORPUS.schema.names)
        | {"id": name, "split": "test", "label": label, "label_name": CLASSES[label]}
        | {"tokens": [HOSTILE[(i + t) % 4] for t in range(length)]}
        | ({"annotators": ["<b>a</b>", "b"], "marks": [[0], []]} if i % 2 else {})
        for i, (name, label, length) in enumerate(zip(of.ids, of.labels, of.lengths, strict=True))
    ]
    return write_rows(path, CORPUS, rows)


def text_rows(dataset, model, of):
    """Rows of the table of texts."""
    about = {"dataset": dataset, "suite": "wp", "model": model, "seed": 1, "others": 1, "moved": 0.123456}
    about |= {"label_name": CLASSES[0], "prediction_name": CLASSES[1], "words": [HOSTILE[0], HOSTILE[3]]}
    about |= {"weights": [0.75, 0.25], "contributions": [-1.23456, 0.5]}
    return [
        about | {"id": name, "label": label, "prediction": prediction, "agree": place % 2}
        for place, (name, label, prediction) in enumerate(zip(of.ids, of.labels, of.predictions, strict=True))
    ]


def explored(family, seed, place, value=None):
    return ExploredRun(family=family, lambda_=value, seed=seed, readout=f"run/seed{place}")


def job_of(folder, first=5, second=3, words=12):
    """The job of the explorer of a run with so many texts of each of two data sets, and the lines that it says."""
    base, again, far, last = (readout(first, words, seed) for seed in (1, 2, 3, 4))
    other = readout(second, words, 5)
    about = {"dataset": "first", "model": "base", "seed": 1}
    away = {"dataset": "first", "model": "adversary", "seed": 1, "chance_jsd": 0.6}
    audits = {
        CONSISTENCY: [away | {"lambda": at, "tvd": tvd, "jsd": at} for at, tvd in ((0.1, 0.04), (0.6, 0.2))],
        INSTANCE_ADVERSARY: [
            about | {"id": name, "attention": weights} for name, weights in zip(base.ids, far.attention, strict=True)
        ],
        WORD_ATTRIBUTIONS: [
            about | {"id": name, "attribution": "loo", "scores": weights}
            for name, weights in zip(base.ids, last.attention, strict=True)
        ],
    }
    names = [{"split": "test", "label": label, "label_name": name} for label, name in enumerate(CLASSES)]
    located = answer("located", "2", "partly", 0.35, 0.33, 0.37, clause=HOSTILE[0])
    settings = ExplorerJob(
        views=[
            ExploredView(
                dataset="first", suite="wp", model="base", name="wp_base", items="words",
                runs=[explored("base", 1, 0), explored("base", 2, 1)],
                uniform=explored("uniform", 1, 1),
                adversaries=[explored("adversary", 1, place, value) for value, place in ((0.1, 2), (0.6, 3))],
                unasked={},
            ),
            ExploredView(
                dataset="second", suite="wp", model="other", name="wp_other", items="words",
                runs=[explored("other", 7, 4)], uniform=None, adversaries=[],
                unasked={"word_attributions": "word_attributions needs a network"},
            ),
        ],
        suites=[SUITE],
        datasets=["first", "second"],
        budget=0.05,
        report="report.html",
        threads=1,
    )  # fmt: skip
    inputs = {
        "readouts": [
            write_readout(folder / f"readouts/run/seed{place}/test.parquet", of)
            for place, of in enumerate((base, again, far, last, other))
        ],
        "beside": [],
        "corpus": [
            write_corpus(folder / f"{name}/corpus.parquet", of) for name, of in (("first", base), ("second", other))
        ],
        "census": [write_rows(folder / f"{name}/census.parquet", CENSUS, names) for name in ("first", "second")],
        "audits": [
            write_rows(folder / f"audits/first/wp_base/{kind.name}.parquet", kind, rows)
            for kind, rows in audits.items()
        ],
        "texts": [
            write_rows(
                folder / "texts.parquet", TEXTS, text_rows("first", "base", base) + text_rows("second", "other", other)
            )
        ],
        "summary": [write_rows(folder / "summary.parquet", SUMMARY, [row("base", located, dataset="first")])],
    }
    said = []
    return Job(settings, inputs, {"page": [folder / "explorer.html"]}, PROVENANCE, said.append), said


def page_of(folder, *texts, words=12, **limit):
    """The page of such a run, its data (the short text, and the unpacked views by key), and what was said."""
    job, said = job_of(folder, *texts, words)
    run(job, **limit)
    text = (folder / "explorer.html").read_text()
    (short,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    views = re.findall(r'<script type="text/plain" data-view="([^"]*)"[^>]*>(.*?)</script>', text, re.DOTALL)
    return text, json.loads(short), {unescape(key): unpack(part) for key, part in views}, said


def text_of(*words, **further):
    """A text of the corpus, of which nothing but the words is known, unless it is given."""
    return {"tokens": list(words), "sentences": None, "query": None, "marks": None} | further


def build(first, items="words", **further):
    """What the page holds of one model, at once and as its texts; nothing is beside it, unless it is given."""
    about = dict.fromkeys(AboutView.__annotations__, "") | {"items": items, "missing": {}}
    texts = [text_of(*(f"w{place}" for place in range(length + 1))) for length in first.words]
    plain = {"about": about, "classes": {0: "no", 1: "yes"}, "texts": texts, "runs": {1: first}}
    plain |= {"twin": None, "others": (), "instance": {}, "attributions": {}, "columns": {}}
    builder = ViewBuilder(**plain | further)
    return builder.describe_view(), builder.write_view()


def test_what_is_written_into_the_page_is_no_markup():
    about, views = example()
    written = write_about(about)
    assert json.loads(written) == about
    assert not set("<>&\u2028\u2029") & set(written)
    for view in views.values():
        text = pack_view(view)
        assert unpack(text) == view
        assert re.fullmatch(r"[A-Za-z0-9+/=]+", text)
        assert pack_view(view) == text


def test_half_a_character_does_not_stop_the_page():
    _, views = example()
    view = next(iter(views.values()))
    words = [["\ud800", *row[1:]] for row in view["words"]]
    assert unpack(pack_view(View(**view | {"words": words})))["words"][0][0] == "?"


def test_a_whole_run_is_on_the_page(tmp_path):
    text, about, views, said = page_of(tmp_path, 30, 9)
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
    assert [map_["key"] for map_ in other["maps"]] == ["attention:7", "uniform", "contribution:7", "people"]
    assert other["missing"] == {
        "adversary": "No model of this suite was trained to attend elsewhere.",
        "gradient, leave-one-out or integrated gradients": "The audit word_attributions needs a network.",
    }
    # of the texts that are right, sure and of 8 to 30 words, the first on which the other training disagrees
    assert base["opening"].startswith("Shown first because the model is right and sure (0.8")
    assert base["opening"].endswith("while the other training has another top word.")
    view = views["first/wp/base"]
    order = [6, *(place for place in range(30) if place != 6)]
    assert view["id"] == [f"test-{place:05d}" for place in order]
    first, twin, far, last = (readout(30, 12, seed) for seed in (1, 2, 3, 4))
    assert view["gold"] == first.labels[order].tolist()
    assert view["words"][0] == [HOSTILE[(6 + place) % 4] for place in range(first.lengths[6])]
    for written, made in (
        (view["runs"]["1"]["p"], first),
        (view["own"]["uniform"], twin),
        (view["own"]["adversary"], far),
    ):
        assert_allclose(written, made.probabilities[order], atol=1e-6)
    for key, made in (("instance", far), ("loo:1", last)):
        weights = np.concatenate([made.attention[place] for place in order])
        assert_allclose(np.concatenate(view["maps"][key]), weights, rtol=6e-3)
    for place, marked, words in zip(order, view["maps"]["people"], view["words"], strict=True):
        assert marked == ([0.5] + [0.0] * (len(words) - 1) if place % 2 else None)
    kinds = {column["name"]: column["kind"] for column in base["columns"]}
    assert {*kinds} == {*view["columns"]}
    some = {"contributions": "number", "agree": "integer", "survives_item": "flag", "words": "text"}
    assert kinds.items() >= some.items()
    values = {name: column[order.index(3)] for name, column in view["columns"].items()}
    row = {"words": HOSTILE[0], "contributions": -1.235, "moved": 0.1235, "agree": 1, "stable": None}
    assert values.items() >= row.items()
    (located,) = (line for line in base["lines"] if line["question"] == "located")
    line = {"mark": "·●·", "said": "partly", "value": ".35", "interval": ".33 to .37", "remark": HOSTILE[0]}
    assert located.items() >= line.items()
    assert (len(base["lines"]), other["lines"]) == (8, [])
    assert said[-1].startswith("2 views in ")
    # one that computes, one of facts, and one a view
    assert text.count("<script") == text.count("</script") == 4


def test_a_sample_keeps_the_opening_text(tmp_path, monkeypatch):
    firsts = []
    for most in (60, 4):
        monkeypatch.setattr("attention_audit.stages.explorer.MAX_TEXTS", most)
        _, about, views, _ = page_of(tmp_path / str(most), 60, 3)
        view = about["views"][0]
        firsts.append((view["opening"], views[view["key"]]["id"][0]))
    assert firsts[0] == firsts[1]
    assert [each["sampled"]["shown"] for each in about["views"]] == [4, 3]
    assert view["sampled"]["why"].startswith("The page shows 4 texts of a data set at most, drawn by ")


def test_names_of_classes_that_are_read_from_the_right_keep_their_place():
    about, _ = build(readout(3, 4, 1), classes={0: "سلبي", 1: "good"})
    assert about["classes"] == ["\u2068سلبي\u2069", "good"]


def test_a_large_run_is_cut_to_the_size_of_a_page(tmp_path):
    text, about, views, said = page_of(tmp_path, 400, 60, words=40, limit=300_000)
    # the room is used
    assert 250_000 < len(text.encode()) <= 300_000
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


@pytest.mark.parametrize("name", ["readouts", "corpus", "census", "audits", "texts", "summary"])
def test_a_damaged_file_is_one_line_and_writes_no_page(tmp_path, name):
    job, _ = job_of(tmp_path)
    path = job.inputs[name][-1]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(AuditError, match=rf"^{path}: truncated or corrupt Parquet; rebuild it with: "):
        run(job)
    assert not (tmp_path / "explorer.html").exists()


def test_a_text_that_the_corpus_lacks_is_one_line(tmp_path):
    job, _ = job_of(tmp_path)
    job.inputs["corpus"][0] = job.inputs["corpus"][1]
    with pytest.raises(AuditError, match=r"corpus\.parquet: text 'test-00003' is missing; rebuild it with: "):
        run(job)


def test_a_head_that_is_no_sum_of_words_is_said():
    about, view = build(make_pairs([3, 5], classes=4))
    assert (about["here"], about["tail"], about["outputs"], about["why_not"]) == (True, True, 3, "")
    assert about["missing"] == {"exact contribution": NO_CONTRIBUTION}
    assert about["classes"] == ["no", "yes", "2", "3"]
    assert view["candidates"] == [[1, 2, 3], [0, 2, 3]]
    assert np.shape(view["runs"]["1"]["tail"]["weight"]) == (4, 3)
    # a word more than was read
    assert view["unread"] == [1, 1]


def test_of_a_transformer_predictions_are_computed_before():
    first, second = (make_heads([6, 4], heads=2, seed=seed, marks=2) for seed in (0, 1))
    flat = {first.ids[0]: second.several.weights[0].reshape(-1)}
    other = "adversary", "", "", second
    known = {"gradient": {id_: np.ones(length - 2, np.float32) for id_, length in zip(first.ids, (6, 4), strict=True)}}
    about, view = build(first, others=[other], instance=flat, attributions=known)
    assert (about["here"], about["heads"], about["outputs"], about["why_not"]) == (False, 2, 0, NOT_LINEAR)
    assert view["words"] == [["w0", "w1", "w2", "w3", "[CLS]", "[SEP]"], ["w0", "w1", "[CLS]", "[SEP]"]]
    assert view["marks"] == [2, 2]
    assert view["maps"]["gradient:1"] == [[1, 1, 1, 1, 0, 0], [1, 1, 0, 0]]
    assert "z" not in view["runs"]["1"]
    assert_allclose(view["maps"]["instance"][0], view["maps"]["adversary"][0])
    assert view["maps"]["instance"][1] is None
    imposed = view["imposed"]["1"]
    assert [*imposed] == ["uniform", "attention:1", "adversary", "instance"]
    assert_allclose(imposed["attention:1"], view["runs"]["1"]["p"], atol=2e-6)
    assert imposed["instance"][1] is None
    even = [np.full((length, 2), 1 / length, np.float32) for length in (6, 4)]
    for key, weights in (("uniform", even), ("adversary", second.several.weights)):
        assert_allclose(imposed[key], first.predict(weights), atol=5e-6)
    # of the expansion, the contributions add up to the lead of the logit
    assert len(view["maps"]["contribution:1"][0] or []) == 6


def test_where_a_map_decides_nothing_no_prediction_is_shown():
    nothing = [np.empty((length, 0), np.float32) for length in (3, 2)]
    about, view = build(replace(make_readout([3, 2]), contribution=nothing, bias=np.empty((2, 0), np.float32)))
    assert (about["here"], about["why_not"], view["imposed"]) == (False, NOT_DECIDED, {})
    assert "exact contribution" in about["missing"]


def test_items_of_a_model_of_sentences_are_sentences():
    texts = [text_of(*"abcd", sentences=[0, 3], marks=[[0]]), text_of("e", sentences=[0])]
    about, view = build(make_readout([2, 1]), items="sentences", texts=texts)
    assert (view["words"], view["unread"]) == ([["a b c", "d"], ["e"]], [0, 0])
    assert "people" not in {map_["key"] for map_ in about["maps"]}


def test_a_map_of_another_length_is_left_out():
    other = "adversary", "", "", make_readout([3, 4])
    _, view = build(make_readout([3, 5]), others=[other])
    assert [map_ is None for map_ in view["maps"]["adversary"]] == [False, True]


def test_the_adversary_that_is_shown_is_the_furthest_within_the_budget():
    places = (0.1, 0.2, 0.3)
    members = [ExploredRun(family="adversary", lambda_=at, seed=1, readout=str(at)) for at in places]

    def rows(*tvds):
        pairs = zip(places, tvds, strict=True)
        return [{"model": "adversary", "lambda": at, "seed": 1, "tvd": tvd, "jsd": at} for at, tvd in pairs]

    assert choose_adversary(members, rows(0.01, 0.05, 0.06), 0.05)[0].lambda_ == 0.2
    said = "None of 3 is within a TVD of 0.05; this one is nearest, with 0.200."
    assert choose_adversary(members, rows(0.3, 0.2, 0.25), 0.05) == (members[1], said)
    assert "`consistency`" in choose_adversary(members, [], 0.05)[1]
    assert choose_adversary(members[2:], [], 0.05) == (members[2], "")
