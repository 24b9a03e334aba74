"""corpus, vocabulary, weights or given classifiers, readouts -> audits of one model that run it again, one file each.

They share a process, and the attributions of each model: `audits.attributed.Attributed` is what their functions are
called with; their further parameters are those of `stages.audits`.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import torch

from attention_audit.audits.attributed import Attributed
from attention_audit.audits.leave_one_out import Deletions, leave_one_out_of
from attention_audit.jobs.audit import AuditedRun, AuditJob, AuditsJob
from attention_audit.model.architecture import Architecture
from attention_audit.model.network import Network
from attention_audit.readout import Scores, read_readout
from attention_audit.stages.audits import split_audits, write_unasked
from attention_audit.stages.job import Job
from attention_audit.stages.loading import build_split, prepare_device, read_material, rebuilt
from attention_audit.stages.read_classifier import opened, pieces_of, read_texts, split_of
from attention_audit.transformer.settings import ReadClassifier

Settings = AuditsJob


class Asked(NamedTuple):
    """A run that an audit is asked of, with what its network is and the file of its readout.

    network: architecture and weights of a model that is trained here, or how a classifier that is given is read.
    """

    run: AuditedRun
    network: tuple[Architecture, Path] | ReadClassifier
    readout: Path


def runs_of(job: Job[AuditJob]) -> list[Asked]:
    """The runs that an audit is asked of."""
    every: list[tuple[Architecture, Path] | ReadClassifier] = [*job.settings.classifiers]
    every += zip(job.settings.architectures, job.inputs.get("weights", []), strict=True)
    return [Asked(*each) for each in zip(job.settings.runs, every, job.inputs["readouts"], strict=True)]


def given(job: Job[AuditJob], asked: list[Asked], device: torch.device) -> Iterator[tuple[Asked, Attributed]]:
    """Classifiers that are given, one after another, with the texts of the corpus as their pieces."""
    theirs = [(each, each.network) for each in asked if isinstance(each.network, ReadClassifier)]
    if not theirs:
        return
    texts = read_texts(job.input("corpus"))
    for each, read in theirs:
        classifier = opened(read)
        pieces = pieces_of(classifier, texts)
        split = split_of(pieces, texts, device)
        yield each, Attributed(classifier.to(device), split, read_readout(each.readout).aligned(texts.ids), job.report)


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
        shared = None
        if architecture.frozen and len(several) > 1:
            # all of them are in memory, and without their Transformer they are small
            models = [*models]
            # it reads shortened texts once for all of them, when the first is asked
            shared = cache(partial(leave_one_out_of, models, split))
        for place, (model, (each, *_)) in enumerate(zip(models, several, strict=True)):
            readout = read_readout(each.readout).aligned(texts.ids)
            deletions = partial(_one_of, shared, place) if shared else None
            yield each, Attributed(model, split, readout, job.report, deletions)


def _one_of(shared: Callable[[], list[Deletions]], place: int) -> Deletions:
    return shared()[place]


def run(job: Job[AuditsJob]) -> None:
    """Ask the audits of one model after another, and write what they say."""
    write_unasked(job)
    asking = [*split_audits(job)]
    # others may be asked of some of the models only
    fullest = max((audit.job for audit in asking), key=lambda alone: len(alone.settings.runs))
    device = prepare_device(fullest.settings.device, fullest.settings.threads)
    tables: list[dict[Path, pa.Table]] = [{} for _ in asking]
    every = [*{asked.readout: asked for audit in asking for asked in runs_of(audit.job)}.values()]
    earlier: dict[str, dict[int, dict[str, Scores]]] = {}
    for asked, attributed in chain(trained(fullest, every, device), given(fullest, every, device)):
        job.report(f"{asked.run.model}, seed {asked.run.seed}: {len(attributed.split)} texts")
        attributed.own = fullest.settings.attributions
        attributed.seed, attributed.earlier = asked.run.seed, earlier.setdefault(asked.run.model, {})
        for audit, found in zip(asking, tables, strict=True):
            if asked.readout in audit.job.inputs["readouts"]:
                found[asked.readout] = audit.labelled(asked.run, audit.called(attributed, run=asked.run))
    for audit, found in zip(asking, tables, strict=True):
        audit.write(found.values())
