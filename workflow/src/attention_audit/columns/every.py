"""Every declared kind of file, for the guide in results/ and for tests; what computes imports its own kinds only.

The modules are found in this folder, so that a new one is in the guide without being listed anywhere.
"""

from importlib import import_module

from attention_audit.columns.kinds import Artefact
from attention_audit.targets import modules_in

FOLDERS = ("corpora", "states", "models", "readouts", "audits", "tables", "calibration")
"""Folders of results/ in the order of the guide; any other follows."""


def _place(artefact: Artefact) -> int:
    folder = artefact.path.partition("/")[0]
    return FOLDERS.index(folder) if folder in FOLDERS else len(FOLDERS)


ARTEFACTS: tuple[Artefact, ...] = tuple(
    sorted(
        {
            declared.name: declared
            for module in modules_in("columns")
            if module != "columns.every"
            for declared in vars(import_module(f"attention_audit.{module}")).values()
            if isinstance(declared, Artefact)
        }.values(),
        key=_place,
    )
)
"""Every kind of file, folder by folder as they stand in `FOLDERS`, and within one by its module."""
