"""The search by continuation: which lambda comes next, where a step begins, which is chosen; and a whole search."""

import gc
import math
import weakref

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention_audit.errors import AuditError
from attention_audit.model.architecture import Architecture
from attention_audit.model.attention import attention_of, soften
from attention_audit.model.batch import Batch, Split
from attention_audit.model.network import Classifier
from attention_audit.stages.reading_out import take_readout
from attention_audit.stages.searching import (
    Found,
    Step,
    distances,
    furthest,
    joined,
    last_within,
    next_lambda,
    search,
    start,
)
from attention_audit.training.loop import Epoch, Trained
from attention_audit.training.settings import AdversaryObjective, Continuation, Recipe, SearchSettings

BUDGET, FIRST, FACTOR = 0.05, 0.001, 3.0


def following(*tvds: float) -> list[float]:
    """The lambdas of steps with these TVDs, and of the one after them."""
    steps: list[Step] = []
    for tvd in tvds:
        steps.append(Step(next_lambda(steps, BUDGET, FIRST, FACTOR), tvd, 0.1))
    return [*(step.lambda_ for step in steps), next_lambda(steps, BUDGET, FIRST, FACTOR)]


def test_lambda_rises_until_the_budget_is_left_and_is_then_bisected() -> None:
    assert following() == [0.001]
    assert following(0.01, 0.05, 0.04) == pytest.approx([0.001, 0.003, 0.009, 0.027])
    # beyond at .009: between .003 and .009; within there: between that and .009; beyond there: between the two
    first, second = 0.003 * 3**0.5, 0.003 * 3**0.75
    expected = [0.001, 0.003, 0.009, first, second, 0.003 * 3**0.625]
    assert following(0.01, 0.02, 0.06, 0.03, 0.051) == pytest.approx(expected)


def test_lambda_falls_until_the_predictions_are_back() -> None:
    assert following(0.3, 0.2, 0.04) == pytest.approx([0.001, 0.001 / 3, 0.001 / 9, 0.001 / 9 * 3**0.5])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_no_lambda_comes_twice_and_every_step_lies_between_within_and_beyond(tvds: list[float]) -> None:
    lambdas = following(*tvds)
    assert all(value > 0 for value in lambdas)
    assert len(set(lambdas)) == len(lambdas)
    within = [value for value, tvd in zip(lambdas, tvds, strict=False) if tvd <= BUDGET]
    beyond = [value for value, tvd in zip(lambdas, tvds, strict=False) if tvd > BUDGET]
    # once a step is within, each lambda within lies below each beyond
    if within and beyond:
        assert max(within) < min(beyond)
        assert max(within) < lambdas[-1] < min(beyond)


def test_a_step_begins_with_the_last_one_within_or_before_there_is_any_with_the_last() -> None:
    steps = [Step(0.001, 0.3, 0.5), Step(0.0003, 0.04, 0.2), Step(0.0005, 0.03, 0.1), Step(0.0007, 0.09, 0.6)]
    assert [start(steps[:count], BUDGET) for count in range(5)] == [None, 0, 1, 2, 2]
    assert [last_within(steps[:count], BUDGET) for count in range(5)] == [None, None, 1, 2, 2]


def test_the_chosen_step_is_the_furthest_within_or_else_the_nearest() -> None:
    steps = [Step(0.001, 0.01, 0.2), Step(0.003, 0.05, 0.6), Step(0.009, 0.04, 0.5), Step(0.027, 0.051, 0.69)]
    assert furthest(steps, BUDGET) == 1
    assert furthest(steps, 0.001) == 0


@pytest.mark.parametrize("scoring", ["additive", "dot"])
def test_softened_attention_has_its_scores_times_the_factor(scoring: str) -> None:
    torch.manual_seed(0)
    sizes = {"embedding": 4, "hidden": 3, "attention_hidden": 3, "pretrained": False}
    architecture = Architecture.model_validate({"encoder": "affine", "attention": scoring, **sizes})
    attention = attention_of(architecture, 4)
    states = torch.randn(2, 5, 4) * 10
    batch = Batch(torch.zeros(2, 7, dtype=torch.long), torch.tensor([5, 3]), torch.zeros(2))
    before = attention(states, batch).log()
    soften(attention, 0.15)
    after = attention(states, batch).log()
    # differences of log weights are differences of scores
    torch.testing.assert_close(after - after[:, :1], (before - before[:, :1]) * 0.15)


def test_attention_that_cannot_be_softened_is_one_line() -> None:
    with pytest.raises(AuditError, match=r"^model\.attention: the scores of Linear cannot be softened; give the class"):
        soften(torch.nn.Linear(1, 1), 0.5)


def test_rounds_of_a_step_are_one_history() -> None:
    parts = [Trained({"a": torch.tensor(n)}, [Epoch(0, 2.0, -2.0), Epoch(1, 1.0, -1.0)], 1 - n) for n in (0, 1)]
    whole = joined(parts)
    assert [epoch.epoch for epoch in whole.history] == [0, 1, 2, 3]
    assert whole.selected == 2
    assert whole.weights["a"] == 1


RECIPE = Recipe(learning_rate=0.02, batch_size=16)
SMALL = Architecture(
    encoder="affine", attention="additive", embedding=8, pretrained=False, hidden=8, attention_hidden=8
)


def base_model() -> tuple[Classifier, dict[str, Split]]:
    """A model with peaked attention on words 4 and 5, which decide, and splits that carry its readouts."""
    torch.manual_seed(0)
    model = Classifier(SMALL, words=12, classes=2)
    random = np.random.default_rng(0)
    texts = [[2, *random.permutation([*random.integers(6, 12, 5), 4 + n % 2]), 3] for n in range(96)]
    flat, lengths, labels = np.concatenate(texts), [6] * 96, [n % 2 for n in range(96)]
    plain = Split(flat, lengths, labels, torch.device("cpu"))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        output = model(plain.batch(np.arange(96)))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(output.logits[:, 0], torch.tensor(labels).float())
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
    readout = take_readout(model, plain, list(map(str, range(96))))
    carried = Split(flat, lengths, labels, torch.device("cpu"), readout.attention, readout.probabilities)
    return model, {"train": carried, "dev": carried}


def settings(**given: object) -> SearchSettings:
    """A search of four steps of two epochs."""
    continuation = Continuation.model_validate({"steps": 4, "epochs": 2, "rounds": 2, "first": 0.01} | given)
    return SearchSettings(
        dataset="cues",
        model="continuation",
        objective=AdversaryObjective(lambda_=None),
        seed=1,
        architecture=SMALL,
        device="cpu",
        threads=1,
        optimisation=RECIPE,
        epochs=continuation.epochs,
        patience=None,
        continuation=continuation,
        budget=BUDGET,
    )


def found_by(**given: object) -> list[Found]:
    model, splits = base_model()
    return list(search(model, settings(**given), splits, lambda line: None, iter(())))


def test_the_base_model_itself_is_at_no_distance() -> None:
    model, splits = base_model()
    assert distances(model, splits["dev"]) == pytest.approx((0, 0), abs=1e-6)


def test_distances_are_means_over_texts() -> None:
    model, splits = base_model()
    torch.nn.init.zeros_(model.decoder.weight)
    torch.nn.init.zeros_(model.decoder.bias)
    torch.nn.init.zeros_(model.attention.score.weight)  # type: ignore[union-attr, arg-type]
    members = np.arange(96)
    carried = splits["dev"].batch(members)
    assert carried.attention is not None
    assert carried.probabilities is not None
    attention = carried.attention.double()
    # against uniform weights over six words, and a probability of one half
    middle = (attention + 1 / 6) / 2
    jsd = (attention * (attention / middle).log() + (1 / 6 / middle).log() / 6).sum(1) / 2
    tvd = (carried.probabilities[:, 0].double() - 0.5).abs()
    assert distances(model, splits["dev"]) == pytest.approx((tvd.mean().item(), jsd.mean().item()), rel=1e-5)


def test_a_search_moves_the_map_and_keeps_the_predictions() -> None:
    found = found_by(steps=5)
    assert [each.step.lambda_ for each in found] == pytest.approx(
        [next_lambda([f.step for f in found[:n]], BUDGET, 0.01, 3.0) for n in range(5)]
    )
    chosen = found[furthest([each.step for each in found], BUDGET)].step
    assert chosen.tvd <= BUDGET
    assert chosen.jsd > 0.15
    assert found[0].began is None
    model, splits = base_model()
    for each in found:
        model.load_state_dict(each.trained.weights)
        assert distances(model, splits["dev"]) == pytest.approx(each.step[1:], abs=1e-6)
        assert all(math.isfinite(epoch.loss) for epoch in each.trained.history)
    assert found_by(steps=5)[-1].step == found[-1].step


def test_no_more_weights_are_held_than_the_next_step_begins_with() -> None:
    model, splits = base_model()
    made: list[weakref.ref[torch.Tensor]] = []
    steps = []
    for each in search(model, settings(steps=5), splits, lambda line: None, iter(())):
        steps.append(each.step)
        made.append(weakref.ref(next(iter(each.trained.weights.values()))))
        del each
        gc.collect()
        # the step at hand, and the one that it began with
        alive = {number for number, weights in enumerate(made) if weights() is not None}
        assert alive <= {len(steps) - 1, start(steps[:-1], BUDGET)}


def test_the_first_step_goes_on_until_the_predictions_are_back() -> None:
    """With so small a step that they never are: all its rounds; every later step one."""
    model, splits = base_model()
    crawling = settings(softening=0.001).model_copy(update={"optimisation": Recipe(learning_rate=1e-9)})
    found = list(search(model, crawling, splits, lambda line: None, iter(())))
    assert [len(each.trained.history) for each in found] == [4, 2, 2, 2]
    assert [each.began for each in found] == [None, 0, 1, 2]


def test_a_loss_that_is_no_number_names_the_step() -> None:
    model, splits = base_model()
    torch.nn.init.constant_(model.decoder.bias, math.nan)
    with pytest.raises(
        AuditError, match=r"^cues, continuation, seed 1, step 1/4, lambda 0\.01, epoch 0: the loss became"
    ):
        next(search(model, settings(), splits, lambda line: None, iter(())))
