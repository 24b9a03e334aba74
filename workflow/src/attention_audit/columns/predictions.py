"""What every model and seed predicts of every test instance, beside the gold label."""

from attention_audit.columns.kinds import described, integer
from attention_audit.columns.shared import LABEL, OF_TEXT_BY_LAMBDA, PREDICTION

PREDICTIONS = described("predictions", __doc__).holds(
    **OF_TEXT_BY_LAMBDA,
    label=LABEL,
    prediction=PREDICTION,
    items=integer(unit="items", meaning="items under the last attention, without the marks of a tokenizer"),
)
