"""corpus, readout and weights, or a classifier that is given -> attributions of one training, and what is asked of it
by running it again, a file each.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import torch

from attention_audit.arrays import Integers
from attention_audit.artefacts.parquet import read_table, write_table
from attention_audit.artefacts.weights import read_weights
from attention_audit.audits.again import RUN_AGAIN, ask_again
from attention_audit.audits.answers import explain_sentences
from attention_audit.audits.attributed import AttributedTexts, Attributions
from attention_audit.audits.settings import AttributeJob
from attention_audit.columns.audits import ATTRIBUTIONS
from attention_audit.columns.files import VOCABULARY
from attention_audit.model.batch import Split, require_part
from attention_audit.model.network import Network
from attention_audit.model.outputs import build_target
from attention_audit.readout import TAIL_FILE

from .audit_files import AuditFiles, StoredTraining, explain_no_texts, open_facts
from .classifier_texts import build_split_of, cut_pieces, open_classifier, read_texts
from .job import Job
from .loading import build_model, build_split, prepare_device, read_material

FALL, INTEGRATED = "loo_fall", "integrated_gradients"
"""What the attributions are called that some texts may not have."""


def open_training(job: Job[AttributeJob], device: torch.device, ids: list[str]) -> tuple[Network, Split, list[str]]:
    """Open a training, given or trained here, with the texts of the test split as it reads them, and their ids. ids:
    those of a classifier, which may read some alone.
    """
    about = job.settings.training
    if about.classifier:
        texts = read_texts(job.input("corpus")).find(ids)
        classifier = open_classifier(about.classifier, device)
        if about.classifier.target is not None:
            classifier.target = build_target(read_weights(job.input("readout").with_name(TAIL_FILE)))
        return classifier, build_split_of(cut_pieces(classifier, texts), texts, device), texts.ids
    architecture = require_part(about.architecture, "architecture")
    material = read_material(job.inputs, architecture)
    encoded = material.splits["test"]
    model = build_model(material, architecture, about.seed, job.input("weights"))
    return model.to(device), build_split(encoded, device), encoded.ids


def count_occurrences(job: Job[AttributeJob]) -> Integers:
    """Count how often the training split has the word of each row of the embedding; none where models have no such."""
    counts = [read_table(path, VOCABULARY)["train_count"].to_numpy() for path in job.inputs.get("vocabulary", [])]
    return np.concatenate([np.empty(0, np.int64), *counts])


def list_attribution_rows(attributions: Attributions) -> Iterator[tuple[str, str, list[float]]]:
    """List id, attribution and scores of each attribution and text that has it."""
    ids = attributions.readout.ids
    by_name = {name: dict(enumerate(scores)) for name, scores in attributions.scores.items()}
    for name, of_texts in {**by_name, FALL: attributions.falls, INTEGRATED: attributions.integrated}.items():
        for text, scores in of_texts.items():
            yield ids[text], name, scores.tolist()


def run(job: Job[AttributeJob]) -> None:
    """Run the training again, for all audits that need it."""
    settings = job.settings
    device = prepare_device(settings.device, job.threads)
    training = StoredTraining(settings.training, settings.training.lambda_, path=job.input("readout"))
    unasked = {kind.name: "is not asked" for kind in RUN_AGAIN if kind.name not in settings.audits}
    rows: list[tuple[str, str, list[float]]] = []
    with AuditFiles(job, unasked) as answers:
        # what has sentences for items is not run; each file says why it has no rows
        if not (lack := explain_no_texts([training.path]) or explain_sentences(training)):
            readout = training.read()
            model, split, ids = open_training(job, device, readout.ids)
            job.report(f"{training.describe()}: {len(split)} texts")
            sections = settings.agreement, settings.deletion, settings.erasure
            texts = AttributedTexts(model, split, readout.align(ids), job.report, *sections)
            rows += list_attribution_rows(
                ask_again(training, texts, answers, open_facts(job), count_occurrences(job), settings.audits)
            )
        for kind in RUN_AGAIN:
            answers.asks(kind, lack)
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    table = pa.table(dict(zip(ATTRIBUTIONS.schema.names, map(list, columns), strict=True)), ATTRIBUTIONS.schema)
    write_table(job.output("attributions"), ATTRIBUTIONS, table, job.provenance)
