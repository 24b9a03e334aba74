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
"""The answers that the summary must give to a suite's model and question, since the corpus was built that way.

needle: one word decides the class. A model of single words predicts it when the weights point to that word, and cannot
when they are uniform. In a model whose states know only their own word, weight that moves elsewhere loses the class.
chorus: every word counts the same. static: labels are noise, so no weights can help. digest: one planted sentence
decides, and in a model whose states know only their own sentence, no other sentence can.
"""


class Claim(NamedTuple):
    """One row of columns.controls without the data set and the verdict."""

    claim: str
    statistic: str
    value: float
    least: float = nan
    most: float = nan

    @property
    def holds(self) -> bool:
        """Whether the value lies within its bounds; False where it is NaN."""
        least, most = (-inf if np.isnan(self.least) else self.least, inf if np.isnan(self.most) else self.most)
        return bool(least <= self.value <= most)


def scores(performance: pd.DataFrame, model: str, metric: str) -> pd.Series:
    """A metric of a model, one value for each seed."""
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
    """Every word counts the same, so attention adds nothing beyond the noise between seeds (Welch)."""
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

    Let a share pi of the labels be positive, and a share q of the predictions, which do not depend on the labels. A
    prediction is then correct with probability q pi + (1 - q)(1 - pi), which lies between the shares of the smaller and
    of the larger class for every q. The accuracy of one seed has a standard error of at most sqrt(1/4n), and so has the
    mean over seeds, however they are correlated. `sizes`: test texts by label.
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
    """One sentence decides, so a ranking by importance starts there and erases little else before the decision flips.

    This is claimed of models without an encoder: with one, an item's state also depends on its neighbours and may stand
    for them.
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
    """Claims that the summary gives the answers of `truth`, for the models it has; `summary` is of one data set."""
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
    """Every claim about the control corpora, with the columns of columns.controls.

    `kinds` maps data set to needle, chorus, static or digest; data sets of other kinds are skipped. `performance`,
    `evidence`, `planted` and `ranked_sets` hold rows of the audits of these names, of any number of data sets and
    suites, with the key of the suite as the column `suite`. `summary` holds rows of the summary, and `census` a frame
    for each data set. `labels` has the labels of models.
    """
    rows = []
    for dataset, kind in kinds.items():
        scored = of_suite(performance, dataset, WP[0])
        claims: Iterator[Claim] = iter(())
        if kind == "digest":
            claims = digest(of_suite(planted, dataset, SS[0]), of_suite(ranked_sets, dataset, SS[0]), labels)
        elif scored.empty:
            pass  # the configuration does not ask for tests of this data set
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
