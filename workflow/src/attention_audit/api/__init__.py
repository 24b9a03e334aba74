"""What notebooks and scripts call: the public functions of this package, which stay as they are.

Names, parameters and returned columns that docs/readouts.md describes are stable: a later version may add to them, and
renames or removes nothing without a new major version. All other modules are the workflow's own and may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attention_audit.errors import AuditError

if TYPE_CHECKING:
    from attention_audit.given import GivenReadout, readout
    from attention_audit.given.files import read_given_readout as read
    from attention_audit.given.files import write_given_readout as write

    from .auditing import Audited, audit
    from .classifying import audit_classifier, audit_torch
    from .generating import GenerationAudited, audit_generation
    from .judging import Judgement, judge
    from .opening import read_texts
    from .shown_text import Reading
    from .trained_model import Trained, reading, trained

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
_PLACES = {
    "attention_audit.given": ("GivenReadout", "readout"),
    "attention_audit.given.files": ("read_given_readout", "write_given_readout"),
    "attention_audit.api.auditing": ("Audited", "audit"),
    "attention_audit.api.classifying": ("audit_classifier", "audit_torch"),
    "attention_audit.api.generating": ("GenerationAudited", "audit_generation"),
    "attention_audit.api.judging": ("Judgement", "judge"),
    "attention_audit.api.opening": ("read_texts",),
    "attention_audit.api.shown_text": ("Reading",),
    "attention_audit.api.trained_model": ("Trained", "reading", "trained"),
    "attention_audit.tables.summary": ("by_question",),
}
_CALLED = {"read": "read_given_readout", "write": "write_given_readout"}


def __getattr__(name: str) -> Any:
    # each is imported where it is called for: a text is read without the libraries that audits need
    called = _CALLED.get(name, name)
    for module, names in _PLACES.items():
        if called in names and name in __all__:
            return getattr(import_module(module), called)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
