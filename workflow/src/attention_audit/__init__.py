"""Attention audit: may I read this attention map as an explanation?

What notebooks call can be had from here, `attention_audit.audit_classifier` for one; the module `api` has all of it.
"""

from typing import Any

__version__ = "0.5.0"
CALLED = {
    **dict.fromkeys(("audit", "audit_classifier", "audit_generation", "audit_torch", "judge", "trained"), ""),
    "read": "read_texts",
}
"""What can be had from here, and what it is called in `api`, where `read` reads a file."""


def __getattr__(name: str) -> Any:
    # the api imports torch, which a plan does without
    if name not in CALLED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("attention_audit.api"), CALLED[name] or name)
