"""Whether a run would replace results of another configuration: a folder of results says with which one it was made.

A change replaces results where models or audits would become others, or where data sets, models, seeds or lambdas that
are there would be left out. What is added replaces nothing, nor does what only tables and figures show: they are drawn
again in seconds. An edit of code is no change of the configuration.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from attention_audit.artefacts.files import whole
from attention_audit.config import Config, OfRun
from attention_audit.errors import AuditError
from attention_audit.given.settings import GivenModels
from attention_audit.plan.corpora import with_others
from attention_audit.plan.suites import SUITES, config_type
from attention_audit.plugins import with_further
from attention_audit.section import Section
from attention_audit.training.fine_tuning import Classifiers

RECORD = ".configuration.yaml"
"""The configuration with which a folder of results was made; config.yaml says the same once the guide is made."""
RECORDS = (RECORD, "config.yaml")
FREE = frozenset(
    {"results", "replace", "mirror", "encoders", "skip_unavailable", "resamples", "attention_maps", "font", "plugins"}
)
"""Keys that decide where files lie and come from, or what tables and figures show, and nothing that takes long."""
OF_BASE = frozenset({"model", "training", "guides", "adversary"})
"""Keys of the base model, its twin and its adversaries."""
GROWING = frozenset({"datasets", "models", "seeds", "further_seeds", "lambdas"})
"""Lists that a run may add to."""
BY_DATASET = ("corpora", "states", "models", "readouts", "audits")
"""Folders of results that have a folder for each data set."""
LISTED, LONGEST = 3, 60
"""How many keys a message names, and how many characters of a value."""


class Difference(NamedTuple):
    """A key that is not the same: its value in the earlier configuration, and in this one."""

    key: str
    there: Any
    here: Any


def recorded(folder: Path) -> Config | None:
    """The configuration with which the results in a folder were made; None where none are left, or it is not known."""
    if not any(next((folder / name).rglob("*.parquet"), None) for name in (*BY_DATASET, "tables")):
        return None
    for name in RECORDS:
        try:
            raw = yaml.safe_load((folder / name).read_text(encoding="utf-8"))
            with with_further(raw.get("plugins", ())):
                return config_type().model_validate(raw)
        except (OSError, ValueError, AttributeError, yaml.YAMLError, AuditError):
            continue
    return None


def _of_datasets(there: Config, config: Config, datasets: Sequence[str]) -> dict[str, Any]:
    """What the configuration says of each of these data sets, which both know, in sections that have all data sets."""
    keys: dict[str, Any] = {"corpora": {name: config.corpora[name].model_dump() for name in datasets}}
    if any(config.corpora[name].vectors is None for name in datasets):
        keys["vectors"] = config.vectors
    used = {there.corpora[name].vectors or there.vectors for name in datasets}
    keys["word_vectors"] = {name: each.model_dump() for name, each in config.word_vectors.items() if name in used}
    return keys


def _of_given(
    there: Mapping[str, GivenModels | Classifiers], here: Mapping[str, GivenModels | Classifiers]
) -> dict[str, Any]:
    """What is said of the readouts or classifiers that `there` names: further ones replace none."""
    said = {"models", "uniform", "adversaries"}
    return {
        name: {
            "first": next(iter(here[name].models), None),
            "files": {
                model: here[name].by_model[model][: len(files)]
                for model, files in given.by_model.items()
                if model in here[name].by_model
            },
            **here[name].model_dump(exclude=said),
        }
        for name, given in there.items()
        if name in here
    }


def _sections(there: Config, config: Config) -> dict[str, Any]:
    """What the configuration says of models and audits that `there` has, for all data sets or for one."""
    keys = config.model_dump(exclude={*OfRun.model_fields, *FREE, "overrides"})
    for key, section in there:
        if isinstance(section, Section) and getattr(section, "datasets", None) == []:
            del keys[key]
    if not there.with_transformer:
        del keys["transformer"]
    elif keys["transformer"] and keys["transformer"]["frozen"]:
        del keys["transformer"]["tuning"]
    based = there.datasets or there.deception.datasets
    return keys if based else {key: value for key, value in keys.items() if key not in OF_BASE}


def deciding(there: Config, config: Config) -> dict[str, Any]:
    """All that a configuration says for all data sets and that the results of `there` depend on, which is that one or
    an earlier one.

    What is said of data sets that `there` has not, and of suites that it asked of none, is left out.
    """
    named = [name for name in there.every_dataset if name in config.corpora]
    # a data set that was named with this one's training texts may have left the catalogue since
    datasets = [name for name in with_others(config, named) if name in there.corpora]
    keys = config.model_dump(include={*OfRun.model_fields} - FREE)
    keys |= _of_datasets(there, config, datasets)
    keys["own"], keys["hf"] = _of_given(there.own, config.own), _of_given(there.hf, config.hf)
    keys["answer"] = {"margins": {"tvd": config.answer.margins.tvd}}
    # fine-tuned classifiers have a search too, within the same margin
    if not (there.datasets or there.deception.datasets or any(section.recipe for section in there.hf.values())):
        del keys["answer"]
    keys["audits"] = {
        suite.key: config.audits.get(suite.key, list(suite.own_audits)) for suite in SUITES if suite(there).datasets
    }
    return keys | _sections(there, config)


def _added_to(key: str, there: Any, here: Any) -> bool:
    """Whether a list only grew. The others are compared with the first of `seeds`, so that one stays the first."""
    section, _, name = key.rpartition(".")
    if not (isinstance(there, list) and isinstance(here, list) and (name in GROWING or section == "audits")):
        return False
    return {*there} <= {*here} and (name != "seeds" or there[:1] == here[:1])


def _walked(key: str, there: Any, here: Any) -> Iterator[Difference]:
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        for name in dict.fromkeys([*there, *here]):
            yield from _walked(f"{key}.{name}".removeprefix("."), there.get(name), here.get(name))
    elif there != here and not _added_to(key, there, here):
        yield Difference(key, there, here)


def differences(there: Config, here: Config) -> list[Difference]:
    """The keys whose change replaces results of the configuration `there`."""
    found = list(_walked("", deciding(there, there), deciding(there, here)))
    of_all = [*found]
    for name in (name for name in there.every_dataset if name in here.corpora):
        for difference in _walked("", *(_sections(there, each.for_dataset(name)) for each in (there, here))):
            section = getattr(there, difference.key.partition(".")[0])
            if difference not in of_all and name in getattr(section, "datasets", [name]):
                found.append(difference._replace(key=f"overrides.{name}.{difference.key}"))
    return found


def _shown(value: Any) -> str:
    text = f"[{', '.join(map(str, value))}]" if isinstance(value, list) else "nothing" if value is None else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _is_of(there: Config, folder: Path, path: str) -> bool:
    """Whether a file in the folder is of a run, and not of a data set that this run has not."""
    kind, *names = Path(path).relative_to(folder).parts
    return kind not in BY_DATASET or names[0] in there.every_dataset


def refusal(config: Config, overwritten: Sequence[str]) -> str:
    """Why a run is refused, in a line; "" where it is not. overwritten: the files there that it would make again."""
    folder = Path(config.results)
    there = None if config.replace or not overwritten else recorded(folder)
    found = differences(there, config) if there else []
    lost = [path for path in overwritten if there and _is_of(there, folder, path)]
    if not found or not lost:
        return ""
    named = [f"{key}: {_shown(earlier)} there, {_shown(ours)} here" for key, earlier, ours in found[:LISTED]]
    more = len(found) - len(named)
    named += [f"and {more} more key{'s' if more > 1 else ''}"] if more else []
    files = f"{len(lost)} file{'s' if len(lost) > 1 else ''}"
    return (
        f"{config.results}/ holds a run of another configuration ({'; '.join(named)}), of which {files} would be "
        "replaced. Give this run a folder of its own with --config results=<folder>, or replace what is there with "
        "--config replace=true"
    )


def claim(config: Config, overwritten: Sequence[str]) -> None:
    """Write down beside the results with which configuration they are made.

    Raises AuditError where the run would replace results of another one and is not told to. A run that has another
    configuration, but replaces nothing, leaves the record as it is.
    """
    if line := refusal(config, overwritten):
        raise AuditError(line)
    folder = Path(config.results)
    there = recorded(folder)
    if there is None or config.replace or not differences(there, config):
        with whole(folder / RECORD) as path:
            path.write_text(yaml.safe_dump(config.recorded(), sort_keys=False), encoding="utf-8")
