"""How far attributions agree, two by two."""

from attention_audit.columns.kinds import described, integer, real, text
from attention_audit.columns.shared import OF_TRAINING

AGREEMENT = described("agreement", __doc__).holds(
    **OF_TRAINING,
    first=text(meaning="an attribution: those of correlation, or one of Captum"),
    second=text(meaning="another one; each pair stands once"),
    tau=real.or_null(meaning="mean of Kendall's tau-b over the texts where it is defined; null for none"),
    texts=integer(unit="texts", meaning="test instances where tau-b is defined"),
)
