"""What notebooks call: readouts from arrays, their audits, and a text of one's own read by a trained model."""

import os
import re
from contextlib import chdir
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import torch
from elsewhere import CLASSES, made
from in_process import make
from planned import PLACES, plan_of

from attention_audit import api
from attention_audit.answer.lines import write_line
from attention_audit.artefacts.parquet import read_frame
from attention_audit.audits.permutation import permutation
from attention_audit.audits.settings import Permutation
from attention_audit.columns.files import CORPUS
from attention_audit.errors import AuditError
from attention_audit.plan.configuration import write_configuration
from attention_audit.plan.plan import Plan
from attention_audit.questions import QUESTIONS
from attention_audit.readout import Readout, read_readout
from attention_audit.stages.import_readout import as_readout
from attention_audit.transformer.folder import MIRROR

GIVEN = made(1, 6)
ARGUMENTS: dict[str, Any] = {
    "tokens": GIVEN.tokens,
    "attention": GIVEN.attention,
    "contributions": GIVEN.contribution,
    "bias": [0.1],
    "labels": GIVEN.labels.tolist(),
    "probabilities": GIVEN.probabilities,
}


def test_the_public_names_are_those_that_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "readouts.md").read_text()
    assert api.__all__ == sorted(api.__all__)
    for name in (
        "readout", "write", "read", "audit", "audit_classifier", "audit_torch", "by_question", "reading", "judge",
        "trained",
    ):  # fmt: skip
        assert f"api.{name}(" in page, name


def test_arrays_become_a_readout() -> None:
    readout = api.readout(**ARGUMENTS)
    assert readout.ids == ["0", "1", "2", "3", "4", "5"]
    assert readout.bias.tolist() == [[0.1]] * 6
    assert readout.evidence == [None] * 6
    # lists and tensors will do, one value a word, and a bias of each text
    other = api.readout(
        **ARGUMENTS
        | {
            "attention": [torch.from_numpy(weights).requires_grad_() for weights in GIVEN.attention],
            "contributions": [values[:, 0].tolist() for values in GIVEN.contribution],
            "bias": GIVEN.bias,
        },
        ids=GIVEN.ids,
        evidence=GIVEN.evidence,
    )
    assert other.ids == GIVEN.ids
    assert other.evidence == GIVEN.evidence
    assert all(np.array_equal(a, b) for a, b in zip(readout.contribution, other.contribution, strict=True))


def test_a_map_without_contributions_is_audited() -> None:
    alone = api.readout(**ARGUMENTS | {"contributions": None, "bias": None}, evidence=GIVEN.evidence)
    row = api.audit(alone)["summary"].iloc[0]
    assert row["used_reason"].endswith("no contributions of model are given")
    assert row["plausibility_texts"] > 0


@pytest.mark.parametrize(
    ("argument", "value", "line"),
    [
        (
            "attention",
            [0.97 * weights for weights in GIVEN.attention],
            "mine: text '0', column attention: sums to 0.97",
        ),
        ("bias", None, "mine: bias is left out, and one needs the other; give both, or neither"),
        ("labels", [1], "mine: column label: has 1 entries for 6 texts; give each text one"),
        ("bias", 0.1, r"mine: column bias: is float of shape \(\); give a number a text and class"),
        (
            "probabilities",
            GIVEN.probabilities[:, 0],
            r"mine: column probabilities: is ndarray of shape \(6,\); give a number",
        ),
        (
            "attention",
            [np.zeros((1, 1, 1))] * 6,
            r"mine: text '0', column attention: is ndarray of shape \(1, 1, 1\)",
        ),
        (
            "contributions",
            [1.0] * 6,
            r"mine: text '0', column contribution: is float of shape \(\); give an array of one axis or two",
        ),
        (
            "labels",
            ["good"] * 6,
            "mine: column label: holds something else than whole numbers; give a flat list of these",
        ),
        ("labels", None, "mine: column label: is NoneType, and no list; give one"),
        ("evidence", [[True, False]] * 6, "mine: text '0', column evidence: holds something else than whole numbers"),
        ("tokens", ["a film"] * 6, "mine: column tokens: text 0 is one string; give the list of its words"),
        ("maps", [[0.1]], "mine: maps: is list; give the scores of each map by its name"),
        ("tokens", torch.ones(6, 3).long(), r"mine: column tokens: text 0 holds tensor\(1\), and no word; .* no ids"),
        (
            "tokens",
            [["a", "[PAD]"]] * 6,
            r"mine: text '0', column tokens: has padding at an end, '\[PAD\]'; leave it",
        ),
    ],
)
def test_wrong_arrays_are_one_line(argument: str, value: Any, line: str) -> None:
    with pytest.raises(AuditError, match=f"^{line}") as caught:
        api.readout(**ARGUMENTS | {argument: value}, name="mine")
    assert "\n" not in str(caught.value)


def test_readouts_are_written_and_read(tmp_path: Path) -> None:
    scores = [np.arange(len(words)) - 1.5 for words in GIVEN.tokens]
    api.write(api.readout(**ARGUMENTS, maps={"rollout": [row.tolist() for row in scores]}), tmp_path / "given.npz")
    read = api.read(str(tmp_path / "given.npz"))
    assert read.tokens == GIVEN.tokens
    assert [row.tolist() for row in read.maps["rollout"]] == [row.tolist() for row in scores]
    with pytest.raises(AuditError, match="readout: column maps: rollout: has 5 entries for 6 texts; give each"):
        api.readout(**ARGUMENTS, maps={"rollout": scores[1:]})
    with pytest.raises(AuditError, match=r"other\.npz: no such file"):
        api.read(tmp_path / "other.npz")


def test_what_a_notebook_shows_of_readouts_is_short() -> None:
    assert repr(api.readout(**ARGUMENTS, name="mine")) == "GivenReadout(mine: 6 texts, 2 classes, with contributions)"
    scores = {"rollout": [np.ones(len(words)) for words in GIVEN.tokens]}
    alone = api.readout(**ARGUMENTS | {"contributions": None, "bias": None}, maps=scores, name="mine")
    assert repr(alone) == "GivenReadout(mine: 6 texts, 2 classes, without contributions, also rollout)"
    assert "4 heads" in repr(made(1, 6, heads=4))


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    """The tables of two trainings with a twin and an adversary."""
    return api.audit(
        [made(1), made(2)],
        uniform=made(3, attends="alike"),
        adversaries=made(1, attends="elsewhere"),
        classes=CLASSES,
        settings={"instance_adversary": {"restarts": 1, "steps": 20}, "permutation": {"permutations": 20}},
    )


def test_audits_of_readouts_are_those_of_the_workflow(frames: dict[str, pd.DataFrame]) -> None:
    assert {
        "performance", "predictions", "comparison", "consistency", "stability", "permutation", "contributions",
        "instance_adversary", "single_weight", "ranked_sets", "attention_maps", "summary", "texts",
    } <= {*frames}  # fmt: skip
    own = frames["permutation"]
    expected = permutation(as_readout(made(2)), Permutation(permutations=20), Permutation().seed)
    found = own[own["seed"] == 2]
    assert found["id"].tolist() == expected["id"]
    assert found["mean_tvd"].to_numpy() == pytest.approx(expected["mean_tvd"])
    (instances,) = (frames["instance_adversary"],)
    assert instances["jsd"].max() > 0.1


def test_the_summary_asks_all_that_can_be_asked(frames: dict[str, pd.DataFrame]) -> None:
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


def test_the_summary_is_shown_with_a_row_a_question(frames: dict[str, pd.DataFrame]) -> None:
    summary = frames["summary"]
    shown = api.by_question(summary).set_index("question")
    assert [*shown.index] == [*QUESTIONS]
    for question in QUESTIONS:
        parts = ["value", "low", "high", "next_low", "next_high", "trainings", "texts"]
        expected = summary.loc[0, [f"{question}_{part}" for part in parts]].astype(float)
        np.testing.assert_array_equal(shown.loc[question, parts].astype(float), expected)
        assert shown.loc[question, "zones"] == summary.loc[0, f"{question}_zones"]
        line = write_line(summary.iloc[0].to_dict(), question)
        assert shown.loc[question, ["asks", "word", "note"]].tolist() == [line.asks, line.said, line.remark]
    both = api.by_question(pd.concat([summary, summary.assign(model="other")]))
    assert both["model"].tolist() == ["model"] * 8 + ["other"] * 8
    assert [*both] == ["dataset", "suite", "model", "question", *shown]
    assert both["question"].tolist() == [*QUESTIONS] * 2
    with pytest.raises(AuditError, match=r"summary: has no column .*; give the table `summary` of api\.audit"):
        api.by_question(frames["texts"])


def compare_columns(words: pd.DataFrame, abs: float, **expected: npt.ArrayLike) -> None:
    """Compare columns with numbers."""
    for name, values in expected.items():
        assert words[name].to_numpy() == pytest.approx(values, abs=abs), name


def test_a_text_of_readouts_is_read_and_drawn() -> None:
    first, second, away = made(1, 6), made(2, 6), made(1, 6, "elsewhere")
    read = api.reading([first, second], "text-3", adversary=away, classes=CLASSES)
    words = read.words
    assert words["word"].tolist() == first.tokens[3]
    weights = np.stack([one.attention[3] for one in (first, second)])
    # one logit, which is that of class 1: its lead over the mean of both is (1 - p) of it, or -p where class 0 leads
    p = first.probabilities[3]
    lead = weights[0] * first.contribution[3][:, 0] * (p[0] if p[1] > p[0] else -p[1])
    compare_columns(words, 1e-6, weight=weights[0], lowest=weights.min(0), adversary=away.attention[3])
    compare_columns(words, 1e-5, contribution=lead)
    assert words["known"].all()
    assert words["gradient"].isna().all()
    assert read.facts["prediction"] == CLASSES[int(p.argmax())]
    assert repr(read).startswith(
        f"Reading(prediction: {read.facts['prediction']} (p = {p.max():.3f}); 2 trainings: JSD"
    )
    assert [axes.get_xlabel() for axes in read.figure().axes] == ["attention", "contribution to the lead (logit)"]
    assert "<th>adversary</th>" in read._repr_html_()
    assert "gradient" not in read._repr_html_()


def test_further_maps_of_a_readout_are_drawn_beside_it() -> None:
    scores = {"mine": [np.arange(len(words)) - 1.5 for words in GIVEN.tokens]}
    alone = api.readout(**ARGUMENTS | {"contributions": None, "bias": None}, maps=scores)
    read = api.reading(alone, 2)
    assert read.words["mine"].tolist() == scores["mine"][2].tolist()
    assert [axes.get_xlabel() for axes in read.figure().axes] == ["attention", "mine"]


@pytest.mark.parametrize(
    ("readouts", "text", "line"),
    [
        ([], 0, "readouts: there is none; give one or more"),
        (5, 0, "readouts: is int, and no list; give one"),
        ([GIVEN, 5], 0, r"readouts, 2\.: holds int, and no readout; make one with api\.readout"),
        ([GIVEN, made(1, 5)], 0, r"readouts, 2\.: text 'text-5', column id: is missing"),
        (GIVEN, 6, "text: is 6, and there are 6 texts; count from 0"),
        (GIVEN, "text-7", "text: no id is 'text-7'; give one of 'text-0' to 'text-5', or a place"),
        (GIVEN, 0, "classes: has 1 names for 2 classes; name each, in their order"),
    ],
)
def test_what_cannot_be_read_of_readouts_is_one_line(readouts: Any, text: int | str, line: str) -> None:
    with pytest.raises(AuditError, match=f"^{line}"):
        api.reading(readouts, text, classes=["x"])


SHORT = api.readout(**{name: values[:5] for name, values in ARGUMENTS.items()})


@pytest.mark.parametrize(
    ("readouts", "named", "line"),
    [
        ([api.readout(**ARGUMENTS), SHORT], {}, "model 2: text '5', column id: is missing, of 6 texts of model 1"),
        (SHORT, {"classes": ["a", "a"]}, "classes: names 'a' twice; give each class a name of its own"),
        (SHORT, {"classes": ["x"]}, "classes: has 1 names for 2 classes"),
        (SHORT, {"settings": {"permutation": {"permutations": 0}}}, r"config: permutation\.permutations: "),
    ],
)
def test_readouts_that_cannot_be_audited_are_one_line(readouts: Any, named: dict[str, Any], line: str) -> None:
    with pytest.raises(AuditError, match=f"^{line}"):
        api.audit(readouts, **named)


TINY: dict[str, Any] = {
    "datasets": ["digest"],
    "corpora": {"digest": {"texts": {"train": 48, "dev": 24, "test": 24}}},
    "model": {"encoder": "conv", "attention": "dot", "embedding": 8, "hidden": 8, "attention_hidden": 8},
    "training": {"further_seeds": [50], "epochs": 1},
    "adversary": {"search": "scratch", "lambdas": [0.01], "epochs": 1, "patience": 1},
    "serrano_smith": {
        "datasets": ["digest"], "models": ["han_rnn"], "seeds": [1], "hidden": 8, "attention": 8, "embedding": 8,
        "recipes": {"han": {"epochs": 1}},
    },
    "jain_wallace": {"datasets": []},
    "deception": {"datasets": []},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a base model with two seeds, its adversary and a model of sentences are trained."""
    folder = tmp_path_factory.mktemp("trained")
    with chdir(folder):
        plan: Plan = plan_of(**TINY)
        for training in ("digest/base", "digest/adversary_lambda0.01", "digest/han_rnn"):
            for seed in plan.trainings.seeds[training]:
                make(plan, *plan.trainings.trained(training, seed).files)
        write_configuration(plan.config)
    return folder / "results"


def first_text(folder: Path) -> pd.Series:
    """A test text of the data set."""
    texts = read_frame(folder.parent / PLACES.corpus_file("digest", "corpus"), CORPUS)
    return texts[texts["split"] == "test"].iloc[0]


def read_stored(folder: Path, model: str, seed: int, name: str) -> Readout:
    """What the workflow has read out of that text."""
    return read_readout(folder / f"readouts/digest/{model}/seed{seed}/test.parquet").aligned([name])


def test_a_text_is_read_as_the_workflow_reads_it(folder: Path) -> None:
    text = first_text(folder)
    reading = api.trained(folder, "digest").read(list(text["tokens"]))
    words = reading.words
    first, second = (read_stored(folder, "base", seed, text["id"]) for seed in (10, 50))
    away = read_stored(folder, "adversary_lambda0.01", 10, text["id"])
    weights = np.stack([first.attention[0], second.attention[0]])
    assert words["word"].tolist() == list(text["tokens"])
    # what each word adds to the lead of the predicted class over the mean of all
    predicted, z = first.probabilities[0], first.contribution[0]
    lead = weights[0] * (z[:, predicted.argmax()] - z @ predicted)
    compare_columns(words, 1e-6, weight=weights[0], lowest=weights.min(0), highest=weights.max(0), contribution=lead)
    compare_columns(words, 1e-6, adversary=away.attention[0])
    assert words["gradient"].sum() == pytest.approx(1)
    facts = reading.facts
    assert facts["trainings"] == 2
    assert facts["same_top"] in (0.0, 1.0)
    assert 0 < facts["jsd"] < np.log(2)
    assert facts["adversary_jsd"] > 0
    assert facts["probability"] == pytest.approx(predicted.max(), abs=1e-6)


def test_a_reading_is_a_picture(folder: Path) -> None:
    trained = api.trained(folder, "digest")
    assert repr(trained) == "Trained(digest, suite wp, model base: 2 trainings)"
    known = first_text(folder)["tokens"][0]
    reading = trained.read([known, "nobody", "knows"])
    assert reading.words["known"].tolist() == [True, False, False]
    figure = reading.figure()
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [known, "nobody (unknown)", "knows (unknown)"]
    assert "the model does not know 2 of 3 words" in figure.get_suptitle()
    assert [axes.get_xlabel() for axes in figure.axes] == [
        "attention", "contribution to the lead (logit)", "share of the gradient",
    ]  # fmt: skip
    assert {*figure.axes[0].get_legend_handles_labels()[1]} == {"first training", "all trainings", "adversary"}
    assert re.search(r"2 trainings: JSD 0\.\d+, shuffled .*\nadversary: JSD", figure.get_suptitle())
    assert len(repr(reading)) < 300


def test_a_model_with_a_transformer_reads_a_text_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    from transformers_on_disk import save

    monkeypatch.chdir(tmp_path)
    save(Path("mirror/tiny"))
    monkeypatch.setenv(MIRROR, "mirror")
    model = {"encoder": "transformer", "attention_hidden": 8}
    encoder = {"mirror": "mirror", "model": model, "transformer": {"path": "tiny"}}
    plan = plan_of(**TINY | encoder | {"serrano_smith": {"datasets": []}})
    make(plan, *(path for job in plan.trainings.jobs() for path in job.files if "/base/" in path))
    write_configuration(plan.config)
    text = first_text(tmp_path / "results")
    # a job is told of the mirror, and a notebook is not
    monkeypatch.delenv(MIRROR)
    words = api.trained("results", "digest").read(list(text["tokens"])).words
    (expected,) = read_stored(tmp_path / "results", "base", 10, text["id"]).attention
    # words that are not read have no weight
    assert len(words) == len(text["tokens"])
    words = words[words["weight"].notna()]
    assert len(words) == len(expected)
    assert MIRROR not in os.environ
    # frozen states are kept in half precision
    assert words["weight"].to_numpy() == pytest.approx(expected, abs=1e-3)
    assert words["gradient"].sum() == pytest.approx(1)
    assert api.trained("results", "digest").read("a жук").words["known"].tolist() == [True, False]


def test_a_model_of_sentences_shows_sentences(folder: Path) -> None:
    reading = api.trained(folder, "digest", "ss", "han_rnn").read(first_text(folder)["tokens"].tolist())
    assert len(reading.words) == 1
    assert reading.words["gradient"].isna().all()
    assert reading.words["known"].tolist() == [True]
    assert len(reading.figure().axes) == 2


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nowhere", "digest"], "nowhere: holds no run of this version; name the folder"),
        (["results", "sst"], r"sst: not a data set of suite wp in .* \(known: digest\); name another"),
        (["results", "digest", "wp", "large"], r"large: not a model of suite wp \(known: base, uniform, .*\); name"),
        (["results", "digest", "xx"], "suite 'xx' is not known"),
        (["results", "digest", "wp", "uniform"], r"uniform/seed10\.safetensors: not there; make it with `snakemake"),
    ],
)
def test_what_was_not_trained_is_one_line(folder: Path, arguments: list[str], line: str) -> None:
    with chdir(folder.parent), pytest.raises(AuditError, match=line):
        api.trained(*arguments).read("a film")


@pytest.mark.parametrize(
    ("text", "maps", "line"),
    [
        ("  ", [], "text: no word is in it"),
        (5, [], "text: is int, and no list; give one"),
        ("a film", ["rollout"], "base: is no Transformer classifier in question, which maps are of; leave"),
    ],
)
def test_what_a_model_cannot_read_is_one_line(folder: Path, text: Any, maps: list[str], line: str) -> None:
    with pytest.raises(AuditError, match=f"^{line}"):
        api.trained(folder, "digest").read(text, maps)
