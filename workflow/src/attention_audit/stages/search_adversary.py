"""corpus, vocabulary, base model with its other trainings -> weights, history and readouts of all adversaries of a
search by continuation, and the search itself, of one seed.

A model that is trained as an adversary from scratch must find the base model's predictions and other attention at the
same time, and where lambda is too large it finds neither. This search begins at the base model, whose attention scores
are softened so that the softmax passes gradients, waits until the predictions are back, and then raises lambda step by
step. The question `unique` has two budgets of change: the tolerance, and what another training changes. So the search
looks where the frontier of maps crosses either, until both ends of each bracket lie within one zone of the question.

The steps of a search are models of their own, and the chosen one is written once more, under its own name. Steps that
only the searches of other data sets have are written without rows.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from shutil import copyfile
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from attention_audit.answer.samples import weigh_classes
from attention_audit.answer.verdicts import list_touched
from attention_audit.artefacts.files import write_whole
from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.weights import read_weights
from attention_audit.columns.files import SEARCH
from attention_audit.divergence import jsd, tvd
from attention_audit.errors import add_place
from attention_audit.model.attention import soften
from attention_audit.model.batch import Split, require_part
from attention_audit.model.network import Network, use_inference
from attention_audit.model.tail import probabilities
from attention_audit.questions import QUESTIONS
from attention_audit.readout import read_readout
from attention_audit.training.loop import Epoch, TrainingResult, fit, measure_loss
from attention_audit.training.settings import AdversaryObjective, SearchSettings

from .job import Job
from .train import Trainer, sort_by_model

SHUFFLED_COPIES = 10
"""Random orders of each map on which the similarity of two maps rests; on dev, it only leads the search."""


class Step(NamedTuple):
    """One step: its lambda, and how far it is from the base model on dev.

    tvd: mean TVD of the predictions, all predicted classes alike. jsd: mean JSD of the maps (nats). similarity: 1 - JSD
    / JSD to the step's map shuffled, 1 the same map and 0 an unrelated one. began: the number of the step it began
    with, from 0; None: the base model.
    """

    lambda_: float
    tvd: float
    jsd: float
    similarity: float
    began: int | None = None
    epochs: int = 0


class StepBracket(NamedTuple):
    """Of one budget: the least similar step within it, and the next one beyond that is less similar; None: none is.

    low, high: the similarities of both; without a step beyond, nothing bounds them from below.
    """

    within: Step | None
    beyond: Step | None
    low: float
    high: float

    @property
    def closed(self) -> bool:
        """Tell whether a further step can say nothing new: both ends lie in one zone of `unique`."""
        return self.within is not None and len(list_touched(self.low, self.high, QUESTIONS["unique"].cuts)) == 1


def find_bracket(steps: Sequence[Step], budget: float) -> StepBracket:
    """Find the bracket of a budget."""
    within_budget = [step for step in steps if step.tvd <= budget]
    within = min(within_budget, key=lambda step: step.similarity, default=None)
    candidates = [s for s in steps if s.tvd > budget and (within is None or s.similarity < within.similarity)]
    beyond = min(candidates, key=lambda step: step.tvd, default=None)
    low, high = (-math.inf if step is None else step.similarity for step in (beyond, within))
    return StepBracket(within, beyond, low, high)


def choose_start(steps: Sequence[Step], lambda_: float, budget: float) -> int | None:
    """Choose the step whose weights the next one begins with; None for the softened base model.

    The one of the greatest lambda below the next one's among those within the budget; before there is any, the last of
    all: its predictions may yet come back.
    """
    candidates = [index for index, step in enumerate(steps) if step.tvd <= budget and step.lambda_ < lambda_]
    return max(candidates or range(len(steps))[-1:], key=lambda index: steps[index].lambda_, default=None)


def split_lambdas(steps: Sequence[Step], first_end: float, second_end: float) -> float:
    """Take the geometric mean of two neighbouring lambdas between these two, where the gap is widest."""
    low, high = sorted((first_end, second_end))
    inside = sorted(step.lambda_ for step in steps if low <= step.lambda_ <= high)
    below, above = max(pairwise(inside), key=lambda pair: pair[1] / pair[0])
    return math.sqrt(below * above)


def choose_lambda(steps: Sequence[Step], budgets: Sequence[float], initial: float, factor: float) -> float:
    """Choose the lambda of the next step, so that the bracket of each budget comes to lie within one zone.

    `initial` to begin with, and `factor` times less as long as no step is within the least budget; then `factor` times
    more than the greatest as long as a bracket has no step beyond it; then between the two ends of a bracket, of
    several the one that is still open, the last budget first, and of equals the one whose ends are least alike. No
    lambda comes twice.
    """
    if not steps:
        return initial
    if not any(step.tvd <= min(budgets) for step in steps):
        return min(step.lambda_ for step in steps) / factor
    brackets = [find_bracket(steps, budget) for budget in dict.fromkeys(reversed(budgets))]
    is_open = (bracket for bracket in brackets if not bracket.closed)
    chosen = next(is_open, None) or max(brackets, key=lambda bracket: bracket.high - bracket.low)
    if chosen.within is None or chosen.beyond is None:
        return max(step.lambda_ for step in steps) * factor
    return split_lambdas(steps, chosen.within.lambda_, chosen.beyond.lambda_)


def choose_step(steps: Sequence[Step], budget: float) -> int:
    """Choose the least similar step within the budget; where there is none, the one with the least TVD."""

    def rank(index: int) -> tuple[bool, float]:
        step = steps[index]
        return step.tvd > budget, step.tvd if step.tvd > budget else step.similarity

    return min(range(len(steps)), key=rank)


def shuffle_items(weights: Tensor, mask: Tensor, random: torch.Generator) -> Tensor:
    """Shuffle the weights of n texts over their items: (n, I), (n, I) -> (SHUFFLED_COPIES, n, I)."""
    keys = torch.rand(SHUFFLED_COPIES, *weights.shape, generator=random, dtype=weights.dtype)
    positions = keys.masked_fill(~mask, 2.0).argsort(-1)
    return weights.expand_as(keys).gather(2, positions) * mask


def measure_distance(model: Network, split: Split) -> tuple[float, float, float]:
    """Measure the fields of `Step` but lambda, from the model whose readout the split carries."""
    tvds, classes, divergences = [], [], torch.zeros(2, dtype=torch.float64)
    random = torch.Generator().manual_seed(0)
    with use_inference(model):
        for _, batch in split.iterate_by_length():
            output = model(batch)
            of_base = require_part(batch.probabilities, "predictions"), require_part(batch.attention, "attention")
            parts = probabilities(output.logits), output.attention, *of_base
            predicted, weights, base, attention = (part.double().cpu() for part in parts)
            tvds.append(tvd(predicted, base))
            classes.append(base.argmax(-1))
            # the marks of a Transformer are items of its map too, so that the map says what items there are
            shuffled = shuffle_items(weights, (weights > 0) | (attention > 0), random)
            divergences += torch.stack(
                [jsd(weights, attention).sum(), jsd(shuffled, attention).sum() / SHUFFLED_COPIES]
            )
    change = weigh_classes(torch.cat(tvds).numpy(), torch.cat(classes).numpy())
    divergence, chance = (divergences / len(split)).tolist()
    return change, divergence, 1 - divergence / chance if chance > 0 else 1.0


def search(
    model: Network,
    settings: SearchSettings,
    retraining: float,
    splits: Mapping[str, Split],
    report: Callable[[str], None],
    read_step: Callable[[int], Mapping[str, Tensor]],
) -> Iterator[tuple[Step, TrainingResult]]:
    """Yield the steps of a search, one after another, from a model with the base model's weights, which is changed.

    retraining: the TVD of the base model's other trainings from it on dev; NaN where there are none. The splits carry
    the base model's readouts. read_step: the weights of a step that was yielded, by its number from 0. The first step
    goes on, in rounds, until its predictions are within the budget.

    Raises AuditError, naming data set, seed and step, where a loss is no number any more, and where the attention
    cannot be softened.
    """
    sought, dev, recipe = settings.continuation, splits["dev"], settings.optimisation
    # NaN is no greater
    budgets = [settings.budget, max(settings.budget, retraining)]
    soften(model.attention, sought.softening)
    softened = {name: weights.clone() for name, weights in model.state_dict().items()}
    steps: list[Step] = []
    for number in range(1, sought.steps + 1):
        lambda_ = choose_lambda(steps, budgets, sought.first, sought.factor)
        began = choose_start(steps, lambda_, max(budgets))
        step_title = f"step {number}/{sought.steps}"
        where = f"{step_title}, lambda {lambda_:.3g}"
        loss = partial(measure_loss, objective=AdversaryObjective(lambda_=lambda_))
        model.load_state_dict(softened if began is None else read_step(began))

        def say(line: str, where: str = where) -> None:
            report(f"{where}, {line}")

        history: list[Epoch] = []
        for round_number in range(sought.rounds if number == 1 else 1):
            if round_number and measure_distance(model, dev)[0] <= settings.budget:
                break
            seed, before = settings.seed + number + round_number * sought.steps, len(history)
            with add_place(f"{settings.dataset}, {settings.model}, seed {settings.seed}, {where}"):
                trained = fit(
                    model=model,
                    split=splits["train"],
                    objective=loss,
                    settings=recipe,
                    epochs=settings.epochs,
                    seed=seed,
                    report=say,
                )
            model.load_state_dict(trained.weights)
            history += [epoch._replace(epoch=before + epoch.epoch) for epoch in trained.history]
            trained = TrainingResult(trained.weights, history, before + trained.selected)
        step = Step(lambda_, *measure_distance(model, dev), began, len(history))
        steps.append(step)
        report(f"{step_title}: lambda {lambda_:.3g}, on dev TVD {step.tvd:.4f}, shares {step.similarity:.3f}")
        yield step, trained


def measure_retraining(reference: Sequence[Path], retrained: Sequence[Path]) -> float:
    """Measure the mean TVD of the base model's other trainings from it on dev, all predicted classes alike.

    NaN where there are none. reference: its readouts, each named after its split; retrained: those of
    dev.
    """
    base = next(read_readout(path) for path in reference if path.stem == "dev")
    before = torch.from_numpy(base.probabilities).double()
    changes = [
        weigh_classes(
            tvd(before, torch.from_numpy(read_readout(path).align(base.ids).probabilities).double()).numpy(),
            base.predictions,
        )
        for path in retrained
    ]
    return float(np.mean(changes)) if changes else math.nan


def run(job: Job[SearchSettings]) -> None:
    """Search, write and read out each step when it is made, and the chosen one once more; and write the search.

    The weights of all steps together may be larger than memory, so each is held no longer than the search needs it.
    """
    trainer, settings, retrained = Trainer(job), job.settings, job.inputs["others"]
    model = trainer.build(job.input("start"))
    *model_files, copy = sort_by_model(job.outputs)
    files = model_files[: len(settings.models)]
    retraining = measure_retraining(job.inputs["reference"], retrained)
    job.report(f"{len(retrained)} other trainings: TVD {retraining:.4f} on dev")
    steps: list[Step] = []
    search_steps = search(
        model, settings, retraining, trainer.splits, job.report, lambda number: read_weights(files[number].weights)
    )
    for step_files, (step, trained) in zip(files, search_steps, strict=True):
        trainer.keep(model, trained, step_files)
        steps.append(step)
    chosen = choose_step(steps, settings.budget)
    for source, path in zip(files[chosen][:2], copy[:2], strict=True):
        with write_whole(path) as temporary:
            copyfile(source, temporary)
    trainer.read_out(trainer.build(copy.weights), copy.readouts, copy.tail)
    rows = [
        step._asdict()
        | {
            "seed": settings.seed,
            "step": index + 1,
            "model": name,
            "lambda": step.lambda_,
            "began": None if step.began is None else step.began + 1,
            "within": step.tvd <= settings.budget,
            "chosen": index == chosen,
        }
        for index, (name, step) in enumerate(zip(settings.models, steps, strict=True))
    ]
    write_table(job.output("search"), SEARCH, pa.Table.from_pylist(rows, schema=SEARCH.schema), job.provenance)
    for step_files in model_files[len(files) :]:
        trainer.write_nothing(step_files)
    step = steps[chosen]
    job.report(f"chosen: step {chosen + 1}, TVD {step.tvd:.4f}, shares {step.similarity:.3f} on dev")
    trainer.tell()
