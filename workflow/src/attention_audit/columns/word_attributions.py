"""What attributions say of each word, test instance by test instance, of the first training of each model;
`results/explorer.html` shows them.
"""

from attention_audit.columns.kinds import described, text, weights
from attention_audit.columns.shared import OF_TEXT

WORD_ATTRIBUTIONS = described("word_attributions", __doc__).holds(
    **OF_TEXT,
    attribution=text(
        meaning="gradient (attention held fixed; shares of the magnitudes), loo (leave-one-out: the probability that "
        "the predicted class loses without the word) or integrated_gradients (with their signs, of a sample of the "
        "texts)"
    ),
    scores=weights(meaning="a value for each word that the model reads"),
)
