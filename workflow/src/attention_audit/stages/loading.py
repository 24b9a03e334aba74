"""From cached files to what the network eats: encoded texts, a model with its first weights, a device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from attention_audit.artefacts.parquet import read_table
from attention_audit.artefacts.schema import CORPUS, VOCABULARY
from attention_audit.corpus.vocabulary import Vocabulary
from attention_audit.errors import AuditError
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Split
from attention_audit.model.classifier import Classifier
from attention_audit.readout import read_readout
from attention_audit.training.settings import ModelSettings


@dataclass(frozen=True)
class Texts:
    """One split: ids, labels and texts as rows of the embedding between both marks."""

    ids: list[str]
    labels: list[int]
    rows: list[list[int]]


@dataclass(frozen=True)
class Material:
    """A data set ready for the network; vectors (V, E) has NaN rows where there is no pretrained vector."""

    splits: dict[str, Texts]
    classes: int
    words: int
    vectors: npt.NDArray[np.float32] | None

    @property
    def class_sizes(self) -> tuple[int, ...]:
        """Texts of each class in the training split."""
        return tuple(np.bincount(self.splits["train"].labels, minlength=self.classes).tolist())


def read_material(corpus: Path, vocabulary: Path, architecture: Architecture) -> Material:
    """Read and encode a data set; raises AuditError where a file is damaged."""
    table = read_table(vocabulary, VOCABULARY)
    words = Vocabulary(table["word"].to_pylist(), table["train_count"].to_pylist())
    vectors = None
    if architecture.pretrained:
        missing = np.full(architecture.embedding, np.nan, np.float32)
        vectors = np.stack([missing if v is None else np.asarray(v, np.float32) for v in table["vector"].to_pylist()])
    splits: dict[str, Texts] = {}
    texts = read_table(corpus, CORPUS)
    rows = zip(*(texts[name].to_pylist() for name in ("id", "split", "label", "tokens")), strict=True)
    for name, split, label, tokens in rows:
        part = splits.setdefault(split, Texts([], [], []))
        part.ids.append(name)
        part.labels.append(label)
        part.rows.append(words.encode(tokens))
    classes = 1 + max(max(part.labels) for part in splits.values())
    return Material(splits, classes, len(words.words), vectors)


def build_model(material: Material, architecture: Architecture, seed: int) -> Classifier:
    """A classifier with the first weights of `seed`; words without a pretrained vector start at zero."""
    torch.manual_seed(seed)
    model = Classifier(architecture, material.words, material.classes)
    if material.vectors is not None:
        with torch.no_grad():
            model.embedding.weight.copy_(torch.from_numpy(np.nan_to_num(material.vectors)))
    return model


def prepare_device(settings: ModelSettings) -> torch.device:
    """Threads, denormals and the device the settings ask for; raises AuditError where there is no such device."""
    torch.set_num_threads(settings.threads)
    torch.set_flush_denormal(True)
    available = torch.cuda.is_available()
    if settings.device == "cuda" and not available:
        raise AuditError("device: cuda was asked for but none is available; set `device: auto` or `device: cpu`")
    return torch.device("cuda" if available and settings.device != "cpu" else "cpu")


def build_split(texts: Texts, device: torch.device, reference: Path | None = None) -> Split:
    """A split on the device; with `reference`, it carries the attention and predictions of that readout.

    Raises AuditError where the readout lacks a text.
    """
    if reference is None:
        return Split(texts.rows, texts.labels, device)
    other = read_readout(reference).aligned(texts.ids)
    return Split(texts.rows, texts.labels, device, other.attention, other.probabilities)


def by_split(paths: Sequence[Path]) -> dict[str, Path]:
    """Readout files by split: each is named after the split it holds."""
    return {path.stem: path for path in paths}
