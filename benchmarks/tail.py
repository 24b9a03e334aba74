"""Seconds that it takes to read a Transformer classifier out and to ask what passes its tail, on one core.

    python benchmarks/tail.py MIRROR [texts]

MIRROR holds SST and, in encoders/all-MiniLM-L6-v2, an encoder, on which a classifier of random weights is set;
fine-tuning changes no shape. Of the test split (1,725 texts, or fewer where a number is given), printed are

- one forward pass as the library makes it, sorted by length, and the readout, for which at most 1.3 times as long is
  wanted; the share of padding in it, at most 10 %;
- 100 permutations, at most 20 s;
- Jain & Wallace's adversary with 5 restarts of 500 steps, at most 240 s, and the memory of the process, below 3 GB;
- the ranked sets, the shuffles, and the heads one by one.
"""

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from attention_audit.audits.contributions import ranked_sets, shuffles
from attention_audit.audits.instance_adversary import instance_adversary
from attention_audit.audits.permutation import heads, permutation
from attention_audit.audits.settings import Erasure, InstanceAdversary, Permutation
from attention_audit.corpus.source import RemoteFile
from attention_audit.corpus.sources.annotated import SstCorpus
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.stages.network_readout import take_classifier
from attention_audit.transformer.opening import open_model, open_tokenizer
from attention_audit.transformer.pieces import cut
from attention_audit.transformer.states import PieceTable


def timed(what: str, work: Callable[[], Any], most: str = "") -> Any:
    """Run and print how many seconds of the processor it took, and the greatest memory so far."""
    start = time.process_time()
    result = work()
    seconds, memory = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{what:32} {seconds:8.1f} s, {memory:.2f} GB at most so far{most}", flush=True)
    return result, seconds


def sentences(mirror: Path, texts: int) -> list[list[str]]:
    """Test sentences of SST as words."""
    source = SstCorpus(kind="sst", archive=RemoteFile(file="trainDevTestTrees_PTB.zip"))
    raw = {"archive": mirror / "sst" / source.archive.file}
    test = [str(text.text).split() for text in source.read("sst", raw) if text.split == "test"]
    # the shortest are left out, as the workflow does
    return [text for text in test if len(text) > 5][:texts]


def build_classifier(encoder: Path, folder: Path) -> SequenceClassifier:
    """The encoder with a classifier of random weights above it, saved as a user's folder and read again."""
    torch.manual_seed(0)
    config = transformers.AutoConfig.from_pretrained(encoder, local_files_only=True, num_labels=2)
    model = transformers.AutoModelForSequenceClassification.from_config(config)
    model.bert = open_model(encoder)
    model.bert.pooler = transformers.models.bert.modeling_bert.BertPooler(config)
    # weights large enough that predictions differ from text to text
    torch.nn.init.normal_(model.classifier.weight, std=0.4)
    model.save_pretrained(folder)
    open_tokenizer(encoder).save_pretrained(folder)
    return SequenceClassifier(folder)


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mirror", type=Path)
    parser.add_argument("texts", type=int, nargs="?", default=100_000)
    call = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    words = sentences(call.mirror, call.texts)
    names = [str(number) for number in range(len(words))]
    with tempfile.TemporaryDirectory() as folder:
        classifier = build_classifier(call.mirror / "encoders" / "all-MiniLM-L6-v2", Path(folder))
        plain = open_model(Path(folder), "ForSequenceClassification")
    pieces = cut(classifier.tokenizer, names, words, None, classifier.most)
    table = PieceTable(pieces, torch.device("cpu"))
    batches = list(table.iterate_by_length())
    padded = sum(batch.ids.numel() for _, batch in batches)
    print(f"{len(words)} texts, {pieces.counts.sum()} pieces, {1 - pieces.counts.sum() / padded:.1%} padding")

    @torch.inference_mode()
    def forward() -> None:
        for _, batch in batches:
            plain(input_ids=batch.ids, attention_mask=batch.mask.long(), token_type_ids=batch.types)

    timed("first forward pass", forward)
    _, once = timed("one forward pass", forward)
    labels = np.zeros(len(words), np.int64)
    readout, read = timed("readout", lambda: take_classifier(classifier, pieces, names, labels, (0, 1)))
    print(f"{'':32} {read / once:.2f} times one forward pass (1.3 wanted)")
    timed("100 permutations", lambda: permutation(readout, Permutation()), " (20 s wanted)")
    search = InstanceAdversary()
    found, _ = timed(
        "adversary, 5 x 500 steps", lambda: instance_adversary(readout, search, print), " (240 s, 3 GB wanted)"
    )
    print(f"{'':32} mean JSD {found['jsd'].mean():.3f}, mean TVD {found['tvd'].mean():.4f}")
    timed("ranked sets", lambda: ranked_sets(readout, Erasure()))
    timed("shuffles", lambda: shuffles(readout, Erasure(), Permutation()))
    timed("heads", lambda: heads(readout, Permutation()))


if __name__ == "__main__":
    main()
