"""The losses that trainings minimise, one value for each text; and the training loop: batches of texts of similar
length, Adam, and the selection of one epoch.
"""

import copy
import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau

from attention_audit.arrays import Integers
from attention_audit.batching import Adam, cut_runs
from attention_audit.divergence import kl, tvd
from attention_audit.errors import AuditError
from attention_audit.model.attention import measure_absolute_conicity
from attention_audit.model.batch import Batch, Split, require_part
from attention_audit.model.network import Network, Output
from attention_audit.model.tail import probabilities

from .settings import (
    AdversaryObjective,
    DeceptionObjective,
    DiversityObjective,
    LabelObjective,
    Objective,
    Recipe,
)

Score = Callable[[Network], float]
Loss = Callable[[Output, Batch], Tensor]
"""A function from a model's output and its batch to the loss of each text, (B,)."""
LABEL_OBJECTIVE = LabelObjective()


def weigh_labels(output: Output, batch: Batch, sizes: Sequence[int] | None) -> Tensor:
    """Compute the cross-entropy of the gold label, weighed so that all classes of the training split count the same.

    sizes: texts of each class in the training split. Of two classes, a negative text has weight 1 and a positive one
    negatives / positives (the authors' pos_weight). Of more, a text has weight mean class size / its class's size.
    Without sizes, all weights are 1. A single output is the logit of class 1.
    """
    labels, logits = batch.labels, output.logits
    if logits.shape[-1] == 1:
        loss = binary_cross_entropy_with_logits(logits[:, 0], labels.to(logits), reduction="none")
    else:
        loss = cross_entropy(logits, labels, reduction="none")
    if sizes is None:
        return loss
    counts = loss.new_tensor(sizes)
    weights = (counts[0] if len(counts) == 2 else counts.mean()) / counts
    return weights[labels] * loss


def measure_loss(
    output: Output, batch: Batch, objective: Objective = LABEL_OBJECTIVE, sizes: Sequence[int] | None = None
) -> Tensor:
    """Measure what a training minimises. sizes: as in `weigh_labels`.

    - An adversary: TVD(adversary, base) - lambda KL(adversary || base), the same predictions from different attention
      (Wiegreffe & Pinter 2019, section 4.1, equation 1). TVD is between predictions, KL between attention weights; the
      batch carries the base model's predictions and weights.
    - Diversity: label loss + weight x conicity of the states that the attention weighs, of a pair those of its first
      text (Mohankumar et al. 2020, section 4.2). Conicity is the mean of the cosines' magnitudes, as in the authors'
      code: a few large states, to which all others are opposed, would make that of the paper's formula negative.
    - Deception: label loss - lambda log(1 - m), with m the attention on impermissible items: right, and silent about
      why (Pruthi et al. 2020, section 3.1, equation 1). The batch carries the impermissible items. 1 - m is summed from
      the other weights, so that it keeps its digits, and its gradient, where nearly all attention is on these items.
    """
    if isinstance(objective, AdversaryObjective):
        if objective.lambda_ is None:
            raise ValueError("an adversary is trained with a lambda; each step of a search has its own")
        distance = tvd(probabilities(output.logits), require_part(batch.probabilities, "predictions"))
        return distance - objective.lambda_ * kl(output.attention, require_part(batch.attention, "attention"))
    loss = weigh_labels(output, batch, sizes)
    if isinstance(objective, DiversityObjective):
        return loss + objective.weight * measure_absolute_conicity(output.states, batch.mask)
    if isinstance(objective, DeceptionObjective):
        impermissible = require_part(batch.impermissible, "impermissible items")
        permitted = output.attention.masked_fill(impermissible, 0.0).sum(-1)
        return loss - objective.lambda_ * permitted.clamp(min=torch.finfo(permitted.dtype).tiny).log()
    return loss


class Epoch(NamedTuple):
    """One epoch: its mean loss per text, and the score by which it may be selected (higher is better)."""

    epoch: int
    loss: float
    score: float


class TrainingResult(NamedTuple):
    """The weights of the selected epoch, the loss and score of every epoch, and the selected epoch's number."""

    weights: dict[str, Tensor]
    history: list[Epoch]
    selected: int


def draw_batches(
    lengths: Integers,
    size: int,
    noise: float,
    random: np.random.Generator,
    widths: Integers | None = None,
    tokens: int | None = None,
) -> Iterator[Integers]:
    """Draw batches of `size` texts of similar length, in random order.

    The texts are sorted by length x (1 +- noise), cut into batches, and the batches are shuffled, as Wiegreffe & Pinter
    do: padding is short, and a text does not always meet the same neighbours. With `tokens`, a batch ends before its
    texts times the largest of their `widths` (by default `lengths`) exceed that number.
    """
    noisy = lengths * random.uniform(1 - noise, 1 + noise, len(lengths))
    order = np.argsort(noisy, kind="stable")
    cut = list(cut_runs((lengths if widths is None else widths)[order], size, tokens or math.inf))
    numbers = np.arange(len(cut))
    random.shuffle(numbers)
    for number in numbers:
        yield order[cut[number]]


def make_optimizer(model: Network, settings: Recipe) -> Adam:
    """Make Adam with an L2 penalty on all parameters except those of `list_undecayed`; or AdamW, where weights
    decay by themselves, all but biases and those of LayerNorms (Loshchilov & Hutter 2019).

    Wiegreffe & Pinter have three optimisers; these are groups of parameters in one.
    """
    undecayed = [p for p in model.parameters() if p.ndim < 2] if settings.decoupled else model.list_undecayed()
    spared = set(undecayed)
    groups = [
        {"params": [p for p in model.parameters() if p not in spared], "weight_decay": settings.weight_decay},
        {"params": undecayed, "weight_decay": 0.0},
    ]
    return Adam(
        groups,
        lr=settings.learning_rate,
        amsgrad=settings.amsgrad,
        decoupled_weight_decay=settings.decoupled,
        fused=True,
    )


def compute_rate(step: int, steps: int, warmup: float) -> float:
    """Compute the learning rate of a step, from 0, as a share of the greatest: it rises linearly in the first share
    `warmup` of the steps, and then falls linearly to 0 (Devlin et al. 2019).
    """
    rising = warmup * steps
    if step + 1 <= rising:
        return (step + 1) / rising
    return max(0.0, (steps - step) / max(1.0, steps - rising))


def train_epoch(
    model: Network,
    split: Split,
    objective: Loss,
    optimiser: torch.optim.Optimizer,
    settings: Recipe,
    random: np.random.Generator,
    planned: LambdaLR | None = None,
) -> float:
    """Train on the whole split once; `planned` sets the learning rate of each step.

    Each step descends the sum of its texts' losses or, with `average`, their mean.
    Returns the mean loss per text.
    """
    total = torch.zeros((), dtype=torch.float64, device=split.device)
    cut = draw_batches(
        lengths=split.sizes,
        size=settings.batch_size,
        noise=settings.length_noise,
        random=random,
        widths=split.widths,
        tokens=settings.batch_tokens,
    )
    for members in cut:
        batch = split.batch(members)
        optimiser.zero_grad(set_to_none=True)
        loss = objective(model(batch), batch).sum()
        torch.autograd.backward(loss / len(members) if settings.average else loss)
        if settings.clip_norm is not None:
            clip_grad_norm_(model.parameters(), settings.clip_norm)
        if settings.clip_value is not None:
            clip_grad_value_(model.parameters(), settings.clip_value)
        optimiser.step()
        if planned is not None:
            planned.step()
        total += loss.detach()
    return float(total) / len(split)


def _rank(epoch: Epoch, settings: Recipe) -> tuple[bool, float, float]:
    selectable = settings.first_epoch or epoch.epoch > 0
    return selectable, epoch.score, -epoch.loss if settings.ties == "loss" else 0.0


def fit(
    model: Network,
    split: Split,
    objective: Loss,
    settings: Recipe,
    epochs: int,
    seed: int,
    report: Callable[[str], None],
    score: Score | None = None,
    patience: int | None = None,
) -> TrainingResult:
    """Train for `epochs` epochs and keep the weights of the best one.

    The best epoch has the highest `score` or, without a score, the lowest training loss; `settings.ties` decides
    between equal scores. Without `settings.first_epoch`, the first one is kept only where there is no other.
    `patience`: stop after that many epochs without a better one. Raises AuditError as soon as an epoch's loss or score
    is not finite.
    """
    random = np.random.default_rng(seed)
    optimiser = make_optimizer(model, settings)
    plateau = ReduceLROnPlateau(optimiser, "max", factor=0.5, patience=0, threshold=0.0) if settings.plateau else None
    planned = None
    if settings.warmup is not None:
        steps = epochs * math.ceil(len(split) / settings.batch_size)
        planned = LambdaLR(optimiser, partial(compute_rate, steps=steps, warmup=settings.warmup))
    model.train()
    history: list[Epoch] = []
    best = 0
    weights: dict[str, Tensor] = {}
    for number in range(epochs):
        started = time.perf_counter()
        loss = train_epoch(
            model=model,
            split=split,
            objective=objective,
            optimiser=optimiser,
            settings=settings,
            random=random,
            planned=planned,
        )
        # a score of a loss that is not finite is not asked for
        history.append(Epoch(number, loss, score(model) if score and np.isfinite(loss) else -loss))
        for name, value in (("loss", loss), ("score", history[-1].score)):
            if not np.isfinite(value):
                raise AuditError(f"epoch {number}", f"the {name} became {value}", "try a lower learning rate")
        if number == 0 or _rank(history[-1], settings) > _rank(history[best], settings):
            best = number
            weights = copy.deepcopy(model.state_dict())
        if plateau:
            plateau.step(history[-1].score)
        score_text = f", score {history[-1].score:.4f}" if score else ""
        seconds = time.perf_counter() - started
        report(f"epoch {number + 1}/{epochs}: loss {loss:.5f}{score_text}, best epoch {best + 1}, {seconds:.1f} s")
        if patience is not None and number - best >= patience:
            break
    return TrainingResult(weights, history, best)
