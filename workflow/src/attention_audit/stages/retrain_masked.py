"""corpus, vocabulary, weights and readouts of the base model -> weights, history and readouts of the models of all
steps of one order and seed, each of which is trained on texts with more masked words than the last (recursive ROAR,
Madsen et al. 2022).

The words that go are those that the model of the step before ranks highest, among those that are still there. Words
that stand for one another go one after another so, each once the model has come to rely on it.
"""

from dataclasses import replace

import numpy as np

from attention_audit.arrays import Flags
from attention_audit.audits.gradients import compute_gradients
from attention_audit.batching import stream
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.readout import Scores
from attention_audit.training.settings import MaskedSettings, MaskingOrder

from .job import Job
from .loading import build_split
from .network_readout import take_readout
from .train import Trainer, sort_by_model


def score_words(order: MaskingOrder, model: Network, split: Split, random: np.random.Generator) -> Scores:
    """Return that by which the words of each text are ranked; the highest go first."""
    match order:
        case "random":
            return [random.random(length) for length in split.lengths]
        case "attention":
            return [weights.astype(np.float64) for weights in take_readout(model, split, [""] * len(split)).attention]
        case "gradient":
            return compute_gradients(model, split)


def mask_further(scores: Scores, masks: Flags, percent: int) -> Flags:
    """Return the masks with further words, until so many percent of each text's words are masked, rounded half up.

    Of the words that are left, those with the highest scores go; of equal ones the first. None comes back.
    """
    all_masks, start = masks.copy(), 0
    for word_scores in scores:
        mask = all_masks[start : start + len(word_scores)]
        more = (percent * len(word_scores) + 50) // 100 - int(mask.sum())
        unmasked = np.flatnonzero(~mask)
        mask[unmasked[np.argsort(-word_scores[unmasked], kind="stable")[: max(0, more)]]] = True
        start += len(word_scores)
    return all_masks


def run(job: Job[MaskedSettings]) -> None:
    """Mask and train step by step, from the first weights of the seed each time, and read each model out on the masked
    texts that it was made for.
    """
    trainer, settings = Trainer(job), job.settings
    unmasked, model = trainer.material, trainer.build(job.input("start"))
    masks = {name: np.zeros(texts.lengths.sum(), np.bool_) for name, texts in unmasked.splits.items()}
    files_of_percent = {
        int(files.weights.parent.name.rpartition("_")[2]): files for files in sort_by_model(job.outputs)
    }
    for percent in settings.percent:

        def say(line: str, percent: int = percent) -> None:
            job.report(f"{percent} % masked: {line}")

        for name, split in trainer.splits.items():
            random = stream("masking", f"{name} {percent}", settings.seed)
            masks[name] = mask_further(score_words(settings.order, model, split, random), masks[name], percent)
        trainer.material = replace(
            unmasked, splits={name: texts.mask(masks[name]) for name, texts in unmasked.splits.items()}
        )
        trainer.splits = {name: build_split(texts, trainer.device) for name, texts in trainer.material.splits.items()}
        model = trainer.build()
        trainer.keep(model, trainer.train(model, say), files_of_percent.pop(percent))
    for files in files_of_percent.values():
        trainer.write_nothing(files)
    trainer.tell()
