"""The suite of fine-tuned classifiers: what is planned, what is imported, and what is refused in a line."""

import shutil
from dataclasses import replace
from itertools import chain
from pathlib import Path

import classifiers_on_disk
import numpy as np
import pandas as pd
import pytest
from in_process import run_stage
from planned import (
    CLASSIFIERS_ALONE,
    asked_models,
    list_seeds,
    model_of,
    name_run,
    plan_of,
    refuse_plan,
    unmade,
)
from readouts import make_heads
from refusal import refusal
from rules import find_job, list_jobs
from tables_on_disk import write_rows
from transformers import AutoTokenizer
from transformers_on_disk import change_config

from attention_audit.api.opening import cut_texts as cut_units
from attention_audit.artefacts.parquet import read_frame, write_table
from attention_audit.audits.performance import cut_texts, performance
from attention_audit.audits.permutation import heads
from attention_audit.audits.settings import Permutation
from attention_audit.columns.files import CORPUS, HEADED
from attention_audit.contrasts import EvaluatedModel
from attention_audit.corpus.tokens import split_words
from attention_audit.names import Names, Style
from attention_audit.plan.audits import list_compared_runs
from attention_audit.plan.corpora import describe_corpus
from attention_audit.readout import read_readout
from attention_audit.stages.impose_uniform import impose_uniform_weights
from attention_audit.stages.read_classifier import match_classes
from attention_audit.tables.maps import own_table_heads
from attention_audit.tables.papers import hf_table_performance
from attention_audit.tables.wording import collect_labels, write_subject
from attention_audit.transformer.folder import read_classes

TEXTS = [text.split() for text in ("good film", "the film is bad", "great great a", "dull the is")]
WORDS = sorted({*chain(*TEXTS)})


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two trainings, and a twin."""
    made = tmp_path_factory.mktemp("classifiers")
    return [
        str(classifiers_on_disk.save(made / name, names=("NEGATIVE", "positive"), seed=seed, words=WORDS))
        for seed, name in enumerate(("first", "second", "twin"))
    ]


@pytest.fixture(scope="module")
def plan(folders):
    """The classifiers on a generated corpus, whose classes are 0 and 1, and nothing else."""
    own = {"models": {"mine": folders[:2]}, "uniform": folders[2:], "max_length": 16, "truncation": "only_first"}
    return plan_of(**CLASSIFIERS_ALONE, hf={"chorus": own})


def test_models_their_twins_and_what_they_are_compared_with(plan):
    data = plan.scope.find_data("hf", "chorus")
    models, (judged,) = data.models, data.judged
    assert [*models] == ["mine", "imposed", "uniform"]
    assert name_run(data.base) == ("mine", 1)
    assert [*map(name_run, list_compared_runs(judged))] == [("mine", 1), ("mine", 2), ("imposed", 1), ("uniform", 1)]
    contrasts = judged.contrasts
    assert contrasts.uniform == "uniform"
    assert [models[model].reads[0].imposed for model in ("mine", "uniform")] == [False, True]
    assert {read.truncation for model in models.values() for read in model.reads} == {"only_first"}


def test_the_same_folder_with_weights_imposed_is_another_readout(plan):
    assert set(list_seeds(plan)) == {"chorus/hf_mine", "chorus/hf_imposed", "chorus/hf_uniform"}
    jobs = list_jobs(plan)
    for seed in (1, 2):
        place, job = f"results/readouts/chorus/hf_mine/seed{seed}", jobs[f"impose_uniform/chorus/hf_imposed/{seed}"]
        assert (job.inputs["given"], job.inputs["beside"]) == ([f"{place}/test.parquet"], [f"{place}/tail.safetensors"])
        assert "tail" in jobs[f"read_classifier/chorus/hf_mine/{seed}"].outputs


def test_uniform_weights_are_imposed_without_the_network():
    own = make_heads([4, 2], marks=1)
    readout = impose_uniform_weights(own)
    np.testing.assert_allclose(readout.probabilities, own.predict(own.attending.even.weights), atol=1e-6)
    assert readout.words.tolist() == [3, 1]
    # at its own weights, the expansion has the logits
    np.testing.assert_allclose(readout.predict(readout.attention), readout.probabilities, atol=1e-5)
    with pytest.raises(ValueError, match="has not"):
        impose_uniform_weights(readout)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"nowhere": {"models": {"a": ["x"]}}}, r"hf: unknown data set 'nowhere'"),
        ({"chorus": {"models": {"imposed": ["x"]}}}, r"'imposed' is the first with uniform weights"),
        ({"chorus": {"models": {"a": ["x", "./x/"]}}}, r"folder 'x'"),
        ({"chorus": {"models": {"a": ["no/such"]}}}, r"chorus, a: no such folder, .* no/such"),
        ({"chorus": {"models": {"a": ["x"]}, "labels": {"b": {"LABEL_0": "0"}}}}, r"labels: 'b' is no model here"),
    ],
)
def test_a_wrong_section_is_one_line(changes, line):
    refuse_plan(line, hf=changes)


@pytest.mark.parametrize(
    ("family", "says", "line"),
    [
        ("bert", {"architectures": ["BertForMaskedLM"]}, r"is no classifier of texts but a BertForMaskedLM, .*"),
        ("bert", {"problem_type": "regression"}, r"its task is regression, and no choice of one class.*"),
        ("bert", {"id2label": {"0": "score"}}, r"its task is regression, .*"),
        ("bert", {"problem_type": "multi_label_classification"}, r"its task is multi label classification, .*"),
        (
            "deberta-v2",
            {"conv_kernel_size": 3},
            r"says conv_kernel_size: 3; for deberta-v2, 0 alone is known here; use judge",
        ),
        ("albert", {"inner_group_num": 2}, r"says inner_group_num: 2; for albert, 1 alone is known here; use judge"),
    ],
)
def test_what_config_json_says_ends_the_run_before_it_begins(tmp_path, family, says, line):
    folder = classifiers_on_disk.save(tmp_path / "other", family, words=WORDS)
    change_config(folder, **says)
    refuse_plan(rf"^{folder}: .*{line}$", hf={"chorus": {"models": {"a": [str(folder)]}}})


def test_models_may_call_the_classes_by_other_names(folders):
    labels = {"mine": {"NEGATIVE": "0", "positive": "1"}, "other": {"NEGATIVE": "1", "positive": "0"}}
    own = {"models": {"mine": folders[:1], "other": folders[1:2]}}
    plan = plan_of(hf={"chorus": own | {"labels": labels["mine"] | {"other": labels["other"]}}})
    assert {name: model_of(plan, "hf", "chorus", name).reads[0].labels for name in labels} == labels


CORPUS_OF_FOUR = dict.fromkeys(CORPUS.schema.names, [None] * 4) | {
    "id": ["t0", "t1", "t2", "t3"],
    "split": ["test"] * 4,
    "label": [1, 0, 1, 0],
    "tokens": TEXTS,
    "label_name": ["positive", "negative"] * 2,
}


def imported(plan, tmp_path, provenance, training="chorus/hf_mine"):
    """The readouts that the job of a training writes for a corpus of four texts."""
    texts, outputs = tmp_path / "corpus.parquet", []
    write_table(texts, CORPUS, CORPUS_OF_FOUR, provenance)
    for seed in list_seeds(plan)[training]:
        outputs.append(tmp_path / training / str(seed) / "test.parquet")
        made = {"readout": [str(outputs[-1])], "tail": [str(outputs[-1].with_name("tail.safetensors"))]}
        inputs = {"corpus": [str(texts)], "given": []}
        job = find_job(plan, plan.trainings.made[training, seed].locate_readout())
        run_stage("read_classifier", job.settings, inputs, made)
    return outputs


def test_classifiers_are_imported_with_their_tails(plan, tmp_path, provenance):
    own, other = (read_readout(path) for path in imported(plan, tmp_path, provenance))
    (twin,) = (read_readout(path) for path in imported(plan, tmp_path, provenance, "chorus/hf_uniform"))
    assert own.ids == ["t0", "t1", "t2", "t3"]
    assert own.labels.tolist() == [1, 0, 1, 0]
    assert own.words.tolist() == [len(text) for text in TEXTS]
    assert own.kind is HEADED
    assert np.abs(own.probabilities - other.probabilities).max() > 0.01
    assert all(np.ptp(weights) < 1e-7 for weights in twin.attention)
    table = read_frame(tmp_path / "chorus/hf_mine/1/test.parquet", HEADED)
    assert table["marks"].tolist() == [2] * 4


def test_a_classifier_whose_parts_are_found_is_imported_with_its_tail(tmp_path, provenance):
    folder = classifiers_on_disk.save(tmp_path / "ernie", "ernie", words=WORDS, moved=True)
    plan = plan_of(**CLASSIFIERS_ALONE, hf={"chorus": {"models": {"mine": [str(folder)]}}})
    own = read_readout(*imported(plan, tmp_path, provenance))
    assert own.kind is HEADED
    np.testing.assert_allclose(own.predict(own.attending.weights), own.probabilities, atol=1e-6)


def test_trainings_with_other_pieces_are_refused(tmp_path, provenance, folders):
    letters = ["g", *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"), *"bftisda"]
    other, marked = (
        str(classifiers_on_disk.save(tmp_path / family, family, ("negative", "positive"), words=words))
        for family, words in (("bert", letters), ("llama", WORDS))
    )
    twin = {"models": {"a": folders[:1]}, "uniform": [other]}
    seconds = [{"models": {"a": [folders[0], second]}} for second in (other, marked)]
    words = "reads 2 words of text 't1', and that of the first training 4"
    for given, fault in (
        (twin, words),
        (seconds[0], words),
        (seconds[1], "sets 1 marks around a text, and that of the first training 2"),
    ):
        plan = plan_of(hf={"chorus": given | {"max_length": 8}})
        said = refusal(imported, plan, tmp_path, provenance, "chorus/hf_uniform" if given is twin else "chorus/hf_a")
        assert f"its tokenizer {fault}; give trainings that have one tokenizer" in said


def test_a_tokenizer_that_does_not_know_the_words_is_refused(tmp_path, provenance):
    # of the twelve words of the texts, `good`, and `film` twice
    other = classifiers_on_disk.save(tmp_path / "other", names=("negative", "positive"), words=["good", "film"])
    plan = plan_of(hf={"chorus": {"models": {"a": [str(other)]}}})
    said = refusal(imported, plan, tmp_path, provenance, "chorus/hf_a")
    assert "other: its tokenizer does not know 75 % of the pieces ([UNK]), so that" in said


def test_classes_are_matched_by_their_names():
    folder = Path("here")
    data = {0: "negative", 1: "positive"}
    assert match_classes(folder, ["POSITIVE", "Negative"], data, {}) == [1, 0]
    assert match_classes(folder, ["LABEL_0", "LABEL_1"], {0: "0", 1: "1"}, {}) == [0, 1]
    assert match_classes(folder, ["LABEL_0", "LABEL_1"], data, {"LABEL_0": "positive", "LABEL_1": "negative"}) == [1, 0]
    said = refusal(match_classes, folder, ["LABEL_0", "LABEL_1"], data, {})
    assert said.startswith("here: its classes (id2label: LABEL_0, LABEL_1) are not those of the data")
    remedy = "data (negative, positive); name all in `classes` of the data set: [negative, positive, neutral]"
    assert remedy in refusal(match_classes, folder, ["negative", "neutral", "positive"], data, {})
    # names that differ in case alone are two
    assert match_classes(folder, ["us", "US", "Other"], {0: "US", 1: "other", 2: "us"}, {}) == [1, 2, 0]
    said = refusal(match_classes, folder, ["US", "us"], {0: "US", 1: "Us"}, {"us": "uS", "US": "uS"})
    assert said.startswith("here: its classes")
    said = refusal(match_classes, folder, ["negative", "positive"], data, {"bad": "negative"})
    assert said == "here: has no class 'bad', which `labels` names; name one of negative, positive"


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"id2label": {"1": "a", "2": "b"}}, "id2label has the numbers 1, 2; number the classes from 0"),
        ({"id2label": {"0": "a", "2": "b"}}, "id2label has the numbers 0, 2; number the classes from 0"),
        ({"id2label": {"0": "a", "1": "a"}}, "id2label has two classes 'a'; give each a name of its own"),
        ({"id2label": {"0": "a", "1": "b"}, "label2id": {"a": 1, "b": 0}}, "id2label and label2id give 'a' different"),
    ],
)
def test_classes_that_are_not_numbered_as_the_logits_are_refused(tmp_path, changes, line):
    folder = classifiers_on_disk.save(tmp_path, words=WORDS)
    change_config(folder, **changes)
    assert line in refusal(read_classes, folder)
    change_config(folder, id2label={"0": "a", "1": "b"}, label2id={"a": "0", "b": "1"})
    assert read_classes(folder) == ["a", "b"]


def test_each_head_is_shuffled_alone():
    readout = make_heads([2, 2], marks=0)
    found = pd.DataFrame(heads(readout, Permutation(permutations=400, seed=1)))
    assert found["head"].tolist() == [1, 2, 3] * 2
    for row in found.itertuples():
        text, weights = readout.ids.index(row.id), [values.copy() for values in readout.attending.weights]
        weights[text][:, row.head - 1] = weights[text][::-1, row.head - 1]
        swapped = np.abs(readout.predict(weights)[text] - readout.probabilities[text]).sum() / 2
        # of two items there are two orders, and one of them changes nothing
        assert 0 < row.mean_tvd < swapped or swapped < 1e-6
    assert found["fraction_removed"].dropna().isin([0.5, 1.0]).all()


def test_texts_that_are_cut_are_named():
    made = make_heads([5, 4], marks=2)
    # of the first text a word without a piece is not read, and nothing is cut
    places, flags = [np.array([0, 2, 3]), np.array([7, 8])], np.array([False, True])
    readout = replace(made, several=replace(made.several, places=places, cut=flags))
    tokens = {"text-0": ["a"] * 4, "text-1": ["a"] * 9}
    found = cut_texts(readout, tokens)
    assert (found["id"], found["words"].tolist(), found["read"].tolist()) == (["text-1"], [9], [2])


MODELS = Names({"mine": Style("mine"), "imposed": Style("imposed")})
JUDGED = EvaluatedModel(dataset="chorus", suite="hf", paper="own", model="mine", seeds=2, items="words", unasked={})


def test_the_table_counts_the_texts_that_are_cut():
    about = {"dataset": "chorus", "seed": 1, "lambda": 0.4}
    frames = [
        pd.DataFrame(performance(make_heads([3, 4]), "unknown")).assign(**about, model=model)
        for model in ("mine", "imposed")
    ]
    cut = pd.DataFrame({"dataset": "chorus", "model": "mine", "seed": [1, 2], "id": "t1"})
    table = hf_table_performance(pd.concat(frames), cut, MODELS, [JUDGED])
    counted = table[table["metric"] == "cut"]
    assert counted[["model", "lambda", "mean"]].to_numpy().tolist() == [["mine", 0.4, 1.0]]


def test_the_table_of_heads_has_a_row_a_head():
    about = {"dataset": "chorus", "model": "mine", "seed": 1, "id": ["t0", "t1"]}
    shuffled = pd.DataFrame({**about, "mean_tvd": 0.3, "flips": 0.5})
    by_head = [shuffled.assign(head=head, mean_tvd=0.1 * head, fraction_removed=0.6) for head in (1, 2)]
    removed = {"random": 0.8, "attention": 0.5, "smallest": 0.2}
    sets = [pd.DataFrame({**about, "ranking": name, "fraction_removed": value}) for name, value in removed.items()]
    table = own_table_heads(pd.concat(by_head), shuffled, pd.concat(sets), MODELS)
    found = table.set_index(["ranking", "metric"])["mean"]
    assert found["all_heads", "used"] == pytest.approx(0.3)
    assert found["all_heads", "ranks"] == pytest.approx(0.5)
    assert found["head_2", "used"] == pytest.approx(0.2)
    assert found["head_1", "ranks"] == pytest.approx((0.8 - 0.6) / (0.8 - 0.2))
    assert write_subject(table.iloc[-1], collect_labels([MODELS.labels], {})) == "mine, head 2"


def test_of_several_given_models_each_is_judged_and_no_job_reads_what_none_makes(folders):
    own = {"models": {"mine": folders[:2], "other": folders[2:]}, "max_length": 16}
    plan = plan_of(**CLASSIFIERS_ALONE, hf={"chorus": own})
    assert unmade(plan) == set()
    assert asked_models(plan, "permutation") == ["hf_mine", "hf_other"]
    # those that show the whole suite are made once
    assert asked_models(plan, "attention_maps") == ["hf_mine"]


def test_added_tokens_of_a_classifier_are_words_of_its_texts(tmp_path, folders):
    folder, table = tmp_path / "model", tmp_path / "own.jsonl"
    shutil.copytree(folders[0], folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_special_tokens({"additional_special_tokens": ["[E1]"]})
    # so many that nobody writes them
    tokenizer.add_tokens(["<user>", *(f"<unused{number}>" for number in range(101))])
    tokenizer.save_pretrained(folder)
    texts = ["<user> the[E1]film", "a [MASK] film", "great film"] * 20
    labels = ["NEGATIVE", "positive"] * 30
    write_rows(table, [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)])
    entry = {"kind": "table", "path": {"test": str(table)}, "tokens": {"whole": ["great film"]}}
    of_run = plan_of(**CLASSIFIERS_ALONE, corpora={"own": entry}, hf={"own": {"models": {"mine": [str(folder)]}}})
    tokens = describe_corpus(of_run.config, "own").corpus.preparation.tokens
    assert tokens.whole[0] == "great film"
    assert {*tokens.whole[1:]} == {"[E1]", "<user>", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    cut = cut_units({"texts": texts}, None, tokenizer, "word")
    without = tokens.model_copy(update={"whole": tokens.whole[1:]})
    assert [split_words(text, without).words for text in texts] == cut.units
    assert split_words(texts[0], tokens).words == ["<user>", "the", "[E1]", "film"]
    assert split_words(texts[2], tokens).words == ["great film"]
