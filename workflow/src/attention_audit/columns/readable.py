"""Whether a remedy makes maps readable: one row a data set and model that has a twin without the remedy."""

from attention_audit.columns.kinds import Column, cosine, described, real, text
from attention_audit.columns.shared import DATASET

READ_BY = ("used", "ranks", "located")
"""The questions of the summary that a map must pass to be read: do its weights matter, in their order, on its words?"""


def _question(name: str) -> dict[str, Column]:
    return {
        name: text(meaning=f"the word of `{name}` for the model, as in the summary"),
        f"{name}_value": real.or_null(meaning="its effect; null where it is not known"),
        f"{name}_twin": text(meaning="the word for the twin"),
        f"{name}_twin_value": real.or_null(meaning="its effect"),
    }


READABLE = described("readable", __doc__, "tables/{suite}_table_readable.parquet").holds(
    dataset=DATASET,
    model=text(meaning="the model with the remedy"),
    twin=text(meaning="the model without it"),
    conicity=cosine(meaning="how alike the states of the model are, as in the authors' code"),
    conicity_twin=cosine(meaning="the same of the twin"),
    **{name: column for asked in READ_BY for name, column in _question(asked).items()},
    sentence=text(meaning="the answer in sentences that can be quoted"),
)
