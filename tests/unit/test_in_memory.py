"""What the public functions return is what a run writes: the same frames, bit by bit."""

import json
from pathlib import Path

import classifiers_on_disk as on_disk
import numpy as np
import pandas as pd
import pytest
import torch
from elsewhere import CLASSES, made
from in_process import make
from planned import CLASSIFIERS_ALONE, PLACES, plan_of

from attention_audit import api
from attention_audit.audits.settings import Permutation
from attention_audit.given.files import write_given_readout
from attention_audit.readout import read_readout

FAST = {"instance_adversary": {"restarts": 1, "steps": 20}, "permutation": {"permutations": 20}}


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    """Have the test in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def read_files(plan, model, names):
    """The audits of these names of a model, and tables, as a run makes them."""
    tables = {name: PLACES.exhibit("tables", name, ".parquet") for name in ("summary", "texts", "hf_table_maps")}
    paths = {name: tables.get(name) or PLACES.audit_file("texts", model, name) for name in names}
    make(plan, *paths.values())
    return {name: pd.read_parquet(path) for name, path in paths.items()}


def assert_same(ours, files):
    assert {*ours} == {*files}
    for name, frame in files.items():
        pd.testing.assert_frame_equal(ours[name], frame, check_exact=True, obj=name)


@pytest.mark.parametrize("heads", [0, 3])
def test_frames_of_readouts_are_the_files_of_a_run(heads):
    models = {
        "readouts": [made(1, 30, heads=heads), made(2, 30, heads=heads)],
        "uniform": [made(3, 30, "alike")],
        "adversaries": [made(1, 30, "elsewhere")],
    }
    entry = {}
    for model, readouts in models.items():
        entry[model] = [f"{model}{number}.parquet" for number in range(len(readouts))]
        for path, readout in zip(entry[model], readouts, strict=True):
            write_given_readout(readout, path)
    entry["models"] = {"model": entry.pop("readouts")}
    frames = api.audit(**models, classes=CLASSES, settings=FAST)
    plan = plan_of(**CLASSIFIERS_ALONE, **FAST, own={"texts": entry | {"classes": CLASSES}})
    assert ("heads" in frames) == bool(heads)
    assert_same(frames, read_files(plan, "own_model", frames))


def test_tables_of_classifiers_are_the_files_of_a_run():
    names = ["anger", "joy", "fear"]
    folders = [str(on_disk.save(f"model{seed}", seed=seed, names=names, moved=True)) for seed in (0, 1)]
    words = [word for word in on_disk.WORDS if word.isalpha()]
    texts = [" ".join(words[(5 * at + 3 * step) % len(words)] for step in range(1 + at % 6)) for at in range(20)]
    labels = [names[at % 3] for at in range(len(texts))]
    rows = [
        {"id": str(at), "text": text, "label": label}
        for at, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    Path("texts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    settings = FAST | {"agreement": {"texts": 5, "steps": 4}, "deletion": {"texts": 12}}
    audited = api.audit_classifier(
        folders, None, texts, labels, maps=["rollout"], max_length=12, progress=False, settings=settings
    )
    source = {"kind": "table", "path": {"test": "texts.jsonl"}, "id": "id", "classes": names}
    asked = "predictions stability permutation ranked_sets shuffles located contributions map_stability"
    plan = plan_of(
        **CLASSIFIERS_ALONE,
        **settings,
        corpora={"texts": source | {"tokens": {"tokenizer": "en", "lower": False}}},
        hf={"texts": {"models": {"model": folders}, "maps": ["rollout"], "max_length": 12}},
        audits={"hf": [*asked.split(), "attribution_stability"]},
    )
    ours = {"summary": audited.summary, "texts": audited.texts, "hf_table_maps": audited.maps}
    assert_same(ours, read_files(plan, "hf_model", ours))
    for run, readout in zip(plan.scope.find_data("hf", "texts").judged[0].runs, audited.readouts, strict=True):
        stored = read_readout(Path(run.locate_readout()))
        for name in ("attention", "contribution", "probabilities", "predictions", "labels"):
            pairs = zip(getattr(stored, name), getattr(readout, name), strict=True)
            assert all(np.array_equal(*pair) for pair in pairs), name


def test_threads_and_draws_of_a_notebook_stay_as_they_are():
    before = torch.get_num_threads(), torch.get_rng_state()
    api.audit(made(1, 6), settings={"audits": {"own": ["permutation"]}, "threads": 1})
    assert torch.get_num_threads() == before[0]
    assert torch.equal(torch.get_rng_state(), before[1])


def test_settings_say_what_is_asked():
    settings = {"audits": {"own": ["permutation", "stability"]}, "permutation": {"seed": 3}}
    frames = api.audit(made(1, 6), settings=settings)
    # of one training, there is no other to hold it against
    assert {*frames} == {"permutation", "predictions", "summary", "texts"}
    reason = frames["summary"].loc[0, "used_reason"]
    assert "not asked" not in reason
    again = api.audit(made(1, 6), settings=settings | {"permutation": Permutation().model_dump()})
    assert not frames["permutation"]["mean_tvd"].equals(again["permutation"]["mean_tvd"])


OWN = """
from attention_audit.columns.kinds import OF_TEXT_BY_LAMBDA, describe_file, item_count

KNOWN = describe_file("known", meaning="Words.", **OF_TEXT_BY_LAMBDA, words=item_count("words of the text"))


def known(readout, facts):
    return {"id": readout.ids, "words": [len(facts.tokens[id_]) for id_ in readout.ids]}
"""


def test_an_audit_of_ones_own_is_asked_and_gets_the_texts(monkeypatch, tmp_path):
    Path("my_words.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    rows = api.audit([made(1, 6), made(2, 6)], settings={"audits": {"own": ["my_words:known"]}})["known"]
    assert rows["seed"].tolist() == [1] * 6 + [2] * 6
    assert rows["words"].tolist() == [*map(len, made(1, 6).tokens)] * 2
