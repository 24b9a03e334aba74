"""What the tests must find on the control corpora, where the truth is known; whether models have learnt the words that
are planted in real texts; and, on any texts, that shuffled weights are not called right.

A failed claim means that the tests, or the training, cannot be trusted on real data either.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan
from typing import Any, NamedTuple

import pandas as pd

from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.statements import CLASSES, NONE, NOTHING
from attention_audit.columns.tables import CONTROLS
from attention_audit.contrasts import Subject
from attention_audit.tables.arrays import Audits, Subjects, groups_of, of_run, of_suite
from attention_audit.tables.asked import FLAT, Measured, ranks, signed

WP, SS, JW, PD, HF = "wp", "ss", "jw", "pd", "hf"
"""Keys of the suites."""
MASS = "mean over seeds and test instances of the evidence mass"
NEEDLE_MASS = 0.5
DIGEST_SHARE = 0.75
DIGEST_EXCESS = 0.05
LEARNT = 0.95
"""The least accuracy on texts whose labels were drawn by lot, so that only the planted words tell them."""
LIAR_LOSS = 0.02
"""The most accuracy that hiding may cost; a model that did without the hidden words would lose far more."""
LIAR_MASS = 0.05
"""The most attention on the hidden words, of the mean over seeds and texts."""
LIAR_RELIES = 0.1
"""The least accuracy that a liar loses without the hidden words; one that did without them would lose none."""
LIARS = "liar_lambda.+"
HONEST = {PD: "honest", HF: "base"}
"""The model that a liar of a suite is held against."""

TRUTH: dict[str, dict[tuple[str, str], dict[str, str]]] = {
    "beacon": {
        (WP, "base"): {
            "located": "3", "ranks": "-", "signed": "-", "used": "3", "stable": "3≠123,3", "unique": "12",
            "needed": "3", "transferable": "3",
        },
        (JW, "average_drawn"): {"located": "1", "ranks": "1", "signed": "1", "used": "3", "stable": "1"},
    },
    "static": {(WP, "base"): {"stable": "1", "unique": "1", "needed": "12?", "transferable": "12?"}},
    "needle": {
        (WP, "base"): {"unique": "1", "transferable": "3"},
        (JW, "average_tanh"): {"located": "3", "ranks": "12?", "signed": "3-", "used": "3"},
        (PD, "honest"): {"located": "3", "ranks": "23?", "signed": "3-", "used": "23"},
        (PD, LIARS): {"located": "1", "ranks": "3", "used": "≠1,23"},
    },
    "chorus": {(WP, "base"): {"needed": "1", "transferable": "1"}},
    "digest": {(SS, "han_none"): {"ranks": "-", "signed": "-", "used": "3"}},
    "unison": {(JW, "average_tanh"): {"located": "-", "ranks": "-", "signed": "-", "used": "1"}},
    "debate": {(JW, "average_tanh"): {"located": "≠1,3", "signed": "≠1,3"}},
    "poll": {(WP, "base"): {"unique": "23"}},
    "feint": {
        (HF, "relay"): {"located": "1", "signed": "1", "used": "1"},
        (HF, "direct|sink"): {"located": "3", "signed": "3-", "used": "3", "stable": "3"},
        (HF, "base"): {"located": "3"},
        (HF, "liar"): {"located": "1"},
    },
}  # fmt: skip
"""The zones in which a statement must lie, since the corpus was built that way: by the kind of corpus,
then by the suite's key and the model (a regular expression), then by question. docs/method/controls.md has the
reason of each.

"12": the statement names no zone but 1 and 2. This is the strict reading: what is said is right, and it is said.
"12?": the statement names 1 or 2, perhaps beside others. For what the construction leaves open by its size.
"-": nothing is stated, since the map is flat, nothing can be had, or any weights would do; too few texts are no reason.
"≠1,23": predicted classes lie apart; the lowest one lies in 1, the highest one in 2 or 3.
A claim without ≠ holds of each class where the statement is by class. What stands together is allowed each for itself.
"""
NOT_HIGH = "12-"
"""What may be said of shuffled weights."""
SILENT = (FLAT, NOTHING, "any weights would do")
"""The reasons that a construction can give for no statement, or how they begin."""

MAPS = {"relay": ("rollout", "attention"), "direct": ("attention", "rollout")}
"""The map that is right and the one that is wrong, by how a Transformer is built: see `transformer.constructed`."""
OF_MAPS = {
    "located": (0.5, 0.5, "least"),
    "opposes": (0.05, 0.25, "most"),
    "rank_stability": (0.5, 0.5, "least"),
    "auprc": (0.9, 0.6, "least"),
}
"""Bounds of a right map and of a wrong one, by metric of hf_table_maps, and which bound that of a right map is. Where
the only marked word is never first, AUPRC is at most 1/2."""


class Claim(NamedTuple):
    """One row of `CONTROLS` without the data set, the suite and the verdict.

    kept: of a claim on zones whether it holds; of a number whether anything beside its bounds holds.
    """

    model: str
    claim: str
    statistic: str
    value: float = nan
    least: float = nan
    most: float = nan
    question: str = ""
    said: str = ""
    allowed: str = ""
    kept: bool = True

    @property
    def holds(self) -> bool:
        """Whether the claim holds; False of a number that is not known."""
        if self.allowed:
            return self.kept
        # a bound that is NaN is none
        return self.kept and not (isnan(self.value) or self.value < self.least or self.value > self.most)


def average(rows: pd.DataFrame, model: str, column: str) -> float:
    """Average a column of one model; NaN where there are no rows of it."""
    return float(rows.loc[rows["model"] == model, column].astype(float).mean())


def keep_known(*claims: Claim) -> list[Claim]:
    """Keep the claims on numbers that are known."""
    return [claim for claim in claims if not isnan(claim.value)]


def claim_liars(
    summary: pd.DataFrame, evidence: pd.DataFrame, impermissible: pd.DataFrame, honest: str
) -> Iterator[Claim]:
    """Claim that a liar predicts as well as the honest model, attends elsewhere, and relies on what it hides."""
    for model in summary.loc[summary["model"].str.fullmatch(f"{LIARS}|liar"), "model"]:
        loss = average(summary, model, "accuracy") - average(summary, honest, "accuracy")
        away = average(evidence, model, "evidence_mass")
        # a text of which nothing is left counts as wrong
        own = impermissible.assign(without=impermissible["right_without"].eq(True))
        fall = average(own, model, "right") - average(own, model, "without")
        of_honest = "mean accuracy, less that of the honest model"
        deleted = "mean accuracy, less that of the same model where these words are deleted from its input"
        yield from keep_known(
            Claim(model, "hiding the evidence costs no accuracy", of_honest, loss, least=-LIAR_LOSS),
            Claim(model, "attention is away from the evidence", MASS, away, most=LIAR_MASS),
            Claim(model, "it relies on the words that it hides", deleted, fall, least=LIAR_RELIES),
        )


def claim_digest(planted: pd.DataFrame, ranked_sets: pd.DataFrame) -> Iterator[Claim]:
    """Claim that a ranking by importance starts at the one sentence that decides, and erases little else.

    This is claimed of models without an encoder: with one, an item's state also depends on its neighbours and may stand
    for them.
    """
    for model in ("han_none", "flan_none"):
        tops = planted[(planted["model"] == model) & (planted["ranking"] == "product")]
        if tops.empty:
            continue
        first = "attention x gradient puts the planted evidence first"
        yield Claim(model, first, "share of the test texts", tops["on_evidence"].mean(), least=DIGEST_SHARE)
        own = ranked_sets[ranked_sets["model"] == model]
        if own.empty:
            continue
        fractions = own.groupby("ranking", observed=True)["fraction_removed"].median()
        yield Claim(
            model,
            "attention x gradient flips decisions about as early as can be",
            "median fraction erased until the decision flips, less that of the smallest sets",
            fractions["product"] - fractions["smallest"],
            most=DIGEST_EXCESS,
        )


def claim_maps(table: pd.DataFrame) -> Iterator[Claim]:
    """Claim that a map that is right by construction does well by every measure, and one that is wrong does not: the
    whole interval lies within the bound.

    table: hf_table_maps, of one data set.
    """
    values = table.set_index(["row", "metric"])[["mean", "low", "high"]].astype(float).T.to_dict("list")
    for model, names in MAPS.items():
        for metric, (of_right, of_wrong, bound) in OF_MAPS.items():
            for name, limit, right in zip(names, (of_right, of_wrong), (True, False), strict=True):
                key = (f"{HF}/{model}/{name}", metric)
                if key not in values:
                    continue
                mean, low, high = values[key]
                least = (bound == "least") == right
                yield Claim(
                    model,
                    f"{name} is {'right' if right else 'wrong'}: {metric}",
                    f"{metric} of hf_table_maps, with its whole interval",
                    mean,
                    least=limit if least else nan,
                    most=nan if least else limit,
                    kept=low >= limit if least else high <= limit,
                )


def allow(allowed: str, zones: str, classes: Sequence[str], reason: str) -> bool:
    """Tell whether a statement is among those that are allowed, which are written as in TRUTH.

    zones, reason: of the summary. classes: the zones of predicted classes, from the lowest value to the highest.
    """
    whole, _, ends = allowed.partition(CLASSES)
    if zones == NONE:
        return NONE in whole and reason.startswith(SILENT)
    if zones == CLASSES and ends:
        lowest, highest = ends.split(",")
        if {*classes[0]} <= {*lowest} and {*classes[-1]} <= {*highest}:
            return True
    parts = classes if zones == CLASSES else [zones]
    if whole.endswith("?"):
        return all({*part} & {*whole} for part in parts)
    return all({*part} <= {*whole} for part in parts)


def claim_zones(truth: Mapping[tuple[str, str], Mapping[str, str]], summary: pd.DataFrame) -> Iterator[Claim]:
    """Claim that the summary, of one data set and suite, states what it must of its models; see TRUTH.

    What was not measured, as an audit was not asked or there is one training, is passed over.
    """
    for (suite, model), questions in truth.items():
        own = summary[(summary["suite"] == suite) & summary["model"].str.fullmatch(model)]
        for row in own.to_dict("records"):
            for question, allowed in questions.items():
                zones, reason = row[f"{question}_zones"], row[f"{question}_reason"]
                if zones == NONE and not row[f"{question}_texts"] and not reason.startswith(SILENT):
                    continue
                found = [one for one in json.loads(row[f"{question}_classes"] or "[]") if one["zones"]]
                classes = [one["zones"] for one in sorted(found, key=lambda one: one["value"])]
                said = f"{CLASSES}{classes[0]},{classes[-1]}" if zones == CLASSES else zones
                kept = allow(allowed, zones, classes, reason)
                value = nan if zones in (NONE, CLASSES) else row[f"{question}_value"]
                spoken = row[f"{question}_said"] or reason
                yield Claim(row["model"], question, spoken, value, nan, nan, question, said, allowed, kept)


def claim_shuffles(
    subject: Subject, shuffles: pd.DataFrame, groups: Mapping[str, str], margins: Margins
) -> Iterator[Claim]:
    """Claim that a map shuffled and imposed never touches the high zone, whole and by predicted class.

    The first shuffle takes the place of the map, with its own predictions, and the others are its zero. shuffles: rows
    of the audit on the data set and suite of the subject.
    """
    own = of_run(shuffles, subject.model)
    first, imposed = own[own["shuffle"] == 1], own[own["shuffle"] > 0]
    if imposed["shuffle"].nunique() < 2:
        return
    shifted = imposed.assign(shuffle=imposed["shuffle"] - 1)
    nothing = first.iloc[:0].assign(chance_jsd=nan)
    audits = Audits.of_frames(nothing, predictions=first, shuffles=shifted, groups=groups)
    measured = Measured(subject, audits, margins, {})
    for question, ask in (("ranks", ranks), ("signed", signed)):
        cell = ask(measured)
        touched = "".join(sorted({*cell.zones, *"".join(zones for _, zones in cell.classes)} - {NONE, CLASSES}))
        said = touched or NONE
        claim, statistic = f"shuffled weights are not high: {question}", "a shuffle in the place of the map"
        value = cell.part.estimate.value if cell.zones not in (NONE, CLASSES) else nan
        kept = {*said} <= {*NOT_HIGH}
        yield Claim(subject.model, claim, statistic, value, said=said, allowed=NOT_HIGH, kept=kept)


def list_claims(
    kind: str, suite: str, summary: pd.DataFrame, audits: Mapping[str, pd.DataFrame], maps: pd.DataFrame
) -> Iterator[Claim]:
    """List the claims on what a data set was built for, of one suite; all frames hold rows of both."""
    evidence = audits["evidence"]
    match kind, suite:
        case "needle", "wp":
            # attention finds the one cue that decides
            mass = average(evidence, "base", "evidence_mass")
            yield from keep_known(Claim("base", "attention lies on the evidence", MASS, mass, least=NEEDLE_MASS))
        case "shortcut", "wp":
            # a model reads the planted words, since only they tell the labels of the test texts
            right = average(summary, "base", "accuracy")
            statistic = "mean accuracy on the test texts, all of which are planted"
            yield from keep_known(Claim("base", "it decides by the planted words", statistic, right, least=LEARNT))
        case "static", "wp":
            # labels that are noise are not predicted
            low = average(summary, "base", "learnt_low")
            statistic = "accuracy - share of the largest class, lower end of the interval"
            yield from keep_known(Claim("base", "nothing predicts the labels", statistic, low, most=0.0))
        case "digest", "ss":
            yield from claim_digest(audits["planted"], audits["ranked_sets"])
        case "feint", "hf" if not maps.empty:
            yield from claim_maps(maps)
    if kind in TRUTH and suite in HONEST:
        yield from claim_liars(summary, evidence, audits["impermissible"], HONEST[suite])
    yield from claim_zones(TRUTH.get(kind, {}), summary)


def controls(
    kinds: Mapping[str, str],
    subjects: Subjects,
    answer: Mapping[str, Any],
    summary: pd.DataFrame,
    corpus: Mapping[str, pd.DataFrame],
    tables: Mapping[str, pd.DataFrame],
    **audits: pd.DataFrame,
) -> pd.DataFrame:
    """Make every claim that this run can show, with the columns of `CONTROLS`.

    `kinds`: the kind of corpus of each data set; of those that are no controls, claims are made on shuffled weights
    alone. `subjects`: the judged models. `answer`: that section of the configuration. `summary`: its rows. `corpus`: id
    and group of the test texts by data set. `tables`: has hf_table_maps, if it was made. `audits`: rows of `evidence`,
    `planted`, `ranked_sets`, `impermissible` and `shuffles`, of any number of data sets and suites, with the key of the
    suite as the column `suite`.
    """
    judged, margins = [Subject.model_validate(each) for each in subjects], AnswerSettings.model_validate(answer).margins
    maps, groups = tables.get("hf_table_maps", pd.DataFrame(columns=["dataset"])), groups_of(corpus)
    rows = []
    for dataset, kind in kinds.items():
        own_maps = maps[maps["dataset"] == dataset]
        for suite in dict.fromkeys([WP, SS, JW, PD, HF, *(subject.suite for subject in judged)]):
            own = {name: of_suite(frame, dataset, suite) for name, frame in audits.items()}
            claims = [*list_claims(kind, suite, of_suite(summary, dataset, suite), own, own_maps)]
            for subject in judged:
                if (subject.dataset, subject.suite) == (dataset, suite):
                    claims += claim_shuffles(subject, own["shuffles"], groups.get(dataset, {}), margins)
            rows += [(dataset, suite, *claim[:-1], claim.holds) for claim in claims]
    return pd.DataFrame(rows, columns=CONTROLS.schema.names)
