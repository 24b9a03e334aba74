"""What is asked of a training by running it again, on texts without some words, or with others in their place."""

from collections.abc import Collection

from attention_audit.arrays import Integers
from attention_audit.columns.audits import CONICITY, IMPERMISSIBLE, LOCATED, REPLACED, SOFT

from .answers import Answers, Training, explain_states
from .attributed import AttributedTexts, Attributions
from .correlation import conicity, impermissible
from .facts import TextFacts
from .located import located, replaced
from .plausibility import list_cases
from .soft import soft

RUN_AGAIN = (CONICITY, IMPERMISSIBLE, LOCATED, REPLACED, SOFT)
"""The files of what is asked so."""


def ask_again(
    training: Training,
    texts: AttributedTexts,
    answers: Answers,
    facts: TextFacts,
    occurrences: Integers,
    audits: Collection[str],
) -> Attributions:
    """Ask `RUN_AGAIN` of a training whose items are words; return the attributions that the audits of these names read.

    occurrences (V,): how often the training texts have the word of each row of the embedding; none of classifiers that
    are given.
    """
    # so that leave-one-out of all texts, where it is asked for, is computed before that of some
    if {"correlation", "agreement"} & {*audits}:
        _ = texts.scores
    if answers.asks(CONICITY, explain_states(training, texts.readout)):
        answers.add(CONICITY, conicity(texts), training)
    if answers.asks(IMPERMISSIBLE):
        answers.add(IMPERMISSIBLE, impermissible(texts, facts.blocked), training)
    if answers.asks(LOCATED):
        answers.add(LOCATED, located(texts), training)
    if answers.asks(REPLACED):
        answers.add(REPLACED, replaced(texts, occurrences), training)
    if answers.asks(SOFT):
        answers.add(SOFT, soft(texts), training)
    marked = "plausible_words" in audits and bool(list_cases(texts.readout.ids, texts.readout.places, facts.rationales))
    return texts.keep(audits, marked)
