"""What a classifier at hand costs in one call: `audit_classifier` with the last row and rollout, on one core.

    python benchmarks/notebook.py [FOLDER] [--texts 200]

FOLDER holds a fine-tuned classifier; without it, that is MiniLM with a head of random weights. MiniLM and the texts,
the first test sentences of SST, are of the folder that ATTENTION_AUDIT_MIRROR names. Printed are the processor time of
the call, of which at most 60 s are wanted for 200 sentences; how many texts, or copies of them, the network read for
each text, and in how many batches; and the time of the call against the time that these passes and the rows of the tail
take alone, sorted by length in full batches in the same process, of which at most 1.1 times as much is wanted: by the
library's own model, and as the audit runs it, which of the last layer computes the classified row alone.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from tail import build_classifier, sentences

import attention_audit
from attention_audit.batching import sort_into_runs
from attention_audit.model.sequence_classifier import SequenceClassifier, TransformerClassifier
from attention_audit.model.tail import ROWS_AT_ONCE, LogitTail
from attention_audit.stages import read_classifier
from attention_audit.transformer.states import PieceBatch, get_piece_limit

NAME = "encoders/all-MiniLM-L6-v2"
WARMING = 6
"""Texts that are audited first, so that nothing is loaded in the time that counts."""


@dataclass
class Passes:
    """What went through a classifier: the pieces of each text, those of a batch together, and rows of its tail."""

    batches: list[list[torch.Tensor]] = field(default_factory=list)
    rows: int = 0

    @contextmanager
    def record(self) -> Iterator[None]:
        """Record in the block what passes a classifier, and the model that it was given as."""
        compute, call, apply = (
            TransformerClassifier.compute_logits,
            read_classifier.call_as_given,
            LogitTail.apply,
        )

        def compute_logits(classifier: Any, pieces: Any, vectors: Any = None) -> Any:
            counts = pieces.lengths.tolist()
            self.batches.append([ids[:count] for ids, count in zip(pieces.ids, counts, strict=True)])
            return compute(classifier, pieces, vectors)

        def call_as_given(model: Any, inputs: Any) -> Any:
            self.batches.append([each["input_ids"][0] for each in inputs])
            return call(model, inputs)

        def apply_tail(tail: Any, contexts: Any, below: Any) -> Any:
            self.rows += len(contexts)
            return apply(tail, contexts, below)

        with (
            patch.object(TransformerClassifier, "compute_logits", compute_logits),
            patch.object(read_classifier, "call_as_given", call_as_given),
            patch.object(LogitTail, "apply", apply_tail),
        ):
            yield

    @torch.inference_mode()
    def repeat(self, classifier: TransformerClassifier) -> tuple[float, float, float]:
        """Take the processor seconds of all texts alone, sorted by length in full batches, by the library's model and
        as the audit runs it, and of the tail's rows.
        """
        texts = [text for batch in self.batches for text in batch]
        seconds = [0.0, 0.0]
        for run in sort_into_runs(np.array([*map(len, texts)]), get_piece_limit()):
            ids = torch.nn.utils.rnn.pad_sequence([texts[at] for at in run], batch_first=True)
            counts = torch.tensor([len(texts[at]) for at in run])
            pieces = PieceBatch(ids, 0 * ids, 0 * ids, counts, counts, 0 * counts, 0 * counts)
            start = time.process_time()
            classifier.model(input_ids=ids, attention_mask=pieces.mask.long())
            seconds[0] += (between := time.process_time()) - start
            classifier.compute_logits(pieces)
            seconds[1] += time.process_time() - between
        tail, between = classifier.tail, time.process_time()
        width, joined = tail.sizes
        contexts, below = torch.randn(ROWS_AT_ONCE, joined), torch.randn(ROWS_AT_ONCE, width)
        for first in range(0, self.rows, ROWS_AT_ONCE):
            count = min(ROWS_AT_ONCE, self.rows - first)
            tail.apply(contexts[:count], below[:count])
        return seconds[0], seconds[1], time.process_time() - between


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--texts", type=int, default=200)
    call = parser.parse_args()
    mirror = os.environ.get("ATTENTION_AUDIT_MIRROR")
    if mirror is None:
        sys.exit("ATTENTION_AUDIT_MIRROR is not set; name the folder that holds the encoder and SST")
    torch.set_num_threads(1)
    texts = [" ".join(words) for words in sentences(Path(mirror), call.texts)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = call.folder or Path(temporary)
        if call.folder is None:
            build_classifier(Path(mirror) / NAME, folder)

        def audit(count: int) -> Any:
            # nothing that is timed depends on the labels
            labels, settings = [number % 2 for number in range(count)], {"threads": 1}
            return attention_audit.audit_classifier(
                folder, None, texts[:count], labels, maps=["rollout"], settings=settings
            )

        audit(WARMING)
        passes, start = Passes(), time.process_time()
        with passes.record():
            answer = audit(len(texts))
        seconds = time.process_time() - start
        *encoders, tail = passes.repeat(SequenceClassifier(folder))
    print(f"{len(texts)} sentences: {seconds:.1f} s of processor time (60 wanted of 200)")
    read, batches = sum(map(len, passes.batches)) / len(texts), len(passes.batches)
    print(f"{read:.1f} texts read for each, in {batches} batches; {passes.rows} rows of the tail")
    for how, encoder in zip(("by the library", "as audited"), encoders, strict=True):
        ratio = seconds / (encoder + tail)
        print(f"alone, {how}, {encoder:.1f} + {tail:.1f} s: {ratio:.3f} times as long (1.1 wanted)")
    print(answer.table[["claim", "verdict", "value", "low", "high"]].to_string(index=False))


if __name__ == "__main__":
    main()
