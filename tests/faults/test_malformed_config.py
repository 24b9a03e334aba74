"""Malformed configurations: clear lines or a valid run, never a traceback."""

import copy
import re
from collections import Counter

import planned
import pytest
import yaml
from hurt import error_lines, only_first
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from planned import CATALOGUE
from snakemake.iocontainers import Wildcards

from attention_audit.audits.settings import (
    AttentionMapsJob,
    AttributionJob,
    AuditJob,
    ComparisonJob,
    ErasureJob,
    InstanceAdversaryJob,
    PermutationJob,
)
from attention_audit.errors import AuditError
from attention_audit.plan.audits import (
    list_attending_runs,
    list_compared_runs,
    list_first_runs,
    list_predicting_runs,
    list_runs,
    list_shown_runs,
)
from attention_audit.plan.params import write_settings
from attention_audit.plan.plan import Plan
from attention_audit.plan.settings import JobSettings
from attention_audit.plan.suites import SUITES

DEFAULT = planned.DEFAULT | {"audits": {"wp": ["permutation", "comparison"], "jw": ["stability", "conicity"]}}
"""The demonstration, with a key that it leaves out."""
MODEL = re.compile(r"[a-z][a-z0-9_.+-]*")
"""What a model's name in a path may be."""


def list_places(value, path=()):
    """List every place in a configuration, its groups included."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inner:
        yield from list_places(below, (*path, key))


_, *PLACES = list_places(DEFAULT)
OWN = [place for place in PLACES if place[0] not in ("corpora", "word_vectors")]
WORDS = st.sampled_from(
    [
        "", " ", "needle", "imbd", "sst", "random", "glove-840b-300d", "null", "true", "8", "1e-3", "nan", "-", "../..",
        "/", "a/b", "results/raw", "a\nb", "\x00", "\x1b[2J", "é", "{}", "%s", "{model}", "x" * 5000, "lstm_dot", "dev",
    ]
)  # fmt: skip
NUMBERS = st.one_of(
    st.integers(-3, 9), st.integers(), st.sampled_from([2**31, 2**63, 10**30]), st.floats(), st.floats(0, 1)
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, WORDS, st.text(max_size=8), st.dates())
KEYS = st.one_of(WORDS, st.integers(-1, 3), st.none(), st.booleans())
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=5,
)


@st.composite
def malformed(draw):
    """The demonstration with one to three places replaced, removed, renamed, doubled or added to."""
    config = copy.deepcopy(DEFAULT)
    for _ in range(draw(st.integers(1, 3))):
        *above, last = draw(st.sampled_from(draw(st.sampled_from([OWN, PLACES]))))
        group = config
        try:
            for key in above:
                group = group[key]
            held = group[last]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took it away
        if not isinstance(group, dict | list):
            continue
        match draw(st.sampled_from(["replace", "replace", "replace", "remove", "rename", "add", "double"])):
            case "replace":
                group[last] = draw(JUNK)
            case "remove":
                del group[last]
            case "rename" if isinstance(group, dict):
                group[draw(KEYS)] = group.pop(last)
            case "add" if isinstance(held, dict):
                held[draw(KEYS)] = draw(JUNK)
            case "double" if isinstance(group, list):
                group.append(held)
    return config


AUDITING = {
    "performance": (AuditJob, list_predicting_runs),
    "comparison": (ComparisonJob, list_compared_runs),
    "stability": (ComparisonJob, list_runs),
    "permutation": (PermutationJob, list_runs),
    "erasure": (ErasureJob, list_runs),
    "instance_adversary": (InstanceAdversaryJob, list_first_runs),
    "plausibility": (AuditJob, list_attending_runs),
    "attention_maps": (AttentionMapsJob, list_shown_runs),
    "attribution": (AttributionJob, list_runs),
}
"""What the job of each rule is told that asks audits, and of which trainings."""


def plan_everything(plan):
    """All that is asked of a configuration before the first job starts."""
    for training, _ in plan.trainings.made:
        assert MODEL.fullmatch(training.rpartition("/")[2]), training
    told = JobSettings(plan)
    for name in plan.config.corpora:
        write_settings(told.build_corpus(Wildcards(fromdict={"dataset": name})))
    for run in plan.trainings.made.values():
        build = (
            told.build_training if run.model.settings else told.build_reading if run.model.reads else told.build_import
        )
        write_settings(build(Wildcards(fromdict=plan.trainings.name_wildcards(run))))
    for model in plan.asked.by_model:
        named = {"dataset": model.data.name, "model": model.path_name}
        for rule, (kind, list_asked) in AUDITING.items():
            write_settings(told.build_audits(kind, rule, list_asked)(Wildcards(fromdict=named)))
        for number in map(str, model.seeds if model.network else ()):
            write_settings(told.build_attributing(Wildcards(fromdict=named | {"seed": number})))
    for exhibit in [*plan.exhibits.list_made("tables"), *plan.exhibits.list_made("figures")]:
        write_settings(plan.exhibits.build_job(exhibit))
    write_settings(plan.pages.build_explorer())
    write_settings(plan.pages.build_report())


def tried(config):
    """How a configuration ends."""
    try:
        plan_everything(Plan(config, CATALOGUE))
    # what a rule asks for ends the run itself
    except (AuditError, SystemExit) as error:
        for line in str(error).splitlines():
            assert line.isprintable()
            assert len(line) < 1000
        return "refused in clear lines"
    return "valid, and planned to the end"


def try_malformed(number, count, attempt):
    """Try so many malformed configurations, drawn with a seed, and count how they end."""
    outcomes = Counter()
    setting = settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    @seed(number)
    @setting
    @given(malformed())
    def count_end(config):
        outcomes[attempt(config)] += 1

    count_end()
    return outcomes


@pytest.mark.whole
def test_a_malformed_value_is_one_clear_line_or_a_valid_run(full, tally):
    outcomes = try_malformed(6, 5000 if full else 600, tried)
    assert outcomes.total() >= 500
    for outcome, times in sorted(outcomes.items()):
        tally("a malformed configuration, checked and planned", outcome, times)


TEXTS = {
    "an unknown key": ("datsets: []", "error: config: datsets: unknown key"),
    "an unknown data set": (
        "datasets: [imbd]",
        "error: config: datasets: unknown data set 'imbd' (did you mean 'imdb'?); known: agnews, ",
    ),
    "an unknown audit": (
        "datasets: [chorus]\naudits: {wp: [accuracy]}",
        "error: audits: 'accuracy' is not known; name one of performance, ",
    ),
    "a text for a number": (
        "training: {epochs: '8'}",
        "error: config: training.epochs: input should be a valid integer, not '8'",
    ),
    "an unknown suite": (
        "datasets: [chorus]\naudits: {xx: []}",
        f"error: suite 'xx' is not known; name one of {', '.join(SUITES)}",
    ),
    "an audit without its need": (
        "jain_wallace: {datasets: [chorus]}\naudits: {jw: [comparison]}",
        "error: audits.jw: comparison needs a base model that others are compared with, which this suite has not; ",
    ),
    "a file of rules that is not there": (
        "datasets: [chorus]\nrules: [mine.smk]",
        "error: config: rules: mine.smk: no such file; ",
    ),
    "an empty list": ("adversary: {lambdas: []}", "error: config: adversary.lambdas: "),
    "a seed twice": ("training: {further_seeds: [10]}", "error: config: training: duplicate seed 10"),
    "a group that is none": ("training: 8", "error: config: training: "),
    "a key that is a number": ("8: 8", "error: config: "),
    "a number that is none": ("adversary: {lambdas: [.nan]}", "error: config: adversary.lambdas.0: "),
    "a date": ("mirror: 2024-01-01", "error: config: mirror: "),
    "a path that can not be": ('datasets: [chorus]\nmirror: "a\\0b"', "error: config: mirror: "),
}


@pytest.mark.parametrize("wrong", only_first(3, TEXTS))
def test_a_wrong_configuration_runs_nothing(new_folder, tally, wrong):
    text, line = TEXTS[wrong]
    folder = new_folder()
    (folder.path / "overlay.yaml").write_text(text)
    outcome = folder.refuse("all")
    (said,) = error_lines(outcome)
    assert said.startswith(line)
    assert "  File " not in outcome.text
    assert not (folder.path / "results").exists()
    tally("a wrong configuration, run", "refused in one clear line, nothing run")


def test_malformed_configurations_end_so_in_the_workflow_too(new_folder, full, tally):
    folder = new_folder()

    def run(config):
        (folder.path / "overlay.yaml").write_text(yaml.safe_dump(config))
        outcome = folder.run("-n", "all", "--replace-workflow-config")
        lines = error_lines(outcome)
        assert bool(lines) == (outcome.status != 0), outcome.text
        return "refused in clear lines" if lines else "valid, and planned to the end"

    for outcome, times in sorted(try_malformed(7, 40 if full else 2, run).items()):
        tally("a malformed configuration, snakemake -n", outcome, times)
