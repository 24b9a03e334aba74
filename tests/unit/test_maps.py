"""Maps that a readout carries: kept in files, asked by audits, and held against each other."""

from dataclasses import replace

import classifiers_on_disk
import numpy as np
import pandas as pd
import pytest
from drawn import assert_readable
from labels import LABELS
from planned import refuse_plan
from readouts import make_readout

from attention_audit.artefacts.parquet import write_batches
from attention_audit.audits.batches import compute_rank_correlation
from attention_audit.audits.comparison import map_stability
from attention_audit.contrasts import EvaluatedModel
from attention_audit.figures.attributions import hf_fig_maps
from attention_audit.names import MAPS, NUMBERED, RANKINGS
from attention_audit.readout import read_readout
from attention_audit.tables.maps import PASSES, hf_table_maps

TEXTS, TRAININGS = 120, 3
LOOKS = LABELS | RANKINGS.labels | {"hf": "Transformer classifiers", "mine": "mine"}


def readout(maps, attention):
    made = {name: [np.array(row, np.float32) for row in rows] for name, rows in [*maps.items(), ("own", attention)]}
    return replace(make_readout([*map(len, attention)]), attention=made.pop("own"), maps=made)


def test_maps_are_kept_in_the_file_and_go_with_their_texts(tmp_path, provenance, monkeypatch):
    own = readout({"rollout": [[0.5, 0.25], [1, 2, -3]], "alti": [[1, 0], [0, 0, 1]]}, [[0.5, 0.5], [0.25, 0.5, 0.25]])
    path = tmp_path / "test.parquet"
    monkeypatch.setattr("attention_audit.readout.READOUT_TEXTS_AT_ONCE", 1)
    write_batches(path, own.kind, own.tables(), provenance)
    found = read_readout(path)
    assert [*found.maps] == ["rollout", "alti"]
    assert found.maps["rollout"][1].tolist() == [1, 2, -3]
    assert found.align(["text-1"]).maps["alti"][0].tolist() == [0, 0, 1]
    none = readout({}, [[0.5, 0.5]])
    write_batches(path, none.kind, none.tables(), provenance)
    assert read_readout(path).maps == {}


def test_the_order_of_words_in_another_training():
    assert compute_rank_correlation(np.array([1, 2, 3]), np.array([-5, 0, 9])) == pytest.approx(1)
    assert compute_rank_correlation(np.array([1, 2, 3]), np.array([3, 2, 1])) == pytest.approx(-1)
    # ranks 1, 2.5, 2.5 and 1, 2, 3: 1.5 / sqrt(1.5 * 2)
    assert compute_rank_correlation(np.array([0, 1, 1]), np.array([0, 1, 2])) == pytest.approx(1.5 / np.sqrt(3))
    assert np.isnan(compute_rank_correlation(np.array([1, 1]), np.array([1, 2])))
    one = readout({"rollout": [[3, 2, 1]], "flow": [[1, 2, 3]]}, [[0.5, 0.3, 0.2]])
    other = readout({"rollout": [[1, 2, 3]]}, [[0.6, 0.3, 0.1]])
    found = pd.DataFrame(map_stability(one, other))
    assert found.to_dict("records") == [
        {"id": "text-0", "map": "attention", "rho": pytest.approx(1)},
        {"id": "text-0", "map": "rollout", "rho": pytest.approx(-1)},
    ]


ABOUT = {"dataset": "chorus", "suite": "hf", "model": "mine"}
PREDICTIONS = pd.DataFrame(
    {**ABOUT, "seed": seed, "id": f"t{text:03}", "label": text % 2, "prediction": text % 2, "items": 4}
    for seed in range(1, TRAININGS + 1)
    for text in range(TEXTS)
)


def audits(**found):
    """Rows in which each ranking loses the same everywhere; rollout has the same order in every training."""
    falls = [
        {**ABOUT, "seed": seed, "id": f"t{text:03}", "ranking": ranking, "falls_0": fall, "falls_1": fall}
        for ranking, fall in found.items()
        for seed in range(1, TRAININGS + 1)
        for text in range(TEXTS)
    ]
    stable = [
        {**ABOUT, "seed": seed, "other": other, "id": f"t{text:03}", "map": "rollout", "rho": 0.75}
        for seed, other in ((2, 1), (3, 1), (3, 2))
        for text in range(TEXTS)
    ]
    marked = pd.DataFrame(columns=["dataset", "suite", "model", "seed", "id", "annotator", "attribution", "auprc"])
    tables = {"located": pd.DataFrame(falls), "map_stability": pd.DataFrame(stable), "predictions": PREDICTIONS}
    tables["attribution_stability"] = tables["map_stability"].assign(map="loo", rho=0.5)
    return tables | {"plausibility": marked, "plausible_words": marked}


JUDGED = EvaluatedModel(dataset="chorus", suite="hf", paper="hf", model="mine", seeds=3, items="words", unasked={})


def table(found):
    return hf_table_maps(**found, corpus={}, census={}, subjects=[JUDGED], answer={})


def test_maps_are_held_against_each_other_by_what_they_locate():
    made = table(audits(random=0.1, attention=0.2, rollout=0.4, attn_lrp=-0.02, loo=0.5))
    located = made[made["metric"] == "located"].set_index("ranking")
    # (own - random) / (leave-one-out - random), the best first
    expected = {"loo": 1.0, "rollout": 0.75, "attention": 0.25, "attn_lrp": -0.3}
    assert located["mean"].to_dict() == pytest.approx(expected)
    assert list(located.index) == list(expected)
    assert located["note"].tolist() == [
        "sets the 1; L F", "at least in part; 1 F", "at most in part; 1 F", "no; 1 F + 1 B",
    ]  # fmt: skip
    opposes = made[made["metric"] == "opposes"].set_index("ranking")["mean"]
    # only a fall below -.01 counts as a rise
    assert opposes.to_dict() == dict.fromkeys(expected, 0.0) | {"attn_lrp": 1.0}
    stable = made[made["metric"] == "rank_stability"]
    assert dict(zip(stable["ranking"], stable["mean"], strict=True)) == {
        "loo": pytest.approx(0.5), "rollout": pytest.approx(0.75),
    }  # fmt: skip


def test_classes_that_lie_apart_are_told_apart():
    found = audits(random=0.1, attention=0.2, loo=0.5)
    falls = found["located"]
    other = falls["ranking"].eq("attention") & falls["id"].str[1:].astype(int).mod(2).eq(1)
    falls.loc[other, ["falls_0", "falls_1"]] = 0.46
    made = table(found)
    note = made[made["ranking"] == "attention"]["note"].iloc[0]
    assert note == "0 at most in part; 1 yes; 1 F"


def test_the_figure_of_maps_is_readable():
    shown = [name for name in MAPS if name not in NUMBERED or name in ("head_12", "layer_3")]
    falls = {name: 0.1 + 0.02 * place for place, name in enumerate(shown)}
    made = table(audits(random=0.1, loo=0.5, attention=0.2, **falls))
    assert_readable(hf_fig_maps(made, LOOKS))
    assert not hf_fig_maps(made.iloc[:0], LOOKS).axes


def test_every_map_has_a_cost_and_a_look_of_its_own():
    assert {*MAPS} <= {*PASSES}
    looks = {name: (look.colour, look.marker) for name, look in RANKINGS.items()}
    alone = [name for name in RANKINGS if name not in NUMBERED]
    assert len({looks[name] for name in [*alone, "head_1", "layer_1"]}) == len(alone) + 2


def test_an_unknown_map_is_refused_in_a_line():
    own = {"models": {"mine": ["models/seed1"]}, "maps": ["rolout"]}
    line = (
        r"map 'rolout' is not known .* \(did you mean 'rollout'\?\) \(known: mean_row, .*, head_1, layer_1\); choose "
    )
    refuse_plan(line, datasets=[], hf={"chorus": own})


@pytest.mark.parametrize(("name", "has"), [("layer_3", 2), ("head_5", 4)])
def test_a_map_of_a_part_that_is_not_there_is_refused_before_the_run(tmp_path, name, has):
    folder = str(classifiers_on_disk.save(tmp_path))
    part, _, number = name.partition("_")
    own = {"models": {"mine": [folder]}, "maps": ["rollout", "head_1", "layer_2", name]}
    line = f"chorus, mine: maps: {part} {number}, and {folder} has {has}; name one of th"
    refuse_plan(line, datasets=[], hf={"chorus": own})
