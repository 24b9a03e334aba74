"""The Transformers of a run: the one that models have as their encoder, which of them, where it lies, and the jobs that
read it; and classifiers that are given.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from attention_audit.code_hash import code_hash
from attention_audit.config import Config
from attention_audit.errors import AuditError
from attention_audit.jobs.importing import StatesJob, TransformerJob
from attention_audit.plan.job import PlannedJob, rule_name
from attention_audit.training.fine_tuning import ClassifierRecipe
from attention_audit.transformer.families import family_of, tuned_family_of
from attention_audit.transformer.folder import (
    ENCODER,
    Facts,
    find_folder,
    model_files,
    read_facts,
    refuse_unless_installed,
)
from attention_audit.transformer.settings import Backbone, Transformer


@cache
def _facts(folder: Path) -> Facts:
    return read_facts(folder)


def transformer_of(config: Config) -> Transformer:
    """The section of the Transformer. Raises AuditError where there is none."""
    if config.transformer is None:
        raise AuditError("config: transformer: missing key; give the `path` of the Transformer that a model names")
    return config.transformer


def _found(config: Config, path: str, key: str) -> Path:
    return find_folder(path, Path(config.mirror) if config.mirror else None, f"config: {key}")


def folder_of(config: Config) -> Path:
    """The folder of the Transformer. Raises AuditError where there is none."""
    return _found(config, transformer_of(config).path, ENCODER)


def parts_of(config: Config) -> dict[str, Any]:
    """What an architecture says of an encoder that is the Transformer. Raises AuditError where it cannot be had."""
    section = transformer_of(config)
    return {
        "encoder": "transformer",
        "transformer": Backbone(**section.model_dump(include=set(Backbone.model_fields))),
        "hidden": _facts(folder_of(config)).width,
        "embedding": 1,
        "pretrained": False,
    }


def recipe_of(config: Config, dataset: str) -> ClassifierRecipe:
    """The recipe of the classifiers of a data set. Raises ValueError where it has none."""
    recipe = config.hf[dataset].recipe
    if recipe is None:
        raise ValueError(f"{dataset}: its classifiers are given")
    return recipe


def encoder_of(config: Config, dataset: str) -> Path:
    """The folder of the encoder that classifiers are fine-tuned from. Raises AuditError where there is none."""
    return _found(config, recipe_of(config, dataset).path, f"hf.{dataset}.recipe.path")


def encoder_width(config: Config, dataset: str) -> int:
    """The width of its states."""
    return _facts(encoder_of(config, dataset)).width


def _refuse_missing_layer(folder: Path, layer: int | None, asked: str) -> None:
    layers = _facts(folder).layers
    if layer is not None and layer > layers:
        raise AuditError(f"{asked} {layer}, and {folder} has {layers}; name one of these")


def check_transformer(config: Config) -> None:
    """Raise AuditError where a model names the Transformer and the library, or a part of its folder, is not there."""
    if config.with_transformer:
        refuse_unless_installed()
        model_files(folder_of(config))
        for dataset in config.every_dataset:
            layer = transformer_of(config.for_dataset(dataset)).layer
            _refuse_missing_layer(folder_of(config), layer, "config: transformer.layer:")


def check_encoder(config: Config, dataset: str) -> None:
    """Raise AuditError where the library, that folder or a part of it is not there, or where its encoder is of no
    family that can be fine-tuned.
    """
    refuse_unless_installed()
    model_files(encoder_of(config, dataset))
    tuned_family_of(encoder_of(config, dataset))


def classifier_files(folders: Sequence[str], mirror: Path | None) -> list[str]:
    """The files that decide what these classifiers compute, each once."""
    found = [find_folder(folder, mirror, "config: hf") for folder in folders]
    return list(dict.fromkeys(str(path) for folder in found for path in model_files(folder)))


def layers_of(config: Config, folder: str) -> int:
    """How many layers a classifier has. Raises AuditError where its folder is not there."""
    return _facts(_found(config, folder, "hf")).layers


def check_classifier(folder: str, mirror: Path | None, key: str, layer: int | None = None) -> None:
    """Raise AuditError where the library, the folder of a classifier or a part of it is not there, where it is of no
    known family, or has not the layer. `key`: of the configuration that names it.
    """
    refuse_unless_installed()
    found = find_folder(folder, mirror, key)
    model_files(found)
    family_of(found)
    _refuse_missing_layer(found, layer, f"{key}: layer")


def recording(config: Config, name: str, path: str, folder: Path, record: str) -> PlannedJob:
    """The job that records which Transformer lies in a folder, which the configuration calls `path`."""
    return PlannedJob(
        name=rule_name(name),
        stage="transformer",
        inputs={"files": [str(file) for file in model_files(folder)]},
        outputs={"record": [record]},
        told=partial(TransformerJob, path=path),
        code=code_hash("stages.transformer"),
        log=f"{config.places.logs}/{name}.log",
    )


def stating(config: Config, dataset: str) -> PlannedJob:
    """The job of the states of a data set."""
    places = config.places

    def told() -> StatesJob:
        return StatesJob(
            dataset=dataset,
            backbone=parts_of(config.for_dataset(dataset))["transformer"],
            pair=config.corpora[dataset].pair,
            device=config.device,
            threads=config.threads,
        )

    return PlannedJob(
        name=rule_name("states", dataset),
        stage="states",
        inputs={"corpus": [places.corpus_file(dataset, "corpus")], "transformer": [places.transformer]},
        outputs={name: [getattr(places, name).format(dataset=dataset)] for name in ("states", "pieces")},
        told=told,
        code=code_hash("stages.states"),
        log=f"{places.logs}/states/{dataset}.log",
        needs=("states",),
        threads=config.threads,
        updates=("states", "pieces"),
    )


def jobs(config: Config, files: Collection[str]) -> Iterator[PlannedJob]:
    """The jobs that make these files, as far as they are records or states of a Transformer."""
    places = config.places
    if places.transformer in files:
        yield recording(config, "transformer", transformer_of(config).path, folder_of(config), places.transformer)
    for dataset in config.corpora:
        if (record := places.encoder.format(dataset=dataset)) in files:
            path, folder = recipe_of(config, dataset).path, encoder_of(config, dataset)
            yield recording(config, f"transformers/{dataset}", path, folder, record)
        if places.states.format(dataset=dataset) in files:
            yield stating(config, dataset)
