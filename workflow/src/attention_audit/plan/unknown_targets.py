"""What a user asks Snakemake for: refused in one line where it cannot be read, or where nothing makes it, with what may
have been meant.
"""

import errno
import json
import os
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import yaml

from attention_audit.errors import AuditError, find_nearest, join_faults

KIND = 2
"""Parts of a path that say what kind of file it is, such as results/audits."""


GATHERING_RULES = ("corpora", "audits", "tables", "figures", "report_page", "all")
"""Rules that gather files of others, each after those that make what its files are made of."""
ENTRY_KEY = re.compile(r"[a-zA-Z_][\w-]*\w")
"""What Snakemake takes for a key behind --config."""
NAMING = ("targets", "until", "forcerun", "prioritize", "set_threads", "set_resources", "groups", "omit_from")
"""Options of Snakemake that name rules or files."""


def refuse_entry(word: str) -> None:
    """Raise AuditError where a word behind `--config` is not a key with a value, as Snakemake ends in a traceback."""
    key, sign, value = word.partition("=")
    group, *inner = [part for part in re.split(r"[][.:/]+", key) if part] or [""]
    if not sign:
        remedy = "write targets before --config, and quote a value that has spaces"
        raise AuditError(f"--config {word}", "is not KEY=VALUE", remedy)
    if inner:
        example = f"write --config '{group}={{{': {'.join(inner)}: {value}{'}' * len(inner)}'"
        raise AuditError(f"config: {key}", "is a key within a group", example)
    if not ENTRY_KEY.fullmatch(key):
        raise AuditError(f"config: {key or word}", "unknown key")


def refuse_unreadable(name: str) -> None:
    """Raise AuditError where a configuration file is missing, or is no YAML with keys.

    Snakemake ends in a traceback where one is missing or not in utf-8, takes each word behind --configfile for one, and
    says neither name nor line of one that is no YAML.
    """
    if not os.path.isfile(name):
        raise AuditError(name, "no such configuration file", "name one, and write targets before --configfile")
    try:
        text = Path(name).read_text(encoding="utf-8")
        try:
            keys = json.loads(text)
        except ValueError:
            keys = yaml.safe_load(text)
    except OSError as error:
        raise AuditError(name, f"cannot be read ({error.strerror})", "unlock it") from error
    except UnicodeDecodeError as error:
        raise AuditError(name, "is not in utf-8", "save it in this encoding") from error
    except (ValueError, yaml.YAMLError) as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        line = f"{name}: line {mark.line + 1}" if mark else name
        raise AuditError(line, f"is no YAML ({problem or str(error).splitlines()[0]})", "mend it") from error
    if not isinstance(keys, dict):
        raise AuditError(name, "has no keys at its top level", "write some, such as `datasets: [sst]`")


def list_profile_files(profile: str) -> list[str]:
    """List the configuration files that a profile names; one that lies in the profile is seen from there."""
    from snakemake.cli import get_profile_dir

    folder, file = get_profile_dir(profile) or ("", os.devnull)
    names = (yaml.safe_load(Path(file).read_text(encoding="utf-8")) or {}).get("configfile", [])
    inside = os.path.join(folder, names) if isinstance(names, str) else ""
    return names if isinstance(names, list) else [inside if os.path.exists(inside) else names]


def refuse_unwritable(folder: str) -> None:
    """Raise AuditError where there is no such folder to write to, and none can be made."""
    try:
        os.makedirs(folder, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        remedy = "set XDG_CACHE_HOME to a folder that can be written to"
        raise AuditError(folder, f"no folder for what Snakemake caches ({error.strerror})", remedy) from error


def end_on_unreadable(words: Sequence[str]) -> None:
    """End in one line where Snakemake could not read what a command line says of the configuration, or would drop a
    part of it, or has no folder to cache in; all this comes before it reads a Snakefile.
    """
    from snakemake.common import get_appdirs

    command, options = parse_command(["snakemake", *words]), [word.partition("=")[0] for word in words]
    try:
        for names in (("--config", "-C"), ("--configfile", "--configfiles")):
            if sum(option in names for option in options) > 1:
                raise AuditError(names[0], "stands twice, and the last one alone would count", "write all behind one")
        for word in command.config or ():
            refuse_entry(word)
        of_profiles = filter(None, map(list_profile_files, reversed(command.profile or [])))
        for name in command.configfile or next(of_profiles, ()):
            refuse_unreadable(str(name))
        refuse_unwritable(get_appdirs().user_cache_dir)
    except AuditError as error:
        sys.exit(f"error: {error}")


def parse_command(words: Sequence[str]) -> Namespace:
    """Parse a command line. What calls Snakemake from another program says in its own way what it asks for."""
    from snakemake.cli import get_argument_parser

    arguments = words[1:] if "snakemake" in Path(words[0]).parts[-2:] else []
    return get_argument_parser().parse_known_args(arguments)[0]


def list_asked(command: Namespace, short: Collection[str], makers: Collection[str]) -> list[str]:
    """List the rules and files that a command line asks for, or that its options name, but for GATHERING_RULES;
    Snakemake drops unknown ones without a word.

    short: rules that gather the files of one exhibit. several: rules that make more than one file. Raises AuditError
    where an option names a rule that it does nothing to.
    """
    batch, omitted = command.batch, {*(command.omit_from or ())}
    if batch and batch.rulename in {*GATHERING_RULES[:-1]} - {*command.targets, *command.until}:
        option = f"--batch {batch.rulename}={batch.idx}/{batch.batches}"
        raise AuditError(option, "nothing asked for goes through it", f"write {batch.rulename} {option}")
    if vain := {*command.forcerun} & {*GATHERING_RULES, *short} | omitted & {*short}:
        raise AuditError(min(vain), "gathers files and makes none", "name the rule that makes them, or a file")
    if many := {*makers} & {*command.targets}:
        remedy = f"ask for them by their paths, or write --until {min(many)}"
        raise AuditError(min(many), "makes several files", remedy)
    names = [target.rulename for target in command.target_jobs or []] + ([batch.rulename] if batch else [])
    names += [name for option in NAMING for name in getattr(command, option) or ()]
    files = [os.path.relpath(name) if os.path.sep in name and not os.path.isabs(name) else name for name in names]
    return [name for name in files if name not in GATHERING_RULES]


def refuse_unknown(
    names: Sequence[str], rules: Sequence[str], list_files: Callable[[], list[str]], refuse: Callable[[str], None]
) -> None:
    """Raise AuditError, with a line for each, where what is asked for is no rule, and no file that is there or made.

    rules: by their names. list_files: lists all files that can be had. refuse: raises AuditError where it knows why
    something cannot be had.
    """
    paths = dict.fromkeys(list_files() if {*names} - {*rules} else ())
    faults = []
    for name in names:
        try:
            refuse(name)
            if not (name in rules or name in paths or Path(name).exists()):
                faults.append(describe_unknown(name, [*rules, *paths]))
        except AuditError as error:
            faults.append(error)
    if faults:
        raise join_faults(faults)


def describe_unknown(name: str, names: Sequence[str]) -> AuditError:
    """Say that nothing makes it; and what may have been meant, first of all the same file in another format."""
    path = Path(name)
    # a file of another kind is hardly meant, however alike the names are
    kind, short = path.parts[:KIND], len(path.parts) == 1
    candidates = [candidate for candidate in names if short or Path(candidate).parts[:KIND] == kind]
    same = [
        candidate
        for candidate in candidates
        if Path(candidate).stem == path.stem and Path(candidate).parent == path.parent
    ]
    meant = " or ".join(same) or find_nearest(name, candidates)
    likely = f"did you mean {meant}? " if meant else ""
    return AuditError(name, "nothing makes this", f"{likely}`snakemake --list-target-rules` names all rules")
