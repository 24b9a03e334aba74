"""Keys that stand twice in a configuration file, of which YAML would lose one; values on the command line."""

import pytest
from planned import ROOT
from snakemake.cli import parse_config as command_line

from attention_audit.errors import AuditError
from attention_audit.yaml_input import parse_value, read_package_yaml, refuse_given_twice


@pytest.mark.parametrize(
    "path",
    [ROOT / "config.yaml", *sorted((ROOT / "workflow").glob("*.yaml")), *sorted((ROOT / "presets").glob("*.yaml"))],
    ids=lambda path: path.stem,
)
def test_no_file_of_ours_gives_a_key_twice(path):
    refuse_given_twice(path)


def test_each_key_is_named_with_both_lines(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("agreement: {texts: 1}\ntraining:\n  seed: 1\n  epochs: 2\n  seed: 3\nagreement: {steps: 2}\n")
    with pytest.raises(AuditError) as refusal:
        refuse_given_twice(path)
    assert str(refusal.value).splitlines() == [
        f"{path}: the key training.seed stands in line 3 and again in line 5; leave one out",
        f"{path}: the key agreement stands in line 1 and again in line 6; leave one out",
    ]


@pytest.mark.parametrize(
    "text",
    ["", "a: &x {b: 1}\nc: *x\n", "a: {b: 1}\nb: {a: 1}\n", "- {a: 1}\n- {a: 2}\n", "a: &x [*x]\n", "a: [", "a: !!x {"],
)
def test_what_gives_no_key_twice_is_left_to_its_readers(text, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    refuse_given_twice(path)
    refuse_given_twice(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(("text", "line"), [("a: 1\nb: {c: ?, d: ]}\n", 2), ("a:\n  b: 1\n c: 2\n", 3), ("\n*x", 2)])
def test_a_fault_in_a_file_of_the_package_names_file_and_line(text, line, tmp_path):
    path = tmp_path / "suites.yaml"
    path.write_text(text)
    with pytest.raises(AuditError) as refusal:
        read_package_yaml(path)
    assert refusal.value.place == f"{path}, line {line}"
    path.write_text("a: {b: ä}\n", encoding="utf-8")
    assert read_package_yaml(path) == {"a": {"b": "ä"}}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("key={seeds: [10, 50], rate: 0.002, first: true}", {"seeds": [10, 50], "rate": 0.002, "first": True}),
        ("key={folder: babi, none: null, empty: ''}", {"folder": "babi", "none": None, "empty": ""}),
        ("key={b: {c: [x, 1]}}", {"b": {"c": ["x", 1]}}),
        # YAML takes these for a date, a list and no YAML at all; a user who writes them means the text
        ("key={day: 2026-01-02, like: '[1]', odd: '{'}", {"day": "2026-01-02", "like": "[1]", "odd": "{"}),
        ("key=8", 8),
        ("key=sst", "sst"),
    ],
)
def test_numbers_within_brackets_are_numbers_on_the_command_line_too(word, expected):
    assert parse_value(command_line([word])["key"]) == expected
