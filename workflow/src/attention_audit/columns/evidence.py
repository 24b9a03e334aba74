"""Where the evidence is known: how much attention falls on it, test instance by test instance."""

from attention_audit.columns.kinds import described, share
from attention_audit.columns.shared import LABEL, OF_TEXT_BY_LAMBDA

EVIDENCE = described("evidence", __doc__).holds(
    **OF_TEXT_BY_LAMBDA,
    label=LABEL,
    evidence_mass=share(meaning="sum of the attention on the evidence positions"),
    uniform_mass=share(meaning="the same under uniform attention: evidence tokens / tokens"),
)
