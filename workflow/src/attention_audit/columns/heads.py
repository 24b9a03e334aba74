"""Each head of several by itself, text by text: what shuffling its weights alone does, and how soon erasing in the
order of its weights flips the decision.
"""

from attention_audit.columns.kinds import described, integer, probability, share
from attention_audit.columns.shared import OF_TEXT

HEADS = described("heads", __doc__).holds(
    **OF_TEXT,
    head=integer(meaning="number of the head, from 1; of a Transformer, in the layer that is read"),
    items=integer(
        unit="items", meaning="words of the text that are read, and of a Transformer the marks [CLS] and [SEP]"
    ),
    mean_tvd=probability(
        meaning="mean change of the prediction (TVD) when the weights of this head alone are shuffled"
    ),
    flips=share(meaning="share of these permutations that change the decision"),
    fraction_removed=share.or_null(
        meaning="share of the items erased in all heads, from this head's highest weight downward, until the decision "
        "flips; null where it never does"
    ),
)
