"""The Transformers of a run: the one that models have as their encoder, which of them, where it lies, and the jobs that
read it; and classifiers that are given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from attention_audit.config import Config
from attention_audit.corpus.encoders import BUILDS_KEY, ENCODERS_KEY, BuiltClassifier, FetchedEncoder
from attention_audit.corpus.source import RawSource, find_own
from attention_audit.errors import AuditError
from attention_audit.training.classifiers import Classifiers
from attention_audit.transformer.folder import (
    ENCODER,
    Facts,
    find_classifier_family,
    find_folder,
    find_tuned_family,
    list_model_files,
    read_model_facts,
    refuse_unless_installed,
)
from attention_audit.transformer.settings import (
    BUILT_FILES,
    Backbone,
    Long,
    ReadClassifier,
    Transformer,
    choose_layer,
    refuse_missing,
    refuse_missing_maps,
)

TUNED = "tuned/{dataset}/seed{seed}"
"""The path that names a classifier of several labels that is fine-tuned here."""
TUNED_MODEL = "base"
"""What it is called in its suite, as the first model of other recipes is."""


@dataclass(frozen=True)
class TunedClassifier:
    """A classifier of several labels that is fine-tuned here, from the encoder of a data set, with its labels."""

    encoder: "NamedTransformer"
    labels: Sequence[str]
    files = BUILT_FILES

    @property
    def facts(self) -> Facts:
        """What config.json will say."""
        says = {"problem_type": "multi_label_classification"}
        return self.encoder.facts._replace(labels=dict(enumerate(self.labels)), says=says)


def list_entries(config: Config) -> dict[str, FetchedEncoder | BuiltClassifier | TunedClassifier]:
    """Return what the configuration says of Transformers that are not the user's, by the paths that name them."""
    fetched = {f"{ENCODERS_KEY}/{name}": encoder for name, encoder in config.encoders.items()}
    built = {f"{BUILDS_KEY}/{name}": classifier for name, classifier in config.built.items()}
    tuned = {
        TUNED.format(dataset=name, seed=seed): TunedClassifier(find_encoder(config, name), source.label_names)
        for name, section in config.hf.items()
        if section.tunes_labels and section.recipe and isinstance(source := config.corpora[name], RawSource)
        for seed in section.recipe.seeds
    }
    return {**fetched, **built, **tuned}


@dataclass(frozen=True)
class NamedTransformer:
    """The Transformer that a key of the configuration names by a path. Raises AuditError, in all but `made`, where
    there is none.
    """

    config: Config
    path: str
    key: str = "config: hf"

    @property
    def made(self) -> FetchedEncoder | BuiltClassifier | TunedClassifier | None:
        """Return the entry by which it is fetched, built or fine-tuned; None where there is none, or it is here or in
        the mirror.
        """
        is_here = find_own(self.path, self.config.mirror_folder).is_dir()
        return None if is_here else list_entries(self.config).get(self.path)

    @property
    def folder(self) -> Path:
        """Its folder, where it is or will be made."""
        if self.made:
            return Path(self.config.places.raw) / self.path
        return find_folder(self.path, self.key, self.config.mirror_folder)

    @property
    def facts(self) -> Facts:
        """Return what its config.json says, or will say."""
        encoder = self.made
        return encoder.facts if encoder else read_model_facts(self.folder)

    @property
    def files(self) -> list[Path]:
        """Its files. Raises AuditError, too, where something is missing."""
        encoder = self.made
        return [self.folder / name for name in encoder.files] if encoder else list_model_files(self.folder)

    @property
    def inputs(self) -> list[str]:
        """Its files, or the whole folder of one that is unpacked."""
        return [str(self.folder)] if isinstance(self.made, FetchedEncoder) else [str(path) for path in self.files]

    def check(self) -> None:
        """Raise AuditError where the library, or something of it, is missing."""
        refuse_unless_installed()
        _ = self.files


def name_transformer(config: Config) -> tuple[Transformer, NamedTransformer]:
    """Name the Transformer of the run, after its section. Raises AuditError where there is no section."""
    if config.transformer is None:
        raise AuditError("config: transformer: missing key; give the `path` of the Transformer that a model names")
    return config.transformer, NamedTransformer(config, config.transformer.path, f"config: {ENCODER}")


def describe_encoder(config: Config) -> dict[str, Any]:
    """Say what an architecture is whose encoder is the Transformer.

    Raises AuditError where the library, the section, a part of the folder or the layer is missing.
    """
    section, transformer = name_transformer(config)
    transformer.check()
    refuse_missing(transformer.folder, transformer.facts.layers, section.layer, "config: transformer.layer")
    return {
        "encoder": "transformer",
        "transformer": Backbone(**section.model_dump(include=set(Backbone.model_fields))),
        "hidden": transformer.facts.width,
        "embedding": 1,
        "pretrained": False,
    }


def find_given(config: Config, dataset: str) -> Classifiers:
    """Find the section of classifiers that are given, in which those of several labels are that a recipe makes."""
    section = config.hf[dataset]
    if section.recipe is None or not section.tunes_labels:
        return section
    folders = [TUNED.format(dataset=dataset, seed=seed) for seed in section.recipe.seeds]
    return section.model_copy(update={"models": {TUNED_MODEL: folders}, "recipe": None})


def find_encoder(config: Config, dataset: str) -> NamedTransformer:
    """Find the encoder that classifiers are fine-tuned from. Raises ValueError where they are given."""
    recipe = config.hf[dataset].recipe
    if recipe is None:
        raise ValueError(f"{dataset}: its classifiers are given")
    return NamedTransformer(config, recipe.path, f"config: hf.{dataset}.recipe.path")


def check_encoder(config: Config, dataset: str) -> None:
    """Raise AuditError where the library, that folder or a part of it is not there, or where its encoder is of no
    family that can be fine-tuned.
    """
    encoder = find_encoder(config, dataset)
    encoder.check()
    find_tuned_family(encoder.folder, encoder.facts)
    refuse_missing_maps(encoder.folder, encoder.facts, config.hf[dataset].maps, f"config: hf.{dataset}: maps")


def read_alone(config: Config, folders: Sequence[str], layer: int | None, long: Long) -> int | None:
    """Read which layer `choose_layer` chooses; None where a folder is not there, which `check_classifier` tells."""
    try:
        return choose_layer([NamedTransformer(config, folder).facts for folder in folders], layer, long)
    except AuditError:
        return None


def check_classifier(config: Config, folder: str, key: str, reading: ReadClassifier) -> None:
    """Raise AuditError where the library, the folder of a classifier or a part of it is not there, where config.json
    says that it is of no known family or no classifier, or where it has not the layer, or one that a map is of. `key`:
    of the configuration, which names it.
    """
    transformer = NamedTransformer(config, folder, key)
    transformer.check()
    choosing = reading.kind in (None, "classes")
    find_classifier_family(transformer.folder, transformer.facts, reading.prompt is not None, choosing)
    if reading.imposed and transformer.facts.mean:
        fault = f"{transformer.folder} classifies the mean of all tokens, so that no row's weights decide"
        raise AuditError(key, fault, "leave `uniform` out")
    refuse_missing(transformer.folder, transformer.facts.layers, reading.layer, key, "layer")
    refuse_missing_maps(transformer.folder, transformer.facts, reading.maps, f"{key}: maps")


def check_decoder(config: Config, folder: str, key: str, maps: Sequence[str]) -> None:
    """Raise AuditError where the library, the folder of a language model or a part of it is not there, where it is no
    decoder, or has not the layer that a map is of. `key`: of the configuration, which names it.
    """
    transformer = NamedTransformer(config, folder, key)
    transformer.check()
    find_classifier_family(transformer.folder, transformer.facts, prompted=True)
    refuse_missing_maps(transformer.folder, transformer.facts, maps, f"{key}: maps")


def list_made(config: Config, folder: str) -> dict[str, NamedTransformer]:
    """List the Transformers that are not here, and not the user's, of a folder of `raw`: encoders, which are unpacked,
    or classifiers that are built; by name.
    """
    transformers = (NamedTransformer(config, path) for path in list_entries(config) if path.startswith(f"{folder}/"))
    return {each.folder.name: each for each in transformers if each.made}


def list_recorded(config: Config) -> dict[str, Callable[[], NamedTransformer]]:
    """List the Transformers that trainings read, by the names of their records, each with what finds it."""
    finders = {"transformer": lambda: name_transformer(config)[1]} if config.transformer else {}
    tuned = (name for name, section in config.hf.items() if section.recipe is not None)
    return {**finders, **{f"transformers/{name}": partial(find_encoder, config, name) for name in tuned}}
