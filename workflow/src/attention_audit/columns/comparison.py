"""Every BiLSTM (further seeds, uniform, consistent adversaries) against the base model, test instance by test
instance.
"""

from attention_audit.columns.kinds import described, flag, nats
from attention_audit.columns.shared import BASE_MAX_ATTENTION, BASE_PREDICTION, FROM_BASE, OF_TEXT_BY_LAMBDA

COMPARISON = described("comparison", __doc__).holds(
    **OF_TEXT_BY_LAMBDA,
    **FROM_BASE,
    base_prediction=BASE_PREDICTION,
    base_max_attention=BASE_MAX_ATTENTION,
    same_top=flag(
        meaning="whether both models give the same item the most attention; of equal weights the earlier counts"
    ),
    chance_jsd=nats(
        meaning="the divergence of the attention from the base model's with this model's weights shuffled, mean over "
        "permutations"
    ),
)
