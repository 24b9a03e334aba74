"""Names that nothing makes, and what may have been meant."""

import re

import pytest
from planned import plan_of
from rules import list_jobs, list_makeable

from attention_audit.errors import AuditError
from attention_audit.plan.unknown_targets import end_on_unreadable, list_asked, parse_command, refuse_unknown

RULES = ["all", "wp_fig5", "wp_table2", "summary"]
FILES = [
    "results/figures/wp_fig5_tvd_jsd.pdf",
    "results/figures/wp_fig5_tvd_jsd.png",
    "results/audits/a/wp/permutation.parquet",
]
LISTED = "`snakemake --list-target-rules` names all rules"


def refuse(path):
    if path == "results/corpora/nowhere/corpus.parquet":
        raise AuditError("nowhere: not a data set")


def refused(*names):
    with pytest.raises(AuditError) as caught:
        refuse_unknown(names, RULES, lambda: FILES, refuse)
    return str(caught.value).splitlines()


def test_what_is_there_or_made_is_not_refused():
    refuse_unknown(["all", FILES[1], __file__], RULES, lambda: FILES, refuse)


def test_where_the_plan_knows_why_it_says_so():
    lines = refused("results/corpora/nowhere/corpus.parquet", "xyz")
    assert lines == ["nowhere: not a data set", f"xyz: nothing makes this; {LISTED}"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("wp_fig6", "did you mean wp_fig5? "),
        ("Sumary", "did you mean summary? "),
        (
            "results/figures/wp_fig5_tvd_jsd.svg",
            "did you mean results/figures/wp_fig5_tvd_jsd.pdf or results/figures/wp_fig5_tvd_jsd.png? ",
        ),
        ("results/audits/a/wp/permuttion.parquet", "did you mean results/audits/a/wp/permutation.parquet? "),
        ("results/models/a/wp/permutation.parquet", ""),
        ("xyz", ""),
    ],
)
def test_what_may_have_been_meant_is_said(name, meant):
    assert refused("all", name) == [f"{name}: nothing makes this; {meant}{LISTED}"]


def test_every_unknown_name_has_a_line():
    assert [line.partition(":")[0] for line in refused("wp_fig6", "all", "nix")] == ["wp_fig6", "nix"]


def test_the_files_of_a_plan_are_known():
    plan = plan_of()
    known = list_makeable(plan)
    assert len(set(known)) == len(known)
    assert {path for job in list_jobs(plan).values() for path in job.files} <= set(known)
    assert {
        "results/tables/summary.csv",
        "results/corpora/needle/census.parquet",
        "results/audits/needle/base/permutation.parquet",
        "results/models/needle/base/seed10.safetensors",
        "results/readouts/needle/base/seed10/test.parquet",
        # what no run makes but is there to be asked for
        "results/figures/needle/wp_fig5_tvd_jsd.png",
    } <= set(known)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("wp_fig5 tables", ["wp_fig5"]),
        ("./results/README.md", ["results/README.md"]),
        ("all --until train --set-threads prepare=2 --omit-from figures", ["train", "prepare"]),
        ("all --batch all=1/3", []),
    ],
)
def test_what_a_command_line_names(words, asked):
    command = parse_command(["snakemake", *words.split()])
    assert sorted(list_asked(command, ["wp_fig5"], ["train"])) == sorted(asked)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            "all --batch tables=1/3",
            "--batch tables=1/3: nothing asked for goes through it; write tables --batch",
        ),
        ("all -R wp_fig5", "wp_fig5: gathers files and makes none; "),
        ("--omit-from wp_fig5", "wp_fig5: gathers files and makes none; "),
        ("train", "train: makes several files; ask for them by their paths, or write --until train"),
    ],
)
def test_an_option_that_does_nothing_is_one_line(words, line):
    with pytest.raises(AuditError, match=f"^{re.escape(line)}"):
        list_asked(parse_command(["/usr/bin/snakemake", *words.split()]), ["wp_fig5"], ["train"])


OF_CONFIG = {
    "training.epochs=1": "training.epochs: is a key within a group; write --config 'training={epochs: 1}'",
    "training:epochs=1": "training:epochs: is a key within a group; write --config 'training={epochs: 1}'",
    "guides/hidden=8": "guides/hidden: is a key within a group; write --config 'guides={hidden: 8}'",
    "adversary[continuation][steps]=2": (
        "adversary[continuation][steps]: is a key within a group; write --config 'adversary={continuation: {steps: 2}}'"
    ),
    "x=1": "x: unknown key",
    "=1": "=1: unknown key",
}
"""Entries behind --config, each with what is said of it."""
AFTER_TARGETS = "is not KEY=VALUE; write targets before --config, and quote a value that has spaces"
TWICE = "stands twice, and the last one alone would count; write all behind one"


def end(*words):
    """What is said of a command line before Snakemake reads a Snakefile."""
    with pytest.raises(SystemExit) as caught:
        end_on_unreadable(words)
    return str(caught.value).removeprefix("error: ")


@pytest.mark.parametrize("form", [("--config", "{}"), ("all", "-C", "results=a", "{}"), ("--config={}",)])
def test_an_entry_that_is_no_key_with_a_value(form):
    ends = {word: end(*(part.format(word) for part in form)) for word in OF_CONFIG}
    assert ends == {word: f"config: {line}" for word, line in OF_CONFIG.items()}
    assert end(*(part.format("all") for part in form)) == f"--config all: {AFTER_TARGETS}"


def test_what_stands_twice(tmp_path):
    first, second = (tmp_path / name for name in ("first.yaml", "second.json"))
    first.write_text("datasets: [sst]")
    second.write_text('{"datasets": ["imdb"]}')
    assert end("--configfile", str(first), "-n", "--configfile", str(second)) == f"--configfile: {TWICE}"
    assert end("-C", "results=a", "--config", "resamples=7") == f"--config: {TWICE}"
    end_on_unreadable(["all", "--config", "results=a", "mirror=", "--configfile", str(first), str(second)])


BAD_FILES = {
    "none.yaml": (None, "no such configuration file; name one, and write targets before --configfile"),
    "utf-16.yaml": ("datasets: [sst]".encode("utf-16"), "is not in utf-8; save it in this encoding"),
    "cp1252.yaml": ("datasets: [für]".encode("cp1252"), "is not in utf-8; save it in this encoding"),
    "list.yaml": (b"[sst]", "has no keys at its top level; write some, such as `datasets: [sst]`"),
    "open.yaml": (b"a: 1\nb: [sst", "line 2: is no YAML (expected ',' or ']', but got '<stream end>'); mend it"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_configuration_file_that_cannot_be_read(tmp_path, name):
    content, line = BAD_FILES[name]
    if content:
        (tmp_path / name).write_bytes(content)
    path = str(tmp_path / name)
    assert end("all", "--configfile", path) == end(f"--configfile={path}") == f"{path}: {line}"
    # as a profile names it
    (tmp_path / "profile").mkdir()
    profile = tmp_path / "profile" / "config.yaml"
    for value in (path, f"[{path}]", f"../{name}") if content else (path,):
        profile.write_text(f"configfile: {value}")
        assert end("all", "--profile", str(profile.parent)).endswith(f"{name}: {line}")
    profile.write_text("cores: 1")
    end_on_unreadable(["all", "--profile", str(profile.parent)])


def test_a_folder_for_what_snakemake_caches_that_cannot_be_made(tmp_path, monkeypatch):
    from platformdirs import AppDirs

    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("snakemake.common.APPDIRS", AppDirs("snakemake", "snakemake"))
    line = (
        "no folder for what Snakemake caches (Not a directory); set XDG_CACHE_HOME to a folder that can be written to"
    )
    assert end("all") == f"{tmp_path}/file/snakemake: {line}"


def test_another_program_asks_for_nothing_here():
    assert list_asked(parse_command(["pytest", "train"]), [], ["train"]) == []
