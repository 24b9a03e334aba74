"""Attention and all other attributions by `located` and `ranks`: one row a model and attribution. A costly attribution
is of a sample of the texts; attention's value on the very same texts stands beside it.
"""

from collections.abc import Mapping

from attention_audit.columns.kinds import Column, described, flag, integer, share, text
from attention_audit.columns.shared import DATASET, bounds

BY: Mapping[str, str] = {
    "located": "the way from random words (0) to those of leave-one-out (1)",
    "ranks": "items erased until the decision flips: the way from a random order (0) to the smallest set (1)",
}
"""The questions by which attributions are compared."""


def _question(name: str, meaning: str) -> dict[str, Column]:
    return {
        **bounds(name, share, meaning=f"{meaning}; null where it was not asked"),
        f"{name}_attention": share.or_null(meaning="the same of attention, on the same texts"),
        f"{name}_texts": integer(unit="texts", meaning="texts of all these"),
        f"{name}_yardstick": flag(meaning="whether the 1 is made of this attribution, so that it says nothing of it"),
    }


INSTEAD = described("instead", __doc__, "tables/instead.parquet").holds(
    dataset=DATASET,
    suite=text(meaning="key of the suite"),
    model=text(meaning="the judged model, as in the summary"),
    seeds=integer(unit="seeds", meaning="trainings"),
    attribution=text(meaning="attention, or an attribution or a further map"),
    **{column: kind for name, meaning in BY.items() for column, kind in _question(name, meaning).items()},
)
