"""Which words are masked next, and the trainings on what is left (recursive ROAR, Madsen et al. 2022).

The words that go are those that the model of the step before ranks highest, among those that are still there. Words
that stand for one another go one after another so, each once the model has come to rely on it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from attention_audit.audits.attributions import Scores
from attention_audit.audits.gradients import gradients
from attention_audit.batching import stream
from attention_audit.model.batch import Split
from attention_audit.model.network import Network
from attention_audit.stages.loading import EncodedTexts, Material, build_model, build_split
from attention_audit.stages.reading_out import take_readout
from attention_audit.stages.training import train
from attention_audit.training.loop import Trained
from attention_audit.training.settings import MaskedSettings, MaskingOrder

Masks = npt.NDArray[np.bool_]
"""Whether each token of a split is masked, text after text, (T,)."""


def scores_of(order: MaskingOrder, model: Network, split: Split, random: np.random.Generator) -> Scores:
    """By which the words of each text are ranked; the highest go first."""
    match order:
        case "random":
            return [random.random(length) for length in split.lengths]
        case "attention":
            return [own.astype(np.float64) for own in take_readout(model, split, [""] * len(split)).attention]
        case "gradient":
            return gradients(model, split)


def masked_more(scores: Scores, masks: Masks, percent: int) -> Masks:
    """The masks with further words, until so many percent of each text's words are masked, rounded half up.

    Of the words that are left, those with the highest scores go; of equal ones the first. None comes back.
    """
    found, start = masks.copy(), 0
    for own in scores:
        mask = found[start : start + len(own)]
        more = (percent * len(own) + 50) // 100 - int(mask.sum())
        left = np.flatnonzero(~mask)
        mask[left[np.argsort(-own[left], kind="stable")[: max(0, more)]]] = True
        start += len(own)
    return found


@dataclass(frozen=True)
class Masked:
    """The model of one step, with its training, and the texts and splits that it reads."""

    model: Network
    trained: Trained
    texts: Mapping[str, EncodedTexts]
    splits: Mapping[str, Split]


def masked_step(
    before: Network,
    splits: Mapping[str, Split],
    masks: dict[str, Masks],
    percent: int,
    settings: MaskedSettings,
    material: Material,
    device: torch.device,
    kept: Callable[[], Trained | None],
    report: Callable[[str], None],
) -> Masked:
    """Mask more words of all splits by what the model `before` makes of its own `splits`, and train from the first
    weights of the seed on what is left, unless there is a training that is `kept`. The `masks` of each split are
    changed.
    """
    for name, split in splits.items():
        random = stream("masking", f"{name} {percent}", settings.seed)
        masks[name] = masked_more(scores_of(settings.order, before, split, random), masks[name], percent)
    texts = {name: own.masked(masks[name]) for name, own in material.splits.items()}
    made = {name: build_split(own, device) for name, own in texts.items()}
    model = build_model(material, settings.architecture, settings.seed).to(device)
    trained = kept() or train(model, settings, material, made, report)
    model.load_state_dict(trained.weights)
    return Masked(model, trained, texts, made)
