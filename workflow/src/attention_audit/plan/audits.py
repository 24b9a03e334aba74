"""What there is to know of an audit before it is run, and the audits, as audits.yaml lists them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import TypeAdapter

from attention_audit.columns.kinds import Artefact
from attention_audit.errors import AuditError, suggest
from attention_audit.targets import find_fault, load

Need = Literal["corpus", "network", "states", "heads", "weights", "linear", "tokens", "base", "marks"]
Of = Literal["models", "attending", "judged", "compared", "seed_pairs", "first", "first_seed", "shown"]
Takes = Literal["batch", "readout", "readout_pair", "suite", "network"]
ReadSplit = Literal["dev", "test"]
OWN_RULE = "own_audit"
"""The rule that makes an audit of the user's own."""


@dataclass(frozen=True)
class Audit:
    """One audit: a function from readouts to the rows of one Parquet file a data set and model.

    name: of the file. rule: that makes it, perhaps with others; own_audit makes those of the user's own. asks: the
    question, in a sentence. target: the function, "module:name"; by default audits.<name>:<name>. columns: the
    declaration of the file's columns, likewise; by default columns.audits:<NAME>.

    needs: what a model and its texts must have for it, besides readouts; but for `base` and `network`, whether they
    have it is found as the files are read (stages/audits.py). corpus: the texts. network: models that can be run again.
    states: of the items under the attention, which such a model returns. heads: several of attention, as Transformers
    have, and readouts from elsewhere may have: of those that have one map there are no rows. weights: predictions that
    follow from the weights, which those of a Transformer do not where the map of an earlier layer is read. linear:
    predictions that are linear in the attention, which models of pairs have not. tokens: items that are tokens and not
    sentences. base: a model that others are compared with. marks: texts with words that are marked, or known to decide
    the label.

    of: which runs it is asked of, of a judged model and what this is held against: those of all `models`; the models
    `attending` or `judged` (see `plan.model`); runs `compared` with the base; every two seeds of a model that has
    several (`seed_pairs`); the `first`, which is the base where there is one; or the first seed (`first_seed`); or the
    first and the adversary that is `shown` beside it, if there is one.

    takes: what the function is called with first. part: some texts of the readout of a run, time after time; readout:
    all of them; two: the readout that a run is compared with, and its own; network: the model with its texts and
    readout (`AttributedTexts`); suite: nothing, once for the first judged model of a suite. All else it
    takes by the names of its parameters: see `stages.audits`.

    split: whose readouts it reads.

    settings: the sections of the configuration that it reads. after: audits of the same suite that it reads, where they
    are possible.
    """

    name: str
    asks: str
    target: str
    columns: str
    needs: tuple[Need, ...] = ()
    of: Of = "judged"
    takes: Takes = "batch"
    split: ReadSplit = "test"
    settings: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    rule: str = OWN_RULE


_LISTED = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
AUDITS = {
    name: TypeAdapter(Audit).validate_python(
        {"name": name, "target": f"audits.{name}:{name}", "columns": f"columns.audits:{name.upper()}", **said}
    )
    for name, said in _LISTED.items()
}
"""By name, in the order in which they are listed."""


def audit_named(name: str) -> Audit:
    """Find an audit by its name; "module:function" is one of the user's own, whose columns the module declares under
    the function's name in capital letters. Raises AuditError where there is none.
    """
    if ":" in name:
        return build_own_audit(name)
    if name not in AUDITS:
        raise AuditError(f"audits: {name!r} is not known{suggest(name, AUDITS)}; name one of {', '.join(AUDITS)}")
    return AUDITS[name]


@cache
def build_own_audit(target: str) -> Audit:
    """Build an audit of the user's own from its function. Raises AuditError where function or columns are missing."""
    module, _, name = target.partition(":")
    columns = f"{module}:{name.upper()}"
    if fault := find_fault(target) or find_fault(columns):
        raise AuditError(f"audits: {fault}")
    if name in AUDITS:
        raise AuditError(f"audits: {target}: {name} is an audit already; rename the function")
    kind = load(columns)
    if not isinstance(kind, Artefact) or kind.path != f"audits/{{dataset}}/{{model}}/{name}.parquet":
        raise AuditError(
            f"audits: {columns} declares no columns of {name}; write describe_file({name!r}, ...).add_columns(...)"
        )
    return Audit(name, kind.meaning, target=target, columns=columns)
