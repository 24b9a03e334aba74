"""The readouts of all outputs of a classifier, corpus -> the readout and the tail of a target.

All targets of a classifier share what was read of it. Only further maps, which hang on the target, run it again.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from torch import Tensor

from attention_audit.arrays import Flags, Integers
from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.weights import read_weights, write_weights
from attention_audit.columns.files import READOUT
from attention_audit.corpus.text import UNKNOWN_LABEL
from attention_audit.model.outputs import make_target, mark_said
from attention_audit.readout import read_readout, select_texts
from attention_audit.transformer.settings import ReadTarget, TargetJob

from .classifier_texts import cut_pieces, open_classifier, read_gold_rows, read_texts
from .job import Job
from .loading import prepare_device
from .network_readout import take_target, take_word_maps
from .read_classifier import OUTPUTS


def mark_asked(target: ReadTarget, outputs: Sequence[Tensor], gold: Integers) -> Flags:
    """Mark the texts of which a target is asked, (N,). outputs: that of it in each training, (N, 1); gold (N,): whether
    it is the gold label, `UNKNOWN_LABEL` where nobody knows.
    """
    if target.texts == "predicted":
        assert target.threshold is not None
        return mark_said("labels", outputs, [target.threshold])[:, 0].numpy()
    return gold == 1 if target.texts == "gold" else np.ones(len(gold), np.bool_)


def run(job: Job[TargetJob]) -> None:
    """Take the target from what was read. A number is held against those that the first training predicts; a target of
    no text has a readout without rows.
    """
    settings, at, places = job.settings, job.settings.seed - 1, job.settings.places
    reading, kind, target = settings.read, settings.read.kind, settings.read.target
    assert kind is not None
    assert target is not None
    outputs = [read_weights(path)[OUTPUTS] for path in job.inputs["tails"]]
    gold = np.full(len(outputs[0]), UNKNOWN_LABEL, np.int64)
    if kind != "number":
        gold = read_gold_rows(job.input("corpus"), settings.names)[:, places[0]]
    target_outputs = [of_training[:, [place]] for of_training, place in zip(outputs, places, strict=True)]
    members = np.flatnonzero(mark_asked(target, target_outputs, gold))
    reference = 0 if kind == "number" else at
    logit = replace(make_target(kind, places[reference], outputs[reference], target.threshold), at=places[at])
    where = f"{settings.dataset}, {settings.model}, training {settings.seed}: "
    job.report(f"{where}{len(members)} texts" + f", yes above {logit.centre:.3g}" * (kind == "number"))
    if not len(members):
        write_table(job.output("readout"), READOUT, READOUT.schema.empty_table(), job.provenance)
        write_weights(job.output("tail"), logit.pack(), job.provenance)
        return
    all_texts = read_readout(job.input("whole"))
    ids = [all_texts.ids[member] for member in members]
    selected = select_texts(outputs[at].numpy(), members)
    readout = take_target(select_texts(all_texts.several, members), selected, logit, ids, gold[members], reading.layer)
    if reading.maps:
        device = prepare_device(settings.device, settings.threads)
        classifier = open_classifier(reading, device)
        classifier.target = logit
        pieces = cut_pieces(classifier, read_texts(job.input("corpus")).find(ids))
        readout = replace(readout, maps=take_word_maps(classifier, pieces, reading.maps))
    readout.write(job.output("readout"), job.provenance)
    tail = readout.attending.tail.pack() if readout.attending else {}
    write_weights(job.output("tail"), tail | logit.pack(), job.provenance)
