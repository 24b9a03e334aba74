"""What notebooks and scripts call: the public functions of this package, which stay as they are.

Names, parameters and returned columns that docs/readouts.md describes are stable: a later version may add to them, and
renames or removes nothing without a new major version. All other modules are the workflow's own and may change.
"""

from attention_audit.errors import AuditError
from attention_audit.given import GivenReadout, readout
from attention_audit.given.files import read_given_readout as read
from attention_audit.given.files import write_given_readout as write

from .auditing import Audited, audit, by_question
from .classifying import audit_classifier, audit_torch, read_texts
from .generating import GenerationAudited, audit_generation
from .judging import Judgement, judge
from .reading import Trained, reading, trained
from .shown_text import Reading

__all__ = [
    "AuditError",
    "Audited",
    "GenerationAudited",
    "GivenReadout",
    "Judgement",
    "Reading",
    "Trained",
    "audit",
    "audit_classifier",
    "audit_generation",
    "audit_torch",
    "by_question",
    "judge",
    "read",
    "read_texts",
    "reading",
    "readout",
    "trained",
    "write",
]
