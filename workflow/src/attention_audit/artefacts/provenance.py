"""What every results file records about how it was made."""

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

from attention_audit import __version__

LIBRARIES = ("torch", "numpy", "pandas", "pyarrow", "spacy", "scikit-learn", "matplotlib", "seaborn")
VERSIONS = {name: version(name) for name in LIBRARIES}


@dataclass(frozen=True)
class Provenance:
    """The stage that made a file, its settings, and the hash of its code.

    Nothing here depends on the clock or on the machine's name, so the same run writes the same bytes.
    """

    stage: str
    settings: Mapping[str, Any]
    code: str

    def explain(self, reason: str) -> "Provenance":
        """Return the same with the reason why a file has nothing to show."""
        return replace(self, settings={**self.settings, "reason": reason})

    def record(self) -> dict[str, Any]:
        """Return everything as one dictionary that JSON can hold, with sha256 of the settings in canonical JSON."""
        canonical = json.dumps(self.settings, sort_keys=True, separators=(",", ":"))
        return {
            "attention_audit": __version__,
            "stage": self.stage,
            "seed": self.settings.get("seed"),
            "settings": dict(self.settings),
            "config_sha256": hashlib.sha256(canonical.encode()).hexdigest(),
            "code_sha256": self.code,
            "python": platform.python_version(),
            "libraries": VERSIONS,
        }

    def text(self) -> str:
        """Return `record` as one line of canonical JSON."""
        return json.dumps(self.record(), sort_keys=True)
