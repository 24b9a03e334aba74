"""The command line that Snakemake's rules call: `python -m attention_audit STAGE ...`, one stage a call."""

from __future__ import annotations

import argparse
import importlib
import json
import logging
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attention_audit.artefacts.journal import note
from attention_audit.artefacts.provenance import Provenance
from attention_audit.errors import AuditError
from attention_audit.stages.job import Job

logger = logging.getLogger("attention_audit")


def parser() -> argparse.ArgumentParser:
    """The command line, the same for every stage."""
    parser = argparse.ArgumentParser(prog="python -m attention_audit", description=__doc__)
    parser.add_argument("stage", help="a module of attention_audit.stages")
    parser.add_argument("--settings", type=json.loads, default={}, help="JSON: what the stage is told")
    parser.add_argument("--code", default="", help="hash of the source the stage runs, for the provenance")
    parser.add_argument("--threads", type=int, default=1, help="cores the stage may use")
    parser.add_argument("--log", type=Path, help="file that gets what also goes to the terminal")
    for direction in ("--input", "--output"):
        parser.add_argument(
            direction, nargs="+", action="append", default=[], metavar=("NAME", "PATH"), help="files under one name"
        )
    return parser


def _files(groups: Sequence[Sequence[str]]) -> dict[str, list[Path]]:
    return {name: [Path(path) for path in paths] for name, *paths in groups}


def _start_log(path: Path | None, title: str) -> None:
    """Messages go to the terminal and to `path`, those of libraries from warnings on.

    Raises AuditError where `path` cannot be written.
    """
    logging.basicConfig(format=f"[{title}] %(message)s")
    logger.setLevel(logging.INFO)
    logging.raiseExceptions = False  # a disk that fills up later costs lines of the log, and no more
    if path:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handler = logging.FileHandler(path, mode="w", encoding="utf-8")
        except OSError as error:
            raise AuditError(f"{path}: cannot be written ({error.strerror}); free or unlock the folder") from error
        handler.setFormatter(logging.Formatter(f"[{title}] %(message)s"))
        logging.getLogger().addHandler(handler)
        logger.info("started; log: %s", path)


def title(stage: str, settings: dict[str, Any]) -> str:
    """A few words that tell this job from its neighbours: stage, data set, model, lambda."""
    lambda_ = settings.get("lambda_")
    words = [stage, settings.get("dataset"), settings.get("model"), lambda_ and f"lambda {lambda_:g}"]
    return " ".join(str(word) for word in words if word)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one stage. A fault the user can mend ends in one line and exit status 1."""
    started = datetime.now(UTC)
    call = parser().parse_args(arguments)
    inputs, outputs = _files(call.input), _files(call.output)
    try:
        _start_log(call.log, title(call.stage, call.settings))
        stage = importlib.import_module(f"attention_audit.stages.{call.stage}")
        provenance = Provenance(call.stage, call.settings, call.code)
        stage.run(Job(call.settings, inputs, outputs, provenance, logger.info, call.threads))
    except AuditError as error:
        logger.error("error: %s", error)
        return 1
    if call.log:
        note(call.log, call.stage, inputs, outputs, started, call.threads)
    return 0


if __name__ == "__main__":
    sys.exit(main())
