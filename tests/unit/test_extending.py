"""Functions and classes of the user's own: what an edit of one makes anew, and what is said where one is missing."""

import os
import re
import sys
from pathlib import Path

import pytest
import yaml
from examples import EXAMPLES
from in_process import forget_code
from planned import plan_of
from refusal import refusal
from rules import find_stage, list_jobs, list_makers, list_names
from stage_files import list_stage_names

from attention_audit.names import RANKINGS
from attention_audit.targets import FOLDERS, load, look_in

NOTHING = {"datasets": []}
RUN = {
    "datasets": ["chorus"],
    "model": {"encoder": "my_waves:Positions"},
    "training": {"further_seeds": [50]},
    "serrano_smith": NOTHING,
    "jain_wallace": {"datasets": ["chorus"], "models": ["average_tanh"]},
    "deception": NOTHING,
    "audits": {"wp": ["permutation", "single_weight", "agreement", "my_spread:spread"]},
    "erasure": {"rankings": ["my_positions:position"]},
    "agreement": {"attributions": ["my_scores:position"]},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with all modules of the pages, which no other test knows of afterwards."""
    before, path = set(sys.modules), [*sys.path]
    monkeypatch.setenv(FOLDERS, "")
    monkeypatch.chdir(tmp_path)
    for example in EXAMPLES:
        for change in example.changes:
            if change.new and change.path.startswith("my_"):
                change.make(tmp_path)
    look_in([tmp_path])
    forget_code()
    yield tmp_path
    forget_code()
    sys.path[:] = path
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]


def codes():
    """The hashes of the code of all jobs."""
    forget_code()
    return {name: job.code for name, job in list_jobs(plan_of(**RUN)).items()}


def test_an_edit_of_ones_own_module_changes_what_uses_it_and_nothing_else(folder):
    before = codes()

    def edited(path, old, new):
        text = Path(path).read_text()
        assert old in text
        Path(path).write_text(text.replace(old, new))
        after = codes()
        Path(path).write_text(text)
        assert before.keys() == after.keys()
        return {name for name in before if before[name] != after[name]}

    trained = edited("my_waves.py", "10_000", "1_000")
    assert trained >= {"train/chorus/base/10", "attribute/chorus/base/10"}
    assert not any("average_tanh" in name for name in trained)
    # the guide reads the columns of the same module
    assert edited("my_spread.py", "1 / len(row)", "2 / len(row)") == {"own_audit/chorus/base/spread", "report_html"}
    rules = {name.partition("/")[0] for name in edited("my_positions.py", "return -", "return +")}
    assert rules == {"erasure", "attribute", "attribution"}
    scored = edited("my_scores.py", "length, 0, -1", "length, 1, -1")
    assert {name.partition("/")[0] for name in scored} == {"attribute"}
    # words cost nothing
    assert edited("my_waves.py", '"""The vectors of words', '"""All vectors of words') == set()


def test_a_rule_of_ones_own_audits_names_what_its_stage_reads(folder):
    rule = list_makers(plan_of(**RUN))["own_audit"]
    read, _ = list_stage_names(find_stage(rule))
    assert (read - {"search"}) | {"above"} <= list_names(rule.input)


def test_jobs_know_the_folders_by_the_environment(folder):
    assert str(folder) in os.environ[FOLDERS].split(os.pathsep)
    assert load("my_positions:position").__name__ == "position"


def test_ones_own_ranking_is_shown_behind_all_others_by_its_name():
    assert RANKINGS.arrange(["my_positions:first_words", "attention"]) == ["attention", "my_positions:first_words"]
    assert RANKINGS["my_positions:first_words"].label == "first words"
    assert RANKINGS.arrange(["first_words", "loo"]) == ["loo", "first_words"]
    assert RANKINGS["first_words"].label == "first_words"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ("model: {encoder: my_wave:Positions}",
         r"config: model\.encoder: my_wave:Positions: there is no my_wave\.py in .* \(did you mean 'my_waves'\?\); "),
        ("model: {attention: my_cosine:Cosin}",
         r"config: model\.attention: .*my_cosine\.py has no 'Cosin' \(did you mean 'Cosine'\?\); mend it"),
        ("model: {encoder: positions}", r"config: model\.encoder: input should be .*, not 'positions'"),
        ("erasure: {rankings: [position]}", r"config: erasure\.rankings\.0: position: names no .*write module:name"),
        ("agreement: {attributions: [my_scores:positions]}",
         r"config: agreement\.attributions\.0: .* has no 'positions' \(did you mean 'position'\?\); mend it"),
        ("hf: {chorus: {models: {mine: [m]}, maps: [my_heads:strong]}}",
         r"config: hf\.chorus\.maps: .*my_heads\.py has no 'strong'"),
        ("audits: {wp: [my_spread:spred]}", r"audits: .*my_spread\.py has no 'spred' \(did you mean 'spread'\?\)"),
        ("audits: {wp: [my_fault:bare]}", r"audits: .*my_fault\.py has no 'BARE'"),
        ("audits: {wp: [my_fault:permutation]}", r"audits: my_fault:permutation: permutation is an audit already;"),
        ("audits: {wp: [my_fault:spread]}", r"audits: my_fault:SPREAD: declares no columns of spread; write describe"),
        ("audits: {wp: [my_fault:none]}", r"audits: my_fault:NONE: declares no columns of none; write describe"),
        ("audits: {wp: [my_spread:spread, my_other:spread]}", r"audits: my_other:spread: spread is the name of two "),
        ("audits: {wp: [my_import:spread]}", r"my_import:SPREAD: my_import cannot be imported \(ModuleNotFoundError: "),
        ("audits: {wp: [my_syntax:spread]}", r"audits: my_syntax:spread: my_syntax cannot be read \(SyntaxError: "),
        ("plugins: [my_audits]", r"config: plugins: unknown key"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_in_one_line(folder, changes, line):
    Path("my_syntax.py").write_text("x = (\n")
    Path("my_other.py").write_text(Path("my_spread.py").read_text())
    Path("my_import.py").write_text("import nowhere_at_all\nspread = SPREAD = 1\n")
    Path("my_fault.py").write_text(
        "from attention_audit.columns.kinds import describe_file\nbare = permutation = spread = none = len\n"
        "NONE = PERMUTATION = None\nSPREAD = describe_file('spreed', meaning='').add_columns()\n"
    )
    assert re.match(line, refusal(plan_of, **RUN | yaml.safe_load(changes)))
