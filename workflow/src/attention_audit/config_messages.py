"""What is wrong with a configuration, in lines that name the key as the user wrote it."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, TypeVar, get_args

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from attention_audit.errors import AuditError, join_faults, suggest
from attention_audit.section import NAME, Section

SectionT = TypeVar("SectionT", bound=Section)
MAX_LINE_LENGTH = 500
"""Characters of a line at most: the wrong value that it quotes may be a whole section in the wrong place."""
MAX_LINES = 20
"""Lines at most; who has more faults than that has written another kind of file."""
QUOTED_NAME = re.compile(r"'([^']*)'")
NAME_RULE = "a name has small letters, digits and hyphens, and begins with a letter or digit"


def list_sections(annotation: Any) -> Iterator[type[Section]]:
    """List the groups of keys that stand anywhere in a type, such as those of a union or of the values of a group."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for part in get_args(annotation):
        yield from list_sections(part)


def list_keys(group: type[Section], path: tuple[str | int, ...]) -> list[str]:
    """List the keys that a group in a configuration may have, from its place there."""
    here = [group]
    for key in path:
        fields = [section.model_fields for section in here]
        below = [part for each in fields if key in each for part in list_sections(each[str(key)].annotation)]
        # pydantic also names the branch of a union
        kinds = (each.get("kind") for each in fields)
        branch = [part for part, kind in zip(here, kinds, strict=True) if kind and key in get_args(kind.annotation)]
        # the key of an entry, or its place, leads to what its type has already led to
        here = below or branch or here
    return [key for section in here for key in section.model_fields]


def find_keys(error: ErrorDetails, raw: Any) -> list[str]:
    """Find the keys that lead to a fault, as the user wrote them: pydantic also names the branch of a union."""
    keys: list[str] = []
    branch = None
    for number, part in enumerate(error["loc"]):
        last = number == len(error["loc"]) - 1 and error["type"] in ("missing", "extra_forbidden")
        if isinstance(raw, dict) and branch is not raw and raw.get("kind") == part:
            branch = raw
            continue
        if part == "[key]" or (isinstance(raw, dict) and part not in raw and not last):
            continue
        keys.append(str(part))
        try:
            raw = raw[part]
        except (KeyError, IndexError, TypeError):
            raw = None
    return keys


def is_number(text: str) -> bool:
    """Tell whether a text is a number that YAML took for a text."""
    try:
        return bool(float(text))
    except ValueError:
        return False


def refuse_override(key: str) -> str:
    """Say that a key cannot be other on one data set."""
    return f"is the same for all data sets; say it in `{key}`"


def explain_fault(error: ErrorDetails, keys: list[str], group: type[Section]) -> list[tuple[str, str]]:
    """Say what is wrong at a key and what to do, "" where the fault says it: once, or as often as a check of several
    keys found something.
    """
    value, context = error["input"], error.get("ctx", {})
    # of a list pydantic says that it has been validated, and how long it is, which the value shows
    plain = re.sub(" after validation, not .*", "", error["msg"])
    scalar = error["type"] == "string_type" and isinstance(value, int | float | date)
    message, remedy = f"{plain[0].lower()}{plain[1:]}, not {value!r}", "put it in quotes" if scalar else ""
    match error["type"]:
        case "value_error":
            return [(line, "") for line in error["msg"].removeprefix("Value error, ").splitlines()]
        case "extra_forbidden":
            match keys:
                case ["overrides", dataset, "vectors"]:
                    message, remedy = f"is said in `corpora.{dataset}.vectors`", "write it there"
                case ["overrides", _, key] if key in group.model_fields:
                    message = refuse_override(key)
                case _:
                    message = f"unknown key{suggest(keys[-1], list_keys(group, error['loc'][:-1]))}"
        case "missing":
            message = "missing key"
        case "float_type" if isinstance(value, str) and is_number(value):
            message, remedy = f"{value!r} is a text in YAML", f"write {yaml.safe_dump(float(value)).split()[0]}"
        case "union_tag_invalid":
            kind, kinds = value.get("kind"), context["expected_tags"]
            message = f"unknown kind {kind!r}{suggest(str(kind), QUOTED_NAME.findall(kinds))}; known: {kinds}"
        case "union_tag_not_found":
            message = "missing key `kind`"
        case "model_type" | "dict_type":
            message = f"must be a group of keys, not {value!r}"
        case "string_pattern_mismatch" if context["pattern"] == NAME:
            like = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")
            message, remedy = f"{value!r} is no name: {NAME_RULE}", f"{like!r} would do" if like else ""
        case "literal_error" if isinstance(value, str):
            message += suggest(value, QUOTED_NAME.findall(context["expected"]))
    return [(message, remedy)]


def list_faults(error: ValidationError, raw: Any, group: type[Section], place: str = "config") -> list[AuditError]:
    """List every fault once, at its key as the user wrote it.

    raw: the configuration, or what else was given, as it was read. group: its type. place: what messages call it.
    """
    faults: dict[str, AuditError] = {}
    for fault in error.errors():
        keys = find_keys(fault, raw)
        for message, remedy in explain_fault(fault, keys, group):
            key = ".".join(keys)
            line = "; ".join(filter(None, (": ".join(filter(None, (key, message))), remedy)))
            if len(line) > MAX_LINE_LENGTH:
                line = f"{line[:MAX_LINE_LENGTH]}..."
                faults[line] = AuditError(place, line)
            else:
                faults[line] = AuditError(": ".join(filter(None, (place, key))), message, remedy)
    head = list(faults.values())[:MAX_LINES]
    return [*head, AuditError(place, f"and {len(faults) - MAX_LINES} more")] if len(faults) > MAX_LINES else head


def check_section(kind: type[SectionT], values: Mapping[str, Any], argument: str = "") -> SectionT:
    """Check settings, or arguments. Raises AuditError, with a line for each key that is wrong."""
    try:
        return kind.model_validate(dict(values))
    except ValidationError as error:
        raise join_faults(list_faults(error, values, kind, argument)) from error
