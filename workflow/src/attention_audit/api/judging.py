"""Scores of any tool beside a model that is known by a function alone: which conclusions do they allow?

Words are deleted from the texts and the function is asked again, so that no weights, gradients or states are needed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations, count
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from attention_audit.answer.settings import Margins
from attention_audit.answer.verdicts import Cell
from attention_audit.arrays import Floats
from attention_audit.audits.batches import compute_rank_correlation
from attention_audit.audits.deletion import Predicting, TokenizedTexts, count_predicted_texts, delete_words
from attention_audit.audits.plausibility import Case, measure_overlap
from attention_audit.columns.tables import SUMMARY
from attention_audit.contrasts import EvaluatedModel
from attention_audit.corpus.languages import choose_tokens, find_unspaced
from attention_audit.corpus.tokens import split_words
from attention_audit.errors import AuditError
from attention_audit.given import (
    A_WORD,
    WrittenTexts,
    convert_numbers,
    find_marks,
    list_class_names,
    list_integers,
    list_tokens,
    make_list,
    refuse_kind,
)
from attention_audit.tables.model_answers import (
    NO_TEXT,
    Asked,
    MeasuredModel,
    state_pairs,
)
from attention_audit.tables.score_answers import BY_DELETION, MARKED, SCORES, list_audit_rows
from attention_audit.tables.summary import answer_subject
from attention_audit.transformer.outputs import OutputKind, check_kind, read_thresholds

from .auditing import Answer, list_by_target
from .opening import check_count
from .predicting import (
    MIN_TEXTS_IN_ORDER,
    Predict,
    Predictions,
    Reporter,
    TargetPredictions,
    compute_scores,
)
from .rereading import print_progress
from .targets import (
    PREDICTED,
    AskedTarget,
    GoldLabels,
    TargetChoice,
    describe_cases,
    describe_outputs,
    number_labels,
    read_gold,
)
from .units import refuse_pieces

SCORE_LABELS = {SCORES: "Scores of words"}
REASONS = {
    "used": "it needs other weights in the place of the map, which a function of words does not take; see api.audit",
    "unique": "it needs another model that predicts alike and has another map; api.audit takes one",
    "needed": "it needs a twin of the model that is trained with uniform weights; api.audit takes one",
    "transferable": "it needs a simpler model that is trained with these maps",
}
"""Why scores and a function are not enough for a question."""
TOO_COARSE = (
    "predict gives 0 and 1 alone, or one decimal, which hides what single words do, so that it is too coarse for "
    "leave-one-out; give probabilities"
)
MIN_SIDE_TEXTS, MIN_SIDE_ERRORS = 5, 4
"""Texts, and standard errors of their mean agreement from 0, from which scores of a class have a side."""


@dataclass(frozen=True, repr=False)
class Judgement(Answer):
    """What scores of N texts may be read as: see `judge`.

    texts: the numbers of each training and text that it rests on, with the columns

    - training (from 1), text (from 0), words; prediction (the class) and its probability
    - random, scores, leave_one_out: what the predicted class loses without the first words of these orders, the mean
      over the sizes of `judge`; NaN of a text of one word
    - random_until, scores_until, leave_one_out_until: the share of the words that are deleted in these orders until the
      decision flips; NaN where it never does
    - top_word: the position of the word of the highest score, -1 where all have the same; top_fall: what the predicted
      class loses without this word; best_fall: the most that it loses without any one word; supporting: the share of
      the words without which it loses more than .01; agreement: the rank correlation of the scores and what it loses
      without each word
    - auprc, auprc_random: of the scores and of a random order beside the marked words; NaN where none are given
    - target: which output is asked of, where these are named

    by_target: the columns of `table` of each target by itself; None where the predicted class is asked of.
    """

    texts: pd.DataFrame
    by_target: pd.DataFrame | None = None
    asks: ClassVar[str] = "May these scores be read as an explanation?"


def find_texts(tokens: WrittenTexts, language: str | None, report: Reporter) -> TokenizedTexts:
    """List the words of each text, which are found in strings. Raises AuditError where a text is none."""
    entries = make_list(tokens, "tokens")
    if entries and all(isinstance(text, str) for text in entries) and (language or find_unspaced(entries)):
        rules = choose_tokens(entries, language, False, report)
        return [split_words(text, rules).words for text in entries]
    texts = list_tokens(entries, "tokens")
    choose_tokens([*map(" ".join, texts)], language, True, report)
    return texts


def trim_marks(texts: TokenizedTexts, report: Reporter) -> tuple[list[slice], TokenizedTexts]:
    """Find the words of each text between the marks, padding and empty tokens of a tokenizer at its ends, and where
    they stand. Raises AuditError where the tokens between them are no words.
    """
    marks = find_marks(texts)
    if marks:
        names = ", ".join(mark or "empty tokens" for mark in sorted(marks))
        report(f"tokens: {names} at the ends of texts are no words; they are left out, with their scores")
    parts = []
    for number, words in enumerate(texts):
        positions = [at for at, word in enumerate(words) if word.strip() not in marks]
        if not positions:
            raise AuditError("tokens", f"text {number} has no word", "leave it out")
        parts.append(slice(positions[0], positions[-1] + 1))
        if not all(map(str.strip, words[parts[-1]])):
            raise AuditError("tokens", f"text {number} has empty tokens", "leave them out, with their scores")
    contents = [words[part] for words, part in zip(texts, parts, strict=True)]
    between = [min(within) for words in contents if (within := marks & {*words})]
    if 2 * len(between) > len(texts):
        raise AuditError("tokens", f"{between[0]} stands between words too", "leave it out there, with its scores")
    words = [*chain(*contents)]
    if any(word != word.strip() for word in words):
        report("tokens: some have a space at an end, as pieces of SHAP have; predict gets them so, to be joined by ''")
    refuse_pieces(words, "tokens", "give whole words, each with the sum of the scores of its pieces")
    return parts, contents


def read_scores(scores: Sequence[Any], texts: TokenizedTexts, parts: Sequence[slice], argument: str) -> list[Floats]:
    """List the scores of one training of these parts of texts, (L_i,) or (L_i, C) each. Raises AuditError where they
    are not of these texts.
    """
    maps = []
    each = zip(make_list(scores, argument, len(texts)), texts, parts, strict=True)
    for number, (values, words, part) in enumerate(each):
        at, wanted = f"{argument}: text {number}", f"{A_WORD}, or one a word and class"
        numbers = convert_numbers(values, at, wanted=wanted, count=len(words), what="word")
        if not np.isfinite(numbers).all():
            raise AuditError(argument, f"text {number} holds NaN or an infinite number", "give numbers")
        maps.append(numbers[part])
    return maps


def take_scores(maps: Sequence[Floats], number: int, output: int, count: int, sign: int = 1) -> Floats:
    """Take the scores (L,) of an output in a text, of those of each of `count` outputs, (L, count), times a sign;
    scores that are of no output as they are. Raises AuditError where they are of another number of outputs.
    """
    values = maps[number]
    if values.shape[1:] not in ((), (count,)):
        fault = f"text {number} has shape {values.shape}, and predict gives {count} columns"
        raise AuditError("scores", fault, f"{A_WORD}, or one a word and column")
    return values if values.ndim == 1 else sign * values[:, output]


def choose_class(maps: Sequence[Floats], probabilities: Floats) -> list[Floats]:
    """Take the scores (L_i,) for the class that is predicted, of those for each of C classes, (L_i, C).

    Raises AuditError where they are for another number of classes. probabilities (N, C).
    """
    count, best = probabilities.shape[1], probabilities.argmax(1).tolist()
    return [take_scores(maps, number, at, count) for number, at in enumerate(best)]


def read_marks(marks: Sequence[Sequence[int] | None], texts: TokenizedTexts, parts: Sequence[slice]) -> list[Case]:
    """List the texts that people marked, and on which words. Raises AuditError where there is no such word."""
    cases = []
    each = zip(make_list(marks, MARKED, len(texts)), texts, parts, strict=True)
    for number, (positions, words, part) in enumerate(each):
        if positions is None:
            continue
        indices = list_integers(positions, f"{MARKED}: text {number}")
        if outside := [at for at in indices if not 0 <= at < len(words)]:
            raise AuditError(MARKED, f"text {number} names word {outside[0]} of {len(words)}", "count words from 0")
        if len({*indices}) < len(indices):
            raise AuditError(
                MARKED, f"text {number} names a word twice", "give positions of words, and no 0 or 1 a word"
            )
        if outside := [at for at in indices if not part.start <= at < part.stop]:
            raise AuditError(MARKED, f"text {number} names word {outside[0]}, which is left out", "name words alone")
        cases.append(Case(number, MARKED, np.isin(np.arange(part.start, part.stop), indices)))
    return cases


def state_stable(measured: MeasuredModel, maps: Sequence[Sequence[Floats]]) -> Cell:
    """Ask whether another training would show these scores: by the rank correlation, which is 0 on average where they
    are shuffled, since scores of any tool have no shares.
    """
    if len(maps) < 2:
        return Cell(reason="there is one training; give scores and functions of several")
    pairs = np.array([*combinations(range(len(maps)), 2)])
    correlations = np.array([[*map(compute_rank_correlation, maps[i], maps[j])] for i, j in pairs])
    finite = np.isfinite(correlations).all(0)
    if not finite.any():
        return Cell(reason="no text has two words and an order of them in all trainings")
    tops = np.array([[scores.argmax() for scores in training] for training in maps])
    same = tops[pairs[:, 0]] == tops[pairs[:, 1]]
    correlations, same = (np.where(finite, each, np.nan) for each in (correlations, same))
    how = "by Spearman's correlation of the order of the words"
    return state_pairs(measured, pairs + 1, [1 - correlations, np.ones_like(correlations), same], how)


def ask_class(texts: pd.DataFrame, classes: Sequence[str]) -> str:
    """Ask whether scores are those of one class in every text, where they agree with the deletion of words in texts of
    this predicted class alone, and elsewhere say the opposite; "" where they do not. texts: those of `Judgement`.
    """
    by_class = (
        texts.groupby("prediction")["agreement"].agg(["count", "mean", "sem"]).query(f"count >= {MIN_SIDE_TEXTS}")
    )
    errors = by_class["mean"] / by_class["sem"].clip(1e-9)
    chosen = errors.index[errors > MIN_SIDE_ERRORS]
    if len(errors) < 2 or len(chosen) != 1 or (errors < -MIN_SIDE_ERRORS).sum() < len(errors) - 1:
        return ""
    return (
        f"are these the scores of {classes[chosen[0]]} in every text? Where another is predicted, they point the other "
        "way; give those of the predicted class, which of two classes are the others negated"
    )


def choose_target(
    maps: Sequence[Floats], probabilities: Floats, asked_target: AskedTarget, outputs: int
) -> list[Floats]:
    """Take the scores (L_i,) of a target, of those of each of K outputs, (L_i, K), which count negated where the model
    says no; scores that are of no output are of what it says.

    Raises AuditError where they are for another number of outputs. probabilities (n, 2): of no and yes.
    """
    said = zip(asked_target.members.tolist(), 2 * probabilities.argmax(1) - 1, strict=True)
    return [take_scores(maps, number, asked_target.number, outputs, sign) for number, sign in said]


@dataclass
class Judged:
    """What is measured of texts, or of cases. frames: a row a training and text; maps: the scores of each training.
    coarse: whether predictions hide what words do. names: of what may be predicted. shared: the text of each case.
    """

    frames: list[pd.DataFrame] = field(default_factory=list)
    maps: list[list[Floats]] = field(default_factory=list)
    coarse: bool = False
    names: list[str] = field(default_factory=list)
    shared: dict[str, str] = field(default_factory=dict)

    def measure(
        self,
        predictions: Sequence[Predicting],
        maps: Sequence[Sequence[Floats]],
        texts: TokenizedTexts,
        parts: Sequence[slice],
        cases: Sequence[Case],
        **columns: Any,
    ) -> None:
        """Delete words of texts in each training. columns: of all frames, such as the ids of the texts."""
        for number, (training, scored) in enumerate(zip(predictions, maps, strict=True), start=1):
            frame, hiding = delete_words(training, texts, scored)
            self.coarse = self.coarse or hiding
            frame.insert(0, "training", number)
            frame["top_word"] += np.where(frame["top_word"] < 0, 0, [part.start for part in parts])
            for column, values in (("auprc", scored), ("auprc_random", [*map(np.ones_like, scored)])):
                overlaps = measure_overlap(cases, [values[case.text] for case in cases])
                frame[column] = pd.Series(overlaps["auprc"], [case.text for case in cases])
            self.frames.append(frame.assign(**columns))
        self.maps = [[*before, *scored] for before, scored in zip(self.maps or [[]] * len(maps), maps, strict=True)]

    def measure_target(
        self,
        asked_target: AskedTarget,
        predictions: Sequence[Predictions],
        maps: Sequence[Sequence[Floats]],
        texts: TokenizedTexts,
        parts: Sequence[slice],
        cases: Sequence[Case],
        outputs: int,
    ) -> None:
        """Delete words of the texts that a target is asked of. The arguments are those of all texts."""
        members = asked_target.members.tolist()
        views = [TargetPredictions(training, asked_target.target) for training in predictions]
        chosen, ids = [texts[at] for at in members], [f"{at}:{asked_target.name}" for at in members]
        scored = [
            choose_target(of_training, view.predict(chosen), asked_target, outputs)
            for of_training, view in zip(maps, views, strict=True)
        ]
        places = {at: place for place, at in enumerate(members)}
        marked = [case._replace(text=places[case.text]) for case in cases if case.text in places]
        label = np.where(asked_target.gold < 0, np.nan, asked_target.gold)
        self.measure(views, scored, chosen, [parts[at] for at in members], marked, id=ids, label=label)
        for frame in self.frames:
            frame["text"] = members
            frame.insert(1, "target", asked_target.name)
        self.names = [*asked_target.statements]
        self.shared = dict(zip(ids, map(str, members), strict=True))

    def list_texts(self) -> pd.DataFrame:
        """List the numbers of each training and text, see `Judgement`."""
        return pd.concat(self.frames, ignore_index=True).drop(columns=["id", "label"])

    def answer(self, notes: Sequence[str], report: Reporter) -> pd.DataFrame:
        """Answer all questions: a row of columns.SUMMARY."""
        by_text = pd.concat(self.frames, ignore_index=True)
        why_not = NO_TEXT if by_text["words"].max() < 2 else TOO_COARSE if self.coarse else ""
        reasons = REASONS | dict.fromkeys(BY_DELETION if why_not else (), why_not)
        questions: Asked = {"stable": partial(state_stable, maps=self.maps), **({} if why_not else BY_DELETION)}
        subject = EvaluatedModel(
            dataset="texts", suite="", paper="", model=SCORES, seeds=by_text["training"].nunique(), items="words",
            unasked={}, given=True, of_cases=bool(self.shared),
        )  # fmt: skip
        names = dict(enumerate(self.names))
        row = answer_subject(MeasuredModel(subject, list_audit_rows(by_text), Margins(), names, self.shared), questions)
        row |= {f"{question}_reason": reason for question, reason in reasons.items()}
        row["note"] = "; ".join(filter(None, [row["note"], *notes]))
        for note in filter(None, notes):
            report(note)
        return pd.DataFrame([row], columns=SUMMARY.schema.names)


def join_targets(parts: Sequence[Judged]) -> Judged:
    """Join what is measured of several targets, whose statements are then classes of their own."""
    joined = Judged(
        maps=[[*chain(*maps)] for maps in zip(*(part.maps for part in parts), strict=True)],
        coarse=any(part.coarse for part in parts),
        names=[*chain(*(part.names for part in parts))],
    )
    for part, first in zip(parts, count(0, 2)):
        joined.frames += [
            frame.assign(prediction=frame["prediction"] + first, label=frame["label"] + first) for frame in part.frames
        ]
        joined.shared |= part.shared
    return joined


def judge(
    tokens: WrittenTexts,
    scores: Sequence[Any],
    predict: Predict | Sequence[Predict],
    *,
    marks: Sequence[Sequence[int] | None] | None = None,
    labels: Sequence[Any] | None = None,
    classes: Sequence[str] | None = None,
    language: str | None = None,
    output: OutputKind = "classes",
    targets: Any = PREDICTED,
    threshold: float | Mapping[str, float] | None = None,
    batch_size: int = 64,
    report: Reporter = print_progress,
) -> Judgement:
    """Ask what scores of words may be read as, of a model that is known by a function alone.

    tokens: the words of each of N texts, L_i; or strings, whose words are found by the rules of their `language`
    (spaCy's code), or of their script where it has hardly any spaces. A tokenizer's marks and padding at the ends of
    texts, such as [CLS], are left out with their scores; `predict` does not get them. scores: of each text an array
    (L_i,), a number a word, by any tool; the higher it is, the more the word is said to matter to the class that the
    model predicts. Of (L_i, C), or an Explanation of SHAP, that class is taken. Only the order of the words of a text
    counts, so that scores may be negative and need no scale.
    predict: a function from a list of texts, each a list of words, to their class probabilities (n, C); it gets at most
    `batch_size` texts at once, each different text once, and must read what the tool has read. Of several trainings,
    `scores` and `predict` are lists with an entry a training. marks: of each text the positions, from 0, of the words
    that people marked; None where nobody has looked. labels: the gold classes, from 0, or their names. classes: the
    names of all, in the order of the columns of `predict`. output: what `predict` gives: probabilities of classes,
    which sum to 1; of labels, (n, K), which need not; or a number, (n,). targets, threshold: which outputs are asked
    of, and where they begin, as in `audit_classifier`; scores (L_i, K) are then of each label, and count negated where
    the model says no. report: gets lines of progress.

    The questions that can be asked, by deletion of words:

    - located: the first k words of an order are deleted, k = 1 and 5, 10, 20, 50 % of the words, rounded up. The mean
      fall of the predicted class's probability, of (scores - random order) / (leave-one-out - random order)
    - ranks: the words that go, one, 5 % and every tenth of the text, until the decision flips; of (random order -
      scores) / (random order - the fewest of any order)
    - signed: the share of texts in which the word of the highest score, deleted, lowers the probability of the
      predicted class by more than .01; and how much more often it does than a random word (0: as often, 1: always)
    - stable (several trainings): the mean over texts and pairs of trainings of Spearman's rank correlation of their
      scores; 1 is the same order of the words, 0 a shuffled one. A text whose words all have the same score in some
      training has no order, and is left out

    Beside them stand the accuracy (with labels), and AUPRC of the marked words (with marks). Texts of one word are
    predicted, and nothing is deleted from them. Fewer than 100 texts are no error: there is no verdict; the estimate
    stays.

    Raises AuditError, in one line that names the argument, where lengths differ, a number is missing, or what `predict`
    answers are no probabilities, or change with the batch. What `predict` itself raises is its cause.
    """
    single = callable(predict)
    texts = find_texts(tokens, language, report)
    parts, words = trim_marks(texts, report)
    functions: Sequence[Any] = predict if isinstance(predict, Sequence) else [predict]
    for function in functions:
        wanted = "function; give one from lists of words to probabilities, or a list of such functions, one a training"
        refuse_kind(function, Callable, "predict", wanted)
    score_sets = [scores] if single else make_list(scores, "scores")
    if len(score_sets) != len(functions) or not functions:
        fault = f"is of {len(score_sets)} trainings, and predict of {len(functions)}"
        raise AuditError("scores", fault, "give both of each")
    check_count("batch_size", batch_size)
    refuse_kind(report, Callable, "report", "function; give one that takes a line")
    names = [""] if single else [f" of training {number}" for number in range(1, len(functions) + 1)]
    maps = [read_scores(values, texts, parts, f"scores{name}") for values, name in zip(score_sets, names, strict=True)]
    cases = read_marks([None] * len(texts) if marks is None else marks, texts, parts)
    kind = check_kind(output)
    gold = number_labels(labels, classes, len(texts)) if labels is not None and kind == "classes" else None
    texts, limit = words, count_predicted_texts(np.array([*map(len, words)]))
    predictions = [
        Predictions(function, f"predict{name}", batch_size, limit, report, kind)
        for function, name in zip(functions, names, strict=True)
    ]
    answers = [training.predict(texts) for training in predictions]
    outputs, *others = {rows.shape[1] for rows in answers}
    if others:
        raise AuditError("predict", f"gives {outputs} classes in one training, {others[0]} in another", "give one")
    singular = {"classes": "class", "labels": "label", "number": "number"}[kind]
    class_names = [f"{singular} {number}" for number in range(outputs)]
    if classes is not None:
        class_names = list_class_names(classes, outputs)
    if outside := [label for label in gold or [] if not 0 <= label < outputs]:
        raise AuditError(
            "labels", f"name class {outside[0]} of {outputs}", "number the classes from 0, as predict does"
        )
    known = GoldLabels(kind, None if gold is None else np.array(gold))
    if kind != "classes":
        known = read_gold(labels, kind, class_names, len(texts))
    thresholds = read_thresholds(threshold, kind, class_names)
    choice = TargetChoice(targets, None, kind, class_names, thresholds, known, len(texts))
    judged = Judged()
    if not choice.targeted:
        maps, judged.names = [*map(choose_class, maps, answers)], class_names
        ids, label = [*map(str, range(len(texts)))], np.nan if gold is None else gold
        judged.measure(predictions, maps, texts, parts, cases, id=ids, label=label)
        notes = [training.ask_columns() for training in predictions if len(texts) >= MIN_TEXTS_IN_ORDER]
        summary = judged.answer([*notes, ask_class(pd.concat(judged.frames), class_names)], report)
        return Judgement(summary, SCORE_LABELS, judged.list_texts())
    scores_by_training = [compute_scores(rows, kind) for rows in answers]
    asked_targets = choice.choose(scores_by_training)
    measured = [Judged() for _ in asked_targets]
    for part, each in zip(measured, asked_targets, strict=True):
        part.measure_target(each, predictions, maps, texts, parts, cases, outputs)
    judged = join_targets(measured)
    notes = [describe_cases(choice, asked_targets), describe_outputs(choice, scores_by_training)]
    by_target = list_by_target(asked_targets, (part.answer([], report) for part in measured))
    return Judgement(judged.answer(notes, report), SCORE_LABELS, judged.list_texts(), by_target)
