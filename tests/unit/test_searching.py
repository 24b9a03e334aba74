"""The search by continuation: which lambda comes next, where a step begins, which is chosen; and a whole search."""

import gc
import math
import weakref

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from networks import make_architecture
from refusal import refusal
from small_networks import split_of

from attention_audit.divergence import jsd
from attention_audit.model.attention import build_attention, soften
from attention_audit.model.batch import Batch
from attention_audit.model.network import Classifier
from attention_audit.stages.network_readout import take_readout
from attention_audit.stages.search_adversary import (
    Step,
    choose_lambda,
    choose_start,
    choose_step,
    find_bracket,
    measure_distance,
    search,
)
from attention_audit.training.settings import AdversaryObjective, Continuation, Recipe, SearchSettings

BUDGET, RETRAINING, FIRST, FACTOR = 0.05, 0.12, 0.001, 3.0


def follow(*found, budgets=(BUDGET,)):
    """The lambdas of steps with these TVDs and similarities, and of the one after them."""
    steps = []
    for tvd, similarity in found:
        steps.append(Step(choose_lambda(steps, budgets, FIRST, FACTOR), tvd, 0.1, similarity))
    return [*(step.lambda_ for step in steps), choose_lambda(steps, budgets, FIRST, FACTOR)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], [0.001]),
        # it rises until the budget is left, and is then bisected
        ([(0.01, 0.95), (0.05, 0.8), (0.04, 0.7)], [0.001, 0.003, 0.009, 0.027]),
        # beyond at .009: between .003 and .009; within there: between that and .009; beyond there: between the two
        (
            [(0.01, 0.95), (0.02, 0.9), (0.06, 0.1), (0.03, 0.85), (0.051, 0.2)],
            [0.001, 0.003, 0.009, 0.003 * 3**0.5, 0.003 * 3**0.75, 0.003 * 3**0.625],
        ),
        # it falls until the predictions are back
        ([(0.3, 0.1), (0.2, 0.2), (0.04, 0.9)], [0.001, 0.001 / 3, 0.001 / 9, 0.001 / 9 * 3**0.5]),
    ],
)
def test_lambda_goes_where_a_bracket_is_open(found, expected):
    assert follow(*found) == pytest.approx(expected)


def test_a_bracket_is_closed_where_both_ends_lie_in_one_zone():
    def closed(*found):
        return find_bracket([Step(0.1, tvd, 0.1, similarity) for tvd, similarity in found], BUDGET).closed

    assert not closed()
    assert not closed((0.2, 0.1))
    # nothing beyond: only where it cannot be lower
    assert not closed((0.01, 0.9))
    assert closed((0.01, 0.2))
    assert not closed((0.01, 0.9), (0.06, 0.5))
    assert closed((0.01, 0.7), (0.06, 0.3))
    # a step beyond that is more alike than the one within is no step of the frontier
    assert not closed((0.01, 0.7), (0.06, 0.8))
    assert closed((0.01, 0.7), (0.06, 0.8), (0.09, 0.3))


@pytest.mark.parametrize(
    ("steps", "lambda_"),
    [
        # within .12 all lies in the low zone, and the tolerance has a hole
        ([(0.03, 0.8), (0.09, 0.2)], 0.001),
        # within .12 the search has a hole
        ([(0.03, 0.8), (0.09, 0.6), (0.2, 0.1)], 0.003),
        # all is closed: the steps that are left go where the ends are least alike
        ([(0.03, 0.7), (0.09, 0.3), (0.13, 0.26)], 0.001),
    ],
)
def test_the_budget_of_retraining_comes_first_and_then_the_tolerance(steps, lambda_):
    assert follow(*steps, budgets=(BUDGET, RETRAINING))[-1] == pytest.approx(lambda_ * 3**0.5)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 1)), max_size=12), st.sampled_from([(0.05,), (0.05, 0.3)]))
def test_no_lambda_comes_twice(found, budgets):
    lambdas = follow(*found, budgets=budgets)
    assert all(value > 0 for value in lambdas)
    assert len(set(lambdas)) == len(lambdas)


def test_a_step_begins_with_the_greatest_lambda_below_that_is_within():
    steps = [Step(0.001, 0.3, 0.5, 0.1), Step(0.0003, 0.04, 0.2, 0.5), Step(0.0005, 0.03, 0.1, 0.6)]
    assert choose_start([], 0.001, BUDGET) is None
    assert choose_start(steps[:1], 0.0003, BUDGET) == 0
    assert choose_start(steps, 0.0007, BUDGET) == 2
    assert choose_start(steps, 0.0004, BUDGET) == 1
    assert choose_start(steps, 0.002, 0.3) == 0


def test_the_chosen_step_is_the_least_alike_within_or_else_the_nearest():
    steps = [Step(1, 0.01, 0.2, 0.9), Step(2, 0.05, 0.6, 0.3), Step(3, 0.04, 0.5, 0.4), Step(4, 0.051, 0.69, 0.1)]
    assert choose_step(steps, BUDGET) == 1
    assert choose_step(steps, 0.001) == 0


@pytest.mark.parametrize("scoring", ["additive", "dot"])
def test_softened_attention_has_its_scores_times_the_factor(scoring):
    torch.manual_seed(0)
    attention = build_attention(make_architecture("affine", scoring), 4)
    states = torch.randn(2, 5, 4) * 10
    batch = Batch(torch.zeros(2, 7, dtype=torch.long), torch.tensor([5, 3]), torch.zeros(2))
    before = attention(states, batch).log()
    soften(attention, 0.15)
    after = attention(states, batch).log()
    # differences of log weights are differences of scores
    torch.testing.assert_close(after - after[:, :1], (before - before[:, :1]) * 0.15)


def test_attention_that_cannot_be_softened_is_one_line():
    said = refusal(soften, torch.nn.Linear(1, 1), 0.5)
    assert said.startswith("model.attention: the scores of Linear cannot be softened; give the class")


SMALL = make_architecture("affine", embedding=8, hidden=8, attention_hidden=8)


def base_model():
    """A model with peaked attention on words 4 and 5, which decide, and splits that carry its readouts."""
    torch.manual_seed(0)
    model = Classifier(SMALL, words=12, classes=2)
    random = np.random.default_rng(0)
    texts = [[2, *random.permutation([*random.integers(6, 12, 5), 4 + n % 2]), 3] for n in range(96)]
    labels = [n % 2 for n in range(96)]
    plain = split_of(texts, labels)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        output = model(plain.batch(np.arange(96)))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(output.logits[:, 0], torch.tensor(labels).float())
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        optimiser.step()
    readout = take_readout(model, plain, list(map(str, range(96))))
    carried = split_of(texts, labels, attention=readout.attention, probabilities=readout.probabilities)
    return model, {"train": carried, "dev": carried}


def settings(**given):
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
        optimisation=Recipe(learning_rate=0.02, batch_size=16),
        epochs=continuation.epochs,
        patience=None,
        continuation=continuation,
        budget=BUDGET,
        models=[],
    )


def run_search(settings):
    """The steps of a search, of whose weights copies are kept."""
    model, splits = base_model()
    kept = []
    for step, trained in search(model, settings, math.nan, splits, lambda line: None, lambda number: kept[number]):
        kept.append({name: weights.clone() for name, weights in trained.weights.items()})
        yield step, trained


def test_the_base_model_itself_is_at_no_distance():
    model, splits = base_model()
    assert measure_distance(model, splits["dev"]) == pytest.approx((0, 0, 1), abs=1e-6)


def test_distances_are_means_over_texts():
    model, splits = base_model()
    torch.nn.init.zeros_(model.decoder.weight)
    torch.nn.init.zeros_(model.decoder.bias)
    torch.nn.init.zeros_(model.attention.score.weight)
    members = np.arange(96)
    carried = splits["dev"].batch(members)
    attention = carried.attention.double()
    # against uniform weights over six words, and a probability of one half
    moved = jsd(attention, torch.full_like(attention, 1 / 6))
    tvd = (carried.probabilities[:, 0].double() - 0.5).abs()
    of_classes = [tvd[carried.probabilities.argmax(-1) == number].mean().item() for number in (0, 1)]
    change, apart, similarity = measure_distance(model, splits["dev"])
    assert (change, apart) == pytest.approx((sum(of_classes) / 2, moved.mean().item()), rel=1e-5)
    # uniform weights are the same in any order
    assert similarity == pytest.approx(0, abs=1e-6)


def test_a_search_moves_the_map_and_keeps_the_predictions():
    found = [*run_search(settings(steps=5))]
    steps = [step for step, _ in found]
    expected = [choose_lambda(steps[:number], [BUDGET], 0.01, 3.0) for number in range(5)]
    assert [step.lambda_ for step in steps] == pytest.approx(expected)
    chosen = steps[choose_step(steps, BUDGET)]
    assert chosen.tvd <= BUDGET
    assert chosen.jsd > 0.15
    assert steps[0].began is None
    model, splits = base_model()
    for step, trained in found:
        model.load_state_dict(trained.weights)
        assert measure_distance(model, splits["dev"]) == pytest.approx(step[1:4], abs=1e-6)
        assert all(math.isfinite(epoch.loss) for epoch in trained.history)
    assert [step for step, _ in run_search(settings(steps=5))][-1] == steps[-1]


def test_no_weights_are_held_but_those_of_the_step_at_hand():
    made = []
    for _, trained in run_search(settings(steps=5)):
        made.append(weakref.ref(next(iter(trained.weights.values()))))
        del trained
        gc.collect()
        assert [weights() is not None for weights in made[:-1]] == [False] * (len(made) - 1)


def test_the_first_step_goes_on_until_the_predictions_are_back():
    """With so small a step that they never are: all its rounds; every later step one."""
    crawling = settings(softening=0.001).model_copy(update={"optimisation": Recipe(learning_rate=1e-9)})
    found = [*run_search(crawling)]
    assert [[epoch.epoch for epoch in trained.history] for _, trained in found] == [[0, 1, 2, 3], *[[0, 1]] * 3]
    assert [step.epochs for step, _ in found] == [4, 2, 2, 2]
    assert [step.began for step, _ in found] == [None, 0, 1, 2]
    # of equal epochs that follow, the selected one is counted from the first round on
    assert found[0][1].selected >= 2


def test_a_loss_that_is_no_number_names_the_step():
    model, splits = base_model()
    torch.nn.init.constant_(model.decoder.bias, math.nan)
    said = refusal(next, search(model, settings(), math.nan, splits, lambda line: None, lambda number: {}))
    assert said.startswith("cues, continuation, seed 1, step 1/4, lambda 0.01: epoch 0: the loss became")
