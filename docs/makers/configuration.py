"""The configuration's JSON schema and its page in docs/, both written from the typed configuration.

`make docs` writes them; a test fails where they are out of date.
"""

import json
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from attention_audit.plan.suites import config_type
from attention_audit.section import OneOf, Section

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.json"
PAGE = ROOT / "docs" / "configuration.md"

OPENING = """# Configuration

Written from the typed configuration (`attention_audit/config.py`) by `make docs`. A file that `--configfile` names is a
whole configuration: what it does not name has the default below, and a suite runs on the data sets that its section
names, by default on none. Beneath it lies `workflow/catalogue.yaml` alone, whose data sets and word vectors every run
can name. Without a file, `config.yaml` is run, the demonstration. Several files are laid over one another, and
`--config key=value` changes a single key: a list replaces the one it overrides, a group is merged with it. An unknown
key, a wrong type, a value out of bounds or a key that stands twice in a file ends the run before it starts, with a line
for each fault that names the key. Numbers are not converted from text: in YAML, write `1.0e-3`, since `1e-3` is a text
there.

What is other on a single data set stands under its name in `overrides`, section by section, and is laid over what the
sections say for all data sets, as in `overrides: {sst: {training: {epochs: 4}, jain_wallace: {recipe: {epochs: 4}}}}`.

`results` names the folder that a run writes to, below the working directory or anywhere else, as in `--config
results=runs/b`. With `mirror=results/raw` it takes from the first run what that one has fetched. A folder holds one
run, whose configuration is written down there when it starts. Another configuration may add to it: data sets, models,
seeds (not before the first), lambdas, audits, and whatever is said of a data set or a suite that the folder has not.
It may change what only tables and figures show: `resamples`, `attention_maps`, `font`, and the margins of `answer`,
but for `tvd`, the budget of the searches. It may change `mirror` and `skip_unavailable`. Anything else would make
other models or audits, or leave out what is there. A run that would so replace files ends at once, in a line that
names the keys, unless `replace` is true; `snakemake -n` says so at its end. An edit of code is no change of the
configuration.
"""


def config_schema() -> str:
    """JSON schema of the configuration, for editors and other programs."""
    return json.dumps(config_type().model_json_schema(), indent=2) + "\n"


def _sections(annotation: Any) -> list[type[Section]]:
    """The groups of settings that a type refers to, in the order in which the type names them."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    return [section for part in get_args(annotation) for section in _sections(part)]


def _type(annotation: Any) -> str:
    sections = _sections(annotation)
    if sections:
        names = " or ".join(f"[{section.__name__}](#{section.__name__.lower()})" for section in sections)
        return f"name: {names}" if get_origin(annotation) is dict else names
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return " or ".join(_type(part) for part in parts)
    if origin in (list, dict):
        return "list of " * (origin is list) + ": ".join(map(_type, parts))
    if parts and origin is not None and isinstance(parts[0], str):
        return " or ".join(f"`{part}`" for part in parts)
    if hasattr(annotation, "__metadata__"):
        known = [f"`{name}`" for each in annotation.__metadata__ if isinstance(each, OneOf) for name in each.names()]
        return " or ".join([*known, "one of a plugin"]) if known else _type(parts[0])
    return {int: "integer", float: "number", str: "text", bool: "true or false", type(None): "null"}[annotation]


def _annotated(field: FieldInfo) -> Any:
    """The type of a key, with the names that it may have where plugins may add to them."""
    named = [each for each in field.metadata if isinstance(each, OneOf)]
    return Annotated[field.annotation, named[0]] if named else field.annotation


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Section):
        return "its defaults"
    return "null" if value is None or value is PydanticUndefined else f"`{json.dumps(value)}`"


def _describe(section: type[Section]) -> str:
    rows = "\n".join(
        f"| `{name}` | {_type(_annotated(field))} | {_default(field)} | {field.description} |"
        for name, field in section.model_fields.items()
    )
    return (
        f"## {section.__name__}\n\n{section.__doc__}\n\n| key | type | default | meaning |\n|---|---|---|---|\n{rows}\n"
    )


def config_page() -> str:
    """The documentation of every key, group after group."""
    order: list[type[Section]] = []
    pending: list[type[Section]] = [config_type()]
    while pending:
        section = pending.pop(0)
        if section not in order:
            order.append(section)
            pending.extend(inner for field in section.model_fields.values() for inner in _sections(field.annotation))
    return "\n".join([OPENING, *map(_describe, order)])


def main() -> None:
    """Write both files."""
    SCHEMA.write_text(config_schema(), encoding="utf-8")
    PAGE.write_text(config_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
