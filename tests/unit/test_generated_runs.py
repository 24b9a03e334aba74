"""Generated tokens in a run of the workflow: its rows are those of `audit_generation`."""

import re
from contextlib import chdir
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from browser import Shown
from classifiers_on_disk import save as save_classifier
from explored import unpack
from in_process import make
from planned import CLASSIFIERS_ALONE, list_made, plan_of, read_audit, read_made, refuse_plan, unmade
from refusal import refusal
from rules import list_jobs
from test_generating import TEXT, make_decoder
from transformers import AutoTokenizer

from attention_audit import audit_generation
from attention_audit.answer.verdicts import NONE
from attention_audit.artefacts.files import checksum
from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.audits import GENERATED_TOKENS
from attention_audit.errors import AuditError
from attention_audit.figures.attributions import NOT_LOCATED, hf_fig_generated

WORDS = TEXT.split()
PROMPTS = [" ".join([*WORDS[at:], *WORDS[: at % 4]]) for at in range(6)]
MAPS = ["rollout", "input_gradient"]
FOLDERS = ["models/1", "models/2"]


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    """The folder of two trainings of a decoder."""
    model, pieces = make_decoder("llama")
    folder = tmp_path_factory.mktemp("trainings")
    for number in (1, 2):
        model.save_pretrained(folder / "models" / str(number))
        pieces.save_pretrained(folder / "models" / str(number))
        # the second has other weights
        model.model.norm.weight.data.mul_(0.8)
    return folder


@pytest.fixture
def folders(trainings, tmp_path, monkeypatch):
    """Two trainings of a decoder, here."""
    monkeypatch.chdir(tmp_path)
    Path("models").symlink_to(trainings / "models")
    return FOLDERS


def plan_prompts(folders, prompts=PROMPTS, further=None, corpora=None, **section):
    """The plan of a table of prompts."""
    pd.DataFrame({"text": prompts}).to_csv("prompts.csv", index=False)
    table = {"kind": "table", "path": {"test": "prompts.csv"}, "label": None}
    given = {"models": {"smollm": folders}, "generate": {"tokens": 2}, "maps": MAPS} | section
    return plan_of(
        **CLASSIFIERS_ALONE, corpora={"stories": table} | (corpora or {}), hf={"stories": given} | (further or {})
    )


def compare_answers(rows, answer):
    """Hold the rows of a run against the answer of a call."""
    asked = answer.by_map
    for name in ("map", "question", "zones", "verdict", "note"):
        assert rows[name].tolist() == asked[name].tolist()
    assert rows["prompts"].tolist() == asked["texts"].tolist()
    numbers = ["value", "low", "high", "trainings"]
    np.testing.assert_allclose(rows[numbers].to_numpy(float), asked[numbers].to_numpy(float), rtol=1e-6)
    assert set(rows["tokens"]) == {answer.summary["note"].item()}


@pytest.fixture(scope="module")
def run_and_call(trainings):
    """A plan, whose run has an explorer, and the answer of a call that asks the same."""
    with chdir(trainings):
        plan = plan_prompts(FOLDERS)
        make(plan, "results/explorer.html")
        return plan, audit_generation(
            FOLDERS, None, PROMPTS, max_new_tokens=2, maps=MAPS, language="en", progress=False
        )


@pytest.mark.xdist_group("browser")
def test_a_run_says_what_a_call_says(run_and_call, trainings, monkeypatch):
    monkeypatch.chdir(trainings)
    plan, answer = run_and_call
    rows = read_audit(plan, "generated", "stories", "hf_smollm")
    assert set(rows["map"]) == {"mean_row", "last_row", "nearest", "shuffled", *MAPS}
    compare_answers(rows, answer)
    table = read_made(plan, "hf_table_generated")
    known = rows[rows["value"].notna()]
    assert len(table) == len(known) > 6
    for row in known.itertuples():
        shown = table[(table["ranking"] == row.map) & (table["part"] == row.question)]
        assert shown[["mean", "low", "high", "seeds"]].to_numpy(float).tolist() == [
            pytest.approx([row.value, row.low, row.high, row.trainings], nan_ok=True)
        ]
        assert row.note in shown["note"].item()
        assert (row.verdict in shown["note"].item()) == (row.zones != NONE)
        assert ("nearest words" in shown["note"].item()) or row.map == "nearest" or row.question in ("used", "stable")
    assert "stable" in set(known["question"])


def test_the_best_map_of_a_model_stands_on_top_of_its_panel():
    """Beside them, the nearest words are a band, and no row."""
    located = {"near": 0.6, "nearest": 0.9, "far": 0.1, "unknown": np.nan}
    rows = pd.DataFrame(
        [(f"d{at}", f"m{at}", "located", name, value - at, value - at - 0.1, value - at + 0.1)
         for at in (0, 1) for name, value in located.items()],
        columns=["dataset", "model", "question", "map", "value", "low", "high"],
    )  # fmt: skip
    assert " ".join(hf_fig_generated(rows.assign(value=np.nan), {}).get_supxlabel().split()) == NOT_LOCATED
    figure = hf_fig_generated(rows, {"m0": "mine", "far": "the far map"})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["d0, mine", "d1, m1"]
    for at, axes in enumerate(figure.axes):
        assert [label.get_text() for label in axes.get_yticklabels()] == ["near", "the far map"]
        points = [tuple(line.get_xydata()[0]) for line in axes.lines if len(line.get_xydata()) == 1]
        assert points == [(pytest.approx(0.6 - at), 0), (pytest.approx(0.1 - at), 1)]
        [band] = axes.patches
        assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((0.8 - at, 1.0 - at))


@pytest.mark.whole
@pytest.mark.parametrize("granularity", ["token", "sentence"])
def test_units_of_a_run_are_those_of_a_call(folders, granularity):
    prompts = [f"{prompt}. The film is bad. Why" for prompt in PROMPTS] if granularity == "sentence" else PROMPTS
    plan = plan_prompts(folders, prompts, granularity=granularity)
    answer = audit_generation(
        folders, None, prompts, max_new_tokens=2, maps=MAPS, granularity=granularity, language="en", progress=False
    )
    compare_answers(read_audit(plan, "generated", "stories", "hf_smollm"), answer)


def test_labels_follow_and_are_told_from_each_other(folders):
    """The pieces of the template are marks, as those of a chat template are."""
    names = ["good", "bad", "dull"] * 2
    template = "why {text} is"
    texts = pd.DataFrame({"text": PROMPTS, "said": names})
    texts.to_csv("told.csv", index=False)
    table = {"kind": "table", "path": {"test": "told.csv"}, "label": "said"}
    asked = {"template": template, "continuation": "label", "contrast": "labels"}
    given = {"models": {"smollm": folders[:1]}, "generate": asked}
    plan = plan_of(**CLASSIFIERS_ALONE, corpora={"told": table}, hf={"told": given})
    pieces = AutoTokenizer.from_pretrained(folders[0])
    pieces.chat_template = template.format(text="{{ messages[0]['content'] }}")
    answer = audit_generation(
        folders[0], pieces, [[{"role": "user", "content": prompt}] for prompt in PROMPTS],
        [f" {name}" for name in names], contrast=[" good", " bad", " dull"], language="en", progress=False,
    )  # fmt: skip
    assert "6 given tokens of 6 prompts" in answer.summary["note"].item()
    assert {len(answer[0][0].words), len(answer[1][0].words)} == {len(PROMPTS[0].split()), len(PROMPTS[1].split())}
    compare_answers(read_audit(plan, "generated", "told", "hf_smollm"), answer)
    told_from_named = given | {"generate": asked | {"contrast": [" good", " bad", " dull"]}}
    plan = plan_of(**CLASSIFIERS_ALONE, corpora={"told": table}, hf={"told": told_from_named}, results="named")
    compare_answers(read_audit(plan, "generated", "told", "hf_smollm"), answer)


def test_the_first_words_of_a_text_are_a_prompt_and_a_word_alone_is_none(folders):
    """The first text is left out: were it counted among the others, each would have the answers of another."""
    plan = plan_prompts(folders, ["why", *PROMPTS], generate={"tokens": 2, "words": 5})
    rows, left_out = read_audit(plan, "generated", "stories", "hf_smollm"), "; left out, of fewer than two units: 1"
    assert rows["tokens"].str.endswith(left_out).all()
    beginnings = [" ".join(prompt.split()[:5]) for prompt in PROMPTS]
    answer = audit_generation(folders, None, beginnings, max_new_tokens=2, maps=MAPS, language="en", progress=False)
    compare_answers(rows.assign(tokens=rows["tokens"].str.removesuffix(left_out)), answer)
    tokens = read_table(Path("results/audits/stories/hf_smollm/generated_tokens.parquet"), GENERATED_TOKENS)
    numbers = {int(name.partition(":")[0].rpartition("-")[2]) for name in tokens["id"].to_pylist()}
    assert numbers == {*range(2, 2 + len(PROMPTS))}


def test_labels_that_nobody_knows_are_asked_for_in_one_line(folders):
    line = "stories: generate asks for labels, and nobody knows them; name their column as `label`"
    assert line in str(refusal(plan_prompts, folders, generate={"continuation": "label"}))
    assert "holds {text} 0 times" in str(refusal(plan_prompts, folders, generate={"template": "why"}))


def test_nothing_else_is_asked_of_a_model_that_generates(folders):
    plan = plan_prompts(folders)
    assert list_made(plan) == {"hf_table_generated", "hf_fig_generated", "wp_table1_datasets"}
    assert not unmade(plan)
    jobs = list_jobs(plan)
    assert {job.rule for job in jobs.values()} == {"prepare", "generate", "table", "figure", "report_html", "explorer"}
    job = jobs["generate/stories/hf_smollm"]
    weights = [Path(folder) / "model.safetensors" for folder in folders]
    assert {f"{path}: sha256 {checksum(path)}" for path in weights} < {*job.told["checksums"]}
    assert "stories/hf_smollm: performance is not asked, as smollm is asked of its generated tokens alone" in str(
        refusal(plan.refuse, "results/audits/stories/hf_smollm/performance.parquet")
    )


def test_beside_a_classifier_each_is_asked_its_own(folders, tmp_path):
    mine = str(save_classifier(tmp_path / "mine"))
    plan = plan_prompts(folders, further={"needle": {"models": {"mine": [mine]}}})
    gaps = {
        name: [dataset for dataset, gap in by_name.items() if not gap] for name, by_name in plan.exhibits.gaps.items()
    }
    assert gaps["hf_table_generated"] == gaps["hf_fig_generated"] == ["stories"]
    assert gaps["summary"] == gaps["hf_table_maps"] == ["needle"]
    assert [subject.dataset for subject in plan.exhibits.list_subjects()] == ["needle"]
    asked = {model.name: {audit.name for audit in audits} for model, audits in plan.asked.by_model.items()}
    assert asked["smollm"] == {"generated"}
    assert "generated" not in asked["mine"]


@pytest.mark.parametrize(
    ("section", "key"),
    [
        ({"targets": "all"}, "targets"),
        ({"prompt": {"template": "{text}", "labels": ["a", "b"]}}, "prompt"),
        ({"labels": {"a": "b"}}, "labels"),
        ({"recipe": {"path": "encoder"}}, "recipe"),
        ({"max_length": 64}, "max_length"),
    ],
)
def test_what_goes_with_no_generation_is_one_line(folders, section, key):
    line = f"^config: hf.stories: {key}: `generate` asks a language model; leave one out$"
    assert str(refusal(plan_prompts, folders, **section)) == line.strip("^$")


def test_models_and_texts_that_cannot_be_asked_are_one_line(folders, tmp_path):
    classifier = str(save_classifier(tmp_path / "classifier", "llama"))
    assert "is no language model but a LlamaForSequenceClassification" in str(refusal(plan_prompts, [classifier]))
    assert str(refusal(plan_prompts, folders[:1], maps=["layer_9"])).startswith("stories, smollm: maps: layer 9, and")
    refuse_plan("audits.hf: generated is not asked, as mine generates no tokens here; leave it out",
        **CLASSIFIERS_ALONE, audits={"hf": ["generated"]},
        hf={"needle": {"models": {"mine": [str(save_classifier(tmp_path / "mine"))]}}},
    )  # fmt: skip
    with pytest.raises(
        AuditError, match=r"^stories, smollm: prompts: none of 1 has two units or more; give longer texts$"
    ):
        make(plan_prompts(folders, ["why"]), "results/audits/stories/hf_smollm/generated.parquet")


@pytest.fixture
def explored(run_and_call, trainings):
    """The explorer of a run on two trainings, and what its only view holds."""
    page = trainings / "results/explorer.html"
    [packed] = re.findall(r'data-view="stories/hf/smollm">([^<]*)<', page.read_text())
    return page, unpack(packed)


@pytest.mark.xdist_group("browser")
def test_every_token_can_be_looked_at_in_the_explorer(explored, run_and_call):
    """The maps, and the tokens that are likeliest without each word, are those of a call."""
    (_, view), (_, answer) = explored, run_and_call
    assert len(view["id"]) == sum(map(len, answer))
    for at, name in enumerate(view["id"]):
        text, _, token = name.removeprefix("stories-test-").partition(":")
        reading = answer.text(int(text) - 1, int(token))
        assert view["words"][at] == reading.words["word"].tolist()
        for key, column in {"attention:1": "weight", "rollout:1": "rollout"}.items():
            shares = reading.words[column] / reading.words[column].sum()
            np.testing.assert_allclose(view["maps"][key][at], shares, rtol=1e-4, atol=1e-6)
        for column in ("input_gradient", "loo"):
            np.testing.assert_allclose(view["maps"][f"{column}:1"][at], reading.words[column], rtol=1e-4, atol=1e-6)
        assert view["told"]["without"][at] == reading.without
        assert max(view["runs"]["1"]["p"][at]) == pytest.approx(reading.facts["probability"], abs=1e-6)


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("width", [1440, pytest.param(390, marks=pytest.mark.whole)])
def test_a_reader_chooses_a_token(chrome, explored, width):
    page, view = explored
    shown = Shown(chrome, page).open(width=width)
    place = view["id"].index(shown.text("#kicker").rpartition(" · ")[2])
    assert shown.all("#tokens a")
    assert not shown.one("#hold").is_displayed()
    following = view["id"][place].replace(":0", ":1")
    shown.all("#tokens a")[1].click()
    shown.until(f"return document.querySelector('#kicker').textContent.includes('{following}')")
    at = view["id"].index(following)
    rows = shown.each("#deleted tr", "[...n.children].map(cell => cell.textContent)")
    assert [row[0] for row in rows] == view["words"][at]
    assert [row[2] for row in rows] == view["told"]["without"][at]
    assert view["told"]["likeliest"][at] in shown.text("#likeliest")
    assert shown.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert shown.said() == []
