"""Scores of any tool beside a model that is known by a function alone: which conclusions do they allow?

Words are deleted from the texts and the function is asked again, so that no weights, gradients or states are needed.
"""

import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from itertools import chain, combinations, takewhile
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from attention_audit.answer import questions
from attention_audit.answer.intervals import PLAIN, Design, Effect, mean, within
from attention_audit.answer.sentence import beside_marks, sentence
from attention_audit.answer.settings import Margins
from attention_audit.answer.words import NOT_ASKED
from attention_audit.api.predicting import COARSE, Measured, Predict, Predictions, Report, measured, most_texts
from attention_audit.audits.map_stability import rank_correlation
from attention_audit.audits.plausibility import Cases, cases_of, overlap
from attention_audit.audits.settings import Erasure
from attention_audit.columns.summary import PLAUSIBILITY, QUESTIONS
from attention_audit.corpus.languages import choose_tokens, find_unspaced
from attention_audit.corpus.rationales import Rationale
from attention_audit.corpus.tokens import words_of
from attention_audit.errors import AuditError
from attention_audit.given.arrays import A_WORD, as_many, entries, integers, numbers, word_lists
from attention_audit.tables.asked import Answer, able, answered, by_trainings, noted
from attention_audit.tables.summary import said_of

Floats = npt.NDArray[np.float64]
Texts = list[list[str]]
MODEL, MARKS = "model", "marks"
REASONS = {
    "needed": "it needs a twin of the model that is trained with uniform weights; api.audit takes one",
    "used": "it needs other weights in the place of the map, which a function of words does not take; see api.audit",
    "ranks": "it needs items that are erased under the map, which a function of words does not take; see api.audit",
    "unique": "it needs another model that predicts alike and has another map; api.audit takes one",
    "transferable": "it needs a simpler model that is trained with these maps",
}
"""Why scores and a function are not enough for a question."""
ONE_TRAINING = "there is one training; give scores and functions of three"
NO_ORDER = "no text has two words and an order of them in all trainings"
ONE_WORD = "every text has one word, and one must stay; give longer texts"
SAME = "the words of each text all have the same score"
TOO_COARSE = (
    f"predict gives the predicted class at most {COARSE} different probabilities, as of 0 and 1 alone or one decimal, "
    "which is too coarse for leave-one-out; give probabilities"
)
NO_MARKS = "no marked words are given; give them as marks"
NO_CHOICE = "no text has some of its words marked and others not"
NO_LABELS = "no gold classes are given; give them as labels"
TOKENIZER_MARK = re.compile(
    r"\s*|\[(CLS|SEP|PAD|BOS|EOS)\]|</?s>|<(cls|sep|pad|bos|eos|sos)>|<[|｜].+[|｜]>", re.IGNORECASE
)
"""What tokenizers put before a text and behind it; an empty token too."""
PIECES = {
    "##": (r"##\w.*", 0.01),
    "▁": (r"▁.*", 0.01),
    "@@": (r".+@@", 0.01),
    "</w>": (r".+</w>", 0.01),
    "Ġ": (r"Ġ.*", 0.25),
}
"""How pieces of a word are written, and the share of them from which all tokens are such; Ġ is a letter of Maltese."""
BY_DELETION = "by deletion of the word; the best choice of a word would reach {:.3f}"


def on_stderr(line: str) -> None:
    """Write a line of progress."""
    print(line, file=sys.stderr)


@dataclass(frozen=True, repr=False)
class Told:
    """Answers in a table with a row a question (`Judgement` has the columns), and the same in a sentence."""

    table: pd.DataFrame
    sentence: str

    @property
    def not_asked(self) -> dict[str, str]:
        """Why a question was not asked, by question."""
        rows = self.table[self.table["word"] == NOT_ASKED]
        return dict(zip(rows["question"], rows["note"], strict=True))

    def __repr__(self) -> str:
        asked = self.table[self.table["word"] != NOT_ASKED]
        told = [
            f"{row.question} {row.word} {row.value:.2f} [{row.low:.2f}, {row.high:.2f}]" for row in asked.itertuples()
        ]
        return f"{type(self).__name__}({'; '.join(told)})"


@dataclass(frozen=True, repr=False)
class Judgement(Told):
    """What scores of N texts may be read as: see `judge`.

    table: a row a question, with the columns question; word (yes, no, undecided, too few or not asked); value with its
    95 % interval low to high; margin, above which the whole interval must lie for a yes; trainings and texts, on which
    it rests; note. sentence: the same to quote. not_asked: the reason, by question. texts: the numbers of each training
    and text that the table rests on, with the columns

    - training (from 1), text (from 0), words; prediction (the class) and its probability
    - random, scores, leave_one_out: what the predicted class loses without the first words of these orders, the mean
      over the sizes of `judge`; NaN of a text of one word
    - top_word: the position of the word of the highest score, -1 where all have the same; top_fall: what the predicted
      class loses without this word; best_fall: the most that it loses without any one word
    - auprc, auprc_random: of the scores and of a random order beside the marked words; NaN where none are given
    """

    texts: pd.DataFrame

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{self.table.round(2).to_html(index=False)}"


def _words(tokens: Sequence[str | Sequence[str]], language: str | None, report: Report) -> Texts:
    """The words of each text, which are found in strings. Raises AuditError where a text is none."""
    given = entries(tokens, "tokens")
    strings = [text for text in given if isinstance(text, str)]
    if strings and len(strings) == len(given) and (language or find_unspaced(strings)):
        rules = choose_tokens(strings, language, False, report)
        texts = [[*chain(*words_of(text, rules))] for text in strings]
    else:
        texts = word_lists(given, "tokens")
        choose_tokens([*map(" ".join, texts)], language, True, report)
    if not texts:
        raise AuditError("tokens: there is no text; give some")
    return texts


def _find_words(texts: Texts, report: Report) -> list[slice]:
    """Find the words of each text between the marks, padding and empty tokens of a tokenizer at its ends.

    Raises AuditError where the tokens between them are no words.
    """
    texts_with: Counter[str] = Counter()
    repeated = {""}
    for words in texts:
        ends = [Counter(map(str.strip, takewhile(TOKENIZER_MARK.fullmatch, side))) for side in (words, words[::-1])]
        texts_with.update({*ends[0], *ends[1]})
        # padding is no part of the longest texts, but is often repeated in the others
        repeated |= {mark for end in ends for mark, count in end.items() if count > 1}
    found = {mark for mark, count in texts_with.items() if mark in repeated or 2 * count > len(texts)}
    if found:
        names = ", ".join(mark or "empty tokens" for mark in sorted(found))
        report(f"tokens: {names} at the ends of texts are no words; they are left out, with their scores")
    places = [[at for at, word in enumerate(words) if word.strip() not in found] for words in texts]
    if lacking := [number for number, kept in enumerate(places) if not kept]:
        raise AuditError(f"tokens: text {lacking[0]} has no word; leave it out")
    parts = [slice(kept[0], kept[-1] + 1) for kept in places]
    texts = [words[part] for words, part in zip(texts, parts, strict=True)]
    if empty := [number for number, words in enumerate(texts) if not all(map(str.strip, words))]:
        raise AuditError(f"tokens: text {empty[0]} has empty tokens; leave them out, with their scores")
    between = [found & {*words} for words in texts if found & {*words}]
    if 2 * len(between) > len(texts):
        raise AuditError(f"tokens: {min(between[0])} stands between words too; leave it out there, with its scores")
    words = [*chain(*texts)]
    if any(word != word.strip() for word in words):
        report("tokens: some have a space at an end, as pieces of SHAP have; predict gets them so, to be joined by ''")
    for sign, (form, share) in PIECES.items():
        pieces = [word for word in words if re.fullmatch(form, word)]
        if len(pieces) >= share * len(words) and pieces:
            raise AuditError(
                f"tokens: holds pieces of words, such as {pieces[0]!r} with its {sign}; give whole words, each with "
                "the sum of the scores of its pieces"
            )
    return parts


def _maps(scores: Sequence[Any], texts: Texts, place: str) -> list[Floats]:
    """List the scores of one training, (L_i,) or (L_i, C) each. Raises AuditError where they are not of these texts."""
    scores = entries(scores, place)
    as_many(scores, len(texts), place)
    maps = [
        numbers(values, f"{place}: text {number}", wanted=f"{A_WORD}, or one a word and class")
        for number, values in enumerate(scores)
    ]
    for number, (values, words) in enumerate(zip(maps, texts, strict=True)):
        if len(values) != len(words):
            raise AuditError(f"{place}: text {number} has {len(values)} scores for {len(words)} words; give each one")
        if not np.isfinite(values).all():
            raise AuditError(f"{place}: text {number} holds NaN or an infinite number; give numbers")
    return maps


def _choose_class(maps: Sequence[Floats], probabilities: Floats) -> list[Floats]:
    """Take the scores (L_i,) for the class that is predicted, of those for each of C classes, (L_i, C).

    Raises AuditError where they are for another number of classes. probabilities (N, C).
    """
    count = probabilities.shape[1]
    if wrong := [number for number, values in enumerate(maps) if values.shape[1:] not in ((), (count,))]:
        fault = f"has shape {maps[wrong[0]].shape}, and there are {count} classes"
        raise AuditError(f"scores: text {wrong[0]} {fault}; {A_WORD}, or one a word and class")
    best = probabilities.argmax(1)
    return [values if values.ndim == 1 else values[:, at] for values, at in zip(maps, best, strict=True)]


def _functions(predict: Any) -> list[Predict]:
    """The functions of several trainings. Raises AuditError where something else is given."""
    functions = [*predict] if isinstance(predict, Sequence) else [predict]
    if wrong := [one for one in functions if not callable(one)]:
        raise AuditError(
            f"predict: is {type(wrong[0]).__name__}, and no function; give one from lists of words to probabilities, "
            "or a list of such functions, one a training"
        )
    return functions


def _cases(marks: Sequence[Sequence[int] | None], texts: Texts, parts: Sequence[slice]) -> Cases:
    """The texts that people marked, and on which words. Raises AuditError where there is no such word."""
    marks = entries(marks, MARKS)
    as_many(marks, len(texts), MARKS)
    rationales = {}
    for number, (places, words, part) in enumerate(zip(marks, texts, parts, strict=True)):
        if places is None:
            continue
        place = f"{MARKS}: text {number}"
        found = integers(places, place)
        if outside := [at for at in found if not 0 <= at < len(words)]:
            raise AuditError(f"{place} names word {outside[0]} of {len(words)}; count words from 0")
        if len({*found}) < len(found):
            raise AuditError(f"{place} names a word twice; give positions of words, and no 0 or 1 a word")
        if outside := [at for at in found if not part.start <= at < part.stop]:
            raise AuditError(f"{place} names word {outside[0]}, which is left out; name words alone")
        rationales[str(number)] = Rationale({MARKS: sorted(at - part.start for at in found)})
    return cases_of([*map(str, range(len(texts)))], (np.arange(part.stop - part.start) for part in parts), rationales)


def _same_order(away: Floats, chance: Floats, pairs: npt.NDArray[np.int64], *, design: Design = PLAIN) -> Effect:
    """The mean of a rank correlation, with the interval of `questions.stable`: away (P, N) is 1 minus it."""
    return within(questions.stable(away, chance, pairs, design=design), -1.0, 1.0)


def _stable(maps: Sequence[Sequence[Floats]], margins: Margins) -> Answer:
    """Would another training show these scores? The rank correlation of two trainings, over all pairs."""
    if len(maps) < 2:
        return Answer(note=ONE_TRAINING)
    pairs = np.array([*combinations(range(len(maps)), 2)])
    found = np.array([[*map(rank_correlation, maps[one], maps[other])] for one, other in pairs])
    known = np.isfinite(found).all(0)
    if not known.any():
        return Answer(note=NO_ORDER)
    # of an unrelated order the correlation is 0 on average, so that 1 is what chance is away
    away, chance = 1 - found[:, known], np.ones((len(pairs), known.sum()))
    each = [_same_order(away[[row]], chance[[row]], pairs[[row]]) for row in range(len(pairs))]
    return answered("stable", margins, partial(_same_order, away, chance, pairs), each=each)


def _plausible(auprc: Floats, random: Floats, margins: Margins) -> Answer:
    """Do people mark the words of the highest scores, more than those of a random order?"""
    gain = auprc - random
    if not np.isfinite(gain).any():
        return Answer(note=NO_CHOICE)
    each = [mean(one[None], -1.0) for one in gain]
    answer = answered("plausible", margins, partial(mean, gain, -1.0), each=each, margin=0.0)
    said = f"AUPRC {np.nanmean(auprc):.3f}, of a random order {np.nanmean(random):.3f}"
    return replace(answer, note=noted(said, answer.note))


def _marked(cases: Cases, maps: Sequence[Sequence[Floats]]) -> tuple[Floats, Floats]:
    """The AUPRC of the scores of each training and of a random order, (S, N) each; NaN where nothing is marked."""
    found, chance = np.full((2, len(maps), len(maps[0])), np.nan)
    for row, values in enumerate(maps):
        found[row, cases.text] = overlap(cases, cases.flat(values))["auprc"]
        chance[row, cases.text] = overlap(cases, cases.flat([np.ones_like(each) for each in values]))["auprc"]
    return found, chance


def _learnt(predictions: npt.NDArray[np.int64], labels: list[int], count: int) -> Answer:
    """Whether the model predicts better than its largest class. predictions (S, N)."""
    if outside := [label for label in labels if not 0 <= label < count]:
        raise AuditError(f"labels: name class {outside[0]} of {count}; number the classes from 0, as predict does")
    rows = [
        pd.DataFrame({"model": MODEL, "seed": seed, "id": range(len(labels)), "label": labels, "prediction": row})
        for seed, row in enumerate(predictions, start=1)
    ]
    answer, scores = able(pd.concat(rows, ignore_index=True), MODEL)
    told = "accuracy {accuracy:.3f}, of the majority class alone {majority_accuracy:.3f}".format(**scores)
    return replace(answer, note=told)


def _row(question: str, answer: Answer) -> dict[str, Any]:
    """A row of `Judgement.table`."""
    value, low, high, trainings, texts, _ = answer.effect
    return {
        "question": question, "word": answer.word, "value": value, "low": low, "high": high, "margin": answer.margin,
        "trainings": trainings, "texts": texts, "note": answer.note,
    }  # fmt: skip


def _by_text(number: int, parts: Sequence[slice], one: Measured, auprc: Floats, random: Floats) -> pd.DataFrame:
    """The rows of one training in `Judgement.texts`."""
    return pd.DataFrame(
        {
            "training": number,
            "text": range(len(parts)),
            "words": [part.stop - part.start for part in parts],
            "prediction": one.probabilities.argmax(1),
            "probability": one.probabilities.max(1),
            "random": one.random,
            "scores": one.scores,
            "leave_one_out": one.loo,
            "top_word": one.top_word + np.where(one.top_word < 0, 0, [part.start for part in parts]),
            "top_fall": one.top_fall,
            "best_fall": one.best_fall,
            "auprc": auprc,
            "auprc_random": random,
        }
    )


def _sentence(answers: Mapping[str, Answer], auprc: Floats, random: Floats) -> str:
    """The answers to quote, and beside them how well the scores point to marked words."""
    said = sentence({name: said_of(answers[name]) for name in QUESTIONS}, said_of(answers["learnt"]), {}, deleted=True)
    known = np.isfinite(auprc - random)
    if not known.any():
        return said
    found = mean(auprc)
    values = (found.value, found.low, found.high, float(random[known].mean()), np.nan)
    return f"{said} {beside_marks(dict(zip(PLAUSIBILITY, values, strict=True)))}"


def judge(
    tokens: Sequence[str | Sequence[str]],
    scores: Sequence[Any],
    predict: Predict | Sequence[Predict],
    *,
    marks: Sequence[Sequence[int] | None] | None = None,
    labels: Sequence[int] | None = None,
    language: str | None = None,
    batch_size: int = 64,
    report: Report = on_stderr,
) -> Judgement:
    """What scores of words may be read as, of a model that is known by a function alone.

    tokens: the words of each of N texts, L_i; or strings, whose words are found by the rules of their `language`
    (spaCy's code), or of their script where it has hardly any spaces. A tokenizer's marks and padding at the ends of
    texts, such as [CLS], are left out with their scores; `predict` does not get them. scores: of each text an array
    (L_i,), a number a word, by any tool; the higher it is, the more the word is said to matter to the class that the
    model predicts. Of (L_i, C), or an Explanation of SHAP, that class is taken. Only the order of the words of a text
    counts, so that scores may be negative and need no scale.
    predict: a function from a list of texts, each a list of words, to their class probabilities (n, C); it gets at most
    `batch_size` texts at once, each different text once, and must read what the tool has read. Of several trainings,
    `scores` and `predict` are lists with an entry a training. marks: of each text the positions, from 0, of the words
    that people marked; None where nobody has looked. labels: the gold classes, from 0. report: gets lines of progress.

    The questions, each with the margin of its yes:

    - learnt (with labels): accuracy minus that of the largest class alone
    - stable (several trainings; a word needs three): the mean over texts and pairs of trainings of Spearman's rank
      correlation of their scores; 1 is the same order of the words, 0 an unrelated one. A text whose words all have the
      same score in some training has no order, and is left out
    - located: the first k words of an order are deleted, k = 1 and 5, 10, 20, 50 % of the words, rounded up. The mean
      fall of the predicted class's probability, of (scores - random order) / (leave-one-out - random order)
    - signed: the share of texts in which the word of the highest score, deleted, lowers the probability of the
      predicted class by more than .01
    - plausible (with marks): the AUPRC of marked words minus that of a random order, text by text

    Texts of one word are predicted, and nothing is deleted from them. Fewer than 100 texts are no error: the word is
    `too few`, and the value stands beside it.

    Raises AuditError, in one line that names the argument, where lengths differ, a number is missing, or what `predict`
    answers are no probabilities, or change with the batch. What `predict` itself raises is its cause.
    """
    single = callable(predict)
    texts = _words(tokens, language, report)
    parts = _find_words(texts, report)
    functions: list[Predict] = [predict] if callable(predict) else _functions(predict)
    given = [scores] if single else entries(scores, "scores")
    if len(given) != len(functions) or not functions:
        raise AuditError(f"scores: is of {len(given)} trainings, and predict of {len(functions)}; give both of each")
    if not isinstance(batch_size, int | np.integer) or batch_size < 1:
        raise AuditError(f"batch_size: is {batch_size!r}; give a whole number, 1 or more")
    if not callable(report):
        raise AuditError(f"report: is {type(report).__name__}, and no function; give one that takes a line")
    names = [""] if single else [f" of training {number}" for number in range(1, len(functions) + 1)]
    maps = [_maps(one, texts, f"scores{name}") for one, name in zip(given, names, strict=True)]
    cases = _cases([None] * len(texts) if marks is None else marks, texts, parts)
    texts = [words[part] for words, part in zip(texts, parts, strict=True)]
    maps = [[values[part] for values, part in zip(one, parts, strict=True)] for one in maps]
    gold = [] if labels is None else integers(labels, "labels")
    if labels is not None:
        as_many(gold, len(texts), "labels")
    most, seed = most_texts(np.array([*map(len, texts)])), Erasure().seed
    predictions = [
        Predictions(function, f"predict{name}", batch_size, most, report)
        for function, name in zip(functions, names, strict=True)
    ]
    maps = [_choose_class(own, one.of(texts)) for own, one in zip(maps, predictions, strict=True)]
    found = [measured(one, texts, own, seed) for one, own in zip(predictions, maps, strict=True)]
    classes = {one.probabilities.shape[1] for one in found}
    if len(classes) > 1:
        raise AuditError(f"predict: gives {min(classes)} classes in one training, {max(classes)} in another; give one")
    margins = Margins()
    random, attention, best, lead, most_lead = (
        np.stack([getattr(one, name) for one in found]) for name in ("random", "scores", "loo", "top_fall", "best_fall")
    )
    answers = {question: Answer(note=reason) for question, reason in REASONS.items()}
    answers["learnt"] = Answer(note=NO_LABELS)
    if gold:
        predicted = np.stack([one.probabilities.argmax(1) for one in found])
        answers["learnt"] = _learnt(predicted, gold, classes.pop())
    answers["stable"] = _stable(maps, margins)
    several = np.isfinite(attention).any()
    coarse = several and any(one.coarse for one in predictions)
    answers["located"] = answers["signed"] = Answer(note=TOO_COARSE if coarse else ONE_WORD)
    if several and not coarse:
        answers["located"] = by_trainings("located", margins, None, random, attention, best)
        answers["signed"] = Answer(note=SAME)
    if np.isfinite(lead).any() and not coarse:
        signed = by_trainings("signed", margins, None, questions.sides(lead, margins.inert))
        could = float((most_lead[np.isfinite(lead)] > margins.inert).mean())
        answers["signed"] = replace(signed, note=noted(BY_DELETION.format(could), signed.note))
    auprc, floor = _marked(cases, maps)
    answers["plausible"] = _plausible(auprc, floor, margins) if len(cases) else Answer(note=NO_MARKS)
    table = pd.DataFrame([_row(name, answers[name]) for name in ("learnt", *QUESTIONS, "plausible")])
    rows = [_by_text(number, parts, *each) for number, each in enumerate(zip(found, auprc, floor, strict=True), 1)]
    return Judgement(table, _sentence(answers, auprc, floor), pd.concat(rows, ignore_index=True))
