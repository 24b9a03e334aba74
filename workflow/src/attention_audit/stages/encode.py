"""corpus, record of a Transformer -> its states of the words of all texts, once for all trainings that read them.

The states are of half precision where that moves logits by less than 1e-3, measured on some texts (`measure_change`);
else of single.
"""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from attention_audit.artefacts.parquet import read_table, write_table
from attention_audit.artefacts.weights import write_array
from attention_audit.columns.files import CORPUS, PIECES
from attention_audit.transformer.pieces import join_pieces
from attention_audit.transformer.settings import StatesJob
from attention_audit.transformer.states import PieceTable, WordStates

from .job import Job
from .loading import open_transformer, prepare_device

SAMPLE = 256
"""Texts on which it is measured what half precision costs."""
DECODERS = 64
"""Decoders with which it is measured."""
LOGIT_SD = 2.0
"""Standard deviation that the logits of these decoders have over the texts."""
SHARE = 0.99
"""Share of the logits that are to move by less than `BUDGET`."""
BUDGET = 1e-3
"""Most that half precision may move a logit."""


def measure_change(texts: Sequence[Tensor]) -> float:
    """Measure how far half precision moves the logits of texts, all but the 1 % that it moves most: n times (L, H).

    The decoders see the mean of the states of each text. They are what a step of gradient descent on random labels
    makes of zeros, scaled until their logits have the standard deviation `LOGIT_SD` over the texts.
    """
    generator = torch.Generator().manual_seed(1)
    halves = [states.half() for states in texts]
    means, rounded = (torch.stack([states.double().mean(0) for states in each]) for each in (texts, halves))
    labels = torch.randn(len(texts), DECODERS, generator=generator, dtype=torch.float64).to(means.device)
    if not rounded.isfinite().all():
        return float("inf")
    decoders = (means - means.mean(0)).T @ labels
    scale = LOGIT_SD / (means @ decoders).std(0).clamp(min=torch.finfo(torch.float64).tiny)
    return float((((means - rounded) @ decoders).abs() * scale).flatten().quantile(SHARE))


def choose_precision(model: WordStates, table: PieceTable) -> tuple[type[np.floating], float]:
    """Return the type of the states, and what half precision would cost, on `SAMPLE` texts spread over a split."""
    members = np.linspace(0, len(table) - 1, min(SAMPLE, len(table))).round().astype(np.int64)
    texts: list[Tensor] = []
    for _, batch in table.iterate_by_length(members=members):
        texts += (states[:count] for states, count in zip(model(batch).states, batch.read.tolist(), strict=True))
    cost = measure_change(texts)
    return (np.float16 if cost < BUDGET else np.float32), cost


@torch.inference_mode()
def run(job: Job[StatesJob]) -> None:
    """Read every text once, shortest first, and write the states of its words."""
    settings = job.settings
    device = prepare_device(settings.device, settings.threads)
    opened = open_transformer(job.input("transformer"), settings.backbone)
    pieces = opened.cut_texts(job.input("corpus"), settings.pair)
    model = opened.frozen.to(device)
    kind, cost = choose_precision(model, PieceTable(pieces["train"], device))
    job.report(f"half precision moves logits by {cost:.1e}; states are {np.dtype(kind).name}")
    all_pieces, start = join_pieces(pieces.values()), 0
    ends = (all_pieces.read + settings.pair).cumsum()
    with write_array(job.output("states"), (int(ends[-1]), model.width), kind) as states:
        for split, part in pieces.items():
            for members, batch in PieceTable(part, device).iterate_by_length():
                batch_states, summary = (values.cpu().numpy() for values in model(batch))
                for row, member in enumerate(members + start):
                    words, end = all_pieces.read[member], ends[member]
                    if settings.pair:
                        end -= 1
                        states[end] = summary[row]
                    states[end - words : end] = batch_states[row, :words]
            start += len(part)
            job.report(part.describe(split))
    texts = read_table(job.input("corpus"), CORPUS, ["id", "split"])
    in_order = pa.concat_tables(texts.filter(pc.field("split") == split) for split in pieces)
    columns = {
        "id": in_order["id"],
        "split": in_order["split"],
        "words": all_pieces.read,
        "query_words": all_pieces.queried,
        "pieces": all_pieces.counts,
        "truncated": all_pieces.truncated,
        "unknown": all_pieces.unknown,
    }
    write_table(job.output("pieces"), PIECES, columns, job.provenance)
