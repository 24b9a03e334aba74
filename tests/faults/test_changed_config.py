"""A configuration that is changed half-way."""

import random

import pytest
from hurt import contents, differing, kill_after

CHANGES = [
    {"corpora": {"chorus": {"seed": 2, "texts": {"train": 48, "dev": 32, "test": 32}}}},
    {
        "training": {"further_seeds": [51, 52], "epochs": 1},
        "model": {"embedding": 8, "hidden": 4, "attention_hidden": 8},
    },
    {"adversary": {"lambdas": [0.002, 0.01], "epochs": 1, "patience": 1}, "instance_adversary": {"steps": 7}},
]


@pytest.mark.full
@pytest.mark.parametrize("change", CHANGES, ids="+".join)
def test_the_results_are_those_of_the_last_configuration(finished, new_folder, tally, change):
    folder = new_folder()
    draw = random.Random(str(change))
    folder.overlay(**change)
    kill_after(folder, draw.randrange(2, 12), draw.uniform(0, 0.5), "all")
    folder.overlay()
    folder.make("all")
    ours, theirs = contents(folder), contents(finished)
    # what the first configuration alone has, another lambda say, stays beside it
    assert differing({name: ours[name] for name in theirs}, theirs) == []
    tally("another configuration half-way", "the same command continues, results as from a fresh run")


@pytest.mark.whole
def test_a_result_follows_its_configuration_to_and_fro(finished, altered, tally):
    result = "results/audits/chorus/base/instance_adversary.parquet"
    whole = (finished.path / result).read_bytes()
    altered.overlay(instance_adversary={"steps": 7})
    altered.make(result)
    assert (altered.path / result).read_bytes() != whole
    altered.overlay()
    altered.make("wp_table5")
    assert differing(contents(altered), contents(finished)) == []
    tally("another configuration, and back", "results as from a fresh run")
