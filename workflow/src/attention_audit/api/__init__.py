"""What notebooks and scripts call: the public functions of this package, which stay as they are.

Names, parameters and returned columns that docs/readouts.md describes are stable: a later version may add to them, and
renames or removes nothing without a new major version. All other modules are the workflow's own and may change.
"""

from attention_audit.errors import AuditError
from attention_audit.given.arrays import readout
from attention_audit.given.readouts import GivenReadout

from .answering import Audited, by_question
from .auditing import audit, read, write
from .classifying import audit_classifier, audit_torch
from .judging import Judgement, judge
from .reading import Reading, Trained, reading, trained

__all__ = [
    "AuditError",
    "Audited",
    "GivenReadout",
    "Judgement",
    "Reading",
    "Trained",
    "audit",
    "audit_classifier",
    "audit_torch",
    "by_question",
    "judge",
    "read",
    "reading",
    "readout",
    "trained",
    "write",
]
