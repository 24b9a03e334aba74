"""The mirror's MiniLM: a Transformer as a user has one. Without a mirror that holds it, the tests are skipped."""

import os
from pathlib import Path

import pytest
import torch

from attention_audit.stages.encode import BUDGET, measure_change
from attention_audit.transformer.folder import find_folder, hash_model_files, read_model_facts
from attention_audit.transformer.opening import choose_length, open_model, open_tokenizer
from attention_audit.transformer.pieces import cut
from attention_audit.transformer.states import PieceTable, WordStates

MIRROR = os.environ.get("ATTENTION_AUDIT_MIRROR")
NAME = "encoders/all-MiniLM-L6-v2"
TEXTS = [
    ["an", "unpretentious", "and", "oddly", "touching", "film"],
    ["it", "'s", "a", "charmless", ",", "overlong", "mess"],
    ["the", "actors", "are", "fine", ",", "the", "story", "is", "not"],
    ["no"],
]

pytestmark = pytest.mark.skipif(
    not MIRROR or not (Path(MIRROR) / NAME).is_dir(), reason=f"ATTENTION_AUDIT_MIRROR names no folder with {NAME}"
)


@pytest.fixture(scope="module")
def folder():
    return find_folder(NAME, "transformer.path", Path(MIRROR or ""))


def test_it_is_the_published_model(folder):
    assert read_model_facts(folder)[:3] == ("bert", 384, 6)
    sums = hash_model_files(folder)
    assert sums["model.safetensors"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    assert {"config.json", "tokenizer.json", "vocab.txt"} <= sums.keys()


def test_half_precision_costs_its_states_little(folder):
    model, tokenizer = open_model(folder), open_tokenizer(folder)
    assert choose_length(tokenizer, model, 600) == 512
    table = PieceTable(cut(tokenizer, ["a", "b", "c", "d"], TEXTS, None, 512), torch.device("cpu"))
    with torch.inference_mode():
        states = WordStates(model, None, "first")(table.batch(torch.arange(4))).states
    assert 0 < measure_change([own[: len(text)] for own, text in zip(states, TEXTS, strict=True)]) < BUDGET
