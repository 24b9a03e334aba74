"""How alike the hidden states of a text are (Mohankumar et al. 2020), test instance by test instance."""

from attention_audit.columns.kinds import cosine, described
from attention_audit.columns.shared import OF_TEXT

CONICITY = described("conicity", __doc__).holds(
    **OF_TEXT,
    conicity=cosine(meaning="mean over tokens of the cosine between their state and the mean state"),
    magnitude=cosine(meaning="the same of the cosines' magnitudes, which is what the authors' code computes"),
)
