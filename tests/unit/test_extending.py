"""The plugins of docs/extending/, each in this process; and what is said of plugins in which something is missing."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import classifiers_on_disk
import pytest
import yaml
from examples import EXAMPLES, PLUGINS
from in_process import make
from planned import ROOT, by_name, plan_of

from attention_audit import code_hash as code
from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.audits import RANKED_SETS
from attention_audit.columns.kinds import artefact
from attention_audit.columns.tables import TABLE
from attention_audit.errors import AuditError
from attention_audit.plan.audits import audit_named
from attention_audit.plan.plan import Plan
from attention_audit.plugins import FOLDERS, NAMED

WIDTH = 8
"""Of every layer."""
NOTHING: dict[str, Any] = {"datasets": []}
TINY = {
    "datasets": [],
    "corpora": {"chorus": {"texts": {"train": 64, "dev": 32, "test": 32}}},
    "model": {"embedding": WIDTH, "hidden": WIDTH, "attention_hidden": WIDTH},
    "training": {"further_seeds": [50], "epochs": 1},
    "serrano_smith": NOTHING,
    "jain_wallace": NOTHING,
    "deception": NOTHING,
}
BASE = {"datasets": ["chorus"]}
OF = {plugin.of: plugin for plugin in PLUGINS}
PRESETS = {change.path: change.blocks for example in EXAMPLES for change in example.changes if "presets" in change.path}
MINE = yaml.safe_load(*PRESETS["presets/mine.yaml"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with all plugins of the page, which no other test knows of afterwards."""
    before, path = set(sys.modules), [*sys.path]
    for name in (NAMED, FOLDERS):
        monkeypatch.setenv(name, "")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    for plugin in PLUGINS:
        for change in plugin.changes:
            change.make(tmp_path)
    forget()
    yield tmp_path
    forget()
    sys.path[:] = path
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]


def forget() -> None:
    """Let the files of modules be read again."""
    for cached in (code.closure, code._file, code._files, code._next, code._read, code._digest):
        cached.cache_clear()


def planned(of: str, **changes: Any) -> Plan:
    """The plan of a tiny run with a plugin of the page."""
    return plan_of(**TINY | changes, plugins=OF[of].plugins)


def test_every_plugin_of_the_page_has_its_files_and_its_name() -> None:
    assert list(OF) == [e.title for e in EXAMPLES][:8]
    for plugin in PLUGINS:
        assert len(plugin.changes) == plugin.promised
        assert len(plugin.plugins) == 1


def test_a_table_of_a_plugin_is_made(folder: Path) -> None:
    plan = planned("A table, or a figure", **BASE)
    make(plan, "results/tables/longest.parquet")
    assert len(read_frame(Path("results/tables/longest.parquet"), TABLE)) == 3
    assert "longest.rst" in plan.pages()[-1].inputs["captions"]


def test_an_audit_of_a_plugin_is_asked_and_in_the_guide(folder: Path) -> None:
    plan = planned("An audit", **BASE, audits={"wp": ["permutation", "entropy"]})
    path = "results/audits/chorus/base/entropy.parquet"
    make(plan, path, "results/README.md")
    rows = read_frame(Path(path), artefact(audit_named("entropy").columns))
    assert set(rows["model"]) == {"base"}
    assert rows["evenness"].between(0, 1).all()
    assert "audits/{dataset}/{model}/entropy.parquet" in Path("results/README.md").read_text()


def test_a_ranking_of_a_plugin_is_erased_and_shown(folder: Path) -> None:
    section = {"datasets": ["chorus"], "models": ["flan_none"], "embedding": WIDTH, "attention": WIDTH}
    recipes = {"flan": {"epochs": 1}}
    plan = planned("A ranking for erasure", serrano_smith=section | {"recipes": recipes})
    make(plan, "results/tables/ss_table_pairwise.parquet", "results/figures/ss_fig5_fraction_removed.pdf")
    rows = read_frame(Path("results/audits/chorus/flan_none/ranked_sets.parquet"), RANKED_SETS)
    assert "position" in set(rows["ranking"])
    pairs = read_frame(Path("results/tables/ss_table_pairwise.parquet"), TABLE)["row"]
    assert any(re.search(r"\bposition\b", pair) for pair in pairs)


def test_an_attribution_of_a_plugin_is_compared(folder: Path) -> None:
    recipe = {"epochs": 1, "hidden": WIDTH, "embedding": WIDTH}
    section = {"datasets": ["chorus"], "models": ["average_tanh"], "recipe": recipe}
    plan = planned("An attribution", jain_wallace=section)
    make(plan, "results/tables/jw_table2_correlation.parquet", "results/figures/jw_fig_agreement.pdf")
    pairs = read_frame(Path("results/tables/jw_table2_correlation.parquet"), TABLE)["row"]
    assert "average_tanh/attention~position/overall" in set(pairs)


def test_a_map_of_a_plugin_is_read_out_and_held_against_the_others(folder: Path) -> None:
    words = [*"abcdefghijklmnopqrstuvwxyz", *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
    classifiers_on_disk.save(folder / "mine", names=("LABEL_0", "LABEL_1"), words=words)
    plan = planned("A map of a Transformer", hf={"chorus": {"models": {"mine": ["mine"]}, "maps": ["strongest"]}})
    make(plan, "results/tables/hf_table_maps.parquet")
    assert "hf/mine/strongest" in set(read_frame(Path("results/tables/hf_table_maps.parquet"), TABLE)["row"])


@pytest.mark.parametrize(
    ("of", "part"), [("A scoring function", {"attention": "cosine"}), ("An encoder", {"encoder": "positions"})]
)
def test_a_model_is_built_of_what_a_plugin_adds(folder: Path, of: str, part: dict[str, str]) -> None:
    (settings,) = OF[of].settings
    assert yaml.safe_load(settings) == {"model": part}
    plan = planned(of, **BASE, model=TINY["model"] | part)
    path = "results/audits/chorus/base/permutation.parquet"
    make(plan, path)
    assert Path(path).exists()
    # the papers' suites take it too
    (name,) = part.values()
    named = {"encoder": [f"{name}_tanh", f"{name}_dot"], "attention": [f"lstm_{name}", f"average_{name}"]}
    combined = {"datasets": ["chorus"], "models": named[next(iter(part))]}
    documents = {"datasets": ["chorus"], "models": ["flan_none"] + [f"han_{name}"] * ("encoder" in part)}
    further = planned(of, jain_wallace=combined, serrano_smith=documents)
    assert by_name(further.jobs()).keys() >= {f"train/chorus/{model}/10" for model in combined["models"]}
    assert further.scope.looks(further.scope.suite("jw")).keys() >= {*combined["models"]}
    with pytest.raises(AuditError, match=r"^config: model\.\w+: input should be .*, not '\w+'$"):
        plan_of(**TINY | BASE | {"model": TINY["model"] | part})


def test_a_suite_of_a_plugin_is_run(folder: Path) -> None:
    plan = plan_of(**TINY | MINE, plugins=OF["A suite"].plugins)
    make(plan, "results/tables/mine_table_performance.parquet", "results/tables/summary.parquet", "results/README.md")
    assert len(read_frame(Path("results/tables/mine_table_performance.parquet"), TABLE)) == 3
    guide = Path("results/README.md").read_text()
    assert "My own models" in guide
    assert "how well my own model predicts" in guide
    with pytest.raises(AuditError, match=r"^config: mine\.datasets: unknown data set 'choir'"):
        plan_of(**TINY | {"mine": {"datasets": ["choir"]}}, plugins=["my_suite"])
    with pytest.raises(AuditError, match=r"^config: mine\.epoch: unknown key \(did you mean 'epochs'\?\)$"):
        plan_of(**TINY | {"mine": {"epoch": 3}}, plugins=["my_suite"])
    with pytest.raises(AuditError, match=r"^config: mine: unknown key"):
        plan_of(**TINY | MINE)


def codes(**changes: Any) -> dict[str, str]:
    """The hashes of all jobs of a run with all plugins of the page."""
    forget()
    plan = plan_of(**TINY | changes, plugins=[name for plugin in PLUGINS for name in plugin.plugins])
    jobs = by_name(plan.jobs())
    audits = {name: job.settings.audits for name, job in jobs.items() if job.stage in ("audits", "attribution")}
    found = {name: job.code for name, job in jobs.items()}
    return found | {f"{name}/{each.audit.audit}": each.code for name, several in audits.items() for each in several}


def test_an_edit_of_a_plugin_changes_what_uses_it_and_nothing_else(folder: Path) -> None:
    section = {"datasets": ["chorus"], "models": ["average_tanh"]}
    run = {**MINE, "datasets": ["chorus"], "model": TINY["model"] | {"encoder": "positions"}, "jain_wallace": section}
    before = codes(**run)

    def edited(path: str, old: str, new: str) -> set[str]:
        text = Path(path).read_text()
        assert old in text
        Path(path).write_text(text.replace(old, new))
        after = codes(**run)
        Path(path).write_text(text)
        assert before.keys() == after.keys()
        return {name for name in before if before[name] != after[name]}

    assert edited("my_lengths.py", "max()", "min()") == {"table/longest"}
    trained = edited("my_waves.py", "10_000", "1_000")
    assert trained >= {"train/chorus/base/10", "attribution/chorus/base/located"}
    assert not any("mine" in name or "average_tanh" in name for name in trained)
    assert edited("my_entropy.py", ".sum()", ".max()") == set()
    ranked = edited("my_positions.py", "return -", "return +")
    assert {"erasure/chorus/mine_bigru/ranked_sets", "erasure/chorus/base/single_weight"} <= ranked
    assert not any(name.startswith(("train", "table/mine", "permutation")) for name in ranked)
    assert all("attribution" in name for name in edited("my_scores.py", "length, 0, -1", "length, 1, -1"))
    # words cost nothing
    assert edited("my_waves.py", '"""The vectors of words', '"""All vectors of words') == set()


def test_jobs_know_plugins_by_the_environment(folder: Path) -> None:
    planned("An encoder", **BASE)
    assert os.environ[NAMED] == "my_encoders"
    assert str(folder) in os.environ[FOLDERS].split(os.pathsep)
    plan_of()
    assert os.environ[NAMED] == ""


AUDIT = "from attention_audit.plan.audits import Audit\nAUDITS = (Audit({}),)\n"
TABLES = "from attention_audit.plan.exhibit import *\nTABLES = (Table({}),)\n"
SUITE = "from attention_audit.plan.suite import Suite\nSUITES = (Suite(paper='', title='', about='', {}),)\n"
PERMUTED = "'tables.performance:own_table_performance', 'x'"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (None, r"my_fault: there is no my_fault\.py in .*, and no package of this name is installed"),
        ("import nowhere_at_all\n", r"my_fault: cannot be imported \(ModuleNotFoundError: No module .*\); mend it"),
        ("x = (\n", r"my_fault: cannot be imported \(SyntaxError: .*\); mend it"),
        ("", r"my_fault: .*my_fault\.py declares none of .*AUDITS.*; write what it adds into one"),
        ("AUDIT = ()\n", r"declares none of .* \(did you mean 'AUDITS'\?\);"),
        ("AUDITS = 'entropy'\n", r"my_fault: AUDITS is 'entropy'; write a tuple: AUDITS = \(\.\.\.,\)"),
        ("AUDITS = ('entropy',)\n", r"my_fault: AUDITS holds 'entropy', which is no Audit; write one there"),
        (
            AUDIT.format("'entropy', 'Why?', 'my_entropy:entropi', 'my_audits:ENTROPY'"),
            r"entropy: my_entropy:entropi: .*my_entropy\.py has no 'entropi' \(did you mean 'entropy'\?\)",
        ),
        (
            AUDIT.format("'entropy', 'Why?', 'my_entropie:entropy', 'my_audits:ENTROPY'"),
            "my_entropie:entropy: there is no module my_entropie",
        ),
        (
            AUDIT.format("'entropy', 'Why?', 'my_entropy:entropy', 'my_audits:ENTROPIE'"),
            r"my_audits:ENTROPIE: .* has no 'ENTROPIE' \(did you mean 'ENTROPY'\?\)",
        ),
        (
            AUDIT.format("'entropy', 'Why?', 'my_entropy:entropy', 'my_entropy:nats'"),
            "my_entropy:nats: no columns are declared there",
        ),
        (
            AUDIT.format("'permutation', 'Why?', 'my_entropy:entropy', 'columns.audits:PERMUTATION'"),
            "AUDITS: permutation: is the name of one of the package; choose another",
        ),
        (
            AUDIT.format("'other', 'Why?', 'my_entropy:entropy', 'columns.audits:PERMUTATION'"),
            r"columns\.audits:PERMUTATION is of permutation, .*; write other, audits/",
        ),
        (TABLES.format(f"{PERMUTED}, 'mine'"), r"TABLES: mine: its caption mine\.rst is missing; write what it shows"),
        (TABLES.format(f"{PERMUTED}, 'summary'"), "TABLES: summary: "),
        (
            TABLES.format(f"{PERMUTED}, 'longest', reads={{'a': of_every_suite('entropi')}}"),
            "longest: audit 'entropi' is not known",
        ),
        (
            TABLES.format(f"{PERMUTED}, 'longest', reads={{'a': of_every_suite('performance', 'valu')}}"),
            r"longest: no column of performance is called 'valu' .* \(did you mean 'value'\?\)",
        ),
        (
            SUITE.format("name='mi-ne', models='my_suite:list_models', audits=()"),
            "SUITES: mi-ne: the name 'mi-ne' has small letters and digits only; choose another",
        ),
        (
            SUITE.format("name='mine', models='my_suite:list_models', audits=('permutaton',)"),
            r"SUITES: mine: audits: audit 'permutaton' is not known \(did you mean 'permutation'\?\); choose another",
        ),
        (
            SUITE.format("name='mine', models='my_suite:list_model', audits=()"),
            r"SUITES: mine: my_suite:list_model: .* has no 'list_model' \(did you mean 'list_models'\?\)",
        ),
        (
            "from attention_audit.model.architecture import *\nENCODERS = (EncoderEntry('waves', 'my_waves:Waves'),)\n",
            "ENCODERS: waves: my_waves:Waves: .* has no 'Waves'",
        ),
        (
            "from attention_audit.model.architecture import *\nENCODERS = (EncoderEntry('waves'),)\n",
            r"cannot be imported \(TypeError: .*'target'\)",
        ),
        (
            "from attention_audit.names import *\nRANKINGS = (Method('a', 'my_a:a', Look('a')),)\n",
            "my_a:a: there is no",
        ),
    ],
)
def test_what_is_missing_is_said_in_one_line(folder: Path, text: str | None, line: str) -> None:
    if text is not None:
        Path("my_fault.py").write_text(text)
    with pytest.raises(AuditError, match=rf"^config: plugins: my_fault: .*{line.removeprefix('my_fault: ')}") as said:
        plan_of(**TINY | BASE, plugins=["my_fault"])
    assert len(str(said.value).splitlines()) == 1


def test_plugins_with_one_name_twice_or_that_of_a_module_here_are_refused(folder: Path) -> None:
    Path("my_again.py").write_text(Path("my_rankings.py").read_text())
    Path("names.py").write_text("")
    with pytest.raises(AuditError, match="my_again: RANKINGS: position: is the name of one of my_rankings; choose"):
        plan_of(**TINY | BASE, plugins=["my_rankings", "my_again"])
    with pytest.raises(AuditError, match="names: attention_audit has a module of this name; rename the file"):
        plan_of(**TINY | BASE, plugins=["names"])
    with pytest.raises(AuditError, match=r"^config: plugins\.0: string should match pattern"):
        plan_of(**TINY | BASE, plugins=["../names"])
