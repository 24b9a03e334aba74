"""Jain & Wallace's adversary: for each test instance the attention furthest from the model's own that leaves the
prediction within epsilon. What the columns call the base model is here the model itself.
"""

from attention_audit.columns.kinds import described, integer, weights
from attention_audit.columns.shared import BASE_MAX_ATTENTION, BASE_PREDICTION, FROM_BASE, OF_TEXT

INSTANCE_ADVERSARY = described("instance_adversary", __doc__).holds(
    **OF_TEXT,
    **FROM_BASE,
    admissible=integer(unit="restarts", meaning="restarts whose prediction stayed within epsilon; 0: original kept"),
    base_prediction=BASE_PREDICTION,
    base_max_attention=BASE_MAX_ATTENTION,
    attention=weights(
        unit="share",
        meaning="the adversarial attention weight of each item (token, or sentence in a hierarchical model); of "
        "several heads, those of each, item by item",
    ),
)
