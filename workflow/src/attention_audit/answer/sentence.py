"""The answer as sentences that a person can quote, made from the words and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan
from typing import Any, NamedTuple

from attention_audit.answer.words import FLAT, NO, NOT_ASKED, UNDECIDED, YES
from attention_audit.columns.summary import PLAUSIBILITY

ALLOWED = {
    "needed": "the model has to choose where to look",
    "stable": "another training shows this map",
    "used": "the prediction depends on these weights",
    "ranks": "items with more weight matter more to the decision",
    "located": "words with weight are words of the input that matter",
    "signed": "a highlighted word speaks for the prediction",
    "unique": "no other map was found that would do",
    "transferable": "the weights say something about the words beyond this model",
}
"""What a reader may say where the answer is yes, by question."""
GUESSING = "No better than always giving the same answer, so there is no decision that its map could explain."
DOUBTFUL = "Not clearly better than always giving the same answer."
UNINFORMATIVE = "Not needed for this task, so its map is uninformative here."
FROZEN = "All trainings share a frozen encoder, so that they differ in attention and decoder alone."
"""Said where the maps of several trainings are compared."""
ALONE = "This training only"
"""Said of what rests on one training."""


SCORES = ("f1", "constant_f1", "accuracy", "majority_accuracy")
"""The columns of columns.SUMMARY that say how well a model predicts."""


def quality(learnt: str, scores: Mapping[str, Any]) -> str:
    """How well a model predicts, beside always the largest class; "" where that is not known.

    learnt: the word of `learnt`, which compares F1 with that of the best answer that is the same for all texts. scores:
    `SCORES`, None or NaN where they are not known.
    """
    values = {name: scores[name] for name in SCORES}
    if any(value is None or isnan(value) for value in values.values()):
        return ""
    beside = "accuracy {accuracy:.3f}, the majority class alone {majority_accuracy:.3f}".format(**values)
    poor = {NO: "no better than", UNDECIDED: "not clearly better than"}
    if learnt in poor:
        compared = "F1 {f1:.3f}, the best of them {constant_f1:.3f}".format(**values)
        return f"{poor[learnt]} always the same answer: {compared}; {beside}"
    if values["accuracy"] > values["majority_accuracy"]:
        return beside
    return "F1 {f1:.3f}, the best answer that is always the same {constant_f1:.3f}; {beside}".format(
        beside=beside, **values
    )


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
    """One answer: its word, its value (NaN where there is none), and on how many trainings it rests."""

    word: str
    value: float
    trainings: int


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
    "needed": lambda said, instead: UNINFORMATIVE,
    "stable": lambda said, instead: "Do not expect this map of another training, which shows another one.",
    "used": lambda said, instead: (
        f"The prediction hardly depends on these weights: shuffled, they move it by {said.value:.3f}."
    ),
    "ranks": partial(_ranked, "Do not read weights as importance", "erasing by attention"),
    "located": partial(
        _ranked, "Do not take words with weight for the words that matter", "deleting them from the input"
    ),
    "signed": lambda said, instead: (
        "Do not read a highlighted word as one that speaks for the prediction: "
        f"in {100 * (1 - said.value):.0f} % of the texts it speaks against it."
    ),
    "unique": lambda said, instead: (
        "Do not call the map the explanation: a model that predicts alike attends elsewhere."
    ),
    "transferable": lambda said, instead: "Do not conclude anything about the words beyond this model.",
}
"""What a reader must not conclude where the answer is no, by question."""


def _better(question: str, instead: Instead | None) -> str:
    """Another attribution that clearly does better, where attention's own word is not no; "" where none does."""
    if instead is None or not instead.better:
        return ""
    does = "ranks the items better" if question == "ranks" else "points to the words better"
    label = instead.label[:1].upper() + instead.label[1:]
    return f"{label} {does} than attention ({instead.value:.2f} against {instead.attention:.2f})."


def sentence(
    answers: Mapping[str, Said], learnt: Said, instead: Mapping[str, Instead | None], frozen: bool = False
) -> str:
    """What a reader may conclude and what not, in whole sentences.

    answers: by question, in order. learnt: whether the model is better than a constant answer. instead: by question,
    `ranks` and `located`, None where it is not known. frozen: whether all trainings have one encoder, which none of
    them has trained. A model that guesses, or that does not need its attention, is told in one sentence: the other
    questions are then about a map that the model does without.
    """
    if learnt.word == NO:
        return GUESSING
    if answers["needed"].word == NO:
        return UNINFORMATIVE
    words = {question: said.word for question, said in answers.items()}
    by_word = {
        word: [question for question in answers if words[question] == word] for word in (YES, UNDECIDED, NOT_ASKED)
    }
    parts = [DOUBTFUL] if learnt.word == UNDECIDED else []
    if FLAT in words.values():
        parts.append("The map is flat: all items have nearly the same weight.")
    for question, said in answers.items():
        if said.word == NO:
            parts.append(WARNINGS[question](said, instead.get(question)))
        elif said.word not in (NOT_ASKED, FLAT):
            parts.append(_better(question, instead.get(question)))
    if by_word[YES]:
        parts.append(f"What may be said: {listed([ALLOWED[question] for question in by_word[YES]])}.")
    if by_word[UNDECIDED]:
        parts.append(f"Undecided: {', '.join(by_word[UNDECIDED])}.")
    if by_word[NOT_ASKED]:
        parts.append(f"Not asked: {', '.join(by_word[NOT_ASKED])}.")
    if frozen and answers["stable"].trainings > 1:
        parts.append(FROZEN)
    alone = [question for question, said in answers.items() if said.word in (YES, NO) and said.trainings == 1]
    if alone:
        every = len(alone) == sum(said.word in (YES, NO) for said in answers.values())
        parts.append(f"{ALONE}." if every else f"{ALONE}: {', '.join(alone)}.")
    return " ".join(filter(None, parts))
