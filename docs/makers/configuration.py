"""The configuration's JSON schema and its pages in docs/configuration/, all written from the typed configuration.

`make docs` writes them; a test fails where they are out of date.
"""

import inspect
import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.plan.suites import config_type
from attention_audit.section import OneOf, Section

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.json"
FOLDER = ROOT / "docs" / "configuration"

ENTRY = "README"
"""The page with which a reader begins."""
MODELS = "models"
"""The page of all keys that no other one has: so of the suites that are added, too."""
TITLES = {
    ENTRY: "Configuration",
    "corpora": "Configuration: data sets",
    "vectors": "Configuration: word vectors and encoders",
    MODELS: "Configuration: models and their training",
    "given": "Configuration: readouts and classifiers that are given",
    "audits": "Configuration: margins, audits, and what is other on a data set",
}
PAGES = {
    "corpora": "corpora",
    "word_vectors": "vectors",
    "encoders": "vectors",
    "own": "given",
    "hf": "given",
    "answer": "audits",
    "overrides": "audits",
}
PAGES |= dict.fromkeys(
    ("permutation", "instance_adversary", "erasure", "deletion", "correlation", "agreement", "attention_maps"), "audits"
)
"""The page of a key of the whole configuration."""
HEADS: dict[str, type[Section]] = {"corpora": RawSource}
"""What most of the kinds of a section have in common, which is told before them."""
SHARED: dict[type[Section], str] = {RemoteFile: "Published file"}
"""Groups of settings that stand under many keys, by the heading that they have in place of a path."""
NAMED = {"word_vectors": "<name>", "encoders": "<name>", "recipes": "<model>"}
"""What stands for the name that the user gives below a key, where it is not that of a data set."""
FEWEST = 3
"""Keys that two groups of settings have in common, from which on they are told of the first alone."""

OPENING = """A file that `--configfile` names is a whole configuration. What it does not name has the default that
these pages give. A suite runs on the data sets that its section names, by default on none. Without a file,
`config.yaml` is run, the demonstration, from which nothing is inherited.

| page | keys |
|---|---|
| below | what all data sets and models share: folders, devices, fonts |
| [corpora.md](corpora.md) | `corpora`: data sets, yours among them; how texts become words, and splits |
| [vectors.md](vectors.md) | `word_vectors`; `encoders`, Transformers that are fetched |
| [models.md](models.md) | the models of the papers and their training; `transformer` |
| [given.md](given.md) | `own` and `hf`: readouts and classifiers of yours, and how classifiers are fine-tuned here |
| [audits.md](audits.md) | the margins of the answer, and the settings of audits; `overrides` |

## How files are read

- Beneath every file lies `workflow/catalogue.yaml`, whose data sets, word vectors and encoders every run
  can name.
- Several files are laid over one another, and `--config key=value` changes a single key. A list replaces the one that
  it overrides, a group is merged with it.
- An unknown key, a wrong type, a value out of bounds or a key that stands twice in a file ends the run before it
  starts, with a line for each fault that names the key.
- Numbers are not converted from text: in YAML, write `1.0e-3`, since `1e-3` is a text there.
- What is other on a single data set stands under its name in `overrides`, section by section. It is laid over what the
  sections say for all, as in `overrides: {sst: {training: {epochs: 4}, jain_wallace: {recipe: {epochs: 4}}}}`.

## Folders of results

`results` names the folder that a run writes to, below the working directory or anywhere else, as in `--config
results=runs/b`. With `mirror=results/raw` it takes from the first run what that one has fetched. Each preset has a
folder of its own.

A folder holds one run. Another configuration makes anew, in the place of what was there, each file that depends on what
changed, and no other; `snakemake -n` says which. More data sets, models, seeds or lambdas only add models and audits.
What is no longer named stays in the folder, and leaves tables and figures. So before you change a setting whose results
you want to keep, name another folder.

These pages are written from the typed configuration (`workflow/src/attention_audit/config.py`) by `make docs`.
"""
HEAD = "Keys of every data set, whose `kind` says how it is read. A generated one has the first three alone."


@dataclass(frozen=True)
class Place:
    """Where a group of settings is told: its page, the level and text of its heading, and what a key's link says."""

    page: str
    level: int
    heading: str
    label: str

    def link(self, page: str, label: str | None = None) -> str:
        """A link to it from a page, which says the heading or another label."""
        anchor = re.sub(r"[^\w -]", "", self.heading.lower()).replace(" ", "-")
        return f"[{label or self.heading}]({'' if page == self.page else f'{self.page}.md'}#{anchor})"


Places = dict[type[Section], Place]


def config_schema() -> str:
    """JSON schema of the configuration, for editors and other programs."""
    return json.dumps(config_type().model_json_schema(), indent=2) + "\n"


def _sections(annotation: Any) -> list[type[Section]]:
    """The groups of settings that a type refers to, in the order in which the type names them."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    return [section for part in get_args(annotation) for section in _sections(part)]


def _type(annotation: Any) -> str:
    """The type of a key whose values are no groups of settings."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return " or ".join(_type(part) for part in parts)
    if origin in (list, dict):
        return "list of " * (origin is list) + ": ".join(map(_type, parts))
    if parts and origin is not None and isinstance(parts[0], str):
        return " or ".join(f"`{part}`" for part in parts)
    if hasattr(annotation, "__metadata__"):
        known = [f"`{name}`" for each in annotation.__metadata__ if isinstance(each, OneOf) for name in each.names()]
        return " or ".join([*known, "`module:Class` of your own"]) if known else _type(parts[0])
    return {int: "integer", float: "number", str: "text", bool: "true or false", type(None): "null"}[annotation]


def _annotated(field: FieldInfo) -> Any:
    """The type of a key, with the names that it may have where a class of one's own may be named."""
    named = [each for each in field.metadata if isinstance(each, OneOf)]
    return Annotated[field.annotation, named[0]] if named else field.annotation


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, Section):
        return "its defaults"
    return "null" if value is None or value is PydanticUndefined else f"`{json.dumps(value)}`"


def _placed(config: type[Section]) -> Places:
    """Where each group of settings is told: once, under the first key that has it, those of a short path first."""
    places: Places = {config: Place(ENTRY, 2, "Keys of a run", "keys")}
    pages = {key: PAGES.get(key, MODELS) for key in config.model_fields}
    for key in sorted(pages, key=lambda key: [*TITLES].index(pages[key])):
        pending = [(key, 2, config.model_fields[key].annotation)]
        while pending:
            path, level, annotation = pending.pop(0)
            found = _sections(annotation)
            several = len(found) > 1
            if get_origin(annotation) is dict:
                path += f".{NAMED.get(path.rpartition('.')[2], '<data set>')}"
            for section in [HEADS[key], *found] if several and key in HEADS else found:
                if section in places:
                    continue
                heading, label, own = f"`{path}`", "keys", level
                if section in SHARED:
                    heading, label = SHARED[section], SHARED[section].lower()
                elif several and section in found:
                    own += key in HEADS
                    label = ", ".join(f"`{kind}`" for kind in get_args(section.model_fields["kind"].annotation))
                    heading += f" of kind {label}"
                places[section] = Place(pages[key], own, heading, label)
                pending += [(f"{path}.{name}", 3, inner.annotation) for name, inner in section.model_fields.items()]
    return places


def _row(name: str, field: FieldInfo, page: str, places: Places) -> str:
    """A key as a row of a table on a page."""
    annotation, sections = _annotated(field), _sections(field.annotation)
    if sections:
        told = [HEADS[name]] if name in HEADS else sections
        kind = "name: " * (get_origin(annotation) is dict) + " or ".join(
            places[each].link(page, places[each].label) for each in told
        )
    else:
        kind = _type(annotation)
    return f"| `{name}` | {kind} | {_default(field)} | {' '.join(str(field.description).split())} |"


def _same(section: type[Section], other: type[Section]) -> list[str]:
    """The keys of a group of settings that are in another one too, with the same type, default and meaning."""
    theirs = other.model_fields
    return [
        name
        for name, field in section.model_fields.items()
        if name in theirs
        and (field.annotation, _default(field), field.description)
        == (theirs[name].annotation, _default(theirs[name]), theirs[name].description)
    ]


def _described(section: type[Section], places: Places) -> str:
    """The part of a page that tells a group of settings. Of keys that an earlier one has too, it has a link alone."""
    place, order = places[section], list(places)
    earlier = max(order[: order.index(section)], key=lambda other: len(_same(section, other)), default=section)
    same = _same(section, earlier)
    if earlier is section or len(same) < FEWEST:
        same = []
    rows = {name: field for name, field in section.model_fields.items() if name not in same}
    simple = {name: field for name, field in rows.items() if not _sections(field.annotation)}
    about = HEAD if section in HEADS.values() else inspect.getdoc(section) or ""
    parts = [f"{'#' * place.level} {place.heading}", about]
    groups = {name: field for name, field in rows.items() if name not in simple}
    for keys in (simple, groups) if place.page == ENTRY else (rows,):
        if keys:
            if keys is groups:
                parts.append("Groups of keys, which the type leads to:")
            lines = [_row(name, field, place.page, places) for name, field in keys.items()]
            parts.append("\n".join(["| key | type | default | meaning |", "|---|---|---|---|", *lines]))
    if same:
        names = ", ".join(f"`{name}`" for name in same)
        parts.append(f"The {'other ' * bool(rows)}keys are as in {places[earlier].link(place.page)}: {names}.")
    return "\n\n".join(parts) + "\n"


def config_pages() -> dict[str, str]:
    """The documentation of every key, by the names of the pages."""
    places = _placed(config_type())
    parts = {page: [f"# {title}\n"] for page, title in TITLES.items()}
    parts[ENTRY].append(OPENING)
    for section, place in places.items():
        parts[place.page].append(_described(section, places))
    return {page: "\n".join(told) for page, told in parts.items()}


def main() -> None:
    """Write the schema and the pages."""
    SCHEMA.write_text(config_schema(), encoding="utf-8")
    for page, text in config_pages().items():
        (FOLDER / f"{page}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
