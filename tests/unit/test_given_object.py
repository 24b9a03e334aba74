"""A classifier in memory, or in a folder, is what is audited: its own logits, by its own tokenizer; or one line says
why not. What is right comes from the library alone.
"""

import re
from pathlib import Path
from tempfile import mkdtemp
from types import MethodType, SimpleNamespace

import classifiers_on_disk as on_disk
import numpy as np
import pytest
import torch
import transformers
from classifiers_on_disk import READ
from refusal import refusal
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.utils.prune import l1_unstructured
from transformers_on_disk import change_config

import attention_audit
from attention_audit.errors import AuditError
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import join_words
from attention_audit.stages.read_classifier import compare_with_given
from attention_audit.transformer.in_memory import hold_model, merge_adapters

TEXTS = [
    "the film is great",
    "unbelievably dull",
    "why unbelievably good is the story films",
    "bad",
    "a story is a film",
]


def load(folder):
    """The model and the tokenizer, as a user loads them."""
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    return model.eval(), transformers.AutoTokenizer.from_pretrained(folder)


def given(**further):
    """A BERT and its tokenizer."""
    return load(on_disk.save(Path(mkdtemp()), **further))


@torch.no_grad()
def call(model, tokenizer):
    """The probabilities of the texts, one after another, as the library alone computes them."""
    outputs = (model(**tokenizer(text, truncation=True, return_tensors="pt")) for text in TEXTS)
    logits = [output[0] if isinstance(output, tuple) else output.logits for output in outputs]
    return torch.cat(logits).float().softmax(-1).numpy()


def audit(model, tokenizer=None, **further):
    labels = [number % 2 for number in range(len(TEXTS))]
    return attention_audit.audit_classifier(
        model, tokenizer, TEXTS, labels, questions=["used"], progress=False, **further
    )


def refuse(line, model, tokenizer=None, **further):
    said = refusal(audit, model, tokenizer, **further)
    assert re.search(line, said)
    assert "attention-audit-" not in said


@pytest.mark.parametrize("family", READ)
def test_a_model_of_each_family_is_read_in_memory_and_compared(family):
    names, texts = [*"abcde"], [join_words(text.split()) for text in TEXTS]
    model, tokenizer = given(family=family, moved=True)
    compared = compare_with_given(SequenceClassifier(Path(model.name_or_path)), names, texts)
    assert compared.startswith("5 have the pieces and, within ")
    classifier = SequenceClassifier(hold_model(model, tokenizer, "model", False))
    assert compare_with_given(classifier, names, texts).startswith("5 have the pieces and, within ")
    # another model is found out, whatever its family
    with torch.no_grad():
        model.get_parameter(f"{classifier.family.classifier}.weight").mul_(1.01)
        classifier.decoder.weight.data = classifier.decoder.weight / 1.01
    with pytest.raises(AuditError, match=r"^model: as it is given, a logit differs by up to "):
        compare_with_given(classifier, names, texts)


@pytest.mark.parametrize("kind", ["plain", "reads one text at a time", "reads padding"])
def test_texts_are_compared_together_unless_the_model_needs_them_alone(kind):
    names, texts = [*"abcde"], [join_words(text.split()) for text in TEXTS]
    model, tokenizer = given(moved=True)
    forward, batches = model.forward, []

    def forward_alone(**inputs):
        batches.append(len(inputs["input_ids"]))
        if kind == "reads one text at a time" and batches[-1] > 1:
            raise ValueError("one text, please")
        mask = inputs.pop("attention_mask")
        return forward(**inputs, attention_mask=torch.ones_like(mask) if kind == "reads padding" else mask)

    model.forward = forward_alone
    classifier = SequenceClassifier(hold_model(model, tokenizer, "model", False))
    assert compare_with_given(classifier, names, texts).startswith("5 have the pieces and, within ")
    assert batches == ([5] if kind == "plain" else [5, 1, 1, 1, 1, 1])


def test_what_is_set_after_loading_holds_and_the_object_stays_as_it_was():
    model, tokenizer = given()
    tokenizer.truncation_side, tokenizer.model_max_length = "left", 6
    model.config.return_dict = False
    right = call(model, tokenizer)
    model.train()
    model.bert.encoder.layer[0].eval()
    model.bert.embeddings.requires_grad_(False)

    def state():
        weights = {name: (weight.data_ptr(), weight.requires_grad) for name, weight in model.named_parameters()}
        hooks = [(part.training, len(part._forward_hooks)) for part in model.modules()]
        return [weights, hooks, model.config.to_dict(), str(tokenizer.backend_tokenizer.truncation)]

    before, random = state(), torch.get_rng_state()
    weights = {name: weight.clone() for name, weight in model.state_dict().items()}
    found = audit(model, tokenizer)
    assert state() == before
    assert torch.equal(torch.get_rng_state(), random)
    assert all(torch.equal(weight, weights[name]) for name, weight in model.state_dict().items())
    np.testing.assert_allclose(found.readouts[0].probabilities, right, atol=1e-5)
    # a folder with a tokenizer beside it is read by that
    beside = audit(model.name_or_path, tokenizer)
    np.testing.assert_allclose(beside.readouts[0].probabilities, right, atol=1e-5)


class Derived(transformers.BertForSequenceClassification):
    """Another name alone."""


WRAPPED = {
    "parallel": lambda model, tokenizer: (nn.DataParallel(model), tokenizer),
    # as torch.compile, which takes seconds to import, wraps a model
    "compiled": lambda model, tokenizer: (SimpleNamespace(_orig_mod=model), tokenizer),
    "pipeline": lambda model, tokenizer: [
        transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)
    ],
    "derived": lambda model, _: (Derived.from_pretrained(model.name_or_path), model.name_or_path),
}


@pytest.mark.parametrize("wrap", WRAPPED)
def test_what_is_about_a_model_and_changes_nothing_is_passed_by(wrap):
    model, tokenizer = given()
    right = call(model, tokenizer)
    model.register_forward_hook(lambda module, inputs, output: None)
    found = audit(*WRAPPED[wrap](model, tokenizer))
    np.testing.assert_allclose(found.readouts[0].probabilities, right, atol=1e-5)


def scale(model):
    def forward(self, *inputs, **named):
        output = type(self).forward(self, *inputs, **named)
        output.logits = output.logits / 1.05
        return output

    model.forward = MethodType(forward, model)


def fail(model):
    def forward(input_ids, attention_mask, token_type_ids):
        raise RuntimeError("no such\nkernel")

    model.forward = forward


def head(layer):
    return lambda model: setattr(model, "classifier", layer)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (scale, r"^model: as it is given, a logit .* 0 of 5 texts .*: the model, a BertForSequenceClassification\)"),
        (
            lambda model: model.bert.pooler.register_forward_hook(lambda module, inputs, output: output * 0.9),
            r"^model: as it is given, .* a hook that is not the library's: bert.pooler, a BertPooler\); use judge",
        ),
        (fail, r"^model: cannot be called with what its tokenizer makes of text '3' \(no such\); give a model"),
        (
            head(nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))),
            r"lack classifier.bias and hold classifier.0.bias, .*BertForSequenceClassification \(classifier is a Seq",
        ),
        (head(nn.Linear(16, 5)), r"^model: its classifier.bias has the shape \(5,\), and \(2,\) by its configuration"),
        (head(nn.Linear(16, 2, bias=False)), r"^model: its weights lack classifier.bias, .*; use judge"),
        (
            lambda model: l1_unstructured(model.bert.encoder.layer[0].attention.self.query, "weight", 0.5),
            r"hold .*query.weight_mask, .*; make its pruning permanent with torch.nn.utils.prune.remove",
        ),
        (
            lambda model: nn.utils.parametrizations.weight_norm(model.classifier),
            r"parametrizations.* ParametrizedLinear\); call torch.nn.utils.parametrize.remove_param",
        ),
        (
            lambda model: model.bert.encoder.layer[1].to("meta"),
            r"^model: some of its weights are not in memory \(meta\); load it without device_map",
        ),
    ],
)
def test_a_model_that_is_not_the_librarys_is_one_line(change, line):
    model, tokenizer = given()
    change(model)
    refuse(line, model, tokenizer)


class Prefixed(transformers.TextClassificationPipeline):
    """Puts a word before each text."""

    def preprocess(self, inputs, **settings):
        return super().preprocess(f"why {inputs}", **settings)


class Cooling(transformers.TextClassificationPipeline):
    """Divides logits by a temperature."""

    def _sanitize_parameters(self, temperature=None, **settings):
        *others, after = super()._sanitize_parameters(**settings)
        return *others, after | ({"temperature": temperature} if temperature else {})

    def postprocess(self, outputs, temperature=1.0, **settings):
        outputs["logits"] = outputs["logits"] / temperature
        return super().postprocess(outputs, **settings)


class Rounding(transformers.TextClassificationPipeline):
    """Answers the name of the class alone."""

    def postprocess(self, outputs, **settings):
        return super().postprocess(outputs)["label"]


@pytest.mark.parametrize(
    "settings",
    [
        {"truncation": True, "top_k": 1},
        {"max_length": 9, "truncation": True},
        {"max_length": 10, "truncation": True, "padding": "max_length"},
        {"max_length": 9, "truncation": "only_first"},
        # more than its tokenizer allows
        {"max_length": 12, "truncation": True},
    ],
)
@pytest.mark.parametrize("paired", [False, True])
def test_a_pipeline_is_read_as_it_answers(settings, paired):
    model, tokenizer = given()
    tokenizer.model_max_length = 10
    pipeline = transformers.pipeline("text-classification", model=model, tokenizer=tokenizer, **settings)
    seconds = ["why is unbelievably"] * len(TEXTS) if paired else None
    inputs = [{"text": first, "text_pair": seconds[0]} for first in TEXTS] if paired else TEXTS
    found = audit(pipeline, seconds=seconds)
    for number, rows in enumerate(pipeline(inputs, top_k=None)):
        right = {row["label"]: row["score"] for row in rows}
        np.testing.assert_allclose(
            found.readouts[0].probabilities[number], [right[name] for name in found.classes], atol=1e-5
        )


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (
            Prefixed,
            r"of text '3' the pipeline \(a preprocess of its own\) answers .* for \w+, and the softmax .*use judge",
        ),
        (
            Rounding,
            r"of text .* the pipeline \(a postprocess of its own\) answers no scores of negative, positive .*; give",
        ),
        (
            lambda **named: transformers.TextClassificationPipeline(**named, function_to_apply="sigmoid"),
            r"of text .* the pipeline \(function_to_apply=SIGMOID\) answers .* or use judge with a function that calls",
        ),
        (
            lambda **named: Cooling(**named, temperature=2.0),
            r"of text .* the pipeline \(temperature=2.0; a postprocess of its own\) answers .* use judge",
        ),
        (
            transformers.ZeroShotClassificationPipeline,
            r"is a ZeroShotClassificationPipeline, which answers with candidate labels, .* the hypotheses as `seconds`",
        ),
        (transformers.FeatureExtractionPipeline, r"is a FeatureExtractionPipeline, .* use judge with a function that"),
    ],
)
def test_a_pipeline_that_answers_otherwise_than_its_model_is_one_line(make, line):
    model, tokenizer = given()
    refuse(f"^model: {line}", make(model=model, tokenizer=tokenizer))


class Replacing(transformers.TextClassificationPipeline):
    """Reads another word in the place of one."""

    def preprocess(self, inputs, **settings):
        return super().preprocess(inputs.replace("dull", "great"), **settings)


def test_a_pipeline_that_changes_one_text_of_many_is_found_out():
    model, tokenizer = given()
    texts = ["bad"] * 40 + ["unbelievably dull"] + ["a story is a film"] * 40
    arguments = Replacing(model=model, tokenizer=tokenizer), None, texts, [0] * 81
    said = refusal(attention_audit.audit_classifier, *arguments, questions=["used"], progress=False)
    assert said.startswith("model: of text '40' the pipeline (a preprocess of its own) answers ")


class Mean(transformers.BertForSequenceClassification):
    """Classifies the mean of all states."""

    def forward(self, input_ids, attention_mask=None, token_type_ids=None):
        states = self.bert(input_ids, attention_mask=attention_mask).last_hidden_state
        return transformers.modeling_outputs.SequenceClassifierOutput(logits=self.classifier(states.mean(1)))


def test_a_class_of_ones_own_is_told_even_where_no_tail_is_read():
    plain, tokenizer = given()
    mean = Mean.from_pretrained(plain.name_or_path)
    for further in ({}, {"long": "window", "max_length": 8}):
        refuse(r"^model 2: as it is given, .* the model, a Mean\); use judge", [plain, mean], tokenizer, **further)
    refuse(
        "^model: is a BertModel; without `prompt` the library's BertForSequenceClassification", plain.bert, tokenizer
    )


class Shouting(transformers.PreTrainedTokenizerFast):
    """Reads each text twice."""

    def __call__(self, text, *others, **named):
        twice = f"{text} {text}" if isinstance(text, str) else text
        return super().__call__(twice, *others, **named)


def test_a_tokenizer_that_is_not_the_librarys_is_one_line():
    model, tokenizer = given()
    shouting = Shouting.from_pretrained(model.name_or_path)
    refuse(r"^model: of text '3' its tokenizer, called with truncation=True .* gives 4 pieces", model, shouting)
    refuse(r"^tokenizer: is None; give that of the model", model)
    refuse(r"^tokenizer: is a list; give one for all trainings", model, [tokenizer])
    refuse(r"^tokenizer: no such folder", model, "no/such/folder")
    tokenizer.add_tokens(["films"])
    refuse(
        r"^model: its tokenizer \(\w+\) gives the piece 'films' the number 20, and the model has vectors of 0 to 19;",
        model,
        tokenizer,
    )


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_fewer_digits_are_read_as_float32_and_how_far_that_moves_is_said(dtype):
    model, tokenizer = given()
    half, name = model.to(dtype), str(dtype)[6:]
    with pytest.warns(UserWarning, match=f"^model: of the texts 5 have .*; {name} is read as float32") as told:
        found = audit(half, tokenizer).readouts[0].probabilities
    (message,) = (str(each.message) for each in told if "float32" in str(each.message))
    moved = np.abs(found - call(half, tokenizer)).max()
    assert 0 < moved < 0.05
    assert float(message.rpartition(" ")[2]) == pytest.approx(moved, rel=0.05)
    half.save_pretrained(model.name_or_path)
    with pytest.warns(UserWarning, match=f"{name} is read as float32"):
        again = audit(model.name_or_path)
    np.testing.assert_allclose(again.readouts[0].probabilities, found, atol=1e-6)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("kind", ["wrapped", "inner", "second", "disabled", "native", "dora"])
def test_adapters_are_merged_into_a_copy(kind):
    peft = pytest.importorskip("peft")
    model, tokenizer = given()
    plain = call(model, tokenizer)
    settings = {"r": 2, "target_modules": ["query", "value"], "init_lora_weights": False, "task_type": "SEQ_CLS"}
    if kind == "native":
        model.add_adapter(peft.LoraConfig(**settings), adapter_name="mine")
        own = model
    else:
        own = peft.get_peft_model(model, peft.LoraConfig(**settings, use_dora=kind == "dora"))
        nn.init.normal_(own.base_model.classifier.modules_to_save["default"].weight)
    if kind == "second":
        own.add_adapter("second", peft.LoraConfig(**settings))
        own.set_adapter("second")
    if kind == "disabled":
        own.base_model.disable_adapter_layers()
    own = own.get_base_model().eval() if kind == "inner" else own.eval()
    right = call(own, tokenizer)
    assert np.allclose(right, plain, atol=1e-5) == (kind == "disabled")
    found = audit(own, tokenizer)
    np.testing.assert_allclose(found.readouts[0].probabilities, right, atol=1e-5)
    np.testing.assert_array_equal(call(own, tokenizer), right)
    assert not any("lora" in name for name, _ in merge_adapters(own).named_parameters())


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_prompt_that_is_learnt_is_no_weight():
    peft = pytest.importorskip("peft")
    model, tokenizer = given()
    own = peft.get_peft_model(model, peft.PromptTuningConfig(task_type="SEQ_CLS", num_virtual_tokens=3)).eval()
    refuse("^model: as it is given, .* the model, a PeftModelForSequenceClassification;", own, tokenizer)


def add_weights(folder, **weights):
    path = folder / "model.safetensors"
    save_file(load_file(path) | weights, path, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            lambda folder: change_config(folder, auto_map={"AutoModelForSequenceClassification": "mine.Mine"}),
            r"config.json: the model comes with code of its own, which is not run here \(auto_map\); use judge",
        ),
        (
            lambda folder: change_config(folder, architectures=["ReviewForSequenceClassification"]),
            r"names the class ReviewForSequenceClassification \(architectures\), .* library's BertForSequenceClas",
        ),
        (
            lambda folder: change_config(folder, quantization_config={"quant_method": "gptq", "bits": 4}),
            r"config.json: the weights are quantised, and not read here \(quantization_config\)",
        ),
        (
            lambda folder: change_config(folder, model_type="bart", hidden_size=None),
            r"config.json: a model of type 'bart' without a hidden_size or num_hidden_layers is not known here",
        ),
        (
            lambda folder: add_weights(folder, **{"norm.weight": torch.ones(16)}),
            r": its weights hold norm.weight, and are",
        ),
        (
            lambda folder: add_weights(folder, **{"classifier.bias": torch.ones(3)}),
            r"classifier.bias has the shape \(3,\)",
        ),
        (
            lambda folder: [change_config(folder, architectures=["BertModel"]), (folder / "model_head.pkl").touch()],
            r"is no classifier of texts but a BertModel, .*; it is a folder of SetFit: use judge with predict_proba of",
        ),
        (
            lambda folder: [change_config(folder, architectures=["BertModel"]), (folder / "modules.json").touch()],
            r"but a BertModel, .*; it is a folder of sentence-transformers, without a classifier: use judge",
        ),
        (
            lambda folder: [
                (folder / "config.json").unlink(),
                *((folder / f"checkpoint-{step}").mkdir() for step in (500, 1000)),
            ],
            r"has no config.json, .*; name one of the folders in it, such as checkpoint-1000$",
        ),
        (
            lambda folder: (folder / "config.json").rename(folder / "adapter_config.json"),
            r"holds an adapter, .*; merge it into its model once, .* model.merge_and_unload",
        ),
    ],
)
def test_a_folder_that_is_not_the_librarys_is_one_line(change, line):
    folder = on_disk.save(Path(mkdtemp()))
    change(folder)
    refuse(f"^{folder}.*{line}", folder)


def test_weights_that_no_class_reads_and_keys_about_outputs_change_nothing():
    folder = on_disk.save(Path(mkdtemp()), "roberta")
    right = call(*load(folder))
    change_config(folder, return_dict=False, output_hidden_states=True, output_attentions=True)
    left_over = {"roberta.pooler.dense.weight": torch.ones(16, 16), "roberta.embeddings.position_ids": torch.ones(1, 9)}
    add_weights(folder, **left_over)
    np.testing.assert_allclose(audit(folder).readouts[0].probabilities, right, atol=1e-5)
