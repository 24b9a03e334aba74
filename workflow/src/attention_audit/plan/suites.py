"""The suites: sets of models that are asked the same audits, those of a paper or a user's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from attention_audit.artefacts.files import write_whole
from attention_audit.config import NOTHING, Config, extend_config, parse_config
from attention_audit.errors import AuditError
from attention_audit.targets import load

from .model import DataSet, Model


@dataclass(frozen=True)
class Suite:
    """A set of models that are asked the same audits.

    name: the beginning of the names of its tables and figures. models: the function that lists its models for a data
    set, "module:name". paper: its name in tables, such as WP2019; title: in headings. about: what it asks. citation:
    title and address of the paper that it is named after.

    section: the key of the configuration that names its data sets; by default its name. settings: the type of this
    section, "module:Class", where `config.Config` has none. prefix: how the paths of its models begin; by default its
    name and _. audits: those that it is asked unless the configuration names others, several in one string. base:
    whether its first model is one that others are compared with. pairs: whether its models read pairs of texts too.
    looks: how all models that it may have look, "module:name", as published numbers may be of others than those of a
    run.
    """

    name: str
    paper: str
    title: str
    about: str
    models: str
    audits: tuple[str, ...]
    section: str
    prefix: str
    settings: str = ""
    base: bool = False
    pairs: bool = False
    looks: str = ""
    citation: tuple[str, ...] = ()

    def datasets(self, config: Config) -> list[str]:
        """Return the data sets that the configuration names for it."""
        named = getattr(config, self.section)
        return [*getattr(named, "datasets", named)]

    def list_models(self, dataset: str, config: Config) -> dict[str, Model]:
        """Its models of a data set by name. Raises AuditError where one cannot be had."""
        listed = load(self.models)(DataSet(dataset, config.for_dataset(dataset), config))
        return {model.name: model for model in listed}


_LISTED = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
SUITES = {
    name: TypeAdapter(Suite).validate_python(
        {"name": name, "section": name, "prefix": f"{name}_", **said, "audits": " ".join(said["audits"]).split()}
    )
    for name, said in _LISTED.items()
}
"""By name, in the order in which they are listed."""


def build_config_type() -> type[Config]:
    """Return the type of the configuration, with the sections that suites bring."""
    return extend_config({suite.section: load(suite.settings) for suite in SUITES.values() if suite.settings})


def read_config(raw: Mapping[str, Any], catalogue: Mapping[str, Any] = NOTHING) -> Config:
    """Check a raw configuration, as `parse_config` does. Raises AuditError with a line for each fault."""
    return parse_config(raw, catalogue, build_config_type())


RECORD = ".configuration.yaml"
"""Its file in the folder of the results."""


def write_configuration(config: Config) -> None:
    """Write it down when a run starts. Raises AuditError where the folder cannot be written to."""
    with write_whole(Path(config.results) / RECORD) as path:
        path.write_text(yaml.safe_dump(config.build_record(), sort_keys=False), encoding="utf-8")


def read_configuration(folder: Path) -> Config:
    """Read that of the last run in a folder. Raises AuditError where there is none."""
    try:
        raw = yaml.safe_load((folder / RECORD).read_text(encoding="utf-8"))
        return build_config_type().model_validate(raw)
    except (OSError, ValueError, AttributeError, yaml.YAMLError) as error:
        raise AuditError(f"{folder}: holds no run of this version; name the folder that `results` named") from error
