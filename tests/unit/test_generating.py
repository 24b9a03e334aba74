"""Maps of generated tokens: weights imposed in all layers, deletions, controls whose truth is known, bad input."""

import base64
import gzip
import inspect
import json
import pickle
import re
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
import transformers
from planned import ROOT
from refusal import refusal
from safetensors.torch import save
from tokenizers import decoders, processors
from transformers_on_disk import WORDS, tokenizer

import attention_audit
from attention_audit import api
from attention_audit.answer.lines import NUMBER_WRITERS, write_share
from attention_audit.answer.settings import Margins
from attention_audit.api.generating import read_prompts
from attention_audit.audits.generated import TokenPredictions, compare_maps, exchange_weights, list_row_maps
from attention_audit.audits.token_cases import make_cases
from attention_audit.divergence import LN2
from attention_audit.model.generator import Generator, TokenTarget, count_shared
from attention_audit.questions import QUESTIONS
from attention_audit.stages.token_audit import read_maps
from attention_audit.tables.score_answers import SCORES
from attention_audit.tables.token_answers import measure_tokens, state_unique
from attention_audit.transformer.constructed import build_decoder
from attention_audit.transformer.contexts import SPECIAL, list_contexts
from attention_audit.transformer.in_memory import hold_model

SIZES = {
    "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3,
    "initializer_range": 0.3, "max_position_embeddings": 64,
}  # fmt: skip
FAMILIES = {
    "gpt2": {"n_embd": 32, "n_layer": 3, "n_head": 4, "initializer_range": 0.3},
    "llama": SIZES,
    "mistral": SIZES | {"sliding_window": 5},
    "qwen2": SIZES,
    "qwen3": SIZES,
    "gemma2": SIZES | {"sliding_window": 5},
    "gemma3_text": SIZES | {"sliding_window": 5},
    "olmo2": SIZES,
}
"""SmolLM2 is of Llama's kind."""
TEXT = "why is the unbelievably good film the great story"
PROMPT_COUNT = 100
MARK, FILLERS = "here", [f"w{number}" for number in range(30)]
TEMPLATE = (
    "{% for m in messages %}{{ '[CLS]' if loop.first }} {{ m['role'] }} : {{ m['content'] }} [SEP]{% endfor %}"
    "{% if add_generation_prompt %} assistant :{% endif %}"
)


def make_decoder(kind):
    pieces = tokenizer([*WORDS, ":", "assistant", "user"])
    pieces.backend_tokenizer.decoder = decoders.WordPiece()
    torch.manual_seed(1)
    config = transformers.AutoConfig.for_model(kind, **FAMILIES[kind], vocab_size=len(pieces))
    return transformers.AutoModelForCausalLM.from_config(config).eval(), pieces


@cache
def open_decoder(kind):
    model, pieces = make_decoder(kind)
    return Generator(hold_model(model, pieces, "model", True)), model, pieces


def cases_of(pieces, prompts, following, contrasts=None, granularity="word"):
    read = read_prompts(pieces, prompts, "en", granularity, None)
    contrasts = [()] * len(prompts) if contrasts is None else contrasts
    return make_cases(pieces, read, following, contrasts, granularity == "token")


def run_with_rows(model, ids, rows):
    """The logits behind ids where the last position has other weights in each layer: by an attention of our own."""
    layers = iter(rows)

    def attend(module, query, key, value, attention_mask, **further):
        own = inspect.getmodule(type(module)).eager_attention_forward
        sums, weights = own(module, query, key, value, attention_mask, **further)
        values = value.repeat_interleave(weights.shape[1] // value.shape[1], 1)
        sums[:, -1] = torch.einsum("hp,bhpd->bhd", next(layers), values)
        return sums, weights

    transformers.AttentionInterface.register("rows", attend)
    transformers.AttentionMaskInterface.register("rows", transformers.masking_utils.eager_mask)
    model.set_attn_implementation("rows")
    with torch.no_grad():
        return model(torch.from_numpy(ids)[None], use_cache=False).logits[0, -1]


@pytest.mark.parametrize("kind", FAMILIES)
def test_weights_are_imposed_in_all_layers(kind):
    """Own weights give the library's logits; uniform ones what the whole network gives; both by one decoding step."""
    generator, model, pieces = open_decoder(kind)
    [case] = cases_of(pieces, [TEXT], [[7]])
    ids, items = case.context.ids, case.context.items
    row = generator.read_row(ids)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        said = model(torch.from_numpy(ids)[None], output_attentions=True, use_cache=False)
    torch.testing.assert_close(row.logits, said.logits[0, -1], atol=1e-4, rtol=0)
    torch.testing.assert_close(
        row.weights, torch.stack([each[0, :, -1] for each in said.attentions]), atol=1e-5, rtol=0
    )
    even = torch.full_like(row.weights, 1 / len(ids))
    last = torch.full_like(row.weights, torch.nan)
    last[-1] = even[-1]
    own, uniform, alone = generator.impose(ids, row.cache, torch.stack([row.weights, even, last]))
    torch.testing.assert_close(own, said.logits[0, -1], atol=1e-4, rtol=0)
    torch.testing.assert_close(uniform, run_with_rows(model, ids, even), atol=1e-4, rtol=0)
    torch.testing.assert_close(alone, run_with_rows(model, ids, [*row.weights[:-1], even[-1]]), atol=1e-4, rtol=0)
    assert float((uniform - own).abs().max()) > 0.01
    assert items[0] == SPECIAL
    maps = list_row_maps(case, row, 1)
    by_hand = [float(row.weights[:, :, items == unit].sum(-1).mean()) for unit in range(items.max() + 1)]
    np.testing.assert_allclose(maps["mean_row"], by_hand, atol=1e-6)


@pytest.mark.parametrize("kind", FAMILIES)
def test_what_stands_before_a_deletion_is_kept(kind):
    """The logits behind shortened contexts are those of the library, whether or not the cache is shared."""
    generator, model, pieces = open_decoder(kind)
    [case] = cases_of(pieces, [TEXT], [[7]])
    units = range(len(case.context.units))
    contexts = [case.context.keep([each for each in units if each != gone]) for gone in units]
    whole = case.context.ids, generator.make_cache(case.context.ids)
    assert [count_shared(each, whole[0]) for each in contexts] == [1, 2, 3, 4, 7, 8, 9, 10, 10]
    model.set_attn_implementation("eager")
    for shared in (None, whole):
        seen = set()
        for at, logits in generator.iterate_next(contexts, shared):
            seen |= {*at.tolist()}
            for number, row in zip(at, logits, strict=True):
                with torch.no_grad():
                    said = model(torch.from_numpy(contexts[number])[None], use_cache=False).logits[0, -1]
                torch.testing.assert_close(row, said, atol=1e-4, rtol=0)
        assert seen == {*units}


@pytest.mark.parametrize("kind", ["gpt2", "qwen3", "gemma2"])
def test_maps_of_a_token_are_of_its_log_odds(kind):
    generator, model, pieces = open_decoder(kind)
    [case] = cases_of(pieces, [TEXT], [[7]])
    maps = read_maps(generator, case, ["rollout", "input_gradient", "layer_2"])
    model.set_attn_implementation("eager")
    ids = torch.from_numpy(case.context.ids)[None]
    vectors = model.get_input_embeddings()(ids).detach().requires_grad_()
    hook = model.get_input_embeddings().register_forward_hook(lambda *_: vectors.clone())
    said = model(ids, output_attentions=True, use_cache=False)
    hook.remove()
    p = said.logits[0, -1].softmax(-1)[7]
    [slope] = torch.autograd.grad((p / (1 - p)).log(), vectors)
    np.testing.assert_allclose(maps["input_gradient"], case.fold((slope * vectors).sum(-1)[0].detach()), atol=2e-4)
    np.testing.assert_allclose(maps["layer_2"], case.fold(said.attentions[1][0, :, -1].mean(0).detach()), atol=1e-5)
    row = torch.eye(ids.shape[1])[-1]
    for layer in reversed(said.attentions):
        row = (row @ layer[0].mean(0) + row) / 2
    np.testing.assert_allclose(maps["rollout"], case.fold(row.detach()), atol=1e-5)


def test_units_exchange_weights_by_hand():
    """The first piece is a mark; unit 0 has pieces 1 and 2, unit 1 piece 3, unit 2, without weight, pieces 4 and 5."""
    items = np.array([SPECIAL, 0, 0, 1, 2, 2])
    weights = torch.tensor([0.5, 0.1, 0.3, 0.1, 0.0, 0.0])
    found = exchange_weights(weights, items, torch.tensor([0.2, 0.0, 0.3]))
    torch.testing.assert_close(found, torch.tensor([0.5, 0.05, 0.15, 0.0, 0.15, 0.15]))


def test_a_token_among_others_by_hand():
    logits = torch.log(torch.tensor([[0.1, 0.2, 0.3, 0.4]]))
    torch.testing.assert_close(TokenTarget(1).compare(logits), torch.tensor([[0.4, 0.2]]))
    torch.testing.assert_close(TokenTarget(1).read(logits), torch.tensor([[np.log(0.2 / 0.8)]]).float())
    torch.testing.assert_close(TokenTarget(1, (0, 2)).compare(logits), torch.tensor([[0.5, 1 / 3]]))


def test_a_context_has_the_tokens_before_and_never_its_first_piece():
    _, _, pieces = open_decoder("llama")
    ids = pieces.convert_tokens_to_ids(["a", "great", "##s", "film"])
    cases = cases_of(pieces, [TEXT], [ids])
    words = TEXT.split()
    assert [case.context.units for case in cases] == [
        words, [*words, "a"], [*words, "a", "great"], [*words, "a", "greats"],
    ]  # fmt: skip
    assert [case.target.token for case in cases] == ids
    third = cases[2].context
    assert third.ids[-2:].tolist() == ids[:2]
    # the deletion of a word drops its pieces, and cuts nothing anew: unbelievably has three
    kept = pieces.convert_ids_to_tokens(third.keep([0, 1, 2, *range(4, 11)]).tolist())
    assert kept == ["[CLS]", *(word for word in [*words, "a", "great"] if word != "unbelievably")]
    prompt = read_prompts(pieces, [TEXT], "en", "token", None)[0][1]
    assert list_contexts(pieces, prompt, ids, True)[-1].units[-2:] == ["great", "s"]


def test_a_first_word_without_a_mark_before_it_is_no_unit():
    _, _, pieces = open_decoder("llama")
    pieces = pickle.loads(pickle.dumps(pieces))
    pieces.backend_tokenizer.post_processor = processors.Sequence([])
    [case] = cases_of(pieces, [TEXT], [[7]])
    assert case.context.units == TEXT.split()[1:]
    [case] = cases_of(pieces, [TEXT.split("the ", 1)[1]], [[7]])
    # one of several pieces keeps those behind the first
    assert case.context.units[0] == "unbelievably"
    assert case.context.items[:3].tolist() == [SPECIAL, 0, 0]


def test_messages_are_units_and_their_template_marks():
    _, _, pieces = open_decoder("llama")
    pieces = pickle.loads(pickle.dumps(pieces))
    pieces.chat_template = TEMPLATE
    messages = [{"role": "user", "content": "a dull film"}, {"role": "assistant", "content": "why"}]
    [case] = cases_of(pieces, [[*messages, {"role": "user", "content": "the story is great"}]], [[7]])
    assert case.context.units == ["a", "dull", "film", "why", "the", "story", "is", "great"]
    spelt = pieces.convert_ids_to_tokens(case.context.ids.tolist())
    assert spelt.count("[CLS]") == 1
    assert spelt[-2:] == ["assistant", ":"]
    assert [spelt[at] for at in np.flatnonzero(case.context.items >= 0)] == case.context.units


@cache
def draw_prompts():
    random, prompts = np.random.default_rng(0), []
    for _ in range(PROMPT_COUNT):
        words = [str(word) for word in random.permutation(FILLERS)[:10]]
        words.insert(int(random.integers(1, 4)), MARK)
        prompts.append(" ".join(words))
    return prompts


@cache
def audit_constructed(copies):
    models = [build_decoder([MARK, *FILLERS], MARK, copies, seed) for seed in (0, 1)]
    prompts = draw_prompts()
    places = [np.arange(12)[:, None] == prompt.split().index(MARK) + 2 for prompt in prompts]
    return api.audit_generation(
        [model for model, _ in models], models[0][1], prompts, max_new_tokens=1, maps=["rollout"],
        attributions={"place": [place.astype(float) for place in places]}, progress=False,
    )  # fmt: skip


def take(answer, name, question):
    rows = answer.by_map
    [row] = rows[(rows["map"] == name) & (rows["question"] == question)].to_dict("records")
    return row


def test_a_decoder_that_copies_is_located():
    """It says the word behind the mark; its map, and the true place, are good; the nearest words are not."""
    answer = audit_constructed(True)
    for prompt, generated in zip(draw_prompts(), answer, strict=True):
        words = prompt.split()
        assert generated[0].facts["prediction"] == words[words.index(MARK) + 1]
    for name in ("mean_row", "last_row", "place"):
        located = take(answer, name, "located")
        # attributions are those of the first training
        alone = "in this training" if name == "place" else "in these two"
        assert located["verdict"] == f"yes, nearest words −.61, {alone}"
        assert located["value"] > 0.97
    nearest = take(answer, "nearest", "located")
    assert (nearest["verdict"], nearest["zones"]) == ("–", "-")
    assert "it is what maps are held against" in nearest["note"]
    assert nearest["high"] < 0
    assert take(answer, "shuffled", "located")["high"] < 0.4
    for question, beside in {
        "ranks": "yes, nearest words −1.0",
        "signed": "yes, nearest words 0 %",
        "used": "yes",
    }.items():
        assert take(answer, "mean_row", question)["verdict"].startswith(beside)
    # two bases of the same directions say the same
    assert take(answer, "mean_row", "stable")["value"] > 0.99
    printed = repr(answer)
    assert "May this map be read as what the token depends on?" in printed
    assert "100 generated tokens of 100 prompts, p .99; the first piece has 0 % of the weight and is no word" in printed
    assert "nearest words −.61" in printed
    assert answer.imposed["last_tvd"].mean() == pytest.approx(answer.imposed["mean_tvd"].mean(), abs=0.02)


def test_a_decoder_that_bypasses_its_map_is_not():
    """Its map points to the same place, and it says what follows its last word: only the nearest words matter."""
    answer = audit_constructed(False)
    first = draw_prompts()[0].split()
    assert answer[0][0].facts["prediction"] == [MARK, *FILLERS][1 + [MARK, *FILLERS].index(first[-1])]
    located = take(answer, "last_row", "located")
    assert located["verdict"] == "no, no more than the nearest words (1.00), in these two"
    assert take(answer, "mean_row", "used")["value"] < 0.01
    assert answer.imposed["last_tvd"].max() < 1e-4
    assert take(answer, "nearest", "located")["value"] > 0.97
    assert take(answer, "shuffled", "located")["high"] < 0.25


def test_no_map_is_called_good_that_is_no_better_than_the_nearest_words():
    """A map that is the nearest words' own is located, and yet no more than these."""
    model, pieces = build_decoder([MARK, *FILLERS], MARK, copies=False, seed=0)
    order = [np.arange(12.0)[:, None]] * PROMPT_COUNT
    answer = api.audit_generation(
        model, pieces, draw_prompts(), max_new_tokens=1, attributions={"order": order}, questions=["located"],
        progress=False,
    )  # fmt: skip
    located = take(answer, "order", "located")
    assert located["value"] > 0.97
    assert located["verdict"] == "at most in part, no more than the nearest words (1.00), in this training"
    assert located["zones"] == "12"
    assert "order" in repr(answer)


def state_searched(apart):
    """What is said of 120 prompts whose furthest maps lie so far from their own, where shuffled ones lie .4 from it."""
    groups = {f"{at}:0": str(at) for at in range(120)}
    ids = [*groups]
    texts = pd.DataFrame({"training": 1, "words": 9, "prediction": 1, "id": ids})
    blank = dict.fromkeys(("label", "auprc", "auprc_random", "random", "scores", "leave_one_out"), np.nan)
    distances = np.random.default_rng(0).normal(apart, 0.02, 120).clip(0)
    numbers = {"all_jsd": distances, "last_jsd": distances, "all_chance": 0.4, "last_chance": 0.4, "chance_jsd": 0.4}
    rows = pd.DataFrame({"model": SCORES, "seed": 1, "id": ids, **numbers})
    further = {"search": rows, "permutation": rows}
    return state_unique(measure_tokens(texts.assign(**blank), groups, Margins(), further))


def test_a_searched_map_is_an_upper_bound():
    """However alike the furthest map is that was found, another may be further: never is it said that there is none."""
    verdicts = {apart: state_searched(apart) for apart in (0.0, 0.02, 0.2, 0.4)}
    assert [cell.said for cell in verdicts.values()] == ["cannot tell", "cannot tell", "at most in part", "no"]
    assert all(cell.part.estimate.low == -np.inf for cell in verdicts.values())
    assert "an upper bound by a search in all layers; last layer alone .50" in verdicts[0.2].clause


def test_maps_of_single_tokens_are_searched():
    model, pieces = build_decoder([MARK, *FILLERS], MARK, copies=True, seed=0)
    answer = api.audit_generation(
        model, pieces, draw_prompts()[:4], max_new_tokens=1, questions=["unique"], search_steps=5, progress=False
    )
    row = answer.summary.iloc[0]
    assert row["unique_low"] == -np.inf
    assert row["unique_reason"] == "4 of the 100 texts needed"
    assert row["located_reason"] == "it is not among `questions`"


def test_given_tokens_say_what_the_own_ones_do():
    model, pieces = make_decoder("llama")
    prompts = [TEXT, "the film is a dull story"]
    ask = partial(api.audit_generation, model, pieces, prompts, progress=False)
    own = ask(max_new_tokens=3)
    tokens = [[reading.facts["prediction"] for reading in each] for each in own]
    ids = [[int(each) for each in pieces.convert_tokens_to_ids(each)] for each in tokens]
    given = ask(ids)
    assert own.tokens.equals(given.tokens)
    assert own.imposed.equals(given.imposed)
    assert "the model gives them first in 100 %" in given.summary["note"][0]
    assert [len(reading.words) for reading in own[1]] >= [6, 6, 6]
    other = ask([" a", " good"])
    assert [reading.facts["prediction"] for each in other for reading in each] == ["a", "good"]


def test_a_contrast_asks_among_few():
    model, pieces = make_decoder("llama")
    answer = api.audit_generation(
        model, pieces, [TEXT, TEXT], [" good", " bad"], contrast=[["bad", "dull"], "good"], progress=False
    )
    good, bad, dull = pieces.convert_tokens_to_ids(["good", "bad", "dull"])
    model.set_attn_implementation("eager")
    with torch.no_grad():
        logits = model(torch.tensor([pieces(TEXT)["input_ids"][:-1]])).logits[0, -1]
    expected = [float(logits[[good, bad, dull]].softmax(-1)[0]), float(logits[[bad, good]].softmax(-1)[0])]
    assert [each[0].facts["probability"] for each in answer] == pytest.approx(expected, abs=1e-5)
    shown = TokenTarget(good, (bad, dull))
    assert float(shown.read(logits)[0]) == pytest.approx(np.log(expected[0] / (1 - expected[0])), abs=1e-4)


def test_every_token_can_be_looked_at():
    answer = audit_constructed(True)
    reading = answer.text(3)
    words = reading.words.set_index("word")
    copied = reading.facts["prediction"]
    assert words.loc[copied, "loo"] == words["loo"].max() > 0.9
    assert words["weight"].idxmax() == copied
    assert {"last_row", "rollout", "place"} <= {*words}
    # without the word, the one behind it is said
    following = [*words.index][[*words.index].index(copied) + 1]
    assert reading.without[[*words.index].index(copied)].startswith(f"'{following}' 0.9")
    page = answer[3]._repr_html_()
    assert "<details open><summary>" in page
    assert "; without it: " in page
    assert len(pickle.loads(pickle.dumps(answer))) == PROMPT_COUNT
    assert "number: is 100, and there are 100; give one from 0" in refusal(answer.text, 100)
    assert attention_audit.audit_generation is api.audit_generation


def make_inseq(scores, ids, **further):
    """What inseq gives of prompts: FeatureAttributionOutput, whose tokens that are not read yet have NaN."""
    sequences = []
    for each, listed in zip(scores, ids, strict=True):
        padded = np.full((len(listed), each.shape[1]), np.nan, np.float32)
        first = len(listed) - each.shape[1]
        for step in range(each.shape[1]):
            padded[: first + step, step] = each[: first + step, step]
        tokens = [SimpleNamespace(token=str(number), id=number) for number in listed]
        sequences.append(
            SimpleNamespace(source_attributions=None, target_attributions=torch.from_numpy(padded), target=tokens)
            if not further
            else SimpleNamespace(source_attributions=1)
        )
    return SimpleNamespace(sequence_attributions=sequences)


def save_inseq(output, path):
    """As inseq saves it: tensors in the format of safetensors, in letters."""

    def describe(kind, part):
        return {"__instance_type__": ["inseq.data", kind], "attributes": vars(part)}

    sequences = []
    for each in output.sequence_attributions:
        data = base64.b64encode(save({"attribution": each.target_attributions.contiguous()})).decode()
        target = [describe("TokenWithId", token) for token in each.target]
        part = SimpleNamespace(source_attributions=None, target_attributions=data, target=target)
        sequences.append(describe("FeatureAttributionSequenceOutput", part))
    whole = {"__instance_type__": ["inseq.data", "FeatureAttributionOutput"]}
    text = json.dumps(whole | {"attributes": {"sequence_attributions": sequences}})
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def test_attributions_of_inseq_and_arrays_are_taken(tmp_path):
    model, pieces = make_decoder("llama")
    prompts = [TEXT, "the film is a dull story"]
    following = [pieces.convert_tokens_to_ids(["a", "film"]), pieces.convert_tokens_to_ids(["the", "story"])]
    whole = [[*pieces(prompt)["input_ids"][:-1], *ids] for prompt, ids in zip(prompts, following, strict=True)]
    random = np.random.default_rng(0)
    arrays = [random.normal(size=(len(ids) - 1, 2)) for ids in whole]
    output = make_inseq(arrays, whole)
    save_inseq(output, tmp_path / "scores.json")
    save_inseq(output, tmp_path / "scores.json.gz")
    ask = partial(api.audit_generation, model, pieces, prompts, following, progress=False)
    given = {"array": arrays, "inseq": output, "file": tmp_path / "scores.json", "packed": tmp_path / "scores.json.gz"}
    answer = ask(attributions=given)
    words = answer.text(0, 1).words
    # the word of three pieces has their sum; the second token's scores are those of the second column
    assert words["array"][3] == pytest.approx(arrays[0][4:7, 1].sum())
    for name in ("inseq", "file", "packed"):
        np.testing.assert_allclose(words[name], words["array"], atol=1e-5)
    said = partial(refusal, ask)
    assert (
        "attributions: 'mine': prompt 1 has shape (5, 2), and 8 pieces come before its last token; give (8, 2)"
        in said(attributions={"mine": [arrays[0], arrays[1][:5]]})
    )
    assert "attributions: 'mine': prompt 0 holds NaN" in said(
        attributions={"mine": [np.full_like(arrays[0], np.nan), arrays[1]]}
    )
    others = make_inseq(arrays, [whole[0], [*whole[1][:-1], 0]])
    assert "prompt 1 has other tokens from piece 8 on (9 in all, and here 9)" in said(attributions={"mine": others})
    apart = make_inseq(arrays, whole, source=True)
    assert "prompt 0 has a source apart from its target" in said(attributions={"mine": apart})
    assert "cannot be read" in said(attributions={"mine": tmp_path / "none.json"})
    assert "'rollout' is what a map is called" in said(attributions={"rollout": arrays})


def test_bad_input_is_one_line(tmp_path):
    model, pieces = make_decoder("llama")
    said = partial(refusal, api.audit_generation, model, pieces, progress=False)
    assert "prompts: text 1 has fewer than two units before its first generated token; leave it out" in said(
        [TEXT, "film"]
    )
    assert "prompts: text 0 is 3; give strings, or lists of chat messages" in said([3])
    assert "prompts: there is none" in said([])
    messages = [{"role": "user", "content": "a film"}]
    assert "prompts: text 0 cannot be written by the chat template" in said([messages])
    assert (
        "continuations: text 0: its first token depends on where the prompt ends ('go' + 'od' is one piece 'good'); "
        "end the prompt at a space"
    ) in said(["a film go"], ["od"])
    assert "continuations: has 1 entries for 2 texts" in said([TEXT, TEXT], ["film"])
    assert "continuations: text 0 has []" in said([TEXT], [[]])
    assert "contrast: text 0: 'unbelievably' has 3 pieces" in said([TEXT], [" film"], contrast="unbelievably")
    assert "contrast: text 0: 'film' is the target itself" in said([TEXT], [" film"], contrast="film")
    assert "contrast: has 1 entries for 2 prompts" in said([TEXT, TEXT], [" film", " film"], contrast=[["bad"]])
    assert "questions: 'needed' is not asked of generated tokens" in said([TEXT], questions=["needed"])
    assert "max_new_tokens: is 0; give a whole number, 1 or more" in said([TEXT], max_new_tokens=0)
    assert "search_steps: is 'many'; give a whole number, 1 or more" in said([TEXT], search_steps="many")
    assert "batch_size: is 0; give a whole number, 1 or more" in said([TEXT], batch_size=0)
    assert "prompts: text 0 is ['a', 'film']; give strings, or lists of chat messages" in said([["a", "film"]])
    assert "attributions: is list, and no dict; give scores by names of yours" in said([TEXT], attributions=[1.0])
    for ids in ([-1], [len(pieces)]):
        assert f"text 0 has ids of {ids[0]} to {ids[0]}, and the tokenizer 0 to" in said([TEXT], [ids])
    # as the tokenizer says
    long = " ".join(["film"] * 64)
    for given in ({}, {"continuations": [" film", " film film film"]}):
        assert re.search(
            r"prompts: text 1: 6\d pieces stand before its last token, and the model reads 40",
            said([TEXT, long], **given),
        )
    assert "granularity: 'line' is not known" in said([TEXT], granularity="line")
    assert "maps: map 'rolout' is not known" in said([TEXT], maps=["rolout"])
    assert "maps: layer 4, and model has 3; name one of these" in said([TEXT], maps=["layer_4"])
    config = transformers.T5Config(vocab_size=50, d_model=16, num_layers=1, num_heads=2, d_kv=8, d_ff=16)
    t5 = transformers.T5ForConditionalGeneration(config)
    assert refusal(api.audit_generation, t5, pieces, [TEXT]).startswith(
        "model: is a T5ForConditionalGeneration, whose encoder and decoder are apart; decoders alone are known"
    )
    sizes = {"num_hidden_layers": 1, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 16}
    labels = transformers.BertForTokenClassification(transformers.BertConfig(vocab_size=50, **sizes))
    assert refusal(api.audit_generation, labels, pieces, [TEXT]).endswith("; use judge")


def test_another_models_weights_are_refused(monkeypatch):
    """Where the imposed weights of a model do not give its own logits, nothing is said of it."""
    model, pieces = make_decoder("llama")
    plain = Generator.impose
    monkeypatch.setattr(Generator, "impose", lambda *given: plain(*given) + 0.3)
    assert (
        "model: under its own weights, imposed, a logit differs by 0.3 from its own, more than 0.0001; use judge"
        in (refusal(api.audit_generation, model, pieces, [TEXT], progress=False))
    )


def test_maps_are_compared_beside_chance():
    _, _, pieces = open_decoder("llama")
    [case] = cases_of(pieces, ["the film is great"], [[7]])
    apart, chance, same = compare_maps(case, np.array([1.0, 0, 0, 0]), np.array([0, 0, 0, 2.0]), 1)
    assert (apart, same) == (pytest.approx(LN2), False)
    assert 0.3 < chance < LN2


def test_a_batch_has_few_pieces(monkeypatch):
    """The logits of a batch are those of the last positions alone, and batches are as long as is asked."""
    model, pieces = make_decoder("gpt2")
    seen = []
    generator = Generator(hold_model(model, pieces, "model", True))
    plain = generator._call
    monkeypatch.setattr(generator, "_call", lambda ids, *rest: seen.append((ids, plain(ids, *rest))) or seen[-1][1])
    cases = cases_of(pieces, [TEXT], [[7]])
    predictions = TokenPredictions(generator, cases)
    units = [(0, place) for place in range(len(cases[0].context.units))]
    predictions.predict([units[:at] + units[at + 1 :] for at in range(len(units))])
    assert {logits.shape[1] for _, logits in seen[1:]} <= {1, 2}
    assert len(predictions.first) == len(units)
    assert all(len(each) == 5 for each in predictions.first.values())


def test_the_page_says_what_was_measured():
    rows = pd.read_csv(ROOT / "docs" / "images" / "generation.csv").set_index(["map", "question"])
    page = " ".join((ROOT / "docs" / "generation.md").read_text(encoding="utf-8").split())
    said = {
        ("last_row", "located"): 'would be "yes" by itself, {}. The',
        ("nearest", "located"): "The nearest words have {},",
        ("mean_row", "located"): "The mean of all layers' rows has {},",
        ("rollout", "located"): "rollout {},",
        ("shuffled", "located"): "a shuffled map {}. The",
    }
    for key, words in said.items():
        assert words.format(write_share(rows.loc[key, "value"])) in page
    assert "by itself yes" in rows.loc[("last_row", "located"), "note"]
    assert "last layer alone .047" in rows.loc[("mean_row", "used"), "note"]
    for question in ("located", "ranks", "signed", "used"):
        row = rows.loc[("mean_row", question)]
        write = NUMBER_WRITERS[QUESTIONS[question].unit]
        verdict, beyond = row["verdict"].split(", ")[:2]
        assert f"{verdict} {write(row['value'])} {write(row['low'])} to {write(row['high'])}" in page
        assert question == "used" or beyond in page
    assert len(page.split()) <= 1200
