"""Several heads of attention and the tail above them: what other weights predict, and what the audits make of it."""

from dataclasses import replace
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from readouts import make_heads
from test_erasure import prefixes
from torch import nn

from attention_audit.artefacts.parquet import write_batches
from attention_audit.artefacts.weights import write_weights
from attention_audit.audits import contributions as sets_module
from attention_audit.audits.batches import draw_orders
from attention_audit.audits.contributions import contributions, ranked_sets, shuffles, single_weight
from attention_audit.audits.erasure import batch_erasable
from attention_audit.audits.instance_adversary import compute_gradient, instance_adversary
from attention_audit.audits.permutation import MAX_PERMUTATIONS, heads, permutation, replace_head
from attention_audit.audits.rankings import RANKERS, find_smallest, sort_falling
from attention_audit.audits.settings import Erasure, InstanceAdversary, Permutation
from attention_audit.columns.files import HEADED
from attention_audit.divergence import jsd, tvd
from attention_audit.errors import AuditError
from attention_audit.model.outputs import make_class
from attention_audit.readout import TAIL_FILE, read_readout, read_readouts

LENGTHS = [5, 3, 7, 2, 5]


def module_of(tail):
    """The tail as PyTorch's own modules, in float64."""

    def filled(module, name):
        module.load_state_dict({what: tail.weights[f"{name}.{what}"] for what in ("weight", "bias")})
        return module.double()

    layers = {}
    for name in ("output", "inner", "outer", "pooler", "classifier"):
        rows, columns = tail.weights[f"{name}.weight"].shape
        layers[name] = filled(nn.Linear(columns, rows), name)
    norms = [filled(nn.LayerNorm(len(tail.weights["first.bias"]), tail.epsilon), name) for name in ("first", "second")]

    def run(context, below):
        first = norms[0](layers["output"](context) + below)
        second = norms[1](layers["outer"](nn.GELU()(layers["inner"](first))) + first)
        return layers["classifier"](nn.Tanh()(layers["pooler"](second)))

    return run


def naive(readout, text, weights):
    """Probabilities of one text under weights (L, H), head by head."""
    attending = readout.attending
    values = attending.values[text].astype(np.float64)
    context = np.concatenate([weights[:, head] @ values[:, head] for head in range(weights.shape[1])])
    with torch.no_grad():
        logits = module_of(attending.tail)(torch.from_numpy(context), torch.from_numpy(attending.below[text]).double())
    return logits.softmax(-1).numpy()


def without(weights, gone):
    """Weights (L, H) without some items, each head renormalised; zeros where nothing is left."""
    left = weights.astype(np.float64)
    left[list(gone)] = 0
    mass = left.sum(0)
    return np.divide(left, mass, out=np.zeros_like(left), where=mass > 0)


def erased(readout, text, gone):
    """Probabilities of one text without some items."""
    return naive(readout, text, without(readout.attending.weights[text], gone))


def only(readout):
    (texts,) = readout.batches(torch.float64)
    return texts


def test_the_expansion_has_the_logits_and_their_slopes():
    readout = make_heads(LENGTHS)
    run = module_of(readout.attending.tail)
    for text, weights in enumerate(readout.attending.weights):
        moved = torch.from_numpy(weights).double().requires_grad_()
        values = torch.from_numpy(readout.attending.values[text]).double()
        context = torch.einsum("lh,lhd->hd", moved, values).flatten()
        logits = run(context, torch.from_numpy(readout.attending.below[text]).double())
        linear = readout.attention[text] @ readout.contribution[text] + readout.bias[text]
        np.testing.assert_allclose(linear, logits.detach().numpy(), atol=1e-4)
        for output in range(3):
            (slope,) = torch.autograd.grad(logits[output], moved, retain_graph=True)
            expected = (slope * moved).sum(1).detach().numpy() / readout.attention[text]
            np.testing.assert_allclose(readout.contribution[text][:, output], expected, rtol=1e-3, atol=1e-4)


def test_an_item_without_any_weight_has_the_slope_of_all_heads():
    readout = make_heads([3])
    weights = np.array([[0.5, 0.2, 0.9], [0, 0, 0], [0.5, 0.8, 0.1]], np.float32)
    heads = replace(readout.attending, weights=[weights]).pad(np.array([0]), torch.float32)
    contribution, _, logits = heads.expand()
    step = 1e-2
    more = weights.T.copy()
    more[:, 1] += step
    moved = heads.compute_logits(heads.compute_contexts(torch.from_numpy(more)[None, None]))[0]
    np.testing.assert_allclose(contribution[0, 1].numpy(), ((moved - logits)[0] / step).numpy(), rtol=0.1, atol=0.1)


def test_every_prefix_of_every_ranking_is_the_naive_erasure(monkeypatch):
    lengths = [*LENGTHS, 1]
    readout = make_heads(lengths)
    monkeypatch.setattr("attention_audit.audits.erasure.POSITIONS", 80)
    for texts in batch_erasable(readout):
        for ranker in RANKERS.values():
            top = sort_falling(ranker(texts, readout.ids, 3), texts)
            predicted = prefixes(texts, top).numpy()
            for row, member in enumerate(texts.members.tolist()):
                for k in range(lengths[member] + 1):
                    expected = erased(readout, member, top[row, :k].tolist())
                    np.testing.assert_allclose(predicted[row, k], expected, atol=2e-5)


@pytest.mark.parametrize("seed", range(4))
def test_the_smallest_set_is_an_upper_bound_that_no_ranking_beats(seed):
    readout = make_heads([6, 4, 7, 5, 3], seed=seed)
    found = ranked_sets(readout, Erasure(seed=3))
    removed = found["removed"].reshape(len(RANKERS), -1)
    smallest = removed[list(RANKERS).index("smallest")]
    for text in range(len(readout)):
        length = len(readout.attention[text])
        before = erased(readout, text, []).argmax()
        flipping = [
            len(gone)
            for size in range(1, length + 1)
            for gone in combinations(range(length), size)
            if erased(readout, text, gone).argmax() != before
        ]
        ends = [count for count in removed[:, text] if count > 0]
        assert (smallest[text] > 0) == bool(ends)
        if ends:
            assert min(flipping) <= smallest[text] == min(ends)


@pytest.mark.parametrize("marks", [0, 2])
def test_sets_that_are_known_are_not_searched_for_again(marks, monkeypatch):
    readout, about = make_heads(LENGTHS, marks=marks), (Erasure(seed=3), Permutation())
    sets, alone = ranked_sets(readout, about[0]), shuffles(readout, *about)
    searched = []
    monkeypatch.setattr(sets_module, "find_smallest", lambda *given: searched.append(1) or find_smallest(*given))
    found = shuffles(readout, *about, sets)
    assert {*found} == {*alone}
    for name, values in found.items():
        assert np.array_equal(values, alone[name], equal_nan=name not in ("id", "shuffle"))
    # once for each shuffle, and not under the own weights
    assert len(searched) == sets_module.SHUFFLED_HEADS


def test_a_single_erasure_is_exact_and_contributions_are_of_first_order():
    readout = make_heads(LENGTHS)
    found = contributions(readout)
    for text in range(len(readout)):
        top = int(np.argmax(readout.attention[text]))
        chosen = readout.predictions[text]
        after = erased(readout, text, [top])
        assert found["top_items"][text][0] == top
        assert found["top_fall"][text] == pytest.approx(readout.probabilities[text][chosen] - after[chosen], abs=1e-5)
        assert found["top_flips"][text] == (after.argmax() != chosen)
        lead = readout.contribution[text] @ (np.eye(3)[chosen] - readout.probabilities[text])
        shown = found["top_items"][text].astype(int)
        expected = (readout.attention[text] * lead)[shown]
        np.testing.assert_allclose(found["top_contributions"][text], expected, rtol=1e-3, atol=1e-5)


def test_permutation_moves_what_the_tail_moves():
    readout = make_heads([4, 6])
    found = permutation(readout, Permutation(permutations=5, seed=2))
    texts = only(readout)
    random = draw_orders(texts, readout.ids, 5, 2)
    for row, member in enumerate(texts.members):
        length = len(readout.attention[member])
        weights = readout.attending.weights[member]
        moved = [
            np.abs(
                naive(readout, member, weights[random[k, row, :length].numpy()]) - readout.probabilities[member]
            ).sum()
            / 2
            for k in range(5)
        ]
        assert found["median_tvd"][member] == pytest.approx(np.median(moved), abs=1e-5)
        assert found["mean_tvd"][member] == pytest.approx(np.mean(moved), abs=1e-5)


def objective(logits, texts, readout, settings):
    """The adversary's objective, summed over texts, through PyTorch's own modules."""
    heads = texts.heads
    run = module_of(heads.tail)
    attention = logits.softmax(-1)
    seen, base = attention.mean(2), texts.attention
    contexts = torch.einsum("knhl,nhld->knhd", attention, heads.values.double()).flatten(2)
    scores = run(contexts, heads.below.double())
    predicted = scores.softmax(-1)
    if heads.tail.target is not None:
        # the probability of its class beside the likeliest other one
        own = scores[..., [1]]
        chance = (own - scores[..., [0, 2]].amax(-1, keepdim=True)).sigmoid()
        predicted = torch.cat([1 - chance, chance], -1)
    target = texts.predict(texts.weights[None])
    total = (-jsd(seen, base) + settings.penalty * (tvd(predicted, target) - settings.margin).clamp_min(0)).sum()
    return total - jsd(seen[:, None], seen[None]).sum() / len(logits) ** 2


@pytest.mark.parametrize("target", [None, make_class(1, range(3))])
@pytest.mark.parametrize("margin", [0.01, 0.2, 0.9])
def test_the_adversarys_gradient_is_autograds(margin, target):
    readout, settings = make_heads([4] * 3), InstanceAdversary(margin=margin)
    texts = only(readout)
    texts = replace(texts, heads=texts.heads._replace(tail=replace(texts.heads.tail, target=target)))
    logits = torch.randn(3, *texts.weights.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    found = compute_gradient(logits, texts, texts.predict(texts.weights[None]), settings)
    logits.requires_grad_()
    (expected,) = torch.autograd.grad(objective(logits, texts, readout, settings), logits)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-3)


def test_the_adversary_moves_every_head_and_is_judged_exactly():
    readout = make_heads(LENGTHS)
    settings = InstanceAdversary(restarts=2, steps=30, seed=1)
    found = instance_adversary(readout, settings, lambda line: None)
    for text, length in enumerate(LENGTHS):
        weights = found["attention"][text].reshape(length, 3)
        np.testing.assert_allclose(weights.sum(0), 1, atol=1e-5)
        moved = np.abs(naive(readout, text, weights) - readout.probabilities[text]).sum() / 2
        assert found["tvd"][text] == pytest.approx(moved, abs=1e-4)
        assert found["tvd"][text] <= settings.epsilon
        maps = (torch.from_numpy(some).double() for some in (weights.mean(1), readout.attention[text]))
        assert found["jsd"][text] == pytest.approx(float(jsd(*maps)), abs=1e-5)


def written(readout, folder, provenance):
    path = folder / "test.parquet"
    write_batches(path, readout.kind, readout.tables(), provenance)
    write_weights(folder / TAIL_FILE, readout.attending.tail.pack(), provenance)
    return path


def test_a_readout_with_heads_survives_its_file(tmp_path, provenance, monkeypatch):
    monkeypatch.setattr("attention_audit.readout.HEADED_TEXTS_AT_ONCE", 2)
    readout = make_heads(LENGTHS)
    path = written(readout, tmp_path, provenance)
    again, parts = read_readout(path), list(read_readouts(path))
    assert readout.kind is HEADED
    assert [len(part) for part in parts] == [2, 2, 1]
    for texts, first in ((again, 0), (parts[1], 2)):
        own = readout.align(readout.ids[first : first + len(texts)])
        for found, expected in zip(texts.columns().values(), own.columns().values(), strict=True):
            np.testing.assert_equal([*found], [*expected])
    np.testing.assert_array_equal(again.predict(again.attending.weights), readout.predict(again.attending.weights))


def test_a_missing_tail_or_one_of_another_width_is_one_line(tmp_path, provenance):
    path = written(make_heads(LENGTHS), tmp_path, provenance)
    other = make_heads([2], width=9).attending
    write_weights(tmp_path / TAIL_FILE, other.tail.pack(), provenance)
    with pytest.raises(AuditError, match=r"column values of text 'text-0' has .* values, where .* fit"):
        read_readout(path)
    write_weights(tmp_path / TAIL_FILE, {"a": torch.zeros(1)}, provenance)
    with pytest.raises(AuditError, match="holds no tail of a Transformer"):
        read_readout(path)
    (tmp_path / TAIL_FILE).unlink()
    with pytest.raises(AuditError, match="not there"):
        read_readout(path)


def test_marks_are_kept_in_the_map_and_are_never_the_top_word():
    readout = make_heads(LENGTHS, marks=1)
    found = contributions(readout)
    assert list(ranked_sets(readout, Erasure(seed=3))["items"][: len(LENGTHS)]) == LENGTHS
    for text, weights in enumerate(readout.attention):
        words = weights[:-1]
        assert readout.max_attention[text] == words.max()
        assert found["top_items"][text].tolist() == np.argsort(-words, kind="stable")[:5].tolist()
    for texts in batch_erasable(readout):
        for ranker in RANKERS.values():
            positions = sort_falling(ranker(texts, readout.ids, 3), texts)
            assert positions.gather(1, texts.lengths[:, None] - 1)[:, 0].tolist() == (texts.lengths - 1).tolist()
    texts = only(readout)
    assert texts.find_top().tolist() == [int(readout.attention[i][:-1].argmax()) for i in texts.members]
    one_word = single_weight(make_heads([3, 2], marks=1), Erasure(seed=3))
    assert {*one_word["id"]} == {"text-0"}


def test_a_head_is_shuffled_at_most_twenty_times():
    readout = make_heads([5, 6], seed=4)
    few, many = (heads(readout, Permutation(permutations=count, seed=2)) for count in (MAX_PERMUTATIONS, 50))
    assert few["mean_tvd"].tolist() == many["mean_tvd"].tolist()


def test_without_a_tail_a_head_has_its_part_of_the_mean():
    weights = torch.rand(2, 3, 4)
    replacements = torch.rand(5, 2, 4)
    changed = weights.repeat(5, 1, 1, 1)
    changed[:, :, 1] = replacements
    texts = SimpleNamespace(heads=None, attention=weights.mean(1))
    torch.testing.assert_close(replace_head(texts, weights, 1, replacements), changed.mean(2))
