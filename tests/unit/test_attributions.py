"""Attributions that are kept in files: what is asked of them is what is asked of them in memory, to the last digit."""

import shutil
from functools import partial

import numpy as np
import pytest
from audit_jobs import assert_same, frames_of, list_written
from in_process import job_of, run_stage
from networks import make_architecture, train_in, write_words

from attention_audit.artefacts.parquet import read_frame, read_reason, read_rows, read_table
from attention_audit.audits.again import RUN_AGAIN, ask_again
from attention_audit.audits.answers import Answers, Training
from attention_audit.audits.attributed import AttributedTexts, Attributions
from attention_audit.audits.correlation import (
    agreement,
    ask_attribution,
    correlation,
    plausible_words,
    word_attributions,
)
from attention_audit.audits.facts import TextFacts
from attention_audit.audits.settings import (
    Agreement,
    AttributeJob,
    AttributionJob,
    AuditedTraining,
    Correlation,
    Deletion,
    Erasure,
)
from attention_audit.columns.audits import ATTRIBUTIONS
from attention_audit.columns.files import CORPUS
from attention_audit.readout import read_readout
from attention_audit.stages.attribute import count_occurrences, open_training
from attention_audit.stages.attribution import read_attributions
from attention_audit.stages.audit_files import KINDS
from attention_audit.stages.loading import prepare_device

SEEDS = (1, 2, 3)
ARCHITECTURE = make_architecture("conv", "dot", kernels=[1, 3])
SIZES = {"train": 40, "dev": 10, "test": 6}
ASKED = (
    "correlation", "agreement", "conicity", "impermissible", "located", "attribution_stability", "replaced",
    "plausible_words", "word_attributions", "soft",
)  # fmt: skip
"""All audits of attributions, in the order of the rule."""
OWN = """
def reversed_positions(texts):
    return [-1.0 * __import__("numpy").arange(length) for length in texts.split.lengths]
"""


def list_rows(marked):
    """Texts of one to six words, of which one decides the class."""
    random = np.random.default_rng(0)
    for split, size in SIZES.items():
        for number in range(size):
            fillers = [f"filler{word}" for word in random.integers(0, 5, number % 6)]
            row = {"id": f"{split}-{number}", "split": split, "label": number % 3, "label_name": ""}
            row |= {"tokens": [*fillers, f"cue{number % 3}"], "blocked": [0] if number % 2 else None}
            yield row | ({"annotators": ["Ann"], "marks": [[len(fillers)]]} if marked and number % 4 else {})


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with trainings of a small network, by their seeds."""
    folder = tmp_path_factory.mktemp("trained")
    write_words(folder, list_rows(marked=True))
    for seed in SEEDS:
        train_in(folder, f"model{seed}", ARCHITECTURE, {"learning_rate": 0.05, "batch_size": 8}, seed=seed, epochs=2)
    return folder


@pytest.fixture
def start(trained, tmp_path, monkeypatch):
    """Starts a run of these trainings, in a folder beside an attribution of one's own."""
    (tmp_path / "own_words.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    return partial(Run, shutil.copytree(trained, tmp_path / "run"))


class Run:
    """Trainings of a small network, with their attributions as files, and what their audits say of these."""

    def __init__(self, folder, marked=True, agreement=None, deletion=None, audits=ASKED, hierarchical=False):
        self.folder, self.audits = folder, audits
        self.agreement = Agreement(texts=3, steps=4, attributions=agreement or [])
        self.deletion, self.erasure, self.correlating = Deletion(texts=deletion), Erasure(seed=4), Correlation(top_k=2)
        write_words(folder, list_rows(marked))
        self.about = {
            seed: AuditedTraining(model="mine", seed=seed, architecture=ARCHITECTURE, hierarchical=hierarchical)
            for seed in SEEDS
        }
        self.device = prepare_device("cpu", 1)

    def build_job(self, seed):
        """What the job is told, and reads, that attributes the predictions of a training."""
        audits = [name for name in self.audits if name != "word_attributions" or seed == SEEDS[0]]
        sections = {name: getattr(self, name) for name in ("agreement", "deletion", "erasure")}
        model, out = self.folder / f"model{seed}", self.folder / "attributions" / f"seed{seed}"
        about = {"dataset": "talks", "model": "mine", "seed": seed, "training": self.about[seed], "audits": audits}
        files = {name: [self.folder / f"{name}.parquet"] for name in ("corpus", "vocabulary")}
        files |= {"readout": [model / "test.parquet"], "weights": [model / "weights.safetensors"]}
        out.mkdir(parents=True, exist_ok=True)
        made = {name: [out / f"{name}.parquet"] for name in ("attributions", *(kind.name for kind in RUN_AGAIN))}
        return AttributeJob(**about, **sections), files, made

    def write(self):
        """Run the stages; the rows of each audit by its name."""
        for seed in SEEDS:
            run_stage("attribute", *self.build_job(seed))
        about = {"dataset": "talks", "model": "mine", "trainings": [*self.about.values()]}
        about["unasked"] = {name: "is not among the suite's audits" for name in ASKED if name not in self.audits}
        sections = {name: getattr(self, name) for name in ("agreement", "deletion", "erasure")}
        jobs = [self.build_job(seed) for seed in SEEDS]
        files = {"readouts": [read["readout"][0] for _, read, _ in jobs], "corpus": [self.folder / "corpus.parquet"]}
        files["attributions"] = [made["attributions"][0] for _, _, made in jobs]
        self.out = self.folder / "audits"
        self.out.mkdir(exist_ok=True)
        settings = AttributionJob(**about, **sections, correlation=self.correlating)
        run_stage("attribution", settings, files, {name: [self.out / f"{name}.parquet"] for name in ASKED})
        assert list_written(self.out) == sorted(f"{name}.parquet" for name in ASKED)
        return {name: read_frame(self.out / f"{name}.parquet", KINDS[name]) for name in ASKED}

    @property
    def facts(self):
        """What is known of the texts."""
        return TextFacts(partial(read_rows, self.folder / "corpus.parquet", CORPUS))

    def attribute(self, seed):
        """A training in memory, with its texts."""
        job, _ = job_of("attribute", *self.build_job(seed))
        readout = read_readout(self.folder / f"model{seed}" / "test.parquet")
        model, split, ids = open_training(job, self.device, readout.ids)
        readout = readout.align(ids)
        sections = (self.agreement, self.deletion, self.erasure)
        texts = AttributedTexts(model, split, readout, lambda line: None, *sections)
        return Training(self.about[seed], readout=readout), texts, count_occurrences(job), job.settings.audits

    def ask(self):
        """Ask all audits in memory; their rows by name, and why there are none."""
        answers = Answers("talks", {name: "is not asked" for name in ASKED if name not in self.audits})
        attributed = {}
        for seed in SEEDS:
            training, texts, occurrences, audits = self.attribute(seed)
            attributed[training] = ask_again(training, texts, answers, self.facts, occurrences, audits)
        ask_attribution(attributed, answers, self.facts, self.correlating, self.deletion, self.erasure)
        return frames_of(answers), answers


CASES = {
    "all": {},
    "nothing is marked": {"marked": False},
    "a sample is deleted": {"deletion": 3},
    "an own attribution": {"agreement": ["own_words:reversed_positions"]},
    "words alone": {"audits": ("word_attributions",)},
    "words alone of a sample": {"audits": ("word_attributions",), "deletion": 2},
    "stability alone": {"audits": ("attribution_stability",), "deletion": 3},
    "marks alone": {"audits": ("plausible_words",), "deletion": 2},
    "agreement alone": {"audits": ("agreement",)},
}


@pytest.mark.parametrize("case", CASES)
def test_files_say_what_memory_says(start, case):
    run = start(**CASES[case])
    found, (expected, answers) = run.write(), run.ask()
    asked = [name for name in ASKED if name in run.audits and not (name == "plausible_words" and case.startswith("no"))]
    for name in ASKED:
        assert found[name].empty == (name not in asked), name
        if name in asked:
            assert_same(found[name], expected[name])
            assert read_reason(run.out / f"{name}.parquet") == ""
        elif name in run.audits:
            assert read_reason(run.out / f"{name}.parquet") == f"{name} needs marked words, and talks has none"
            assert answers.find_reason(name) == "needs marked words, and talks has none"
        else:
            assert read_reason(run.out / f"{name}.parquet") == f"{name} is not among the suite's audits"


def test_what_is_kept_of_a_training_is_all_that_its_audits_need(start):
    """Every attribution of every text says the same as those that are kept."""
    run = start(agreement=["own_words:reversed_positions"])
    found = run.write()
    _, texts, _, _ = run.attribute(SEEDS[0])
    chosen, gains = texts.integrated_gradients
    falls = dict(enumerate(texts.deletions.falls))
    every = Attributions(texts.readout, texts.scores, falls, {int(text): gains[text] for text in chosen})
    expected = {
        "correlation": correlation(every, run.correlating),
        "agreement": agreement(every),
        "plausible_words": plausible_words(every, run.facts.rationales),
        "word_attributions": word_attributions(every, run.deletion),
    }
    for name, columns in expected.items():
        rows = found[name][found[name]["seed"] == SEEDS[0]]
        for column, values in columns.items():
            for ours, theirs in zip(rows[column], values, strict=True):
                np.testing.assert_array_equal(ours, theirs, err_msg=f"{name}, {column}")
    assert "own_words:reversed_positions" in set(found["agreement"]["first"])
    path = run.folder / "attributions" / "seed1" / "attributions.parquet"
    kept = read_attributions(path, Training(run.about[1], readout=texts.readout))
    assert kept.chosen.tolist() == chosen.tolist()
    assert [*kept.scores] == [*texts.scores]


def test_each_training_is_held_against_those_before_it(start):
    rows = start(audits=("attribution_stability",)).write()["attribution_stability"]
    pairs = rows[["seed", "other"]].drop_duplicates().to_numpy().tolist()
    assert pairs == [[2, 1], [3, 1], [3, 2]]


def test_words_are_of_the_first_training_alone(start):
    run = start(audits=("word_attributions",))
    assert {*run.write()["word_attributions"]["seed"]} == {1}
    # and of the others nothing was computed
    kept = [run.folder / "attributions" / f"seed{seed}" / "attributions.parquet" for seed in SEEDS]
    assert [read_table(path, ATTRIBUTIONS).num_rows > 0 for path in kept] == [True, False, False]


def test_another_number_of_highest_words_runs_no_network(start, monkeypatch):
    run = start(audits=("correlation",))
    before = run.write()["correlation"]
    run.correlating = Correlation(top_k=1)
    monkeypatch.setattr("attention_audit.stages.attribute.run", lambda job: None)
    after = run.write()["correlation"]
    assert after["tau"].equals(before["tau"])
    assert not after["top_k_overlap"].equals(before["top_k_overlap"])


def test_attention_over_sentences_is_asked_nothing_and_runs_nothing(start):
    run = start(hierarchical=True)
    # what is not run needs no weights
    for seed in SEEDS:
        (run.folder / f"model{seed}" / "weights.safetensors").unlink()
    for name, rows in run.write().items():
        assert rows.empty
        reason = f"{name} needs attention over tokens, and mine attends to sentences"
        assert read_reason(run.out / f"{name}.parquet") == reason
