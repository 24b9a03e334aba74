"""A rule names all that its stage reads and makes, and each setting: so Snakemake knows what is to be made anew."""

import re
from collections import Counter
from pathlib import Path

import classifiers_on_disk
import pytest
import transformers_on_disk
from elsewhere import write_all
from planned import CLASSIFIERS_ALONE, audit_of, overlaid, plan_of
from rules import ROOT, find_job, find_stage, list_jobs, list_makers, list_names, load_rules
from stage_files import list_stage_names
from tables_on_disk import write_rows

from attention_audit import code_hash as code
from attention_audit.artefacts.files import checksum
from attention_audit.plan.params import MAX_LENGTH, describe_settings

NOT_NAMED = {
    # only what a first model is held against may be a step of a search
    **{name: {"search"} for name in ("stability", "permutation", "erasure", "instance_adversary", "attribution")},
    # these learn from labels alone
    "read_out": {"reference"},
    "retrain_masked": {"reference", "tail"},
    # a Transformer reads the texts again, since their words are deleted; there is one training
    "attribute": {"states", "readouts"},
    # heads are of pairs of texts, which these do not read; tails of Transformers
    "train_adversary": {"head"},
    "train_guide": {"head", "tail"},
}
"""What a stage does without where a rule does not name it."""


@pytest.fixture(scope="module")
def searching():
    """Both searches for adversaries and masked words, on a data set each."""
    return plan_of(datasets=["needle"], masking={"datasets": ["chorus"], "percent": [50, 100], "seeds": [1]})


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Files of the user's own: a table, word vectors, readouts, a classifier and a Transformer; and pairs of texts."""
    folder = tmp_path_factory.mktemp("given")
    write_rows(folder / "own.csv", [{"text": f"text {at}", "label": at % 2} for at in range(60)])
    (folder / "own.vec").write_text("text 1 2\n")
    encoder = transformers_on_disk.save(folder / "encoder", positions=514)
    mine = [str(classifiers_on_disk.save(folder / f"mine{seed}", seed=seed)) for seed in (1, 2)]
    table = {"kind": "table", "path": str(folder / "own.csv"), "tokens": {"tokenizer": "spaces"}, "vectors": "mine"}
    return plan_of(
        **CLASSIFIERS_ALONE | {"datasets": ["mine"], "jain_wallace": {"datasets": ["babi-1"], "models": ["lstm_tanh"]}},
        corpora={"mine": table},
        word_vectors={"mine": {"kind": "file", "path": str(folder / "own.vec"), "dimension": 2}},
        overrides={"mine": {"model": {"encoder": "transformer"}}},
        own={"reviews": write_all(folder / "readouts")},
        transformer={"path": str(encoder)},
        hf={
            "needle": {
                "models": {"mine": mine},
            }
        },
    )


def test_a_rule_names_what_its_stage_reads_and_makes(searching):
    named = {name: list_names(rule.input) for name, rule in list_makers(searching).items()}
    for job in list_jobs(searching).values():
        # where a function of the rule names files, too
        named[job.rule] |= job.inputs.keys()
        for name, spec in getattr(job.settings, "reads", {}).items():
            assert len(job.inputs[name]) == len(spec.files) or spec.source == "records", (job.wildcards, name)
    lacks = {}
    for name, rule in list_makers(searching).items():
        read, made = list_stage_names(find_stage(rule))
        lacks[name] = (read - named[name]) | (made - list_names(rule.output))
    assert len(lacks) > 25
    assert {name: names for name, names in lacks.items() if names} == NOT_NAMED


def test_audits_read_the_trainings_of_which_they_are_told(searching):
    """Their readouts of both splits, and the searches that chose their lambdas."""
    searches = Counter()
    for job in list_jobs(searching).values():
        trainings = getattr(job.settings, "trainings", []) if "readouts" in job.inputs else []
        for about, path in zip(trainings, map(Path, job.inputs["readouts"] if trainings else ()), strict=True):
            assert path.parent.name == f"seed{about.seed}"
            if "consistency" in job.outputs:
                assert str(path.with_name(f"{about.consistent_on}.parquet")) in job.read
            if about.searched is not None:
                assert len(job.inputs["search"]) == 1
                searches[job.rule] += 1
    assert searches.keys() == {"performance", "comparison", "plausibility", "attention_maps"}


def test_a_readout_is_read_with_the_head_or_the_tail_beside_it(given):
    """Which the stages find by the path of the readout."""
    for name, rule in list_makers(given).items():
        assert "readouts" not in (names := list_names(rule.input)) or "above" in names, name
    kinds = {"babi-1": "head.parquet", "needle": "tail.safetensors"}
    checked = set()
    for job in (job for job in list_jobs(given).values() if job.rule not in ("report_html", "train")):
        for path in (path for path in map(Path, job.read) if path.name == "test.parquet" and path.parts[2] in kinds):
            if find_job(given, beside := str(path.with_name(kinds[path.parts[2]]))):
                assert beside in job.read, (job.rule, job.wildcards)
                checked.add((job.rule, path.parts[2]))
    assert {
        ("impose_uniform", "needle"),
        *((rule, name) for rule in ("attribute", "explorer") for name in kinds),
    } < checked
    assert {rule for rule, name in checked if name == "babi-1"} > {
        "performance",
        "permutation",
        "erasure",
        "attribution",
    }


def test_the_contents_of_ones_own_files_are_params_of_what_reads_them(given):
    read = Counter()
    for job in list_jobs(given).values():
        digests = {line for param in job.told.values() if isinstance(param, list) for line in param}
        for path in map(Path, job.read):
            if path.is_file() and "results" not in path.parts and path.suffix != ".rst":
                assert f"{path}: sha256 {checksum(path)}" in digests, job.rule
                read[job.rule] += 1
    assert read.keys() == {"prepare", "import_readout", "read_classifier", "attribute", "record_transformer"}


def test_every_setting_is_a_param_of_its_own(given, searching):
    for plan in (given, searching):
        for name, job in list_jobs(plan).items():
            told = {line for key, line in job.told.items() if key.startswith("set_") and line}
            lines = describe_settings(job.settings)
            assert told <= {*lines.values()}, name
            # what lies within a dictionary is told with all of it, and by itself where a rule names it
            assert all(
                line in told or any(key.startswith(f"{whole}.") and lines[whole] in told for whole in lines)
                for key, line in lines.items()
            ), name


def test_what_comparison_reads(searching):
    job = audit_of(searching, "comparison", "wp", "needle")
    steps = searching.trainings.steps
    models = ["base", "uniform", *(f"adversary_lambda{lambda_}" for lambda_ in (0.0001, 0.001, 0.01))]
    models += [f"continuation_step{step}" for step in range(1, steps + 1)]
    first = "results/readouts/needle/base/seed10"
    for name, split in (("readouts", "test"), ("dev", "dev")):
        paths = [*map(Path, job.inputs[name])]
        assert str(paths[0]) == f"{first}/{split}.parquet"
        assert {path.name for path in paths} == {f"{split}.parquet"}
        assert list(dict.fromkeys(path.parts[3] for path in paths)) == models
    assert job.inputs["search"] == ["results/models/needle/continuation/seed10.search.parquet"]
    assert job.inputs["above"] == []


ONE_DATA_SET = {"datasets": ["needle"], "jain_wallace": {"datasets": ["needle"]}}
ANSWERS = "table/summary|overview/(controls|texts)|figure/wp_fig5_tvd_jsd"
AUDITED = "(performance|permutation|erasure|comparison|stability|plausibility|attribution)/needle/base"


@pytest.fixture(scope="module")
def small():
    """The jobs of one data set a suite."""
    return list_jobs(plan_of(**ONE_DATA_SET))


@pytest.mark.parametrize(
    ("change", "who"),
    [
        # so that a folder can be moved
        ({"results": "runs/b"}, {}),
        ({"resamples": 7}, {}),
        (
            {"answer": {"margins": {"inert": 0.1}}},
            dict.fromkeys(("settings", "settings_answer_margins_inert"), ANSWERS),
        ),
        (
            {"answer": {"margins": {"tvd": 0.02}}},
            {
                "settings": ANSWERS,
                "settings_answer_margins_tvd": ANSWERS,
                "budget": "search_adversary/.*|explorer",
            },
        ),
        ({"attention_maps": {"automatic": 1}}, {"attention_maps_automatic": "attention_maps/.*"}),
        (
            {"permutation": {"permutations": 7}},
            {"permutation_permutations": "(permutation|stability|erasure|comparison)/.*"},
        ),
        ({"correlation": {"top_k": 7}}, {"correlation_top_k": "attribution/.*"}),
        ({"erasure": {"seed": 7}}, {"erasure_seed": "(erasure|attribute|attribution)/.*"}),
        ({"deletion": {"texts": 7}}, {"deletion_texts": "(attribute|attribution)/.*"}),
        ({"agreement": {"texts": 7}}, {"agreement_texts": "(attribute|attribution)/.*"}),
        ({"instance_adversary": {"steps": 7}}, {"instance_adversary_steps": "instance_adversary/.*"}),
        ({"guides": {"hidden": 7}}, {"architecture_hidden": "train_guide/needle/guide_.*"}),
        ({"adversary": {"patience": 7}}, {"patience": "train_adversary/.*"}),
        ({"adversary": {"continuation": {"first": 0.002}}}, {"continuation_first": "search_adversary/.*"}),
        (
            {"overrides": {"digest": {"serrano_smith": {"recipes": {"han_rnn": {"epochs": 7}}}}}},
            dict.fromkeys(("epochs", "patience", "optimisation_learning_rate"), "train/digest/han_rnn/.*"),
        ),
        # one more seed trains no other one again, and attributes none
        (
            {"training": {"further_seeds": [50, 257, 500231, 100078, 7]}},
            {
                "trainings": AUDITED,
                "settings": f"{ANSWERS}|table/(instead|table_.*)",
                "views": "explorer",
                "suites": "explorer|report_html",
            },
        ),
    ],
    ids=str,
)
def test_a_setting_reaches_only_the_jobs_that_read_it(small, change, who):
    """As the one param that changes; the report prints the whole configuration."""
    after, changed = list_jobs(plan_of(**overlaid(ONE_DATA_SET, change))), {}
    for name in small.keys() & after.keys():
        old, new = small[name].told, after[name].told
        for param in old:
            if old[param] != new[param]:
                changed.setdefault(param.removeprefix("set_"), set()).add(name)
    printed = [changed.pop(param) for param in [*changed] if param.startswith("config")]
    assert all(names == {"report_html"} for names in printed)
    assert bool(printed) == ("results" not in change)
    assert changed == {param: {name for name in small if re.fullmatch(names, name)} for param, names in who.items()}


def hash_rules(jobs):
    """The hash of the code of every rule, and of each table and figure."""
    shown = ("table", "overview", "figure")
    return {name if job.rule in shown else job.rule: job.code for name, job in jobs.items()}


TRAINED = "train|train_adversary|train_guide|search_adversary|read_out"


@pytest.mark.parametrize(
    ("module", "who"),
    [
        ("plan/exhibits.yaml", ""),
        ("plan/settings.py", ""),
        ("plan/papers/wiegreffe_pinter.py", ""),
        ("config.py", ""),
        ("audits/comparison.py", "comparison|stability|attention_maps"),
        ("audits/permutation.py", "permutation"),
        ("audits/rankings.py", "permutation|erasure|plausibility|attribute|attribution"),
        ("stages/attribution.py", "attribution"),
        ("columns/audits.py", f"(?!({TRAINED}|prepare|figure/(fig_answer(_narrow)?|fig_instead|fig_plausibility))$).*"),
        ("figures/models.py", "figure/wp_fig5_tvd_jsd"),
        ("figures/style.py", "figure/.*"),
        ("tables/render.py", "(table|overview)/.*|report_html"),
        ("report/guide.py", "report_html"),
        ("training/loop.py", TRAINED),
        ("stages/search_adversary.py", "search_adversary"),
        ("stages/network_readout.py", TRAINED),
        ("model/encoders.py", f"{TRAINED}|attribute|attribution"),
        ("corpus/sources/control.py", "prepare"),
    ],
)
def test_an_edit_reaches_only_the_rules_that_import_it(small, monkeypatch, module, who):
    before, digest = hash_rules(small), code._hash_file

    def edited(path, words):
        return b"edited" if path == code.PACKAGE_FOLDER / module else digest(path, words)

    assert (code.PACKAGE_FOLDER / module).is_file()
    monkeypatch.setattr(code, "_hash_file", edited)
    after = hash_rules(list_jobs(plan_of(**ONE_DATA_SET)))
    assert {name for name in before if before[name] != after[name]} == {
        name for name in before if re.fullmatch(who, name)
    }


MODULE = """
module attention_audit:
    snakefile:
        "{snakefile}"
    config:
        {{}}


use rule * from attention_audit{names}
"""
"""What another workflow says that uses this one, as snakedeploy and our pages write it."""
MINE = "rule mine:\n    output: 'mine.txt'\n"


@pytest.mark.parametrize("entry", ["Snakefile", "workflow/Snakefile"])
def test_without_a_target_all_is_made_unless_a_rule_of_the_users_comes_first(searching, tmp_path, entry):
    plain, renamed = (MODULE.format(snakefile=ROOT / entry, names=names) for names in ("", " as audit_*"))
    for first, text in {"all": plain, "audit_all": renamed + MINE, "mine": MINE + renamed}.items():
        snakefile = tmp_path / f"{first}.smk"
        snakefile.write_text(text)
        assert load_rules(searching, snakefile)[first].workflow.default_target == first
    assert load_rules(searching, ROOT / entry)["all"].workflow.default_target == "all"


def test_settings_too_long_for_one_command_line_are_one_line():
    plan = plan_of(attention_maps={"instances": [f"文章文章-{number:09}" for number in range(5_600)]})
    with pytest.raises(SystemExit, match=rf"^error: config: 14[\d,]+ bytes are too many .*, at most {MAX_LENGTH:,}\)"):
        assert audit_of(plan, "attention_maps", "wp", "needle").params
