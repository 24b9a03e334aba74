"""What there is to run, as plain text for a terminal: `python -m attention_audit list`.

With configuration files of a run, it also says how that run would train its models, and what it inherits. All of it is
printed from the entries in `plan/`, the names of `model.architecture`, the catalogues of data sets and the
configuration, so that nothing is listed a second time here. No heavy library is imported.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from textwrap import fill
from typing import Any, get_args

import yaml

from attention_audit.config import Config
from attention_audit.corpus.formats import Corpus
from attention_audit.errors import AuditError
from attention_audit.model.architecture import ATTENTION, ENCODERS, AttentionEntry, EncoderEntry
from attention_audit.names import PAPER_NAMES
from attention_audit.places import CATALOGUE, TREE, Places
from attention_audit.plan.audit import Audit, Need
from attention_audit.plan.audits import AUDITS
from attention_audit.plan.exhibit import Exhibit, Figure, Table
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.plan.exploring import EXPLORER, REPORT
from attention_audit.plan.replacing import OF_BASE
from attention_audit.plan.suite import Suite
from attention_audit.plan.suites import SUITES, read_config
from attention_audit.plugins import activate, added, look_in
from attention_audit.section import Section, laid_over
from attention_audit.yaml_input import refuse_given_twice

WIDTH = 100
"""Characters of a line, at most."""
DEMONSTRATION = TREE / "config.yaml"
"""What runs where no file is named."""
PLACES = Places()
"""Where files lie unless the configuration says otherwise."""
NEEDS: Mapping[Need, str] = {
    "corpus": "texts",
    "network": "models that can be run again",
    "states": "states under the attention",
    "heads": "several heads of attention",
    "weights": "predictions that follow from the weights",
    "linear": "single texts, not pairs",
    "tokens": "attention over tokens, not over sentences",
    "base": "a base model",
    "marks": "texts with marked words",
}
"""What an audit needs of a suite, beside the readouts that every suite has."""

Line = tuple[str, list[str]]
"""A name and what there is to say of it, each sentence beginning a line of its own."""


def _filled(text: str, first: str = "", others: str = "") -> str:
    """A paragraph whose first line begins with `first`, and every other with `others`."""
    return fill(
        text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )


def _entries(lines: Iterable[Line]) -> str:
    """Names, and what there is to say of each in a column beside them."""
    lines = list(lines)
    column = max((len(name) for name, _ in lines), default=0) + 4
    blank = " " * column
    return "\n".join(
        _filled(sentence, blank if place else f"  {name}".ljust(column), blank)
        for name, sentences in lines
        for place, sentence in enumerate(sentences)
    )


def _section(title: str, about: str, *parts: str) -> str:
    """A heading, what it is about, and entries."""
    return "\n".join([title, "-" * len(title), _filled(about), *(f"\n{part}" for part in parts), ""])


def _models(suite: type[Suite]) -> str:
    return "; ".join(name if name == look.label else f"{name} ({look.label})" for name, look in suite.labels.items())


def _from(entry: Any) -> list[str]:
    """Of which plugin an entry is, as what there is to say of it; nothing of those of the package."""
    source = entry.__module__ if isinstance(entry, type) else entry.source
    return [f"from the plugin {source}"] if source and not source.startswith("attention_audit.") else []


def _suites() -> str:
    about = "A suite is a set of models that are asked the same questions, and a section of the configuration."
    lines = [
        (suite.key, [f"{suite.title}. {suite.about}", f"models: {_models(suite)}", *_from(suite)]) for suite in SUITES
    ]
    return _section("Suites", about, _entries(lines))


def _audit(audit: Audit) -> Line:
    needs = "; ".join(NEEDS[need] for need in get_args(Need) if need in audit.needs and need in NEEDS)
    suites = ", ".join(suite.key for suite in SUITES if audit.name in suite.own_audits)
    said = [f"asked by default of: {suites or 'no suite'}", *([f"needs: {needs}"] if needs else [])]
    said += _from(audit)
    return audit.name, [audit.asks, *said]


def _audits() -> str:
    about = (
        "An audit asks one question of the models of a suite. The key `audits` of the configuration names the audits "
        f"of a suite in place of its own, as in audits: {{ss: [performance, permutation]}}. Each writes {PLACES.audit}."
    )
    return _section("Audits", about, _entries(map(_audit, AUDITS)))


def _exhibit(exhibit: Exhibit) -> Line:
    number = f" ({exhibit.number})" if exhibit.number else ""
    place = PLACES.exhibit(exhibit.folder, exhibit.name, ".*")
    return exhibit.rule, [f"{exhibit.shows}{number}", place, *_from(exhibit)]


def _exhibits() -> str:
    about = (
        f"Each name is a rule: `snakemake --cores 2 {next(iter(EXHIBITS)).rule}` makes that one and all that it needs. "
        f"Figures are {', '.join(Figure.endings)} files, tables are {', '.join(Table.endings)} files."
    )
    titles = {suite.key: suite.title for suite in SUITES} | {"": "All suites"}
    members = {title: [exhibit for exhibit in EXHIBITS if exhibit.suite == key] for key, title in titles.items()}
    parts = [f"{title}\n{_entries(map(_exhibit, exhibits))}" for title, exhibits in members.items() if exhibits]
    return _section("Tables and figures", about, *parts)


def _pages() -> str:
    about = "Each name is a rule, and each page one file, which opens without a network."
    lines: list[Line] = [
        ("report_page", ["every table and figure, explained; it makes the explorer too", f"{PLACES.results}/{REPORT}"]),
        ("explorer", ["test texts one by one, whose weights a reader moves", f"{PLACES.results}/{EXPLORER}"]),
    ]
    return _section("Pages", about, _entries(lines))


def _read(path: Path) -> dict[str, Any]:
    """A configuration file. Raises AuditError where it cannot be read, or gives a key twice."""
    refuse_given_twice(path)
    try:
        settings = dict(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
        return settings | {"corpora": dict(settings.get("corpora") or {})}
    except (OSError, ValueError, TypeError, AttributeError, yaml.YAMLError) as error:
        said = str(error).partition("\n")[0]
        raise AuditError(f"{path}: cannot be read as a configuration ({said}); mend it") from error


def _kinds() -> dict[str, str]:
    """What each kind of data set is, in a sentence, by its name in the configuration."""
    known: dict[str, str] = {}
    for source in get_args(get_args(Corpus)[0]):
        field = source.model_fields["kind"]
        said = re.split(r"(?:^|(?<=\. ))([a-z]+): ", field.description or "")
        known |= dict(zip(said[1::2], said[2::2], strict=True))
    return {name: sentence.strip() for name, sentence in known.items()}


def _dataset(name: str, entry: Any, kinds: Mapping[str, str]) -> Line:
    """The paper's name, and what to cite; what kind of source it is where there is nothing to cite."""
    settings = entry if isinstance(entry, Mapping) else {}
    origin = settings.get("origin")
    cited = origin.get("citation") if isinstance(origin, Mapping) else None
    kind = str(settings.get("kind", ""))
    sentence = str(cited or kinds.get(kind) or f"an unknown kind of data set, {kind!r}").rstrip(".")
    return name, [f"{PAPER_NAMES[name]}: {sentence}" if name in PAPER_NAMES else sentence]


def _datasets() -> str:
    kinds = _kinds()
    about = f"These are declared in {CATALOGUE}; docs/data.md explains each."
    lines = [_dataset(str(name), entry, kinds) for name, entry in _read(TREE / CATALOGUE)["corpora"].items()]
    return _section("Data sets", about, _entries(lines))


def _part(entry: EncoderEntry | AttentionEntry) -> Line:
    if isinstance(entry, EncoderEntry):
        does = "reads a text as a whole" if entry.marked else "reads words, or words and then sentences"
        pairs = bool(entry.summarising)
    else:
        does = "a scoring function, which learns its weights" if entry.learns else "learns no weights"
        pairs = bool(entry.queried)
    return entry.name, [f"{does}; {'single texts and pairs' if pairs else 'single texts'}", *_from(entry)]


def _architecture() -> list[str]:
    chosen = "The key `model` of the configuration chooses that of the base model, as in model: {%s: %s}."
    return [
        _section("Encoders", chosen % ("encoder", next(iter(ENCODERS)).name), _entries(map(_part, ENCODERS))),
        _section("Attention", chosen % ("attention", next(iter(ATTENTION)).name), _entries(map(_part, ATTENTION))),
    ]


def _methods() -> Iterator[str]:
    """Rankings and attributions of plugins; those of the package are in all tables and figures of them."""
    methods = [(kind, method) for kind in ("ranking", "attribution") for method in added(f"{kind.upper()}S")]
    lines: list[Line] = [(each.name, [f"{kind}: {each.look.label}", *_from(each)]) for kind, each in methods]
    if lines:
        yield _section("Rankings and attributions", "What plugins add to those of the package.", _entries(lines))


def _told(suite: Suite, dataset: str, model: str) -> str:
    """How a model is trained: every key that decides it, with its value."""
    if given := suite.given(dataset, model):
        if given.derived:
            return "not trained here, but made of the readouts of another model"
        return f"not trained here, but imported from {', '.join(given.sources)}"
    settings = suite.training(dataset, suite.trained_with(model), suite.seeds(model)[0])
    network = suite.architecture(dataset, model)
    sizes = ("hidden", "attention_hidden", "embedding")
    told = {"epochs": settings.epochs, "patience": settings.patience, **settings.optimisation.model_dump()}
    told |= {name: getattr(network, name) for name in sizes}
    told |= {f"dropout of {place}": share or None for place, share in network.dropout.model_dump().items()}
    return ", ".join(f"{key} {_value(value)}" for key, value in told.items() if value is not None)


def _value(value: Any) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _recipes(config: Config) -> Iterator[str]:
    """A paragraph for each suite: which of its models are trained alike, and how."""
    for suite in (kind(config) for kind in SUITES):
        alike: dict[str, dict[str, list[str]]] = {}
        for dataset in suite.datasets:
            if suite.takes_pairs or not config.corpora[dataset].pair:
                own = suite.for_dataset(dataset)
                for model in own.models:
                    alike.setdefault(_told(own, dataset, model), {}).setdefault(dataset, []).append(model)
        groups: list[str] = []
        for told, members in alike.items():
            by_models: dict[str, list[str]] = {}
            for dataset, models in members.items():
                by_models.setdefault(", ".join(models), []).append(dataset)
            which = "; ".join(f"{', '.join(names)}: {models}" for models, names in by_models.items())
            groups += [_filled(which, "  ", "  "), _filled(told, "      ", "      ")]
        if groups:
            yield "\n".join([suite.title, *groups])


def _leaves(settings: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Every key of a group of settings and of the groups in it, with its value."""
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _run(files: Sequence[Path]) -> list[str]:
    """How the run of these configuration files trains its models, and which keys they leave to the defaults or to the
    catalogue, but for those of suites that the run has not.
    """
    named: dict[str, Any] = reduce(laid_over, map(_read, files))
    catalogue = _read(TREE / CATALOGUE)
    config = read_config(laid_over(catalogue, named), catalogue)
    skipped = {"corpora", "word_vectors"} | (set() if config.datasets or config.deception.datasets else OF_BASE)
    skipped |= {key for key, section in config if isinstance(section, Section) and _unused(section)}
    skipped |= {f"overrides.{name}" for name in config.overrides if name not in config.every_dataset}
    spoken, elsewhere = ({key for key, _ in _leaves(each)} for each in (named, catalogue))
    inherited = [
        f"{key} {value}{f' (of {CATALOGUE})' if key in elsewhere else ''}"
        for key, value in _leaves(config.model_dump())
        if key not in spoken and not any(f"{key}.".startswith(f"{above}.") for above in skipped)
    ]
    names = " and ".join(map(str, files))
    trains = f"How each model of this run is trained, as {names} and the defaults say."
    left = f"Keys that {names} does not name, so that their defaults count, or what {CATALOGUE} says: "
    return [
        _section("Training", trains, *_recipes(config)),
        _section("Inherited", left + ("; ".join(inherited) or "none") + "."),
    ]


def _unused(section: Section) -> bool:
    """Whether a section is that of a suite without data sets."""
    return getattr(section, "datasets", None) == []


def listing(files: Sequence[Path] = ()) -> str:
    """Suites, audits, tables and figures, pages, data sets, encoders and attention, each with a sentence.

    files: the configuration files of a run, in the order in which they are laid over one another; how that run trains
    its models follows, and what it inherits. Raises AuditError where a file cannot be read, or is wrong.
    """
    named: dict[str, Any] = reduce(laid_over, map(_read, files or [DEMONSTRATION]), {})
    look_in(path.parent for path in files)
    activate(named.get("plugins"))
    parts = [_suites(), _audits(), _exhibits(), _pages(), _datasets(), *_architecture(), *_methods()]
    return "\n".join([*parts, *(_run(files) if files else [])])
