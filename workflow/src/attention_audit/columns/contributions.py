"""Attention beside the exact contribution of each item to the predicted class m, c_t = a_t (z_tm - sum over classes of
p_c z_tc), test instance by test instance. Models of pairs have no rows: their predictions are not linear in the
attention.
"""

from attention_audit.columns.kinds import described, flag, integer, integers, probability, real, share, weights
from attention_audit.columns.shared import OF_TEXT, PREDICTION

TOP = 5
"""So many items count as the first ones of a text."""

CONTRIBUTIONS = described("contributions", __doc__).holds(
    **OF_TEXT,
    items=integer(unit="items", meaning="items under the last attention; 1 or more"),
    prediction=PREDICTION,
    tau=real.or_null(
        meaning="Kendall's tau-b of the attention and the absolute contributions; null where either is the same for "
        "all items"
    ),
    overlap=share(
        meaning="share of the 5 items with the most attention that are among the 5 with the greatest absolute "
        "contributions; of a text of fewer items, all of them count, and it is 1"
    ),
    magnitude=real(unit="logit", meaning="sum of the absolute contributions of all items"),
    against=share(meaning="attention on items that speak against the prediction (c_t < 0)"),
    top_fall=probability.or_null(
        meaning="probability of the predicted class minus that without the item of the most attention, the other "
        "weights renormalised; null for a text of one item"
    ),
    top_flips=flag.or_null(meaning="whether the decision changes without it; null likewise"),
    top_items=integers(
        meaning="positions in the text of the up to 5 items with the most attention, from 0, the most first; of equal "
        "weights the earlier first"
    ),
    top_weights=weights(unit="share", meaning="their attention weights"),
    top_contributions=weights(unit="logit", meaning="their contributions c_t"),
)
