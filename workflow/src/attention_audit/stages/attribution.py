"""corpus, vocabulary, weights or given classifiers, readouts -> audits of one model that run it again, one file each.

They share a process, and the attributions of each model: `audits.attributed.Attributed` is what their functions are
called with; their further parameters are those of `stages.audits`.
"""

from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple

import pyarrow as pa
import torch

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.leave_one_out import leave_one_out_of
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import Scores, read_readout

from .audits import split_audits, write_unasked
from .job import Job
from .loading import build_split, prepare_device, read_material, rebuild
from .read_classifier import opened, pieces_of, read_texts, split_of


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

    def attribute(self, model: Network, split: Split, ids: list[str]) -> Attributed:
        """Join a model with the texts of a split, which have these ids, and with its readout of them."""
        readout = read_readout(self.job.inputs["readouts"][self.place]).aligned(ids)
        own = self.job.settings.attributions
        return Attributed(model, split, readout, self.job.report, seed=self.run.seed, own=own)


def open_classifiers(asked: Iterable[Asked], device: torch.device) -> Iterator[Attributed]:
    """Open classifiers that are given, one after another, with the texts of the corpus as their pieces."""
    texts = None
    for each in asked:
        texts = texts or read_texts(each.job.input("corpus"))
        classifier = opened(each.job.settings.classifiers[each.place])
        split = split_of(pieces_of(classifier, texts), texts, device)
        yield each.attribute(classifier.to(device), split, texts.ids)


def rebuild_models(asked: Iterable[Asked], device: torch.device) -> Iterator[Attributed]:
    """Rebuild models that are trained here, one after another, those of one architecture with the same texts."""
    for _, group in groupby(asked, key=lambda each: each.shared):
        members = [*group]
        job, architecture = members[0].job, members[0].architecture
        material = read_material(job.input("corpus"), job.input("vocabulary"), architecture, files=job.inputs)
        texts = material.splits["test"]
        split = build_split(texts, device)
        models: Iterable[Network] = (
            rebuild(material, each.architecture, each.run.seed, each.job.inputs["weights"][each.place], device)
            for each in members
        )
        together = None
        if architecture.frozen and len(members) > 1:
            # all of them are in memory, and without their Transformer they are small
            models = [*models]
            # it reads shortened texts once for all of them, when the first is asked
            together = cache(partial(leave_one_out_of, models, split))
        for place, (model, each) in enumerate(zip(models, members, strict=True)):
            attributed = each.attribute(model, split, texts.ids)
            attributed.together, attributed.place = together, place
            yield attributed


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
    for (path, asked), attributed in zip(every.items(), read(every.values(), device), strict=True):
        job.report(f"{asked.run.model}, seed {asked.run.seed}: {len(attributed.split)} texts")
        attributed.earlier = earlier.setdefault(asked.run.model, {})
        for runner, found in zip(runners, tables, strict=True):
            if path in runner.job.inputs["readouts"] and not runner.refuses(asked.run, attributed.readout):
                found.append(runner.label(runner.call(attributed, run=asked.run), asked.run))
    for runner, found in zip(runners, tables, strict=True):
        runner.write(found)
