"""Language models that a prompt asks for a class: the library's own logits of the next token, and what is refused."""

import classifiers_on_disk
import numpy as np
import pytest
import torch
import transformers
from planned import refuse_plan
from refusal import refusal

from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import RawText, join_words
from attention_audit.stages.network_readout import take_classifier
from attention_audit.stages.read_classifier import compare_with_given
from attention_audit.transformer.pieces import SPECIAL, cut_raw
from attention_audit.transformer.settings import Prompt

PROMPT = Prompt(template="the story: {text}. is it", labels=["great", " dull"])
TEXTS = ["why is the unbelievably good film great", "bad", "  a film\n"]
NAMES = ["first", "second", "third"]
WORDS = [*classifiers_on_disk.WORDS, "it", ":", "."]


@pytest.fixture(scope="module", params=["gpt2", "llama"])
def folder(request, tmp_path_factory):
    made = tmp_path_factory.mktemp(request.param)
    return classifiers_on_disk.save(made, request.param, words=WORDS, moved=True, language=True)


def raw(text):
    words = text.split()
    return RawText(text, [text.index(word) for word in words])


def pieces_of(classifier, most=40):
    return cut_raw(classifier.tokenizer, NAMES, [raw(text) for text in TEXTS], most, PROMPT.template)


def test_the_classes_are_next_tokens_and_the_map_is_the_last_tokens(folder):
    classifier = SequenceClassifier(folder, PROMPT)
    assert classifier.names == ["great", "dull"]
    pieces = pieces_of(classifier)
    readout = take_classifier(classifier, pieces, NAMES, np.zeros(3, np.int64), (1, 0))
    tokens = classifier.tokenizer.convert_tokens_to_ids(["dull", "great"])
    library = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager")
    for row, text in enumerate(TEXTS):
        filled = PROMPT.template.replace("{text}", text)
        given = classifier.tokenizer(filled, return_tensors="pt", return_offsets_mapping=True)
        with torch.no_grad():
            said = library(input_ids=given["input_ids"], output_attentions=True)
        expected = said.logits[0, -1, tokens].softmax(-1)
        np.testing.assert_allclose(readout.probabilities[row], expected.numpy(), atol=1e-5)
        # by hand: each piece in the word around its first letter, the first piece apart, and the rest of the prompt
        places, begin = raw(text).places, filled.index(text)
        items = np.zeros(len(places) + 2)
        for at, (weight, (start, _)) in enumerate(
            zip(said.attentions[-1][0, :, -1].mean(0).tolist(), given["offset_mapping"][0].tolist(), strict=True)
        ):
            inside = at > 0 and begin <= start < begin + len(text)
            word = sum(place <= start - begin for place in places) - 1
            items[word if inside else len(places) + (at > 0)] += weight
        np.testing.assert_allclose(readout.attention[row], items, atol=1e-6)
        assert readout.words[row] == len(places)


def test_a_text_that_is_too_long_is_cut_and_its_prompt_is_not(folder):
    classifier = SequenceClassifier(folder, PROMPT)
    whole, short = pieces_of(classifier), pieces_of(classifier, 10)
    assert short.truncated.tolist() == [True, False, False]
    assert short.counts.max() == 10
    assert 0 < short.read[0] < whole.read[0]

    def of_prompt(pieces):
        first = slice(0, int(pieces.counts[0]))
        return pieces.ids[first][pieces.words[first] == SPECIAL].tolist()

    assert of_prompt(short) == of_prompt(whole)
    classifier.tokenizer.truncation_side = "left"
    end = pieces_of(classifier, 10)
    assert (of_prompt(end), end.truncated[0]) == (of_prompt(whole), True)
    assert 7 < end.counts[0] <= 10
    # the pieces of the text are its last ones, and so are its words
    of_text = [pieces.ids[: pieces.counts[0]][pieces.words[: pieces.counts[0]] >= 0] for pieces in (whole, end)]
    assert of_text[1].tolist() == of_text[0][-len(of_text[1]) :].tolist()
    last = len(raw(TEXTS[0]).places)
    assert end.places_by_text[0].tolist() == [*range(last - int(end.read[0]), last)]
    assert "text 'first': none of it fits beside the prompt into 6 pieces" in refusal(pieces_of, classifier, 6)


def test_a_chat_template_that_begins_with_the_first_mark_gets_no_second_one(tmp_path):
    folder = classifiers_on_disk.save(tmp_path, "llama", words=WORDS, language=True)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    assert tokenizer("film")["input_ids"][0] == tokenizer.cls_token_id
    tokenizer.chat_template = "[CLS]{% for message in messages %}the story: {{ message['content'] }}{% endfor %} is"
    template = tokenizer.apply_chat_template([{"role": "user", "content": "{text}"}], tokenize=False)
    prompt = Prompt(template=template, labels=["great", "dull"])
    classifier = SequenceClassifier(folder, prompt)
    texts = [raw(text) for text in TEXTS]
    pieces = cut_raw(classifier.tokenizer, NAMES, texts, 40, template)
    assert compare_with_given(classifier, NAMES, texts).startswith("3 have the pieces")
    readout = take_classifier(classifier, pieces, NAMES, np.zeros(3, np.int64), (0, 1))
    library = transformers.AutoModelForCausalLM.from_pretrained(folder)
    for row, text in enumerate(TEXTS):
        chat = [{"role": "user", "content": text}]
        ids = tokenizer.apply_chat_template(chat, tokenize=True, return_dict=True, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logits = library(input_ids=ids).logits[0, -1, tokenizer.convert_tokens_to_ids(["great", "dull"])]
        np.testing.assert_allclose(readout.probabilities[row], logits.softmax(-1).numpy(), atol=1e-5)


def test_a_piece_that_begins_before_the_text_is_of_what_its_first_letter_is():
    tokenizer = classifiers_on_disk.byte_level(["film", "good"], prefix=False)
    pieces = cut_raw(tokenizer, ["t"], [join_words(["film", "good"])], 40, "A\n{text} \nB")
    shown = dict(zip(tokenizer.convert_ids_to_tokens(pieces.ids), pieces.words.tolist(), strict=True))
    # the line break before the text, and that behind it, are the prompt's
    assert (shown["Ċ"], shown["Ġgood"], shown["A"], shown["B"]) == (SPECIAL, 1, SPECIAL, SPECIAL)
    joined = cut_raw(tokenizer, ["t"], [join_words(["film", "good"])], 40, "A {text}")
    shown = dict(zip(tokenizer.convert_ids_to_tokens(joined.ids), joined.words.tolist(), strict=True))
    assert (shown["Ġfilm"], shown["Ġgood"]) == (0, 1)


def test_cutting_on_the_left_ends_where_pieces_begin_at_one_letter():
    tokenizer = classifiers_on_disk.byte_level(WORDS)
    tokenizer.truncation_side = "left"
    pieces = cut_raw(tokenizer, ["t"], [raw("great (bad)")], 9, "A {text}")
    assert (pieces.places.tolist(), pieces.truncated.tolist()) == ([1], [True])


def test_what_cannot_be_prompted_is_one_line(tmp_path):
    several = Prompt(template="{text}", labels=["good", "unbelievably"])
    language = classifiers_on_disk.save(tmp_path / "llama", "llama", words=WORDS, language=True)
    said = refusal(SequenceClassifier, language, several)
    assert "the label 'unbelievably' of the prompt has 3 pieces there ('un', '##bel" in said
    assert "is no classifier of texts but a LlamaForCausalLM" in refusal(SequenceClassifier, language)


@pytest.mark.parametrize(
    ("family", "prompt", "line"),
    [
        ("llama", {"template": "{text}", "labels": ["a", "b"]}, r"is no language model but a LlamaForSequenceClass"),
        ("bert", {"template": "{text}", "labels": ["a", "b"]}, r"of type 'bert' reads no prompt; take a decoder, one"),
        ("llama", {"template": "text", "labels": ["a", "b"]}, r"holds \{text\} 0 times; write it once"),
        ("llama", {"template": "{text}", "labels": ["a", " a"]}, r"duplicate label 'a'"),
    ],
)
def test_what_cannot_be_prompted_ends_the_run_before_it_begins(tmp_path, family, prompt, line):
    folder = classifiers_on_disk.save(tmp_path, family, words=WORDS)
    refuse_plan(line, hf={"chorus": {"models": {"a": [str(folder)]}, "prompt": prompt}})
