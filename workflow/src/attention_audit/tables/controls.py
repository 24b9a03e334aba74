"""What the tests must find on the control corpora, where the truth is known; whether models have learnt the words that
are planted in real texts; and, on any texts, that shuffled weights are not called right.

A failed claim means that the tests, or the training, cannot be trusted on real data either.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import isnan, nan
from pathlib import Path
from typing import Any

import pandas as pd

from attention_audit.answer.lines import TableRow
from attention_audit.answer.verdicts import BY_CLASS, NONE, NOTHING_TO_FIND, ZONES
from attention_audit.columns.tables import CONTROLS
from attention_audit.questions import QUESTIONS
from attention_audit.yaml_input import read_package_yaml

from .model_answers import ASK_FUNCTIONS, FLAT, MeasuredModel, measure_subjects
from .tidy import Frames, RowValues, Subjects, select_ranking, select_run, take_suite

Claims = Iterator[RowValues]
"""Rows of `CONTROLS` without the data set and the suite; what is left out is blank."""

HONEST = {"liar": "base"}
"""The model that a liar is held against, where it is not called honest."""

CLAIMED_SUITES = ("wp", "ss", "jw", "pd", "hf")
"""Keys of the suites that have claims, in the order of the table."""
CLAIMS = read_package_yaml(Path(__file__).with_suffix(".yaml"))
"""What must hold: controls.yaml says how it is written."""
NOT_HIGH = "12-"
"""What may be said of shuffled weights."""
NOT_LEARNT = "not learnt: this control says nothing"
EXPECTED_REASONS = (FLAT, NOTHING_TO_FIND, "any weights would do")
"""The reasons that a construction can give for no verdict, or how they begin."""


def average_column(frames: Frames, model: str, audit: str, column: str) -> float:
    """Average a column of one model; NaN where there are no rows of it."""
    return select_run(frames[audit], model)[column].astype(float).mean()


def find_cost(frames: Frames, model: str) -> float:
    """Find how much less accurate than the honest model a liar is."""
    accuracy, honest = (
        average_column(frames, each, "summary", "accuracy") for each in (model, HONEST.get(model, "honest"))
    )
    return accuracy - honest


def find_reliance(frames: Frames, model: str) -> float:
    """Find how much accuracy a model loses without the hidden words."""
    rows = select_run(frames["impermissible"], model)
    # a text of which nothing is left counts as wrong
    return rows["right"].mean() - rows["right_without"].eq(True).mean()


def find_firsts(frames: Frames, model: str) -> float:
    """Find the share of texts that attention x gradient starts with the planted evidence."""
    return select_ranking(select_run(frames["planted"], model), "product")["on_evidence"].mean()


def find_excess(frames: Frames, model: str) -> float:
    """Find how much more attention x gradient erases than the smallest sets do."""
    by_ranking = select_run(frames["ranked_sets"], model).groupby("ranking", observed=True)["fraction_removed"]
    medians = by_ranking.median()
    return float(medians.get("product", nan) - medians.get("smallest", nan))


def count_differing(frames: Frames, model: str) -> float:
    """Count the questions whose verdict differs by predicted class."""
    zones = select_run(frames["summary"], model)[[f"{question}_zones" for question in QUESTIONS]]
    return float((zones.to_numpy() == BY_CLASS).sum()) if len(zones) else nan


CLAIM_MEASURES = {
    "differing": count_differing,
    "cost": find_cost,
    "reliance": find_reliance,
    "firsts": find_firsts,
    "excess": find_excess,
}


def claim_numbers(kind: str, suite: str, frames: Frames) -> Claims:
    """Make the claims on numbers that are known."""
    for model, claimed in product(frames["summary"]["model"], CLAIMS["numbers"]):
        claim = dict(claimed)
        where, measure = claim.pop("of"), claim.pop("measure")
        if all(map(re.fullmatch, where, (kind, suite, model))):
            find = CLAIM_MEASURES.get(measure)
            value = find(frames, model) if find else average_column(frames, model, *measure.split("."))
            if not isnan(value):
                holds = claim.get("least", value) <= value <= claim.get("most", value)
                yield {**claim, "model": model, "value": value, "holds": holds}


def claim_maps(table: pd.DataFrame) -> Claims:
    """Claim that a map that is right by construction does well by every measure, and one that is wrong does not.

    table: hf_table_maps, of one data set.
    """
    values = table.set_index(["model", "ranking", "metric"])[["mean", "low", "high"]].astype(float).T.to_dict("list")
    for (model, maps), (metric, bounds) in product(CLAIMS["maps"].items(), CLAIMS["bounds"].items()):
        for word, name in maps.items():
            if (key := (model, name, metric)) in values:
                (mean, low, high), bound = values[key], bounds[word]
                yield {
                    "model": model, "claim": f"{name} is {word}: {metric}", "value": mean, **bound,
                    "statistic": f"{metric} of hf_table_maps, with its whole interval",
                    "holds": bound.get("least", low) <= low and high <= bound.get("most", high),
                }  # fmt: skip


def check_allowed(allowed: str, zones: str, classes: Sequence[str], reason: str) -> bool:
    """Tell whether a verdict is among those that are allowed, which are written as in controls.yaml.

    zones, reason: of the summary. classes: the zones of predicted classes, from the lowest value to the highest.
    """
    overall, _, ends = allowed.partition(BY_CLASS)
    if zones == NONE:
        return NONE in overall and reason.startswith(EXPECTED_REASONS)
    if zones == BY_CLASS and ends:
        lowest, highest = ends.split(",")
        if {*classes[0]} <= {*lowest} and {*classes[-1]} <= {*highest}:
            return True
    parts = classes if zones == BY_CLASS else [zones]
    return all({*part} & {*overall} if overall.endswith("?") else {*part} <= {*overall} for part in parts)


def claim_learnt(kind: str, row: TableRow) -> Claims:
    """Claim that all trainings of a model have learnt what the control is made of, from its row of the summary; nothing
    where its accuracy is not known, or nothing is to be learnt.
    """
    bound, lowest = CLAIMS["learnt"].get(kind), row["lowest_accuracy"]
    if bound is not None and lowest is not None and not isnan(lowest):
        holds = lowest >= bound
        yield {
            "model": row["model"], "claim": "it has learnt", "value": lowest, "least": bound, "holds": holds,
            "statistic": "accuracy on the test texts, of the lowest training" if holds else NOT_LEARNT,
        }  # fmt: skip


def claim_zones(kind: str, row: TableRow) -> Claims:
    """Claim that a row of the summary has the verdicts that it must have, by question; nothing of a model that has not
    learnt.

    What was not measured, as an audit was not asked or there is one training, is passed over.
    """
    truth = CLAIMS["zones"].get(kind, {}).get(row["suite"], {})
    allowed_by_question: dict[str, str] = {}
    for model, questions in truth.items():
        if re.fullmatch(model, row["model"]):
            allowed_by_question |= questions
    for question, allowed in allowed_by_question.items():
        zones, reason, texts, value, spoken, by_class = (
            row[f"{question}_{name}"] for name in ("zones", "reason", "texts", "value", "said", "classes")
        )
        if zones == NONE and not texts and not reason.startswith(EXPECTED_REASONS):
            continue
        parts = [part for part in json.loads(by_class or "[]") if part["zones"]]
        classes = [part["zones"] for part in sorted(parts, key=lambda part: part["value"])]
        yield {
            "model": row["model"], "claim": question, "statistic": spoken or reason, "question": question,
            "value": nan if zones in (NONE, BY_CLASS) else value, "allowed": allowed,
            "said": f"{BY_CLASS}{classes[0]},{classes[-1]}" if zones == BY_CLASS else zones,
            "holds": check_allowed(allowed, zones, classes, reason),
        }  # fmt: skip


def claim_answers(kind: str, row: TableRow) -> list[RowValues]:
    """Make the claims on a row of the summary of a control: that it has learnt, and the verdicts that it must have."""
    learnt = [*claim_learnt(kind, row)]
    return [*learnt, *(claim_zones(kind, row) if all(claim["holds"] for claim in learnt) else ())]


def describe_claims(kind: str, row: TableRow) -> str:
    """Describe how many claims there are on a row of the summary and which do not hold, as JSON; "" of no control."""
    claims = claim_answers(kind, row)
    failed = [claim["claim"] for claim in claims if not claim["holds"]]
    return json.dumps({"claims": len(claims), "failed": failed}) if claims else ""


def claim_shuffles(judged: MeasuredModel) -> Claims:
    """Claim that of a map shuffled and imposed nothing high is said, whole and by predicted class.

    The first shuffle takes the place of the map, with its own predictions, and the others are its zero. An interval
    that holds all zones says nothing.
    """
    rows = judged.select_rows("shuffles")
    shuffled, imposed = rows[rows["shuffle"] == 1], rows[rows["shuffle"] > 0]
    if imposed["shuffle"].nunique() < 2:
        return
    shifted = imposed.assign(shuffle=imposed["shuffle"] - 1)
    audits = {"predictions": shuffled, "shuffles": shifted}
    measured = MeasuredModel(judged.subject, audits, judged.margins, {}, judged.shared)
    for question in ("ranks", "signed"):
        cell = ASK_FUNCTIONS[question](measured)
        parts = [zones for zones in (cell.zones, *(each for _, each in cell.classes)) if zones not in (NONE, BY_CLASS)]
        said = {*"".join(zones for zones in parts if zones != ZONES)}
        yield {
            "model": judged.subject.model, "claim": f"shuffled weights are not high: {question}",
            "statistic": "a shuffle in the place of the map", "said": "".join(sorted({*"".join(parts)})) or NONE,
            "value": nan if cell.zones in (NONE, BY_CLASS) else cell.part.estimate.value,
            "allowed": NOT_HIGH, "holds": said <= {*NOT_HIGH},
        }  # fmt: skip


def controls(
    kinds: Mapping[str, str],
    subjects: Subjects,
    answer: Mapping[str, Any],
    corpus: Frames,
    tables: Frames,
    summary: pd.DataFrame,
    **audits: pd.DataFrame,
) -> pd.DataFrame:
    """Make every claim that this run can show, with the columns of `CONTROLS`.

    `kinds`: the kind of corpus of each data set; of those that are no controls, claims are made on shuffled weights
    alone. `subjects`: the judged models. `answer`: that section of the configuration. `corpus`: id and group of the
    test texts by data set. `tables`: has hf_table_maps, if it was made. `audits`: rows of `evidence`, `planted`,
    `ranked_sets`, `impermissible`, `shuffles`, and the summary, of any number of data sets and suites, with the key of
    the suite as the column `suite`.
    """
    judged = [*measure_subjects(subjects, {"shuffles": audits["shuffles"]}, answer, corpus)]
    rows: list[RowValues] = []
    for (dataset, kind), suite in product(
        kinds.items(), dict.fromkeys([*CLAIMED_SUITES, *(each.suite for each in subjects)])
    ):
        of_suite = take_suite(audits | {"summary": summary}, dataset, suite)
        claims: list[RowValues] = []
        if (kind, suite) == ("feint", "hf") and tables:
            maps = tables["hf_table_maps"]
            claims += claim_maps(maps[maps["dataset"] == dataset])
        of_rows = [claim_answers(kind, row) for row in of_suite["summary"].to_dict("records")]
        claims += [claim for claims_of_row in of_rows for claim in claims_of_row]
        unlearnt = {claim["model"] for claim in claims if claim["statistic"] == NOT_LEARNT}
        claims += [each for each in claim_numbers(kind, suite, of_suite) if each["model"] not in unlearnt]
        for measured in judged:
            if (measured.subject.dataset, measured.subject.suite) == (dataset, suite):
                claims += claim_shuffles(measured)
        rows += [CONTROLS.blank | {"dataset": dataset, "suite": suite} | claim for claim in claims]
    return pd.DataFrame(rows, columns=CONTROLS.schema.names)
