"""What an audit needs and a model has not is found in the files that are read, and its own file says it."""

from dataclasses import replace

import numpy as np
import pytest
from audit_jobs import facts_of, list_texts, training_of
from in_process import job_of
from readouts import make_heads, make_pairs, make_readout

from attention_audit.artefacts.parquet import read_reason, read_table
from attention_audit.audits.answers import Answers, explain_states
from attention_audit.audits.attention_maps import ask_attention_maps
from attention_audit.audits.attributed import Attributions
from attention_audit.audits.contributions import ask_erasure, ranked_sets
from attention_audit.audits.correlation import ask_attribution
from attention_audit.audits.instance_adversary import ask_instance_adversary
from attention_audit.audits.performance import ask_performance
from attention_audit.audits.permutation import ask_permutation
from attention_audit.audits.plausibility import ask_plausibility
from attention_audit.audits.settings import (
    AttentionMaps,
    AuditJob,
    Correlation,
    Deletion,
    Erasure,
    InstanceAdversary,
    Permutation,
)
from attention_audit.columns.audits import RANKED_SETS
from attention_audit.stages.audit_files import KINDS, AuditFiles
from attention_audit.transformer.settings import ReadClassifier

LENGTHS = [3, 2]
PERMUTATION = Permutation(permutations=3)
ASK = {
    "performance": ask_performance,
    "permutation": lambda trainings, answers, facts: ask_permutation(trainings, answers, PERMUTATION),
    "erasure": lambda trainings, answers, facts: ask_erasure(trainings, answers, Erasure(), PERMUTATION),
    "instance_adversary": lambda trainings, answers, facts: ask_instance_adversary(
        trainings, answers, InstanceAdversary(steps=1, restarts=1)
    ),
    "plausibility": ask_plausibility,
    "attention_maps": lambda trainings, answers, facts: ask_attention_maps(
        trainings, answers, facts, AttentionMaps(), None
    ),
    "attribution": lambda trainings, answers, facts: ask_attribution(
        {training: Attributions(training.readout) for training in trainings},
        answers,
        facts,
        Correlation(),
        Deletion(),
        Erasure(),
    ),
}
SENTENCES = "needs attention over tokens, and mine attends to sentences"
UNMARKED = "needs marked words, and talks has none"
PAIRS = "needs predictions that are linear in the attention, which models of pairs (talks) have not"
UNDECIDED = "needs predictions that follow from the weights, which those of mine are not known to do"
ONE_HEAD = "needs several heads of attention, and mine has one"
OF_ERASURE = ("contributions", "single_weight", "ranked_sets", "shuffles")


def make_bare(lengths):
    """A readout of which the map of an earlier layer is read, so that no prediction follows from it."""
    nothing = [np.empty((length, 0), np.float32) for length in lengths]
    return replace(make_readout(lengths), contribution=nothing, bias=np.empty((len(lengths), 0), np.float32))


READOUTS = {"plain": make_readout, "pairs": make_pairs, "heads": make_heads, "bare": make_bare}


def ask(group, trainings, folder, marked=True, unasked=None):
    """Ask the audits of a rule; the reason of each file that it then writes, "" where it has rows."""
    columns = {"evidence": [[0], [1]], "annotators": [["Ann"]] * 2, "marks": [[[0]], [[1]]]} if marked else {}
    facts = facts_of(list_texts(trainings[0].readout, **columns))
    names = [name for name in KINDS if name in OF_GROUP[group]]
    told = AuditJob(dataset="talks", model="mine", trainings=[])
    job, _ = job_of("audit", told, {}, {name: [folder / f"{name}.parquet"] for name in names})
    with AuditFiles(job, unasked or {}) as answers:
        ASK[group](trainings, answers, facts)
    reasons = {}
    for name in names:
        path = folder / f"{name}.parquet"
        reasons[name] = read_reason(path)
        assert (read_table(path, KINDS[name]).num_rows == 0) >= bool(reasons[name])
    return reasons


OF_GROUP = {
    "performance": ("performance", "predictions", "cut_texts"),
    "permutation": ("permutation", "heads"),
    "erasure": OF_ERASURE,
    "instance_adversary": ("instance_adversary",),
    "plausibility": ("evidence", "plausibility", "planted"),
    "attention_maps": ("attention_maps",),
    "attribution": ("correlation", "agreement", "attribution_stability", "plausible_words", "word_attributions"),
}


@pytest.mark.parametrize(
    ("group", "readout", "about", "reasons"),
    [
        ("performance", "plain", {"hierarchical": True}, {"cut_texts": SENTENCES}),
        ("performance", "bare", {}, {}),
        ("permutation", "plain", {}, {"heads": ONE_HEAD}),
        ("permutation", "pairs", {}, {"heads": ONE_HEAD}),
        ("permutation", "heads", {}, {}),
        ("permutation", "bare", {}, {"permutation": UNDECIDED, "heads": UNDECIDED}),
        ("erasure", "plain", {"hierarchical": True}, {}),
        ("erasure", "heads", {}, {}),
        ("erasure", "pairs", {}, dict.fromkeys(OF_ERASURE, PAIRS)),
        ("erasure", "bare", {}, dict.fromkeys(OF_ERASURE, UNDECIDED)),
        ("instance_adversary", "pairs", {}, {}),
        ("instance_adversary", "bare", {}, {"instance_adversary": UNDECIDED}),
        ("plausibility", "plain", {"hierarchical": True}, {"plausibility": SENTENCES}),
        ("plausibility", "pairs", {}, {"planted": PAIRS}),
        ("plausibility", "bare", {}, {"planted": UNDECIDED}),
        ("attention_maps", "plain", {"hierarchical": True}, {"attention_maps": SENTENCES}),
        ("attribution", "plain", {"hierarchical": True}, dict.fromkeys(OF_GROUP["attribution"], SENTENCES)),
    ],
)
def test_a_file_without_rows_says_what_is_lacking(tmp_path, group, readout, about, reasons):
    trainings = [training_of(READOUTS[readout](LENGTHS), seed=seed, **about) for seed in (1, 2)]
    expected = {name: f"{name} {reasons[name]}" if name in reasons else "" for name in OF_GROUP[group]}
    assert ask(group, trainings, tmp_path) == expected


def test_where_nobody_marked_words_the_files_say_so(tmp_path):
    trainings = [training_of(make_readout(LENGTHS))]
    expected = {name: f"{name} {UNMARKED}" for name in OF_GROUP["plausibility"]}
    assert ask("plausibility", trainings, tmp_path, marked=False) == expected


def test_states_are_not_known_of_heads_nor_of_a_classifier_that_is_given():
    plain, heads = make_readout(LENGTHS), make_heads(LENGTHS)
    lack = "states under the attention, which are not known of mine"
    given = training_of(plain, classifier=ReadClassifier(folder="somewhere", max_length=8, labels={}))
    assert explain_states(training_of(plain), plain) == ""
    assert explain_states(training_of(heads), heads) == lack
    assert explain_states(given, plain) == lack


def test_an_audit_that_is_not_asked_has_the_suites_reason_and_is_not_computed(tmp_path, monkeypatch):
    def fail(readout, settings):
        raise AssertionError("nobody asked it")

    monkeypatch.setattr("attention_audit.audits.permutation.permutation", fail)
    unasked = {"permutation": "is not among the suite's audits"}
    reasons = ask("permutation", [training_of(make_heads(LENGTHS))], tmp_path, unasked=unasked)
    assert reasons == {"permutation": "permutation is not among the suite's audits", "heads": ""}


def test_what_one_training_lacks_is_no_reason_where_another_has_rows(tmp_path):
    trainings = [training_of(make_bare(LENGTHS), seed=1), training_of(make_readout(LENGTHS), seed=2)]
    assert ask("permutation", trainings, tmp_path)["permutation"] == ""
    rows = read_table(tmp_path / "permutation.parquet", KINDS["permutation"]).to_pandas()
    assert rows["seed"].tolist() == [2, 2]


def test_what_never_flips_is_null():
    columns = ranked_sets(make_readout([2, 2], 3), Erasure(seed=0))
    columns["fraction_removed"][0] = float("nan")
    answers = Answers("talks")
    answers.add(RANKED_SETS, columns, training_of(make_readout([2, 2], 3)))
    (rows,) = answers.tables["ranked_sets"]
    assert rows["fraction_removed"][0].as_py() is None
