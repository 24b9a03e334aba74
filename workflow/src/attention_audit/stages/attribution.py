"""corpus, vocabulary, weights or given classifiers, readouts -> audits of one model that run it again, one file each.

They share a process, and the attributions of each model: `audits.attributed.Attributed` is what their functions are
called with; their further parameters are those of `stages.audits`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa
import torch

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.leave_one_out import Deletions, leave_one_out_of
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob
from attention_audit.model.architecture import Architecture
from attention_audit.model.network import Network
from attention_audit.readout import Readout, Scores, read_readout
from attention_audit.stages.audits import split_audits, write_unasked
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_split, prepare_device, read_material, rebuilt
from attention_audit.stages.read_classifier import opened, pieces_of, read_texts, split_of


class Asked(NamedTuple):
    """A run that an audit is asked of: its place among those of the audit's job."""

    job: Job[AuditJob]
    place: int

    @property
    def run(self) -> AuditedRun:
        """The model and its seed."""
        return self.job.settings.runs[self.place]

    @property
    def architecture(self) -> Architecture:
        """What a model is that is trained here."""
        return self.job.settings.architectures[self.place]

    @property
    def shared(self) -> tuple[object, ...]:
        """What models share that are asked together: a frozen Transformer, or else all of their architecture."""
        own = self.architecture
        return (own.transformer, own.pair) if own.frozen else (own,)

    def read(self, ids: Sequence[str]) -> Readout:
        """Read its readout, with its texts in this order."""
        return read_readout(self.job.inputs["readouts"][self.place]).aligned(ids)


Models = Iterator[tuple[Asked, Attributed]]


def open_classifiers(asked: Iterable[Asked], device: torch.device) -> Models:
    """Open classifiers that are given, one after another, with the texts of the corpus as their pieces."""
    texts = None
    for each in asked:
        texts = texts or read_texts(each.job.input("corpus"))
        classifier = opened(each.job.settings.classifiers[each.place])
        split = split_of(pieces_of(classifier, texts), texts, device)
        yield each, Attributed(classifier.to(device), split, each.read(texts.ids), each.job.report)


def rebuild_models(asked: Iterable[Asked], device: torch.device) -> Models:
    """Rebuild models that are trained here, one after another, those of one architecture with the same texts."""
    for _, members in groupby(asked, key=lambda each: each.shared):
        several = [*members]
        files, architecture = several[0].job.inputs, several[0].architecture
        material = read_material(files["corpus"][0], files["vocabulary"][0], architecture, files=files)
        texts = material.splits["test"]
        split = build_split(texts, device)
        models: Iterable[Network] = (
            rebuilt(material, each.architecture, each.run.seed, each.job.inputs["weights"][each.place], device)
            for each in several
        )
        together = None
        if architecture.frozen and len(several) > 1:
            # all of them are in memory, and without their Transformer they are small
            models = [*models]
            # it reads shortened texts once for all of them, when the first is asked
            together = cache(partial(leave_one_out_of, models, split))
        for place, (model, each) in enumerate(zip(models, several, strict=True)):
            deletions = partial(_one_of, together, place) if together else None
            yield each, Attributed(model, split, each.read(texts.ids), each.job.report, deletions)


def _one_of(together: Callable[[], list[Deletions]], place: int) -> Deletions:
    return together()[place]


def run(job: Job[AuditsJob]) -> None:
    """Ask the audits of one model after another, and write what they say."""
    write_unasked(job)
    runners = [*split_audits(job)]
    settings = max((runner.settings for runner in runners), key=lambda alone: len(alone.runs))
    device = prepare_device(settings.device, settings.threads)
    # audits may be asked of some of the models only
    every = {
        path: asked
        for runner in runners
        for place, path in enumerate(runner.job.inputs["readouts"])
        for asked in [Asked(runner.job, place)]
        if not runner.refuses(asked.run)
    }
    tables: list[list[pa.Table]] = [[] for _ in runners]
    earlier: dict[str, dict[int, dict[str, Scores]]] = {}
    read = open_classifiers if settings.classifiers else rebuild_models
    for path, (asked, attributed) in zip(every, read(every.values(), device), strict=True):
        job.report(f"{asked.run.model}, seed {asked.run.seed}: {len(attributed.split)} texts")
        attributed.own = settings.attributions
        attributed.seed, attributed.earlier = asked.run.seed, earlier.setdefault(asked.run.model, {})
        for runner, found in zip(runners, tables, strict=True):
            if path in runner.job.inputs["readouts"] and not runner.refuses(asked.run, attributed.readout):
                found.append(runner.label(asked.run, runner.call(attributed, run=asked.run)))
    for runner, found in zip(runners, tables, strict=True):
        runner.write(found)
