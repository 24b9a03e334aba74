"""What jobs ask of a cluster: by hand, and that every rule that submits a job says it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from attention_audit.needs import Needs, megabytes, read_needs

ROOT = Path(__file__).parents[2]
NEEDS = ROOT / "workflow" / "resources.yaml"
RULES = {path.name: path.read_text() for path in sorted((ROOT / "workflow" / "rules").glob("*.smk"))}


def rules() -> dict[str, str]:
    """The text of every rule with a command; a rule that only alters another is left out."""
    text = "\n".join(RULES.values())
    bodies = {match[1]: match[2] for match in re.finditer(r"^rule (\w+):\n((?:    .*\n|\n)*)", text, re.MULTILINE)}
    return {name: body for name, body in bodies.items() if "    shell:" in body}


def local() -> set[str]:
    """The rules that run where Snakemake runs."""
    lists = re.findall(r"^localrules:\n((?:    \w+,\n)+)", "\n".join(RULES.values()), re.MULTILINE)
    return {name for names in lists for name in re.findall(r"\w+", names)}


def test_by_hand() -> None:
    need = Needs(memory=[1000, 20], minutes=[10, 0.5])
    assert (need.mem_mb(0), need.mem_mb(2.51), need.mem_mb(2.5, attempt=3)) == (1000, 1051, 3150)
    assert (need.runtime(0), need.runtime(4), need.runtime(4, passes=10), need.runtime(4, 2)) == (10, 12, 30, 24)


def test_size_is_that_of_the_inputs_but_weights_and_vectors(tmp_path: Path) -> None:
    for name, size in {
        "corpus.parquet": 1_500_000,
        "readout.parquet": 500_000,
        "seed10.safetensors": 9_000_000,
    }.items():
        (tmp_path / name).write_bytes(b"0" * size)
    assert megabytes(tmp_path.iterdir()) == 2.0
    with pytest.raises(FileNotFoundError):
        megabytes([tmp_path / "corpus.parquet", tmp_path / "later.parquet"])
    assert megabytes([tmp_path / "later.safetensors", tmp_path / "vectors" / "glove.zip"]) == 0


def test_a_wrong_line_is_refused(tmp_path: Path) -> None:
    for line in ("{memory: [1000], minutes: [1, 1]}", "{memory: [1000, 1], minutes: [1, -1]}", "{memory: [1000, 1]}"):
        path = tmp_path / "resources.yaml"
        path.write_text(f"train: {line}\n")
        with pytest.raises(ValidationError):
            read_needs(path)


def test_every_rule_that_submits_a_job_says_what_it_needs() -> None:
    submitted = rules().keys() - local()
    assert {"train", "readout", "corpus", "attribution"} <= submitted
    named = set()
    for name in submitted:
        [folder] = re.findall(r'"results/logs/(\w+)/', rules()[name])
        assert f'**needs("{folder}"),' in rules()[name], name
        named.add(folder)
    assert named == read_needs(NEEDS).keys()


def test_what_needs_the_network_is_local() -> None:
    assert "fetch" in local()
    for name in local():
        assert "resources:" not in rules().get(name, ""), name


def test_the_profile_groups_rules_that_there_are() -> None:
    groups = yaml.safe_load((ROOT / "profiles" / "slurm" / "config.yaml").read_text())["groups"]
    known = set(re.findall(r"^(?:use rule \w+ as|rule) (\w+)", "\n".join(RULES.values()), re.MULTILINE))
    assert groups.keys() <= known
    assert {name for name in known if re.match("train|readout", name)} <= groups.keys()


def test_profiles_agree_on_what_both_name() -> None:
    """Snakemake gives the default profile the last word, so the other must not differ."""
    default, slurm = (
        yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text()) for name in ("default", "slurm")
    )
    assert default.keys() & slurm.keys() == set()
