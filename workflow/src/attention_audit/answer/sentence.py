"""The answer as sentences that a person can quote, made from the words and from nothing else."""

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from attention_audit.answer.words import FLAT, NO, NOT_ASKED, NOTHING_NEW, TOO_FEW, UNDECIDED, YES
from attention_audit.columns.summary import PLAUSIBILITY, YARDSTICKS

ALLOWED = {
    "needed": "the model predicts better than one trained with equal weights",
    "stable": "another training shows a similar map",
    "used": "the prediction depends on these weights",
    "ranks": "{item}s with more weight matter more to the decision",
    "located": "words with weight are words of the text that matter",
    "signed": "a highlighted {item} speaks for the prediction",
    "unique": "no other map was found that would do as well",
    "transferable": "the weights help another, simpler model too",
}
"""What a reader may say where the answer is yes, by question."""
WHETHER = {**ALLOWED, "unique": "another map would do as well"}
"""What is open where there is neither a yes nor a no, behind "whether"."""
OPENS = {
    UNDECIDED: "It is undecided whether",
    TOO_FEW: "There are too few trainings or texts to say whether",
    NOT_ASKED: "This run did not ask whether",
}
"""How the sentence of what is open begins, by word."""
GUESSING = (
    "The model is no better than always giving the same answer, so there is no decision that its map could explain."
)
DOUBTFUL = "The model is not clearly better than always giving the same answer."
FLATTENED = "The map is flat: it gives everything nearly the same weight, so it singles out nothing."
NOTHING_FURTHER = (
    "A model that predicts nearly alike attends no further away than another training does by itself, which shows "
    "nothing new."
)
POSITION = "A position is where a word stands; what the model holds there may come from other words."
"""Said where items of the map are called positions."""
FROZEN = "All trainings share a frozen encoder, so that they differ in attention and decoder alone."
"""Said where the maps of several trainings are compared."""
ALONE = "tested on one training only"
"""Of what rests on one training."""
THESE = "true of these {trainings} trainings"
"""Of what is known of the trainings of the run, and of no other."""
OTHERS = "Another training may differ."
"""Said once where anything is true of these trainings."""

FAR = 0.75
"""Share of the largest class's share below which an accuracy looks like that of labels in another order."""
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
    said = f"{poor[learnt]} always the same answer: {beside}" if learnt in poor else beside
    return "; ".join(filter(None, [said, ask_order(values)]))


def ask_order(scores: Mapping[str, Any]) -> str:
    """Ask whether labels are in another order than the classes of a model whose accuracy is far below the largest
    class's share; "" of any other. scores: as in `quality`.
    """
    own, largest = (scores[name] for name in SCORES)
    if None in (own, largest) or not own < FAR * largest:
        return ""
    return (
        f"are the labels in another order than the model's classes? Its accuracy, {own:.3f}, is far below the largest "
        f"class's share, {largest:.3f}"
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
    """One answer: its word, its value (NaN where there is none), and on how many trainings it rests.

    these: whether it is of these trainings, and not of another one.
    """

    word: str
    value: float
    trainings: int
    these: bool = False

    @property
    def scope(self) -> str:
        """Of which trainings a yes or a no holds; "" where it is said of another one too."""
        if self.word not in (YES, NO):
            return ""
        return ALONE if self.trainings == 1 else THESE.format(trainings=self.trainings) if self.these else ""


class Instead(NamedTuple):
    """The attribution that does best, by its label, whether it clearly does better than attention, and `itself`.

    second: the label of another one than which it is not clearly better; "" where there is none.
    """

    label: str
    better: bool
    itself: str = ""
    second: str = ""

    @property
    def opening(self) -> str:
        """The label at the beginning of a sentence, and whether it is what it is held against."""
        label = self.label[:1].upper() + self.label[1:]
        return f"{label}, {self.itself}," if self.itself else label


def itself(question: str, ranking: str) -> str:
    """What is to be said of an attribution that the ceiling of a question is made of; "" of any other."""
    made_of, said = YARDSTICKS[question]
    return said if ranking == made_of else ""


def listed(parts: Sequence[str], last: str = "and") -> str:
    """One thing, or several with commas and, before the last, an "and" or the like."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


ORDERS = ("a random order", "the smallest set that flips the decision")
CHOICES = ("a random choice", "that of leave-one-out")
"""The two ends of the way, of `ranks` and of `located`."""


def _way(chosen: str, value: float, chance: str, ceiling: str) -> str:
    """How far items chosen by weight come from chance to the ceiling, with a colon; "" where it is not known."""
    if isnan(value):
        return ""
    per_cent = round(100 * value)
    way = f"come {per_cent} % of the way from {chance} to {ceiling}" if per_cent > 0 else f"do no better than {chance}"
    return f": {chosen} {way}"


WARNINGS: Mapping[str, Callable[[Said, str], str]] = {
    "needed": lambda said, item: (
        "A model trained with equal weights predicts about as well, so this task is no test of attention"
    ),
    "stable": lambda said, item: "Do not expect this map of another training, which shows a different one",
    "used": lambda said, item: (
        "The prediction hardly depends on these weights: it stays nearly the same when they are shuffled"
    ),
    "ranks": lambda said, item: (
        f"Do not read the weights as importance{_way(f'ranked by weight, {item}s', said.value, *ORDERS)}"
    ),
    "located": lambda said, item: (
        "Do not take words with weight for the words that matter"
        f"{_way('chosen by weight, words', said.value, *CHOICES)}"
    ),
    "signed": lambda said, item: (
        f"Do not read a highlighted {item} as one that speaks for the prediction: in too many texts it speaks "
        "against it, or hardly does either"
    ),
    "unique": lambda said, item: (
        "Do not call the map the explanation: a model that predicts nearly alike attends elsewhere, further away than "
        "other trainings do"
    ),
    "transferable": lambda said, item: (
        "Do not conclude anything about the words beyond this model: the weights hardly help another one"
    ),
}
"""What a reader must not conclude where the answer is no, by question."""


def _better(question: str, said: Said, instead: Instead | None, item: str) -> str:
    """Another attribution that clearly does better than attention; "" where none does."""
    if instead is None or not instead.better:
        return ""
    ranks = question == "ranks"
    if said.word == NO:
        tied = instead.second and f"; it is not clearly better than {instead.second}"
        return f"{instead.opening} {'ranks' if ranks else 'finds'} them clearly better, so show it instead{tied}."
    does = f"ranks {item}s" if ranks else "finds the words that matter"
    tied = instead.second and f", and not clearly better than {instead.second}"
    return f"{instead.opening} {does} clearly better than attention{tied}."


def sentence(
    answers: Mapping[str, Said],
    learnt: Said,
    instead: Mapping[str, Instead | None],
    frozen: bool = False,
    erased: bool = False,
    deleted: bool = False,
) -> str:
    """What a reader may conclude and what not, in whole sentences with two numbers at most.

    answers: by question, in order. learnt: whether the model is better than the largest class alone. instead: by
    question, `ranks` and `located`, None where it is not known. frozen: whether all trainings have one encoder, which
    none of them has trained. erased: whether `signed` was found by erasing items, for want of an exact contribution.
    deleted: whether it was found by deleting words from the text. A model that guesses is told in one sentence: there
    is no decision that its map could explain. An item of the map is called a word where `located` is yes, and where it
    was deleted as one; else a position, where the model may hold what other words say.
    """
    if learnt.word == NO:
        return GUESSING
    item = "word" if deleted or answers["located"].word == YES else "position"
    how = "found by deleting it" if deleted else "found by erasing it" if erased else ""
    scopes = {said.scope for said in answers.values() if said.word in (YES, NO)}
    several = scopes - {ALONE}
    common = next(iter(several or scopes), "") if len(several) < 2 else ""

    def scoped(question: str, claim: str) -> str:
        """A claim with what narrows it: how it was found, and of which trainings it holds."""
        found = how if question == "signed" else ""
        scope = answers[question].scope
        scope = "" if scope == common else scope
        narrowed = ", ".join(filter(None, [found, scope]))
        return f"{claim} ({narrowed})" if narrowed else claim

    parts = [DOUBTFUL] if learnt.word == UNDECIDED else []
    if any(said.word == FLAT for said in answers.values()):
        parts.append(FLATTENED)
    for question, said in answers.items():
        if said.word == NO:
            parts.append(f"{scoped(question, WARNINGS[question](said, item))}.")
        if said.word not in (NOT_ASKED, FLAT):
            parts.append(_better(question, said, instead.get(question), item))
    if answers["unique"].word == NOTHING_NEW:
        parts.append(NOTHING_FURTHER)
    if allowed := [
        scoped(name, claim.format(item=item)) for name, claim in ALLOWED.items() if answers[name].word == YES
    ]:
        parts.append(f"What may be said: {listed(allowed)}.")
    for word, opening in OPENS.items():
        if unknown := [claim.format(item=item) for name, claim in WHETHER.items() if answers[name].word == word]:
            parts.append(f"{opening} {listed(unknown, 'or')}.")
    if frozen and answers["stable"].trainings > 1:
        parts.append(FROZEN)
    if common:
        parts.append(f"All {'else' if ALONE in scopes - {common} else 'of this'} is {common}.")
    if scopes - {"", ALONE}:
        parts.append(OTHERS)
    text = " ".join(filter(None, parts))
    return f"{text} {POSITION}" if "position" in text else text
