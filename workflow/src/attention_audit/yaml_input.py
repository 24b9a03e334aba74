"""YAML: the package's own files; and a configuration as somebody wrote it: what a reader of YAML takes without a word,
and values of a command line.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from attention_audit.errors import AuditError, join_faults

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's, which takes a tenth of the time, where PyYAML has it."""


def read_package_yaml(path: Path) -> Any:
    """Read a YAML file of the package. Raises AuditError, naming file and line, where it is no YAML."""
    with path.open(encoding="utf-8") as file:
        try:
            return yaml.load(file, LOADER)
        except yaml.MarkedYAMLError as error:
            place = f"{path}, line {error.problem_mark.line + 1}" if error.problem_mark else str(path)
            raise AuditError(place, f"is no YAML ({error.problem})", "mend it") from error


def _find_given_twice(node: yaml.Node, seen: set[int], key: str = "") -> Iterator[tuple[str, int, int]]:
    """Return keys that one group gives twice, with the lines of both. seen: the parts that were looked at; some are
    shared.
    """
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for name, value in node.value:
            here, line = f"{key}.{name.value}".removeprefix("."), name.start_mark.line + 1
            if here in lines:
                yield here, lines[here], line
            lines.setdefault(here, line)
            yield from _find_given_twice(value, seen, here)
    elif isinstance(node, yaml.SequenceNode):
        for part in node.value:
            yield from _find_given_twice(part, seen, key)


def refuse_given_twice(path: Path) -> None:
    """Raise AuditError, with a line for each, where a configuration file gives a key twice.

    YAML would take the last one, and what the first one says would be lost. A file that is no YAML, or not there, is
    left to those who read it.
    """
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=LOADER)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return
    duplicates = _find_given_twice(root, set()) if root else ()
    faults = [
        AuditError(str(path), f"the key {key} stands in line {earlier} and again in line {later}", "leave one out")
        for key, earlier, later in duplicates
    ]
    if faults:
        raise join_faults(faults)


def parse_value(value: Any) -> Any:
    """Return a value of `--config key={inner: 8}` as a configuration file would have it.

    Snakemake reads what stands within brackets as text, numbers and true and false too.
    """
    if isinstance(value, dict):
        return {key: parse_value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [parse_value(inner) for inner in value]
    if not isinstance(value, str) or not value:
        return value
    try:
        scalar = yaml.safe_load(value)
    except yaml.YAMLError:
        return value
    return scalar if scalar is None or isinstance(scalar, bool | int | float) else value
