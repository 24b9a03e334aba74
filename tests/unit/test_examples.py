"""The examples for notebooks run, and find what they were made to show."""

import json
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest

from attention_audit import api
from makers.notebooks import executed

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    """An example as a module."""
    return SimpleNamespace(**run_path(str(EXAMPLES / f"{name}.py")))


def list_told(notebook):
    """The lines that the cells of a notebook printed, and those of the values that they ended with."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    lines = [output["text"] if "text" in output else output["data"]["text/plain"] for output in outputs]
    return [line for each in lines for line in each]


def test_a_model_of_scikit_learn_is_audited(tmp_path):
    frames = example("bag_of_words").main(tmp_path)
    row = frames["summary"].iloc[0]
    zones = [row[f"{question}_zones"] for question in ("used", "ranks", "stable", "unique")]
    assert zones == ["3", "23", "3", "1"]
    assert row["accuracy"] > 0.95
    mass = frames["plausibility"].query("model == 'model'").groupby("attribution")["mass"].mean()
    assert mass["attention"] > 2 * mass["random"]
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"training1.npz", "training2.npz", "training3.npz", "uniform.npz", "adversary.parquet"}
    assert len(api.read(tmp_path / "adversary.parquet")) == 250


def test_a_transformer_is_audited_word_by_word(tmp_path):
    pytest.importorskip("transformers")
    module = example("hugging_face")
    frames = module.main(tmp_path)
    words, _ = module.texts(100, seed=1)
    # pieces are put together: `hateful` and `enjoyable` are one word each
    assert api.read(tmp_path / "bert1.parquet").tokens == words
    assert {"hateful", "enjoyable"} <= {word for text in words for word in text}
    assert frames["summary"].loc[0, "stable_trainings"] == 2
    assert frames["summary"].loc[0, "accuracy"] > 0.8


def test_coefficients_of_scikit_learn_are_judged():
    found = example("scores").main()
    said = found.table.set_index("question")["verdict"]
    assert (said["located"], said["ranks"], said["signed"]) == ("yes", "yes", "yes")
    summary = found.summary.iloc[0]
    assert summary["learnt"] == "yes"
    assert summary["plausibility_low"] > summary["plausibility_random"]
    assert {*found.reasons} == {"used", "unique", "needed", "transferable"}


def test_integrated_gradients_of_captum_are_judged():
    pytest.importorskip("captum")
    judged = example("captum_scores").main().values()
    right, slip = (judgement.table.set_index("question")["verdict"] for judgement in judged)
    assert [judgement.summary.loc[0, "learnt"] for judgement in judged] == ["yes", "yes"]
    assert right["located"] == right["ranks"] == "yes, in this training"
    assert slip["located"] == slip["ranks"] == "class 0 no; class 1 yes"


# what SHAP imports and draws on warns
@pytest.mark.whole
@pytest.mark.filterwarnings("default")
def test_the_notebook_of_shap_says_what_it_shows():
    pytest.importorskip("shap")
    path = EXAMPLES / "attributions.ipynb"
    found = list_told(executed(path))
    assert found == list_told(json.loads(path.read_text()))
    assert "·●·  Top words are the words that matter" in "".join(found)


@pytest.mark.whole
def test_the_notebook_of_a_classifier_audits_two_folders():
    pytest.importorskip("transformers")
    said = "".join(list_told(executed(EXAMPLES / "classifier.ipynb")))
    assert "Top words are the words that matter" in said
    assert "needed: no twin with uniform weights is given beside this model" in said


def test_notebooks_are_small_enough_to_read_where_they_lie():
    for path in EXAMPLES.glob("*.ipynb"):
        assert path.stat().st_size < 80_000, path.name
        code = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        assert [cell["execution_count"] for cell in code] == [*range(1, len(code) + 1)], path.name
