"""corpus, vocabulary, weights or given classifiers, readouts -> audits of one model that run it again, one file each.

They share a process, and the attributions of each training: `audits.attributed.AttributedTexts` is what their functions
are called with; their further parameters are those of `stages.audits`.
"""

from collections import ChainMap
from collections.abc import Iterator, Sequence
from functools import cache, partial

import pyarrow as pa
import torch

from attention_audit.audits.attributed import AttributedTexts
from attention_audit.audits.leave_one_out import delete_each
from attention_audit.audits.settings import Agreement, AuditedRun, AuditsJob, Deletion, Erasure
from attention_audit.model.batch import Split, require_part
from attention_audit.model.network import Network
from attention_audit.readout import Scores, read_readout

from .audits import AuditRunner
from .classifier_texts import build_split_of, cut_pieces, open_classifier, read_texts
from .job import Job
from .loading import build_model, build_split, prepare_device, read_material

Built = tuple[Network, Split, list[str]]
"""A training with the texts of its split, and their ids."""


def attribute(job: Job[AuditsJob], run: AuditedRun, model: Network, split: Split, ids: list[str]) -> AttributedTexts:
    """Join a model with the texts of a split, which have these ids, and with its readout of them."""
    readout = read_readout(job.inputs["readouts"][run.readout]).align(ids)
    audits = job.settings.audits
    sections = ChainMap(*(asked.sections for asked in audits))
    agreement = Agreement(**{**sections.get("agreement", {}), "attributions": audits[0].attributions})
    deletion, erasure = Deletion(**sections.get("deletion", {})), Erasure(**sections.get("erasure", {}))
    return AttributedTexts(model, split, readout, job.report, agreement, deletion, erasure, seed=run.seed)


def open_classifiers(job: Job[AuditsJob], runs: Sequence[AuditedRun], device: torch.device) -> Iterator[Built]:
    """Open classifiers that are given, one after another, with the texts of the corpus as their pieces."""
    texts = read_texts(job.input("corpus"))
    for run in runs:
        classifier = open_classifier(require_part(run.classifier, "classifier"))
        split = build_split_of(cut_pieces(classifier, texts), texts, device)
        yield classifier.to(device), split, texts.ids


def rebuild_models(job: Job[AuditsJob], runs: Sequence[AuditedRun], device: torch.device) -> Iterator[Built]:
    """Rebuild the trainings of a model that is trained here, one after another, with the same texts."""
    architecture = require_part(runs[0].architecture, "architecture")
    material = read_material(job.inputs, architecture)
    texts = material.splits["test"]
    split = build_split(texts, device)
    for run in runs:
        weights = job.inputs["weights"][run.readout]
        yield build_model(material, architecture, run.seed, weights).to(device), split, texts.ids


def run(job: Job[AuditsJob]) -> None:
    """Ask the audits of one training after another, and write what they say."""
    runners = [AuditRunner(job, asked) for asked in job.settings.audits]
    device = prepare_device(job.settings.device, job.settings.threads)
    # audits may be asked of some of the trainings only
    asked = {run.readout: run for runner in runners for run in runner.settings.runs if not runner.find_lack(run)}
    runs, together = [*asked.values()], None
    built: Iterator[Built] = iter(())
    if runs:
        built = (open_classifiers if runs[0].classifier else rebuild_models)(job, runs, device)
    if len(runs) > 1 and runs[0].architecture and runs[0].architecture.frozen:
        # all of them are in memory, and without their Transformer they are small
        every = [*built]
        built = iter(every)
        # it reads shortened texts once for all of them, when the first is asked
        together = cache(partial(delete_each, [model for model, _, _ in every], every[0][1]))
    tables: dict[AuditRunner, list[pa.Table]] = {runner: [] for runner in runners}
    earlier: dict[int, dict[str, Scores]] = {}
    for place, (run, (model, split, ids)) in enumerate(zip(runs, built, strict=True)):
        job.report(f"{run.model}, seed {run.seed}: {len(split)} texts")
        attributed = attribute(job, run, model, split, ids)
        attributed.together, attributed.place, attributed.earlier = together, place, earlier
        for runner, found in tables.items():
            if run in runner.settings.runs and not runner.find_lack(run, attributed.readout):
                found.append(runner.label(runner.call(attributed, run=run), run))
    for runner, found in tables.items():
        runner.write(found)
