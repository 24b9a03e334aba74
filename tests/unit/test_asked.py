"""What a stage that asks audits writes is what the functions say of readouts in memory."""

import numpy as np
import pytest
from audit_jobs import (
    assert_same,
    facts_of,
    frames_of,
    list_texts,
    list_written,
    training_of,
    write_corpus,
    write_readout,
)
from in_process import run_stage
from readouts import make_heads, make_readout
from refusal import refusal

from attention_audit.artefacts.parquet import read_frame, read_reason
from attention_audit.audits.answers import Answers
from attention_audit.audits.attention_maps import ask_attention_maps
from attention_audit.audits.comparison import ask_comparison, ask_stability
from attention_audit.audits.contributions import ask_erasure
from attention_audit.audits.instance_adversary import ask_instance_adversary
from attention_audit.audits.performance import ask_performance
from attention_audit.audits.permutation import ask_permutation
from attention_audit.audits.plausibility import ask_plausibility
from attention_audit.audits.settings import (
    AttentionMaps,
    AttentionMapsJob,
    AuditJob,
    ComparisonJob,
    Erasure,
    ErasureJob,
    InstanceAdversary,
    InstanceAdversaryJob,
    OwnAuditJob,
    Permutation,
    PermutationJob,
)
from attention_audit.stages.audit_files import KINDS

LENGTHS = [12, 5, 14, 11, 7]
MAKERS = {"plain": make_readout, "heads": make_heads}
PERMUTATION, ERASURE = Permutation(permutations=7, seed=2), Erasure(seed=4)
ADVERSARY, MAPS = InstanceAdversary(steps=6, restarts=2), AttentionMaps(automatic=1, instances=["text-2"])


class Case:
    """Two trainings of a base model, one of an adversary, and their texts, of which some are marked."""

    def __init__(self, kind, folder):
        first, second, adversary = (MAKERS[kind](LENGTHS, seed=seed) for seed in (1, 2, 3))
        self.trainings = [
            training_of(first, "base", 10, selection="dev"),
            training_of(second, "base", 50, consistent_on="dev"),
            training_of(adversary, "adversary", 10, lambda_=0.25, judged=False, consistent_on="dev"),
        ]
        marked = {"annotators": [["Ann", "Bob"]] * 4 + [None], "marks": [[[0, 2], [1]]] * 4 + [None]}
        self.rows = list_texts(first, evidence=[[0], [1, 2], [3], None, None], **marked)
        self.rows += [row | {"id": f"train-{row['id']}", "split": "train"} for row in self.rows]
        self.facts, self.folder = facts_of(self.rows), folder

    def run(self, stage, settings, trainings, **inputs):
        """Run a stage on files of its trainings; the rows of each audit by its name."""
        paths = [
            write_readout(each.readout, self.folder / each.about.model / f"seed{each.about.seed}" / "test.parquet")
            for each in trainings
        ]
        for each, path in zip(trainings, paths, strict=True):
            write_readout(each.readout, path.with_name("dev.parquet"))
        inputs |= {"readouts": paths, "corpus": [write_corpus(self.rows, self.folder / "corpus.parquet")]}
        out = self.folder / "out"
        out.mkdir()
        names = ASKED[stage][1]
        outputs = {name: [out / f"{name}.parquet"] for name in names}
        run_stage(
            stage,
            settings(dataset="talks", model="base", trainings=[each.about for each in trainings]),
            inputs,
            outputs,
        )
        assert list_written(out) == sorted(f"{name}.parquet" for name in names)
        return {name: read_frame(path, KINDS[name]) for name, (path,) in outputs.items()}


def told(kind, **sections):
    """What a job is told, but for what it is of."""
    return lambda **about: kind(**about, **sections)


ASKED = {
    "performance": (
        ask_performance,
        ("performance", "predictions", "cut_texts"),
        told(AuditJob),
    ),
    "comparison": (
        lambda trainings, answers, facts: ask_comparison(trainings[0], trainings[1:], answers, PERMUTATION),
        ("comparison", "consistency"),
        told(ComparisonJob, permutation=PERMUTATION),
    ),
    "stability": (
        lambda trainings, answers, facts: ask_stability(trainings, answers, PERMUTATION),
        ("stability", "map_stability"),
        told(ComparisonJob, permutation=PERMUTATION),
    ),
    "permutation": (
        lambda trainings, answers, facts: ask_permutation(trainings, answers, PERMUTATION),
        ("permutation", "heads"),
        told(PermutationJob, permutation=PERMUTATION),
    ),
    "erasure": (
        lambda trainings, answers, facts: ask_erasure(trainings, answers, ERASURE, PERMUTATION),
        ("contributions", "single_weight", "ranked_sets", "shuffles"),
        told(ErasureJob, erasure=ERASURE, permutation=PERMUTATION),
    ),
    "instance_adversary": (
        lambda trainings, answers, facts: ask_instance_adversary(trainings, answers, ADVERSARY),
        ("instance_adversary",),
        told(InstanceAdversaryJob, instance_adversary=ADVERSARY),
    ),
    "plausibility": (
        ask_plausibility,
        ("evidence", "plausibility", "planted"),
        told(AuditJob),
    ),
    "attention_maps": (
        lambda trainings, answers, facts: ask_attention_maps(trainings, answers, facts, MAPS, None),
        ("attention_maps",),
        told(AttentionMapsJob, attention_maps=MAPS),
    ),
}
"""How each stage's audits are asked in memory; their names; and what its job is told."""
SHOWN = {"attention_maps": (0, 2), "stability": (0, 1), "instance_adversary": (0,)}
"""The trainings that some stages are given; others are given all."""
NO_ROWS = {("heads", "plain"), ("cut_texts", "plain"), ("cut_texts", "heads")}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("stage", ASKED)
def test_a_stage_writes_what_its_audits_say_in_memory(tmp_path, stage, kind):
    case, (ask, names, settings) = Case(kind, tmp_path), ASKED[stage]
    trainings = [case.trainings[place] for place in SHOWN.get(stage, (0, 1, 2))]
    answers = Answers("talks")
    ask(trainings, answers, case.facts)
    expected, found = frames_of(answers), case.run(stage, settings, trainings)
    for name in names:
        assert found[name].empty == ((name, kind) in NO_ROWS), name
        if name in expected:
            assert_same(found[name], expected[name])
        path, reason = tmp_path / "out" / f"{name}.parquet", answers.find_reason(name)
        assert read_reason(path) == (f"{name} {reason}" if reason and found[name].empty else "")
    assert list(expected) == [name for name in names if name in expected]


def test_maps_show_the_weights_that_the_search_found(tmp_path):
    case = Case("plain", tmp_path)
    base = case.trainings[:1]
    _, _, settings = ASKED["instance_adversary"]
    rows = case.run("instance_adversary", settings, base)["instance_adversary"]
    path = tmp_path / "out" / "instance_adversary.parquet"
    maps = case_again(tmp_path / "maps").run(
        "attention_maps", ASKED["attention_maps"][2], base, instance_adversary=[path]
    )
    answers = Answers("talks")
    ask_attention_maps(base, answers, case.facts, MAPS, rows)
    assert_same(maps["attention_maps"], frames_of(answers)["attention_maps"])
    assert {*maps["attention_maps"]["weights"]} == {"base", "instance_adversary"}


def case_again(folder):
    """The same trainings in another folder."""
    folder.mkdir()
    return Case("plain", folder)


def test_every_two_trainings_are_compared_the_later_beside_the_earlier():
    trainings = [training_of(make_readout(LENGTHS, seed=seed), seed=seed) for seed in (5, 3, 9)]
    answers = Answers("talks")
    ask_stability(trainings, answers, PERMUTATION)
    rows = frames_of(answers)["stability"]
    pairs = rows[["seed", "other"]].drop_duplicates().to_numpy().tolist()
    assert pairs == [[3, 5], [9, 5], [9, 3]]


def test_texts_of_which_nobody_knows_anything_have_no_rows():
    """Facts are of the test split alone, and only where somebody said something."""
    case = Case("plain", None)
    answers = Answers("talks")
    ask_plausibility(case.trainings, answers, case.facts)
    found = frames_of(answers)
    assert {*found["evidence"]["id"]} == {"text-0", "text-1", "text-2"}
    assert {*found["plausibility"]["id"]} == {f"text-{number}" for number in range(4)}
    # what others are held against has no plausibility, and its evidence is asked
    assert {*found["evidence"]["model"]} == {"base", "adversary"}
    assert {*found["plausibility"]["model"]} == {"base"}


OWN = """
import numpy as np
from attention_audit.columns.kinds import OF_TEXT_BY_LAMBDA, describe_file, real

SPREAD = describe_file("spread", meaning="How far weights are apart.", **OF_TEXT_BY_LAMBDA, spread=real("range"))


def spread(readout):
    return {"id": readout.ids, "spread": [float(np.ptp(weights)) for weights in readout.attention]}
"""


def test_an_audit_of_ones_own_gets_a_readout_and_returns_columns(tmp_path, monkeypatch):
    (tmp_path / "apart_words.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    trainings = [training_of(make_readout(LENGTHS, seed=seed), seed=seed) for seed in (1, 2)]
    paths = [write_readout(each.readout, tmp_path / f"seed{each.about.seed}" / "test.parquet") for each in trainings]
    about = [each.about for each in trainings]
    settings = OwnAuditJob(dataset="talks", model="mine", trainings=about, target="apart_words:spread")
    corpus = write_corpus(list_texts(trainings[0].readout), tmp_path / "corpus.parquet")
    inputs = {"readouts": paths, "corpus": [corpus]}
    said = run_stage("own_audit", settings, inputs, {"spread": [tmp_path / "spread.parquet"]})
    from apart_words import SPREAD

    rows = read_frame(tmp_path / "spread.parquet", SPREAD)
    assert rows["seed"].tolist() == [1] * 5 + [2] * 5
    assert rows["id"].tolist() == trainings[0].readout.ids * 2
    expected = [np.ptp(weights) for each in trainings for weights in each.readout.attention]
    assert rows["spread"].to_numpy() == pytest.approx(expected)
    assert said == ["mine, seed 1", "mine, seed 2"]


def test_an_error_leaves_no_half_written_file(tmp_path, monkeypatch):
    """The first training has its rows by then."""
    case, out = Case("plain", tmp_path), tmp_path / "out"
    (tmp_path / "base" / "seed50").mkdir(parents=True)
    _, names, settings = ASKED["permutation"]
    monkeypatch.setattr("attention_audit.artefacts.parquet.GROUP", 1)
    paths = [write_readout(case.trainings[0].readout, tmp_path / "base" / "seed10" / "test.parquet")]
    paths.append(tmp_path / "base" / "seed50" / "test.parquet")
    paths[1].write_bytes(b"no Parquet")
    out.mkdir()
    outputs = {name: [out / f"{name}.parquet"] for name in names}
    about = [each.about for each in case.trainings[:2]]
    message = refusal(
        run_stage,
        "permutation",
        settings(dataset="talks", model="base", trainings=about),
        {"readouts": paths},
        outputs,
    )
    assert message.startswith(str(paths[1]))
    assert list_written(out) == []


def write_nothing(path):
    """Leave a path without a file."""


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (write_nothing, "not there"),
        (lambda path: path.write_bytes(b"PAR1 and no more"), ""),
        (lambda path: write_readout(make_readout([2]), path), "is no corpus file"),
    ],
    ids=["missing", "garbled", "another file"],
)
@pytest.mark.parametrize("stage", ["plausibility", "performance", "attention_maps"])
def test_a_fault_of_the_corpus_ends_in_one_line(tmp_path, stage, damage, fault):
    case = Case("plain", tmp_path)
    _, names, settings = ASKED[stage]
    corpus, out = tmp_path / "corpus.parquet", tmp_path / "out"
    paths = [write_readout(case.trainings[0].readout, tmp_path / "base" / "seed10" / "test.parquet")]
    damage(corpus)
    out.mkdir()
    message = refusal(
        run_stage,
        stage,
        settings(dataset="talks", model="base", trainings=[case.trainings[0].about]),
        {"readouts": paths, "corpus": [corpus]},
        {name: [out / f"{name}.parquet"] for name in names},
    )
    assert message.startswith(str(corpus))
    assert fault in message
    assert list_written(out) == []
