"""The network that an architecture asks for."""

from attention_audit.model.architecture import Architecture
from attention_audit.model.classifier import Classifier, Network
from attention_audit.model.pairs import PairClassifier

__all__ = ["Network", "network"]


def network(architecture: Architecture, words: int, classes: int) -> Network:
    """A classifier of texts or of pairs, with weights from PyTorch's random state and `words` rows in the embedding."""
    return (PairClassifier if architecture.pair else Classifier)(architecture, words, classes)
