"""The command line: `init`, `run`, and what Snakemake's rules call, one stage a call."""

import argparse
import gc
import importlib
import io
import json
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn, get_args, get_type_hints

from pydantic import ValidationError

from attention_audit.artefacts.journal import CLEAR, write_note
from attention_audit.artefacts.provenance import Provenance
from attention_audit.errors import AuditError
from attention_audit.places import TREE
from attention_audit.plan.params import parse_setting
from attention_audit.server import serve
from attention_audit.stages.job import Job
from attention_audit.targets import import_target

logger = logging.getLogger("attention_audit")


def parser() -> argparse.ArgumentParser:
    """Return the command line, the same for every stage."""
    parser = argparse.ArgumentParser(prog="python -m attention_audit", description=__doc__)
    parser.add_argument(
        "stage",
        help="`init`, `run`, which hands all words after it to Snakemake, `serve`, or a module in "
        "attention_audit.stages",
    )
    parser.add_argument(
        "paths",
        type=Path,
        nargs="*",
        help="with `init`: a file of texts and labels, for which a configuration is written",
    )
    parser.add_argument(
        "--into",
        type=Path,
        default="mine.yaml",
        help="with `init`: the configuration to write, if not %(default)s",
    )
    for column in ("text", "label"):
        parser.add_argument(f"--{column}", help=f"with `init`: the column of the {column}s, where the guess is wrong")
    parser.add_argument("--socket", type=int, help="with `serve`: the number of the socket that calls come from")
    parser.add_argument(
        "--settings",
        type=parse_setting,
        nargs="*",
        default=[],
        metavar="KEY=JSON",
        help="the settings of the stage, each as key=value in JSON",
    )
    parser.add_argument("--code", default="", help="hash of the code that the stage runs; goes into the provenance")
    parser.add_argument("--threads", type=int, default=1, help="cores the stage may use")
    parser.add_argument("--log", type=Path, help="file that receives the same messages as the terminal")
    for direction in ("--input", "--output"):
        parser.add_argument(
            direction, nargs="+", action="append", default=[], metavar=("NAME", "PATH"), help="a name and its files"
        )
    return parser


def _files(groups: Sequence[Sequence[str]]) -> dict[str, list[Path]]:
    return {name: [*map(Path, paths)] for name, *paths in groups}


def _start_log(path: Path | None, title: str) -> None:
    """Send all messages to a file or, without one, to the terminal, which has what is wrong in any case.

    Messages of other libraries are shown only if they are warnings or errors. Raises AuditError where `path` cannot be
    written.
    """
    terminal = logging.StreamHandler()
    terminal.setLevel(logging.WARNING if path else logging.NOTSET)
    logging.basicConfig(format=f"{CLEAR * sys.stderr.isatty()}[{title}] %(message)s", handlers=[terminal])
    logger.setLevel(logging.INFO)
    logging.raiseExceptions = False  # a disk that fills up later costs lines of the log, and no more
    if path:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handler = logging.FileHandler(path, mode="w", encoding="utf-8")
        except OSError as error:
            fault = f"cannot be written ({error.strerror})"
            raise AuditError(str(path), fault, "free or unlock the folder") from error
        handler.setFormatter(logging.Formatter(f"[{title}] %(message)s"))
        logging.getLogger().addHandler(handler)
        logger.info("started")


def make_title(rule: str, settings: dict[str, Any]) -> str:
    """Make a short title for one job's messages: what it makes, then data set, suite, model, lambda and seed, if it has
    them.
    """
    lambda_, seed = settings.get("objective", {}).get("lambda_"), settings.get("seed")
    words = [rule, *(settings.get(key) for key in ("dataset", "suite", "model"))]
    words += [lambda_ and f"lambda {lambda_:g}", None if seed is None else f"seed {seed}"]
    return " ".join(word for word in words if word and isinstance(word, str))


def find_targets(settings: Any) -> list[str]:
    """Find the functions that settings name, however deep."""
    return re.findall(r'"target": "(.*?)"', json.dumps(settings))


def import_stage(call: argparse.Namespace) -> ModuleType:
    """Import a stage and all functions that its settings name. Raises AuditError where there is no such stage."""
    # what the imported libraries define is never garbage; collecting during imports costs each job nearly a second
    gc.disable()
    try:
        stage = importlib.import_module(f"attention_audit.stages.{call.stage}")
        for target in find_targets(dict(call.settings)):
            import_target(target)
    except ModuleNotFoundError as error:
        if "attention_audit.stages" not in str(error.name):
            raise
        raise AuditError(call.stage, "no such command", "write `init` or `run`") from error
    finally:
        gc.freeze()
        gc.enable()
    return stage


def prepare(arguments: Sequence[str]) -> None:
    """Import all that a call needs, and what stages and libraries import in the middle of a job. What is wrong with the
    call, the job says itself.
    """
    with suppress(Exception):
        call = parser().parse_args(arguments)
        further = ["captum.attr"] if call.stage == "attribute" else []
        for module in ("pandas", "pyarrow.acero", "pyarrow.dataset", "scipy.stats", "sklearn.metrics", *further):
            importlib.import_module(module)
        import_stage(call)


def run_stage(call: argparse.Namespace) -> None:
    """Run one stage. Raises AuditError for a fault that the user can mend."""
    started, settings_json = datetime.now(UTC), dict(call.settings)
    rule = settings_json.get("exhibit") or call.stage
    _start_log(call.log, make_title(rule, settings_json))
    stage = import_stage(call)
    try:
        (kind,) = get_args(get_type_hints(stage.run)["job"])
        settings = kind.model_validate(settings_json)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"]))
        raise AuditError(f"{call.stage}: settings: {where}", fault["msg"], "run Snakemake again") from error
    inputs, outputs = _files(call.input), _files(call.output)
    provenance = Provenance(call.stage, settings_json, call.code)
    importing = time.process_time()
    stage.run(Job(settings, inputs, outputs, provenance, logger.info, call.threads))
    if call.log:
        write_note(
            log=call.log,
            stage=rule,
            inputs=inputs,
            outputs=outputs,
            started=started,
            workers=call.threads,
            importing=importing,
        )


def run_workflow(words: Sequence[str]) -> NoReturn:
    """Become Snakemake with the Snakefile of this package, in this folder. A file of presets/ that is not here is taken
    from beside the Snakefile.
    """
    ours = (word.startswith("presets/") and not Path(word).exists() for word in words)
    arguments = [str(TREE / word) if is_ours else word for word, is_ours in zip(words, ours, strict=True)]
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(TREE / "Snakefile"), *arguments]
    os.execv(command[0], command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the workflow, write a first configuration, run one stage, or serve a run by forking for each of its stages.

    A fault the user can mend ends in one line and exit status 1.
    """
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["run"]:
        run_workflow(words[1:])
    call = parser().parse_args(words)
    try:
        if call.stage == "init":
            from attention_audit.initialising import propose_configuration

            # a terminal that is not of utf-8 shows other letters by their numbers
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(errors="backslashreplace")
            print(propose_configuration(call.paths, call.into, call.text, call.label), end="")
        elif call.stage == "serve":
            serve(call.socket, main, prepare)
        else:
            run_stage(call)
    except AuditError as error:
        logger.error("error: %s", error)
        return 1
    return 0


if __name__ == "__main__":
    # Ctrl-C ends a job as SIGTERM does, without a traceback; a half-written file has no name yet
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main())
