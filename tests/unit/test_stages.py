"""Every stage, called in this process on tiny data: what the generic ones make of every audit, table and figure."""

import json
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import classifiers_on_disk
import numpy as np
import pyarrow.parquet as pq
import pytest
from elsewhere import write_all
from in_process import job_of, make, make_audit, make_exhibit, making, run_stage
from planned import PLACES, TRAINED, by_name, judged_of, plan_alone, plan_of

from attention_audit.artefacts.parquet import read_frame, read_provenance, read_reason, read_table, write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.weights import read_weights
from attention_audit.audits.comparison import consistency
from attention_audit.columns.files import READOUT, SEARCH
from attention_audit.columns.kinds import artefact
from attention_audit.columns.tables import TABLE
from attention_audit.corpus.sources.control import CUES
from attention_audit.errors import AuditError
from attention_audit.plan.audits import AUDITS, audit_named
from attention_audit.plan.exhibits import EXHIBITS, TABLES, Exhibit, Table
from attention_audit.plan.plan import Plan
from attention_audit.readout import read_readout
from attention_audit.stages.audits import AuditRunner

DATASET = "digest"
TINY: dict[str, Any] = {
    "datasets": [DATASET, "diabetes"],
    "skip_unavailable": True,
    "corpora": {DATASET: {"texts": {"train": 48, "dev": 24, "test": 24}}},
    "model": {"encoder": "conv", "attention": "dot", "embedding": 8, "hidden": 8, "attention_hidden": 8},
    "training": {"further_seeds": [50], "epochs": 1},
    "guides": {"hidden": 8, "attention": 8},
    "adversary": {"lambdas": [0.01], "epochs": 1, "patience": 1, "continuation": {"steps": 2, "epochs": 1}},
    "serrano_smith": {
        "datasets": [DATASET, "diabetes"],
        "models": ["flan_none"],
        "seeds": [1, 2],
        "hidden": 8,
        "attention": 8,
        "embedding": 8,
        "recipes": {"flan": {"epochs": 1}},
    },
    "jain_wallace": {
        "datasets": [DATASET, "diabetes"],
        "models": ["average_tanh"],
        "seeds": [1, 2],
        "recipe": {"epochs": 1, "hidden": 8, "embedding": 8},
    },
    "deception": {"datasets": [DATASET, "diabetes"], "seeds": [1, 2], "epochs": 1},
    "diversity": {
        "datasets": [DATASET, "diabetes"],
        "models": ["vanilla_lstm", "diversity_lstm"],
        "seeds": [1, 2],
        "recipe": {"epochs": 1, "hidden": 8, "embedding": 8},
    },
    "masking": {"datasets": [DATASET, "diabetes"], "percent": [50, 100], "seeds": [1, 2]},
    "instance_adversary": {"steps": 5, "restarts": 2},
    "agreement": {"texts": 4, "steps": 3},
}
"""All suites on one generated data set, and a data set that nobody has here."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files lie that these tests share; each makes those that it needs."""
    return tmp_path_factory.mktemp("stages")


@pytest.fixture(scope="module")
def plan(place: Path) -> Plan:
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
        making(planned, f"{planned.config.results}/README.md")
        return planned


@pytest.fixture
def here(place: Path) -> Iterator[None]:
    """Work there."""
    with chdir(place):
        yield


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("suite", [suite.name for suite in TRAINED])
@pytest.mark.parametrize("audit", AUDITS.values(), ids=lambda audit: audit.name)
def test_any_audit_writes_what_it_declares_of_any_suite(plan: Plan, audit: Any, suite: str) -> None:
    judged = judged_of(plan, suite, DATASET)
    if "base" in audit.needs and not judged.suite.base:
        with pytest.raises(AuditError, match=f"{audit.name} needs a base model"):
            plan.auditing.refuse(audit.name, judged.name, DATASET)
        return
    path = plan.auditing.locate(judged, audit.name)
    make(plan, path)
    columns = read_frame(Path(path), artefact(audit.columns))
    if audit.name in ("cut_texts", "heads"):
        # none of these encoders is short of positions, and each has one head
        assert columns.empty
        said = "heads needs several heads of attention, and " if audit.name == "heads" else ""
        assert read_reason(Path(path)).startswith(said)
        return
    assert len(columns) > 0
    assert set(columns["dataset"]) == {DATASET}
    assert {"dataset", "model", "seed"} <= set(columns) or audit.takes == "suite"
    if "model" in columns and audit.takes != "suite":
        models = plan.scope.models(judged.suite, DATASET)
        runs = [run for _, run in plan.auditing.list_pairs(judged, audit)]
        expected = {(models[run.model].family, run.seed) for run in runs}
        if audit.name == "attribution_stability":
            # a training is held against those before it
            expected -= {(judged.model.family, judged.model.seeds[0])}
        assert set(zip(columns["model"], columns["seed"], strict=True)) == expected


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_every_table_and_figure_is_made_of_its_files_alone(plan: Plan, exhibit: Exhibit) -> None:
    if plan.exhibiting.find_reason(exhibit):
        # no paper has numbers of a generated text, and no suite asks for soft erasure by itself
        assert exhibit.needs == ("published",) or exhibit.name == "table_soft"
        return
    make_exhibit(plan, exhibit)
    # a csv file may be no more than its heading
    files = plan.exhibiting.list_files(exhibit)
    assert all(Path(path).stat().st_size > (50 if path.endswith(".csv") else 150) for path in files)
    if isinstance(exhibit, Table):
        path = Path(plan.exhibiting.locate(exhibit, ".parquet"))
        assert read_table(path, artefact(exhibit.columns)).num_rows == pq.read_metadata(path).num_rows


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "gap"),
    [
        ("jw_table2_correlation", 18),
        ("wp_table2_uniform", 2),
        ("wp_table5_adversary", 1),
        ("ss_table_pairwise", 1),
    ],
)
def test_tables_end_with_the_data_sets_that_could_not_be_had(plan: Plan, name: str, gap: int) -> None:
    table = next(table for table in TABLES.values() if table.name == name)
    make_exhibit(plan, table)
    rows = read_frame(Path(plan.exhibiting.locate(table, ".parquet")), TABLE)
    assert rows["dataset"].tolist() == [DATASET] * (len(rows) - gap) + ["diabetes"] * gap
    assert rows["mean"].notna().iloc[0]
    assert rows["note"].iloc[-gap:].str.startswith("not run: diabetes: mimic/").all()


@pytest.mark.parametrize(
    ("changes", "prefix"),
    [
        ({"jain_wallace": TINY["jain_wallace"], "datasets": [], "serrano_smith": {"datasets": []}}, "jw_"),
        ({"serrano_smith": TINY["serrano_smith"], "datasets": [], "jain_wallace": {"datasets": []}}, "ss_"),
    ],
    ids=["jw", "ss"],
)
def test_a_suite_alone_has_its_own_tables_and_what_all_share(
    tmp_path: Path, changes: dict[str, Any], prefix: str
) -> None:
    """Those that speak of all suites are made too, and say nothing of suites that are not run."""
    with chdir(tmp_path):
        plan = plan_of(**TINY | {name: {"datasets": []} for name in ("deception", "diversity", "masking")} | changes)
        made = [exhibit for folder in ("figures", "tables") for exhibit in plan.exhibiting.list_made(folder)]
        of_data = {"wp_table1_datasets"}
        shared = {"summary", "texts", "table_contributions", "controls", "instead", "fig_answer", "fig_instead"}
        marked = {"table_plausibility", "fig_plausibility"}
        own = {each.name for each in EXHIBITS if each.suite == prefix[:2] and each.needs != ("published",)}
        assert {exhibit.name for exhibit in made} == own | of_data | shared | marked
        # figures may be drawn of tables
        for exhibit in sorted(made, key=lambda exhibit: exhibit.folder, reverse=True):
            if exhibit.name in shared | of_data | marked:
                make_exhibit(plan, exhibit)
        summary = read_frame(Path("results/tables/summary.parquet"), artefact("columns.tables:SUMMARY"))
        assert set(summary["paper"]) <= {plan.scope.find_suite(prefix[:2]).paper, ""}


def test_a_search_leaves_its_steps_and_the_chosen_one_once_more(plan: Plan, tmp_path: Path) -> None:
    with chdir(tmp_path):
        searched = plan.trainings.plan_training(f"{DATASET}/continuation", 10)
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
            moved = consistency(base, read_readout(Path(readouts[2 * place])), permutations=2, seed=1)
            assert (row["tvd"], row["jsd"]) == pytest.approx((moved["tvd"][0], moved["jsd"][0]), abs=1e-5)


@pytest.mark.usefixtures("here")
def test_audits_name_the_lambdas_that_a_search_used(plan: Plan) -> None:
    path = PLACES.audit_file(DATASET, "base", "performance")
    make(plan, path)
    rows = read_frame(Path(path), artefact("columns.audits:PERFORMANCE"))
    search = read_frame(Path(f"results/models/{DATASET}/continuation/seed10.search.parquet"), SEARCH)
    for model, expected in (("continuation", search), ("continuation_chosen", search[search["chosen"]])):
        assert set(rows.loc[rows["model"] == model, "lambda"]) == set(expected["lambda"])


def sharing_with(*models: str) -> dict[str, Any]:
    """A configuration with these models of Jain & Wallace, of which lstm_tanh is Wiegreffe & Pinter's base model."""
    recipe = TINY["jain_wallace"]["recipe"] | {"ties": "first"}
    section = TINY["jain_wallace"] | {"models": [*models], "seeds": [50], "recipe": recipe}
    base = {"model": TINY["model"] | {"encoder": "bilstm", "attention": "additive"}}
    return TINY | base | {"jain_wallace": section}


@pytest.mark.parametrize(
    ("audit", "models"), [("permutation", ["lstm_tanh"]), ("located", ["lstm_tanh", "average_tanh"])]
)
def test_two_suites_say_the_same_of_one_training_each_by_its_own_name(
    tmp_path: Path, audit: str, models: list[str]
) -> None:
    """They read one readout, or run one network."""
    columns = artefact(audit_named(audit).columns)
    with chdir(tmp_path):
        plan = plan_of(**sharing_with(*models))
        paths = [PLACES.audit_file(DATASET, model, audit) for model in ("base", "lstm_tanh")]
        make(plan, *paths)
        assert not Path(f"results/readouts/{DATASET}/lstm_tanh").exists()
        ours, theirs = (read_frame(Path(path), columns) for path in paths)
    assert {*zip(theirs["model"], theirs["seed"], strict=True)} == {("lstm_tanh", 50)}
    assert {("base", 10), ("base", 50)} <= {*zip(ours["model"], ours["seed"], strict=True)}
    same = ours[(ours["model"] == "base") & (ours["seed"] == 50)].drop(columns="model").reset_index(drop=True)
    assert theirs.drop(columns="model").equals(same)


PARTS = [audit.name for audit in AUDITS.values() if audit.takes == "batch" and "heads" not in audit.needs]
"""Audits that are asked of a part of a readout at a time, and of models of one head."""


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("audit", PARTS)
def test_an_audit_holds_a_part_of_a_readout_at_a_time_and_says_the_same(
    plan: Plan, audit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readouts are written in several parts, and each is asked by itself."""
    path = plan.auditing.locate(judged_of(plan, "ss", DATASET), audit)
    make(plan, path)
    planned = plan_alone(plan, audit, "ss", DATASET)
    inputs = planned.inputs | {"readouts": [*planned.inputs["readouts"]]}
    monkeypatch.setattr("attention_audit.artefacts.parquet.GROUP", 1)
    for number, readout in enumerate(inputs["readouts"]):
        table = read_table(Path(readout), READOUT)
        parts = [table.slice(0, 7), table.slice(7, 1), table.slice(8)]
        inputs["readouts"][number] = str(tmp_path / f"{number}.parquet")
        write_batches(tmp_path / f"{number}.parquet", READOUT, parts, Provenance("test", {}, ""))
    sizes: list[int] = []
    called = AuditRunner.call

    def spied(runner: AuditRunner, *first: Any, **run: Any) -> Any:
        sizes.extend(len(part) for part in first)
        return called(runner, *first, **run)

    monkeypatch.setattr(AuditRunner, "call", spied)
    outputs = {audit: [str(tmp_path / "again.parquet")]}
    job, _ = job_of("audits", planned.settings, inputs, outputs)
    runner = AuditRunner(job, *job.settings.audits)
    runner.write(runner.ask())
    assert sizes == [7, 1, 16] * len(inputs["readouts"])
    columns = artefact(audit_named(audit).columns)
    again, whole = (read_frame(file, columns) for file in (tmp_path / "again.parquet", Path(path)))
    keys = [name for name in ("model", "seed", "id", "ranking", "draw") if name in whole]
    again, whole = (frame.sort_values(keys, ignore_index=True) for frame in (again, whole))
    assert again[keys].equals(whole[keys])
    for name in whole.select_dtypes("number"):
        np.testing.assert_allclose(again[name], whole[name], rtol=1e-6, atol=1e-9, err_msg=name)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("suite", [suite.name for suite in TRAINED])
def test_an_audit_says_the_same_by_itself_and_with_others(plan: Plan, tmp_path: Path, suite: str) -> None:
    """And those of its rule that the suite is not asked have no rows, and say why."""
    judged = judged_of(plan, suite, DATASET)
    job = by_name(plan.auditing.plan_jobs())[f"erasure/{DATASET}/{judged.name}"]
    names = ("contributions", "single_weight", "ranked_sets", "shuffles")
    unasked = "evidence" if suite == "ss" else "planted"
    make(plan, *job.read, *(plan.auditing.locate(judged, name) for name in names))
    alone = {name: Path(plan.auditing.locate(judged, name)).resolve() for name in names}
    run_stage("audits", job.settings, job.inputs, {name: [str(tmp_path / f"{name}.parquet")] for name in names})
    for name in names:
        kind = artefact(audit_named(name).columns)
        assert read_table(tmp_path / f"{name}.parquet", kind).equals(read_table(alone[name], kind)), name
    further = audit_named(unasked)
    job = plan.auditing.plan_rule(judged, further.rule, [audit_named("plausibility")], [further])
    make(plan, *job.read)
    run_stage("audits", job.settings, job.inputs, {name: [str(tmp_path / f"{name}.parquet")] for name in job.outputs})
    assert read_table(tmp_path / f"{unasked}.parquet", artefact(further.columns)).num_rows == 0
    said = "is not among the suite's audits"
    assert read_provenance(tmp_path / f"{unasked}.parquet")["settings"]["reason"] == said


@pytest.mark.usefixtures("here")
def test_a_parameter_that_nothing_is_offered_for_is_one_line_unless_it_has_a_default(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    from attention_audit.audits import permutation as module

    original = module.permutation

    def heated(readout: Any, settings: module.Permutation, seed: int, temperature: float = 1.0) -> dict[str, Any]:
        assert temperature == 1
        return original(readout, settings, seed)

    monkeypatch.setattr(module, "permutation", heated)
    make_audit(plan, DATASET, "ss", "permutation")
    heated.__defaults__ = None
    line = r"^audits\.permutation:permutation: nothing is offered for its parameter 'temperature' \(offered: .*seed.*\)"
    with pytest.raises(AuditError, match=line):
        make_audit(plan, DATASET, "ss", "permutation")


@pytest.mark.usefixtures("here")
def test_settings_of_jobs_are_the_same_after_a_command_line(plan: Plan) -> None:
    jobs = [job.settings for job in plan.plan_jobs()]
    for job in jobs:
        assert type(job).model_validate(json.loads(job.model_dump_json())) == job
