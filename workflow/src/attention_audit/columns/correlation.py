"""Does attention rank the tokens as measures of importance do: two attributions at a time, test instance by test
instance.
"""

from attention_audit.columns.kinds import described, real, share, text
from attention_audit.columns.shared import OF_TEXT, PREDICTION, TOKENS

CORRELATION = described("correlation", __doc__).holds(
    **OF_TEXT,
    prediction=PREDICTION,
    pair=text(
        meaning="the two attributions, parted by ~: attention, gradient (attention held fixed), gradient_attached "
        "(that also flows through the attention) or loo (leave-one-out)"
    ),
    tau=real.or_null(meaning="Kendall's tau-b; null where one of the two is the same for all tokens"),
    p=real.or_null(meaning="its p-value under independence; null where tau is"),
    tokens=TOKENS,
    top_k_overlap=share.or_null(
        meaning="share of the k highest tokens of one that are among those of the other; null with at most k tokens"
    ),
)
