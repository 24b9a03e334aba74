"""Maps of a Transformer: identities that need no reference, and a layer or two by hand."""

import json
from itertools import product
from math import comb
from pathlib import Path
from types import SimpleNamespace

import classifiers_on_disk
import numpy as np
import pytest
import torch

from attention_audit.errors import AuditError
from attention_audit.maps import MAP_FUNCTIONS, attention, decomposed, find_map, norms, sum_words, word_sets
from attention_audit.maps.passes import ModelPass
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import join_words
from attention_audit.transformer.pieces import cut_raw
from attention_audit.transformer.states import PieceBatch, PieceTable

TEXTS = [text.split() for text in ("good film", "a unbelievably dull story", "why the film is great")]


BY_THE_AUTHORS = json.loads(Path(__file__).with_name("maps_by_their_authors.json").read_text())
"""What the authors' own code, at a commit, says of `TEXTS` and the networks of `known_read`, each text alone.

It ran in float64 with the parameters, by their names, and the ids of pieces of `known_read`; `run` names what was
called, `differs` what is known to be other than here. Maps that are not listed have no code of their authors.
"""


def read_of(folder, family="bert", layers=2, **further):
    """A classifier of random weights and three texts of different lengths."""
    sizes = {"n_layers" if family == "distilbert" else "num_hidden_layers": layers}
    classifiers_on_disk.save(folder, family, ("a", "b", "c"), **sizes, **further)
    classifier = SequenceClassifier(folder)
    texts = cut_raw(classifier.tokenizer, ["a", "b", "c"], [join_words(words) for words in TEXTS], 40)
    return ModelPass(classifier, PieceTable(texts, torch.device("cpu")).batch(torch.arange(3)))


def known_read(folder, family):
    """A pass of all texts in float64 through three layers whose weights are sines of their places, the same with every
    version of torch.
    """
    read = read_of(folder, family, layers=3)
    with torch.no_grad():
        for number, (name, weight) in enumerate(sorted(read.classifier.model.named_parameters())):
            place = torch.arange(weight.numel(), dtype=torch.float64).reshape(weight.shape)
            gain = "norm" in name.lower() and name.endswith("weight")
            weight.copy_((0.5 * torch.sin(0.37 * place**2 + number) + gain).float())
    read.classifier.model.double()
    return read


@pytest.fixture
def double():
    """float64 for all that is made in the test."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture(scope="module", params=["bert", "distilbert", "albert", "deberta-v2"])
def read(request, tmp_path_factory):
    return read_of(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module", params=["modernbert", "gpt2", "llama"])
def modern(request, tmp_path_factory):
    return read_of(tmp_path_factory.mktemp(request.param), request.param)


@pytest.mark.parametrize("name", MAP_FUNCTIONS)
def test_padding_changes_no_map(read, name):
    same_without_padding(MAP_FUNCTIONS[name], read)


def same_without_padding(map_, read):
    together = map_(read)
    assert together.shape == read.mask.shape
    assert not together[read.mask == 0].any()
    for text, count in enumerate(read.pieces.lengths.tolist()):
        alone = map_(ModelPass(read.classifier, read.pieces.select_texts(torch.tensor([text]))))
        torch.testing.assert_close(together[text, :count], alone[0], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("theirs", BY_THE_AUTHORS, ids=lambda theirs: f"{theirs['map']}-{theirs['family']}")
def test_maps_are_those_of_their_authors(tmp_path, double, theirs):
    scores = MAP_FUNCTIONS[theirs["map"]](known_read(tmp_path, theirs["family"])).double()
    if theirs["map"] == "flow":
        scores = scores / scores.sum(1, keepdim=True)
    for ours, row in zip(scores, map(torch.tensor, theirs["scores"]), strict=True):
        expected = torch.nn.functional.pad(row, (0, len(ours) - len(row)))
        torch.testing.assert_close(ours, expected, rtol=0, atol=1e-5 * float(row.abs().max()))


def test_heads_and_layers_are_maps_by_their_numbers(read):
    heads = torch.stack([find_map(f"head_{number}")(read) for number in (1, 2, 3, 4)])
    torch.testing.assert_close(heads.mean(0), find_map("layer_2")(read))
    torch.testing.assert_close((find_map("layer_1")(read) + heads.mean(0)) / 2, MAP_FUNCTIONS["mean_row"](read))
    for name, said in (("head_5", "has no head 5 to map, but 4"), ("layer_3", "has no layer 3 to map, but 2")):
        with pytest.raises(AuditError, match=f"{said}; name one of these"):
            find_map(name)(read)


def test_the_largest_head_is_the_one_with_most_weight_on_a_word():
    words, read = torch.tensor([[-1, 0, 0, 1]]), torch.tensor([2])
    pieces = PieceBatch(words, words, words, 2 * read, read, read, read)
    rows = torch.tensor([[[0.6, 0.0, 0.0, 0.4], [0.2, 0.3, 0.3, 0.2]]])
    shown = SimpleNamespace(layers=[SimpleNamespace(weights=rows)], average_rows=lambda rows: rows, pieces=pieces)
    assert MAP_FUNCTIONS["largest_head"](shown).tolist() == rows[:, 1].tolist()


OF_LAYERS_THAT_NORMALISE_AFTER = {"globenc", "alti", "attn_lrp", "decompx", "value_zeroing"}


@pytest.mark.parametrize("name", MAP_FUNCTIONS)
def test_maps_of_layers_that_normalise_before(modern, name):
    decodes = name == "attn_lrp" and modern.classifier.family.last
    if name not in OF_LAYERS_THAT_NORMALISE_AFTER or decodes:
        same_without_padding(MAP_FUNCTIONS[name], modern)
        return
    with pytest.raises(AuditError, match=rf"map {name} .*\(bert, roberta, .*, mpnet, deberta-v2\).* of \w+; leave"):
        MAP_FUNCTIONS[name](modern)


def pass_relevance(model, vectors, cosine, sine):
    """The logits of Llama, of vectors (P, E), in which every product passes half of its gradient to either factor."""

    def normalise(part, states):
        return part.weight * states / (states.pow(2).mean(-1, keepdim=True) + part.variance_epsilon).sqrt().detach()

    def share(product, a, b):
        return (product(a, b.detach()) + product(a.detach(), b)) / 2

    def turn(states):
        first, second = states.chunk(2, -1)
        return states * cosine + torch.cat([-second, first], -1) * sine

    states, config = vectors, model.config
    for layer in model.model.layers:
        part, read = layer.self_attn, normalise(layer.input_layernorm, states)
        q, k, v = (
            each(read).unflatten(-1, (-1, part.head_dim)).transpose(0, 1)
            for each in (part.q_proj, part.k_proj, part.v_proj)
        )
        times = config.num_attention_heads // len(k)
        k, v = k.repeat_interleave(times, 0), v.repeat_interleave(times, 0)
        scores = share(lambda a, b: a @ b.transpose(1, 2), turn(q), turn(k)) * part.scaling
        ahead = torch.ones(scores.shape[1:], dtype=torch.bool).triu(1)
        sums = share(torch.matmul, scores.masked_fill(ahead, -torch.inf).softmax(-1), v)
        states = states + part.o_proj(sums.transpose(0, 1).flatten(1))
        read = normalise(layer.post_attention_layernorm, states)
        gate = layer.mlp.gate_proj(read)
        active = gate * (torch.nn.functional.silu(gate) / gate).detach()
        states = states + layer.mlp.down_proj(share(torch.mul, active, layer.mlp.up_proj(read)))
    return model.score(normalise(model.model.norm, states)[-1])


def test_the_relevance_of_a_decoder_by_hand(tmp_path):
    """Half of it goes to weights, half to values; half to the gate, half to what it lets through."""
    read = read_of(tmp_path, "llama")
    model, found = read.classifier.model, MAP_FUNCTIONS["attn_lrp"](read)
    for text, count in enumerate(read.pieces.lengths.tolist()):
        vectors = read.classifier.look_up_vectors(read.pieces)[text, :count].detach().requires_grad_()
        cosine, sine = model.model.rotary_emb(vectors[None], torch.arange(count)[None])
        logits = pass_relevance(model, vectors, cosine[0], sine[0])
        torch.testing.assert_close(logits, read.outcome[1][text], atol=1e-5, rtol=1e-4)
        [slope] = torch.autograd.grad(logits.max(), vectors)
        by_hand = (slope * vectors).sum(-1)
        torch.testing.assert_close(found[text, :count], by_hand, atol=1e-5, rtol=1e-3)
        plain = MAP_FUNCTIONS["input_gradient"](read)[text, :count]
        assert not torch.allclose(plain, by_hand, rtol=0.05)


def test_the_value_norm_of_a_layer_that_normalises_before_is_of_what_its_attention_returns(modern):
    """The vectors, whose lengths these are, sum to what the attention adds to the state of the classified piece."""
    kept = {}
    with modern.classifier.part("attention").register_forward_hook(lambda _m, _i, out: kept.update(out=out[0])):
        modern.classifier.compute_logits(modern.pieces)
    texts, rows = torch.arange(3), modern.pieces.lengths - 1 if modern.classifier.family.last else 0
    # the vectors from piece j to piece i of the last layer: (B, i, j, D)
    layer = modern.layers[-1]
    with torch.no_grad():
        parts = torch.einsum("bhij,bjhd->bijd", layer.weights, norms.project_heads(layer))[texts, rows]
    bias = modern.classifier.part("output").bias
    # the last layer computes the classified piece alone
    added = kept["out"][:, 0] - (0 if bias is None else bias)
    torch.testing.assert_close(parts.sum(1), added, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(MAP_FUNCTIONS["value_norm"](modern), parts.norm(dim=-1) * modern.mask)


def test_the_vectors_of_pieces_are_read_as_their_ids_are(modern):
    read, pieces = modern.classifier, modern.pieces
    torch.testing.assert_close(read.compute_logits(pieces, read.look_up_vectors(pieces)), read.compute_logits(pieces))


def test_a_text_of_which_nothing_would_stay_keeps_its_first_piece(modern):
    rest = modern.pieces.keep_words(torch.zeros(3, 5, dtype=torch.bool))
    marks = modern.pieces.marks
    assert rest.lengths.tolist() == marks.clamp(min=1).tolist()
    assert rest.read.tolist() == [0, 0, 0]
    assert modern.classifier.compute_logits(rest).isfinite().all()


def test_scores_of_words_are_the_sums_over_their_pieces():
    of_pieces = torch.tensor([[-1, 0, 0, 2, -1], [-1, 0, -1, -1, -1]])  # the second text's last place is padding
    none = torch.zeros_like(of_pieces)
    lengths, read = torch.tensor([5, 3]), torch.tensor([3, 1])
    pieces = PieceBatch(none, none, of_pieces, lengths, read, read * 0, read * 0)
    scores = torch.tensor([[9.0, 1.0, -3.0, 0.5, 9.0], [9.0, 0.25, 9.0, 0.0, 0.0]])
    one, other = sum_words(scores, pieces)
    # the second word has no piece, and shares those of the first
    assert one.tolist() == [-1.0, -1.0, 0.5]
    assert other.tolist() == [0.25]


@pytest.mark.parametrize("name", ["rollout", "flow", "mean_row", "value_norm", "gradient_attention"])
def test_where_the_mean_of_all_rows_is_classified_no_row_is_the_maps(tmp_path, name):
    read = read_of(tmp_path, "modernbert", layers=1, classifier_pooling="mean")
    same_without_padding(MAP_FUNCTIONS[name], read)
    mixed = attention.mix_heads(read.layers[0].weights)[1]  # the longest text has no padding
    by_hand = {
        "mean_row": read.layers[0].weights[1].mean((0, 1)),
        "rollout": mixed.mean(0),
        "flow": mixed.clamp(max=1 / len(mixed)).sum(0),
    }
    if name in by_hand:
        torch.testing.assert_close(MAP_FUNCTIONS[name](read)[1], by_hand[name], rtol=1e-4, atol=1e-5)


def test_the_parts_of_decompx_sum_to_the_logits(read):
    for text in range(3):
        parts = decomposed.split_logits(read, text)
        torch.testing.assert_close(parts.sum(0), read.outcome[1][text], rtol=1e-5, atol=1e-5)


def test_bent_gradients_change_no_prediction(read):
    with decomposed.apply_rules(read.classifier):
        torch.testing.assert_close(read.classifier.compute_logits(read.pieces), read.outcome[1])


def test_words_that_are_not_kept_are_deleted_from_copies_of_texts(read):
    kept = np.array([[True, False, True, False, True], [False, True, False, False, False]])
    texts = [join_words(["why", "film", "great"]), join_words(["film"])]
    cut = cut_raw(read.classifier.tokenizer, ["c", "a"], texts, 40)
    rest = PieceTable(cut, torch.device("cpu")).batch(torch.arange(2))
    with torch.no_grad():
        found = word_sets.predict_kept(read, np.array([2, 0]), kept)
        asked = read.classifier.compute_logits(rest).softmax(-1)[[0, 1], read.explained[[2, 0]]]
    torch.testing.assert_close(torch.from_numpy(found).float(), asked)


def test_kernel_shap_of_short_texts_is_the_shapley_values_of_the_words(read):
    count = 5
    sets = np.array([*product((False, True), repeat=count)])
    with torch.no_grad():
        predicted = word_sets.predict_kept(read, np.full(len(sets), 2), sets)
    values = dict(zip(map(tuple, sets.tolist()), predicted, strict=True))
    exact = torch.zeros(count)
    for one, value in values.items():
        for word in range(count):
            if not one[word]:
                weight = 1 / (count * comb(count - 1, sum(one)))
                exact[word] += weight * (values[*one[:word], True, *one[word + 1 :]] - value)
    found = torch.from_numpy(sum_words(MAP_FUNCTIONS["kernel_shap"](read), read.pieces)[2])
    torch.testing.assert_close(found, exact, rtol=0, atol=1e-6)


def test_lime_and_kernel_shap_find_the_slopes_of_what_is_linear(read, monkeypatch):
    slopes = torch.tensor([0.4, -0.3, 0.0, 0.2, 0.1])
    monkeypatch.setattr(word_sets, "predict_kept", lambda _pass, _texts, kept: kept[:, :5] @ slopes.double().numpy())
    for name, tolerance in (("kernel_shap", 1e-6), ("lime", 0.03)):  # a ridge regression draws slopes to 0
        for found in sum_words(MAP_FUNCTIONS[name](read), read.pieces):
            torch.testing.assert_close(torch.from_numpy(found), slopes[: len(found)], rtol=0, atol=tolerance)
