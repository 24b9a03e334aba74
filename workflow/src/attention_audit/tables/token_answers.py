"""The questions, asked of maps of generated tokens: each is held against the nearest words.

A map of the last layer lies near the end of a context, where in running text the words that matter lie too, so that it
may be said to locate them whatever it shows. So no map that is no better than the nearest words is called good.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, nan

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Estimate, Sample, estimate, subtract
from attention_audit.answer.lines import NUMBER_WRITERS, write_percent, write_probability, write_share
from attention_audit.answer.samples import average_texts, compare_pairs, erase, find_sides, place_ranking
from attention_audit.answer.settings import Margins
from attention_audit.answer.verdicts import NONE, ZONES, Cell, Part, conclude, say_zones
from attention_audit.arrays import Floats
from attention_audit.columns.audits import DELETED_BY
from attention_audit.columns.tables import SUMMARY
from attention_audit.contrasts import EvaluatedModel
from attention_audit.names import LAST_ROW, MEAN_ROW, NEAREST
from attention_audit.questions import QUESTIONS

from .model_answers import (
    SIMILARITY,
    Asked,
    MeasuredModel,
    NotAsked,
    ask_used,
    average_known,
    list_falls,
    state_pairs,
)
from .score_answers import BY_DELETION, SCORES, list_audit_rows
from .summary import answer_subject, by_question
from .tidy import join_notes, make_pair_grids

TOKEN_QUESTIONS = ("located", "ranks", "signed", "used", "stable", "unique")
"""What is asked of maps of generated tokens; by default all but the last, whose search takes long."""
BY_DEFAULT = TOKEN_QUESTIONS[:-1]
OF_ROW = ("used", "stable", "unique")
NOT_ASKED = "it is not among `questions`"
NOT_BETTER = "no more than the nearest words"
YARDSTICK = "it is what maps are held against"
REASONS = {
    **dict.fromkeys(OF_ROW, "it is asked of the mean of all layers' rows"),
    "needed": "a twin with uniform weights would have to be trained",
    "transferable": "this audit guides no simpler model",
}
"""Why a question is not asked of the map of a token."""


def measure_tokens(
    texts: pd.DataFrame, groups: Mapping[str, str], margins: Margins, further: Mapping[str, pd.DataFrame] = {}
) -> MeasuredModel:
    """Gather what was measured of a map of generated tokens. texts: as of `api.Judgement`, with the ids of the tokens.
    groups: the prompt of each token, by its id. further: rows of other audits.
    """
    subject = EvaluatedModel(
        dataset="tokens", suite="", paper="", model=SCORES, seeds=texts["training"].nunique(), items="words",
        unasked={}, given=True, of_cases=True,
    )  # fmt: skip
    return MeasuredModel(subject, {**list_audit_rows(texts), **further}, margins, {}, groups)


def sample_map(measured: MeasuredModel, question: str) -> Sample:
    """Take what a question about words finds of a map, in each training."""
    if question == "located":
        random, own, best = list_falls(measured, measured.require_rows("located"), "attention")
        return place_ranking(random, own, best, measured.groups)
    rows = measured.select_rows("predictions")
    if question == "ranks":
        until = [measured.lay_out(rows, f"{order}_until") for order in DELETED_BY]
        return erase(until[0], until[1], np.fmin.reduce(until), measured.groups)
    side = find_sides(measured.lay_out(rows, "top_fall"), measured.margins.inert)
    return average_texts(np.maximum(side, 0.0))


def state_beside(measured: MeasuredModel, nearest: MeasuredModel, question: str) -> Cell:
    """Ask a question about words of a map, and whether it is better than the nearest words: by the interval of the
    difference, paired by prompt.
    """
    cell, yardstick = BY_DELETION[question](measured), sample_map(nearest, question)
    if measured is nearest:
        return replace(cell, zones=NONE, said="", reason=YARDSTICK)
    unit = QUESTIONS[question].unit
    value = NUMBER_WRITERS[unit](average_known(yardstick.values))
    value += " %" * bool(value and unit == "percent")
    beside = f"nearest words {value}" if value else ""
    if not cell.said:
        return replace(cell, clause=join_notes(beside, cell.clause))
    difference = estimate(subtract(sample_map(measured, question), yardstick), measured.groups)
    verdict, *alone = cell.said.split(", ")
    if difference.low > 0:
        return replace(cell, said=", ".join([verdict, beside, *alone]))
    zones = ZONES[:2] if ZONES[-1] in cell.zones else cell.zones
    said = ", ".join([say_zones(zones), f"{NOT_BETTER} ({value})", *alone])
    return replace(cell, zones=zones, said=said, clause=join_notes(f"by itself {verdict}", cell.clause))


def state_used(measured: MeasuredModel) -> Cell:
    """Ask whether the token depends on the weights of its row: shuffled in all layers together."""
    rows = measured.require_rows("permutation")
    last, even = (write_probability(average_known(measured.lay_out(rows, f"{how}_tvd"))) for how in ("last", "uniform"))
    cell = ask_used(measured)
    return replace(cell, clause=join_notes(f"last layer alone {last}; uniform {even}", cell.clause))


def state_unique(measured: MeasuredModel) -> Cell:
    """Say how similar to its own the furthest map is that a search has found: at most, as another one may find more.

    So that nothing is said but `no`, or `at most in part`.
    """
    rows = measured.audits["search"]

    def bound(scope: str) -> Estimate:
        apart, chance = (measured.lay_out(rows, f"{scope}_{name}") for name in ("jsd", "chance"))
        found = estimate(compare_pairs(apart[:1], chance[:1], measured.groups), measured.groups, SIMILARITY)
        # of one training, whatever there are; and from below nothing is known
        return found._replace(low=-inf, next_low=nan, next_high=nan, texts=found.groups)

    every, last = bound("all"), bound("last")
    clause = f"an upper bound by a search in all layers; last layer alone {write_share(last.value)}"
    return conclude("unique", Part(every, seeds=measured.seeds[:1]), clause=clause, reason=measured.flat)


def state_stable(measured: MeasuredModel) -> Cell:
    """Ask whether another training would show the maps."""
    if measured.subject.seeds < 2:
        raise NotAsked("there is one training")
    return state_pairs(
        measured,
        *make_pair_grids(measured.require_rows("stability"), ["jsd", "chance_jsd", "same_top"], measured.ids),
    )


def list_questions(name: str, nearest: MeasuredModel, asked: Sequence[str]) -> Asked:
    """List what is asked of a map, by its name. nearest: what was measured of the nearest words."""
    questions: dict[str, Callable[[MeasuredModel], Cell]] = {
        question: partial(state_beside, nearest=nearest, question=question) for question in BY_DELETION
    }
    if name == MEAN_ROW:
        questions |= {"used": state_used, "unique": state_unique}
    if name in (MEAN_ROW, LAST_ROW):
        questions["stable"] = state_stable
    return {question: ask for question, ask in questions.items() if question in asked}


def describe_tokens(count: int, texts: int, chances: Floats, first: Floats, gold: bool) -> str:
    """Say what was asked of: how many tokens of how many prompts, how likely they are, (n, 2) with their rivals before
    them, and how much weight the first piece has. gold: whether the tokens were given.
    """
    chance = write_share(float(chances[:, 1].mean()))
    described = f"{count} generated tokens of {texts} prompts, p {chance}"
    if gold:
        share = write_percent(float((chances[:, 1] >= chances[:, 0]).mean()))
        described = f"{count} given tokens of {texts} prompts, p {chance}; the model gives them first in {share} %"
    return f"{described}; the first piece has {write_percent(float(first.mean()))} % of the weight and is no word"


def answer_maps(
    measured: Mapping[str, MeasuredModel], asked: Sequence[str], note: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answer what was asked of maps of generated tokens, by their names: the row of the summary, which is of the mean
    of all layers' rows, and the answers by map. note: what was asked of.
    """
    summaries = {}
    for name, of_map in measured.items():
        questions = list_questions(name, measured.get(NEAREST, of_map), asked)
        row = answer_subject(of_map, questions)
        reasons = REASONS | (dict.fromkeys(OF_ROW, NOT_ASKED) if name == MEAN_ROW else {})
        row |= {f"{each}_reason": reasons.get(each, NOT_ASKED) for each in QUESTIONS if each not in questions}
        summaries[name] = pd.DataFrame([row | {"note": note}], columns=SUMMARY.schema.names)
    answers = [by_question(summary).assign(map=name) for name, summary in summaries.items()]
    return summaries[MEAN_ROW], pd.concat(answers).set_index("map").reset_index()
