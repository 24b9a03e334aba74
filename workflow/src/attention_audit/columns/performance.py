"""How well every model and seed predicts the gold labels of the test split."""

from attention_audit.columns.kinds import described, integer, real, text
from attention_audit.columns.shared import OF_TRAINING_BY_LAMBDA

PERFORMANCE = described("performance", __doc__).holds(
    **OF_TRAINING_BY_LAMBDA,
    selection=text(
        meaning="split on which the epoch was selected; train for adversaries, unknown for models that were not "
        "trained here"
    ),
    classes=integer(unit="classes", meaning="number of classes"),
    metric=text(
        meaning="f1 (positive class of two, else macro average), accuracy or roc_auc (else macro average, one against "
        "all)"
    ),
    value=real(meaning="value of the metric on the test split"),
)
