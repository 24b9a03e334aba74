"""What would decide the undecided words of a finished run, what that costs here, and the keys of the configuration."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import count, islice
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from attention_audit.answer.deciding import More, ways_of, would_decide
from attention_audit.answer.words import UNDECIDED
from attention_audit.artefacts.files import whole
from attention_audit.artefacts.journal import read_journal, results_named
from attention_audit.columns.summary import QUESTIONS
from attention_audit.config import SHARED, Config, OfDataset
from attention_audit.errors import AuditError
from attention_audit.places import RESULTS
from attention_audit.plan.replacing import recorded
from attention_audit.plan.suites import SUITES
from attention_audit.plan.wiegreffe_pinter import WiegreffePinter
from attention_audit.report.costs import price_of
from attention_audit.report.facts import SUMMARY_FILE, summary_of
from attention_audit.tables.shown import answered

USAGE = "more: name one folder of results, as in `python -m attention_audit more results`"
FURTHER = ("training", "further_seeds")
SAMPLED = ("deletion", "texts")
"""How many texts `located` is asked of, where the configuration says so."""
CONTINUE = (
    "These keys take the first way of each. Give them to the command of the run, in a file behind its own, "
    "`--configfile <its file> {}`:"
)
REPLACES = "More texts replace results, and train all models of the data set anew: add `--config replace=true`."
GIVE = "{dataset}: no key limits its test texts; give about {texts} more, or take a data set that has more"
IMPORTED = "{dataset}, {suite}: its models are not trained here; give {trainings} more of each, beside those it names"
Path_ = tuple[str, ...]


class Wanted(NamedTuple):
    """What a suite needs on a data set for all of its words that one way decides: trainings, texts, texts of
    `located`.
    """

    trainings: int = 0
    texts: int = 0
    sampled: int = 0

    def and_(self, way: More, *, sampled: bool) -> "Wanted":
        """What it needs for one word more."""
        texts = (0, way.texts) if sampled else (way.texts, 0)
        return Wanted(*map(max, self, (way.trainings, *texts)))


def at(section: Any, path: Path_) -> Any:
    """What a section of the configuration says at a path of keys."""
    return reduce(lambda said, key: said[key] if isinstance(said, Mapping) else getattr(said, key), path, section)


def placed(config: Config, dataset: str, path: Path_) -> Path_:
    """Where a key is set that is to be other on one data set alone, where it may."""
    own = path[0] in OfDataset.model_fields and ".".join(path) not in SHARED
    return ("overrides", dataset, *path) if own and len(config.every_dataset) > 1 else path


def seeds_at(config: Config, suite: str, dataset: str) -> Path_ | None:
    """Where the configuration names the seeds of a suite; None where its models are given."""
    kind = next((each for each in SUITES if each.key == suite), None)
    if kind is WiegreffePinter:
        return FURTHER
    if kind is not None and kind.section is not None:
        return next(name for name, section in config if isinstance(section, kind.section)), "seeds"
    if dataset in config.hf and config.hf[dataset].recipe is not None:
        return "hf", dataset, "recipe", "seeds"
    return None


def further(config: Config, path: Path_, number: int) -> list[int]:
    """The seeds that a key has, and so many more."""
    there = at(config, path)
    taken = {*there, *([config.training.seed] if path == FURTHER else [])}
    return [*there, *islice((seed for seed in count(1) if seed not in taken), number)]


def keys_of(config: Config, wanted: Mapping[tuple[str, str], Wanted]) -> Iterator[tuple[Path_, Any] | str]:
    """Keys with their values, by data set and suite; and a sentence where no key does it."""
    for (dataset, suite), (trainings, added, sampled) in wanted.items():
        own = config.for_dataset(dataset)
        path = seeds_at(own, suite, dataset)
        if trainings and path:
            yield placed(config, dataset, path), further(own, path, trainings)
        elif trainings:
            yield IMPORTED.format(dataset=dataset, suite=suite, trainings=trainings)
        limit = own.deletion.texts
        if sampled and limit is not None:
            yield placed(config, dataset, SAMPLED), limit + sampled
        texts = added if limit is not None else max(added, sampled)
        most = getattr(getattr(config.corpora[dataset], "splits", None), "most", None)
        if texts and most is not None and most.test is not None:
            yield ("corpora", dataset, "splits", "most", "test"), most.test + texts
        elif texts:
            yield GIVE.format(dataset=dataset, texts=texts)


def laid(keys: Iterable[tuple[Path_, Any]]) -> dict[str, Any]:
    """Keys as one configuration; of two values of one key, the one that asks for more."""
    longest: dict[Path_, Any] = {}
    for path, value in keys:
        size = len if isinstance(value, list) else int
        longest[path] = max(value, longest.get(path, value), key=size)
    made: dict[str, Any] = {}
    for path, value in longest.items():
        reduce(lambda section, key: section.setdefault(key, {}), path[:-1], made)[path[-1]] = value
    return made


def continuing(folders: Sequence[Path], into: Path | None) -> str:
    """What would decide the undecided words of a run with its CPU minutes, and the keys for it as YAML.

    folders: that of the results, `results` where none is named. into: where the keys are written too; None for nowhere.
    Raises AuditError where the folder has no summary or its configuration is not known, and where `into` is there.
    """
    if len(folders) > 1:
        raise AuditError(USAGE)
    if into and into.exists():
        raise AuditError(f"{into}: is there already; remove it, or write another file with `--into other.yaml`")
    folder = folders[0] if folders else Path(RESULTS)
    summary = summary_of(folder)
    config = recorded(folder)
    if config is None:
        raise AuditError(f"{folder}: its configuration is not known; run the command of these results again")
    logs = folder / "logs"
    entries = read_journal(logs, [f"{results_named(logs, SUMMARY_FILE)}/{SUMMARY_FILE}"])
    said, wanted = list[str](), defaultdict[tuple[str, str], Wanted](Wanted)
    for row in summary.to_dict("records"):
        price = price_of(entries, row["dataset"], row["suite"])
        for question in (question for question in QUESTIONS if row[question] == UNDECIDED):
            about = f"{row['dataset']}, {row['suite']}, {row['model']}: {question} {answered(row, question)}"
            said.append(f"- {about}, margin {row[f'{question}_margin']:g}: {would_decide(row, question, price)}")
            if ways := ways_of(row, question):
                key = row["dataset"], row["suite"]
                wanted[key] = wanted[key].and_(ways[0], sampled=question == "located")
    if not said:
        return f"{folder}: no word is undecided\n"
    found = list(keys_of(config, wanted))
    keys = laid(each for each in found if not isinstance(each, str))
    text = yaml.safe_dump(keys, default_flow_style=None, sort_keys=False, width=10**6) if keys else ""
    if into and text:
        with whole(into) as path:
            path.write_text(text, encoding="utf-8")
    notes = [f"- {each}" for each in found if isinstance(each, str)]
    longer = [REPLACES] if any(each.texts or each.sampled for each in wanted.values()) else []
    parts = ["What would probably decide what is undecided:", "\n".join(said)]
    parts += [CONTINUE.format(into or "more.yaml"), text.strip()] if text else []
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else []), *longer]) + "\n"
