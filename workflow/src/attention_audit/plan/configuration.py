"""The configuration of a run: its type, with the sections that suites declare; how it is checked, and how it is written
down beside the results.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError, create_model

from attention_audit.artefacts.files import write_whole
from attention_audit.config import Config, DatasetConfig, ModelConfig
from attention_audit.config_messages import list_faults
from attention_audit.errors import AuditError, join_faults
from attention_audit.section import Name

from .model import Suite
from .suites import SUITES


def join_last(parts: list[str], last: str = " and ") -> str:
    """Join the parts of an enumeration by commas, and the last one by `last`."""
    return last.join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def describe_shared(suites: Iterable[Suite]) -> str:
    """Name the keys of suites that are the same for all data sets."""
    shared = {suite.section: suite.settings.SHARED for suite in suites if suite.settings and suite.settings.SHARED}
    parts = [f"{join_last([f'`{key}`' for key in keys])} of `{section}`" for section, keys in shared.items()]
    return join_last(parts, ", and ")


def build_type(suites: Iterable[Suite]) -> type[Config]:
    """Return the type of the configuration with the sections of these suites, which may be other on single data sets
    too. They stand between those of models and of audits.
    """
    suites = [*suites]
    sections: dict[str, Any] = {
        suite.section: (suite.settings, Field(suite.settings(), description=suite.contents))
        for suite in suites
        if suite.settings
    }
    create: Any = create_model  # its types know one base only
    of_suites = create("SuiteConfig", __base__=ModelConfig, **sections)
    about = (DatasetConfig.__doc__ or "").format(shared=describe_shared(suites))
    of_dataset: Any = create("DatasetConfig", __base__=(DatasetConfig, of_suites), __doc__=about)
    audits = Config.model_fields["audits"]
    description = (audits.description or "").format(suites=", ".join(suite.name for suite in suites))
    return create(
        "Config",
        __base__=(Config, of_dataset),
        __doc__=Config.__doc__,
        audits=(audits.annotation, Field({}, description=description)),
        overrides=(dict[Name, of_dataset], Config.model_fields["overrides"]),
    )


RUN_CONFIG = build_type(SUITES.values())
"""The type of every configuration."""


def parse_config(raw: Mapping[str, Any], catalogue: Mapping[str, Any] | None = None) -> Config:
    """Check a raw configuration. catalogue: the file of data sets that it was laid over.

    Raises AuditError with a line for each wrong key, which names it and says what is wrong with it.
    """
    corpora, published = raw.get("corpora"), (catalogue or {}).get("corpora", {})
    # an entry of the user's with the name of one of the catalogue has the keys of both; but its kind is the user's
    entries = corpora if isinstance(corpora, Mapping) else {}
    tables = [name for name, entry in entries.items() if isinstance(entry, Mapping) and entry.get("kind") == "table"]
    if taken := [name for name in tables if name in published and published[name]["kind"] != "table"]:
        raise join_faults(
            AuditError(f"config: corpora.{name}", "is the name of a data set of the catalogue", "choose another")
            for name in taken
        )
    try:
        config = RUN_CONFIG.model_validate(dict(raw))
    except ValidationError as error:
        raise join_faults(list_faults(error, raw, RUN_CONFIG)) from error
    if config.mirror_folder and not config.mirror_folder.is_dir():
        raise AuditError("config: mirror", f"no such folder: {config.mirror}", "name one that is there")
    return config


RECORD = ".configuration.yaml"
"""The file of the configuration in the folder of the results."""


def write_configuration(config: Config) -> None:
    """Write the configuration down when a run starts. Raises AuditError where the folder cannot be written to."""
    with write_whole(Path(config.results) / RECORD) as path:
        path.write_text(yaml.safe_dump(config.build_record(), sort_keys=False), encoding="utf-8")


def read_configuration(folder: Path) -> Config:
    """Read that of the last run in a folder. Raises AuditError where there is none."""
    try:
        raw = yaml.safe_load((folder / RECORD).read_text(encoding="utf-8"))
        return RUN_CONFIG.model_validate(raw)
    except (OSError, ValueError, AttributeError, yaml.YAMLError) as error:
        raise AuditError(str(folder), "holds no run of this version", "name the folder that `results` named") from error
