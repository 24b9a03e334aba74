from importlib.util import find_spec
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from attention_audit.corpus import tokens as module
from attention_audit.corpus.english import find_english_words, read_rules
from attention_audit.corpus.tokens import Tokens, describe_splitting, split_words


def sentences(text, **settings):
    """The sentences, a space between words."""
    words, _, begins = split_words(text, Tokens.model_validate(settings))
    return [" ".join(words[start:end]) for start, end in pairwise([*begins, len(words)])]


SPECIAL = [
    "don't",
    "a.m.",
    ":)",
    "I'm",
    "<DE>",
    "http://a.org/b?c=1",
    "U.S.",
    "km",
    "'s",
    "cannot",
    "C++",
    "1.5",
    "...",
]
SPOKEN = "It works! Does it (at all)? Ja, 3.5 km. Fine... the\n\nend"
SAID = ["it works !", "does it ( at all ) ?", "ja , 3.5 km .", "fine ... the end"]
NOTE = "Seen by <DE> on <DE> in Rm 5 ."


@pytest.mark.parametrize(
    ("settings", "text", "expected"),
    [
        ({}, "Don't go to the U.K., Mr. O'Neil!", ["do n't go to the u.k. , mr. o'neil !"]),
        ({}, "Cannot wait\n\n two\r\n\tthree  ", ["can not wait two three"]),
        # lower-cased first, it would be split as well
        ({}, "CANNOT wait", ["cannot wait"]),
        ({"lower": False}, "The US can not", ["The US can not"]),
        ({}, "(<DE>), <DE>: <DE>.", ["( <DE> ) , <DE> : <DE> ."]),
        ({"tokenizer": "de"}, "Z.B. geht's bei Dr. Groß, u.a. um 5 km.", ["z.b. geht's bei dr. groß , u.a. um 5 km ."]),
        ({"tokenizer": "xx"}, "Привет, мир!", ["привет , мир !"]),
        ({"tokenizer": "spaces"}, " It's\tdone,\n\u00a0well-done. ", ["it's done, well-done."]),
        ({"mask_numbers": True}, "In 1999, 3rd of b2b: two", ["in qqq , qqq of qqq : two"]),
        (
            {"tokenizer": "spaces", "punctuation": "drop"},
            "well-done -- e-mail's '90s _x_",
            ["well done e mail s 90s _x_"],
        ),
        # only where no space follows, or at the end, is the last mark of a run kept
        (
            {"tokenizer": "spaces", "punctuation": "last"},
            "Well, e-mail's -- 'here' ...",
            ["well e - mail ' s ' here ."],
        ),
        *(
            ({"tokenizer": code, "mask_numbers": True, "punctuation": "drop"}, NOTE, ["seen by <DE> on <DE> in rm qqq"])
            for code in ("en", "de", "spaces")
        ),
        *(({"tokenizer": code, "sentences": True}, SPOKEN, SAID) for code in ("en", "de")),
        (
            {"tokenizer": "spaces", "sentences": True},
            "Ends.Here too! And 3.5 Mr. here",
            ["ends.here too!", "and 3.5 mr.", "here"],
        ),
        ({"sentences": True, "punctuation": "drop"}, "One. ... ?! Two.", ["one", "two"]),
        *(({"tokenizer": code, "sentences": True}, " \n", []) for code in ("en", "spaces")),
    ],
)
def test_words_are_those_that_the_settings_say(settings, text, expected):
    assert sentences(text, **settings) == expected


def test_a_text_may_be_longer_than_spacys_own_limit():
    [said] = sentences("word " * 250_000, tokenizer="xx")
    assert len(said.split()) == 250_000


def test_spacy_forgets_words_so_that_memory_does_not_grow(monkeypatch):
    known = len(module.get_pipeline("de").vocab)
    monkeypatch.setattr(module, "MAX_PIPELINE_WORDS", known + 20)
    for start in range(0, 200, 10):
        text = " ".join(f"new{number}" for number in range(start, start + 10))
        assert sentences(text, tokenizer="de") == [text]
        assert len(module.get_pipeline("de").vocab) <= known + 30


FORMS = ("{}", "({}).", "{}{}", "a {}\t'{}',  {} b", "x-{}", "{}s", "${}", "{}10km", "{}։")


def find_by_spacy(text):
    return [(word.idx, word.idx + len(word)) for word in module.get_pipeline("en").make_doc(text) if not word.is_space]


@pytest.mark.parametrize("form", FORMS)
def test_english_words_are_those_of_spacy_where_a_special_case_is(form):
    for chunk in read_rules().special:
        text = form.replace("{}", chunk)
        assert find_english_words(text) == find_by_spacy(text), text


@given(
    st.lists(
        st.sampled_from([*" .,;:'\"-()[]<>!?/$%&*+=_~^#@aBcZ09é’“”…—·€😀\t\n\u00a0中д։"]) | st.sampled_from(SPECIAL)
    )
)
def test_english_words_are_those_of_spacy(parts):
    text = "".join(parts)
    assert find_english_words(text) == find_by_spacy(text)


@pytest.mark.parametrize("code", ["qq", "Spaces", "../en", ""])
def test_an_unknown_tokenizer_is_refused(code):
    with pytest.raises(ValidationError):
        Tokens(tokenizer=code)


def test_chinese_is_single_characters_without_jieba(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: find_spec(name) if name == "spacy" else None)
    tokens = Tokens(tokenizer="zh")
    assert tokens.segmenter == "characters"
    assert describe_splitting(tokens).endswith("for words, install jieba (`python -m pip install jieba`)")
    assert split_words("你好。", tokens).words == ["你", "好", "。"]


def test_chinese_is_words_where_jieba_is_installed(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: find_spec("spacy"))
    tokens = Tokens(tokenizer="zh")
    assert tokens.segmenter == "jieba"
    assert describe_splitting(tokens) == "Chinese words are found by jieba"
    assert Tokens(tokenizer="zh", segmenter="characters").segmenter == "characters"


def test_a_segmenter_is_for_chinese_alone():
    assert Tokens().segmenter is None
    assert describe_splitting(Tokens()) == ""
    assert describe_splitting(Tokens(tokenizer="th")) == "Thai words are found by PyThaiNLP"
    with pytest.raises(ValidationError, match="only for `tokenizer: zh`; remove it"):
        Tokens(segmenter="jieba")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ["<user>", "not", "good", "!", "[E1]", "film", "[/E1]", ".", "fine", "<user>", "[", "e1", "]"]),
        ({"tokenizer": "spaces"}, ["<user>", "not", "good!", "[E1]", "film", "[/E1]", ".", "fine", "<user>", "[e1]"]),
        ({"punctuation": "drop"}, ["<user>", "not", "good", "[E1]", "film", "[/E1]", "fine", "<user>", "e1"]),
        (
            {"strip_html": True},
            ["<user>", "not", "good", "!", "[E1]", "film", "[/E1]", ".", "fine", "<user>", "[", "e1", "]"],
        ),
    ],
)
def test_words_that_are_whole_stand_as_they_are_written(changes, words):
    text = "<user>not Good![E1] film[/E1]. Fine\u200b <user> [e1]"
    tokens = Tokens(whole=["[E1]", "[/E1]", "<user>", "<user"], sentences=True, **changes)
    split = split_words(text, tokens)
    assert split.words == words
    for word, (start, end) in zip(split.words, split.places, strict=True):
        assert text[start:end].lower().strip("\u200b") == word.lower()
    assert split_words("no mark. here", tokens).words == split_words("no mark. here", Tokens(**changes)).words
