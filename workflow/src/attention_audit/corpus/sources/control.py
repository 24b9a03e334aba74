"""Control corpora: texts whose truth is known, since they are generated, or words are planted in them.

A text is a sequence of filler words with a few cue words at random places. Fillers follow a Zipf-Mandelbrot law over a
vocabulary of pseudo-words, and lengths follow a shifted negative binomial, as in natural texts. Only the cues depend on
the label; fillers, length and order do not. In `digest`, texts are documents: sentences of filler words, and one
sentence with cues that decide the class.

Shortcuts are planted in the texts of another data set, as Bastings et al. (2022) plant them. Each planted text has a
word, or two words, that decide its label, which is drawn by lot: what the rest of the text says of it is noise. So the
truth is known of real texts too: a model that predicts these labels has found the planted words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from attention_audit.arrays import Floats, Integers
from attention_audit.columns.kinds import BY_DESIGN
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText
from attention_audit.section import Count, Name, Section, Seed

from ..rationales import mark_words
from ..raw import list_corpus_classes, read_corpus_texts
from ..source import OTHER_CORPUS, RawFiles, Source
from ..text import SPLITS, Text, Texts

Random = np.random.Generator
WordArray = npt.NDArray[np.str_]
GeneratedText = tuple[list[str], list[int], list[int] | None]
"""The words of a text, the positions of its cues, and those of each sentence's first word, where there are several."""

ONSETS = [*"bdfgklmnprstvz", "br", "dr", "gl", "kr", "pl", "st", "tr"]
VOWELS = [*"aeiou"]
CODAS = ["", "", "", "n", "r", "s", "l"]
STEMS = [onset + vowel for onset in ONSETS[:10] for vowel in VOWELS[:4]]

SIGNALS = ["lamp", "torch", "flare", "lantern", "candle", "bonfire", "lighthouse", "headlight"]

RANK_SHIFT = 2.7
"""Mandelbrot's constant for English: the word of rank r (from 1) has a share of about 1 / (r + 2.7)."""

BIAS = 0.6
"""In a debate, the probability that a word is of the text's own class: each word shifts the log odds by ln(.6/.4)."""

LENGTH_SHAPE = 4
"""Shape of the negative binomial: for a mean of m tokens beyond the shortest length, the variance is m + m^2 / 4."""
LEAST_WORDS = 12
"""No text is shortened below these: chorus has up to nine cues."""


class SplitSizes(Section):
    """Number of texts to generate for each split of a control corpus."""

    train: Count = 1500
    """Texts in the training split."""
    dev: Count = 250
    """Texts in the development split."""
    test: Count = 500
    """Texts in the test split."""


@dataclass(frozen=True)
class Kind:
    """How the texts of one kind are generated.

    fillers: words in the vocabulary without cues; at least one, though cues may take all places. shortest, mean: tokens
    of a text. positive: the share of the texts of the second of two classes; None: all classes have as many texts.
    cues: the cue words of each class. decoys: the last so many cues of a text are no evidence.
    """

    fillers: int
    shortest: int
    mean: int
    positive: float | None
    cues: tuple[list[str], ...]
    decoys: int = 0


TEXT_KINDS = {
    "needle": Kind(2400, 60, 120, 1 / 2, (["straw", "hay", "chaff"], ["needle", "thorn", "spike"])),
    "chorus": Kind(800, 12, 17, 1 / 2, ([f"dys{stem}" for stem in STEMS], [f"eu{stem}" for stem in STEMS])),
    "static": Kind(800, 8, 15, 1 / 2, ([], [])),
    "beacon": Kind(600, 35, 40, None, tuple([signal] for signal in SIGNALS)),
    "unison": Kind(1, 10, 15, 1 / 2, (["low"], ["high"])),
    "debate": Kind(1, 12, 12, 1 / 2, (["nay"], ["yea"])),
    "poll": Kind(1, 35, 40, 1 / 2, (["nay"], ["yea"])),
    "feint": Kind(40, 16, 20, 1 / 2, (["cold"], ["hot"], ["cool"], ["warm"]), decoys=1),
}


def draw_labels(random: Random, size: int, classes: int, positive: float | None) -> Integers:
    """Draw the labels of a split, (size,): 1 in a share of the texts and in one at least, 0 in the others; or, without
    a share, each class in as many texts as any other, or in one more.
    """
    order = random.permutation(size)
    return order % classes if positive is None else (order < max(1, round(size * positive))).astype(int)


def draw_votes(kind: str, random: Random, label: int, length: int) -> list[int]:
    """Draw the class of each cue of a text, whose label is there before its cues."""
    match kind:
        case "chorus":  # the text's own class has at least three more than the other one
            votes = int(random.choice([5, 7, 9]))
            against = int(random.integers(votes // 2))
            return [label] * (votes - against) + [1 - label] * against
        case "debate":
            return [label if agrees else 1 - label for agrees in random.random(length) < BIAS]
        case "poll":
            # the label is the class of one of the cues, drawn by lot; the others are drawn given that one: they are of
            # its class with a probability p, which would be uniform without it, and has the density 2p with it
            cues = int(random.integers(1, length + 1))
            support = 1 + int(random.binomial(cues - 1, random.beta(2, 1)))
            return [label] * support + [1 - label] * (cues - support)
        case "feint":  # decoys, of the other class, have numbers behind those of both classes
            return [label, 3 - label]
    return [label] * {"static": 0, "unison": length}.get(kind, 1)


def invent_words(random: Random, count: int) -> list[str]:
    """Draw `count` different pronounceable words, shorter ones first. No sequence of the syllables spells a cue."""
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = [random.choice(ONSETS) + random.choice(VOWELS) for _ in range(random.integers(1, 4))]
        words[str("".join(syllables) + random.choice(CODAS))] = None
    return sorted(words, key=len)


def shorten(kind: Kind, words: int) -> Kind:
    """Return a kind whose texts have so many words on average, 12 or more, and at least a share of these as before.

    All texts keep `LEAST_WORDS` where they had so many, so that there is room for every cue.
    """
    least = min(LEAST_WORDS, kind.shortest)
    return replace(kind, mean=words, shortest=max(least, kind.shortest * words // kind.mean))


def write_text(name: str, kind: Kind, random: Random, label: int, words: WordArray, shares: Floats) -> GeneratedText:
    """Write a text of this kind and label, as one sentence, in filler words that have these shares."""
    excess = kind.mean - kind.shortest
    length = kind.shortest + int(random.negative_binomial(LENGTH_SHAPE, LENGTH_SHAPE / (LENGTH_SHAPE + excess)))
    tokens = random.choice(words, length, p=shares).tolist()
    votes = draw_votes(name, random, label, length)
    positions = random.choice(length, size=len(votes), replace=False).tolist()
    for position, vote in zip(positions, votes, strict=True):
        tokens[position] = str(random.choice(kind.cues[vote]))
    return tokens, sorted(positions[: len(positions) - kind.decoys]), None


STREAM = 100
"""A number that makes the random streams of `digest` differ from those of the other control corpora."""
FILLERS = 600
CUES = (
    ["rain", "snow", "frost", "wind"],
    ["oak", "elm", "ash", "yew"],
    ["gold", "zinc", "lead", "brass"],
    ["owl", "jay", "wren", "crow"],
)
"""Of `digest`: four words for each class, which no filler can equal. They are half of the planted sentence's words."""
MIN_SENTENCES, EXTRA_SENTENCES = 3, 5
MIN_SENTENCE_WORDS, EXTRA_SENTENCE_WORDS = 4, 6
"""A document has 3 to 8 sentences; a sentence has 4 to 10 words and a full stop."""


def write_document(random: Random, label: int, words: WordArray, shares: Floats) -> GeneratedText:
    """Write a document of class `label`. All words of the planted sentence count as its cues."""
    count = MIN_SENTENCES + int(random.integers(EXTRA_SENTENCES + 1))
    sentences = []
    for _ in range(count):
        length = MIN_SENTENCE_WORDS + int(random.integers(EXTRA_SENTENCE_WORDS + 1))
        sentences.append([*random.choice(words, length, p=shares).tolist(), "."])
    evidence = int(random.integers(count))
    length = len(sentences[evidence]) - 1
    for position in random.choice(length, size=length // 2, replace=False):
        sentences[evidence][position] = str(random.choice(CUES[label]))
    starts = [*accumulate(map(len, sentences), initial=0)]
    planted = [*range(starts[evidence], starts[evidence + 1] - 1)]
    return [*chain(*sentences)], planted, starts[:-1]


class ControlCorpus(Source):
    """A generated corpus whose truth is known."""

    kind: Literal["needle", "chorus", "static", "beacon", "unison", "debate", "poll", "feint", "digest"]
    """needle: one cue word somewhere in a long text decides. chorus: the majority of many weak cues decides. static:
    the label does not depend on the text. beacon: one cue word decides between eight classes. unison: every word is a
    cue of the text's own class. debate: every word is a cue, and six of ten are of the text's own class. poll: any
    number of cues of both classes, of which one, drawn by lot, gives the label. feint: one cue word decides, and a
    decoy speaks weakly for the other class. digest: documents of four classes in which one planted sentence decides,
    and the others say nothing.
    """
    seed: Seed = 1
    """Seed of the generator."""
    texts: SplitSizes = SplitSizes()
    """Size of each split."""
    words: int | None = Field(None, ge=LEAST_WORDS)
    """Words of a text on average, of the shortest in proportion; null: as the kind has them, and always for digest."""

    @property
    def marked(self) -> bool:
        """Return whether the texts have cues."""
        return self.kind != "static"

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Generate the three splits; ids are <name>-<split>-<number>, from 00001.

        The vocabulary and each split have random streams of their own, so that the size of one split does not change
        another. Evidence: all cues; in chorus those of the minority too, since only all cues together show the
        majority; None for static; in digest, the words of the planted sentence.

        Raises AuditError where `words` are asked of digest.
        """
        write: Callable[..., GeneratedText] = write_document
        fillers, classes, positive, stream = FILLERS, len(CUES), None, STREAM
        if kind := TEXT_KINDS.get(self.kind):
            kind = kind if self.words is None else shorten(kind, self.words)
            write, fillers, positive = partial(write_text, self.kind, kind), kind.fillers, kind.positive
            classes, stream = len(kind.cues), list(TEXT_KINDS).index(self.kind)
        elif self.words is not None:
            raise AuditError(name, "the sentences of digest have lengths of their own", "leave out `words`")
        streams = [np.random.default_rng([self.seed, stream, i]) for i in range(1 + len(SPLITS))]
        words = np.array(invent_words(streams[0], fillers))
        shares = 1 / (np.arange(1, len(words) + 1) + RANK_SHIFT)
        shares /= shares.sum()
        for split, random in zip(SPLITS, streams[1:], strict=True):
            labels = draw_labels(random, getattr(self.texts, split), classes, positive)
            for number, label in enumerate(labels.tolist(), start=1):
                tokens, cues, starts = write(random, label, words, shares)
                id_, annotations = f"{name}-{split}-{number:05d}", mark_words(BY_DESIGN, cues) if cues else None
                yield Text(id_, split, str(label), tokens, id_, annotations=annotations, sentences=starts)


SHORTCUT, CONTEXT = "shortcut", "contextword"
"""The planted word of class k is `shortcut<k>`; in a context, `contextword` is planted with it."""


def put_in(text: Text, word: str, at: int) -> Text:
    """Put one more word into a text, as word `at`; a word at a sentence's beginning belongs to that sentence.

    Of the text as people write it, the word stands before the word that it pushes on, or at the end.
    """
    words, written = [*text.text], text.written
    if written is not None:
        begin = [*written.places, len(written.text) + 1][at]
        before, after = written.text[:begin], written.text[begin:]
        shifted = [start + len(word) + 1 for start in written.places[at:]]
        raw = f"{before}{word} {after}" if after else f"{before} {word}"
        written = RawText(raw, [*written.places[:at], begin, *shifted])
    words.insert(at, word)
    sentences = text.sentences and [start + (start > at) for start in text.sentences]
    return replace(text, text=words, sentences=sentences, written=written)


def put_words(text: Text, words: Sequence[str], random: Random) -> tuple[Text, list[int]]:
    """Put these words into a text in this order at random positions, and return these too."""
    length = len(text.text) + len(words)
    positions = sorted(random.choice(length, size=len(words), replace=False).tolist())
    for word, at in zip(words, positions, strict=True):
        text = put_in(text, word, at)
    return text, positions


class ShortcutCorpus(Source):
    """The texts of another data set, in which planted words decide the label (Bastings et al. 2022). Every test text is
    planted, so that accuracy says whether the model has learnt the shortcut.
    """

    annotated = True

    kind: Literal["shortcut"]
    """shortcut: words planted in the texts of another data set."""
    of: Name
    """The data set whose texts these are: single texts, with training texts of their own."""
    plant: Literal["token", "context", "order"] = "token"
    """token: one word a class decides, wherever it stands. context: it decides only where another word stands in the
    text too. order: two words are planted, and which of them comes first decides; for two classes. With the last two,
    as many train and dev texts as are planted have one of the words alone, and keep their label.
    """
    share: float = Field(0.25, gt=0, le=0.5)
    """Probability that a train or dev text is planted; every test text is."""
    seed: Seed = 1
    """Seed of the labels, places and texts that are drawn."""

    @property
    def other(self) -> str | None:
        """Return the data set whose texts these are."""
        return self.of

    def draw_words(self, label: int, random: Random) -> list[str]:
        """Draw the words that are planted in a text of this class, in their order."""
        cue = f"{SHORTCUT}{label}"
        match self.plant:
            case "token":
                return [cue]
            case "context":
                return [CONTEXT, cue] if random.random() < 1 / 2 else [cue, CONTEXT]
            case "order":
                return [cue, f"{SHORTCUT}{1 - label}"]

    def read(self, name: str, raw: RawFiles) -> Texts:
        """Read the texts of the other corpus with their ids, filtered and split as there. Evidence: the planted words.

        Raises AuditError where a planted word is in the texts already, or where their order is to decide between
        more than two classes.
        """
        corpus = raw[OTHER_CORPUS]
        classes, random = list_corpus_classes(corpus), np.random.default_rng(self.seed)
        if self.plant == "order" and len(classes) != 2:
            fault = f"{self.of} has {len(classes)} classes, and the order of two words decides between two"
            raise AuditError(name, fault, "name another `plant`")
        cues = {CONTEXT, *(f"{SHORTCUT}{label}" for label in range(len(classes)))}
        for text in read_corpus_texts(corpus):
            if clash := min(cues.intersection(text.text), default=None):
                raise AuditError(text.place, f"has the word {clash!r}, which is to be planted", "name another `of`")
            drawn, label = random.random(), int(random.integers(len(classes)))
            words = self.draw_words(label, random)
            if text.split == SPLITS[-1] or drawn < self.share:
                planted, positions = put_words(text, words, random)
                yield replace(planted, label=classes[label], annotations=mark_words(BY_DESIGN, positions))
            elif len(words) > 1 and drawn < 2 * self.share:
                yield put_words(text, [str(random.choice(words))], random)[0]
            else:
                yield text
