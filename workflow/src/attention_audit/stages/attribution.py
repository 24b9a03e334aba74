"""corpus, vocabulary, weights or classifiers that are given, readouts -> the audits of one suite on one data set that
run its models again, one file each.

They share a process, and the attributions of each model: `audits.attributed.Attributed` is what their functions are
called with; their further parameters are those of `stages.audit`. As in `stages.audits`, a file whose settings, code
and inputs are the same as before is kept. Where another suite asks the same of the same training, its rows are taken.
"""

from collections.abc import Iterable, Iterator
from functools import cache, cached_property, partial
from itertools import chain, count, groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.artefacts.parquet import read_table, write_batches
from attention_audit.artefacts.seal import values_checksum
from attention_audit.audits.attributed import Attributed
from attention_audit.audits.leave_one_out import Deletions, leave_one_out_of
from attention_audit.columns.kinds import artefact
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob, Networks
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import read_readout
from attention_audit.stages.audit import Asking, labelled
from attention_audit.stages.audits import one_of
from attention_audit.stages.device import prepare_device
from attention_audit.stages.import_classifier import opened, pieces_of, read_texts, split_of
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_split, read_material, rebuilt
from attention_audit.transformer.settings import ReadClassifier

Settings = AuditsJob


def networks_of(job: Job[AuditJob]) -> Networks:
    """What it takes to run the models again. Raises ValueError where an audit names no network."""
    if job.settings.networks is None:
        raise ValueError(f"{job.settings.audit}: no networks are named")
    return job.settings.networks


class Asked(NamedTuple):
    """A run that an audit is asked of, with what its network is and the file of its readout.

    network: architecture and weights of a model that is trained here, or how a classifier that is given is read.
    """

    run: AuditedRun
    network: tuple[Architecture, Path] | ReadClassifier
    readout: Path


def runs_of(job: Job[AuditJob]) -> list[Asked]:
    """The runs that an audit is asked of."""
    networks = networks_of(job)
    every: list[tuple[Architecture, Path] | ReadClassifier] = [*networks.classifiers]
    every += zip(networks.architectures, job.inputs.get("weights", []), strict=True)
    return [Asked(*each) for each in zip(job.settings.runs, every, job.inputs["readouts"], strict=True)]


def given(job: Job[AuditJob], asked: list[Asked], device: torch.device) -> Iterator[tuple[Asked, Attributed]]:
    """Classifiers that are given, one after another, with the texts of the corpus as their pieces."""
    theirs = [(each, each.network) for each in asked if isinstance(each.network, ReadClassifier)]
    if not theirs:
        return
    texts = read_texts(job.input("corpus"))
    for each, read in theirs:
        classifier = opened(read)
        pieces = pieces_of(classifier, texts, read)
        split = split_of(pieces, texts, device)
        yield each, Attributed(classifier.to(device), split, read_readout(each.readout).aligned(texts.ids), job.report)


class Together:
    """Models that have one frozen Transformer: it reads shortened texts once for all of them, when the first is asked.

    `deletions` of a model by its place.
    """

    def __init__(self, models: list[Network], split: Split) -> None:
        self.models, self.split = models, split

    @cached_property
    def found(self) -> list[Deletions]:
        """Leave-one-out of every model."""
        return leave_one_out_of(self.models, self.split)

    def deletions(self, place: int) -> Deletions:
        """Leave-one-out of one of them."""
        return self.found[place]


def sharing(asked: tuple[Asked, Architecture, Path]) -> tuple[object, ...]:
    """What models have in common that are asked together: a frozen Transformer, or else all of their architecture."""
    architecture = asked[1]
    return (architecture.transformer, architecture.pair) if architecture.frozen else (architecture,)


def trained(job: Job[AuditJob], asked: list[Asked], device: torch.device) -> Iterator[tuple[Asked, Attributed]]:
    """Models that are trained here, one after another, those of one architecture with the same texts."""
    ours = [(each, *each.network) for each in asked if not isinstance(each.network, ReadClassifier)]
    for _, members in groupby(ours, key=sharing):
        files, several = job.inputs, [*members]
        architecture = several[0][1]
        material = read_material(files["corpus"][0], files["vocabulary"][0], architecture, files=files)
        texts = material.splits["test"]
        split = build_split(texts, device)
        models: Iterable[Network] = (
            rebuilt(material, own, each.run.seed, weights, device) for each, own, weights in several
        )
        together = None
        if architecture.frozen and len(several) > 1:
            # all of them are in memory, and without their Transformer they are small
            models = [*models]
            together = Together(models, split)
        for place, (model, (each, *_)) in enumerate(zip(models, several, strict=True)):
            readout = read_readout(each.readout).aligned(texts.ids)
            deletions = partial(together.deletions, place) if together else None
            yield each, Attributed(model, split, readout, job.report, deletions)


def taken_of(audit: Asking) -> dict[int, pa.Table]:
    """The rows that are taken from other suites' files, by the place of their run among all."""
    settings, files = audit.settings, audit.job.inputs.get("taken", [])
    kind = artefact(settings.columns[settings.audit])
    found = {}
    for known in settings.taken:
        rows = read_table(files[known.file], kind)
        own = {name: value for name, value in audit.identity(known.run).items() if name in rows.column_names}
        theirs = {"model": known.model, "lambda": known.lambda_, "seed": known.seed}
        for name, value in theirs.items():
            if name in own and value is not None:
                rows = rows.filter(pc.field(name) == value)
        columns = {name: rows[name] for name in rows.column_names if name not in own}
        found[known.place] = labelled(kind, own, columns)
    return found


def run(job: Job[AuditsJob]) -> None:
    """Ask the audits of one model after another, and write what they say."""
    known = cache(values_checksum)
    jobs = [alone for gathered in job.settings.audits if (alone := one_of(job, gathered, known))]
    if not jobs:
        return
    # others may have all their rows from elsewhere, and then name no network
    fullest = max(jobs, key=lambda alone: len(alone.settings.runs))
    networks = networks_of(fullest)
    device = prepare_device(networks.device, networks.threads)
    asking = {alone.settings.audit: Asking(alone) for alone in jobs}
    tables = {name: taken_of(audit) for name, audit in asking.items()}
    runs = {asked.readout: asked for alone in jobs for asked in runs_of(alone)}
    every = [*runs.values()]
    for asked, attributed in chain(trained(fullest, every, device), given(fullest, every, device)):
        job.report(f"{asked.run.model}, seed {asked.run.seed}: {len(attributed.split)} texts")
        for name, audit in asking.items():
            if asked.readout in audit.job.inputs["readouts"]:
                kind = artefact(audit.settings.columns[name])
                columns = audit.called(attributed, run=asked.run)
                place = next(free for free in count() if free not in tables[name])
                tables[name][place] = labelled(kind, audit.identity(asked.run), columns)
    for alone in jobs:
        name = alone.settings.audit
        ordered = [table for _, table in sorted(tables[name].items(), key=itemgetter(0))]
        write_batches(alone.output(name), artefact(alone.settings.columns[name]), ordered, alone.provenance)
