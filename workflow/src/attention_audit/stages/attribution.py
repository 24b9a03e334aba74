"""corpus, vocabulary, weights or given classifiers, readouts -> audits of one model that run it again, one file each.

They share a process, and the attributions of each model: `audits.attributed.AttributedTexts` is what their functions
are called with; their further parameters are those of `stages.audits`.
"""

from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import groupby

import pyarrow as pa
import torch

from attention_audit.audits.attributed import AttributedTexts
from attention_audit.audits.leave_one_out import delete_each
from attention_audit.audits.settings import AuditedRun, AuditsJob
from attention_audit.model.architecture import Architecture
from attention_audit.model.batch import Split, require_part
from attention_audit.model.network import Network
from attention_audit.readout import Scores, read_readout

from .audits import AuditRunner
from .job import Job
from .loading import build_model, build_split, prepare_device, read_material
from .read_classifier import build_split_of, cut_pieces, open_classifier, read_texts


def list_shared(own: Architecture) -> tuple[object, ...]:
    """List what models share that are asked together: a frozen Transformer, or else all of their architecture."""
    return (own.transformer, own.pair) if own.frozen else (own,)


def attribute(job: Job[AuditsJob], run: AuditedRun, model: Network, split: Split, ids: list[str]) -> AttributedTexts:
    """Join a model with the texts of a split, which have these ids, and with its readout of them."""
    readout = read_readout(job.inputs["readouts"][run.readout]).align(ids)
    return AttributedTexts(model, split, readout, job.report, seed=run.seed, own=job.settings.audits[0].attributions)


def open_classifiers(
    job: Job[AuditsJob], runs: Iterable[AuditedRun], device: torch.device
) -> Iterator[AttributedTexts]:
    """Open classifiers that are given, one after another, with the texts of the corpus as their pieces."""
    texts = read_texts(job.input("corpus"))
    for run in runs:
        classifier = open_classifier(require_part(run.classifier, "classifier"))
        split = build_split_of(cut_pieces(classifier, texts), texts, device)
        yield attribute(job, run, classifier.to(device), split, texts.ids)


def rebuild_models(job: Job[AuditsJob], runs: Iterable[AuditedRun], device: torch.device) -> Iterator[AttributedTexts]:
    """Rebuild models that are trained here, one after another, those of one architecture with the same texts."""
    built = [(run, require_part(run.architecture, "architecture")) for run in runs]
    for _, group in groupby(built, key=lambda each: list_shared(each[1])):
        members = [*group]
        architecture = members[0][1]
        material = read_material(job.inputs, architecture)
        texts = material.splits["test"]
        split = build_split(texts, device)
        models: Iterable[Network] = (
            build_model(material, own, run.seed, job.inputs["weights"][run.readout]).to(device) for run, own in members
        )
        together = None
        if architecture.frozen and len(members) > 1:
            # all of them are in memory, and without their Transformer they are small
            models = [*models]
            # it reads shortened texts once for all of them, when the first is asked
            together = cache(partial(delete_each, models, split))
        for place, (model, (run, _)) in enumerate(zip(models, members, strict=True)):
            attributed = attribute(job, run, model, split, texts.ids)
            attributed.together, attributed.place = together, place
            yield attributed


def run(job: Job[AuditsJob]) -> None:
    """Ask the audits of one model after another, and write what they say."""
    runners = [AuditRunner(job, asked) for asked in job.settings.audits]
    device = prepare_device(job.settings.device, job.settings.threads)
    # audits may be asked of some of the models only
    asked = {runner: [run for run in runner.settings.runs if not runner.find_lack(run)] for runner in runners}
    every = {run.readout: run for runs in asked.values() for run in runs}
    tables: dict[AuditRunner, list[pa.Table]] = {runner: [] for runner in runners}
    earlier: dict[str, dict[int, dict[str, Scores]]] = {}
    read = open_classifiers if any(run.classifier for run in every.values()) else rebuild_models
    for run, attributed in zip(every.values(), read(job, every.values(), device), strict=True):
        job.report(f"{run.model}, seed {run.seed}: {len(attributed.split)} texts")
        attributed.earlier = earlier.setdefault(run.model, {})
        for runner, found in tables.items():
            if run in asked[runner] and not runner.find_lack(run, attributed.readout):
                found.append(runner.label(runner.call(attributed, run=run), run))
    for runner, found in tables.items():
        runner.write(found)
