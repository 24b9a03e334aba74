"""What all attributions share. An attribution gives every token of a text a score: the higher, the more it matters."""

from collections.abc import Iterator
from contextlib import contextmanager

from attention_audit.model.batch import Batch
from attention_audit.model.network import Network


@contextmanager
def evaluating(model: Network) -> Iterator[None]:
    """Switch dropout off in the block and leave gradients on; afterwards the model is in the mode it had before."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def flat(batch: Batch) -> Batch:
    """The batch; raises ValueError where the items of its texts are sentences."""
    if batch.documents is not None:
        raise ValueError("attributions score the tokens of flat texts, not of texts that are read as sentences")
    return batch
