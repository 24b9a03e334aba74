"""The settings of a job as params of its rule, each by itself, so that Snakemake names the one that has changed, with
its value before and now; and as words of the command that the rule runs.
"""

import json
from collections.abc import Iterator
from typing import Any, get_args

from attention_audit.errors import AuditError
from attention_audit.section import Section

MAX_LENGTH = 130_000
"""Bytes of the settings of a job, which are a part of one word of a command: Linux takes 131,072 bytes in one word."""


def list_sections(annotation: Any) -> Iterator[type[Section]]:
    """List the groups of settings that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    # of a list the values are one setting
    elif not isinstance(annotation, type) and getattr(annotation, "__origin__", None) not in (list, dict, tuple):
        for part in get_args(annotation):
            yield from list_sections(part)


def list_keys(kind: type[Section]) -> list[str]:
    """List the keys that a job of this kind may have, those of groups within with a dot between."""
    keys: list[str] = []
    for name, field in kind.model_fields.items():
        sections = [*list_sections(field.annotation)]
        keys += [name, *(f"{name}.{key}" for section in sections for key in list_keys(section))]
    return list(dict.fromkeys(keys))


def describe_values(value: Any, dumped: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Describe each setting as `key=value`, after its key; dumped: the same value as JSON has it."""
    if isinstance(value, Section):
        for name in type(value).model_fields:
            yield from describe_values(getattr(value, name), dumped[name], f"{key}.{name}".removeprefix("."))
    else:
        yield key, f"{key}={json.dumps(dumped, ensure_ascii=False)}"


def describe_settings(settings: Section) -> dict[str, str]:
    """Describe each setting of a job as `key=value`, by its key."""
    return dict(describe_values(settings, settings.model_dump(mode="json")))


def write_settings(settings: Section) -> list[str]:
    """Write the settings of a job as words of its command, `key=value`. Raises AuditError where they are too long."""
    words = [f"{key}={json.dumps(value)}" for key, value in settings.model_dump(mode="json").items()]
    if (length := sum(len(word.encode()) for word in words)) > MAX_LENGTH:
        raise AuditError(
            "config",
            f"{length:,} bytes are too many for one job ({type(settings).__name__}, at most {MAX_LENGTH:,})",
            "name fewer data sets, or shorten their entries",
        )
    return words


def parse_setting(word: str) -> tuple[str, Any]:
    """Parse a word of `write_settings`. Raises ValueError where it is none."""
    key, _, value = word.partition("=")
    return key, json.loads(value)
