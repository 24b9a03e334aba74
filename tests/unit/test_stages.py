"""Every stage, called in this process on tiny data: what the generic ones make of every audit, table and figure."""

import json
import os
import re
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
from planned import PLACES, TRAINED, plan_of

from attention_audit.artefacts.parquet import read_frame, read_provenance, read_table, write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.weights import read_weights, write_weights
from attention_audit.audits.comparison import against_base
from attention_audit.columns.corpus import CORPUS
from attention_audit.columns.kinds import Artefact, artefact
from attention_audit.columns.readout import READOUT
from attention_audit.columns.table import TABLE
from attention_audit.columns.training import SEARCH
from attention_audit.corpus.sources.control import CUES
from attention_audit.errors import AuditError
from attention_audit.plan.audits import AUDITS, audit_named
from attention_audit.plan.exhibit import Exhibit, Table
from attention_audit.plan.exhibits import EXHIBITS, TABLES
from attention_audit.plan.plan import Plan
from attention_audit.readout import read_readout
from attention_audit.stages.audits import Asking

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
    "resamples": 20,
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
@pytest.mark.parametrize("suite", [suite.key for suite in TRAINED])
@pytest.mark.parametrize("audit", AUDITS, ids=lambda audit: audit.name)
def test_any_audit_writes_what_it_declares_of_any_suite(plan: Plan, audit: Any, suite: str) -> None:
    asked = plan.scope.suite(suite)
    if "base" in audit.needs and asked.base is None:
        with pytest.raises(AuditError, match=f"{audit.name} needs a base model"):
            make_audit(plan, DATASET, suite, audit.name)
        return
    if "heads" in audit.needs:
        with pytest.raises(AuditError, match="heads needs several heads of attention"):
            make_audit(plan, DATASET, suite, audit.name)
        return
    path = PLACES.audit_file(DATASET, suite, audit.name)
    make(plan, path)
    columns = read_frame(Path(path), artefact(audit.columns))
    if audit.name == "cut_texts":
        # none of these encoders is short of positions
        assert columns.empty
        return
    assert len(columns) > 0
    assert set(columns["dataset"]) == {DATASET}
    assert {"dataset", "model", "seed"} <= set(columns) or audit.takes == "suite"
    if "model" in columns and audit.takes != "suite":
        runs = plan.auditing.runs(asked, audit, DATASET)
        expected = {(asked.family(run.model), run.seed) for run in runs}
        if audit.name == "attribution_stability":
            # a training is held against those before it
            expected -= {(asked.family(model), asked.seeds(model)[0]) for model in {run.model for run in runs}}
        assert set(zip(columns["model"], columns["seed"], strict=True)) == expected


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_every_table_and_figure_is_made_of_its_files_alone(plan: Plan, exhibit: Exhibit) -> None:
    if plan.exhibiting.nothing(exhibit):
        # no map has heads, the classifier has no adversary, no paper has numbers of a generated text, and no suite asks
        # for soft erasure by itself
        assert exhibit.name in ("own_table_heads", "hf_fig_frontier", "replication", "table_soft")
        return
    make_exhibit(plan, exhibit)
    # a csv file may be no more than its heading
    files = plan.exhibiting.files(exhibit)
    assert all(Path(path).stat().st_size > (50 if path.endswith(".csv") else 150) for path in files)
    if isinstance(exhibit, Table):
        path = Path(plan.exhibiting.path(exhibit, ".parquet"))
        assert read_table(path, artefact(exhibit.columns)).num_rows == pq.read_metadata(path).num_rows


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "gap"),
    [
        ("jw_table1_performance", 9),
        ("jw_table2_correlation", 18),
        ("jw_table_conicity", 1),
        ("jw_table_evidence", 1),
        ("wp_table2_uniform", 2),
        ("wp_table5_adversary", 1),
        ("ss_table3_accuracy", 1),
        ("ss_table_pairwise", 1),
    ],
)
def test_tables_end_with_the_data_sets_that_could_not_be_had(plan: Plan, name: str, gap: int) -> None:
    table = next(table for table in TABLES if table.name == name)
    make_exhibit(plan, table)
    rows = read_frame(Path(plan.exhibiting.path(table, ".parquet")), TABLE)
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
        made = [exhibit for folder in ("figures", "tables") for exhibit in plan.exhibiting.made(folder)]
        of_data = {"wp_table1_datasets", "ss_table1_datasets"}
        shared = {"summary", "texts", "table_contributions", "table_violation", "controls"}
        marked = {"table_plausibility", "fig_plausibility", "fig_plausible_faithful"}
        own = {exhibit.name for exhibit in EXHIBITS if exhibit.suite == prefix[:2]}
        assert {exhibit.name for exhibit in made} == own | of_data | shared | marked
        # figures may be drawn of tables
        for exhibit in sorted(made, key=lambda exhibit: exhibit.folder, reverse=True):
            if exhibit.name in shared | of_data | marked:
                make_exhibit(plan, exhibit)
        summary = read_frame(Path("results/tables/summary.parquet"), artefact("columns.summary:SUMMARY"))
        assert set(summary["paper"]) <= {plan.scope.suite(prefix[:2]).paper, ""}


def mtimes(paths: list[str]) -> dict[str, tuple[int, bytes]]:
    return {path: (os.stat(path).st_mtime_ns, Path(path).read_bytes()) for path in paths}


class Trained:
    """A training that has run, to be run again."""

    def __init__(self, plan: Plan, training: str, seed: int) -> None:
        self.settings = plan.trainings.job(training, seed)
        planned = plan.trainings.planned(training, seed)
        self.inputs, self.outputs = planned.inputs, planned.outputs
        make(plan, *(path for files in self.inputs.values() for path in files))
        self.again()
        self.weights = [*self.outputs["weights"], *self.outputs["history"]]

    def again(self, code: str = "code", **changes: Any) -> bool:
        """Run the job; whether it trained, by what it said."""
        said = run_stage("train", self.settings.model_copy(update=changes), self.inputs, self.outputs, code)
        kept = any("weights of an earlier run, made of the same data" in line for line in said)
        trained = any("epoch 1/" in line for line in said)
        assert kept != trained
        return trained


@pytest.fixture
def trained(plan: Plan, tmp_path: Path) -> Iterator[Trained]:
    """J&W's model, in a folder of its own."""
    with chdir(tmp_path):
        yield Trained(plan, f"{DATASET}/jw/average_tanh", 2)


def test_weights_are_kept_where_nothing_has_changed_that_decides_them(trained: Trained) -> None:
    before, readouts = mtimes(trained.weights), mtimes(list(trained.outputs["readouts"]))
    # the code of the whole stage is another, that which trains is not
    assert not trained.again("other code")
    assert mtimes(trained.weights) == before
    after = mtimes(list(trained.outputs["readouts"]))
    assert all(after[path][0] > readouts[path][0] for path in readouts)
    assert {read_provenance(Path(path))["code_sha256"] for path in readouts} == {"other code"}
    assert all(read_table(Path(path), READOUT).num_rows > 0 for path in readouts)


def test_other_code_that_trains_or_another_setting_trains_again(trained: Trained) -> None:
    before = mtimes(trained.weights)
    assert trained.again(training_code="edited")
    after = mtimes(trained.weights)
    assert all(after[path][0] > before[path][0] for path in before)
    recipe = trained.settings.optimisation.model_copy(update={"learning_rate": 0.01})
    assert trained.again(training_code="edited", optimisation=recipe)
    assert all(mtimes([path])[path][1] != after[path][1] for path in trained.outputs["weights"])


def rewritten(path: str, kind: Artefact, first: int = 0) -> None:
    """Write a file again from one of its rows on, as if other code had made it."""
    table = read_table(Path(path), kind)
    write_batches(Path(path), kind, [table.slice(first)], Provenance("test", {}, "edited"))


def test_another_corpus_trains_again_though_settings_and_code_are_the_same(trained: Trained) -> None:
    (corpus,) = trained.inputs["corpus"]
    before = Path(corpus).read_bytes()
    rewritten(corpus, CORPUS)
    assert Path(corpus).read_bytes() != before
    assert not trained.again()
    rewritten(corpus, CORPUS, first=1)
    assert trained.again()


def test_an_adversary_is_kept_where_the_readout_it_was_trained_on_is_made_again_to_the_same(
    plan: Plan, tmp_path: Path
) -> None:
    with chdir(tmp_path):
        trained = Trained(plan, f"{DATASET}/wp/adversary_lambda0.01", 10)
        for path in trained.inputs["reference"]:
            rewritten(path, READOUT)
        assert not trained.again("edited")
        # of the same texts, other probabilities
        path = Path(trained.inputs["reference"][0])
        table = read_table(path, READOUT)
        place = table.schema.get_field_index("probabilities")
        other = table["probabilities"].take(list(reversed(range(len(table)))))
        write_batches(path, READOUT, [table.set_column(place, table.field(place), other)], Provenance("test", {}, ""))
        assert trained.again("edited")


class Searched:
    """A search by continuation that has run, to be run again."""

    def __init__(self, plan: Plan) -> None:
        training = f"{DATASET}/wp/continuation"
        self.settings = plan.trainings.job(training, 10)
        planned = plan.trainings.planned(training, 10)
        self.inputs, self.outputs = planned.inputs, planned.outputs
        make(plan, *(path for files in self.inputs.values() for path in files))
        assert self.again() == (1, 2)
        self.made = [path for name in ("weights", "history", "search") for path in self.outputs[name]]

    def again(self, code: str = "code") -> tuple[int, ...]:
        """Run the job; which steps it trained, by what it said."""
        said = run_stage("search", self.settings, self.inputs, self.outputs, code)
        return tuple(int(step[1]) for line in said if (step := re.search(r"step (\d+)/2, lambda \S+ epoch 1/", line)))


def test_a_search_leaves_its_steps_and_the_chosen_one_once_more(plan: Plan, tmp_path: Path) -> None:
    with chdir(tmp_path):
        searched = Searched(plan)
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
            moved = against_base(base, read_readout(Path(readouts[2 * place])))
            assert (row["tvd"], row["jsd"]) == pytest.approx((moved["tvd"].mean(), moved["jsd"].mean()), abs=1e-5)


@pytest.mark.usefixtures("here")
def test_audits_name_the_lambdas_that_a_search_used(plan: Plan) -> None:
    path = PLACES.audit_file(DATASET, "wp", "performance")
    make(plan, path)
    rows = read_frame(Path(path), artefact("columns.performance:PERFORMANCE"))
    search = read_frame(Path(f"results/models/{DATASET}/wp/continuation/seed10.search.parquet"), SEARCH)
    for model, expected in (("continuation", search), ("continuation_chosen", search[search["chosen"]])):
        assert set(rows.loc[rows["model"] == model, "lambda"]) == set(expected["lambda"])


def test_a_search_is_kept_or_goes_on_with_its_first_missing_step_to_the_same_bytes(plan: Plan, tmp_path: Path) -> None:
    with chdir(tmp_path):
        searched = Searched(plan)
        before = mtimes(searched.made)
        base = Path(searched.inputs["start"][0])
        write_weights(base, read_weights(base), Provenance("test", {}, "edited"), 10)
        assert searched.again("other code") == ()
        assert mtimes(searched.made) == before
        weights, history, search = (searched.outputs[name] for name in ("weights", "history", "search"))
        for path, trained in (
            (weights[0], (1, 2)),
            (history[1], (2,)),
            (weights[1], (2,)),
            (history[2], ()),
            (search[0], ()),
        ):
            Path(path).write_bytes(before[path][1][:-9])
            assert searched.again() == trained
            assert {path: content for path, (_, content) in mtimes(searched.made).items()} == {
                path: content for path, (_, content) in before.items()
            }
        first = read_weights(base)
        write_weights(base, {name: values + 0.1 for name, values in first.items()}, Provenance("test", {}, ""), 10)
        assert searched.again()


@pytest.mark.parametrize("file", ["weights", "history"])
def test_what_is_damaged_or_gone_is_trained_again_to_the_same_bytes(trained: Trained, file: str) -> None:
    before = mtimes(trained.weights)
    (path,) = map(Path, trained.outputs[file])
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)
    assert trained.again()
    path.unlink()
    assert trained.again()
    assert {path: content for path, (_, content) in mtimes(trained.weights).items()} == {
        path: content for path, (_, content) in before.items()
    }


def test_weights_say_what_they_were_made_of(trained: Trained) -> None:
    record = read_provenance(Path(trained.outputs["history"][0]))
    assert record["seed"] == 2
    assert record["code_sha256"] == trained.settings.training_code
    assert {name: len(sums) for name, sums in record["inputs_sha256"].items()} == {
        "corpus": 1,
        "vocabulary": 1,
        "reference": 0,
        "transformer": 0,
        "states": 0,
    }
    assert read_weights(Path(trained.outputs["weights"][0]))
    assert "inputs_sha256" not in read_provenance(Path(trained.outputs["readouts"][0]))


def sharing_with(*models: str) -> dict[str, Any]:
    """A configuration with these models of Jain & Wallace, of which lstm_tanh is Wiegreffe & Pinter's base model."""
    recipe = TINY["jain_wallace"]["recipe"] | {"ties": "first"}
    section = TINY["jain_wallace"] | {"models": [*models], "seeds": [50], "recipe": recipe}
    base = {"model": TINY["model"] | {"encoder": "bilstm", "attention": "additive"}}
    return TINY | base | {"jain_wallace": section}


def test_a_shared_training_has_each_suites_own_name_in_its_rows(tmp_path: Path) -> None:
    """Two suites read one readout, and say the same of it."""
    columns = artefact(audit_named("permutation").columns)
    with chdir(tmp_path):
        plan = plan_of(**sharing_with("lstm_tanh"))
        paths = [PLACES.audit_file(DATASET, suite, "permutation") for suite in ("wp", "jw")]
        make(plan, *paths)
        assert not Path(f"results/readouts/{DATASET}/jw").exists()
        ours, theirs = (read_frame(Path(path), columns) for path in paths)
    assert ours.groupby("seed")["model"].first().to_dict() == {10: "base", 50: "base"}
    assert theirs.groupby("seed")["model"].first().to_dict() == {50: "lstm_tanh"}
    assert ours.loc[ours["seed"] == 50, "median_tvd"].tolist() == theirs["median_tvd"].tolist()


def test_two_suites_are_told_the_same_of_one_training_and_its_network(tmp_path: Path) -> None:
    columns = artefact(audit_named("located").columns)
    with chdir(tmp_path):
        plan = plan_of(**sharing_with("lstm_tanh", "average_tanh"))
        paths = [PLACES.audit_file(DATASET, suite, "located") for suite in ("wp", "jw")]
        make(plan, *paths)
        ours, theirs = (read_frame(Path(path), columns) for path in paths)
    assert theirs["model"].unique().tolist() == ["lstm_tanh", "average_tanh"]
    assert theirs["seed"].unique().tolist() == [50]
    same = ours[(ours["model"] == "base") & (ours["seed"] == 50)].drop(columns="model").reset_index(drop=True)
    assert len(same) > 0
    assert theirs[theirs["model"] == "lstm_tanh"].drop(columns="model").reset_index(drop=True).equals(same)


PARTS = [audit.name for audit in AUDITS if audit.takes == "batch" and "heads" not in audit.needs]
"""Audits that are asked of a part of a readout at a time, and of models of one head."""


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("audit", PARTS)
def test_an_audit_holds_a_part_of_a_readout_at_a_time_and_says_the_same(
    plan: Plan, audit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readouts are written in several parts, and each is asked by itself."""
    path = PLACES.audit_file(DATASET, "ss", audit)
    make(plan, path)
    inputs = plan.auditing.inputs(audit, "ss", DATASET)
    monkeypatch.setattr("attention_audit.artefacts.parquet.GROUP", 1)
    for number, readout in enumerate(inputs["readouts"]):
        table = read_table(Path(readout), READOUT)
        parts = [table.slice(0, 7), table.slice(7, 1), table.slice(8)]
        inputs["readouts"][number] = str(tmp_path / f"{number}.parquet")
        write_batches(tmp_path / f"{number}.parquet", READOUT, parts, Provenance("test", {}, ""))
    sizes: list[int] = []
    called = Asking.called

    def spied(asking: Asking, *first: Any, **run: Any) -> Any:
        sizes.extend(len(part) for part in first)
        return called(asking, *first, **run)

    monkeypatch.setattr(Asking, "called", spied)
    outputs = {audit: [str(tmp_path / "again.parquet")]}
    asking = Asking(job_of("audits", plan.auditing.job(audit, "ss", DATASET), inputs, outputs)[0])
    asking.write(asking.rows())
    assert sizes == [7, 1, 16] * len(inputs["readouts"])
    columns = artefact(audit_named(audit).columns)
    again, whole = (read_frame(file, columns) for file in (tmp_path / "again.parquet", Path(path)))
    keys = [name for name in ("model", "seed", "id", "ranking", "draw") if name in whole]
    again, whole = (frame.sort_values(keys, ignore_index=True) for frame in (again, whole))
    assert again[keys].equals(whole[keys])
    for name in whole.select_dtypes("number"):
        np.testing.assert_allclose(again[name], whole[name], rtol=1e-6, atol=1e-9, err_msg=name)


class Gathered:
    """The job of all audits of a suite that need no network, or of all others; it has run and is to be run again."""

    def __init__(self, plan: Plan, suite: str, job: str = "audits") -> None:
        self.plan = plan
        self.suite = suite
        self.job = job
        self.inputs = {"files": plan.auditing.together(job, suite, DATASET).inputs["files"]}
        make(plan, *self.inputs["files"])
        self.names = [audit.name for audit in plan.auditing.gathered(job, plan.scope.suite(suite), DATASET)]
        self.outputs = {name: [PLACES.audit_file(DATASET, suite, name)] for name in self.names}
        assert self.again() == set(self.names)

    def contents(self) -> dict[str, bytes]:
        return {name: Path(path).read_bytes() for name, (path,) in self.outputs.items()}

    def again(self, code: str = "", **changes: Any) -> set[str]:
        """Run the job, with other code of one audit or with other settings; which audits it made, by what it said."""
        plan = plan_of(**TINY | changes) if changes else self.plan
        job = plan.auditing.together(self.job, self.suite, DATASET).settings
        audits = [
            each.model_copy(update={"code": "edited"}) if each.audit.audit == code else each for each in job.audits
        ]
        said = run_stage(self.job, job.model_copy(update={"audits": audits}), self.inputs, self.outputs)
        kept = {line.partition(":")[0] for line in said if "kept, made of the same" in line}
        return set(self.names) - kept


@pytest.fixture
def gathered(plan: Plan, tmp_path: Path) -> Iterator[Gathered]:
    """All of W&P's, in a folder of their own."""
    with chdir(tmp_path):
        yield Gathered(plan, "wp")


def test_of_many_audits_in_one_job_only_those_are_made_again_for_which_something_has_changed(
    gathered: Gathered,
) -> None:
    before = gathered.contents()
    assert gathered.again() == set()
    assert gathered.contents() == before
    assert gathered.again(code="evidence") == {"evidence"}
    assert gathered.again() == {"evidence"}
    assert gathered.contents() == before
    assert gathered.again(permutation={"permutations": 7}) == {"permutation", "stability"}
    assert gathered.again() == {"permutation", "stability"}
    # attention maps read the adversary's file: another one makes them again
    assert gathered.again(instance_adversary=TINY["instance_adversary"] | {"steps": 6}) == {
        "instance_adversary",
        "attention_maps",
    }


def test_of_audits_that_run_models_again_only_those_are_made_again_for_which_something_has_changed(
    plan: Plan, tmp_path: Path
) -> None:
    with chdir(tmp_path):
        gathered = Gathered(plan, "jw", "attribution")
        assert set(gathered.names) == {
            *("correlation", "agreement", "conicity", "located", "plausible_words", "word_attributions")
        }
        before = gathered.contents()
        assert gathered.again() == set()
        assert gathered.again(code="correlation") == {"correlation"}
        assert gathered.again() == {"correlation"}
        assert gathered.contents() == before
        by_agreement = {"agreement", "located", "plausible_words", "word_attributions"}
        assert gathered.again(agreement=TINY["agreement"] | {"steps": 4}) == by_agreement
        assert gathered.again() == by_agreement
        assert gathered.contents() == before
        weights = next(Path(path) for path in gathered.inputs["files"] if path.endswith(".safetensors"))
        weights.write_bytes(weights.read_bytes()[:-4])
        with pytest.raises(AuditError, match=rf"^{weights}: truncated or corrupt weights; rebuild it with: "):
            gathered.again()


def test_audits_follow_what_readouts_hold(gathered: Gathered) -> None:
    base = f"results/readouts/{DATASET}/wp/base/seed10/test.parquet"
    guide = f"results/readouts/{DATASET}/wp/guide_uniform/seed10/test.parquet"
    for path in (base, guide):
        rewritten(path, READOUT)
    assert gathered.again() == set()
    rewritten(guide, READOUT, first=1)
    assert gathered.again() == {"performance", "predictions"}


def test_a_damaged_or_missing_audit_is_made_again_to_the_same_bytes(gathered: Gathered) -> None:
    before = gathered.contents()
    for name, damage in (("comparison", before["comparison"][:-9]), ("permutation", b""), ("single_weight", None)):
        path = Path(gathered.outputs[name][0])
        path.unlink() if damage is None else path.write_bytes(damage)
    assert gathered.again() == {"comparison", "permutation", "single_weight"}
    assert gathered.contents() == before


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("suite", [suite.key for suite in TRAINED])
def test_an_audit_says_the_same_by_itself_and_with_others(plan: Plan, tmp_path: Path, suite: str) -> None:
    """Asked by its path it is a job of its own; asked by the configuration it shares one."""
    names = [audit.name for audit in plan.auditing.gathered("audits", plan.scope.suite(suite), DATASET)]
    make(plan, *(PLACES.audit_file(DATASET, suite, name) for name in names))
    alone = {name: Path(PLACES.audit_file(DATASET, suite, name)).resolve() for name in names}
    inputs = {"files": plan.auditing.together("audits", suite, DATASET).inputs["files"]}
    outputs = {name: [str(tmp_path / f"{name}.parquet")] for name in names}
    run_stage("audits", plan.auditing.together("audits", suite, DATASET).settings, inputs, outputs)
    for name in names:
        kind = artefact(audit_named(name).columns)
        assert read_table(tmp_path / f"{name}.parquet", kind).equals(read_table(alone[name], kind)), name


@pytest.mark.usefixtures("here")
def test_a_parameter_that_nothing_is_offered_for_is_one_line(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    def permutation(readout: Any, temperature: float) -> dict[str, Any]:
        raise AssertionError

    monkeypatch.setattr("attention_audit.audits.permutation.permutation", permutation)
    line = r"^audits\.permutation:permutation: nothing is offered for its parameter 'temperature' \(offered: .*seed.*\)"
    with pytest.raises(AuditError, match=line):
        make_audit(plan, DATASET, "ss", "permutation")


@pytest.mark.usefixtures("here")
def test_a_parameter_with_a_default_need_not_be_offered(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    from attention_audit.audits import permutation as module

    original = module.permutation

    def permutation(readout: Any, settings: Any, seed: int, temperature: float = 1.0) -> dict[str, Any]:
        assert temperature == 1
        return original(readout, module.Permutation.model_validate(settings), seed)

    monkeypatch.setattr(module, "permutation", permutation)
    make_audit(plan, DATASET, "ss", "permutation")


@pytest.mark.usefixtures("here")
def test_settings_of_jobs_are_the_same_after_a_command_line(plan: Plan) -> None:
    jobs = [job.settings for job in plan.jobs()]
    for job in jobs:
        assert type(job).model_validate(json.loads(job.model_dump_json())) == job
