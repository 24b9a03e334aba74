"""What a user asks Snakemake for: refused in one line, with what may have been meant, where nothing makes it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from attention_audit.errors import AuditError, nearest
from attention_audit.plan.job import PlannedJob

KIND = 2
"""Parts of a path that say what kind of file it is, such as results/audits."""


def refuse_unknown(
    asked: Sequence[str], rules: Sequence[str], jobs: Sequence[PlannedJob], refuse: Callable[[str], None]
) -> None:
    """Raise AuditError, with a line for each, where what is asked for is no rule, and no file that is there or made.

    rules: by their names. jobs: those whose files can be had. refuse: raises AuditError where it knows why something
    cannot be had.
    """
    made = dict.fromkeys(path for job in jobs for path in job.files)
    lines = []
    for name in asked:
        try:
            refuse(name)
            if not (name in rules or name in made or Path(name).exists()):
                lines.append(_line(name, [*rules, *made]))
        except AuditError as error:
            lines.append(str(error))
    if lines:
        raise AuditError(*lines)


def _line(name: str, known: Sequence[str]) -> str:
    """That nothing makes it; and what may have been meant, first of all the same file in another format."""
    path = Path(name)
    # a file of another kind is hardly meant, however alike the names are
    alike = [other for other in known if Path(other).parts[:KIND] == path.parts[:KIND] or len(path.parts) == 1]
    same = [other for other in alike if Path(other).stem == path.stem and Path(other).parent == path.parent]
    meant = " or ".join(same) or nearest(name, alike)
    likely = f"did you mean {meant}? " if meant else ""
    return f"{name}: nothing makes this; {likely}`snakemake --list-target-rules` names all rules"
