"""The findings of Serrano & Smith 2019, one by one, and whether this run finds the same.

A claim that a difference exists holds where the whole interval lies on the claimed side, and does not where none of it
does; otherwise it is undecided. A claim that there is no clear difference holds where the whole interval lies below
what the paper calls one, so that few texts never confirm it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np
import pandas as pd

from attention_audit.answer.bootstrap import bootstrap
from attention_audit.answer.words import NO, YES, above
from attention_audit.columns.claims import CLAIMS
from attention_audit.names import Names, display_name
from attention_audit.tables.arrays import Floats, averaged, cube
from attention_audit.tables.erasure import PAPER, earlier, has_encoder
from attention_audit.tables.published import Fact, facts, published

GRADIENTS = ("gradient", "product")
TABLE_2 = "han_rnn"
"""The model of the paper's table 2."""
Finding = tuple[str, str, float, float, float, str, str]
"""One row of columns.claims without the data set."""
FLAT = "flan_"
"""The names of models that attend to all words begin with this; they are ordered by how far their encoders reach."""


def below(low: float, high: float, bound: float) -> str:
    """Whether a number with this interval is below a bound: yes, no or undecided."""
    return above(-high, -low, -bound)


def at_most(low: float, high: float, bound: float) -> str:
    """Whether it is at most a bound, likewise."""
    return {YES: NO, NO: YES}.get(word := above(low, high, bound), word)


def finding(
    claim: str,
    statistic: str,
    ours: Sequence[float],
    theirs: str,
    side: Callable[[float, float, float], str],
    bound: float,
) -> Finding:
    """A finding of a number with its interval (value, low, high), which holds where it is on a side of a bound.

    side: `above`, `below` or `at_most`.
    """
    value, low, high = ours
    return claim, statistic, value, low, high, theirs, side(low, high, bound)


def of_medians(one: Floats, other: Floats, resamples: int) -> Sequence[float]:
    """The median of `one` minus that of `other`, (S, N) each, with the interval of the bootstrap."""

    def medians(ones: Floats, others: Floats) -> Floats:
        apart: Floats = np.nanmedian(ones, axis=-1) - np.nanmedian(others, axis=-1)
        return apart

    return bootstrap(medians, one, other, resamples=resamples)


def as_claims(found: Iterable[tuple[str, Finding]]) -> pd.DataFrame:
    """Findings by data set as rows of columns.claims."""
    return pd.DataFrame([(dataset, *own) for dataset, own in found], columns=CLAIMS.schema.names)


def contextualisation(ranked_sets: pd.DataFrame, resamples: int, models: Names) -> Iterator[Finding]:
    """The further the encoder reaches, the more items must be erased (section 5.6); for one data set."""
    flat = [name for name in models if name.startswith(FLAT)]
    by_attention = ranked_sets[(ranked_sets["ranking"] == "attention") & ranked_sets["model"].isin(flat)]
    fractions = cube(by_attention, "fraction_removed", "model")
    for further, nearer in pairwise(model for model in flat if model in fractions):
        names = models[further].label, models[nearer].label
        yield finding(
            f"{names[0]} needs more items removed than {names[1]}",
            f"median fraction removed by attention, {names[0]} minus {names[1]}; above 0",
            of_medians(fractions[further], fractions[nearer], resamples),
            "above 0 (figures 5 and 6)",
            above,
            0,
        )


def gradients(ranked_sets: pd.DataFrame, models: Names) -> Iterator[Finding]:
    """In models with an encoder, rankings by gradient flip earlier than attention; without one, not clearly so.

    Sections 5.4 and 5.6. Clearly is from the least ratio on that the paper has with an encoder.
    """
    ratios = earlier(ranked_sets, [(name, "attention") for name in GRADIENTS])
    ratios = ratios.loc[ratios["metric"] == "earlier_ratio", ["row", "first", "mean", "low", "high"]]
    found = {(model, first): ours for model, first, *ours in ratios.itertuples(index=False)}
    clear = facts()[PAPER, "Section 5.4", "all", "encoders/gradient/attention", "earlier_ratio"].value
    for (model, look), ranking in product(models.items(), GRADIENTS):
        if (model, ranking) not in found:
            continue
        ours = found[model, ranking]
        statistic = f"texts in which {ranking} flips first / texts in which attention does"
        if has_encoder(model):
            claimed = published("Section 5.4", "all", f"encoders/{ranking}/attention", "earlier_ratio", PAPER)
            theirs = f"{claimed.note} {claimed.value:g}" if claimed else "above 1 (figures 5 and 10)"
            claim = f"{look.label}: {ranking} flips earlier than attention"
            yield finding(claim, f"{statistic}; above 1", ours, theirs, above, 1)
        # without an encoder the paper finds the product better still (section 5.6)
        elif ranking == "gradient":
            claim = f"{look.label}: {ranking} does not clearly flip earlier than attention"
            statistic += f"; below {clear:g}, the least that the paper has with an encoder"
            yield finding(claim, statistic, ours, "attention on par or better (figure 6)", below, clear)


def top_flips() -> dict[str, float]:
    """Percent of the texts that flip without the top item, by the paper's data sets, for HANrnn (table 2)."""
    rows: dict[str, list[Fact]] = {}
    for (paper, table, dataset, _, metric), fact in facts().items():
        if (paper, table) == (PAPER, "Table 2") and metric in {"both_flip", "only_top_flips"}:
            rows.setdefault(dataset, []).append(fact)
    return {dataset: round(sum(fact.value for fact in both), 1) for dataset, both in rows.items()}


def minority(dataset: str, single_weight: pd.DataFrame, models: Names) -> Iterator[Finding]:
    """When only the item of the highest attention is erased, few decisions flip (section 4.2); for one data set.

    Table 2 is of HANrnn, and so is the claim: of models without an encoder the paper finds more flips (figure 9).
    """
    theirs = top_flips()
    least, most = min(theirs.values()), max(theirs.values())
    tops = single_weight[(single_weight["ranking"] == "attention") & (single_weight["draw"] == "corrected")]
    for model, flips in cube(tops[tops["model"] == TABLE_2], "top_flips", "model").items():
        ours, own = averaged(100 * flips, 100), theirs.get(display_name(dataset))
        yield finding(
            f"{models[model].label}: the top item flips the decision in a small minority of the texts",
            f"percent of the texts; at most {most:g}, the most in the paper's table 2",
            [ours[name] for name in ("mean", "low", "high")],
            f"{own:g}" if own else f"{least:g} to {most:g}",
            at_most,
            most,
        )


def ss_table_claims(
    ranked_sets: pd.DataFrame, single_weight: pd.DataFrame, resamples: int, models: Names
) -> pd.DataFrame:
    """Every finding of the paper that can be tested, with 95 % intervals over instances and seeds.

    The frames hold rows of the audits ranked_sets and single_weight, of any number of data sets; the columns are those
    of columns.claims. Raises AuditError for a model that is not one of `models`.
    """
    models.refuse_unknown([*ranked_sets["model"].unique(), *single_weight["model"].unique()])
    found: list[tuple[str, Finding]] = []
    for dataset in map(str, ranked_sets["dataset"].unique()):
        ranked, single = (frame[frame["dataset"] == dataset] for frame in (ranked_sets, single_weight))
        findings = (
            *contextualisation(ranked, resamples, models),
            *gradients(ranked, models),
            *minority(dataset, single, models),
        )
        found += [(dataset, own) for own in findings]
    return as_claims(found)
