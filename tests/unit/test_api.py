"""What notebooks call: readouts from arrays, their audits, and a text of one's own read by a trained model."""

import os
import re
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from elsewhere import CLASSES, made
from in_process import make
from planned import PLACES, SMALL, list_seeds, overlaid, plan_of
from refusal import refusal

from attention_audit import api
from attention_audit.answer.lines import write_line
from attention_audit.artefacts.parquet import read_frame
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.columns.files import CORPUS
from attention_audit.plan.configuration import write_configuration
from attention_audit.questions import QUESTIONS
from attention_audit.readout import read_readout
from attention_audit.stages.import_readout import build_readout
from attention_audit.transformer.folder import MIRROR

GIVEN = made(1, 6)
ARGUMENTS = {
    "tokens": GIVEN.tokens,
    "attention": GIVEN.attention,
    "contributions": GIVEN.contribution,
    "bias": [0.1],
    "labels": GIVEN.labels.tolist(),
    "probabilities": GIVEN.probabilities,
}
BARE = {"contributions": None, "bias": None}


def test_the_public_names_are_those_that_are_documented():
    docs = Path(__file__).parents[2] / "docs"
    page = "".join((docs / f"{name}.md").read_text() for name in ("readouts", "classifier", "generation"))
    for name in (
        "readout", "write", "read", "audit", "audit_classifier", "audit_generation", "audit_torch", "by_question",
        "reading", "judge", "trained",
    ):  # fmt: skip
        assert f"api.{name}(" in page or f"attention_audit.{name}(" in page, name


def test_arrays_become_a_readout():
    given = api.readout(**ARGUMENTS)
    assert given.ids == [*"012345"]
    assert given.bias.tolist() == [[0.1]] * 6
    assert given.evidence == [None] * 6
    # lists and tensors will do, one value a word, and a bias of each text; they may be filled anew
    refilled = [torch.from_numpy(weights.copy()).requires_grad_() for weights in GIVEN.attention]
    others = {
        "attention": refilled,
        "contributions": [values[:, 0].tolist() for values in GIVEN.contribution],
        "bias": GIVEN.bias,
    }
    other = api.readout(**ARGUMENTS | others, ids=GIVEN.ids, evidence=GIVEN.evidence)
    refilled[0].detach().fill_(0)
    assert other.attention[0].any()
    assert (other.ids, other.evidence) == (GIVEN.ids, GIVEN.evidence)
    assert all(map(np.array_equal, given.contribution, other.contribution))


@pytest.mark.parametrize(
    ("argument", "value", "line"),
    [
        ("bias", None, "bias is left out, and one needs the other; give both, or neither"),
        ("labels", [1], "column label: has 1 entries for 6 texts; give each text one"),
        ("probabilities", np.ones(6), r"column probabilities: is ndarray of shape \(6,\); give a number"),
        ("attention", np.zeros((6, 1, 1, 1)), r"text '0', column attention: is ndarray of shape \(1, 1, 1\)"),
        ("labels", ["good"] * 6, "column label: holds something else than whole numbers; give a flat list of these"),
        ("labels", pd.DataFrame({"a": [0]}), "column label: is DataFrame, and no list; give one"),
        ("evidence", [[True, False]] * 6, "text '0', column evidence: holds something else than whole numbers"),
        ("tokens", ["a film"] * 6, "column tokens: text 0 is one string; give the list of its words"),
        ("maps", [[0.1]], "maps: is list; give the scores of each map by its name"),
        ("maps", {"loo": [[0.1]] * 5}, "column maps: loo: has 5 entries for 6 texts; give each text one"),
        ("tokens", torch.ones(6, 3).long(), r"column tokens: text 0 holds tensor\(1\), and no word; .* no ids"),
        ("tokens", [["a", "<PAD>"]] * 6, "text '0', column tokens: has padding at an end, '<pad>'; leave it"),
    ],
)
def test_wrong_arrays_are_one_line(argument, value, line):
    assert re.match(f"mine: {line}", refusal(api.readout, **ARGUMENTS | {argument: value}, name="mine"))


def test_readouts_are_shown_in_short():
    scores = {"rollout": [np.arange(len(words)) for words in GIVEN.tokens]}
    assert repr(api.readout(**ARGUMENTS, name="mine")) == "GivenReadout(mine: 6 texts, 2 classes, with contributions)"
    alone = api.readout(**ARGUMENTS | BARE, maps=scores, name="mine")
    assert repr(alone) == "GivenReadout(mine: 6 texts, 2 classes, without contributions, also rollout)"
    assert "4 heads" in repr(made(1, 6, heads=4))


@pytest.fixture(scope="module")
def frames():
    """The tables of two trainings with a twin and an adversary."""
    return api.audit(
        [made(1), made(2)],
        uniform=made(3, attends="alike"),
        adversaries=made(1, attends="elsewhere"),
        classes=np.array(CLASSES),
        settings={"instance_adversary": {"restarts": 1, "steps": 20}, "permutation": {"permutations": 20}},
    )


def test_audits_of_readouts_are_those_of_the_workflow(frames):
    assert {
        "performance", "predictions", "comparison", "consistency", "stability", "permutation", "contributions",
        "instance_adversary", "single_weight", "ranked_sets", "attention_maps", "summary", "texts",
    } <= {*frames}  # fmt: skip
    own = frames["permutation"]
    expected = permutation(build_readout(made(2)), Permutation(permutations=20))
    found = own[own["seed"] == 2]
    assert found["id"].tolist() == expected["id"]
    assert found["mean_tvd"].to_numpy() == pytest.approx(expected["mean_tvd"])
    assert frames["instance_adversary"]["jsd"].max() > 0.1


def test_words_may_end_in_a_null():
    given = api.readout(**ARGUMENTS | {"tokens": [["a\0", *words[1:]] for words in GIVEN.tokens]})
    found = api.audit(given, settings={"audits": {"own": ["attention_maps"]}})["attention_maps"]
    assert "a\0" in [*found["token"]]


def test_the_summary_asks_all_that_can_be_asked(frames):
    row = frames["summary"].iloc[0]
    assert {name for name in QUESTIONS if np.isfinite(row[f"{name}_value"])} == {
        "needed", "stable", "used", "ranks", "signed", "unique",
    }  # fmt: skip
    # the adversary predicts alike and attends elsewhere
    assert row["unique_model"] == "adversaries"
    assert row["unique_tvd"] < 1e-6
    assert row["unique_value"] < 0
    assert "chosen on the texts that it is measured on" in row["unique_clause"]
    assert row["located_reason"] == (
        "located needs a network that can be run again, and of model only readouts are given"
    )
    texts = frames["texts"]
    assert texts["prediction_name"].isin(CLASSES).all()


def test_the_summary_is_shown_with_a_row_a_question(frames):
    summary = frames["summary"]
    shown = api.by_question(summary).set_index("question")
    assert [*shown.index] == [*QUESTIONS]
    row = summary.iloc[0].to_dict()
    for question, cells in shown.iterrows():
        for part in ("zones", "value", "low", "high", "next_low", "next_high", "trainings", "texts"):
            assert cells[part] == pytest.approx(row[f"{question}_{part}"], nan_ok=True)
        line = write_line(row, str(question))
        assert cells[["claim", "verdict"]].tolist() == [line.claim, line.said]
        assert cells["note"].endswith(line.remark)
    both = api.by_question(pd.concat([summary, summary.assign(model="other")]))
    assert both["model"].tolist() == ["model"] * 8 + ["other"] * 8
    assert [*both] == ["dataset", "suite", "model", "question", *shown]
    assert both["question"].tolist() == [*QUESTIONS] * 2
    line = r"summary: has no column .*; give the table `summary` of api\.audit"
    assert re.match(line, refusal(api.by_question, frames["texts"]))


def compare_columns(words, abs, **expected):
    """Compare columns with numbers."""
    for name, values in expected.items():
        assert words[name].to_numpy() == pytest.approx(values, abs=abs), name


def test_a_text_of_readouts_is_read_and_drawn():
    first, second, away = made(1, 6), made(2, 6), made(1, 6, "elsewhere")
    read = api.reading([first, second], "text-3", adversary=away, classes=CLASSES)
    words, p = read.words, first.probabilities[3]
    assert words["word"].tolist() == first.tokens[3]
    weights = np.stack([first.attention[3], second.attention[3]])
    compare_columns(words, 1e-6, weight=weights[0], lowest=weights.min(0), adversary=away.attention[3])
    # one logit, which is that of class 1: its lead over the mean of both is (1 - p) of it, or -p where class 0 leads
    lead = weights[0] * first.contribution[3][:, 0] * (p[0] if p[1] > p[0] else -p[1])
    compare_columns(words, 1e-5, contribution=lead)
    assert words["known"].all()
    assert words["gradient"].isna().all()
    said = CLASSES[int(p.argmax())]
    assert read.facts["prediction"] == said
    assert repr(read).startswith(f"prediction: {said} (p = {p.max():.3f})\n2 trainings: JSD")
    assert [axes.get_xlabel() for axes in read.figure().axes] == ["attention", "contribution to the lead (logit)"]
    assert "attention of the adversary" in read._repr_html_()
    assert "gradient" not in read._repr_html_()
    assert refusal(read.grid).startswith("grid: no model is at hand")


def test_further_maps_of_a_readout_are_drawn_beside_it():
    scores = {"mine": [np.arange(len(words)) - 1.5 for words in GIVEN.tokens]}
    read = api.reading(api.readout(**ARGUMENTS | BARE, maps=scores), 2)
    assert read.words["mine"].tolist() == scores["mine"][2].tolist()
    assert [axes.get_xlabel() for axes in read.figure().axes] == ["attention", "mine"]


SHORT = api.readout(**{name: values[:5] for name, values in ARGUMENTS.items()})
BOTH = [api.readout(**ARGUMENTS), SHORT]


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: api.reading([], 0), "readouts: there is none; give one or more"),
        (lambda: api.reading(5, 0), "readouts: is int, and no list; give one"),
        (lambda: api.reading([GIVEN, 5], 0), r"readouts 2: is int, and no readout; make one with api\.readout"),
        (lambda: api.reading([GIVEN, made(1, 5)], 0), "memory: text 'text-5', column id: is missing"),
        (
            lambda: api.reading(GIVEN, 6),
            "text: 6 is neither an id nor a place; give one of 'text-0' to 'text-5', or",
        ),
        (lambda: api.reading(GIVEN, "x"), "text: 'x' is neither an id nor a place"),
        (lambda: api.reading(GIVEN, 0, classes=["x"]), "classes: has 1 names for 2 classes; name each, in their order"),
        (lambda: api.audit(BOTH), "readouts 2: text '5', column id: is missing, of 6 texts of readouts 1"),
        (lambda: api.audit(SHORT, classes=["a", "a"]), "classes: names 'a' twice; give each class a name of its own"),
        (
            lambda: api.audit(SHORT, settings={"permutation": {"permutations": 0}}),
            r"settings: permutation\.permutations: ",
        ),
    ],
)
def test_readouts_that_cannot_be_read_or_audited_are_one_line(call, line):
    assert re.match(line, refusal(call))


TINY = overlaid(
    SMALL,
    {
        "datasets": ["digest"],
        "adversary": {"search": "scratch"},
        "serrano_smith": {
            "datasets": ["digest"], "models": ["han_rnn"], "seeds": [1], "recipes": {"han": {"epochs": 1}}
        },
        "jain_wallace": {"datasets": []},
        "deception": {"datasets": []},
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which a base model with two seeds, its adversary and a model of sentences are trained."""
    folder = tmp_path_factory.mktemp("trained")
    with chdir(folder):
        plan = plan_of(**TINY)
        for training in ("digest/base", "digest/adversary_lambda0.01", "digest/han_rnn"):
            for seed in list_seeds(plan)[training]:
                make(plan, plan.trainings.made[training, seed].locate("weights"))
        write_configuration(plan.config)
    return folder / "results"


def first_text(folder):
    """A test text of the data set."""
    texts = read_frame(folder.parent / PLACES.corpus_file("digest", "corpus"), CORPUS)
    return texts[texts["split"] == "test"].iloc[0]


def read_stored(folder, model, seed, name):
    """What the workflow has read out of that text."""
    return read_readout(folder / f"readouts/digest/{model}/seed{seed}/test.parquet").align([name])


def test_a_text_is_read_as_the_workflow_reads_it(folder):
    text = first_text(folder)
    reading = api.trained(folder, "digest").read(list(text["tokens"]))
    words, facts = reading.words, reading.facts
    first, second = (read_stored(folder, "base", seed, text["id"]) for seed in (10, 50))
    away = read_stored(folder, "adversary_lambda0.01", 10, text["id"]).attention[0]
    weights = np.stack([first.attention[0], second.attention[0]])
    assert words["word"].tolist() == list(text["tokens"])
    compare_columns(words, 1e-6, weight=weights[0], lowest=weights.min(0), highest=weights.max(0), adversary=away)
    # what each word adds to the lead of the predicted class over the mean of all
    predicted, z = first.probabilities[0], first.contribution[0]
    compare_columns(words, 1e-6, contribution=weights[0] * (z[:, predicted.argmax()] - z @ predicted))
    assert words["gradient"].sum() == pytest.approx(1)
    assert facts["trainings"] == 2
    assert 0 < facts["jsd"] < np.log(2)
    assert facts["adversary_jsd"] > 0
    assert facts["probability"] == pytest.approx(predicted.max(), abs=1e-6)


def test_a_reading_is_a_picture(folder):
    trained = api.trained(folder, "digest")
    assert repr(trained) == "Trained(digest, suite wp, model base: 2 trainings)"
    known = first_text(folder)["tokens"][0]
    reading = trained.read([known, "nobody", "knows"])
    assert reading.words["known"].tolist() == [True, False, False]
    figure = reading.figure()
    first = figure.axes[0]
    assert [label.get_text() for label in first.get_yticklabels()] == [known, "nobody (unknown)", "knows (unknown)"]
    assert [axes.get_xlabel() for axes in figure.axes] == [
        "attention", "contribution to the lead (logit)", "share of the gradient",
    ]  # fmt: skip
    assert {*first.get_legend_handles_labels()[1]} == {"first training", "all trainings", "adversary"}
    assert "the model does not know 2 of 3 words" in figure.get_suptitle()
    assert re.search(r"2 trainings: JSD 0\.\d+, shuffled .*\nadversary: JSD", figure.get_suptitle())


def test_a_model_with_a_transformer_reads_a_text_too(tmp_path, monkeypatch):
    pytest.importorskip("transformers")
    from transformers_on_disk import save

    monkeypatch.chdir(tmp_path)
    save(Path("mirror/tiny"))
    monkeypatch.setenv(MIRROR, "mirror")
    encoder = {"mirror": "mirror", "model": {"encoder": "transformer", "attention_hidden": 8}}
    plan = plan_of(**TINY | encoder | {"transformer": {"path": "tiny"}, "serrano_smith": {"datasets": []}})
    make(plan, *(run.locate("weights") for run in plan.trainings.made.values() if run.model.name == "base"))
    write_configuration(plan.config)
    text = first_text(tmp_path / "results")
    # a job is told of the mirror, and a notebook is not
    monkeypatch.delenv(MIRROR)
    trained = api.trained("results", "digest")
    words = trained.read(list(text["tokens"])).words
    assert len(words) == len(text["tokens"])
    assert MIRROR not in os.environ
    # words that are not read have no weight, and frozen states are kept in half precision
    (expected,) = read_stored(tmp_path / "results", "base", 10, text["id"]).attention
    assert words["weight"].dropna().to_numpy() == pytest.approx(expected, abs=1e-3)
    assert words["gradient"].sum() == pytest.approx(1)
    assert trained.read("a жук").words["known"].tolist() == [True, False]


def test_a_model_of_sentences_shows_sentences(folder):
    reading = api.trained(folder, "digest", "ss", "han_rnn").read(first_text(folder)["tokens"].tolist())
    assert reading.words["known"].tolist() == [True]
    assert reading.words["gradient"].isna().all()
    assert len(reading.figure().axes) == 2


@pytest.mark.parametrize(
    ("named", "read", "line"),
    [
        (["nowhere", "digest"], ["a film"], "nowhere: holds no run of this version; name the folder"),
        (["results", "sst"], ["a film"], r"sst: not a data set of suite wp in .* \(known: digest\); name another"),
        (
            ["results", "digest", "wp", "large"],
            ["a film"],
            r"large: not a model of suite wp \(known: base, uniform, .*\); name",
        ),
        (["results", "digest", "xx"], ["a film"], "suite 'xx' is not known"),
        (["results", "digest", "wp", "uniform"], ["a film"], r".*10\.safetensors: not there; make it with `snakemake"),
        (["results", "digest"], ["  "], "text: no word is in it"),
        (["results", "digest"], [5], "text: is int, and no list; give one"),
        (["results", "digest"], ["a film", ["rollout"]], "base: is no Transformer classifier in question, which maps"),
    ],
)
def test_what_cannot_be_read_is_one_line(folder, named, read, line):
    with chdir(folder.parent):
        assert re.match(line, refusal(lambda: api.trained(*named).read(*read)))
