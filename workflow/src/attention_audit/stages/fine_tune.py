"""corpus with labels, the record of an encoder -> the files of a classifier of several labels, and how its training
went.

Each label has a logit of its own: a text has it where the sigmoid of the logit is above 1/2. The loss is the mean
binary cross-entropy over labels, as that of the library for `multi_label_classification`.
"""

from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from attention_audit.arrays import Integers
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import add_place
from attention_audit.model.batch import Batch, Split
from attention_audit.model.network import Network, Output, use_inference
from attention_audit.model.sequence_classifier import FineTuned
from attention_audit.scores import macro_f1
from attention_audit.training.classifiers import FineTuneJob
from attention_audit.training.loop import fit
from attention_audit.transformer.opening import open_tokenizer, write_classifier

from .classifier_texts import ReadTexts, build_split_of, read_gold_rows
from .job import Job
from .loading import open_transformer, prepare_device
from .train import write_history


def measure_label_loss(output: Output, batch: Batch, gold: Tensor) -> Tensor:
    """Measure the mean binary cross-entropy over the labels of each text, (B,). gold (N, K): the labels of all texts,
    of which a batch carries the numbers.
    """
    loss = binary_cross_entropy_with_logits(output.logits, gold[batch.labels], reduction="none")
    return loss.mean(1)


def score_labels(model: Network, split: Split, gold: Integers) -> float:
    """Compute the macro F1 over labels of what a model says of a split, whose gold labels are (N, K)."""
    predictions = np.zeros_like(gold)
    with use_inference(model):
        for members, batch in split.iterate_by_length():
            predictions[members] = (model(batch).logits > 0).cpu().numpy()
    return macro_f1(gold, predictions)


def run(job: Job[FineTuneJob]) -> None:
    """Fine-tune the classifier, and write it as the library does, with the weights of the selected epoch."""
    settings, corpus = job.settings, job.input("corpus")
    device = prepare_device(settings.device, settings.threads)
    opened = open_transformer(job.input("transformer"), settings.backbone)
    gold = {split: read_gold_rows(corpus, settings.labels, split) for split in SPLITS}
    splits = {}
    for name, pieces in opened.cut_texts(corpus, pair=False, raw=True).items():
        job.report(pieces.describe(name))
        # a batch has the number of each text in the place of its label
        texts = ReadTexts([], np.arange(len(pieces)), [])
        splits[name] = build_split_of(pieces, texts, device)
    torch.manual_seed(settings.seed)
    model = FineTuned(opened.folder, len(settings.labels), even=False).to(device)
    score = {name: partial(score_labels, split=splits[name], gold=gold[name]) for name in SPLITS[1:]}
    with add_place(f"{settings.dataset}, seed {settings.seed}"):
        trained = fit(
            model,
            splits["train"],
            partial(measure_label_loss, gold=torch.from_numpy(gold["train"]).float().to(device)),
            settings.optimisation,
            epochs=settings.epochs,
            seed=settings.seed,
            report=job.report,
            score=score[settings.optimisation.selection],
        )
    model.load_state_dict(trained.weights)
    job.report(", ".join(f"{name} macro F1 over labels {each(model):.3f}" for name, each in score.items()))
    model.model.config.update(
        {
            "problem_type": "multi_label_classification",
            "id2label": dict(enumerate(settings.labels)),
            "label2id": {name: number for number, name in enumerate(settings.labels)},
        }
    )
    write_history(job.output("history"), trained, job.provenance)
    write_classifier(model.model, open_tokenizer(opened.folder), {path.name: path for path in job.outputs["files"]})
