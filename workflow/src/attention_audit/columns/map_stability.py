"""How far two trainings of a model put the words of a text in the same order, map by map; every two seeds once, test
instance by test instance. Models with one seed have no rows.
"""

from attention_audit.columns.kinds import described, real, text
from attention_audit.columns.shared import ID, OF_TRAINING
from attention_audit.columns.stability import STABILITY

OTHER = {column.name: column for column in STABILITY.columns}["other"]

RHO = real.or_null(
    unit="correlation",
    meaning="Spearman's rank correlation over the words; null where all scores of a training are alike",
)

MAP_STABILITY = described("map_stability", __doc__).holds(
    **OF_TRAINING,
    other=OTHER,
    id=ID,
    map=text(meaning="attention, or a further map that the readouts carry"),
    rho=RHO,
)

ATTRIBUTION_STABILITY = described(
    "attribution_stability",
    "The same of attributions that no readout carries; leave-one-out and integrated gradients perhaps of a sample of "
    "the texts.",
).holds(
    **OF_TRAINING,
    other=OTHER,
    id=ID,
    map=text(meaning="gradient (of the prediction, by the weights), product, loo or integrated_gradients"),
    rho=RHO,
)
