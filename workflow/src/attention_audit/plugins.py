"""What is added from outside of the package: the key `plugins` of the configuration names modules that declare it.

A plugin declares in lists with the names of the package's own, such as AUDITS, and its entries are of the same kinds.
Which modules these are, and where they are looked for, stands in the environment, so that the jobs of a run know them
too, wherever they run. Functions and declarations, of this package or of a plugin, are named by strings such as
"module:name".
"""

import os
import symtable
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Protocol, TypeVar

from pydantic import ConfigDict

from attention_audit.errors import AuditError, did_you_mean

NAMED = "ATTENTION_AUDIT_PLUGINS"
"""Variable of the environment: the plugins of the run, with blanks between."""
FOLDERS = "ATTENTION_AUDIT_PLUGIN_FOLDERS"
"""Variable of the environment: where modules of plugins are looked for, after all other places."""
SOURCE = Path(__file__).parent
INSTALLED = ("site-packages", "dist-packages")
"""Folders of installed packages, whose other packages are no part of a plugin."""
T = TypeVar("T")
EntryT = TypeVar("EntryT", bound="Named")


def folders() -> list[str]:
    """Where modules of plugins are looked for too."""
    return [folder for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]


def module_named(name: str) -> ModuleType:
    """A module by its whole name, of this package or of a plugin. Raises ModuleNotFoundError where there is none."""
    sys.path += [folder for folder in folders() if folder not in sys.path]
    return import_module(name)


def module_of(target: str) -> str:
    """The module of a target, as it is written there."""
    return target.partition(":")[0]


@cache
def qualified(module: str) -> str:
    """The whole name of a module, which stands in targets as it is named from inside this package, if it is of it."""
    first = module.partition(".")[0]
    own = (SOURCE / first).is_dir() or (SOURCE / f"{first}.py").is_file()
    return f"attention_audit.{module}" if own else module


def imported(target: str) -> ModuleType:
    """The module of a target. Raises ModuleNotFoundError where there is none."""
    return module_named(qualified(module_of(target)))


def load(target: str) -> Any:
    """The object that a target names. Raises ModuleNotFoundError or AttributeError where there is none."""
    return getattr(imported(target), target.partition(":")[2])


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What all entries have. source: the plugin that declares it, which is set as it is read; "" within the package."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    source: str = field(default="", compare=False, repr=False)

    TARGETS: ClassVar[tuple[str, ...]] = ("target",)
    """The fields that name what there must be, as "module:name"."""

    @property
    def targets(self) -> list[str]:
        """What there must be."""
        return [target for name in self.TARGETS if (target := getattr(self, name))]


def active() -> list[str]:
    """The plugins of this process."""
    return os.environ.get(NAMED, "").split()


def look_in(further: Iterable[Path]) -> None:
    """Look for plugins in these folders too, after all others, here and in the processes that this one starts."""
    known = dict.fromkeys([*folders(), *(str(folder.resolve()) for folder in further)])
    os.environ[FOLDERS] = os.pathsep.join(known)


def plugin(name: str) -> ModuleType:
    """A plugin by its name. Raises AuditError where there is none, or where it cannot be imported."""
    try:
        return module_named(name)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
            near = did_you_mean(name, [path.stem for folder in folders() for path in Path(folder).glob("*.py")])
            looked = f"there is no {name}.py in {', '.join(folders())}, and no package of this name is installed"
            raise AuditError(f"config: plugins: {name}: {looked}{near}; put it beside the configuration") from error
        said = f"{type(error).__name__}: {error}".partition("\n")[0]
        raise AuditError(f"config: plugins: {name}: cannot be imported ({said}); mend it") from error


def _declared(name: str, kind: str) -> list[Any]:
    """What a plugin declares in the list of this name, each entry with where it is from."""
    declared = getattr(plugin(name), kind, ())
    # it may have imported the list of the package
    entries = declared if isinstance(declared, tuple | list) else ()
    return [replace(entry, source=name) if isinstance(entry, Entry) else entry for entry in entries]


def added(kind: str) -> list[Any]:
    """What the plugins of this process declare in the list of this name."""
    return [entry for name in active() for entry in _declared(name, kind)]


def folder_of(top: str) -> Path | None:
    """The folder of a package or module, by its first name, where it is part of a plugin: the plugin itself, or one
    that lies beside it; None where it is neither.
    """
    for name in active():
        file = Path(str(plugin(name).__file__))
        folder = file.parents[name.count(".") + (file.stem == "__init__")]
        beside = folder.name not in INSTALLED and ((folder / top).is_dir() or (folder / f"{top}.py").is_file())
        if beside or top == name.partition(".")[0]:
            return folder
    return None


class Live(Collection[T]):
    """What is made anew whenever other plugins are active, since they may add to what it is made of."""

    activations: ClassVar[int] = 0

    def __init__(self, make: Callable[[], Collection[T]]) -> None:
        self._make = make
        self._seen: tuple[int, str | None] | None = None

    @property
    def made(self) -> Collection[T]:
        """What it is by the plugins of this moment."""
        now = Live.activations, os.environ.get(NAMED)
        if self._seen != now:
            self._made, self._seen = self._make(), now
        return self._made

    def __contains__(self, one: object) -> bool:
        return one in self.made

    def __len__(self) -> int:
        return len(self.made)

    def __iter__(self) -> Iterator[T]:
        return iter(self.made)


class LiveByName(Live[str], Mapping[str, T]):
    """The same by names."""

    made: Mapping[str, T]

    def __getitem__(self, name: str) -> T:
        return self.made[name]


class Named(Protocol):
    """What every entry has: a name."""

    @property
    def name(self) -> str:
        """Its name, which no other entry of its list has."""


class Entries(Live[EntryT]):
    """All entries of one kind: those of the package, in this order, and then those of plugins.

    name: of the list, here and in plugins. kind: what its entries are, or classes of it. arranged: what becomes of the
    entries. faults: what is wrong with one of a plugin, besides its type, its name and its targets.
    """

    lists: ClassVar[dict[str, "Entries[Any]"]] = {}

    def __init__(
        self,
        name: str,
        kind: Any,
        own: Sequence[EntryT],
        arranged: Callable[[Iterable[EntryT]], Sequence[EntryT]] = tuple,
        faults: Callable[[Any], Iterable[str]] = lambda entry: (),
    ) -> None:
        super().__init__(lambda: arranged([*own, *added(name)]))
        self.name, self.kind, self.own, self.arranged, self.faults = name, kind, own, arranged, faults
        self.by_name: LiveByName[EntryT] = LiveByName(lambda: {entry.name: entry for entry in self})
        self.lists[name] = self


def functions(kind: str) -> dict[str, Any]:
    """The functions that entries of plugins name in this list, by the names of the entries."""
    return {entry.name: load(entry.target) for entry in added(kind) if entry.target}


def fault_of(target: str) -> str:
    """What is wrong with a target: "" where its module has this name. The module is read, and not imported."""
    module, _, name = target.partition(":")
    try:
        spec = find_spec(qualified(module))
        if spec is None or spec.origin is None:
            return f"{target}: there is no module {module}; name it as module:name"
        table = symtable.symtable(Path(spec.origin).read_text(encoding="utf-8"), spec.origin, "exec")
    except Exception as error:
        return f"{target}: {module} cannot be read ({type(error).__name__}: {error})"
    known = [symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()]
    return "" if name in known else f"{target}: {spec.origin} has no {name!r}{did_you_mean(name, known)}"


def _faults(name: str) -> Iterator[str]:
    """What is wrong with what a plugin declares."""
    said = {kind: value for kind, value in vars(plugin(name)).items() if kind.isupper()}
    if Entries.lists.keys().isdisjoint(said):
        near = next(filter(None, (did_you_mean(kind, Entries.lists) for kind in said)), "")
        known = ", ".join(Entries.lists)
        yield f"{plugin(name).__file__} declares none of {known}{near}; write what it adds into one"
    for entries in Entries.lists.values():
        declared = said.get(entries.name, ())
        if isinstance(declared, str | dict | Entry | type):
            yield f"{entries.name} is {declared!r}; write a tuple: {entries.name} = (...,)"
        taken = {entry.name: "the package" for entry in entries.arranged(entries.own)}
        for other in active()[: active().index(name)]:
            taken |= {entry.name: other for entry in _declared(other, entries.name)}
        for entry in _declared(name, entries.name):
            if not isinstance(entry, entries.kind):
                yield f"{entries.name} holds {entry!r}, which is no {entries.kind.__name__}; write one there"
                continue
            faults = [fault for target in getattr(entry, "targets", ()) if (fault := fault_of(target))]
            faults = faults or [*entries.faults(entry)]
            if not faults and entry.name in taken:
                faults = [f"is the name of one of {taken[entry.name]}; choose another"]
            yield from (f"{entries.name}: {entry.name}: {fault}" for fault in faults)
            if not faults:
                taken[entry.name] = name


def activate(names: Any) -> None:
    """Let these be the plugins of this process and of those that it starts. `names` is as in a raw configuration.

    Raises AuditError, with a line for each fault, where one cannot be had or declares what cannot be.
    """
    names = names if isinstance(names, list | tuple) else []
    # what else stands there, the check of the configuration refuses
    modules = [name for name in names if isinstance(name, str) and name.replace(".", "_").isidentifier()]
    os.environ[NAMED] = " ".join(dict.fromkeys(modules))
    Live.activations += 1
    if not active():
        return
    look_in([Path.cwd()])
    invalidate_caches()
    lines: list[str] = []
    for name in active():
        if qualified(name) != name:
            lines.append(f"config: plugins: {name}: attention_audit has a module of this name; rename the file")
            continue
        try:
            lines += [f"config: plugins: {name}: {fault}" for fault in _faults(name)]
        except AuditError as error:
            lines.append(str(error))
    if lines:
        os.environ[NAMED] = ""
        raise AuditError(*lines)
