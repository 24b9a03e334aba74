"""The Transformers of a run: the one that models have as their encoder, which of them, where it lies, and the jobs that
read it; and classifiers that are given.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from attention_audit.code_hash import code_hash
from attention_audit.config import Config
from attention_audit.errors import AuditError
from attention_audit.jobs.transformer import StatesJob, TransformerJob
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


def folder_of(config: Config) -> Path:
    """The folder of the Transformer. Raises AuditError where there is none."""
    mirror = Path(config.mirror) if config.mirror else None
    return find_folder(transformer_of(config).path, mirror, f"config: {ENCODER}")


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


def check_transformer(config: Config) -> None:
    """Raise AuditError where a model names the Transformer and the library, or a part of its folder, is not there."""
    if not config.with_transformer:
        return
    refuse_unless_installed()
    folder = folder_of(config)
    model_files(folder)
    layers = _facts(folder).layers
    for dataset in config.every_dataset:
        layer = transformer_of(config.for_dataset(dataset)).layer
        if layer is not None and layer > layers:
            raise AuditError(f"config: transformer.layer: {layer}, and {folder} has {layers}; name one of these")


def transformer_files(config: Config) -> list[str]:
    """The files that decide what the Transformer computes."""
    return [str(path) for path in model_files(folder_of(config))]


def transformer_job(config: Config) -> TransformerJob:
    """The settings of the job that records which Transformer it is."""
    return TransformerJob(path=transformer_of(config).path)


def recipe_of(config: Config, dataset: str) -> ClassifierRecipe:
    """The recipe of the classifiers of a data set. Raises ValueError where it has none."""
    recipe = config.hf[dataset].recipe
    if recipe is None:
        raise ValueError(f"{dataset}: its classifiers are given")
    return recipe


def encoder_of(config: Config, dataset: str) -> Path:
    """The folder of the encoder that classifiers are fine-tuned from. Raises AuditError where there is none."""
    mirror = Path(config.mirror) if config.mirror else None
    return find_folder(recipe_of(config, dataset).path, mirror, f"config: hf.{dataset}.recipe.path")


def encoder_width(config: Config, dataset: str) -> int:
    """The width of its states."""
    return _facts(encoder_of(config, dataset)).width


def encoder_files(config: Config, dataset: str) -> list[str]:
    """The files that decide what it computes."""
    return [str(path) for path in model_files(encoder_of(config, dataset))]


def encoder_job(config: Config, dataset: str) -> TransformerJob:
    """The settings of the job that records which one it is."""
    return TransformerJob(path=recipe_of(config, dataset).path)


def check_encoder(config: Config, dataset: str) -> None:
    """Raise AuditError where the library, that folder or a part of it is not there, or where its encoder is of no
    family that can be fine-tuned.
    """
    refuse_unless_installed()
    folder = encoder_of(config, dataset)
    model_files(folder)
    tuned_family_of(folder)


def states_job(config: Config, dataset: str) -> StatesJob:
    """The settings of the job of the states of a data set."""
    return StatesJob(
        dataset=dataset,
        backbone=parts_of(config.for_dataset(dataset))["transformer"],
        pair=config.corpora[dataset].pair,
        device=config.device,
        threads=config.threads,
    )


def classifier_files(folders: Sequence[str], mirror: Path | None) -> list[str]:
    """The files that decide what these classifiers compute, each once."""
    found = [find_folder(folder, mirror, "config: hf") for folder in folders]
    return list(dict.fromkeys(str(path) for folder in found for path in model_files(folder)))


def layers_of(folder: str, mirror: Path | None) -> int:
    """How many layers a classifier has. Raises AuditError where its folder is not there."""
    return _facts(find_folder(folder, mirror, "config: hf")).layers


def check_classifier(folder: str, mirror: Path | None, key: str, layer: int | None = None) -> None:
    """Raise AuditError where the library, the folder of a classifier or a part of it is not there, where it is of no
    known family, or has not the layer. `key`: of the configuration that names it.
    """
    refuse_unless_installed()
    found = find_folder(folder, mirror, key)
    model_files(found)
    family_of(found)
    layers = _facts(found).layers
    if layer is not None and layer > layers:
        raise AuditError(f"{key}: layer {layer}, and {found} has {layers}; name one of these")


def recording(
    config: Config, name: str, files: list[str], record: str, told: Callable[[], TransformerJob]
) -> PlannedJob:
    """The job that records which Transformer it is, of these files."""
    return PlannedJob(
        name=rule_name(name),
        stage="transformer",
        inputs={"files": files},
        outputs={"record": [record]},
        told=told,
        code=code_hash("stages.transformer"),
        log=f"{config.places.logs}/{name}.log",
    )


def stating(config: Config, dataset: str) -> PlannedJob:
    """The job of the states of a data set."""
    places = config.places
    return PlannedJob(
        name=rule_name("states", dataset),
        stage="states",
        inputs={"corpus": [places.corpus_file(dataset, "corpus")], "transformer": [places.transformer]},
        outputs={name: [getattr(places, name).format(dataset=dataset)] for name in ("states", "pieces")},
        told=partial(states_job, config, dataset),
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
        told = partial(transformer_job, config)
        yield recording(config, "transformer", transformer_files(config), places.transformer, told)
    for dataset in config.corpora:
        if (record := places.encoder.format(dataset=dataset)) in files:
            name, told = f"transformers/{dataset}", partial(encoder_job, config, dataset)
            yield recording(config, name, encoder_files(config, dataset), record, told)
        if places.states.format(dataset=dataset) in files:
            yield stating(config, dataset)
