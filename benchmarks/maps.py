"""What the maps of a Transformer cost: processor time against forward passes, in one run on one core, and memory.

    python benchmarks/maps.py [--texts 16] [--length 128] [--dear]

The network has the shape of MiniLM (6 layers, width 384): the encoder itself where ATTENTION_AUDIT_MIRROR names a
folder that holds it, else one of random weights. Texts are random pieces, all of the same length. Forward passes and
all cheap maps together take turns. Printed are the ratio of their median times, of which at most 12 is wanted; each map
alone, in forward passes; and the greatest memory of the process, of which at most 2 GB are wanted. --dear: the other
maps too, of one text.
"""

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
import transformers
from tail import build_classifier

from attention_audit.maps import MAP_FUNCTIONS
from attention_audit.maps.passes import ModelPass
from attention_audit.model.sequence_classifier import TransformerClassifier
from attention_audit.transformer.pieces import SPECIAL, Pieces
from attention_audit.transformer.states import PieceBatch, PieceTable

CPU = torch.device("cpu")
DEAR = ("flow", "decompx", "value_zeroing", "lime", "kernel_shap")
"""Maps that take about as many passes as a text has pieces, or more."""
TOGETHER = 1024
"""Padded pieces of the texts whose maps are computed together."""
NAME = "encoders/all-MiniLM-L6-v2"
SHAPE = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
VOCABULARY = 30522


def network(folder: Path) -> TransformerClassifier:
    """A classifier of the shape of MiniLM: the encoder itself where there is a mirror with it."""
    encoder = Path(os.environ.get("ATTENTION_AUDIT_MIRROR") or "no mirror") / NAME
    if encoder.is_dir():
        print(f"network: {NAME}, a classifier of random weights on it")
        return build_classifier(encoder, folder)
    print("network: random weights")
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=VOCABULARY, attn_implementation="eager", **SHAPE)
    model = transformers.BertForSequenceClassification(config).eval()
    model.save_pretrained(folder)
    return TransformerClassifier(folder, model)


def build_texts(count: int, length: int) -> PieceTable:
    """Texts of random pieces, each of which is a word, between two marks."""
    random = np.random.default_rng(0)
    ids = random.integers(1000, VOCABULARY, (count, length)).astype(np.int32)
    words = np.tile(np.arange(-1, length - 1, dtype=np.int32), (count, 1))
    words[:, -1] = SPECIAL
    each = np.full(count, length)
    none = np.zeros(count, np.int64)
    types = np.zeros(ids.size, np.int8)
    pieces = Pieces(ids.ravel(), types, words.ravel(), none, each, each - 2, none, none, none > 0, none)
    return PieceTable(pieces, CPU)


def seconds(work: Callable[[PieceBatch], object], texts: PieceTable, tokens: int = TOGETHER) -> float:
    """Processor time of some work on all texts."""
    start = time.process_time()
    for _, pieces in texts.iterate_by_length(tokens):
        work(pieces)
    return time.process_time() - start


def memory() -> float:
    """The greatest memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=int, default=16)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--dear", action="store_true", help="the maps that take many passes too, of one text")
    call = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    cheap = [name for name in MAP_FUNCTIONS if name not in DEAR]
    with tempfile.TemporaryDirectory() as folder:
        classifier = network(Path(folder))
        texts = build_texts(call.texts, call.length)

        @torch.no_grad()
        def forward(pieces: PieceBatch) -> None:
            classifier.compute_logits(pieces)

        def maps(pieces: PieceBatch) -> None:
            read = ModelPass(classifier, pieces)
            for name in cheap:
                MAP_FUNCTIONS[name](read)

        def alone(name: str) -> Callable[[PieceBatch], object]:
            return lambda pieces: MAP_FUNCTIONS[name](ModelPass(classifier, pieces))

        seconds(forward, texts)
        times = [(seconds(forward, texts), seconds(maps, texts)) for _ in range(call.rounds)]
        one, together = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{call.texts} texts of {call.length} pieces: a forward pass {one:.2f} s")
        print(f"{len(cheap)} maps together {together:.2f} s, {together / one:.1f} forward passes (12 wanted)")
        print(f"memory {memory():.2f} GB (2 wanted)")
        for name in cheap:
            print(f"{name:20} {seconds(alone(name), texts) / one:6.1f}")
        if call.dear:
            text = build_texts(1, call.length)
            one = statistics.median(seconds(forward, text) for _ in range(call.rounds))
            for name in DEAR:
                taken = seconds(alone(name), text) / one
                print(f"{name:20} {taken:6.0f}, memory so far {memory():.2f} GB", flush=True)


if __name__ == "__main__":
    main()
