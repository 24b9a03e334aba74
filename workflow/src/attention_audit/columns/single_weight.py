"""What erasing one weight does: the item that a ranking puts first, against another one, test instance by test
instance.
"""

from attention_audit.columns.kinds import described, flag, nats, probability, share, text
from attention_audit.columns.shared import ITEMS, OF_TEXT

DRAWS = ("corrected", "as_published")
"""The values of the column `draw`."""

SINGLE_WEIGHT = described("single_weight", __doc__).holds(
    **OF_TEXT,
    ranking=text(
        meaning="the ranking that names the top item: attention, gradient, or product (attention x gradient, the order "
        "of the exact contributions)"
    ),
    draw=text(
        meaning="how the other item is drawn: corrected (any but the top, uniformly) or as_published (as the authors' "
        "code does: never the first of the text, at times the top itself)"
    ),
    items=ITEMS,
    delta_js=nats(meaning="divergence (JS) of the prediction without the top item, less that without the other one"),
    delta_attention=share(meaning="attention weight of the top item less that of the other"),
    top_flips=flag(meaning="whether the decision changes without the top item"),
    other_flips=flag(meaning="whether it changes without the other item"),
    top_fall=probability(
        meaning="probability of the predicted class minus that without the top item, the other weights renormalised; "
        "below 0 where the top item opposes the prediction"
    ),
)
