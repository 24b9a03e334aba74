"""How far attention and predictions of a model move from one seed to another, and how far shuffled attention does;
every two seeds once, test instance by test instance. Models with one seed have no rows.
"""

from attention_audit.columns.kinds import described, flag, integer, nats, probability
from attention_audit.columns.shared import ID, OF_TRAINING

STABILITY = described("stability", __doc__).holds(
    **OF_TRAINING,
    other=integer(meaning="the seed that it is compared with, one that the configuration names earlier"),
    id=ID,
    jsd=nats(meaning="Jensen-Shannon divergence of this seed's attention from the other seed's; at most ln 2"),
    tvd=probability(meaning="total variation distance of the predictions, all classes"),
    chance_jsd=nats(meaning="the same divergence with this seed's weights shuffled, mean over permutations"),
    same_top=flag(
        meaning="whether both seeds give the same item the most attention; of equal weights the earlier counts"
    ),
)
