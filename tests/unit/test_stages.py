"""Every stage, called in this process on tiny data: what they make of every audit, table and figure."""

import json
import re
from contextlib import chdir
from pathlib import Path
from string import ascii_lowercase

import classifiers_on_disk
import numpy as np
import pyarrow.parquet as pq
import pytest
from elsewhere import write_all
from in_process import make, make_exhibit, run_stage
from planned import (
    CLASSIFIERS_ALONE,
    SMALL,
    TRAINED,
    audit_of,
    judged_of,
    list_made,
    overlaid,
    plan_of,
    read_audit,
    read_made,
)
from rules import find_job, list_jobs

from attention_audit.artefacts.parquet import read_frame, read_reason, read_table, write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.weights import read_weights
from attention_audit.audits.comparison import consistency
from attention_audit.audits.settings import Permutation
from attention_audit.columns.files import READOUT, SEARCH
from attention_audit.columns.kinds import artefact
from attention_audit.corpus.sources.control import CUES
from attention_audit.plan.audits import (
    AUDITS,
    list_attending_runs,
    list_compared_runs,
    list_first_runs,
    list_predicting_runs,
    list_shown_runs,
)
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.params import list_keys
from attention_audit.plan.suites import SUITES
from attention_audit.readout import read_readout
from attention_audit.stages.audit_files import KINDS, AuditFiles

DATASET = "digest"
EACH = {"datasets": [DATASET, "diabetes"], "seeds": [1, 2]}
RECIPE = {"epochs": 1, "hidden": 8, "embedding": 8}
TINY = overlaid(
    SMALL,
    {
        "datasets": EACH["datasets"],
        "skip_unavailable": True,
        "guides": {"hidden": 8, "attention": 8},
        "adversary": {"continuation": {"steps": 2, "epochs": 1}},
        "serrano_smith": EACH | {"models": ["flan_none"], "recipes": {"flan": {"epochs": 1}}},
        "jain_wallace": EACH | {"models": ["average_tanh"], "recipe": RECIPE},
        "deception": EACH
        | {"models": ["base", "embedding", "bilstm"], "lambdas": [1.0], "anonymised": True}
        | {"epochs": 1, "hidden": 8, "embedding": 8},
        "diversity": EACH | {"models": ["vanilla_lstm", "diversity_lstm"], "recipe": RECIPE},
        "masking": EACH | {"percent": [50, 100]},
        "instance_adversary": {"steps": 5, "restarts": 2},
        "agreement": {"texts": 4, "steps": 3},
    },
)
"""All suites on one generated data set, and a data set that nobody has here."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Where the files lie that these tests share; each makes those that it needs."""
    return tmp_path_factory.mktemp("stages")


@pytest.fixture(scope="module")
def plan(place):
    """The plan of all suites."""
    with chdir(place):
        names = [f"LABEL_{number}" for number in range(len(CUES))]
        letters = [*ascii_lowercase, *(f"##{letter}" for letter in ascii_lowercase)]
        folders = [
            str(classifiers_on_disk.save(Path(f"classifier{seed}"), names=names, seed=seed, words=letters))
            for seed in (0, 1)
        ]
        hf = {DATASET: {"models": {"mine": folders}}}
        planned = plan_of(**TINY, own={"reviews": write_all(Path("given"))}, hf=hf)
        # its jobs are known from here on, wherever a test works
        list_jobs(planned)
        return planned


@pytest.fixture(autouse=True)
def _here(place):
    """Work there."""
    with chdir(place):
        yield


ASKED = [
    (audit.name, suite.name)
    for audit in AUDITS.values()
    for suite in TRAINED
    if not audit.generated and (suite.base or not audit.base)
]
"""Every audit with each suite that has what it needs."""


@pytest.mark.parametrize(("name", "suite"), ASKED)
def test_any_audit_writes_what_it_declares_of_any_suite(plan, name, suite):
    judged = judged_of(plan, suite, DATASET)
    columns, path = read_audit(plan, name, DATASET, judged.path_name), Path(plan.asked.locate(judged, name))
    if reason := plan.asked.find_reason(judged, AUDITS[name]):
        assert columns.empty
        assert read_reason(path) == f"{name} {reason}"
        return
    if name in ("cut_texts", "heads"):
        # none of these encoders is short of positions, and each has one head
        assert columns.empty
        said = "heads needs several heads of attention, and " if name == "heads" else ""
        assert read_reason(path).startswith(said)
        return
    assert len(columns) > 0
    assert set(columns["dataset"]) == {DATASET}
    assert read_reason(path) == ""
    if "model" in columns:
        own = {(judged.family, seed) for seed in judged.seeds}
        found = set(zip(columns["model"], columns["seed"], strict=True))
        match name:
            case "performance" | "predictions":
                assert found == {(run.model.family, run.seed) for run in list_predicting_runs(judged)}
            case "evidence":
                assert found == {(run.model.family, run.seed) for run in list_attending_runs(judged)}
            case "comparison":
                assert found == {(run.model.family, run.seed) for run in list_compared_runs(judged)[1:]}
            case "consistency":
                runs = [run for run in list_compared_runs(judged)[1:] if "dev" in run.model.splits]
                assert found == {(run.model.family, run.seed) for run in runs}
            case "stability" | "map_stability" | "attribution_stability":
                # a training is held against those before it
                assert found == own - {(judged.family, judged.seeds[0])}
            case "instance_adversary":
                assert found == {(run.model.family, run.seed) for run in list_first_runs(judged)}
            case "attention_maps":
                assert found == {(run.model.family, run.seed) for run in list_shown_runs(judged)}
            case "word_attributions":
                assert found == {(judged.family, judged.seeds[0])}
            case _:
                assert found == own


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_every_table_and_figure_is_made_of_its_files_alone(plan, exhibit):
    if not plan.exhibits.list_datasets(exhibit):
        # no paper has numbers of a generated text, no suite asks for soft erasure by itself, and none generates tokens
        assert exhibit.needs == ("published",) or exhibit.name in (
            "table_soft",
            "hf_table_generated",
            "hf_fig_generated",
        )
        return
    make_exhibit(plan, exhibit)
    # a csv file may be no more than its heading
    files = plan.exhibits.list_files(exhibit)
    assert all(Path(path).stat().st_size > (50 if path.endswith(".csv") else 150) for path in files)
    if exhibit.folder == "tables":
        path = Path(plan.exhibits.locate(exhibit, ".parquet"))
        assert read_table(path, artefact(exhibit.columns)).num_rows == pq.read_metadata(path).num_rows


@pytest.mark.parametrize(
    ("name", "gap"),
    [
        ("jw_table2_correlation", 18),
        ("wp_table2_uniform", 2),
        ("wp_table5_adversary", 1),
        ("ss_table_pairwise", 1),
    ],
)
def test_tables_end_with_the_data_sets_that_could_not_be_had(plan, name, gap):
    rows = read_made(plan, name)
    assert rows["dataset"].tolist() == [DATASET] * (len(rows) - gap) + ["diabetes"] * gap
    assert rows["mean"].notna().iloc[0]
    assert rows["note"].iloc[-gap:].str.startswith("not run: diabetes: mimic/").all()


@pytest.mark.parametrize(
    ("suite", "section"), [pytest.param("jw", "jain_wallace", marks=pytest.mark.whole), ("ss", "serrano_smith")]
)
def test_a_suite_alone_has_its_own_tables_and_what_all_share(tmp_path, suite, section):
    """Those that speak of all suites are made too, and say nothing of suites that are not run."""
    with chdir(tmp_path):
        others = {"diversity": {"datasets": []}, "masking": {"datasets": []}}
        plan = plan_of(**TINY | CLASSIFIERS_ALONE | others | {section: TINY[section]})
        made = list_made(plan)
        of_data = {"wp_table1_datasets"}
        shared = {
            "summary",
            "texts",
            "table_contributions",
            "controls",
            "instead",
            "fig_answer",
            "fig_answer_narrow",
            "fig_instead",
        }
        marked = {"table_plausibility", "fig_plausibility"}
        own = {
            each.name for each in EXHIBITS if each.suite == suite and each.needs != ("published",) and not each.by_name
        }
        assert made == own | of_data | shared | marked
        for exhibit in EXHIBITS:
            if exhibit.name in made - own:
                make_exhibit(plan, exhibit)
        assert set(read_made(plan, "summary")["paper"]) <= {SUITES[suite].paper, ""}


def test_a_search_leaves_its_steps_and_the_chosen_one_once_more(plan, tmp_path):
    with chdir(tmp_path):
        searched = find_job(plan, plan.trainings.made[f"{DATASET}/continuation", 10].locate("search"))
        make(plan, *searched.files)
        rows = read_table(Path(searched.outputs["search"][0]), SEARCH).to_pylist()
        assert [row["model"] for row in rows] == ["continuation_step1", "continuation_step2"]
        assert [row["step"] for row in rows] == [1, 2]
        (chosen,) = (place for place, row in enumerate(rows) if row["chosen"])
        assert [Path(path).parent.name for path in searched.outputs["weights"]] == [
            "continuation_step1", "continuation_step2", "continuation",
        ]  # fmt: skip
        *steps, copy = (read_weights(Path(path)) for path in searched.outputs["weights"])
        assert all(copy[name].equal(steps[chosen][name]) for name in copy)
        readouts = searched.outputs["readouts"]
        # of a step those of dev and test, of the chosen one that of train too
        theirs, ours = (read_table(Path(readouts[place]), READOUT) for place in (2 * chosen + 1, -1))
        assert ours.equals(theirs)
        # what the search says of dev is what the readouts say
        base = read_readout(Path(searched.inputs["reference"][1]))
        for place, row in enumerate(rows):
            moved = consistency(base, read_readout(Path(readouts[2 * place])), Permutation(permutations=2, seed=1))
            assert (row["tvd"], row["jsd"]) == pytest.approx((moved["tvd"][0], moved["jsd"][0]), abs=1e-5)


def test_audits_name_the_lambdas_that_a_search_used(plan):
    rows = read_audit(plan, "performance", DATASET, "base")
    search = read_frame(Path(f"results/models/{DATASET}/continuation/seed10.search.parquet"), SEARCH)
    for model, expected in (("continuation", search), ("continuation_chosen", search[search["chosen"]])):
        assert set(rows.loc[rows["model"] == model, "lambda"]) == set(expected["lambda"])


@pytest.mark.parametrize(
    ("audit", "models"), [("permutation", ["lstm_tanh"]), ("located", ["lstm_tanh", "average_tanh"])]
)
def test_two_suites_say_the_same_of_one_training_each_by_its_own_name(tmp_path, audit, models):
    """They read one readout, or run one network: lstm_tanh is built and trained as Wiegreffe & Pinter's base model."""
    section = {"models": models, "seeds": [50], "recipe": {"ties": "first"}}
    same = {"model": {"encoder": "bilstm", "attention": "additive"}, "jain_wallace": section}
    with chdir(tmp_path):
        plan = plan_of(**overlaid(TINY, same))
        ours, theirs = (read_audit(plan, audit, DATASET, model) for model in ("base", "lstm_tanh"))
        assert not Path(f"results/readouts/{DATASET}/lstm_tanh").exists()
    assert {*zip(theirs["model"], theirs["seed"], strict=True)} == {("lstm_tanh", 50)}
    assert {("base", 10), ("base", 50)} <= {*zip(ours["model"], ours["seed"], strict=True)}
    same = ours[(ours["model"] == "base") & (ours["seed"] == 50)].drop(columns="model").reset_index(drop=True)
    assert theirs.drop(columns="model").equals(same)


PARTS = (
    "permutation",
    "contributions",
    "single_weight",
    "ranked_sets",
    "shuffles",
    "evidence",
    "plausibility",
    "planted",
)
"""Audits that are asked of a part of a readout at a time, and of models of one head."""


@pytest.mark.parametrize("audit", PARTS)
def test_an_audit_holds_a_part_of_a_readout_at_a_time_and_says_the_same(plan, audit, tmp_path, monkeypatch):
    """Readouts are written in several parts, and each is asked by itself."""
    suite = "wp" if audit in ("evidence", "plausibility") else "ss"
    whole = read_audit(plan, audit, DATASET, judged_of(plan, suite, DATASET).path_name)
    job = audit_of(plan, audit, suite, DATASET)
    inputs = job.inputs | {"readouts": [*job.inputs["readouts"]]}
    monkeypatch.setattr("attention_audit.artefacts.parquet.GROUP", 1)
    for number, readout in enumerate(inputs["readouts"]):
        table = read_table(Path(readout), READOUT)
        parts = [table.slice(0, 7), table.slice(7, 1), table.slice(8)]
        inputs["readouts"][number] = str(tmp_path / f"{number}.parquet")
        write_batches(tmp_path / f"{number}.parquet", READOUT, parts, Provenance("test", {}, ""))
    sizes, store = [], AuditFiles.store

    def count_rows(files, kind, rows):
        if kind.name == audit:
            sizes.append(len(set(rows["id"].to_pylist())))
        store(files, kind, rows)

    monkeypatch.setattr(AuditFiles, "store", count_rows)
    run_stage(job.call.stage, job.settings, inputs, {name: [str(tmp_path / name)] for name in job.outputs})
    asked = [about for about in job.settings.trainings if about.judged or audit == "evidence"]
    assert sizes == [7, 1, 16] * len(asked)
    again = read_frame(tmp_path / audit, KINDS[audit])
    keys = [
        name
        for name in ("model", "seed", "id", "ranking", "draw", "shuffle", "annotator", "attribution")
        if name in whole
    ]
    again, whole = (frame.sort_values(keys, ignore_index=True) for frame in (again, whole))
    assert again[keys].equals(whole[keys])
    for name in whole.select_dtypes("number"):
        np.testing.assert_allclose(again[name], whole[name], rtol=1e-6, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("suite", [suite.name for suite in TRAINED])
def test_an_audit_that_a_suite_is_not_asked_has_no_rows_and_says_why(plan, suite):
    judged = judged_of(plan, suite, DATASET)
    unasked = "evidence" if suite == "ss" else "planted"
    assert read_audit(plan, unasked, DATASET, judged.path_name).empty
    assert read_reason(Path(plan.asked.locate(judged, unasked))) == f"{unasked} is not among the suite's audits"


def test_settings_of_jobs_are_the_same_after_a_command_line(plan):
    for job in list_jobs(plan).values():
        assert type(job.settings).model_validate(json.loads(job.settings.model_dump_json())) == job.settings


def test_a_rule_is_told_the_settings_of_its_stage_and_no_others(plan):
    for job in list_jobs(plan).values():
        told = {key for key in job.params if key.startswith("set_")}
        keys = {f"set_{key.replace('.', '_')}" for key in list_keys(type(job.settings))}
        # those of a dictionary are told one by one, too
        assert keys <= told, job.rule
        assert all(re.match("set_(config|settings)_", key) for key in told - keys), job.rule
