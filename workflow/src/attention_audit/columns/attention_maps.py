"""The attention of three models over the words of a few test instances."""

from attention_audit.columns.kinds import described, integer, probability, share, text
from attention_audit.columns.shared import BASE_PREDICTION, DATASET, ID, JSD, LABEL

ATTENTION_MAPS = described("attention_maps", __doc__).holds(
    dataset=DATASET,
    id=ID,
    label=LABEL,
    weights=text(meaning="base, consistent_adversary or instance_adversary"),
    probability=probability(meaning="probability of the class the base model predicts"),
    base_prediction=BASE_PREDICTION,
    jsd=JSD,
    position=integer(unit="position", meaning="position of the word in the text, from 0"),
    token=text(meaning="the word"),
    attention=share(meaning="attention weight of the word"),
)
