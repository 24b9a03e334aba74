"""From a trained model to its readout: the network is run here once, for all audits that need only its readout."""

from collections.abc import Sequence

import numpy as np
import torch

from attention_audit.model.batch import Split
from attention_audit.model.network import Network, PairClassifier, allowed, inference
from attention_audit.model.tail import probabilities
from attention_audit.padded import Head
from attention_audit.readout import Classes, Floats, Readout


def take_head(model: Network) -> Head | None:
    """The last layer of a model of pairs; None for a model of single texts."""
    if not isinstance(model, PairClassifier):
        return None
    return Head(*(part.detach().cpu().clone() for part in (model.decoder.weight, model.decoder.bias)))


def take_readout(model: Network, split: Split, ids: Sequence[str]) -> Readout:
    """Run the model over a split, without gradients and without dropout, and keep its readout."""
    count = len(split)
    attention: list[Floats] = [np.empty(0, np.float32)] * count
    contribution: list[Floats] = [np.empty((0, 0), np.float32)] * count
    bias: list[Floats] = [np.empty(0, np.float32)] * count
    candidates: list[Classes] = [np.arange(model.decoder.out_features, dtype=np.int32)] * count
    logits = np.empty((count, model.decoder.out_features), np.float32)
    with inference(model):
        for members, batch in split.in_order_of_length():
            output = model(batch)
            weights, values = output.attention.cpu().numpy(), model.contributions(output.states).cpu().numpy()
            logits[members] = output.logits.cpu().numpy()
            shift = output.bias.expand(len(members), -1).cpu().numpy()
            choices = None if batch.candidates is None else allowed(batch.candidates, logits.shape[1]).cpu().numpy()
            for row, member in enumerate(members):
                items = split.items[member]
                attention[member], contribution[member] = weights[row, :items], values[row, :items]
                bias[member] = shift[row]
                if choices is not None:
                    candidates[member] = choices[row].nonzero()[0].astype(np.int32)
        predicted = probabilities(torch.from_numpy(logits)).numpy()
    head = take_head(model)
    return Readout(
        list(ids),
        split.labels,
        predicted.argmax(1),
        predicted,
        attention,
        contribution,
        np.stack(bias),
        head,
        candidates if head else None,
    )
