"""The map of an earlier layer of a classifier: what is read of it, what it is asked, and what it is not."""

from dataclasses import replace
from pathlib import Path

import classifiers_on_disk
import numpy as np
import pytest
from in_process import make_exhibit
from planned import CLASSIFIERS_ALONE, model_of, plan_of, read_audit, read_made, refuse_plan
from readouts import make_readout
from refusal import refusal
from rules import list_jobs
from transformers_on_disk import LETTERS

from attention_audit import api
from attention_audit.artefacts.parquet import read_frame
from attention_audit.artefacts.weights import read_weights
from attention_audit.audits.comparison import compare_maps
from attention_audit.audits.rankings import BY_MAP, list_scores, rank
from attention_audit.audits.settings import Permutation
from attention_audit.columns.files import CORPUS
from attention_audit.plan.configuration import write_configuration
from attention_audit.plan.exhibits import FIGURES
from attention_audit.readout import Maps, read_readout

WORDS = ["good", "bad", "film", "the", *LETTERS]
ALONE = CLASSIFIERS_ALONE | {
    "corpora": {"chorus": {"texts": {"train": 40, "dev": 20, "test": 24}}},
    "agreement": {"texts": 3, "steps": 4},
}


def test_a_mean_of_several_rows_is_asked_what_an_earlier_layer_is(folders, tmp_path):
    names = {"names": ("0", "1"), "words": WORDS, "classifier_pooling": "mean"}
    own = [str(classifiers_on_disk.save(tmp_path / str(seed), "modernbert", seed=seed, **names)) for seed in (1, 2)]
    plan = planned(own)
    assert [*plan.scope.find_data("hf", "chorus").models] == ["mine"]
    assert model_of(plan, "hf", "chorus", "mine").layer == 2
    windows = model_of(planned(folders, long="window"), "hf", "chorus", "mine")
    assert (windows.layer, windows.reads[0].long) == (2, "window")
    assert model_of(planned(own, layer=1), "hf", "chorus", "mine").layer == 1
    line = "classifies the mean of all tokens, so that no row's weights decide; leave `u"
    refuse_plan(line, **changes(own[:1], uniform=own[1:]))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two trainings of two layers."""
    made = tmp_path_factory.mktemp("classifiers")
    save = classifiers_on_disk.save
    return [str(save(made / str(seed), names=("0", "1"), seed=seed, words=WORDS, hidden_size=8)) for seed in (1, 2)]


def changes(folders, **further):
    return ALONE | {"hf": {"chorus": {"models": {"mine": folders}, "max_length": 24} | further}}


def planned(folders, **further):
    return plan_of(**changes(folders, **further))


def test_the_last_layer_by_its_number_is_the_last_layer(folders):
    plan = planned(folders, layer=2)
    assert [*plan.scope.find_data("hf", "chorus").models] == ["mine", "imposed"]
    assert model_of(plan, "hf", "chorus", "mine").layer is None
    tails = {job.rule: "tail" in job.outputs for job in list_jobs(plan).values() if "readout" in job.outputs}
    assert tails == {"read_classifier": True, "impose_uniform": False}


@pytest.mark.parametrize(
    ("further", "line"),
    [
        ({"layer": 3}, r"chorus, mine: layer 3, and .* has 2; name one of these"),
        ({"layer": 0}, r"hf\.chorus\.layer: input should be greater than or equal to 1"),
        ({"layer": 1, "uniform": ["x"]}, r"hf\.chorus: uniform: has uniform weights in its last layer; leave it"),
        ({"layer": 1, "models": {}, "recipe": {"path": "x"}}, r"hf\.chorus: has a recipe, and layer, which is said of"),
        ({"recipe": {"path": "x"}}, r"hf\.chorus: has a recipe, and models, which is said of"),
        ({"long": "window", "uniform": ["x"]}, r"hf\.chorus: uniform: .* leave it or `long: window` out"),
        ({"long": "window", "models": {}, "recipe": {"path": "x"}}, r"hf\.chorus: has a recipe, and long: window"),
    ],
)
def test_a_layer_that_cannot_be_is_one_line(folders, further, line):
    refuse_plan(line, **changes(folders[:1], **further))


def test_it_is_read_located_and_shown(folders, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = planned(folders, layer=1)
    make_exhibit(plan, FIGURES["hf_fig_attention_maps"])
    row, _, held = (read_made(plan, name) for name in ("summary", "texts", "hf_table_maps"))
    assert row["used_reason"][0].startswith("permutation needs predictions that follow from the weights")
    assert row["located_texts"][0] > 0
    assert read_weights(Path("results/readouts/chorus/hf_mine/seed1/tail.safetensors")) == {}
    stable = held[held["metric"] == "rank_stability"]
    assert set(stable["ranking"]) == {"attention", "loo", "integrated_gradients"}
    assert stable["mean"].between(-1, 1).all()
    maps = read_audit(plan, "attention_maps", "chorus", "hf_mine")
    assert set(maps["weights"]) == {"base"}
    assert maps["token"].tolist()[-2:] == ["[CLS]", "[SEP]"]

    # and a text of one's own is read by the same trainings
    write_configuration(plan.config)
    stored = read_readout(Path("results/readouts/chorus/hf_mine/seed1/test.parquet"))
    corpus = read_frame(Path("results/corpora/chorus/corpus.parquet"), CORPUS).set_index("id")
    words = list(corpus.loc[stored.ids[0], "tokens"])
    trained = api.trained("results", "chorus", "hf", "mine")
    reading = trained.read(words)
    assert reading.words["word"].tolist() == [*words, "[CLS]", "[SEP]"]
    read = reading.words["weight"].notna()
    assert read.tolist() == [at < stored.words[0] or at >= len(words) for at in range(len(words) + 2)]
    assert len(words) > stored.words[0]
    assert reading.words["weight"][read].to_numpy() == pytest.approx(stored.attention[0], abs=1e-6)
    assert reading.words["contribution"].isna().all()
    assert reading.words["gradient"].notna().sum() == stored.words[0]
    assert reading.words["known"].tolist() == read.tolist()
    unread = trained.read([words[0], "жук"]).words
    assert unread["known"].tolist() == [True, False, True, True]
    assert not {"layer_1", "rollout"} & {*reading.words}

    # with two maps, side by side
    reading = trained.read(words, maps=["layer_1", "rollout"])
    of_words = slice(0, stored.words[0])
    assert reading.words["layer_1"].notna().sum() == reading.words["rollout"].notna().sum() == stored.words[0]
    # the map of this layer is what the run calls attention
    assert reading.words["layer_1"][of_words].to_numpy() == pytest.approx(stored.attention[0][of_words], abs=1e-6)
    shown = [axes.get_xlabel() for axes in reading.figure().axes]
    assert shown == ["attention", "share of the gradient", "layer 1", "rollout"]
    assert "map 'rolout' is not known" in refusal(trained.read, words, maps=["rolout"])


@pytest.fixture
def only_read():
    """Texts of three words and two marks, of which one map is read."""
    given = make_readout([5, 5, 5])
    maps = Maps([weights[:, None] for weights in given.attention], np.full(3, 2))
    nothing = [np.empty((5, 0), np.float32)] * 3
    return replace(given, contribution=nothing, bias=np.empty((3, 0), np.float32), several=maps)


def test_no_audit_takes_it_for_a_map_that_decides(only_read):
    compared = compare_maps(only_read, only_read, Permutation(permutations=2, seed=1))
    assert compared["same_top"].all()
    np.testing.assert_allclose(compared["jsd"], 0, atol=1e-12)
    orders, erased = rank(only_read, list_scores(only_read, 1) | {"loo": [np.array([0.1, 0.3, 0.2])] * 3})
    assert (*orders,) == (*BY_MAP, "loo")
    assert np.isnan([*erased.values()]).all()
    assert [list(order) for order in orders["loo"]] == [[1, 2, 0]] * 3
    for order, weights in zip(orders["attention"], only_read.attention, strict=True):
        assert list(order) == np.argsort(-weights[:3], kind="stable").tolist()
