"""Where the evidence is known: whether the item that a ranking puts first is of it, test instance by test instance."""

from attention_audit.columns.kinds import described, flag, share, text
from attention_audit.columns.shared import OF_TEXT

PLANTED = described("planted", __doc__).holds(
    **OF_TEXT,
    ranking=text(meaning="the ranking: attention, gradient, or product (attention x gradient)"),
    on_evidence=flag(meaning="whether the first item holds a word of the evidence"),
    chance=share(meaning="share of the items that do"),
)
