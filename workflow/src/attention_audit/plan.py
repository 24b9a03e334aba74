"""What a configuration asks for: every model of every data set, what it is told, and which files it reads.

Snakemake's rules ask here; nothing here is computed or read from disk, and no heavy library is imported.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention_audit.config import Config
from attention_audit.corpus.availability import locate
from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.vectors import Vectors
from attention_audit.model.architecture import Architecture
from attention_audit.training.settings import ModelSettings, Optimisation, TrainSettings

RAW = Path("results/raw")
ADVERSARY = "adversary_lambda"
GUIDES = ("guide_uniform", "guide_trained_mlp", "guide_base_lstm", "guide_adversary")


@dataclass(frozen=True)
class Run:
    """One model with one seed."""

    model: str
    seed: int


class Plan:
    """The models of a run, by the names that stand in their paths.

    base, uniform, guide_<weights imposed>, adversary_lambda<lambda>.
    """

    def __init__(self, config: Config) -> None:
        self.config = config

    @property
    def adversaries(self) -> list[str]:
        """One model a lambda, in the order of the grid."""
        return [adversary_name(value) for value in self.config.adversary.lambdas]

    @property
    def bilstms(self) -> list[str]:
        """The models whose attention is compared with the base model's."""
        return ["base", "uniform", *self.adversaries]

    @property
    def models(self) -> list[str]:
        """Every model of a data set."""
        return [*self.bilstms, *GUIDES]

    @property
    def base(self) -> Run:
        """The base model."""
        return Run("base", self.config.training.seed)

    @property
    def guide_adversary(self) -> Run:
        """The adversary whose weights guide the diagnostic MLP and stand in figure 2."""
        config = self.config
        return Run(adversary_name(config.guides.adversary_lambda), config.adversary.seeds[0])

    def seeds(self, model: str) -> list[int]:
        """The seeds a model is trained with."""
        return self.config.adversary.seeds if model.startswith(ADVERSARY) else self.config.training.seeds

    def lambda_(self, model: str) -> float | None:
        """The lambda of an adversary, None for other models."""
        return next((x for x in self.config.adversary.lambdas if adversary_name(x) == model), None)

    def family(self, model: str) -> str:
        """The model's name in tables: all adversaries are one family, told apart by lambda."""
        return "adversary" if model.startswith(ADVERSARY) else model

    def reference(self, model: str) -> Run | None:
        """The readout that a model is trained on, if any."""
        if model.startswith(ADVERSARY) or model == "guide_base_lstm":
            return self.base
        return self.guide_adversary if model == "guide_adversary" else None

    def vectors(self, dataset: str) -> Vectors | None:
        """The word vectors of a data set; None for random ones."""
        return self.config.word_vectors.get(self.config.corpora[dataset].vectors or self.config.vectors)

    def architecture(self, dataset: str, model: str) -> Architecture:
        """What a model is built of."""
        config = self.config
        vectors = self.vectors(dataset)
        guide = model in GUIDES
        attention = {
            "uniform": "uniform",
            "guide_uniform": "uniform",
            "guide_base_lstm": "imposed",
            "guide_adversary": "imposed",
        }.get(model, "additive")
        return Architecture.model_validate(
            {
                "encoder": "affine" if guide else "bilstm",
                "attention": attention,
                "embedding": vectors.dimension if vectors else config.model.embedding,
                "pretrained": vectors is not None,
                "hidden": config.guides.hidden if guide else config.model.hidden,
                "attention_hidden": config.guides.attention if guide else config.model.attention,
            }
        )

    def raw_paths(self, dataset: str, mirror: Path | None) -> dict[str, Path]:
        """The raw files of a data set by field: the user's own where they lie, others where they are fetched to."""
        source = self.config.corpora[dataset]
        if not isinstance(source, RawSource):
            return {}
        folder = RAW / (source.folder or dataset)
        fetched = {field: folder / remote.file for field, remote in source.remote_files().items()}
        return fetched | {field: locate(path, mirror) or Path(path) for field, path in source.local_files().items()}

    def fetched(self, dataset: str) -> list[tuple[str, str]]:
        """Folder and name of each file to fetch for a data set."""
        source = self.config.corpora[dataset]
        if not isinstance(source, RawSource):
            return []
        return [(source.folder or dataset, remote.file) for remote in source.remote_files().values()]

    def remote_file(self, folder: str, file: str) -> tuple[RemoteFile, str]:
        """The entry of a file to fetch, and the homepage of whom to ask for it ("" for word vectors)."""
        if folder == "vectors":
            entries = (v for v in self.config.word_vectors.values() if isinstance(v, RemoteFile) and v.file == file)
            return next(entries), ""
        for name, source in self.config.corpora.items():
            if isinstance(source, RawSource) and (source.folder or name) == folder:
                for entry in source.remote_files().values():
                    if entry.file == file:
                        return entry, source.origin.homepage
        raise KeyError(f"{folder}/{file}")

    def vocabulary_settings(self, dataset: str) -> str:
        """What the vocabulary job of a data set is told, as JSON."""
        vectors = self.vectors(dataset)
        told = {
            "dataset": dataset,
            "min_df": self.config.corpora[dataset].min_df,
            "vectors": vectors.model_dump() if vectors else None,
        }
        return json.dumps(told, sort_keys=True)

    def readout_settings(self, dataset: str, model: str) -> ModelSettings:
        """What the readout job of a model is told."""
        return ModelSettings.model_validate(self._identity(dataset, model))

    def train_settings(self, dataset: str, model: str) -> TrainSettings:
        """What the training job of a model is told."""
        config = self.config
        adversary = model.startswith(ADVERSARY)
        optimisation = {name: getattr(config.training, name) for name in Optimisation.model_fields}
        return TrainSettings.model_validate(
            self._identity(dataset, model)
            | {
                "optimisation": optimisation,
                "epochs": config.adversary.epochs if adversary else config.training.epochs,
                "patience": config.adversary.patience if adversary else None,
            }
        )

    def _identity(self, dataset: str, model: str) -> dict[str, Any]:
        return {
            "dataset": dataset,
            "model": self.family(model),
            "lambda_": self.lambda_(model),
            "seeds": list(self.seeds(model)),
            "architecture": self.architecture(dataset, model).model_dump(),
            "device": self.config.device,
            "threads": self.config.threads,
        }

    def runs(self, models: Sequence[str], but_base: bool = False) -> list[Run]:
        """Every seed of these models; without the base model's own where others are compared with it."""
        every = [Run(model, seed) for model in models for seed in self.seeds(model)]
        return [run for run in every if not (but_base and run == self.base)]

    def identities(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        """Model, lambda and seed of each run, as the columns of an audit name them."""
        return [{"model": self.family(run.model), "lambda": self.lambda_(run.model), "seed": run.seed} for run in runs]


def adversary_name(value: float) -> str:
    """The name of the adversary with this lambda."""
    return f"{ADVERSARY}{value!r}"
