"""What the tests must find on the control corpora, where the truth is known; and whether models have learnt the words
that are planted in real texts.

A failed claim means that the tests, or the training, cannot be trusted on real data either.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from math import isnan, nan, sqrt
from typing import NamedTuple

import pandas as pd

from attention_audit.answer.words import NO, NOT_ASKED, YES
from attention_audit.columns.controls import CONTROLS
from attention_audit.columns.summary import MEASURED
from attention_audit.tables.arrays import of_suite
from attention_audit.tables.erasing import ROUNDING
from attention_audit.tables.wording import label_of

WP, SS, JW, PD, HF = "wp", "ss", "jw", "pd", "hf"
"""Keys of the suites."""
HF_MAPS = "hf_table_maps"
NEEDLE_MASS = 0.5
CHANCE_ERRORS = 3
DIGEST_SHARE = 0.75
DIGEST_EXCESS = 0.05
SUPPORTED = {"beacon": (WP, "base"), "debate": (JW, "average_tanh")}
"""The model of each kind of corpus whose top items are known to support the prediction, or to oppose it in every second
text."""
SUPPORTING, OPPOSING = 0.05, 0.25
"""The most texts whose top item opposes the prediction on beacon, and the fewest on debate."""
LEARNT = 0.95
"""The least accuracy on texts whose labels were drawn by lot, so that only the planted words tell them."""
LIAR_LOSS = 0.02
"""The most accuracy that hiding may cost; a model that did without the hidden words would lose far more."""
LIAR_MASS = 0.05
"""The most attention on the hidden words, of the mean over seeds and texts."""
LIARS = r"liar_lambda.+"
HONEST = {PD: "honest", HF: "base"}
"""The model that a liar of a suite is held against."""
TRUTH: dict[str, dict[tuple[str, str], dict[str, str]]] = {
    "beacon": {
        (WP, "base"): dict.fromkeys(("needed", "stable", "used", "ranks", "located", "signed", "transferable"), YES),
        (JW, "average_drawn"): {"ranks": NO},
    },
    "needle": {
        (WP, "base"): {"unique": NO, "transferable": YES},
        (JW, "average_tanh"): {"used": YES},
        (PD, "honest"): {"located": YES},
        (PD, LIARS): {"located": NO},
    },
    "chorus": {(WP, "base"): {"needed": NO, "transferable": NO}},
    "static": {(WP, "base"): {"stable": NO}},
    "unison": {(JW, "average_tanh"): {"used": NO}},
    "debate": {(JW, "average_tanh"): {"signed": NO}},
    "poll": {(WP, "base"): {"unique": YES}},
    "digest": {(SS, "han_none"): {"used": YES}},
    "feint": {
        (HF, "relay"): {"used": NO, "located": NO, "signed": NO},
        (HF, "direct|sink"): dict.fromkeys(("stable", "used", "located", "signed"), YES),
        (HF, "base"): {"located": YES},
        (HF, "liar"): {"located": NO},
    },
}
"""The words that the summary must say, since the corpus was built that way: by kind of corpus, then by the suite's key
and the model (a regular expression). docs/method/controls.md has the reason of each.
"""

MAPS = {"relay": ("rollout", "attention"), "direct": ("attention", "rollout")}
"""The map that is right and the one that is wrong, by how a Transformer is built: see `transformer.constructed`."""
OF_MAPS = {
    "located": (0.5, 0.5, "least"),
    "opposes": (SUPPORTING, OPPOSING, "most"),
    "rank_stability": (0.5, 0.5, "least"),
    "auprc": (0.9, 0.6, "least"),
}
"""Bounds of a right map and of a wrong one, by metric of hf_table_maps, and which bound that of a right map is. Where
the only marked word is never first, AUPRC is at most 1/2."""


class Claim(NamedTuple):
    """One row of columns.controls without the data set and the verdict."""

    claim: str
    statistic: str
    value: float
    least: float = nan
    most: float = nan
    said: bool = True

    @property
    def holds(self) -> bool:
        """Whether the value lies within its bounds, and what had to be `said` was; False where the value is NaN."""
        # a bound that is NaN is none
        return self.said and not (isnan(self.value) or self.value < self.least or self.value > self.most)


def scores(performance: pd.DataFrame, model: str, metric: str) -> pd.Series:
    """A metric of a model, one value for each seed."""
    return performance.loc[(performance["model"] == model) & (performance["metric"] == metric), "value"]


def mass(evidence: pd.DataFrame, model: str) -> float:
    """The mean evidence mass of a model over seeds and test instances."""
    return float(evidence.loc[evidence["model"] == model, "evidence_mass"].mean())


def needle(evidence: pd.DataFrame) -> Iterator[Claim]:
    """One cue decides, so attention finds it."""
    statistic = "mean over seeds and test instances of the evidence mass of base"
    yield Claim("base attention lies on the evidence", statistic, mass(evidence, "base"), least=NEEDLE_MASS)


def shortcut(performance: pd.DataFrame) -> Iterator[Claim]:
    """Only the planted words tell the labels of the test texts, so a model that predicts them reads these words."""
    statistic = "mean accuracy of base on the test texts, all of which are planted"
    accuracy = scores(performance, "base", "accuracy").mean()
    yield Claim("base decides by the planted words", statistic, accuracy, least=LEARNT)


def liars(performance: pd.DataFrame, evidence: pd.DataFrame, suite: str, labels: Mapping[str, str]) -> Iterator[Claim]:
    """A liar predicts as well as the honest model, and its attention is not on what it relies on."""
    honest = scores(performance, HONEST[suite], "accuracy").mean()
    for model in performance["model"][performance["model"].str.fullmatch(f"{LIARS}|liar")].unique():
        name = label_of(model, labels)
        loss = scores(performance, model, "accuracy").mean() - honest
        statistic = "mean accuracy, less that of the honest model"
        yield Claim(f"hiding the evidence costs no accuracy: {name}", statistic, loss, least=-LIAR_LOSS)
        if not evidence.empty:
            statistic = "mean over seeds and test instances of the evidence mass"
            away = f"attention is away from the evidence: {name}"
            yield Claim(away, statistic, mass(evidence, model), most=LIAR_MASS)


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
        name, share = label_of(model, labels), tops["on_evidence"].mean()
        first = f"attention x gradient puts the planted evidence first ({name})"
        yield Claim(first, "share of the test texts", share, least=DIGEST_SHARE)
        own = ranked_sets[ranked_sets["model"] == model]
        if own.empty:
            continue
        fractions = own.groupby("ranking", observed=True)["fraction_removed"].median()
        yield Claim(
            f"attention x gradient flips decisions about as early as can be ({name})",
            "median fraction erased until the decision flips, less that of the smallest sets",
            fractions["product"] - fractions["smallest"],
            most=DIGEST_EXCESS,
        )


def opposing(kind: str, contributions: pd.DataFrame, labels: Mapping[str, str]) -> Iterator[Claim]:
    """Beacon's top item is the cue, which speaks for its class. Debate's is always of one side, which loses about every
    second text.

    contributions: of one data set, all suites.
    """
    suite, model = SUPPORTED[kind]
    own = contributions[(contributions["suite"] == suite) & (contributions["model"] == model)]
    if not own.empty:
        rises = own["top_fall"].dropna() < -ROUNDING
        least, most, side = (nan, SUPPORTING, "supports") if kind == "beacon" else (OPPOSING, nan, "often opposes")
        statistic = "share of the test texts whose prediction gains by erasing it"
        claim = f"the item of the most attention {side} the prediction ({label_of(model, labels)})"
        yield Claim(claim, statistic, float(rises.mean()), least, most)


def words(
    truth: Mapping[tuple[str, str], Mapping[str, str]], summary: pd.DataFrame, labels: Mapping[str, str]
) -> Iterator[Claim]:
    """Claims that the summary says the words of `truth`, for the models and questions that it has.

    `summary` is of one data set. The value is the effect; the word is the summary's, by its own rule.
    """
    for (suite, model), answers in truth.items():
        own = summary[(summary["suite"] == suite) & summary["model"].str.fullmatch(model)]
        for row in own.to_dict("records"):
            for question, word in answers.items():
                if row[question] == NOT_ASKED:
                    continue
                bound = "least" if word == YES else "most"
                yield Claim(
                    f"{question}: {word} ({label_of(row['model'], labels)}, {label_of(row['paper'], labels)})",
                    f"the summary says {row[question]}; {MEASURED[question]}",
                    row[f"{question}_value"],
                    **{bound: row[f"{question}_margin"]},
                    said=row[question] == word,
                )


def of_maps(table: pd.DataFrame) -> Iterator[Claim]:
    """A map that is right by construction does well by every measure, and one that is wrong does not: the whole
    interval lies within the bound.

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
                clear = low >= limit if least else high <= limit
                yield Claim(
                    f"{name} is {'right' if right else 'wrong'}: {metric} ({model})",
                    f"{metric} of hf_table_maps, with its whole interval",
                    mean,
                    **{"least" if least else "most": limit},
                    said=clear,
                )


def controls(
    kinds: Mapping[str, str],
    performance: pd.DataFrame,
    evidence: pd.DataFrame,
    census: Mapping[str, pd.DataFrame],
    planted: pd.DataFrame,
    ranked_sets: pd.DataFrame,
    contributions: pd.DataFrame,
    summary: pd.DataFrame,
    tables: Mapping[str, pd.DataFrame],
    labels: Mapping[str, str],
) -> pd.DataFrame:
    """Every claim about the control corpora that the audits of this run can show, with the columns of columns.controls.

    `kinds` maps data set to the kind of its corpus; data sets of other kinds are skipped. `performance`, `evidence`,
    `planted`, `ranked_sets` and `contributions` hold rows of the audits of these names, of any number of data sets and
    suites, with the key of the suite as the column `suite`. `summary` holds rows of the summary, and `census` a frame
    for each data set. `tables` has hf_table_maps, if it was made. `labels` has the labels of models.
    """
    rows = []
    for dataset, kind in kinds.items():
        own = partial(of_suite, dataset=dataset)
        claims: list[Claim] = []
        if kind == "digest":
            claims += digest(own(planted, suite=SS), own(ranked_sets, suite=SS), labels)
        if kind == "needle" and not own(evidence, suite=WP).empty:
            claims += needle(own(evidence, suite=WP))
        if kind == "shortcut" and not own(performance, suite=WP).empty:
            claims += shortcut(own(performance, suite=WP))
        if kind == "static" and not own(performance, suite=WP).empty:
            counts = census[dataset]
            claims += static(own(performance, suite=WP), counts[counts["split"] == "test"].set_index("label")["kept"])
        if kind in SUPPORTED:
            claims += opposing(kind, contributions[contributions["dataset"] == dataset], labels)
        if kind in TRUTH:
            for suite in HONEST:
                claims += liars(own(performance, suite=suite), own(evidence, suite=suite), suite, labels)
        if kind == "feint" and not (maps := tables.get(HF_MAPS, pd.DataFrame())).empty:
            claims += of_maps(maps[maps["dataset"] == dataset])
        claims += words(TRUTH.get(kind, {}), summary[summary["dataset"] == dataset], labels)
        rows += [(dataset, *claim[:5], claim.holds) for claim in claims]
    return pd.DataFrame(rows, columns=CONTROLS.schema.names)
