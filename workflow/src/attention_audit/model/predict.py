"""Run a model over a split, without gradients and without dropout."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import torch

from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.model.probabilities import probabilities


@contextmanager
def inference(model: Network) -> Iterator[None]:
    """Switch gradients and dropout off in the block; afterwards the model is in the mode it had before."""
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        model.train(training)


def predict_split(model: Network, split: Split) -> npt.NDArray[np.float32]:
    """Predicted distributions over a split, (N, C), without gradients and dropout."""
    logits = torch.empty(len(split), model.decoder.out_features)
    with inference(model):
        for members, batch in split.in_order_of_length():
            logits[torch.from_numpy(members)] = model(batch).logits.cpu()
        return probabilities(logits).numpy()
