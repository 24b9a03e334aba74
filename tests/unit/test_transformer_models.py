"""Models with a Transformer as their encoder, in every suite: trained, read out, and run again by audits."""

from contextlib import chdir
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
import transformers_on_disk as on_disk
from in_process import make, make_audit, make_states
from planned import judged_of, list_seeds, plan_of, refuse_plan, settings_of
from rules import list_jobs

from attention_audit.artefacts.parquet import read_table
from attention_audit.artefacts.weights import read_weights
from attention_audit.audits.gradients import compute_integrated_gradients
from attention_audit.audits.leave_one_out import delete_each, leave_one_out
from attention_audit.columns.files import PIECES
from attention_audit.corpus.text import SPLITS
from attention_audit.model.network import predict_split
from attention_audit.plan.plan import Plan
from attention_audit.readout import read_readout
from attention_audit.stages.loading import build_model, build_split, read_material
from attention_audit.transformer.opening import open_model

CPU = torch.device("cpu")
PIECES_KNOWN = [*on_disk.WORDS, *on_disk.LETTERS, *on_disk.known_words("chorus", "needle")]
SIZES = {"train": 48, "dev": 24, "test": 16}
TRAININGS = [
    "chorus/base",
    "chorus/uniform",
    "chorus/adversary_lambda0.01",
    "chorus/continuation",
    "needle/liar_lambda0.4",
    "chorus/guide_base_lstm",
    "chorus/flan_transformer",
    "chorus/transformer_dot",
    "pairs/transformer_tanh",
]


def changes(path, /, **transformer):
    """A configuration in which every suite reads a Transformer, on single texts and on pairs."""
    questions = {"kind": "table", "path": "pairs.csv", "query": "question", "tokens": {"tokenizer": "spaces"}}
    return {
        "datasets": ["chorus"],
        "corpora": {"chorus": {"texts": SIZES}, "needle": {"texts": SIZES}, "pairs": questions},
        "transformer": {"path": str(path), **transformer},
        "model": {"encoder": "transformer", "attention_hidden": 8},
        "training": {"further_seeds": [50], "epochs": 2},
        "guides": {"hidden": 8, "attention": 8, "adversary_lambda": 0.01},
        "adversary": {
            "lambdas": [0.01], "epochs": 1, "patience": 1, "continuation": {"steps": 2, "epochs": 1, "rounds": 1}
        },
        "serrano_smith": {"datasets": ["chorus"], "models": ["flan_transformer"]},
        "jain_wallace": {
            "datasets": ["chorus", "pairs"],
            "models": ["transformer_tanh", "transformer_dot"],
            "recipe": {"epochs": 1, "hidden": 8, "embedding": 8, "learning_rate": 0.003},
        },
        "deception": {"datasets": ["needle"], "lambdas": [0.4], "seeds": [10], "epochs": 1},
        "agreement": {"texts": 4, "steps": 8},
    }  # fmt: skip


def write_pairs(path):
    words = ["good", "bad", "film", "story", "unbelievably", "dull"]
    random = np.random.default_rng(3)
    rows = [
        f"{' '.join(random.choice(words, random.integers(2, 7)))},why {random.choice(words)},{place % 2}"
        for place in range(60)
    ]
    path.write_text("\n".join(["text,question,label", *rows]))


class Made(NamedTuple):
    """A folder in which a run is made, and its plan."""

    folder: Path
    encoder: Path
    plan: Plan

    def file(self, kind, training, number=0):
        """A file of a training, by default of its first seed."""
        seed = list_seeds(self.plan)[training][number]
        return Path(getattr(self.plan.config.places, kind).format(training=training, seed=seed, split="test"))

    def model(self, training, number=0):
        """A trained model that reads the test texts again, these texts, and their ids; number: of its seed."""
        seed = list_seeds(self.plan)[training][number]
        architecture = settings_of(self.plan, training, seed).architecture
        places, dataset = self.plan.config.places, training.split("/", maxsplit=1)[0]
        files = {name: [Path(places.corpus_file(dataset, name))] for name in ("corpus", "vocabulary")}
        material = read_material(files | {"transformer": [Path(places.transformer)]}, architecture)
        model = build_model(material, architecture, seed, self.file("weights", training, number))
        return model.eval(), build_split(material.splits["test"], CPU), material.splits["test"].ids

    def readout(self, training):
        """The readout of the test texts by a trained model."""
        return read_readout(self.file("readout", training))

    def weights(self, training):
        return read_weights(self.file("weights", training))


def made(folder, **transformer):
    """A folder with pairs and a Transformer that knows them and the generated words; and its plan."""
    write_pairs(folder / "pairs.csv")
    encoder = on_disk.save(folder / "encoder", PIECES_KNOWN, positions=400)
    return Made(folder, encoder, plan_of(**changes(encoder, **transformer)))


def trained(run, names):
    make(run.plan, *(str(run.file("weights", training)) for training in names))


RUNS = {
    "frozen": {},
    "tuned": {"frozen": False, "pool": "sum", "layer": 1, "tuning": {"epochs": 1, "batch_size": 16}},
}


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    @cache
    def make_run(name):
        with chdir(tmp_path_factory.mktemp(name)):
            run = made(Path.cwd(), **RUNS[name])
            trained(run, TRAININGS)
        return run

    return make_run


@pytest.fixture(params=RUNS)
def run(request, made_once, monkeypatch):
    """A finished run, in whose folder the test is."""
    monkeypatch.chdir(made_once(request.param).folder)
    return made_once(request.param)


frozen_only = pytest.mark.parametrize("run", ["frozen"], indirect=True)


@pytest.mark.parametrize("training", [name for name in TRAININGS if "guide" not in name])
def test_a_model_that_reads_again_predicts_as_it_did_from_states(run, training):
    model, split, ids = run.model(training)
    readout = run.readout(training).align(ids)
    np.testing.assert_allclose(predict_split(model, split), readout.probabilities, atol=1e-3)
    np.testing.assert_allclose(readout.predict(readout.attention), readout.probabilities, atol=1e-5)


def test_what_is_frozen_alone_is_encoded_once_and_shared_by_all_trainings(run):
    frozen = run.plan.config.transformer.frozen
    assert ("encode" in {job.rule for job in list_jobs(run.plan).values()}) == frozen
    assert {subject.frozen for subject in run.plan.exhibits.list_subjects()} == {frozen}


@frozen_only
def test_only_the_head_is_kept_of_a_frozen_model(run):
    weights = run.weights("chorus/base")
    assert {name.split(".")[0] for name in weights} == {"embedding", "attention", "decoder"}
    assert weights["embedding.weight"].numel() == 0


@frozen_only
def test_one_frozen_transformer_reads_deletions_once_for_all_models(run):
    (model, split, _), (other, *_) = (run.model("chorus/base") for _ in range(2))
    calls = []
    other.transformer = model.transformer
    model.transformer.register_forward_hook(lambda *_: calls.append(1))
    leave_one_out(model, split)
    alone = len(calls)
    delete_each([model, other], split)
    assert len(calls) == 2 * alone


@frozen_only
def test_leave_one_out_of_trainings_with_one_frozen_transformer_is_that_of_each(run):
    make(run.plan, *(str(run.file("weights", "chorus/base", number)) for number in (0, 1)))
    (first, split, _), (second, _, _) = (run.model("chorus/base", number) for number in (0, 1))
    together, alone = delete_each([first, second], split), [leave_one_out(model, split) for model in (first, second)]
    for ours, theirs in zip(together, alone, strict=True):
        assert ours.predicted.tolist() == theirs.predicted.tolist()
        for name in ("distances", "falls", "flips"):
            for found, expected in zip(getattr(ours, name), getattr(theirs, name), strict=True):
                # processors sum several models in another order
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    assert not np.array_equal(together[0].falls[0], together[1].falls[0])


@frozen_only
def test_integrated_gradients_add_up_to_what_the_prediction_gains(run):
    model, split, _ = run.model("chorus/base")
    members = np.array([2, 4, 7])
    every = compute_integrated_gradients(model, split, 100, members)
    gains = [every[member] for member in members]
    batch = split.batch(members)
    vectors = model.transformer.look_up_vectors(batch.pieces)
    blank = vectors.masked_fill((batch.pieces.words >= 0)[..., None], 0.0)
    with torch.no_grad():
        ends = [torch.sigmoid(model(replace(batch, vectors=part)).logits[:, 0]) for part in (vectors, blank)]
    positive = torch.where(ends[0] > 0.5, 1, -1) * (ends[0] - ends[1])
    np.testing.assert_allclose([of_text.sum() for of_text in gains], positive.numpy(), atol=0.02)
    assert [len(of_text) for of_text in gains] == split.lengths[members].tolist()


@pytest.mark.parametrize(
    ("dataset", "suite", "audits"),
    [
        ("chorus", "jw", ["correlation", "agreement", "conicity", "located", "evidence"]),
        ("pairs", "jw", ["correlation", "located"]),
        ("chorus", "ss", ["located", "ranked_sets"]),
    ],
)
def test_audits_run_the_models_again(run, dataset, suite, audits):
    for audit in audits:
        make_audit(run.plan, dataset, suite, audit)
        judged = judged_of(run.plan, suite, dataset)
        assert Path(run.plan.asked.locate(judged, audit)).stat().st_size > 500


@pytest.mark.parametrize("run", ["tuned"], indirect=True)
def test_the_encoder_of_every_model_but_a_guide_is_fine_tuned_and_kept(run):
    weights = run.weights("chorus/base")
    name = "encoder.layer.0.attention.self.query.weight"
    before = dict(open_model(run.encoder).named_parameters())[name]
    assert not torch.equal(weights[f"transformer.backbone.{name}"], before)
    recipe = {"decoupled": True, "warmup": 0.1, "clip_norm": 1.0, "learning_rate": 5e-5}
    for training in TRAININGS:
        job = settings_of(run.plan, training, list_seeds(run.plan)[training][0])
        kept = any(name.startswith("transformer.") for name in run.weights(training))
        assert kept == job.optimisation.decoupled == ("guide" not in training), training
        if training == "chorus/base":
            assert job.optimisation.model_dump().items() >= recipe.items()
            assert job.epochs == 1


def test_texts_that_are_cut_have_a_map_of_what_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = made(tmp_path, max_length=24)
    said = make_states(run.plan, "chorus")
    rows = read_table(Path(run.plan.config.places.pieces.format(dataset="chorus")), PIECES).to_pylist()
    cut = {split: sum(row["truncated"] for row in rows if row["split"] == split) for split in SPLITS}
    assert any(f"train: {SIZES['train']} texts, {cut['train']} of them cut" in line for line in said)
    assert cut["test"] > 0
    trained(run, ["chorus/base", "chorus/guide_base_lstm"])
    read = {row["id"]: row["words"] for row in rows}
    for model in ("base", "guide_base_lstm"):
        readout = run.readout(f"chorus/{model}")
        assert readout.lengths.tolist() == [read[name] for name in readout.ids]
    for audit in ("evidence", "located", "attention_maps"):
        make_audit(run.plan, "chorus", "wp", audit)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"path": "nowhere"}, "config: transformer.path: no such folder, and no model of this name"),
        ({"layer": 3}, "config: transformer.layer: 3, and "),
    ],
)
def test_a_wrong_key_is_one_line(tmp_path, monkeypatch, broken, said):
    monkeypatch.chdir(tmp_path)
    write_pairs(Path("pairs.csv"))
    refuse_plan(f"^{said}", **changes(on_disk.save(tmp_path / "encoder"), **broken))


def test_without_the_library_the_plan_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("attention_audit.transformer.folder.find_spec", lambda name: None)
    said = '^Transformers need the library .* install it with: python -m pip install --editable "..transformers."$'
    section = {"path": str(on_disk.save(tmp_path / "encoder"))}
    refuse_plan(said, transformer=section, model={"encoder": "transformer"})
    # where no model names it, nothing is missing
    plan_of(transformer=section)
