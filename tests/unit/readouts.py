"""Readouts of made-up texts."""

from dataclasses import replace

import numpy as np
import torch
from scipy.special import softmax

from attention_audit.model.tail import Tail
from attention_audit.padded import Head
from attention_audit.readout import HeadStates, Readout, read_heads


def make_readout(lengths, outputs=1, seed=0, size=2.0, peak=1.0):
    """Make a readout of texts with the given lengths, consistent in itself: probabilities follow from attention.

    size: of the states. peak: the smaller, the more peaked the weights.
    """
    random = np.random.default_rng(seed)
    attention = [random.dirichlet(np.full(n, peak)).astype(np.float32) for n in lengths]
    contribution = [random.normal(0, size, (n, outputs)).astype(np.float32) for n in lengths]
    bias = np.tile(random.normal(size=outputs).astype(np.float32), (len(lengths), 1))
    logits = np.array([a @ z for a, z in zip(attention, contribution, strict=True)]) + bias
    every = np.hstack([np.zeros_like(logits), logits]) if outputs == 1 else logits
    probabilities = softmax(every, 1).astype(np.float32)
    return Readout(
        ids=[f"text-{i}" for i in range(len(lengths))],
        labels=random.integers(0, probabilities.shape[1], len(lengths)),
        predictions=probabilities.argmax(1),
        probabilities=probabilities,
        attention=attention,
        contribution=contribution,
        bias=bias,
    )


def make_pairs(lengths, outputs=3, classes=4, seed=0, **further):
    """Make a readout of pairs: `outputs` behind a head of so many classes, of which a text has its own candidates."""
    readout = make_readout(lengths, outputs, seed, **further)
    random = np.random.default_rng(seed)
    weight, bias = random.normal(0, 2, (classes, outputs)), random.normal(size=classes)
    head = Head(torch.from_numpy(weight).float(), torch.from_numpy(bias).float())
    candidates = [np.flatnonzero(np.arange(classes) != i % (2 * classes)).astype(np.int32) for i in range(len(readout))]
    scores = [a @ z + b for a, z, b in zip(readout.attention, readout.contribution, readout.bias, strict=True)]
    logits = np.tanh(np.array(scores)) @ weight.T + bias
    for row, allowed in zip(logits, candidates, strict=True):
        row[np.setdiff1d(np.arange(classes), allowed)] = -np.inf
    probabilities = softmax(logits, 1).astype(np.float32)
    predictions = probabilities.argmax(1)
    return replace(readout, predictions=predictions, probabilities=probabilities, head=head, candidates=candidates)


def random_tail(width, joined, classes, seed=0):
    """Make a tail of random weights; its inner layer is twice as wide. joined: how wide all heads are together."""
    generator = torch.Generator().manual_seed(seed)
    shapes = {"output": (width, joined), "inner": (2 * width, width), "outer": (width, 2 * width)}
    shapes |= {"pooler": (width, width), "classifier": (classes, width)}
    weights = {}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = torch.randn(shape, generator=generator)
        weights[f"{name}.bias"] = torch.randn(shape[:1], generator=generator)
    for name in ("first", "second"):
        weights[f"{name}.weight"] = 1 + torch.randn(width, generator=generator) / 4
        weights[f"{name}.bias"] = torch.randn(width, generator=generator)
    return Tail(weights, "gelu", "tanh", 1e-12)


def make_heads(lengths, heads=3, width=6, classes=3, seed=0, marks=0):
    """Make a readout of a Transformer of random weights, consistent in itself, whose heads are wider than states."""
    random = np.random.default_rng(seed)
    of_head = width // heads + 1
    attending = HeadStates(
        [random.dirichlet(np.ones(n), heads).T.astype(np.float32) for n in lengths],
        np.full(len(lengths), marks),
        [random.normal(0, 2, (n, heads, of_head)).astype(np.float32) for n in lengths],
        random.normal(size=(len(lengths), width)).astype(np.float32),
        random_tail(width, heads * of_head, classes, seed),
    )
    labels = random.integers(0, classes, len(lengths))
    return read_heads([f"text-{i}" for i in range(len(lengths))], labels, attending)


def classify(logits):
    """The distribution of one text: a softmax, of one output beside nothing."""
    return softmax(np.append(0, logits) if len(logits) == 1 else logits)


def readout_of(attention, contribution, bias):
    """Texts with these weights, contributions (one number an item for two classes, else one a class) and bias."""
    texts = range(len(attention))
    weights = [np.array(row, dtype=np.float32) for row in attention]
    values = [np.array(row, dtype=np.float32).reshape(len(row), -1) for row in contribution]
    shift = np.tile(np.array(bias, dtype=np.float32), (len(attention), 1))
    probabilities = np.array([classify(weights[i] @ values[i] + shift[i]) for i in texts], dtype=np.float32)
    predictions = probabilities.argmax(1)
    return Readout(
        ids=[f"text-{i}" for i in texts],
        labels=predictions,
        predictions=predictions,
        probabilities=probabilities,
        attention=weights,
        contribution=values,
        bias=shift,
    )
