"""The settings of a job as params of its rule, each by itself, so that Snakemake names the one that has changed, with
its value before and now; and as words of the command that the rule runs.
"""

import hashlib
import json
from collections.abc import Iterator
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from attention_audit.errors import AuditError
from attention_audit.section import WHOLE, Section

MAX_SHOWN, SHOWN_DIGITS = 200, 12
"""Letters of a value that a reason shows; and digits of the checksum of a longer one."""
MAX_LENGTH = 130_000
"""Bytes of the settings of a job, which are a part of one word of a command: Linux takes 131,072 bytes in one word."""


def list_groups(annotation: Any) -> list[Any]:
    """List the groups of settings that an annotation names, and None where it may have none; [] where it is one
    setting, as lists and dictionaries are.
    """
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    if isinstance(annotation, type) or getattr(annotation, "__origin__", None) in (list, dict, tuple):
        return [None] if annotation is NoneType else []
    if get_origin(annotation) is Annotated:
        return list_groups(get_args(annotation)[0])
    groups = [list_groups(part) for part in get_args(annotation)]
    return [group for part in groups for group in part] if all(groups) else []


def list_keys(kind: type[Section]) -> list[str]:
    """List the keys that a job of this kind may have, those of groups within with a dot between; `Whole` ones alone."""
    keys: list[str] = []
    for name, field in kind.model_fields.items():
        groups = [] if WHOLE in field.metadata else list_groups(field.annotation)
        keys += [
            f"{name}.{key}" if group else name for group in groups for key in (list_keys(group) if group else [""])
        ]
        keys += [] if groups else [name]
    return list(dict.fromkeys(keys))


def list_leaves(value: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """List the values within dictionaries by their keys, those of dictionaries within with a dot between."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from list_leaves(inner, f"{key}.{name}".removeprefix("."))
    else:
        yield key, value


def write_setting(key: str, value: Any) -> str:
    """Write a setting as `key=value`; of a long value its checksum stands there, so that reasons are short."""
    text = json.dumps(value, ensure_ascii=False)
    return f"{key}={text if len(text) <= MAX_SHOWN else hashlib.sha256(text.encode()).hexdigest()[:SHOWN_DIGITS]}"


def describe_settings(settings: Section) -> dict[str, str]:
    """Describe each setting of a job as `key=value`, by its key; of a dictionary, all of it and each value within."""
    lines: dict[str, str] = {}

    def describe(group: Section, values: dict[str, Any], before: str) -> None:
        # a job is told no more of a group than its own type has, such as the address of a file of word vectors
        for name, dumped in values.items():
            value, key = getattr(group, name), f"{before}{name}"
            if isinstance(value, Section) and WHOLE not in type(group).model_fields[name].metadata:
                describe(value, dumped, f"{key}.")
            else:
                within = dict(list_leaves(dumped, key)) | {key: dumped}
                lines.update({each: write_setting(each, leaf) for each, leaf in within.items()})

    describe(settings, settings.model_dump(mode="json"), "")
    return lines


def write_settings(settings: Section) -> list[str]:
    """Write the settings of a job as words of its command, `key=value`. Raises AuditError where they are too long."""
    values = settings.model_dump(mode="json")
    words = [f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
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
