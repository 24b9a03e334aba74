"""Every type of the library that classifies texts: read through its attention interface, or refused in a line."""

import inspect
import pickle
import re
from functools import partial
from itertools import chain

import classifiers_on_disk
import numpy as np
import pytest
import torch
import transformers
from classifiers_on_disk import NAMES, TEXTS, sum_over_items
from library_types import TYPES, make_config, make_model
from refusal import refusal
from transformers_on_disk import WORDS, change_config, tokenizer

from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.weights import write_weights
from attention_audit.audits.gradients import compute_gradients
from attention_audit.model.found_classifier import FoundClassifier
from attention_audit.raw_text import join_words
from attention_audit.readout import TAIL_FILE, read_readout
from attention_audit.stages.classifier_texts import ReadTexts, build_classifier, build_split_of, cut_pieces
from attention_audit.stages.network_readout import take_classifier
from attention_audit.transformer.folder import FAMILIES, find_classifier_family
from attention_audit.transformer.in_memory import hold_model
from attention_audit.transformer.opening import open_model
from attention_audit.transformer.settings import Prompt, ReadClassifier

ONE_OF_EACH_KIND = (
    "ernie", "roberta-prelayernorm", "mobilebert", "gte", "opt", "gpt_neox", "olmo2", "minicpm3", "mixtral", "ctrl",
    "eurobert",
)  # fmt: skip
"""Of BERT's kind; normalised before; with a bottleneck; with rotations; of GPT's; in parallel; of Llama's; with latent
keys; with experts; a list of the library's own; and one that classifies a mean.
"""
FOUND = (
    *ONE_OF_EACH_KIND,
    "arcee", "axk1", "axk2", "biogpt", "cohere_compass_text", "data2vec-text", "deepseek_v2", "deepseek_v3", "doge",
    "esm", "esmc", "exaone4", "gemma", "gemma2", "gemma3", "gemma3_text", "glm", "glm4",
    "gpt_bigcode", "helium", "hunyuan_v1_dense", "hunyuan_v1_moe", "jetmoe",
    "jina_embeddings_v3", "layoutlm", "markuplm", "ministral", "ministral3", "mistral4", "modernbert-decoder",
    "modernvbert",
    "nemotron", "nomic_bert", "olmo", "olmo3", "persimmon", "phi", "phi3", "phimoe", "qwen2_moe", "qwen3_moe",
    "roc_bert", "seed_oss", "smollm3", "stablelm", "starcoder2", "ultrabert", "ultravbert", "xlm-roberta-xl", "xmod",
)  # fmt: skip
KNOWN = ("gpt-sw3", *FAMILIES)
"""gpt-sw3 is another name of gpt2."""
REFUSED = {
    "do not call the attention interface of the library": (
        "big_bird", "bloom", "convbert", "deberta", "falcon", "fnet", "gpt_neo", "gptj", "ibert", "jamba", "layoutlmv3",
        "lilt", "luke", "megatron-bert", "mpt", "mra", "nystromformer", "openai-gpt", "qwen3_5", "qwen3_5_text",
        "qwen3_next", "reformer", "rembert", "roformer", "squeezebert", "tapas", "xlnet", "yoso",
    ),
    r"its layers, \d in their list, attend \d times": ("diffllama", "minimax", "zamba", "zamba2"),
    "the weights of its heads do not sum to 1": ("gpt_oss",),
    "it cannot be run on pieces alone": ("canine", "longformer"),
    "it has an encoder and a decoder apart": (
        "bart", "bigbird_pegasus", "mbart", "mt5", "mvp", "plbart", "t5", "t5gemma", "t5gemma2", "umt5",
    ),
    "without a hidden_size or num_hidden_layers is not known here": ("flaubert", "funnel", "perceiver", "xlm"),
}  # fmt: skip
"""By what the line says."""
READING = {"folder": "", "max_length": 512, "labels": {}}


def mark(kinds):
    return [kind if kind in ONE_OF_EACH_KIND else pytest.param(kind, marks=pytest.mark.whole) for kind in kinds]


@pytest.fixture(scope="module")
def pieces_of_words():
    return tokenizer(list(WORDS))


def open_of(kind, pieces, prompt=None, **further):
    auto = transformers.AutoModelForCausalLM if prompt else transformers.AutoModelForSequenceClassification
    model = make_model(kind, len(pieces), auto)
    read = ReadClassifier(**READING | further, prompt=prompt)
    return build_classifier(hold_model(model, pieces, "model", prompt is not None), read), model


def read_of(classifier, layer=None, **further):
    texts = ReadTexts(NAMES, np.zeros(len(TEXTS), np.int64), [join_words(text, None) for text in TEXTS])
    pieces = cut_pieces(classifier, texts)
    return pieces, texts, take_classifier(classifier, pieces, NAMES, texts.labels, (2, 0, 1), layer=layer, **further)


def ask_plain(model, pieces, text, **further):
    model.set_attn_implementation(further.pop("attention", "eager"))
    encoding = pieces(" ".join(text), return_tensors="pt")
    known = {*inspect.signature(model.forward).parameters} - {"token_type_ids"}
    if getattr(model.config, "type_vocab_size", 1) > 1:
        known |= {"token_type_ids"} & {*inspect.signature(model.forward).parameters}
    with torch.no_grad():
        return encoding, model(**{name: value for name, value in encoding.items() if name in known}, **further)


def test_every_type_is_read_or_refused():
    assert sorted([*KNOWN, *FOUND, "layoutlmv2", *chain(*REFUSED.values())]) == sorted(TYPES)
    assert len(KNOWN) + len(FOUND) >= 70


@pytest.mark.parametrize("kind", mark(FOUND))
def test_a_type_is_read_as_the_library_reads_it(kind, pieces_of_words):
    """Probabilities, and weights of the classified token, are those of the plain model."""
    classifier, model = open_of(kind, pieces_of_words)
    mean = getattr(model.config, "classifier_pooling", "") in ("mean", "late")
    readout = read_of(classifier, layer=2 if mean else None)[2]
    assert readout.decided != mean
    for row, text in enumerate(TEXTS):
        encoding, said = ask_plain(model, pieces_of_words, text, output_attentions=True)
        np.testing.assert_allclose(readout.probabilities[row], said.logits[0, [2, 0, 1]].softmax(-1), atol=1e-5)
        heads = said.attentions[-1][0].mean(0)
        map_ = heads.mean(0) if mean else heads[-1 if classifier.family.last else 0]
        np.testing.assert_allclose(readout.attention[row], sum_over_items(encoding, map_, text), atol=1e-5)


@pytest.mark.parametrize("kind", mark([kind for kind in FOUND if kind not in ("eurobert", "ultrabert")]))
def test_other_weights_predict_what_the_whole_network_does(kind, pieces_of_words, tmp_path):
    """They are imposed on the library's model by an attention of its own; from memory, a file and a pickle the same."""
    classifier, model = open_of(kind, pieces_of_words)
    readout, random = read_of(classifier)[2], np.random.default_rng(1)
    others = [random.dirichlet(np.ones(len(map_)), 4).T.astype(np.float32) for map_ in readout.attention]
    predicted = readout.predict(others)
    provenance = Provenance("test", {}, "")
    readout.write(tmp_path / "readout.parquet", provenance)
    write_weights(tmp_path / TAIL_FILE, readout.attending.tail.pack(), provenance)
    np.testing.assert_allclose(read_readout(tmp_path / "readout.parquet").predict(others), predicted, atol=1e-6)
    np.testing.assert_allclose(pickle.loads(pickle.dumps(readout)).predict(others), predicted, atol=1e-6)
    text, calls = TEXTS[1], []
    encoding = pieces_of_words(" ".join(text))
    items = [len(text) + (at > 0) if word is None else word for at, word in enumerate(encoding.word_ids())]

    def impose(module, query, key, value, attention_mask, **further):
        own = inspect.getmodule(type(module)).eager_attention_forward
        sums, weights = own(module, query, key, value, attention_mask, **further)
        calls.append(module)
        if len(calls) < 2:
            return sums, weights
        place = -1 if classifier.family.last else 0
        share = weights[0, :, place] / torch.from_numpy(readout.attending.weights[1]).T[:, items]
        row = share * torch.from_numpy(others[1]).T[:, items]
        sums[0, place] = torch.einsum("hp,hpd->hd", row, value[0].repeat_interleave(len(row) // value.shape[1], 0))
        return sums, weights

    transformers.AttentionInterface.register("imposed", impose)
    transformers.AttentionMaskInterface.register("imposed", transformers.masking_utils.eager_mask)
    said = ask_plain(model, pieces_of_words, text, attention="imposed")[1]
    np.testing.assert_allclose(predicted[1], said.logits[0, [2, 0, 1]].softmax(-1), atol=1e-5)
    assert len(calls) == 2


@pytest.mark.parametrize("kind", ["ernie", "olmo2"])
def test_gradients_and_maps_are_those_of_the_library(kind, pieces_of_words):
    classifier, model = open_of(kind, pieces_of_words)
    pieces, texts, readout = read_of(classifier, maps=["rollout", "input_gradient"])
    assert all(weight.requires_grad for weight in model.parameters())
    shares = compute_gradients(classifier, build_split_of(pieces, texts, torch.device("cpu")))
    for row, text in enumerate(TEXTS):
        encoding, said = ask_plain(model, pieces_of_words, text, output_attentions=True)
        mixed = [(layer[0].mean(0) + torch.eye(layer.shape[-1])) / 2 for layer in said.attentions]
        place = -1 if classifier.family.last else 0
        rolled = sum_over_items(encoding, (mixed[1] @ mixed[0])[place], text)
        np.testing.assert_allclose(readout.maps["rollout"][row], rolled[: len(text)], atol=1e-6)
        vectors = model.get_input_embeddings()(encoding["input_ids"]).detach().requires_grad_()
        logits = model(inputs_embeds=vectors).logits[0]
        slope = torch.autograd.grad(logits.max(), vectors)[0]
        added = sum_over_items(encoding, (slope * vectors).sum(-1)[0].detach(), text)
        np.testing.assert_allclose(readout.maps["input_gradient"][row], added[: len(text)], atol=1e-5)
        assert len(shares[row]) >= len(text)


@pytest.mark.parametrize("kind", ["phi3", "gemma2"])
def test_a_prompt_asks_any_language_model(kind, pieces_of_words):
    """The logits of gemma2 are bent to at most 30 (final_logit_softcapping)."""
    prompt = Prompt(template="the film {text} is", labels=["good", "bad", "dull"])
    classifier, model = open_of(kind, pieces_of_words, prompt)
    readout = read_of(classifier)[2]
    labels = pieces_of_words.convert_tokens_to_ids(["dull", "good", "bad"])
    for row, text in enumerate(TEXTS):
        said = ask_plain(model, pieces_of_words, ["the", "film", *text, "is"])[1]
        np.testing.assert_allclose(readout.probabilities[row], said.logits[0, -1, labels].softmax(-1), atol=1e-5)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        pytest.param(said, kind, marks=[pytest.mark.whole] * (kind != kinds[0]))
        for said, kinds in REFUSED.items()
        for kind in kinds
    ],
)
def test_another_type_ends_in_a_line(said, kind, tmp_path):
    by_config = "hidden_size" in said or "decoder" in said
    config = transformers.CONFIG_MAPPING[kind]() if by_config else make_config(kind, 60)
    config.save_pretrained(tmp_path)

    def find_and_open():
        find_classifier_family(tmp_path)
        FoundClassifier(tmp_path, make_model(kind, 60))

    assert re.search(f"{said}.*; .*use judge$", refusal(find_and_open))


def test_a_type_that_needs_another_library_ends_in_a_line(tmp_path):
    change_config(classifiers_on_disk.save(tmp_path), model_type="layoutlmv2")
    assert refusal(open_model, tmp_path, "ForSequenceClassification").endswith(", or use judge")


def test_the_classified_token_is_found_where_logits_sum_to_0(tmp_path):
    model = make_model("ernie", 60)
    with torch.no_grad():
        model.classifier.weight[2] = -model.classifier.weight[:2].sum(0)
    assert not FoundClassifier(tmp_path, model).family.last


def record_sums(values, module, query, key, value, attention_mask, **further):
    sums, weights = inspect.getmodule(type(module)).eager_attention_forward(
        module, query, key, value, attention_mask, **further
    )
    values.append(value[0].repeat_interleave(weights.shape[1] // value.shape[1], 0))
    return sums, weights


@pytest.mark.parametrize(
    ("kind", "output"),
    [
        ("olmo2", lambda model: model.model.layers[1].self_attn.o_proj),
        ("ernie", lambda model: model.ernie.encoder.layer[1].attention.output.dense),
    ],
)
def test_the_length_of_what_is_attended_to_is_that_of_the_librarys_parts(kind, output, pieces_of_words):
    classifier, model = open_of(kind, pieces_of_words)
    found, values = read_of(classifier, maps=["value_norm"])[2].maps["value_norm"], []
    transformers.AttentionInterface.register("recorded", partial(record_sums, values))
    transformers.AttentionMaskInterface.register("recorded", transformers.masking_utils.eager_mask)
    for row, text in enumerate(TEXTS):
        encoding, said = ask_plain(model, pieces_of_words, text, output_attentions=True)
        weights = said.attentions[-1][0, :, -1 if classifier.family.last else 0]
        ask_plain(model, pieces_of_words, text, attention="recorded")
        summands = torch.einsum("hp,hpd->phd", weights, values[-1]).flatten(1)
        lengths = (summands @ output(model).weight.T).norm(dim=-1).detach()
        np.testing.assert_allclose(found[row], sum_over_items(encoding, lengths, text)[: len(text)], atol=1e-5)


def test_a_map_of_parts_that_are_not_known_is_one_line(pieces_of_words):
    classifier, _ = open_of("jetmoe", pieces_of_words)
    assert classifier.projections[-1] is None
    assert "the part 'output' is not known, which a map needs; leave the map out" in refusal(
        read_of, classifier, maps=["value_norm"]
    )
