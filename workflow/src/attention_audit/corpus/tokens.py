"""Words of a raw text, and its sentences."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from attention_audit.errors import AuditError
from attention_audit.section import Distinct, Section

from .english import DEIDENTIFIED, ENGLISH, FURTHER_SUFFIX, find_english_words, list_spacy_folders
from .rationales import Span
from .text import COMBINING_MARKS, clean_characters, strip_html

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
    CHINESE: "`python -m pip install jieba`",
    "ja": "`python -m pip install sudachipy sudachidict_core`",
    "ko": "mecab-ko with its dictionary, and `python -m pip install natto-py`",
    "th": "`python -m pip install pythainlp`",
    "vi": "`python -m pip install pyvi`",
}
"""How to install that, by language."""
CHARACTERS = {
    CHINESE: ("Chinese", "characters", f"install jieba ({PACKAGES[CHINESE]})"),
    "km": ("Khmer", "characters", "use `spaces` and set some between words, as khmer-nltk can"),
    "lo": ("Lao", "characters", "use `spaces` and set some between words, as laonlp can"),
    "my": ("Burmese", "characters", "use `spaces` and set some between words, as pyidaungsu can"),
    "bo": ("Tibetan", "syllables", "use `spaces` and set some between words, as botok can"),
}
"""Languages without spaces that are split into what is smaller than words: name, items, and how to have words."""
MAX_PIPELINE_WORDS = 2**18
"""Different words that a pipeline keeps in memory at most; each takes half a kilobyte."""
Placed = tuple[str, int, int]
"""A word, and where it begins and ends in its text, in characters."""
UNSPACED = (
    "\u0e00-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f\u2e80-\u2fdf\u3005\u3007\u3040-\u312f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts without spaces: Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese."""
APOSTROPHE_SCRIPTS = "\u0400-\u05ff"
"""Cyrillic, Armenian and Hebrew, in which an apostrophe or the like between two letters is a part of the word."""
APOSTROPHE = rf"(?<=[{APOSTROPHE_SCRIPTS}])['\"’״׳՚-՞](?=[{APOSTROPHE_SCRIPTS}])"
WORD = rf"\w(?:[\w{COMBINING_MARKS}\u200c\u200d]|{APOSTROPHE}| (?=\w))*"
"""Letters and digits with their marks; a word of Vietnamese, as its tokenizer finds it, may have spaces in it."""
NO_SPACES, LETTER_RUN, RUNS = re.compile(r"\S+"), re.compile(WORD), re.compile(rf"(?P<word>{WORD})|[^\w\s]\W*+(?<!\s)")
EXTENDERS = rf"[{COMBINING_MARKS}\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
CLUSTER = rf"[\U0001f1e6-\U0001f1ff]{{2}}|\S{EXTENDERS}(?:(?<=[\u1039\u17d2\u200d])\S{EXTENDERS})*"
"""A character with its marks, and what a joiner sets below or beside it; or a flag."""
CLUSTERS = re.compile(CLUSTER)
SYLLABLES = re.compile(rf"[\u0f40-\u0fbc]+|(?:[^\W{UNSPACED}]{EXTENDERS})+|{CLUSTER}")
"""Where there are no spaces and nothing finds words: a syllable of Tibetan, a word of another script, a character."""
SYLLABLE_MARK = "\u0f0b"
"""Tibetan's sign between syllables."""
DOTLESS = ("tr", "az")
"""Languages in which the small letter of I has no dot."""
DIGIT_MASK = "qqq"
"""Stands for a word that holds a digit, where these are masked."""


class Tokens(Section):
    """How a text becomes words."""

    tokenizer: str = "en"
    """spaCy language code (its rules only, no trained model); `spaces`: split on white space only; km, lo, my: Khmer,
    Lao and Burmese as single characters with their marks; bo: Tibetan as syllables.
    """
    lower: bool = True
    """Lower-case the words."""
    mask_numbers: bool = False
    """Write every word that holds a digit as `qqq`, as Jain & Wallace do."""
    punctuation: Literal["keep", "drop", "last"] = "keep"
    """drop: leave out words without a letter or digit, and split others there. last: every run of such characters,
    spaces among them, becomes its last one, as Jain & Wallace do to 20 Newsgroups.
    """
    segmenter: Literal["characters", "jieba"] | None = Field(None, validate_default=True)
    """How Chinese becomes words; null: by jieba where it is installed, else as single characters."""
    strip_html: bool = False
    """Read HTML tags as spaces, and entities as their characters. Classifiers of `hf` read the text as it is written.
    """
    sentences: bool = False
    """Keep sentence boundaries, for hierarchical models (spaCy's rules)."""
    whole: Distinct[str] = []
    """Words that stay as they are written, wherever they stand, such as `<user>` or `[E1]`. Special and added tokens of
    the tokenizers of `hf` are among them.
    """

    @field_validator("tokenizer")
    @classmethod
    def _check_code(cls, code: str) -> str:
        codes = (code for folder in list_spacy_folders() if code.isalpha() and Path(folder, "lang", code).is_dir())
        if code not in (SPACES, *CHARACTERS, *codes):
            raise ValueError(f"unknown tokenizer {code!r}; write a language code of spaCy, such as en, or {SPACES}")
        return code

    @field_validator("segmenter")
    @classmethod
    def _choose_segmenter(cls, segmenter: str | None, info: ValidationInfo) -> str | None:
        if (code := info.data.get("tokenizer")) != CHINESE:
            default = "characters" if code in CHARACTERS else None
            if segmenter not in (None, default):
                raise ValueError(f"only for `tokenizer: {CHINESE}`; remove it")
            return default
        # settled before jobs are told, so that a corpus is made anew where jieba has been installed since
        return segmenter or ("jieba" if find_spec("jieba") else "characters")


def describe_splitting(tokens: Tokens) -> str:
    """Say what makes words of a language that is written without spaces, for notes; "" for any other."""
    if tokens.segmenter == "characters":
        name, items, cure = CHARACTERS[tokens.tokenizer]
        return f"{name} is split into single {items}, so that maps are of {items}; for words, {cure}"
    return SEGMENTED.get(tokens.tokenizer, "")


def name_lacking(tokens: Tokens) -> AuditError | None:
    """Say which package is missing that a language without spaces needs, and how to install it; None where none is."""
    if tokens.tokenizer in PACKAGES:
        try:
            get_pipeline(tokens.tokenizer, tokens.segmenter)
        except AuditError as error:
            return error
    return None


@cache
def build_pipeline(code: str, segmenter: str | None = None) -> "Language":
    """Build spaCy's blank pipeline of a language with its rule-based sentence splitter: nothing in it is trained.

    Raises AuditError where the language needs a package that is not installed.
    """
    import spacy  # imported here, since it takes a second and control corpora do not need it
    from spacy.tokenizer import Tokenizer

    config = {"nlp": {"tokenizer": {"segmenter": "jieba"}}} if segmenter == "jieba" else {}
    try:
        language = spacy.blank(code, config=config)
    except ImportError as error:
        fault = f"{SEGMENTED[code]}, which is not installed"
        raise AuditError("tokens", fault, f"install it ({PACKAGES[code]})") from error
    if isinstance(language.tokenizer, Tokenizer):  # languages without spaces have tokenizers of another class
        language.tokenizer.add_special_case(DEIDENTIFIED, [{"ORTH": DEIDENTIFIED}])
        suffixes = [*(language.Defaults.suffixes or ()), FURTHER_SUFFIX]
        language.tokenizer.suffix_search = spacy.util.compile_suffix_regex(suffixes).search
    language.add_pipe("sentencizer")
    language.max_length = 10**9  # spaCy's own limit is meant for parsers, whose memory grows with the length
    return language


def get_pipeline(code: str, segmenter: str | None = None) -> "Language":
    """Get a pipeline, and a new one once it has MAX_PIPELINE_WORDS: spaCy keeps every word, so memory would grow.

    Raises AuditError as `build_pipeline` does.
    """
    try:
        language = build_pipeline(code, segmenter)
    except AuditError as error:
        otherwise = "set `tokens: {tokenizer: spaces}` where spaces stand between the words already"
        raise AuditError(error.place, error.fault, f"{error.remedy}, or {otherwise}") from error
    if len(language.vocab) > MAX_PIPELINE_WORDS:
        build_pipeline.cache_clear()
        language = build_pipeline(code, segmenter)
    return language


def cut_passages(text: str) -> list[tuple[int, int]]:
    """Find where a text is cut at the white space between its sentences, by spaCy's rules for any language."""
    starts = [sentence.start_char for sentence in get_pipeline(ANY_LANGUAGE)(text).sents]
    cuts = [start for start in starts if start == 0 or text[start - 1].isspace() or text[start].isspace()]
    return list(pairwise([*cuts, len(text)]))


def split_sentences(text: str, tokens: Tokens) -> list[list[Placed]]:
    """Split each sentence, or the whole text as one, into words as the tokenizer gives them."""
    if tokens.tokenizer == SPACES:
        cuts = cut_passages(text) if tokens.sentences else [(0, len(text))]
        return [[(word[0], *word.span()) for word in NO_SPACES.finditer(text, *cut)] for cut in cuts]
    single = tokens.segmenter == "characters"
    if tokens.tokenizer == ENGLISH and not tokens.sentences:
        found = [find_english_words(text)]
    else:
        language = get_pipeline(CHINESE if single else tokens.tokenizer, tokens.segmenter)
        found = [
            [(token.idx, token.idx + len(token)) for token in sentence if not token.is_space]
            for sentence in (language(text).sents if tokens.sentences else [language.make_doc(text)])
        ]
    clusters = () if text.isascii() and not single else (SYLLABLES if single else CLUSTERS).finditer(text)
    # places at which no word begins
    within = {at for match in clusters for at in range(match.start() + 1, match.end())}
    sentences: list[list[Placed]] = []
    for places in found:
        words: list[Placed] = []
        for start, end in places:
            if words and start in within and start == words[-1][2]:
                begin = words.pop()[1]
                words.append((text[begin:end], begin, end))
            elif text[start:end] != SYLLABLE_MARK:
                words.append((text[start:end], start, end))
        sentences.append(words)
    return sentences


def normalise_word(placed_word: Placed, tokens: Tokens) -> list[Placed]:
    """Lower-case, mask and split a word at punctuation, as the settings say, into any number of words."""
    raw, start, end = placed_word
    if raw == DEIDENTIFIED:
        return [placed_word]
    word = raw
    if tokens.lower:
        # as they are in Turkish, whose dotted capital alone would become two characters
        word = word.replace("İ", "i").replace("I", "ı" if tokens.tokenizer in DOTLESS else "i").lower()
    if tokens.mask_numbers and any(map(str.isdigit, word)):
        word = DIGIT_MASK
    if tokens.punctuation != "drop":
        return [(word, start, end)]
    # where it has other characters than the text, nobody knows which is which, and each part stands for the whole
    same = len(word) == len(raw) == end - start and word != DIGIT_MASK
    return [
        (part[0], start + part.start() if same else start, start + part.end() if same else end)
        for part in LETTER_RUN.finditer(word)
    ]


def keep_last_marks(words: Sequence[Placed]) -> list[Placed]:
    """Replace every run of characters of a sentence that are no letters or digits, spaces among them, by its last one,
    which is a word unless it is a space. It stands where the run stood.
    """
    joined = "\n".join(word for word, _, _ in words)
    # the place of each character; a line end between two words has that of the word before it
    spans = [
        (start + at, start + at + 1) if len(word) == end - start else (start, end)
        for word, start, end in words
        for at in range(len(word) + 1)
    ]
    return [
        (run["word"] or CLUSTERS.findall(run[0])[-1], spans[run.start()][0], spans[run.end() - 1][1])
        for run in RUNS.finditer(joined)
    ]


class SplitText(NamedTuple):
    """The words of a text. places: where each begins and ends in the text; they ascend. begins: the positions of the
    first words of sentences, without empty ones.
    """

    words: list[str]
    places: list[Span]
    begins: list[int]


@cache
def compile_whole(words: tuple[str, ...]) -> re.Pattern[str]:
    """Compile a pattern of words that are whole, of which the longest counts."""
    return re.compile(f"({'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})")


def split_part(part: str, begin: int, tokens: Tokens) -> list[list[Placed]]:
    """Split a part of a text, in which it stands at `begin`, into the words of its sentences."""
    cleaned, offsets = clean_characters(strip_html(part) if tokens.strip_html else part)
    sentences = [
        [*chain(*(normalise_word(word, tokens) for word in words))] for words in split_sentences(cleaned, tokens)
    ]
    if tokens.punctuation == "last":
        sentences = [*map(keep_last_marks, sentences)]
    return [[(word, begin + offsets[start], begin + offsets[end]) for word, start, end in each] for each in sentences]


def split_words(text: str | list[str], tokens: Tokens) -> SplitText:
    """Split a text into words, and into sentences where `tokens.sentences` says so; else it is one.

    Words are in NFC. Characters that nobody sees are in none, but in the place of the word beside them. A text that
    the source has already split into words is one sentence, and the place of each word is then its position.
    """
    if isinstance(text, list):
        return SplitText(text, [(at, at + 1) for at in range(len(text))], [0])
    sentences: list[list[Placed]] = []
    parts = re.split(compile_whole(tuple(tokens.whole)), text) if tokens.whole else [text]
    for number, (start, part) in enumerate(zip(accumulate(map(len, parts), initial=0), parts, strict=False)):
        found = [[(part, start, start + len(part))]] if number % 2 else split_part(part, start, tokens)
        if sentences and found:
            # it goes on behind a word that is whole
            sentences[-1] += found.pop(0)
        sentences += found
    placed_words, lengths = [*chain(*sentences)], map(len, filter(None, sentences))
    return SplitText(
        [word for word, _, _ in placed_words],
        [(start, end) for _, start, end in placed_words],
        [*accumulate(lengths, initial=0)][:-1],
    )
