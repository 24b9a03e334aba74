"""What a user asks Snakemake for: refused in one line, with what may have been meant, where nothing makes it."""

import os
from argparse import Namespace
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from attention_audit.errors import AuditError, find_nearest, join_faults

KIND = 2
"""Parts of a path that say what kind of file it is, such as results/audits."""


GATHERING_RULES = ("corpora", "audits", "tables", "figures", "report_page", "all")
"""Rules that gather files of others, each after those that make what its files are made of."""
NAMING = ("targets", "until", "forcerun", "prioritize", "set_threads", "set_resources", "groups", "omit_from")
"""Options of Snakemake that name rules or files."""


def parse_command(words: Sequence[str]) -> Namespace:
    """Parse a command line. What calls Snakemake from another program says in its own way what it asks for."""
    from snakemake.cli import get_argument_parser

    known = words[1:] if "snakemake" in Path(words[0]).parts[-2:] else []
    return get_argument_parser().parse_known_args(known)[0]


def list_asked(asked: Namespace, short: Collection[str], several: Collection[str]) -> list[str]:
    """List the rules and files that a command line asks for, or that its options name, but for GATHERING_RULES;
    Snakemake drops unknown ones without a word.

    short: rules that gather the files of one exhibit. several: rules that make more than one file. Raises AuditError
    where an option names a rule that it does nothing to.
    """
    batch, omitted = asked.batch, {*(asked.omit_from or ())}
    if batch and batch.rulename in {*GATHERING_RULES[:-1]} - {*asked.targets, *asked.until}:
        option = f"--batch {batch.rulename}={batch.idx}/{batch.batches}"
        raise AuditError(f"{option}: nothing asked for goes through it; write {batch.rulename} {option}")
    if vain := {*asked.forcerun} & {*GATHERING_RULES, *short} | omitted & {*short}:
        raise AuditError(f"{min(vain)}: gathers files and makes none; name the rule that makes them, or a file")
    if many := {*several} & {*asked.targets}:
        raise AuditError(f"{min(many)}: makes several files; ask for them by their paths, or write --until {min(many)}")
    named = [target.rulename for target in asked.target_jobs or []] + ([batch.rulename] if batch else [])
    named += [name for option in NAMING for name in getattr(asked, option) or ()]
    files = [os.path.relpath(name) if os.path.sep in name and not os.path.isabs(name) else name for name in named]
    return [name for name in files if name not in GATHERING_RULES]


def refuse_unknown(
    asked: Sequence[str], rules: Sequence[str], list_files: Callable[[], list[str]], refuse: Callable[[str], None]
) -> None:
    """Raise AuditError, with a line for each, where what is asked for is no rule, and no file that is there or made.

    rules: by their names. list_files: lists all files that can be had. refuse: raises AuditError where it knows why
    something cannot be had.
    """
    made = dict.fromkeys(list_files() if {*asked} - {*rules} else ())
    lines = []
    for name in asked:
        try:
            refuse(name)
            if not (name in rules or name in made or Path(name).exists()):
                lines.append(_line(name, [*rules, *made]))
        except AuditError as error:
            lines.append(str(error))
    if lines:
        raise join_faults(map(AuditError, lines))


def _line(name: str, known: Sequence[str]) -> str:
    """Say that nothing makes it; and what may have been meant, first of all the same file in another format."""
    path = Path(name)
    # a file of another kind is hardly meant, however alike the names are
    alike = [other for other in known if Path(other).parts[:KIND] == path.parts[:KIND] or len(path.parts) == 1]
    same = [other for other in alike if Path(other).stem == path.stem and Path(other).parent == path.parent]
    meant = " or ".join(same) or find_nearest(name, alike)
    likely = f"did you mean {meant}? " if meant else ""
    return f"{name}: nothing makes this; {likely}`snakemake --list-target-rules` names all rules"
