"""Every audit, and every entry of plan/exhibits.yaml, names what there is, and asks for what is offered."""

import inspect
import re
from pathlib import Path

import classifiers_on_disk
import pytest
from planned import PLACES, ROOT, list_made, plan_of
from refusal import refusal
from rules import find_job, list_jobs

from attention_audit.columns.kinds import artefact
from attention_audit.plan.audits import AUDITS
from attention_audit.plan.exhibits import EXHIBITS, FIGURES, TABLES
from attention_audit.plan.suites import SUITES
from attention_audit.questions import QUESTIONS
from attention_audit.stages.audit_files import KINDS
from attention_audit.targets import load


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """All suites, with several seeds."""
    folder = classifiers_on_disk.save(tmp_path_factory.mktemp("classifier"))
    writer = classifiers_on_disk.save(tmp_path_factory.mktemp("writer"), "llama", language=True)
    return plan_of(
        serrano_smith={"models": ["flan_none"], "seeds": [1, 2]},
        jain_wallace={"datasets": ["needle"], "seeds": [1, 2]},
        hf={
            "needle": {"models": {"mine": [str(folder)]}},
            "digest": {"models": {"writer": [str(writer)]}, "generate": {"tokens": 1}},
        },
    )


@pytest.mark.parametrize("entry", AUDITS.values(), ids=lambda entry: entry.name)
def test_an_audits_columns_say_what_was_audited(entry):
    kind = KINDS[entry.name]
    assert kind.path == PLACES.audit_file("{dataset}", "{model}", entry.name).removeprefix("results/")
    names = kind.schema.names
    assert names[0] == "dataset"
    # of an answer there is a row for all trainings
    if entry.name != "attention_maps":
        assert {"dataset", "model", "seed"} - set(names) == ({"seed"} if entry.generated else set())
    assert entry.asks.endswith("?")
    assert entry.after in ("", *AUDITS)


@pytest.mark.parametrize("entry", AUDITS.values(), ids=lambda entry: entry.name)
def test_the_rule_of_an_audit_makes_it(plan, entry):
    model = ("digest", "hf_writer") if entry.generated else ("needle", "base")
    job = find_job(plan, PLACES.audit_file(*model, entry.name))
    assert job.rule == entry.rule
    assert entry.name in job.outputs


def test_a_suite_asks_for_audits_that_there_are_and_for_each_once():
    for suite in SUITES.values():
        assert set(suite.audits) <= AUDITS.keys()
        assert len(set(suite.audits)) == len(suite.audits)


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_an_exhibits_function_is_called_with_what_it_takes(exhibit):
    parameters = inspect.signature(load(exhibit.target)).parameters.values()
    named = {each.name for each in parameters if each.kind != inspect.Parameter.VAR_KEYWORD} - {"questions"}
    # the questions of the summary, which a call may ask some of, and single texts take their audits together
    together = {*exhibit.reads, *exhibit.settings} - named if len(named) < len(parameters) else set()
    assert named | together == {*exhibit.reads, *exhibit.settings}
    assert together <= {"summary", *AUDITS}
    # a function of several suites bears the name of the first
    assert exhibit.target.partition(":")[2] in [other.name for other in EXHIBITS if other.target == exhibit.target]
    assert exhibit.shows == exhibit.shows.strip(" .")
    assert set(exhibit.answers) <= set(QUESTIONS)


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_what_an_exhibit_reads_and_writes_is_declared(plan, exhibit):
    for read in exhibit.reads.values():
        match read.source:
            case "audit":
                kind = KINDS[read.name]
                assert set(read.columns) <= set(kind.schema.names)
            case "table":
                assert read.name in TABLES
            case "tables":
                assert set(read.columns) <= TABLES.keys()
            case "corpus":
                artefact(read.declared)
    if exhibit.folder == "tables":
        artefact(exhibit.columns)
        assert callable(load(exhibit.shown))
    text = (ROOT / exhibit.caption).read_text()
    assert len(text) > 80
    assert exhibit.suite == "" or exhibit.name.startswith(f"{exhibit.suite}_")


def test_exhibits_have_one_name_and_one_rule_each_and_every_caption_is_theirs():
    for names in ([exhibit.name for exhibit in EXHIBITS], [exhibit.rule for exhibit in EXHIBITS]):
        assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_]+", exhibit.rule) for exhibit in EXHIBITS)
    captions = {path.stem for path in (ROOT / "workflow/report").glob("*.rst")} - {"workflow"}
    assert captions == {exhibit.name for exhibit in EXHIBITS}


def test_a_table_of_tables_reads_those_that_are_made():
    read = plan_of(datasets=[], serrano_smith={"datasets": []}).exhibits.list_inputs(REPLICATION)["tables"]
    assert [Path(path).stem for path in read] == ["wp_table1_datasets", "jw_table2_correlation", "pd_table_deception"]


REPLICATION = TABLES["replication"]
MARKS = {"fig_plausibility", "table_plausibility"}


def own_texts(path, *others, **further):
    """The plan of a table of one's own under two suites, and under the first of further data sets."""
    path.write_text("text,label,marks\n" + "\n".join(f"words of {n},{n % 2},[0]" for n in range(600)))
    entry = {"kind": "table", "path": str(path), **further}
    nothing = {name: {"datasets": []} for name in ("serrano_smith", "deception")}
    return plan_of(datasets=[*others, "mine"], jain_wallace={"datasets": ["mine"]}, corpora={"mine": entry}, **nothing)


def test_what_a_data_set_has_decides_what_is_made(tmp_path):
    bare, marked = (own_texts(tmp_path / "a.csv", **said) for said in ({}, {"evidence": {"columns": "marks"}}))
    assert list_made(marked) - list_made(bare) == MARKS
    assert "replication" not in list_made(marked)
    # nothing that is not made can be had, and nobody reads it
    files = {*bare.exhibits.list_files(REPLICATION)}
    assert not [job for job in list_jobs(bare).values() if files & {*job.files, *job.read}]
    for name, reason in {
        "fig_plausibility": "it needs marked words, and mine has none",
        "results/tables/table_plausibility.md": "it needs marked words, and mine has none",
        "replication": "it needs numbers that a paper has published, and there are none of what this run makes of mine",
        "ss_fig5": "no data set is named under `serrano_smith`",
    }.items():
        assert refusal(bare.refuse, name) == f"{name}: not made, since {reason}"


def test_published_numbers_are_of_a_data_set_of_the_papers_suite():
    assert "replication" in list_made(plan_of(jain_wallace={"datasets": ["babi-1"]}))
    others = {name: {"datasets": ["needle"]} for name in ("jain_wallace", "serrano_smith")}
    assert "replication" not in list_made(plan_of(**others, diversity={"datasets": ["babi-1"]}))


def test_generated_texts_are_shown_where_there_are_no_others(tmp_path):
    figure = FIGURES["wp_fig2_attention_maps"]
    assert plan_of(datasets=["needle", "chorus"]).exhibits.list_datasets(figure) == ["needle", "chorus"]
    assert own_texts(tmp_path / "a.csv", "needle").exhibits.list_datasets(figure) == ["mine"]


def test_a_papers_table_is_made_of_the_papers_data_sets():
    table = TABLES["jw_table1_performance"]
    for datasets in (["needle"], ["needle", "babi-1"]):
        exhibits = plan_of(jain_wallace={"datasets": datasets}).exhibits
        assert exhibits.list_datasets(table) == datasets[1:]
        assert (table in exhibits.list_made("tables")) == (len(datasets) > 1)


def test_the_table_of_liars_speaks_of_real_texts_without_a_published_number():
    table = TABLES["pd_table_deception"]
    for datasets in (["needle"], ["needle", "sst-wiki", "pronoun"]):
        assert plan_of(deception={"datasets": datasets}).exhibits.list_datasets(table) == (datasets[1:] or datasets)


def test_a_figure_of_one_data_set_reads_its_files_alone(plan):
    figure = FIGURES["wp_fig3_seed_variance"]
    every, one = plan.exhibits.list_inputs(figure), plan.exhibits.list_inputs(figure, "chorus")
    assert one == {
        "comparison": ["results/audits/chorus/base/comparison.parquet"],
        "instance_adversary": ["results/audits/chorus/base/instance_adversary.parquet"],
    }
    assert all(set(one[name]) < set(every[name]) for name in one)
    job = plan.exhibits.build_job(figure, "chorus")
    assert {whose.name for read in job.reads.values() for whose in read.files} == {"chorus"}
    planned = find_job(plan, plan.exhibits.locate(figure, ".pdf").replace("figures/", "figures/chorus/"))
    assert planned.files[0] == "results/figures/chorus/wp_fig3_seed_variance.pdf"
    assert (planned.rule, planned.wildcards["dataset"]) == ("figure_of_dataset", "chorus")
    line = "digest: wp_fig3_seed_variance speaks of needle, .* alone; ask for one of them"
    assert re.match(line, refusal(plan.exhibits.list_inputs, figure, "digest"))
    said = refusal(plan_of(datasets=[]).exhibits.build_job, figure, "chorus")
    assert said.startswith("chorus: wp_fig3_seed_variance speaks of no data set in this configuration")


def test_a_figure_of_one_data_set_that_is_drawn_of_a_table_has_its_rows(plan):
    figure = FIGURES["fig_plausibility"]
    for only in ("", "chorus"):
        assert plan.exhibits.list_inputs(figure, only) == {
            "plausibility": ["results/tables/table_plausibility.parquet"]
        }
        assert plan.exhibits.build_job(figure, only).reads["plausibility"].only == only
    # the papers are named in what is drawn
    assert plan.exhibits.build_job(figure).titles["WP2019"] == "Wiegreffe & Pinter 2019"
