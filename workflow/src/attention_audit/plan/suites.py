"""The suites: sets of models that are asked the same audits, those of a paper or a user's own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from attention_audit.artefacts.files import write_whole
from attention_audit.config import NOTHING, Config, extend_config, parse_config
from attention_audit.errors import AuditError
from attention_audit.targets import load

from .model import Suite

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
