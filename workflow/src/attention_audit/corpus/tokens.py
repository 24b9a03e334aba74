"""Words of a raw text, and its sentences."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationInfo, field_validator

from attention_audit.errors import AuditError
from attention_audit.section import Section

if TYPE_CHECKING:
    from spacy.language import Language

SPACES = "spaces"
ANY_LANGUAGE = "xx"
CHINESE = "zh"
SEGMENTED = {
    CHINESE: "Chinese words are found by jieba",
    "ja": "Japanese words are found by SudachiPy",
    "ko": "Korean words are found by mecab-ko",
    "th": "Thai words are found by PyThaiNLP",
    "vi": "Vietnamese words are found by Pyvi",
}
"""What spaCy finds words with where a language does not set them apart by spaces."""
PACKAGES = {
    "ja": "`python -m pip install sudachipy sudachidict_core`",
    "ko": "mecab-ko with its dictionary, and `python -m pip install natto-py`",
    "th": "`python -m pip install pythainlp`",
    "vi": "`python -m pip install pyvi`",
}
"""How to install that, by language; Chinese is split into characters without it."""
MOST_WORDS = 2**18
"""Different words that a pipeline keeps in memory at most; each takes half a kilobyte."""
Placed = tuple[str, int, int]
"""A word, and where it begins and ends in its text, in characters."""
NO_SPACES, LETTERS, RUNS = re.compile(r"\S+"), re.compile(r"\w+"), re.compile(r"\w+|\W+")
MASKED = "qqq"
"""Stands for a word that holds a digit, where these are masked."""
DEIDENTIFIED = "<DE>"
"""The word that stands for a de-identified passage of MIMIC; it is never changed."""


class Tokens(Section):
    """How a text becomes words."""

    tokenizer: str = Field(
        "en",
        pattern=r"^[a-z]{2,6}$",
        description="spaCy language code (its rules only, no trained model); `spaces`: split on white space only.",
    )
    lower: bool = Field(True, description="Lower-case the words.")
    mask_numbers: bool = Field(False, description="Write every word that holds a digit as `qqq`, as Jain & Wallace do.")
    punctuation: Literal["keep", "drop", "last"] = Field(
        "keep",
        description="drop: leave out words without a letter or digit, and split others there. last: every run of such "
        "characters, spaces among them, becomes its last one, as Jain & Wallace do to 20 Newsgroups.",
    )
    segmenter: Literal["characters", "jieba"] | None = Field(
        None,
        validate_default=True,
        description="How Chinese becomes words; null: by jieba where it is installed, else as single characters.",
    )
    sentences: bool = Field(False, description="Keep sentence boundaries, for hierarchical models (spaCy's rules).")

    @field_validator("tokenizer")
    @classmethod
    def _known(cls, code: str) -> str:
        spec = find_spec("spacy")  # located, not imported, since an import takes a second
        folders = spec.submodule_search_locations if spec else None
        if code != SPACES and not any((Path(f) / "lang" / code).is_dir() for f in folders or ()):
            raise ValueError(f"unknown tokenizer {code!r}; known: spaces, and spaCy's language codes")
        return code

    @field_validator("segmenter")
    @classmethod
    def _settled(cls, segmenter: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("tokenizer") != CHINESE:
            if segmenter is not None:
                raise ValueError(f"only for `tokenizer: {CHINESE}`; remove it")
            return None
        # settled before jobs are told, so that a corpus is made anew where jieba has been installed since
        return segmenter or ("jieba" if find_spec("jieba") else "characters")


def splitting(tokens: Tokens) -> str:
    """What makes words of a language that is written without spaces, for notes; "" for any other."""
    if tokens.segmenter == "characters":
        return (
            "Chinese is split into single characters, so that maps are of characters; for words, install jieba "
            "(`python -m pip install jieba`)"
        )
    return SEGMENTED.get(tokens.tokenizer, "")


def lacking(tokens: Tokens) -> str:
    """Which package is missing that a language without spaces needs, and how to install it; "" where none is."""
    if tokens.tokenizer in PACKAGES:
        try:
            blank(tokens.tokenizer)
        except AuditError as error:
            return str(error)
    return ""


@cache
def blank(code: str, segmenter: str | None = None) -> "Language":
    """spaCy's blank pipeline of a language with its rule-based sentence splitter: nothing in it is trained.

    Raises AuditError where the language needs a package that is not installed.
    """
    import spacy  # imported here, since it takes a second and control corpora do not need it
    from spacy.tokenizer import Tokenizer

    config = {"nlp": {"tokenizer": {"segmenter": "jieba"}}} if segmenter == "jieba" else {}
    try:
        language = spacy.blank(code, config=config)
    except ImportError as error:
        found = SEGMENTED.get(code, f"spaCy splits {code!r} with another package")
        cure = PACKAGES.get(code) or f"what spaCy names ({' '.join(str(error).split())})"
        raise AuditError(
            f"tokens: {found}, which is not installed; install it ({cure}), or set `tokens: {{tokenizer: spaces}}` "
            "where spaces stand between the words already"
        ) from error
    if isinstance(language.tokenizer, Tokenizer):  # languages without spaces have tokenizers of another class
        language.tokenizer.add_special_case(DEIDENTIFIED, [{"ORTH": DEIDENTIFIED}])
    language.add_pipe("sentencizer")
    language.max_length = 10**9  # spaCy's own limit is meant for parsers, whose memory grows with the length
    return language


def pipeline(code: str, segmenter: str | None = None) -> "Language":
    """`blank`, replaced by a new one once it has seen MOST_WORDS: spaCy keeps every word, so memory would grow."""
    language = blank(code, segmenter)
    if len(language.vocab) > MOST_WORDS:
        blank.cache_clear()
        language = blank(code, segmenter)
    return language


def passages(text: str) -> list[tuple[int, int]]:
    """Where a text is cut at the white space between its sentences, by spaCy's rules for any language."""
    starts = [sentence.start_char for sentence in pipeline(ANY_LANGUAGE)(text).sents]
    cuts = [start for start in starts if start == 0 or text[start - 1].isspace() or text[start].isspace()]
    return list(pairwise([*cuts, len(text)]))


def raw_sentences(text: str, tokens: Tokens) -> list[list[Placed]]:
    """The words of each sentence, or of the whole text as one, as the tokenizer gives them."""
    if tokens.tokenizer == SPACES:
        cuts = passages(text) if tokens.sentences else [(0, len(text))]
        return [[(word[0], *word.span()) for word in NO_SPACES.finditer(text, *cut)] for cut in cuts]
    language = pipeline(tokens.tokenizer, tokens.segmenter)
    sentences = language(text).sents if tokens.sentences else [language.make_doc(text)]
    return [
        [(token.text, token.idx, token.idx + len(token)) for token in sentence if not token.is_space]
        for sentence in sentences
    ]


def changed(placed: Placed, tokens: Tokens) -> list[Placed]:
    """A word after lower-casing, masking and splitting at punctuation, as the settings say: any number of words."""
    raw, start, end = placed
    if raw == DEIDENTIFIED:
        return [placed]
    word = raw.lower() if tokens.lower else raw
    if tokens.mask_numbers and any(map(str.isdigit, word)):
        word = MASKED
    if tokens.punctuation != "drop":
        return [(word, start, end)]
    # where it has other characters than the text, nobody knows which is which, and each part stands for the whole
    same = len(word) == len(raw) == end - start and word != MASKED
    return [
        (part[0], start + part.start() if same else start, start + part.end() if same else end)
        for part in LETTERS.finditer(word)
    ]


def at_last_marks(words: Sequence[Placed]) -> list[Placed]:
    """A sentence in which every run of characters that are no letters or digits, spaces among them, has become its last
    one, which is a word unless it is a space. It stands where the run stood.
    """
    joined = " ".join(word for word, _, _ in words)
    # the place of each character; a space between two words has that of the word before it
    places = [
        (start + at, start + at + 1) if len(word) == end - start else (start, end)
        for word, start, end in words
        for at in range(len(word) + 1)
    ]
    made: list[Placed] = []
    for run in RUNS.finditer(joined):
        begin, end = run.span()
        if not LETTERS.match(run[0]):
            if run[0][-1].isspace():
                continue
            begin += len(run[0]) - len(run[0].lstrip())
        word = run[0] if LETTERS.match(run[0]) else run[0][-1]
        made.append((word, places[begin][0], places[end - 1][1]))
    return made


def placed_words(text: str | list[str], tokens: Tokens) -> list[list[Placed]]:
    """The words of each sentence with their places in the text, which ascend; without empty sentences.

    The whole text is one sentence unless `tokens.sentences`. So is a text that the source has already split into words,
    and the place of each word is then its position.
    """
    if isinstance(text, list):
        return [[(word, at, at + 1) for at, word in enumerate(text)]]
    sentences: Iterable[list[Placed]] = (
        [part for word in words for part in changed(word, tokens)] for words in raw_sentences(text, tokens)
    )
    if tokens.punctuation == "last":
        sentences = map(at_last_marks, sentences)
    return [words for words in sentences if words]


def words_of(text: str | list[str], tokens: Tokens) -> list[list[str]]:
    """The same without places."""
    return [[word for word, _, _ in sentence] for sentence in placed_words(text, tokens)]
