"""Small networks, and splits of random words."""

import numpy as np
import torch
from networks import make_architecture

from attention_audit.model.batch import RaggedLists, Split
from attention_audit.model.network import build_network
from attention_audit.model.tail import probabilities

CPU = torch.device("cpu")
ENCODERS = ("bilstm", "affine", "conv", "bigru")


def random_texts(lengths, seed=0):
    """Texts of so many random words of thirty, between their marks."""
    random = np.random.default_rng(seed)
    return [[2, *random.integers(4, 30, n).tolist(), 3] for n in lengths]


def model_of(encoder="bilstm", pair=False, attention="additive", classes=3, seed=0):
    """A network of thirty words in double precision."""
    torch.manual_seed(seed)
    architecture = make_architecture(encoder, attention, pair=pair, kernels=[1, 3, 5])
    return build_network(architecture, words=30, classes=classes).double()


def split_of(texts, labels=None, **further):
    """These texts, of class 0 where no labels are given. further: arguments of `Split`, of what is ragged as lists."""
    for name in {"queries", "candidates", "sentences"} & further.keys():
        rows = further[name]
        further[name] = RaggedLists(np.array([number for row in rows for number in row]), np.array([*map(len, rows)]))
    return Split(np.concatenate(texts), [len(text) - 2 for text in texts], labels or [0] * len(texts), CPU, **further)


def predict_alone(model, text, **pairs):
    """Predict a text as a batch of its own, with its query and candidates where it is one of a pair: (C,)."""
    batch = split_of([text], **{name: [own] for name, own in pairs.items()}).batch(np.array([0]))
    return probabilities(model(batch).logits.detach())[0]
