"""Suite `own`: what a configuration of readouts from elsewhere asks for, and how they are imported."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from elsewhere import CLASSES, made, write_all
from in_process import make, make_exhibit
from PIL import Image
from planned import (
    CLASSIFIERS_ALONE,
    PLACES,
    asked_models,
    asked_of,
    audit_of,
    judged_of,
    list_seeds,
    name_run,
    plan_of,
    read_audit,
    read_made,
    refuse_plan,
    unmade,
)
from readouts import make_readout
from refusal import refusal
from rules import list_jobs

from attention_audit.artefacts.parquet import read_frame, read_reason, write_batches
from attention_audit.audits.permutation import heads
from attention_audit.audits.settings import Permutation
from attention_audit.columns.files import CENSUS, CORPUS, VOCABULARY
from attention_audit.errors import AuditError
from attention_audit.given.files import write_given_readout
from attention_audit.plan.audits import list_compared_runs
from attention_audit.plan.exhibits import EXHIBITS, FIGURES
from attention_audit.plan.suites import SUITES
from attention_audit.readout import Maps, read_readout


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """Have the test in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def write_entry():
    """The entry of two trainings of a model, its twin and an adversary, whose files are written here."""
    return write_all(Path("given"), texts=12)


def planned(**own):
    """The plan of readouts alone."""
    return plan_of(**CLASSIFIERS_ALONE, own=own)


def refuse(line, **own):
    refuse_plan(line, **CLASSIFIERS_ALONE, own=own)


@pytest.fixture
def plan():
    """Two trainings of a model, its twin and an adversary."""
    return planned(reviews=write_entry())


def test_what_the_readouts_hold_is_said_before_the_run(plan):
    lengths = sorted(map(len, made(1, texts=12).tokens))
    middle = (lengths[5] + lengths[6]) / 2
    assert plan.read == [
        f"reviews: 12 texts, all of them for the test, {len(CLASSES)} classes; {middle:.0f} words a text (median), "
        f"{lengths[-1]} in the longest"
    ]
    few = "reviews: 12 test texts are too few for a verdict on any claim: 100 are needed"
    assert few in plan.oddities


def test_trainings_are_numbered_in_the_order_of_their_files(plan):
    seeds = {"reviews/own_mine": (1, 2), "reviews/own_uniform": (1,), "reviews/own_adversaries": (1,)}
    assert list_seeds(plan) == seeds
    jobs = {name: job for name, job in list_jobs(plan).items() if name.startswith("import_readout/")}
    assert {*jobs} == {f"import_readout/{name}/{seed}" for name, several in seeds.items() for seed in several}
    given = [jobs[f"import_readout/reviews/own_mine/{seed}"].inputs["given"] for seed in (1, 2)]
    assert given == [["given/first.parquet"], ["given/second.npz"]]
    assert {*(job.inputs["beside"][0] for job in jobs.values())} == {"given/first.parquet"}
    assert {path for job in list_jobs(plan).values() for path in job.files if "/own_mine/seed" in path} == {
        f"results/readouts/reviews/own_mine/seed{seed}/test.parquet" for seed in (1, 2)
    }


def test_all_that_needs_no_network_is_asked(plan):
    (asked,) = plan.asked.by_model.values()
    assert [audit.name for audit in asked] == [*SUITES["own"].audits]
    (subject,) = plan.exhibits.list_subjects()
    assert (subject.model, subject.seeds, subject.given, subject.items) == ("mine", 2, True, "words")
    assert (subject.contrasts.uniform, subject.contrasts.adversaries) == ("uniform", ["adversaries"])
    assert subject.unasked == {
        name: f"{name} needs a network that can be run again, and of mine only readouts are given"
        for name in ("located", "replaced", "soft", "plausible_words")
    }
    line, own = (
        r"^audits\.own: located needs a network .* only readouts are given; leave it",
        plan.config.own["reviews"],
    )
    refuse_plan(line, **CLASSIFIERS_ALONE, own={"reviews": own.model_dump()}, audits={"own": ["located"]})
    # there is no development split, so that the adversary is chosen on test
    job = audit_of(plan, "consistency", "own", "reviews")
    assert {Path(path).name for path in (*job.inputs["readouts"], *job.inputs["dev"])} == {"test.parquet"}
    assert {about.consistent_on for about in job.settings.trainings} == {"test"}


def bare(number, texts=12, name="rollout"):
    """A training of which attention and another map, its square, are known, and one that counts the words."""
    given = made(number, texts)
    nothing = [np.empty((len(words), 0)) for words in given.tokens]
    maps = {name: [row**2 for row in given.attention], "loo": [np.arange(len(row)) - 3.0 for row in given.attention]}
    return replace(given, contribution=nothing, bias=np.empty((texts, 0)), maps=maps)


def test_a_map_without_contributions_is_asked_what_needs_no_other_weights():
    paths = [f"bare{number}.{ending}" for number, ending in ((1, "npz"), (2, "parquet"))]
    for number, path in enumerate(paths, start=1):
        write_given_readout(bare(number), Path(path))
    plan = planned(reviews={"models": {"mine": paths}})
    why = "permutation needs predictions that follow from the weights, which those of mine are not known to do"
    for exhibit in EXHIBITS:
        if exhibit.name in ("texts", "own_fig_attention_maps", "own_fig_permutation"):
            make_exhibit(plan, exhibit)
    assert read_reason(Path(PLACES.audit_file("reviews", "own_mine", "permutation"))) == why
    with Image.open("results/figures/own_fig_permutation.png") as image:
        assert json.loads(image.info["Description"])["settings"]["reason"] == why
    row = read_made(plan, "summary").iloc[0]
    assert row["used_zones"] == row["ranks_zones"] == row["signed_zones"] == "-"
    assert row["used_reason"] == why
    assert row["located_reason"] == "located needs a network that can be run again, and of mine only readouts are given"
    assert row["stable_trainings"] == 2
    assert row["plausibility_value"] > row["plausibility_random"]
    held = read_made(plan, "own_table_maps")
    found = {metric: cells.set_index("ranking")["mean"] for metric, cells in held.groupby("metric")}
    # the map that counts words is the same in both trainings, and the square has the order of attention
    assert list(found["rank_stability"].index) == ["loo", "attention", "rollout"]
    assert found["rank_stability"].iloc[0] == pytest.approx(1)
    assert found["rank_stability"].iloc[2] == pytest.approx(found["rank_stability"].iloc[1])
    assert found["auprc"]["rollout"] == pytest.approx(row["plausibility_value"])
    assert "located" not in found


def test_a_class_that_no_text_is_of_keeps_its_number():
    given = replace(bare(1), labels=np.tile([0, 2], 6), probabilities=np.tile([0.2, 0.3, 0.5], (12, 1)))
    write_given_readout(given, Path("bare.npz"))
    census = PLACES.corpus_file("reviews", "census")
    make(planned(reviews={"models": {"mine": ["bare.npz"]}}), census)
    assert [*read_frame(Path(census), CENSUS)["label_name"]] == [*"012"]


def test_a_map_without_a_label_is_shown_by_its_own_name():
    write_given_readout(bare(1, name="by_place"), Path("first.npz"))
    write_given_readout(bare(2, name="by_place"), Path("second.npz"))
    plan = planned(reviews={"models": {"mine": ["first.npz", "second.npz"]}})
    assert "by_place" in {*read_made(plan, "own_table_maps")["ranking"]}
    assert "| by_place" in Path("results/tables/own_table_maps.md").read_text().replace("mine, by_place", "| by_place")


def test_data_sets_have_models_of_their_own():
    entry = write_entry()
    plan = planned(reviews=entry, talks={"models": {"small": ["given/second.npz"], "large": ["given/first.parquet"]}})
    data = plan.scope.find_data("own", "talks")
    assert {*plan.scope.list_looks(data.suite)} == {"mine", "small", "large", "uniform", "adversaries"}
    assert [judged.path_name for judged in data.judged] == ["own_small", "own_large"]
    assert (name_run(data.base), data.shown) == (("small", 1), None)
    talks, reviews = (
        [*map(name_run, list_compared_runs(judged_of(plan, "own", name)))] for name in ("talks", "reviews")
    )
    assert talks == [("small", 1)]
    assert reviews == [("mine", 1), ("mine", 2), ("uniform", 1), ("adversaries", 1)]
    asked = asked_of(plan, "own", "talks")
    # of one training and no twin or adversary, there is nothing to compare
    assert {*data.suite.audits} - asked == {"comparison", "consistency", "stability", "map_stability"}
    assert plan.exhibits.list_datasets(FIGURES["own_fig_tvd_jsd"]) == ["reviews"]
    contrasts = {(subject.model, subject.contrasts is not None) for subject in plan.exhibits.list_subjects()}
    assert contrasts == {("mine", True), ("small", True), ("large", False)}
    assert unmade(plan) == set()
    # what shows a whole suite is made once of a data set
    assert asked_models(plan, "attention_maps") == ["own_mine", "own_small"]


@pytest.mark.parametrize(
    ("own", "line"),
    [
        ({"reviews": {"models": {}}}, r"own\.reviews\.models: dictionary should have at least 1 item"),
        ({"reviews": {"models": {"mine": []}}}, r"own\.reviews\.models: 'mine' has no path; name one for each"),
        ({"reviews": {"models": {"mine": ["a.csv"]}}}, r"own\.reviews: 'a\.csv' does not end in \.parquet or \.npz"),
        ({"reviews": {"models": {"mine": ["a.npz", "a.npz"]}}}, r"own\.reviews: duplicate file 'a\.npz'"),
        (
            {"reviews": {"models": {"uniform": ["a.npz"]}}},
            r"own\.reviews\.models: 'uniform' is no model in question; use the key `uniform` beside `models`",
        ),
        ({"sst": {"models": {"mine": ["a.npz"]}}}, r"own\.sst: 'sst' is the name of another data set in `corpora`"),
    ],
)
def test_a_wrong_entry_is_one_line_that_names_the_key(own, line):
    refuse(f"config: {line}", **own)


def test_a_file_that_is_not_there_is_one_line():
    entry = write_entry()
    for files, line in (
        (["given/first.parquet", "given/third.npz"], r"^reviews, mine: given/third\.npz is not here; put it there, or"),
        (["given/zero.npz"], r"^reviews: given/zero\.npz is not here"),
    ):
        refuse(line, reviews=entry | {"models": {"mine": files}})


def test_the_corpus_is_that_of_the_first_file(plan):
    kinds = {"corpus": CORPUS, "census": CENSUS, "vocabulary": VOCABULARY}
    paths = [PLACES.corpus_file("reviews", name) for name in kinds]
    make(plan, *paths)
    corpus, census, vocabulary = map(read_frame, map(Path, paths), kinds.values())
    given = made(1, 12)
    assert corpus["id"].tolist() == given.ids
    assert [list(words) for words in corpus["tokens"]] == given.tokens
    assert corpus["label_name"].tolist() == [CLASSES[label] for label in given.labels]
    assert [None if e is None else list(e) for e in corpus["evidence"]] == given.evidence
    assert set(corpus["split"]) == set(census["split"]) == {"test"}
    # nothing is trained on them, so no word has a row of an embedding
    assert vocabulary["word"].tolist() == ["<pad>", "<unk>", "<sos>", "<eos>"]


def test_how_a_given_model_was_selected_is_not_known(plan):
    assert set(read_audit(plan, "performance", "reviews", "own_mine")["selection"]) == {"unknown"}


def test_texts_in_another_order_are_put_in_that_of_the_first():
    from test_given import rows_of

    entry, second = write_entry(), made(2, 12)
    write_given_readout(rows_of(second, [*range(11, -1, -1)]), Path("given/second.npz"))
    plan = planned(reviews=entry)
    path = plan.trainings.made["reviews/own_mine", 2].locate_readout()
    make(plan, path)
    read = read_readout(Path(path))
    assert read.ids == second.ids
    assert read.attention[0] == pytest.approx(second.attention[0], abs=1e-6)


def test_a_training_of_other_texts_ends_in_one_line():
    entry = write_entry()
    write_given_readout(made(2, 6), Path("given/second.npz"))
    line = (
        r"^given/second\.npz: text 'text-6', column id: is missing and 5 more, of 12 texts of given/first\.parquet; "
        "give every training the same texts$"
    )
    refuse(line, reviews=entry)
    # and where a file becomes another while the run goes on
    write_given_readout(made(2, 12), Path("given/second.npz"))
    plan = planned(reviews=entry)
    write_given_readout(made(2, 6), Path("given/second.npz"))
    with pytest.raises(AuditError, match=line):
        make(plan, plan.trainings.made["reviews/own_mine", 2].locate_readout())


def test_names_of_classes_must_be_as_many_as_there_are():
    entry = write_entry() | {"classes": ["a", "b", "c"]}
    line = r"^own\.reviews\.classes: has 3 names for 2 classes; name each, in their order$"
    refuse(line, reviews=entry)


def test_nothing_can_be_trained_on_readouts():
    entry = write_entry()
    line = "config: jain_wallace.datasets: of 'reviews' there is a test split alone, and nothing to train on"
    refuse_plan(line, **CLASSIFIERS_ALONE | {"jain_wallace": {"datasets": ["reviews"]}}, own={"reviews": entry})


def test_each_head_of_a_given_map_has_rows_and_one_map_a_note():
    write_given_readout(made(1, 30, heads=3), Path("heads.npz"))
    write_given_readout(made(2, 30), Path("one.npz"))
    plan = planned(reviews={"models": {"several": ["heads.npz"], "one": ["one.npz"]}})
    rows, shown = read_audit(plan, "heads", "reviews", "own_several"), read_made(plan, "own_table_heads")
    assert rows.groupby(["model", "head"])["id"].nunique().to_dict() == {("several", head): 30 for head in (1, 2, 3)}
    notes = dict(zip(zip(shown["model"], shown["ranking"], strict=True), shown["note"], strict=True))
    heads = [("several", head) for head in ("all_heads", "head_1", "head_2", "head_3")]
    assert notes == dict.fromkeys(heads, "") | {("one", ""): "one map is given of it, and no heads"}
    assert shown["mean"].notna().all()


@pytest.fixture
def of_heads():
    """Texts of two items with maps of two heads, of which the mean decides by two outputs."""
    readout = make_readout([2] * 6, outputs=2)
    random = np.random.default_rng(4)
    maps = [random.dirichlet(np.ones(2), 2).T.astype(np.float32) for _ in range(6)]
    seen = [weights.mean(1) for weights in maps]
    return replace(readout, attention=seen, probabilities=readout.predict(seen), several=Maps(maps, np.zeros(6, int)))


def test_items_are_erased_in_the_order_of_one_head(of_heads):
    columns = heads(of_heads, Permutation(permutations=2, seed=1))
    gone = pd.DataFrame(columns).set_index(["id", "head"])["fraction_removed"]
    for text, weights in enumerate(of_heads.several.weights):
        z, bias = of_heads.contribution[text], of_heads.bias[text]
        own = (of_heads.attention[text] @ z + bias).argmax()
        for head in (0, 1):
            top = int(weights[:, head].argmax())
            # what is left has all the weight; of nothing, the bias decides
            flips = [(z[1 - top] + bias).argmax() != own, bias.argmax() != own]
            expected = 0.5 if flips[0] else 1.0 if flips[1] else np.nan
            assert gone[f"text-{text}", head + 1] == pytest.approx(expected, nan_ok=True)


def test_a_readout_of_heads_survives_its_file(of_heads, provenance):
    path = Path("test.parquet")
    write_batches(path, of_heads.kind, of_heads.tables(), provenance)
    again = read_readout(path).align(of_heads.ids[::-1])
    np.testing.assert_array_equal(again.several.weights[0], of_heads.several.weights[-1])
    weights = of_heads.several.weights
    short = Maps([*weights[:2], weights[2][:1], *weights[3:]], of_heads.several.marks)
    wrong = replace(of_heads, several=short)
    write_batches(path, wrong.kind, wrong.tables(), provenance)
    assert "column heads of text 'text-2' has 2 values, where 4 fit" in refusal(read_readout, path)
