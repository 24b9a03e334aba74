"""Objectives by hand, batches, steps, selection, what stops a training, and the stages for any number of classes."""

import math
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import torch
from networks import make_architecture, make_classifier, train_in, write_words
from small_networks import split_of
from torch import nn, tensor

from attention_audit.artefacts.parquet import read_frame
from attention_audit.columns.files import HISTORY
from attention_audit.corpus.text import SPLITS
from attention_audit.errors import AuditError
from attention_audit.model.batch import Batch
from attention_audit.model.network import Output, predict_split
from attention_audit.scores import accuracy, compute_f1, roc_auc
from attention_audit.stages.train import score_model
from attention_audit.training import loop
from attention_audit.training.loop import (
    LABEL_OBJECTIVE,
    fit,
    make_optimizer,
    measure_loss,
    train_epoch,
)
from attention_audit.training.settings import AdversaryObjective, DeceptionObjective, Recipe

NO_STATES = torch.empty(0)


def output_of(logits, attention=NO_STATES):
    return Output(logits, attention, NO_STATES, NO_STATES)


def batch_of(*given, **further):
    return Batch(NO_STATES, NO_STATES, *given, **further)


small_model = partial(make_classifier, words=12, embedding=4, hidden=3)


@pytest.fixture
def split():
    """Texts whose label is whether they hold word 5."""
    random = np.random.default_rng(0)
    texts = [[2, *random.integers(4, 12, random.integers(2, 9)), 3] for _ in range(60)]
    return split_of(texts, [int(5 in text) for text in texts])


UNSURE = math.log1p(math.exp(-2))


@pytest.mark.parametrize(
    ("sizes", "logits", "labels", "expected"),
    [
        # of two classes, positives weigh negatives over positives; of more, each class weighs alike
        ((30, 10), [[0.0], [2.0], [2.0]], [0, 1, 0], [math.log(2), 3 * UNSURE, 2 + UNSURE]),
        ((10, 20, 30), [[0.0] * 3] * 3, [0, 1, 2], [2 * math.log(3), math.log(3), 2 / 3 * math.log(3)]),
        (None, [[0.0], [2.0]], [1, 0], [math.log(2), 2 + UNSURE]),
        (None, [[0.0] * 4] * 2, [1, 0], [math.log(4)] * 2),
    ],
)
def test_label_loss_is_the_cross_entropy_weighed_by_class_sizes(sizes, logits, labels, expected):
    loss = measure_loss(output_of(tensor(logits)), batch_of(tensor(labels)), LABEL_OBJECTIVE, sizes)
    assert loss.tolist() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("logits", "attention", "base", "probabilities", "expected"),
    [
        # p = sigmoid(0) = 1/2 against 0.8: TVD 0.3; KL((1/2, 1/2) || (1/4, 3/4)) = 1/2 ln 2 + 1/2 ln(2/3)
        ([0.0], [0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.2, 0.8], 0.3 - 0.25 * (math.log(2) + math.log(2 / 3))),
        # p = softmax(0) = 1/3 each against (0.1, 0.1, 0.8): TVD 7/15; its attention is the base model's
        ([0.0] * 3, [0.5, 0.5], [0.5, 0.5], [0.1, 0.1, 0.8], 7 / 15),
    ],
)
def test_adversary_objective_by_hand(logits, attention, base, probabilities, expected):
    output = output_of(tensor([logits]), tensor([attention]))
    batch = batch_of(tensor([1]), tensor([base]), tensor([probabilities]))
    assert measure_loss(output, batch, AdversaryObjective(lambda_=0.5)).item() == pytest.approx(expected, rel=1e-6)


def test_deception_by_hand():
    # the label's probability is 1/2, so its loss is ln 2; masses of 3/4, none, and all but nothing are impermissible,
    # and of the last text all
    weights = tensor([[0.5, 0.25, 0.25], [0.5, 0.5, 0], [1, 1e-10, 0], [1, 0, 0]], requires_grad=True)
    output = output_of(torch.zeros(4, 1), weights)
    hidden = tensor([[1, 1, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]]).bool()
    batch = batch_of(tensor([1, 0, 1, 1]), impermissible=hidden)
    loss = measure_loss(output, batch, DeceptionObjective(lambda_=0.1))
    expected = [math.log(2) - 0.1 * math.log(1 / 4), math.log(2), math.log(2) - 0.1 * math.log(1e-10)]
    assert loss[:3].tolist() == pytest.approx(expected, rel=1e-5)
    assert loss[3].isfinite()
    # d/da_t of -0.1 ln(sum of the others) is -0.1 / sum for the others, and 0 for the impermissible
    loss.sum().backward()
    assert weights.grad[0].tolist() == pytest.approx([0, 0, -0.4], rel=1e-5)


def test_l2_spares_the_attention_of_words_and_of_sentences():
    model = small_model(encoder="none", hierarchical=True)
    decayed, spared = make_optimizer(model, Recipe()).param_groups
    assert len(spared["params"]) == 6
    assert [p.shape for p in decayed["params"]] == [(12, 4), (1, 4), (1,)]


@pytest.mark.parametrize(
    "others", [{}, {"amsgrad": False}, {"amsgrad": False, "decoupled": True, "average": True, "batch_size": 100}]
)
def test_steps_are_those_of_pytorch_with_a_penalty_on_all_but_attention_or_vectors(split, others):
    settings = Recipe(weight_decay=0.1, learning_rate=0.01, **others)
    ours, theirs = small_model(), small_model()
    vectors = [p for p in theirs.parameters() if p.ndim < 2]
    spared = {id(p) for p in (vectors if settings.decoupled else theirs.attention.parameters())}
    groups = [
        {"params": [p for p in theirs.parameters() if (id(p) in spared) == alone], "weight_decay": 0.1 * (not alone)}
        for alone in (False, True)
    ]
    optimiser = torch.optim.AdamW if settings.decoupled else torch.optim.Adam
    plain = optimiser(groups, lr=0.01, amsgrad=settings.amsgrad, fused=True)
    for model, each in ((ours, make_optimizer(ours, settings)), (theirs, plain)):
        train_epoch(model, split, measure_loss, each, settings, np.random.default_rng(0))
    for mine, reference in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert mine.equal(reference)


def test_a_training_imports_no_compiler():
    lines = [
        "import sys, torch",
        "from attention_audit.batching import Adam",
        "weight = torch.nn.Parameter(torch.ones(2))",
        "optimiser = Adam([weight], fused=True)",
        "optimiser.zero_grad()",
        "weight.sum().backward()",
        "optimiser.step()",
        "print(weight.tolist(), 'torch._dynamo' in sys.modules)",
    ]
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert run.stdout == "[0.9990000128746033, 0.9990000128746033] False\n"


def fitted(
    split,
    settings,
    epochs,
    model=None,
    **given,
):
    """A small model's training."""
    given = {"objective": measure_loss, "seed": 0, "report": print} | given
    return fit(model or small_model(), split, settings=settings, epochs=epochs, **given)


def step_of(split, settings):
    """What one step of plain descent at rate 1 over the whole split changes."""
    model = small_model()
    before = nn.utils.parameters_to_vector(model.parameters())
    optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
    train_epoch(model, split, measure_loss, optimiser, settings, np.random.default_rng(0))
    return (nn.utils.parameters_to_vector(model.parameters()) - before).detach().numpy()


def test_a_step_descends_the_sum_or_the_mean_and_is_clipped(split):
    sum_ = step_of(split, Recipe(batch_size=60))
    norm, bound = np.linalg.norm(sum_), np.abs(sum_).max() / 2
    scaled = sum_ / (2 * norm)
    for recipe, expected in (
        ({"average": True}, sum_ / 60),
        ({"clip_norm": 2 * norm}, sum_),
        ({"clip_norm": 0.5}, scaled),
        ({"clip_value": bound}, sum_.clip(-bound, bound)),
        # as one vector, and then entry by entry
        ({"clip_norm": 0.5, "clip_value": 0.01}, scaled.clip(-0.01, 0.01)),
    ):
        change = step_of(split, Recipe(batch_size=60, **recipe))
        np.testing.assert_allclose(change, expected, rtol=1e-3, atol=1e-6)
    assert norm > 0.5
    assert np.abs(scaled).max() > 0.01


def test_the_reported_loss_is_the_mean_a_text_whatever_is_descended(split):
    losses = [
        train_epoch(
            model := small_model(),
            split,
            measure_loss,
            torch.optim.SGD(model.parameters(), lr=0.0),
            settings,
            np.random.default_rng(0),
        )
        for settings in (Recipe(), Recipe(average=True), Recipe(batch_tokens=20))
    ]
    assert losses == pytest.approx([losses[0]] * 3, rel=1e-6)


@pytest.mark.parametrize(
    ("settings", "scores", "expected"),
    [
        (Recipe(learning_rate=0.8, plateau=True), [0.5, 0.5, 0.6, 0.1, 0.2], [0.8, 0.8, 0.4, 0.4, 0.2]),
        # it rises in two steps and falls in six; after each epoch of four
        (Recipe(learning_rate=0.6, warmup=0.25, batch_size=15), [0, 0], [0.4, 0.0]),
    ],
)
def test_the_rate_is_halved_at_a_plateau_or_follows_the_plan(split, monkeypatch, settings, scores, expected):
    optimiser = make_optimizer(model := small_model(), settings)
    rates = []
    monkeypatch.setattr(loop, "make_optimizer", lambda *given: optimiser)

    def score(current):
        rates.append(optimiser.param_groups[0]["lr"])
        return scores[len(rates) - 1]

    fitted(split, settings, len(scores), model=model, score=score)
    assert rates == pytest.approx(expected)


def test_training_drops_and_scoring_does_not(split):
    model = small_model(encoder="conv", dropout={"words": 0.5, "decoder": 0.5})
    training = []
    model.encoder.register_forward_hook(lambda module, given, result: training.append(module.training))
    fitted(split, Recipe(batch_size=60), 2, model=model, score=partial(score_model, split=split, measure="accuracy"))
    assert training == [True, False, True, False]


def test_selection_by_accuracy_or_by_roc_auc(split):
    model = small_model()
    predicted = predict_split(model, split)
    assert score_model(model, split, "accuracy") == np.mean(predicted.argmax(1) == split.labels)
    assert score_model(model, split, "roc_auc") == roc_auc(split.labels, predicted)
    nn.init.constant_(model.decoder.bias, math.nan)
    assert math.isnan(score_model(model, split, "accuracy"))


@pytest.mark.parametrize(
    ("settings", "scores", "selected"),
    [
        # of equal scores the first, or that of the lowest loss
        (Recipe(), [0.2, 0.9, 0.9, 0.1], 1),
        (Recipe(ties="loss"), [0.2, 0.9, 0.9, 0.1], 2),
        (Recipe(first_epoch=False), [0.9, 0.2, 0.3, 0.1], 2),
        (Recipe(first_epoch=False), [0.9], 0),
    ],
)
def test_the_best_epoch_is_selected_and_its_weights_are_kept(split, settings, scores, selected):
    seen = []

    def score(current):
        seen.append({name: value.clone() for name, value in current.state_dict().items()})
        return scores[len(seen) - 1]

    trained = fitted(split, settings, len(scores), score=score)
    assert trained.selected == selected
    assert [epoch.score for epoch in trained.history] == scores
    assert all(torch.equal(weight, seen[selected][name]) for name, weight in trained.weights.items())


def test_without_a_score_the_lowest_loss_is_kept_and_patience_ends_it(split):
    # so large a step that the loss does not go on falling
    trained = fitted(split, Recipe(learning_rate=5.0), 80, patience=3)
    losses = [epoch.loss for epoch in trained.history]
    assert trained.selected == int(np.argmin(losses))
    assert len(losses) == trained.selected + 4 < 80


def test_the_seed_decides_a_training(split):
    def losses(seed):
        settings = Recipe(learning_rate=0.02, batch_size=8)
        return [epoch.loss for epoch in fitted(split, settings, 15, model=small_model(seed=seed), seed=seed).history]

    assert losses(0) == losses(0) != losses(1)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_loss_that_is_not_finite_stops(split, bad):
    def objective(output, batch):
        return output.logits.sum(1) * bad

    with pytest.raises(AuditError, match=f"epoch 0: the loss became (nan|{bad})"):
        fitted(split, Recipe(), 3, objective=objective)


class Stages:
    """Train and readout of small models on a corpus where one word decides the class; dev lacks the last of many.

    The word is the second of a text.
    """

    def __init__(self, folder, classes):
        self.folder, self.classes = folder, classes
        random = np.random.default_rng(0)
        rows = []
        for split, size in {"train": 240, "dev": 80, "test": 80}.items():
            for number in range(size):
                label = number % (classes - 1 if split == "dev" and classes > 2 else classes)
                fillers = [f"filler{word}" for word in random.integers(0, 5, random.integers(1, 6))]
                tokens = [fillers[0], f"cue{label}", *fillers[1:]]
                row = {"id": f"{split}-{number}", "split": split, "label": label, "tokens": tokens, "label_name": ""}
                rows.append(row | {"blocked": [1]})
        write_words(folder, rows)

    def __call__(self, model, attention, recipe=None, **given):
        """The readouts of the splits."""
        encoder = given.pop("encoder", "bilstm" if attention == "additive" else "affine")
        job = {name: given.pop(name) for name in ("objective", "anonymised", "reference") if name in given}
        sizes = {"embedding": 8, "hidden": 8, "attention_hidden": 8}
        architecture = make_architecture(encoder, attention, **sizes, **given)
        recipe = {"learning_rate": 0.05, "batch_size": 8} | (recipe or {})
        return train_in(self.folder, model, architecture, recipe, epochs=8, **job)

    def history(self, model):
        """The epochs of a training."""
        return read_frame(self.folder / model / "history.parquet", HISTORY)


@pytest.fixture
def run(tmp_path, request):
    return Stages(tmp_path, getattr(request, "param", 3))


@pytest.mark.parametrize("run", [2, 3, 20], indirect=True)
def test_models_of_any_number_of_classes_learn(run):
    for split, readout in zip(SPLITS, run("base", "additive"), strict=True):
        assert {name.partition("-")[0] for name in readout.ids} == {split}
        assert readout.probabilities.shape[1] == run.classes
        assert accuracy(readout.labels, readout.predictions) > 0.95
        assert compute_f1(readout.labels, readout.predictions, run.classes) > 0.95
    assert run.history("base")["score"].max() > 0.99


def test_a_liar_learns_the_labels_and_hides_the_evidence(run):
    honest = run("honest", "additive")
    liar = run("liar", "additive", objective=DeceptionObjective(lambda_=0.1))
    on_cue = [np.mean([weights[1] for weights in readouts[2].attention]) for readouts in (honest, liar)]
    assert on_cue[1] < 0.05 < on_cue[0]
    assert accuracy(liar[2].labels, liar[2].predictions) > 0.95
    # no score on labels selects its epoch, since that does not see the penalty
    history = run.history("liar")
    assert history["score"].tolist() == (-history["loss"]).tolist()


def test_the_papers_liar_is_selected_by_its_score_too(run):
    recipe = {"measure": "accuracy", "scored": True, "average": True, "class_weights": False}
    objective = DeceptionObjective(lambda_=1.0)
    *_, liar = run("liar", "linear", recipe, encoder="bilstm", initialisation="torch", objective=objective)
    assert np.mean([weights[1] for weights in liar.attention]) < 0.05
    history = run.history("liar")
    assert history["score"].between(0, 1).all()
    # the first of the best
    assert history["selected"].idxmax() == history["score"].idxmax()


def test_a_model_without_the_hidden_words_has_nothing_to_learn_from(run):
    *_, whole = run("whole", "additive")
    *_, anonymised = run("anonymised", "additive", anonymised=True)
    assert (anonymised.lengths == whole.lengths - 1).all()
    assert accuracy(whole.labels, whole.predictions) > 0.95
    assert accuracy(anonymised.labels, anonymised.predictions) < 0.6


def test_guides_and_adversaries_of_many_classes(run):
    base = run("base", "additive")
    guided = run("guide", "imposed", reference="base")
    adversary = run("adversary", "additive", reference="base", objective=AdversaryObjective(lambda_=0.1))
    for ours, theirs, other in zip(base, guided, adversary, strict=True):
        np.testing.assert_array_equal(np.concatenate(ours.attention), np.concatenate(theirs.attention))
        assert other.probabilities.shape == ours.probabilities.shape
    losses = run.history("adversary")["loss"].tolist()
    assert losses[-1] < losses[0] < 1
