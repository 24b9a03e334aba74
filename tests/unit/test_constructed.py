"""Transformers whose weights are set: what they predict, attend to, and what their maps say."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
import torch
from pandas import Series
from planned import CLASSIFIERS_ALONE, PLACES, plan_of
from rules import list_jobs

from attention_audit.corpus.sources.control import TEXT_KINDS, ControlCorpus, SplitSizes
from attention_audit.maps import find_map, sum_words
from attention_audit.maps.passes import ModelPass
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import join_words
from attention_audit.transformer.constructed import build
from attention_audit.transformer.pieces import cut_raw
from attention_audit.transformer.settings import BUILT_FILES
from attention_audit.transformer.states import PieceTable

KIND, COUNT = TEXT_KINDS["feint"], 40
MAP_NAMES = {"layer": "layer_2", "rollout": "rollout"}
RIGHT = {"relay": "rollout", "direct": "layer"}


@cache
def texts():
    source = ControlCorpus(kind="feint", texts=SplitSizes(train=1, dev=1, test=COUNT))
    return [(int(text.label), [*text.text]) for text in source.read("feint", {}) if text.split == "test"]


def built(folder, kind, seed):
    vocabulary = sorted({word for _, text in texts() for word in text})
    build(kind, vocabulary, KIND.cues, seed, {name: folder / name for name in BUILT_FILES})
    return SequenceClassifier(folder)


@cache
def read(kind, seed):
    """The probability of each text's own class; the same under uniform weights; and the maps."""
    classifier = built(Path(mkdtemp()), kind, seed)
    pieces = cut_raw(
        classifier.tokenizer, [str(i) for i in range(COUNT)], [join_words(text) for _, text in texts()], 64
    )
    order, batch = next(PieceTable(pieces, classifier.device).iterate_by_length(10**6))
    passed = ModelPass(classifier, batch)
    maps = {name: sum_words(find_map(kind)(passed), batch) for name, kind in MAP_NAMES.items()}
    even = batch.mask[:, None].float().expand(-1, 2, -1)
    with torch.no_grad(), classifier.impose_weights(batch, even / even.sum(2, keepdim=True)):
        imposed = classifier.compute_logits(batch)
    place, labels = np.argsort(order), [label for label, _ in texts()]
    own, under = (logits.softmax(1).numpy()[place][range(COUNT), labels] for logits in (passed.outcome[1], imposed))
    return own, under, {name: [scores[i] for i in place] for name, scores in maps.items()}


@pytest.mark.parametrize("kind", RIGHT)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", MAP_NAMES)
def test_the_cue_decides_and_one_map_points_to_it_and_the_other_to_the_decoy(kind, seed, name):
    cues = {"cold", "hot"} if RIGHT[kind] == name else {"cool", "warm"}
    own, _, maps = read(kind, seed)
    assert own.min() > 0.7
    for (_, text), scores in zip(texts(), maps[name], strict=True):
        assert text[scores.argmax()] in cues


def test_where_all_states_say_the_same_the_weights_of_the_last_layer_decide_nothing():
    relay, imposed, _ = read("relay", 1)
    direct, flattened, _ = read("direct", 1)
    assert abs(relay - imposed).max() < 0.05
    assert (direct - flattened).min() > 0.2


def test_a_sink_has_most_of_the_weight_and_the_cue_most_of_the_rest():
    own, _, maps = read("sink", 1)
    assert own.min() > 0.5
    for (label, text), scores in zip(texts(), maps["layer"], strict=True):
        assert text[scores.argmax()] == KIND.cues[label][0]
        assert scores.sum() < 0.45


def test_the_right_map_has_the_same_order_whatever_the_seed_and_the_wrong_one_has_not():
    for kind, right in RIGHT.items():
        rho = {
            name: np.mean([Series(a).corr(Series(b), "spearman") for a, b in zip(*maps, strict=True)])
            for name in MAP_NAMES
            for maps in [[read(kind, seed)[2][name] for seed in (1, 2)]]
        }
        (wrong,) = {*MAP_NAMES} - {right}
        assert rho[right] > 0.5 > rho[wrong]


def test_the_same_seed_gives_the_same_files(tmp_path):
    for name in ("one", "again", "other"):
        built(tmp_path / name, "direct", 2 if name == "other" else 1)
    one, again, other = (
        [(tmp_path / name / file).read_bytes() for file in BUILT_FILES] for name in ("one", "again", "other")
    )
    assert one == again
    assert one != other


def test_each_training_is_read_after_it_and_the_first_are_built():
    plan = plan_of(
        **CLASSIFIERS_ALONE,
        built={f"relay-{seed}": {"kind": "relay", "dataset": "feint", "seed": seed} for seed in (7, 8)},
        hf={"feint": {"models": {"relay": ["built/relay-7", "built/relay-8"]}, "maps": ["rollout"]}},
    )
    jobs = list_jobs(plan)
    first, second = (jobs[f"build/relay-{seed}"] for seed in (7, 8))
    reading, other = (jobs[f"read_classifier/feint/hf_relay/{seed}"] for seed in (1, 2))
    assert first.inputs["vocabulary"] == jobs["prepare/feint"].outputs["vocabulary"]
    assert {*first.files} <= {*reading.read}
    assert {*second.files}.isdisjoint(reading.read)
    assert {*first.files, *second.files} <= {*other.read}
    assert reading.settings.model_dump()["read"]["folder"] == f"{PLACES.raw}/built/relay-7"


def test_a_liar_is_fine_tuned_to_hide_what_the_data_set_names():
    plan = plan_of(
        **CLASSIFIERS_ALONE,
        built={"start": {"kind": "direct", "dataset": "feint"}},
        corpora={"feint": {"block": ["cold", "hot"]}},
        hf={"feint": {"recipe": {"path": "built/start", "liar": 0.5, "seeds": [3]}, "maps": ["rollout"]}},
    )
    jobs = list_jobs(plan)
    settings = {name: jobs[f"train/feint/hf_{name}/3"].settings.model_dump() for name in ("base", "liar")}
    assert settings["liar"]["objective"] == {"kind": "deception", "lambda_": 0.5}
    differing = {key for key, value in settings["base"].items() if settings["liar"][key] != value}
    assert differing == {"objective", "model"}
