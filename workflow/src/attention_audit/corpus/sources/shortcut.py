"""Shortcuts planted in the texts of another data set, as Bastings et al. (2022) plant them.

Each planted text has a word, or two words, that decide its label, which is drawn by lot: what the rest of the text says
of it is noise. So the truth is known of real texts too: a model that predicts these labels has found the planted words.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field

from attention_audit.columns.kinds import BY_DESIGN
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText
from attention_audit.section import Name, Seed

from ..rationales import of_words
from ..raw import classes_of, texts_in
from ..source import OTHER_CORPUS, Files, Source
from ..text import SPLITS, Text, Texts

SHORTCUT, CONTEXT = "shortcut", "contextword"
"""The planted word of class k is `shortcut<k>`; in a context, `contextword` is planted with it."""
TEST = SPLITS[-1]


def put_in(text: Text, word: str, at: int) -> Text:
    """The text with one more word, which is word `at` then; a word at a sentence's beginning belongs to that sentence.

    Of the text as people write it, the word stands before the word that it pushes on, or at the end.
    """
    words, written = [*text.text], text.written
    if written is not None:
        begin = written.places[at] if at < len(words) else len(written.text) + 1
        before, after = written.text[:begin], written.text[begin:]
        shifted = [place + len(word) + 1 for place in written.places[at:]]
        whole = f"{before}{word} {after}" if at < len(words) else f"{before} {word}"
        written = RawText(whole, [*written.places[:at], begin, *shifted])
    sentences = text.sentences and [start + (start > at) for start in text.sentences]
    return replace(text, text=[*words[:at], word, *words[at:]], sentences=sentences, written=written)


def planted(text: Text, words: Sequence[str], random: np.random.Generator) -> tuple[Text, list[int]]:
    """The text with these words in this order at random places, and where they stand."""
    length = len(text.text) + len(words)
    places = sorted(random.choice(length, size=len(words), replace=False).tolist())
    for word, at in zip(words, places, strict=True):
        text = put_in(text, word, at)
    return text, places


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
        """The data set whose texts these are."""
        return self.of

    def words(self, label: int, random: np.random.Generator) -> list[str]:
        """The words that are planted in a text of this class, in their order."""
        own = f"{SHORTCUT}{label}"
        match self.plant:
            case "token":
                return [own]
            case "context":
                return [CONTEXT, own] if random.random() < 1 / 2 else [own, CONTEXT]
            case "order":
                return [own, f"{SHORTCUT}{1 - label}"]

    def read(self, name: str, raw: Files) -> Texts:
        """The texts of the other corpus with their ids, filtered and split as there. Evidence: the planted words.

        Raises AuditError where a planted word is in the texts already, or where their order is to decide between
        more than two classes.
        """
        corpus = raw[OTHER_CORPUS]
        classes, random = classes_of(corpus), np.random.default_rng(self.seed)
        if self.plant == "order" and len(classes) != 2:
            raise AuditError(
                f"{name}: {self.of} has {len(classes)} classes, and the order of two words decides between two; "
                "name another `plant`"
            )
        own = {CONTEXT, *(f"{SHORTCUT}{label}" for label in range(len(classes)))}
        for text in texts_in(corpus):
            if found := sorted(own.intersection(text.text)):
                raise AuditError(f"{text.place}: has the word {found[0]!r}, which is to be planted; name another `of`")
            drawn, label = random.random(), int(random.integers(len(classes)))
            words = self.words(label, random)
            if text.split == TEST or drawn < self.share:
                made, places = planted(text, words, random)
                yield replace(made, label=classes[label], annotations=of_words({BY_DESIGN: places}))
            elif len(words) > 1 and drawn < 2 * self.share:
                yield planted(text, [str(random.choice(words))], random)[0]
            else:
                yield text
