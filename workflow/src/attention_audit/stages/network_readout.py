"""From a trained model to its readout: the network is run here once, for all audits that need only its readout."""

from collections.abc import Sequence

import numpy as np
import torch

from attention_audit.arrays import Array
from attention_audit.model.batch import Split
from attention_audit.model.network import Network, PairClassifier, mark_allowed, use_inference
from attention_audit.model.tail import probabilities
from attention_audit.padded import Head
from attention_audit.readout import Readout


def take_head(model: Network) -> Head | None:
    """Return the last layer of a model of pairs; None for a model of single texts."""
    if not isinstance(model, PairClassifier):
        return None
    return Head(*(part.detach().cpu().clone() for part in (model.decoder.weight, model.decoder.bias)))


def take_readout(model: Network, split: Split, ids: Sequence[str]) -> Readout:
    """Run the model over a split, without gradients and without dropout, and keep its readout."""
    found: dict[int, list[Array]] = {}
    with use_inference(model):
        for members, batch in split.iterate_by_length():
            output = model(batch)
            choices = torch.ones_like(output.logits)
            if batch.candidates is not None:
                choices = mark_allowed(batch.candidates, output.logits.shape[1])
            parts = output.logits, output.bias.expand(len(members), -1), choices
            items = output.attention, model.compute_contributions(output.states)
            rows = zip(members, *(part.cpu().numpy() for part in (*parts, *items)), strict=True)
            for member, *of_text, weights, added in rows:
                count = split.items[member]
                found[member] = [*of_text, weights[:count], added[:count]]
        columns = zip(*(found[member] for member in range(len(split))), strict=True)
        logits, bias, allows, attention, contribution = map(list, columns)
        predicted = probabilities(torch.from_numpy(np.stack(logits))).numpy()
    head = take_head(model)
    candidates = [row.nonzero()[0].astype(np.int32) for row in allows] if head else None
    labels, classes = split.labels, predicted.argmax(1)
    return Readout(list(ids), labels, classes, predicted, attention, contribution, np.stack(bias), head, candidates)
