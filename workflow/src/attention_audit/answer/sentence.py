"""The answer as sentences that a person can quote, made from the words and from nothing else."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import isnan, nan
from typing import Any, NamedTuple

from attention_audit.answer.words import FLAT, NO, NOT_ASKED, NOTHING_NEW, TOO_FEW, UNDECIDED, YES
from attention_audit.columns.summary import PLAUSIBILITY

ALLOWED = {
    "needed": "the model has to choose where to look",
    "stable": "another training shows this map",
    "used": "the prediction depends on these weights",
    "ranks": "items with more weight matter more to the decision",
    "located": "words with weight are words of the input that matter",
    "signed": "a highlighted {item} speaks for the prediction{by}",
    "unique": "no other map was found that would do",
    "transferable": "the weights say something about the words beyond this model",
}
"""What a reader may say where the answer is yes, by question."""
GUESSING = "No better than always giving the same answer, so there is no decision that its map could explain."
DOUBTFUL = "Not clearly better than always giving the same answer."
NO_TEST_BED = (
    "Uniform weights do as well, so this task is no test bed for attention: "
    '"attention is not explanation if you don\'t need it" (Wiegreffe & Pinter 2019, section 3.2).'
)
NOTHING_FURTHER = (
    "A model that predicts alike attends no further away than another training does by itself, which shows nothing new."
)
FROZEN = "All trainings share a frozen encoder, so that they differ in attention and decoder alone."
"""Said where the maps of several trainings are compared."""
ALONE = "This training only"
"""Said of what rests on one training."""

SCORES = ("accuracy", "majority_accuracy")
"""The columns of columns.SUMMARY that say how well a model predicts."""


def quality(learnt: str, scores: Mapping[str, Any]) -> str:
    """How well a model predicts, beside always the largest class; "" where that is not known.

    learnt: the word of `learnt`, which compares the two. scores: `SCORES`, None or NaN where they are not known.
    """
    values = {name: scores[name] for name in SCORES}
    if any(value is None or isnan(value) for value in values.values()):
        return ""
    beside = "accuracy {accuracy:.3f}, the majority class alone {majority_accuracy:.3f}".format(**values)
    poor = {NO: "no better than", UNDECIDED: "not clearly better than"}
    return f"{poor[learnt]} always the same answer: {beside}" if learnt in poor else beside


def beside_marks(row: Mapping[Any, Any]) -> str:
    """How well attention points to marked words, beside chance and other annotators; "" where no words are marked.

    row: of columns.SUMMARY, with None or NaN where a value is not known. Never part of the answer: a map may please and
    mislead.
    """
    known = {name: row[name] for name in PLAUSIBILITY if row[name] is not None and not isnan(row[name])}
    if "plausibility_value" not in known:
        return ""
    said = "Marked words: AUPRC {plausibility_value:.2f}".format(**known)
    if "plausibility_low" in known:
        said += " [{plausibility_low:.2f}, {plausibility_high:.2f}]".format(**known)
    said += "; random {plausibility_random:.2f}".format(**known)
    others = ", one annotator against the others {plausibility_others:.2f}" if "plausibility_others" in known else ""
    return f"{said}{others.format(**known)}."


class Said(NamedTuple):
    """One answer: its word, its value (NaN where there is none), and on how many trainings it rests.

    these: whether it is of each of these trainings, and not of another one. few: what is there and what is needed,
    where texts or trainings are too few for a word.
    """

    word: str
    value: float
    trainings: int
    these: bool = False
    few: str = ""


class Top(NamedTuple):
    """What is known of the items with the most attention: the shares of the texts whose own opposes the prediction, and
    is inert; and whether that was found by erasing it, for want of an exact contribution.
    """

    opposes: float
    inert: float
    erased: bool

    @property
    def by(self) -> str:
        """How it was found, where not by an exact contribution."""
        return " (by erasure)" if self.erased else ""


class Instead(NamedTuple):
    """The attribution that does best, by its label, its value and attention's, and whether it clearly does better."""

    label: str
    value: float
    attention: float
    better: bool


def listed(parts: Sequence[str]) -> str:
    """One thing, or several with commas and an "and"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _ranked(warning: str, means: str, said: Said, instead: Instead | None) -> str:
    """A warning with attention's value and, where another attribution clearly does better, with that one's."""
    if instead is None or not instead.better:
        return f"{warning}: {means} reaches {said.value:.2f} of what can be had."
    return (
        f"{warning}: {means} reaches {instead.attention:.2f} of what can be had, {instead.label} {instead.value:.2f}; "
        f"show {instead.label} instead."
    )


WARNINGS: Mapping[str, Callable[[Said, Instead | None], str]] = {
    "needed": lambda said, instead: NO_TEST_BED,
    "stable": lambda said, instead: "Do not expect this map of another training, which shows another one.",
    "used": lambda said, instead: (
        f"The prediction hardly depends on these weights: shuffled, they move it by {said.value:.3f}."
    ),
    "ranks": partial(_ranked, "Do not read weights as importance", "erasing by attention"),
    "located": partial(
        _ranked, "Do not take words with weight for the words that matter", "deleting them from the input"
    ),
    "unique": lambda said, instead: (
        "Do not call the map the explanation: a model that predicts alike attends elsewhere, further away than other "
        "trainings do."
    ),
    "transferable": lambda said, instead: "Do not conclude anything about the words beyond this model.",
}
"""What a reader must not conclude where the answer is no, by question; of `signed`, `_contrary` says it."""


def _contrary(item: str, said: Said, top: Top) -> str:
    """That highlighted items do not speak for the prediction, with the shares of the texts."""
    for_, against, neither = (100 * share for share in (said.value, top.opposes, top.inert))
    return (
        f"Do not read a highlighted {item} as one that speaks for the prediction{top.by}: it does in {for_:.0f} % of "
        f"the texts, speaks against it in {against:.0f} %, and hardly does either in {neither:.0f} %."
    )


def _better(question: str, instead: Instead | None) -> str:
    """Another attribution that clearly does better, where attention's own word is not no; "" where none does."""
    if instead is None or not instead.better:
        return ""
    does = "ranks the items better" if question == "ranks" else "points to the words better"
    label = instead.label[:1].upper() + instead.label[1:]
    return f"{label} {does} than attention ({instead.value:.2f} against {instead.attention:.2f})."


def _too_few(answers: Mapping[str, Said]) -> str:
    """The questions for which texts or trainings are too few, with what is there and what is needed; "" for none."""
    by_reason: dict[str, list[str]] = {}
    for question, said in answers.items():
        if said.word == TOO_FEW:
            by_reason.setdefault(said.few, []).append(question)
    parts = [f"{', '.join(questions)} ({few})" for few, questions in by_reason.items()]
    return f"Too little for a word: {'; '.join(parts)}." if parts else ""


def _scope(answers: Mapping[str, Said]) -> Iterator[str]:
    """Of which trainings the words are that are not said of another one."""
    said = {question: each for question, each in answers.items() if each.word in (YES, NO)}
    some = {
        ALONE: [question for question, each in said.items() if each.trainings == 1],
        **{
            f"Of each of these {each.trainings} trainings only": [name for name, other in said.items() if other.these]
            for each in said.values()
            if each.these
        },
    }
    for scope, questions in some.items():
        if questions:
            yield f"{scope}." if len(questions) == len(said) else f"{scope}: {', '.join(questions)}."


def sentence(
    answers: Mapping[str, Said],
    learnt: Said,
    instead: Mapping[str, Instead | None],
    frozen: bool = False,
    top: Top | None = None,
) -> str:
    """What a reader may conclude and what not, in whole sentences.

    answers: by question, in order. learnt: whether the model is better than the largest class alone. instead: by
    question, `ranks` and `located`, None where it is not known. frozen: whether all trainings have one encoder, which
    none of them has trained. top: what `signed` rests on. A model that guesses is told in one sentence: there is no
    decision that its map could explain. An item of the map is called a word where `located` is yes; else a state, which
    may hold what other words say.
    """
    if learnt.word == NO:
        return GUESSING
    words = {question: said.word for question, said in answers.items()}
    by_word = {
        word: [question for question in answers if words[question] == word] for word in (YES, UNDECIDED, NOT_ASKED)
    }
    item = "word" if words["located"] == YES else "state"
    shares = top or Top(nan, nan, False)
    parts = [DOUBTFUL] if learnt.word == UNDECIDED else []
    if FLAT in words.values():
        parts.append("The map is flat: all items have nearly the same weight.")
    for question, said in answers.items():
        if said.word == NO:
            warned = WARNINGS.get(question)
            parts.append(warned(said, instead.get(question)) if warned else _contrary(item, said, shares))
        elif said.word not in (NOT_ASKED, FLAT):
            parts.append(_better(question, instead.get(question)))
    if words["unique"] == NOTHING_NEW:
        parts.append(NOTHING_FURTHER)
    if by_word[YES]:
        allowed = [ALLOWED[question].format(item=item, by=shares.by) for question in by_word[YES]]
        parts.append(f"What may be said: {listed(allowed)}.")
    if by_word[UNDECIDED]:
        parts.append(f"Undecided: {', '.join(by_word[UNDECIDED])}.")
    parts.append(_too_few(answers))
    if by_word[NOT_ASKED]:
        parts.append(f"Not asked: {', '.join(by_word[NOT_ASKED])}.")
    if frozen and answers["stable"].trainings > 1:
        parts.append(FROZEN)
    return " ".join(filter(None, [*parts, *_scope(answers)]))
