"""The configuration's JSON schema and its pages in docs/configuration/, all written from the typed configuration.

`make docs` writes them; a test fails where they are out of date.
"""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from attention_audit.corpus.source import RawSource, RemoteFile
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.plan.configuration import RUN_CONFIG
from attention_audit.section import RegisteredName, Section

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.json"
FOLDER = ROOT / "docs" / "configuration"

PAGES = dict.fromkeys(("corpora", "word_vectors", "encoders"), "corpora")
PAGES |= dict.fromkeys(
    [
        "own",
        "hf",
        "answer",
        "permutation",
        "instance_adversary",
        "erasure",
        "deletion",
        "correlation",
        "agreement",
        "attention_maps",
        "overrides",
    ],
    "README",
)
"""The page of a group of keys; that of all others is `models`."""
LISTED = ("encoders", "built")
"""Groups of which the catalogue and presets have entries, so that their keys are only listed."""
NAMED = {"word_vectors": "<name>", "encoders": "<name>", "built": "<name>", "recipes": "<model>"}
"""What stands for the name that the user gives below a key, where it is not that of a data set."""
LONG = 100
"""Characters from which on the meaning of a key is shortened, and that of a group is printed; the schema has it all."""
FEWEST = 2
"""Keys that two groups have in common, from which on they are printed in the first alone."""

OPENINGS = {
    "corpora": "# Configuration: data sets, word vectors and encoders",
    "models": "# Configuration: models and their training",
    "README": """# Configuration

A file that `--configfile` names is a whole configuration. What it does not name has the default of these pages. A suite
runs on the data sets that its section names, by default on none. Without `--configfile`, `config.yaml` is run.

- `workflow/catalogue.yaml` lies beneath every file: each run can name its data sets, word vectors and encoders.
- Several files are merged. `--config key=value` changes one key. A list replaces an earlier list.
- A wrong key, type or value ends the run before it starts. Each fault has a line that names the key.
  `workflow/schemas/config.schema.json` has types and bounds, and says more of some keys; editors read it.
- Numbers are not converted from text. In YAML, `1e-3` is a text: write `1.0e-3`.
- In the tables, `a.b` is the key `b` in the group `a`. Behind a default stand other values; `module:name` is your own.

**Folders.** A folder of results holds one run. Another configuration makes only the files anew that depend on what
changed. What is no longer named stays in the folder, and leaves the tables and figures. To keep results, name another
folder: `--config results=runs/b`. With `mirror=results/raw` that run takes what the first one has fetched.

`make docs` writes these pages from `config.py` and `plan/papers/` in `workflow/src/attention_audit/`.

| page | groups of keys |
|---|---|
| below | the run; `own` and `hf`: readouts and classifiers of yours; margins of the answer, audits, `overrides` |
| [corpora.md](corpora.md) | `corpora`: data sets; `word_vectors`; `encoders`: Transformers that are fetched |
| [models.md](models.md) | the models of the papers and their training; `transformer`; `built` |""",
}
"""How the pages begin, in the order in which a key is printed that several groups have."""
HEAD = "| key | default | meaning |\n|---|---|---|"
Place = tuple[str, str]
"""Where a group is printed: its page, and its path."""
Told = dict[type[Section], Place]


def config_schema() -> str:
    """JSON schema of the configuration, for editors and other programs."""
    schema = RUN_CONFIG.model_json_schema()
    for group in (schema, *schema["$defs"].values()):
        for key in group.get("properties", {}).values():
            if "description" in key:
                key["description"] = " ".join(key["description"].split())
    return json.dumps(schema, indent=2) + "\n"


def _join(text: str | None) -> str:
    """Write a text in one line, as a cell of a table may have it."""
    return " ".join((text or "").split()).replace("|", "\\|")


def _sections(annotation: Any) -> list[type[Section]]:
    """List the groups of settings that a type refers to."""
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    return [section for part in get_args(annotation) for section in _sections(part)]


def _choices(kind: Any) -> list[str]:
    """List the values that a type, or that of a key, names."""
    if isinstance(kind, RegisteredName):
        return [*kind.names(), "module:name"]
    if get_origin(kind) is Literal:
        return [*get_args(kind)]
    parts = (kind.annotation, *kind.metadata) if isinstance(kind, FieldInfo) else get_args(kind)
    return [value for part in (*parts, *getattr(kind, "__metadata__", ())) for value in _choices(part)]


def _default(field: FieldInfo) -> str:
    """Print the default of a key, and the other values that are known; nothing where it is a group."""
    value = "required" if field.is_required() else field.get_default(call_default_factory=True)
    if isinstance(value, Section):
        return ""
    ours = value if isinstance(value, list) else [value]
    others = [f"`{choice}`" for choice in _choices(field) if choice not in ours and value != {}]
    first = value if field.is_required() else "null" if value is None else f"`{json.dumps(value)}`"
    return ", ".join([first, *others])


def _same(section: type[Section], other: type[Section]) -> list[str]:
    """List the keys of a group that another one has too, with the same type, default and meaning."""
    ours, theirs = (
        {name: (field.annotation, _default(field), field.description) for name, field in each.model_fields.items()}
        for each in (section, other)
    )
    return [name for name in ours if ours[name] == theirs.get(name)]


def _row(name: str, field: FieldInfo) -> str:
    """Print a key as a row of a table. Of a long meaning that explains no values, the first sentence is enough."""
    meaning = _join(field.description if _default(field) else _sections(field.annotation)[0].__doc__)
    if len(meaning) > LONG and not _choices(field):
        meaning = re.split(r"(?<=\.) (?=[A-Z])", meaning)[0]
        meaning = meaning if len(meaning) < 2 * LONG else meaning.partition("; ")[0].rstrip(".") + "."
    return f"| `{name}` | {_default(field)} | {meaning} |"


def _rows(section: type[Section], place: Place, told: Told, prefix: str = "") -> Iterator[str]:
    """Print a group, and the groups in it, as rows of a table. Keys that an earlier group has too are only named.

    The row of a group is left out where its keys say enough.
    """
    earlier = max(told, key=lambda other: len(_same(section, other)), default=section)
    same = _same(section, earlier) if earlier in told else []
    same = same if len(same) >= FEWEST else []
    told.setdefault(section, place)
    for name, field in section.model_fields.items():
        if name in same or name == "kind":
            continue
        row = _row(f"{prefix}{name}", field)
        if _default(field) or len(row) > LONG:
            yield row
        for each in [each for each in _sections(field.annotation) if each is not RemoteFile]:
            below = f"{name}.{NAMED[name]}" if get_origin(field.annotation) is dict else name
            yield from _rows(each, (place[0], f"{place[1]}.{below}"), told, f"{prefix}{below}.")
    if same:
        page, path = told[earlier]
        link = f"[{path}]({'' if page == place[0] else f'{page}.md'}#{path.partition('.')[0]})"
        within = f"`{prefix[:-1]}`: " if prefix else ""
        yield f"| {within}{', '.join(f'`{name}`' for name in same)} | | as in {link} |"


def _table(section: type[Section], place: Place, told: Told) -> str:
    return "\n".join([HEAD, *_rows(section, place, told)])


def _keys(section: type[Section], known: Collection[str] = ()) -> str:
    """List the keys of a group with their defaults, but for known ones; a published file has none."""
    defaults = {name: _default(field) for name, field in section.model_fields.items() if name not in known}
    files = [name for name in defaults if RemoteFile in _sections(section.model_fields[name].annotation)]
    return ", ".join(f"`{key}`" if key in files else f"`{key}` ({value})" for key, value in defaults.items() if value)


def _group(key: str, field: FieldInfo, page: str, told: Told) -> Iterator[str]:
    """Print a group of the configuration under a heading."""
    kinds, place = _sections(field.annotation), (page, key)
    named = get_origin(field.annotation) is dict or field.get_default() is None
    yield f"## `{key}`"
    if key == "overrides":
        yield f"{_join(kinds[0].__doc__)} Groups: {', '.join(f'`{name}`' for name in kinds[0].model_fields)}."
        return
    yield _join(field.description if named else kinds[0].__doc__)
    if key in LISTED:
        yield f"Keys: {_keys(kinds[0])}."
        return
    if key == "corpora":
        yield "All have these keys; generated ones only `min_df`, `vectors` and `block`. `kind` says how one is read."
        yield _table(RawSource, place, told)
    short = [kind for kind in kinds if issubclass(kind, RawSource) and kind is not TableCorpus]
    for kind in [each for each in kinds if each not in short]:
        if len(kinds) > 1:
            about = kind.model_fields["kind"]
            names = get_args(about.annotation)
            yield f"### Kind {', '.join(f'`{name}`' for name in names)}"
            yield _join(kind.__doc__ if len(names) > 1 else f"{kind.__doc__} {about.description}")
        yield _table(kind, place, told)
    if short:
        yield "### Other kinds\n\nThe catalogue has entries of them, and the schema says what their keys mean."
        yield "\n".join(
            f"- `{get_args(kind.model_fields['kind'].annotation)[0]}`: {_keys(kind, {*RawSource.model_fields, 'kind'})}"
            for kind in short
        )
        yield f"Those without a default are published files: {_keys(RemoteFile)}; see [below](#word_vectors)."


def config_pages() -> dict[str, str]:
    """The documentation of every key, by the names of the pages."""
    fields, told = RUN_CONFIG.model_fields, Told()
    pages = {}
    for page, opening in OPENINGS.items():
        parts: list[str] = []
        rows = [HEAD]
        for key, field in fields.items():
            if not (kinds := _sections(field.annotation)):
                rows.append(_row(key, field))
            elif PAGES.get(key, "models") == page and field.annotation is kinds[0] and page == "README":
                rows += [_row(key, field), *_rows(kinds[0], (page, "keys of a run"), told, f"{key}.")]
            elif PAGES.get(key, "models") == page:
                parts += _group(key, field, page, told)
        run = ["## Keys of a run", "\n".join(rows)] if page == "README" else []
        pages[page] = "\n\n".join([opening, *run, *parts]) + "\n"
    return pages


def main() -> None:
    """Write the schema and the pages."""
    SCHEMA.write_text(config_schema(), encoding="utf-8")
    for page, text in config_pages().items():
        (FOLDER / f"{page}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
