"""Names that nothing makes, and what may have been meant."""

import re

import pytest
from planned import plan_of
from rules import list_jobs, list_makeable

from attention_audit.errors import AuditError
from attention_audit.plan.unknown_targets import list_asked, parse_command, refuse_unknown

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


def test_another_program_asks_for_nothing_here():
    assert list_asked(parse_command(["pytest", "train"]), [], ["train"]) == []
