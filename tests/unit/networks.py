"""Small classifiers: of random weights, in memory, and trained on corpora of a few words."""

from pathlib import Path

import pyarrow as pa
import torch
from in_process import run_stage
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.files import CORPUS, VOCABULARY
from attention_audit.corpus.text import SPLITS
from attention_audit.corpus.vocabulary import WordLists, build_columns, build_vocabulary
from attention_audit.model.architecture import Architecture
from attention_audit.model.network import Classifier
from attention_audit.readout import read_readout
from attention_audit.training.settings import Recipe, TrainSettings


def make_architecture(encoder="bilstm", attention="additive", **given):
    sizes = {"embedding": 5, "hidden": 4, "attention_hidden": 3, "pretrained": False}
    return Architecture.model_validate({"encoder": encoder, "attention": attention} | sizes | given)


def make_classifier(encoder="bilstm", attention="additive", words=10, classes=2, seed=0, **given):
    torch.manual_seed(seed)
    return Classifier(make_architecture(encoder, attention, **given), words, classes)


def run_packed(encoder, reference, vectors, lengths):
    """States of PyTorch's own bidirectional network, which takes the weights of an encoder that reads both ways."""
    for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
        reference._parameters[name] = encoder.forwards._parameters[name]
        reference._parameters[f"{name}_reverse"] = encoder.backwards._parameters[name]
    reference._init_flat_weights()
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(reference(packed)[0], batch_first=True)[0]


def write_words(folder, rows, vectors=()):
    """Write a corpus with its vocabulary, which is that of the training texts."""
    corpus, provenance = folder / "corpus.parquet", Provenance("test", {}, "")
    write_table(corpus, CORPUS, pa.Table.from_pylist([*rows], schema=CORPUS.schema), provenance)
    words = build_columns(build_vocabulary(WordLists(corpus, ["train"])), dict(vectors))
    write_table(folder / "vocabulary.parquet", VOCABULARY, words, provenance)


def train_in(folder, model, architecture, recipe, reference="", **given):
    """Train a model on the corpus of a folder, and read every split out; reference: another model in the folder."""
    settings = {"dataset": "words", "model": model, "objective": {"kind": "labels"}, "seed": 1, "device": "cpu"}
    settings |= {"threads": 1, "patience": None, "architecture": architecture, "optimisation": Recipe(**recipe)}
    inputs = {name: [f"{folder}/{name}.parquet"] for name in ("corpus", "vocabulary")}
    inputs["reference"] = [f"{folder}/{reference}/{split}.parquet" for split in SPLITS] if reference else []
    outputs = {"weights": [f"{folder}/{model}/weights.safetensors"]}
    outputs |= {name: [f"{folder}/{model}/{name}.parquet"] for name in ("history", "head")}
    outputs["readouts"] = [f"{folder}/{model}/{split}.parquet" for split in SPLITS]
    run_stage("train", TrainSettings.model_validate(settings | given), inputs, outputs)
    return [read_readout(Path(path)) for path in outputs["readouts"]]
