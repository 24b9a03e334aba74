"""Whole audits of a classifier on a pretended GPU: nothing is mixed or read where it is not, and few reads wait."""

import numpy as np
import pytest
import torch
import transformers
from library_types import make_model
from pretended_gpu import pretend_gpu
from test_library_types import FOUND, KNOWN
from transformers_on_disk import WORDS, tokenizer

import attention_audit
from attention_audit.api import opening
from attention_audit.maps import MAP_FUNCTIONS
from attention_audit.transformer.states import fit_batches, get_piece_limit, set_piece_limit

AT_ONCE = ("bert", "gpt2", "llama", "ernie")
"""An encoder and two decoders that are known part by part, and one by the attention interface."""
WITH_EXPERTS = {
    "axk1", "axk2", "deepseek_v2", "deepseek_v3", "hunyuan_v1_moe", "mistral4", "mixtral", "phimoe", "qwen2_moe",
    "qwen3_moe",
}  # fmt: skip
"""The library asks a real GPU how it can multiply their parts."""
MAPS = ["rollout", "input_gradient", "kernel_shap"]
MOST_WAITS = 500
"""Reads of numbers a text, in all audits and maps, at which a GPU waits."""
SETTINGS = {"deletion": {"texts": 6}, "agreement": {"texts": 2}}
WHOLE_WORDS = [word for word in WORDS if not word.startswith("##")]
TEXTS = [" ".join(WHOLE_WORDS[at % 5 :][: 3 + at % 4]) for at in range(12)]


def ask(kind, device, monkeypatch, dtype=torch.float32, **further):
    pieces = tokenizer(list(WORDS))
    # types of GPT's kind would take the segments of a pair for words
    pieces.model_input_names = ["input_ids", "attention_mask"]
    torch.manual_seed(0)
    model = make_model(kind, len(pieces), transformers.AutoModelForSequenceClassification).to(dtype)
    monkeypatch.setattr(opening, "choose_device", lambda *_: torch.device(device))
    labels = [model.config.id2label[at % 3] for at in range(len(TEXTS))]
    further = {"maps": MAPS, "settings": SETTINGS} | further
    return attention_audit.audit_classifier(model, pieces, TEXTS, labels, progress=False, batch_size=4, **further)


@pytest.mark.parametrize("kind", ["bert", pytest.param("ernie", marks=pytest.mark.whole)])
@pytest.mark.parametrize("dtype", [torch.bfloat16, pytest.param(torch.float16, marks=pytest.mark.whole)])
def test_a_gpu_keeps_the_dtype_of_a_model(kind, dtype, monkeypatch):
    maps = [name for name in MAP_FUNCTIONS if kind == "bert" or name in MAPS]
    with pretend_gpu(monkeypatch) as gpu:
        there = ask(kind, "cuda", monkeypatch, dtype, maps=maps, questions=["used"])
    assert (gpu.mixed, gpu.forbidden) == ({}, {})
    with pytest.warns(UserWarning, match="is read as float32"):
        here = ask(kind, "cpu", monkeypatch, dtype, maps=maps, questions=["used"])
    tails = [answer.readouts[0].attending.tail.sample.dtype for answer in (there, here)]
    assert tails == [dtype, torch.float32]
    moved = np.abs(there.readouts[0].probabilities - here.readouts[0].probabilities)
    assert 0 < moved.max() < torch.finfo(dtype).eps


def mark(kinds):
    return [kind if kind in AT_ONCE else pytest.param(kind, marks=pytest.mark.whole) for kind in kinds]


@pytest.mark.parametrize("kind", mark(sorted({*AT_ONCE, *FOUND, *KNOWN} - {"gpt-sw3"} - WITH_EXPERTS)))
def test_an_audit_runs_on_a_gpu(kind, monkeypatch):
    with pretend_gpu(monkeypatch) as gpu:
        answer = ask(kind, "cuda", monkeypatch)
    assert (gpu.mixed, gpu.forbidden) == ({}, {})
    assert 0 < gpu.waits.total() / len(TEXTS) < MOST_WAITS
    here = ask(kind, "cpu", monkeypatch)
    assert answer.table.equals(here.table)


@pytest.mark.parametrize(
    ("free", "kept", "pieces"), [(12e9, 0, 6000), (6e9, 6e9, 6000), (1e9, 0, 2048), (140e9, 0, 16384)]
)
def test_batches_fit_the_free_memory_of_a_gpu(free, kept, pieces, monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _: (free, 150e9))
    # half of what PyTorch holds is in use
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda _: 2 * kept)
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda _: kept)
    fit_batches(torch.device("cuda"), 1e6)
    try:
        assert get_piece_limit() == pieces
        with set_piece_limit(70):
            assert get_piece_limit() == 70
    finally:
        fit_batches(torch.device("cpu"), 1e6)
    assert get_piece_limit() == 2048


def test_a_mixture_and_an_array_of_its_memory_are_found(monkeypatch):
    with pretend_gpu(monkeypatch) as gpu:
        there, here = torch.zeros(3, 4, device="cuda"), torch.ones(4)
        assert (there.device.type, here.device.type) == ("cuda", "cpu")
        there + here
        (there + 1).cpu().numpy()
        there.sum().item()
        there * torch.arange(4, device=there.device)
        (there * 2).numpy()
        here.to(there) + there
    assert (gpu.mixed.total(), gpu.forbidden.total(), gpu.waits.total()) == (1, 1, 2)
