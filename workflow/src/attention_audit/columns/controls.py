"""What the tests must find on the control corpora, where the truth is known, and of any shuffled weights; and what they
found.
"""

from attention_audit.columns.kinds import described, flag, real, text
from attention_audit.columns.shared import DATASET

CONTROLS = described("controls", __doc__, "tables/controls.parquet").holds(
    dataset=DATASET,
    suite=text(meaning="key of the suite"),
    model=text(meaning="the model that it is about"),
    claim=text(meaning="what must hold"),
    statistic=text(meaning="how it is measured; of the zones of a control, the statement"),
    value=real.or_null(
        meaning="what this run measured; null where it is not known, or nothing is stated of all texts together"
    ),
    least=real.or_null(meaning="the value must be at least this; null for no bound"),
    most=real.or_null(meaning="the value must be at most this; null for no bound"),
    question=text(meaning="the question whose zones a control claims; empty of other claims"),
    said=text(
        meaning="the zones that the statement names, as in the summary; ≠1,3: those of the lowest and of the highest "
        "predicted class; of shuffled weights those of all texts and of all classes; empty of a plain number"
    ),
    allowed=text(
        meaning="the zones that it may name; with ?, it must name one of them and may name others; -: nothing stated, "
        "for a reason in the map; ≠1,23: of classes that lie apart the lowest in 1 and the highest in 2 or 3"
    ),
    holds=flag(meaning="whether the claim held"),
)
