"""What a classifier at hand costs in one call: `audit_classifier` with the last row and rollout, on one core.

    python benchmarks/notebook.py [--texts 200]

The classifier is MiniLM with a head of random weights, and the texts are the first test sentences of SST, both of the
folder that ATTENTION_AUDIT_MIRROR names. Printed is the processor time of the call, of which at most 60 s are wanted
for 200 sentences.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import torch
from tail import build_classifier, sentences

import attention_audit

NAME = "encoders/all-MiniLM-L6-v2"


def main() -> None:
    """Print the time."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--texts", type=int, default=200)
    call = parser.parse_args()
    mirror = os.environ.get("ATTENTION_AUDIT_MIRROR")
    if mirror is None:
        sys.exit("ATTENTION_AUDIT_MIRROR is not set; name the folder that holds the encoder and SST")
    torch.set_num_threads(1)
    texts = [" ".join(words) for words in sentences(Path(mirror), call.texts)]
    # nothing that is timed depends on them
    labels = [number % 2 for number in range(len(texts))]
    with tempfile.TemporaryDirectory() as folder:
        build_classifier(Path(mirror) / NAME, Path(folder))
        start = time.process_time()
        answer = attention_audit.audit_classifier(
            folder, None, texts, labels, maps=["rollout"], settings={"threads": 1}
        )
        print(f"{len(texts)} sentences: {time.process_time() - start:.1f} s of processor time (60 wanted)")
    print(answer.table[["question", "verdict", "value", "low", "high"]].to_string(index=False))


if __name__ == "__main__":
    main()
