"""The user's own files, word vectors among them, looked at before any job is planned: what is wrong ends the run, what
is odd is said.
"""

import json
import os
import re
import shlex
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from attention_audit.artefacts.files import checksum, read_record, write_record
from attention_audit.code_hash import code_hash
from attention_audit.config import Config
from attention_audit.corpus.checkup import Overview, check_dataset
from attention_audit.corpus.source import find_own, name_absent_vectors
from attention_audit.corpus.sources.table import ReadoutCorpus, TableCorpus
from attention_audit.corpus.tokens import name_lacking
from attention_audit.errors import AuditError, add_place, join_faults
from attention_audit.names import refuse_unknown_maps
from attention_audit.transformer.settings import IMPOSED

from .corpora import VECTORS, locate_raw, name_vectors
from .papers.given import read_given
from .suites import Scope
from .transformers import NamedTransformer, check_classifier, check_decoder, check_encoder, find_given

MEMORY = Path(".snakemake/attention-audit/checked.json")
"""Where what was found is kept, so that a job that plans again reads no file again."""
LINKS = Path(".snakemake/attention-audit/links")
"""Where links lie to what Snakemake cannot name."""
BRACKETS = re.compile(r"[{}<>]")
"""What Snakemake takes for a wildcard, or for a variable of its paths, around a word in the name of an input."""
CLOCK_SKEW_SECONDS = 2.0
"""A file may be so far ahead of this machine's clock, as file systems round times."""


class CheckMemory:
    """What was found in files before, by what it was found in. A file that cannot be written costs time alone."""

    def __init__(self, path: Path) -> None:
        self.path, self.known = path, dict[str, Any]()
        with suppress(AuditError):
            self.known = read_record(path)

    def recall(self, key: str, find: Callable[[], Any]) -> Any:
        """Return what was found, or find and keep it."""
        if key not in self.known:
            self.known[key] = find()
            with suppress(AuditError):
                write_record(self.path, self.known)
        return self.known[key]


def name_state(path: Path) -> str:
    """Name a file and its size and times, so that another content has another name."""
    status = path.stat()
    # the time of the last change of its entry cannot be set, so that it tells of another file of the same time, too
    return f"{path.absolute()}, {status.st_size} bytes, {status.st_mtime_ns} {status.st_ctime_ns} ns"


def hash_files(paths: Iterable[str], memory: Path = MEMORY) -> dict[str, str]:
    """Return the sha256 of each of these files of the user's own that is there.

    A file is read only where its size or times are others than when it was read. Raises AuditError, with a line for
    each fault, where a file cannot be read, or is dated in the future: Snakemake then takes what is made from it for
    older, and ends after the work.
    """
    memory_of_checks, hashes, faults = CheckMemory(memory), dict[str, str](), list[AuditError]()
    for name in sorted({name for name in paths if os.path.isfile(name)}):
        path = Path(name)
        if (changed := path.stat().st_mtime) > time.time() + CLOCK_SKEW_SECONDS:
            ahead = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(changed))
            faults.append(
                AuditError(
                    name,
                    f"was changed at {ahead}, which is ahead of this machine's clock",
                    f"mend the clock, or set the time of the file to now: touch {shlex.quote(name)}",
                )
            )
        try:
            hashes[name] = memory_of_checks.recall(name_state(path), partial(checksum, path))
        except OSError as error:
            faults.append(AuditError(name, f"cannot be read ({error.strerror})", "unlock it or put it back"))
    if faults:
        raise join_faults(faults)
    return hashes


def link_own(path: str) -> str:
    """Return a path of the user's as Snakemake can read it: by a link where it has braces or angle brackets, which
    cannot be escaped in the name of an input.
    """
    parts = Path(path).parts
    bracketed = [place for place, part in enumerate(parts) if BRACKETS.search(part)]
    if not bracketed:
        return path
    end = bracketed[-1] + 1
    target = Path(*parts[:end]).absolute()
    link = LINKS / sha256(bytes(target)).hexdigest()[:16] / BRACKETS.sub("_", target.name)
    link.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        link.symlink_to(target)
    # Snakemake takes the later one of the times of a link and of its file; that of the file is to count
    os.utime(link, (0, 0), follow_symlinks=False)
    return str(link.joinpath(*parts[end:]))


def hash_mirrored(config: Config, folder: str, file: str) -> list[str]:
    """Return the sha256 of a file that is fetched from the mirror, or has been fetched from there; none where it has
    been downloaded, and the mirror has no other. So another file of the mirror is fetched again, and a mirror that is
    moved or gone changes nothing.
    """
    record: dict[str, Any] = {}
    with suppress(AuditError):
        record = read_record(Path(config.places.raw, folder, "records", f"{file}.json"))
    mirrored = config.mirror_folder and config.mirror_folder / folder / file
    # where it is not there, or cannot be read, the job says so
    with suppress(OSError):
        if mirrored:
            digest: str = CheckMemory(MEMORY).recall(name_state(mirrored), partial(checksum, mirrored))
            if digest != record.get("sha256"):
                return [digest]
    return [record["sha256"]] if record.get("origin") == "mirror" else []


@contextmanager
def collect_faults(faults: list[str]) -> Iterator[None]:
    """Adds the lines of an AuditError that the block raises."""
    try:
        yield
    except AuditError as error:
        faults += str(error).splitlines()


def list_readouts(config: Config, dataset: str) -> list[tuple[str, str]]:
    """List the files of readouts that the user has of a data set, each after the name of its model."""
    models = config.own[dataset].by_model if dataset in config.own else {}
    return [(model, path) for model, paths in models.items() for path in paths]


def check_models(scope: Scope, dataset: str) -> Iterator[str]:
    """Return what is wrong with what the user has of the models of a data set that are not trained here, or that they
    are fine-tuned from; a line each.
    """
    config, lines = scope.config, list[str]()
    for model, path in list_readouts(config, dataset):
        if not find_own(path, config.mirror_folder).exists():
            yield f"{dataset}, {model}: {path} is not here; put it there, or name its place in the config"
    if dataset in config.hf:
        section, data = find_given(config, dataset), scope.find_data("hf", dataset)
        refuse_unknown_maps(section.maps)
        if section.generate and section.generate.asks_labels and not config.corpora[dataset].preparation.labelled:
            yield f"{dataset}: generate asks for labels, and nobody knows them; name their column as `label`"
        # the folders of the first model are those of the one with weights imposed
        folders = [(name, path) for name, paths in section.by_model.items() if name != IMPOSED for path in paths]
        for model, path in folders:
            with collect_faults(lines):
                key, reading = f"{dataset}, {model}", read_given(data, model, path)
                if section.generate is not None:
                    check_decoder(config, path, key, section.maps)
                    continue
                if section.targets is not None:
                    with add_place(f"{key}: {path}"):
                        kind, _ = section.list_targets(model, NamedTransformer(config, path, key).facts)
                    reading = reading.model_copy(update={"kind": kind})
                check_classifier(config, path, key, reading)
        if config.hf[dataset].recipe is not None:
            with collect_faults(lines):
                check_encoder(config, dataset)
    yield from lines


def limit_words(scope: Scope, dataset: str) -> int | None:
    """Count how many words of a text are read at most: the pieces of classifiers where nothing else reads it; None:
    all.
    """
    readers = {data.suite.name for data in scope.asked if data.name == dataset}
    section = scope.config.hf.get(dataset)
    if readers != {"hf"} or section is None or section.long == "window" or section.generate is not None:
        return None
    return section.max_length


def check_files(scope: Scope, memory: Path = MEMORY) -> Overview:
    """Return what there is in the user's own files of a run, and what is odd in them, a line each.

    Raises AuditError, with a line for each data set, where a file is not as the configuration says or needs a package
    that is not installed, and for each file of word vectors or of a classifier that is not there.
    """
    config, checks, code = scope.config, CheckMemory(memory), code_hash("corpus.checkup", words=True)
    overview, fetched = Overview([], []), Path(config.places.raw) / VECTORS
    vector_names = dict.fromkeys(name_vectors(config, name) for name in scope.datasets)
    vectors = ((name, config.word_vectors[name]) for name in vector_names if name in config.word_vectors)
    absent = (name_absent_vectors(*each, config.mirror_folder, fetched) for each in vectors)
    faults = [*filter(None, absent), *(line for name in scope.datasets for line in check_models(scope, name))]
    for name in scope.datasets:
        source = config.corpora[name]
        if line := name_lacking(source.preparation.tokens):
            faults.append(f"{name}: {line}")
            continue
        # of readouts, by how the configuration names them
        readouts = {path: find_own(path, config.mirror_folder) for _, path in list_readouts(config, name)}
        files = readouts or locate_raw(config, name)
        if isinstance(source, TableCorpus | ReadoutCorpus) and all(path.exists() for path in files.values()):
            with collect_faults(faults):
                limit = limit_words(scope, name)
                key = [source.model_dump(mode="json"), [*map(name_state, files.values())], limit, code]
                look = partial(check_dataset, name, source, files, limit)
                remarks, odd = checks.recall(json.dumps([name, *key]), look)
                overview.read.extend(remarks)
                overview.odd.extend(odd)
    if faults:
        raise join_faults(map(AuditError, faults))
    return overview
