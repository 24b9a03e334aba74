"""The configuration of a run, which is written down beside its results."""

from pathlib import Path

import yaml

from attention_audit.artefacts.files import whole
from attention_audit.config import Config
from attention_audit.errors import AuditError

from .suite import config_type

RECORD = ".configuration.yaml"
"""Its file in the folder of the results."""


def write_configuration(config: Config) -> None:
    """Write it down when a run starts. Raises AuditError where the folder cannot be written to."""
    with whole(Path(config.results) / RECORD) as path:
        path.write_text(yaml.safe_dump(config.recorded(), sort_keys=False), encoding="utf-8")


def read_configuration(folder: Path) -> Config:
    """Read that of the last run in a folder. Raises AuditError where there is none."""
    try:
        raw = yaml.safe_load((folder / RECORD).read_text(encoding="utf-8"))
        return config_type().model_validate(raw)
    except (OSError, ValueError, AttributeError, yaml.YAMLError) as error:
        raise AuditError(f"{folder}: holds no run of this version; name the folder that `results` named") from error
