"""What the tests must find on the control corpora, where the truth is known; whether models have learnt the words that
are planted in real texts; and, on any texts, that shuffled weights are not called right.

A failed claim means that the tests, or the training, cannot be trusted on real data either.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import isnan, nan
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.statements import CLASSES, NONE, NOTHING
from attention_audit.columns.tables import CONTROLS
from attention_audit.contrasts import Subject
from attention_audit.tables.arrays import Subjects, groups_of, of_ranking, of_run, of_suite
from attention_audit.tables.asked import ASKED, FLAT, Measured

WP, SS, JW, PD, HF = "wp", "ss", "jw", "pd", "hf"
"""Keys of the suites."""
MASS = "mean over seeds and test instances of the evidence mass"
NEEDLE_MASS = 0.5
LEARNT = 0.95
"""The least accuracy on texts whose labels were drawn by lot, so that only the planted words tell them."""
AVERAGES: dict[tuple[str, str], tuple[str, str, str, str, float, float]] = {
    # attention finds the one cue that decides
    ("needle", WP): ("evidence", "evidence_mass", "attention lies on the evidence", MASS, NEEDLE_MASS, nan),
    # a model reads the planted words, since only they tell the labels of the test texts, which were drawn by lot
    ("shortcut", WP): (
        "summary", "accuracy", "it decides by the planted words",
        "mean accuracy on the test texts, all of which are planted", LEARNT, nan,
    ),
    # labels that are noise are not predicted
    ("static", WP): (
        "summary", "learnt_low", "nothing predicts the labels",
        "accuracy - share of the largest class, lower end of the interval", nan, 0.0,
    ),
}  # fmt: skip
"""Claims on means of the model `base`, by the kind of corpus and the suite: the rows and the column, the claim and the
statistic, the least and the most."""
OF_TEXTS = "share of the test texts"
EXCESS = "median fraction erased until the decision flips, less that of the smallest sets"
DIGEST_SHARE = 0.75
DIGEST_EXCESS = 0.05
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
    kind: {tuple(model.split("/")): zones for model, zones in models.items()}
    for kind, models in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")).items()
}
"""The zones in which a statement must lie, by the kind of corpus, the suite's key and the model, and the question:
controls.yaml says how they are written."""
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
    return float(of_run(rows, model)[column].astype(float).mean())


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
        tops = of_run(of_ranking(planted, "product"), model)
        if tops.empty:
            continue
        fractions = of_run(ranked_sets, model).groupby("ranking", observed=True)["fraction_removed"].median()
        share = tops["on_evidence"].mean()
        excess = fractions.get("product", nan) - fractions.get("smallest", nan)
        yield from keep_known(
            Claim(model, "attention x gradient puts the planted evidence first", OF_TEXTS, share, least=DIGEST_SHARE),
            Claim(
                model,
                "attention x gradient flips decisions about as early as can be",
                EXCESS,
                excess,
                most=DIGEST_EXCESS,
            ),
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
        for row, (question, allowed) in product(own.to_dict("records"), questions.items()):
            zones, reason, texts, value, spoken, found = (
                row[f"{question}_{name}"] for name in ("zones", "reason", "texts", "value", "said", "classes")
            )
            if zones == NONE and not texts and not reason.startswith(SILENT):
                continue
            known = [one for one in json.loads(found or "[]") if one["zones"]]
            classes = [one["zones"] for one in sorted(known, key=lambda one: one["value"])]
            yield Claim(
                row["model"],
                question,
                spoken or reason,
                nan if zones in (NONE, CLASSES) else value,
                question=question,
                said=f"{CLASSES}{classes[0]},{classes[-1]}" if zones == CLASSES else zones,
                allowed=allowed,
                kept=allow(allowed, zones, classes, reason),
            )


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
    measured = Measured(subject, {"predictions": first, "shuffles": shifted}, margins, {}, groups)
    for question in ("ranks", "signed"):
        cell = ASKED[question](measured)
        touched = {*cell.zones, *"".join(zones for _, zones in cell.classes)} - {NONE, CLASSES}
        yield Claim(
            subject.model,
            f"shuffled weights are not high: {question}",
            "a shuffle in the place of the map",
            cell.part.estimate.value if cell.zones not in (NONE, CLASSES) else nan,
            said="".join(sorted(touched)) or NONE,
            allowed=NOT_HIGH,
            kept=touched <= {*NOT_HIGH},
        )


def list_claims(kind: str, suite: str, frames: Mapping[str, pd.DataFrame], maps: pd.DataFrame) -> Iterator[Claim]:
    """List the claims on what a data set was built for, of one suite; all frames hold rows of both."""
    if (kind, suite) in AVERAGES:
        name, column, claim, statistic, least, most = AVERAGES[kind, suite]
        yield from keep_known(Claim("base", claim, statistic, average(frames[name], "base", column), least, most))
    if (kind, suite) == ("digest", SS):
        yield from claim_digest(frames["planted"], frames["ranked_sets"])
    if (kind, suite) == ("feint", HF):
        yield from claim_maps(maps)
    if kind in TRUTH and suite in HONEST:
        yield from claim_liars(frames["summary"], frames["evidence"], frames["impermissible"], HONEST[suite])
    yield from claim_zones(TRUTH.get(kind, {}), frames["summary"])


def controls(
    kinds: Mapping[str, str],
    subjects: Subjects,
    answer: Mapping[str, Any],
    corpus: Mapping[str, pd.DataFrame],
    tables: Mapping[str, pd.DataFrame],
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
    judged, margins = [*map(Subject.model_validate, subjects)], AnswerSettings.model_validate(answer).margins
    maps = tables.get("hf_table_maps", pd.DataFrame(columns=["dataset", "row", "metric", "mean", "low", "high"]))
    groups, rows = groups_of(corpus), []
    for dataset, kind in kinds.items():
        for suite in dict.fromkeys([WP, SS, JW, PD, HF, *(subject.suite for subject in judged)]):
            own = {name: of_suite(frame, dataset, suite) for name, frame in (audits | {"summary": summary}).items()}
            claims = [*list_claims(kind, suite, own, maps[maps["dataset"] == dataset])]
            for subject in judged:
                if (subject.dataset, subject.suite) == (dataset, suite):
                    claims += claim_shuffles(subject, own["shuffles"], groups.get(dataset, {}), margins)
            rows += [(dataset, suite, *claim[:-1], claim.holds) for claim in claims]
    return pd.DataFrame(rows, columns=CONTROLS.schema.names)
