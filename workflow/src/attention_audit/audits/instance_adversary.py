"""Jain & Wallace's adversary: for each text, the attention weights that differ most from the model's own but keep the
prediction.

Claims: if very different weights give the same prediction, the model's own weights are not the only explanation.
Assumes that weights may be chosen independently of the network that computes them; Wiegreffe & Pinter dispute this.
Jain & Wallace 2019, section 4.2.2; constants as in their code.

Runs on the readout. With a_k = softmax(u_k) for K restarts of one text, base weights a_0 and prediction p, gradient
descent in u minimises

    sum_k [ -JSD(a_k, a_0) + penalty x max(0, TVD(p_k, p) - margin) ]  -  1/K^2 sum_kl JSD(a_k, a_l)

The gradient is computed in closed form: dJSD(a, b)/da_t = 1/2 log(2 a_t / (a_t + b_t)). In a model of pairs it also
passes through the head.

With several heads, every head has weights of its own, a_k and a_0 are the means of the heads, and the gradient passes
the tail. The search may use rounder numbers than what it finds is judged by (`Heads.round_values`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from attention_audit.batching import Adam, cut_rows, stream
from attention_audit.columns.audits import INSTANCE_ADVERSARY
from attention_audit.divergence import detect_flips, jsd, tvd
from attention_audit.padded import PaddedReadout
from attention_audit.readout import Readout

from .answers import Answers, Training, explain_undecided
from .batches import Columns, collect
from .settings import InstanceAdversary

# low enough that the weight is 0 in float precision beside others, high enough that its logarithm stays finite
PADDING_LOGIT = -60.0


def compute_gradient(logits: Tensor, texts: PaddedReadout, target: Tensor, settings: InstanceAdversary) -> Tensor:
    """Compute the derivative of the objective above with respect to the logits u: (K, n, L) or (K, n, H, L), likewise.

    target (1, n, C): the prediction p.
    """
    restarts = len(logits)
    # each pair of restarts occurs twice in the double sum; a constant drops out of a softmax's gradient
    weight = torch.full((restarts + 1,), 1 / restarts**2, dtype=logits.dtype)
    weight[-1] = 1 / 2
    log_attention = logits.log_softmax(-1)
    attention = log_attention.exp()
    if texts.heads is None:
        seen, log_seen = attention, log_attention
    else:
        seen = texts.average_heads(attention)
        log_seen = seen.log()
    compared_maps = torch.cat([seen, texts.attention[None]])
    log_sums = (seen[:, None] + compared_maps).log_()
    gradient = (weight @ log_sums.flatten(2)).view_as(seen).sub_(log_seen, alpha=float(weight.sum()))

    def compute_slope(predicted: Tensor) -> Tensor:
        beyond = (tvd(predicted, target) > settings.margin)[..., None]
        return torch.sign(predicted - target) / 2 * beyond

    if texts.heads is not None:
        # of the mean of the heads, each has an equal part
        gradient = (gradient / attention.shape[2])[:, :, None]
    gradient = gradient.add(texts.compute_descent(attention, compute_slope), alpha=settings.penalty)
    return attention * (gradient - (gradient * attention).sum(-1, keepdim=True))


def draw_starts(texts: PaddedReadout, ids: Sequence[str], restarts: int, seed: int) -> Tensor:
    """Draw standard normal numbers for n texts, (K, n, L) or (K, n, H, L), 0 on padding, the same in every batch.

    `ids` are the ids of all texts of the readout.
    """
    drawn = np.zeros((restarts, *texts.weights.shape), np.float32)
    for row, (member, length) in enumerate(zip(texts.members, texts.lengths.tolist(), strict=True)):
        shape = (restarts, *texts.weights.shape[1:-1], length)
        drawn[:, row, ..., :length] = stream("start", ids[member], seed).standard_normal(shape, np.float32)
    return torch.from_numpy(drawn).to(texts.attention.dtype)


def search_weights(texts: PaddedReadout, settings: InstanceAdversary, start: Tensor) -> Tensor:
    """Search adversarial weights for n texts from K restarts, 0 on padding; `start` is `draw_starts`, likewise."""
    if texts.heads is not None:
        texts = replace(texts, heads=texts.heads.round_values())
    logits = (settings.spread * start).masked_fill_(texts.padding, PADDING_LOGIT).requires_grad_()
    optimiser = Adam([logits], lr=settings.learning_rate, amsgrad=True, fused=True)
    target = texts.predict(texts.weights[None])
    with torch.no_grad():
        for _ in range(settings.steps):
            logits.grad = compute_gradient(logits, texts, target, settings)
            optimiser.step()
        return logits.masked_fill(texts.padding, float("-inf")).softmax(-1)


def find_furthest(texts: PaddedReadout, restarts: Tensor, epsilon: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Find the weights of the greatest JSD among the admissible restarts (TVD at most epsilon) and the model's own.

    restarts (K, n, L) or (K, n, H, L) -> weights (n, L) or (n, H, L), JSD (n,), prediction (n, C), number of admissible
    restarts (n,).
    """
    candidates = torch.cat([texts.weights[None], restarts])
    predicted = texts.predict(candidates)
    admissible = tvd(predicted, predicted[:1]) <= epsilon
    divergence = jsd(texts.average_heads(candidates), texts.attention).where(admissible, -1.0)
    best = divergence.argmax(0)
    rows = torch.arange(len(best))
    return candidates[best, rows], divergence[best, rows], predicted[best, rows], admissible[1:].sum(0)


def instance_adversary(base: Readout, settings: InstanceAdversary, report: Callable[[str], None]) -> Columns:
    """Return the columns id, jsd (nats), tvd, decision_flip, admissible, base_prediction, base_max_attention,
    attention.

    One row for each text of `base`. admissible: how many restarts kept the prediction. attention: the weights found,
    with several heads those of all of them, item by item.
    """
    lengths = base.lengths
    done = reported = 0

    def measure(texts: PaddedReadout, exact: PaddedReadout) -> Columns:
        nonlocal done, reported
        restarts = search_weights(texts, settings, draw_starts(texts, base.ids, settings.restarts, settings.seed))
        best, divergence, predicted, admissible = find_furthest(exact, restarts.double(), settings.epsilon)
        original = exact.predict(exact.weights[None])[0]
        by_item = best.float() if texts.heads is None else best.float().transpose(1, 2)
        done += len(texts.members)
        if done == len(base) or done - reported >= len(base) / 5:
            reported = done
            report(f"{done}/{len(base)} texts, up to {lengths[texts.members[-1]]} tokens")
        return {
            "jsd": divergence,
            "tvd": tvd(predicted, original),
            "decision_flip": detect_flips(original, predicted),
            "admissible": admissible.int(),
            "attention": [row.reshape(-1) for row in cut_rows(by_item, texts.lengths)],
        }

    return {
        "id": base.ids,
        "base_prediction": base.predictions.astype(np.int32),
        "base_max_attention": base.max_attention,
    } | collect(measure, base.batches(torch.float32), base.batches(torch.float64))


def ask_instance_adversary(trainings: Iterable[Training], answers: Answers, settings: InstanceAdversary) -> None:
    """Ask `instance_adversary` of trainings."""
    for training in trainings:
        readout = training.read()
        if answers.asks(INSTANCE_ADVERSARY, explain_undecided(training, readout)):
            answers.add(INSTANCE_ADVERSARY, instance_adversary(readout, settings, answers.report), training)
            answers.report(f"{training.describe()}: {len(readout)} texts")
