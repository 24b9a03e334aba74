"""What the tests must find on the control corpora, where the truth is known.

A failed claim means that the tests, or the training, cannot be trusted on real data either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf, nan, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd

from attention_audit.columns.controls import CONTROLS
from attention_audit.tables.verdict import NO, YES
from attention_audit.tables.wording import label_of

NEEDLE_GAIN = 0.15
NEEDLE_MASS = 0.5
CHORUS_MARGIN = 0.02
STANDARD_ERRORS = 2
CHANCE_ERRORS = 3
DIGEST_SHARE = 0.75
DIGEST_EXCESS = 0.05
WP, SS, JW = ("wp", "WP2019"), ("ss", "SS2019"), ("jw", "JW2019")
"""Key of a suite in the audits, and its name in the summary."""
TRUTH: dict[str, dict[tuple[str, str, str], str]] = {
    "needle": {(WP[1], "base", "transferable"): YES, (JW[1], "average_tanh", "consequential"): YES},
    "chorus": {(WP[1], "base", "needed"): NO},
    "static": {(WP[1], "base", "needed"): NO, (WP[1], "base", "transferable"): NO},
    "digest": {(SS[1], "han_none", "consequential"): YES},
}
"""The summary's word on a suite's model and question, where the construction leaves no other.

needle: a model of single words that is shown where the one word stands knows the class, and one that takes the mean of
all does not; where no state knows of its neighbours, moving the weight elsewhere loses it. chorus: every word counts
alike. static: no weights can be of use for labels that are noise. digest: where no sentence knows of the others, only
the planted one speaks for the class.
"""


class Claim(NamedTuple):
    """One row of columns.CONTROLS but for the data set and the verdict."""

    claim: str
    statistic: str
    value: float
    least: float = nan
    most: float = nan

    @property
    def holds(self) -> bool:
        """Whether the value lies within its bounds; never with a value that is not a number."""
        least, most = (-inf if np.isnan(self.least) else self.least, inf if np.isnan(self.most) else self.most)
        return bool(least <= self.value <= most)


def scores(performance: pd.DataFrame, model: str, metric: str) -> pd.Series:
    """A metric of a model, one value a seed."""
    return performance.loc[(performance["model"] == model) & (performance["metric"] == metric), "value"]


def needle(performance: pd.DataFrame, evidence: pd.DataFrame) -> Iterator[Claim]:
    """One cue decides, so attention finds it, and its weights guide a simpler model."""
    guided, blind = (scores(performance, f"guide_{weights}", "f1").mean() for weights in ("base_lstm", "uniform"))
    mass = evidence.loc[evidence["model"] == "base", "evidence_mass"].mean()
    yield Claim(
        "base attention guides the MLP",
        "mean F1 of guide_base_lstm minus mean F1 of guide_uniform",
        guided - blind,
        least=NEEDLE_GAIN,
    )
    yield Claim(
        "base attention lies on the evidence",
        "mean over seeds and test instances of the evidence mass of base",
        mass,
        least=NEEDLE_MASS,
    )


def chorus(performance: pd.DataFrame) -> Iterator[Claim]:
    """Every word counts alike, so attention adds nothing beyond the noise between seeds (Welch)."""
    base, uniform = scores(performance, "base", "f1"), scores(performance, "uniform", "f1")
    error = sqrt(base.var() / len(base) + uniform.var() / len(uniform)) if min(len(base), len(uniform)) > 1 else 0.0
    yield Claim(
        "uniform weights do as well as attention",
        f"absolute difference of mean F1, base and uniform; at most {STANDARD_ERRORS} standard errors "
        f"or {CHORUS_MARGIN:g}, whichever is more",
        abs(base.mean() - uniform.mean()),
        most=max(STANDARD_ERRORS * error, CHORUS_MARGIN),
    )


def static(performance: pd.DataFrame, sizes: pd.Series) -> Iterator[Claim]:
    """Labels are noise, so the model guesses.

    Predictions independent of labels that are positive with share pi, and positive themselves with share q, are
    right with probability q pi + (1 - q)(1 - pi): between the minority's and the majority's share, whatever q.
    The accuracy of one seed has a standard error of at most sqrt(1/4n); so has their mean, however correlated.
    `sizes`: test texts by label.
    """
    positive = sizes[1] / sizes.sum()
    slack = CHANCE_ERRORS * sqrt(0.25 / sizes.sum())
    yield Claim(
        "nothing predicts the labels",
        f"mean accuracy of base; the test split's class shares, {CHANCE_ERRORS} standard errors either way",
        scores(performance, "base", "accuracy").mean(),
        least=min(positive, 1 - positive) - slack,
        most=max(positive, 1 - positive) + slack,
    )


def digest(planted: pd.DataFrame, ranked_sets: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[Claim]:
    """One sentence decides, so rankings by importance start there, and erase little else before the decision flips.

    Claimed of models without an encoder: with one, an item's state knows of its neighbours too, and may stand for them.
    """
    for model in ("han_none", "flan_none"):
        tops = planted[(planted["model"] == model) & (planted["ranking"] == "product")]
        if tops.empty:
            continue
        name = label_of(model, labels)
        yield Claim(
            f"attention x gradient puts the planted evidence first ({name})",
            "share of the test texts",
            tops["on_evidence"].mean(),
            least=DIGEST_SHARE,
        )
        own = ranked_sets[ranked_sets["model"] == model]
        fractions = own.groupby("ranking", observed=True)["fraction_removed"].median()
        yield Claim(
            f"attention x gradient flips decisions about as early as can be ({name})",
            "median fraction erased until the decision flips, less that of the smallest sets",
            fractions["product"] - fractions["smallest"],
            most=DIGEST_EXCESS,
        )


def words(truth: Mapping[tuple[str, str, str], str], summary: pd.DataFrame) -> Iterator[Claim]:
    """That the summary says what is planted, of the models that it has; `summary` of one data set."""
    for (paper, model, question), word in truth.items():
        for answer in summary.loc[(summary["paper"] == paper) & (summary["model"] == model), question]:
            yield Claim(
                f"the summary's word on {model}, {question}: {word}", f"1 for {word}", float(answer == word), least=1
            )


def of_suite(rows: pd.DataFrame, dataset: str, suite: str) -> pd.DataFrame:
    """The rows of one data set and suite."""
    return rows[(rows["dataset"] == dataset) & (rows["suite"] == suite)]


def controls(
    kinds: Mapping[str, str],
    performance: pd.DataFrame,
    evidence: pd.DataFrame,
    census: Mapping[str, pd.DataFrame],
    planted: pd.DataFrame,
    ranked_sets: pd.DataFrame,
    summary: pd.DataFrame,
    labels: Mapping[str, str],
) -> pd.DataFrame:
    """Every claim about the control corpora, with the columns of columns.CONTROLS.

    `kinds` maps data set to needle, chorus, static or digest; data sets of other kinds are passed over. `performance`,
    `evidence`, `planted` and `ranked_sets` hold columns.PERFORMANCE, EVIDENCE, PLANTED and RANKED_SETS rows of any
    number of data sets and suites, with the key of the suite as the column `suite`; `summary` holds columns.SUMMARY
    rows, and `census` columns.CENSUS frames by data set. `labels` says what models are called.
    """
    rows = []
    for dataset, kind in kinds.items():
        scored = of_suite(performance, dataset, WP[0])
        claims: Iterator[Claim] = iter(())
        if kind == "digest":
            claims = digest(of_suite(planted, dataset, SS[0]), of_suite(ranked_sets, dataset, SS[0]), labels)
        elif scored.empty:
            pass  # its tests were not asked for
        elif kind == "needle":
            claims = needle(scored, of_suite(evidence, dataset, WP[0]))
        elif kind == "chorus":
            claims = chorus(scored)
        elif kind == "static":
            counts = census[dataset]
            claims = static(scored, counts[counts["split"] == "test"].set_index("label")["kept"])
        answers = words(TRUTH.get(kind, {}), summary[summary["dataset"] == dataset])
        rows += [(dataset, *claim, claim.holds) for claim in (*claims, *answers)]
    return pd.DataFrame(rows, columns=CONTROLS.schema.names)
