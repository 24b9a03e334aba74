"""Every test text of every judged model, of one training: the items with the most attention, and what each question
measures of this text. The other formats have the first texts of each model.
"""

from attention_audit.columns.kinds import described, flag, integer, nats, probability, real, reals, text, texts
from attention_audit.columns.shared import DATASET, ID, LABEL, PREDICTION

UNITS = {"used": "probability", "signed": "1: supports, 0: inert, -1: opposes"}
"""The units of a text's effects; all others are shares."""

TEXTS = described("texts", __doc__, "tables/texts.parquet").holds(
    dataset=DATASET,
    suite=text(meaning="key of the suite"),
    model=text(meaning="the judged model, as in the summary"),
    seed=integer(meaning="the seed whose map this is: the base model's, or the first"),
    id=ID,
    label=LABEL,
    prediction=PREDICTION,
    label_name=text(meaning="what the data call the label"),
    prediction_name=text(meaning="what they call the predicted class"),
    words=texts(
        meaning="up to five items with the most attention, the highest first: words, or the numbers of sentences from "
        "1; empty where the audit `contributions` cannot be asked"
    ),
    weights=reals(unit="share", meaning="their attention"),
    contributions=reals(
        unit="logit",
        meaning="what each adds to the predicted class beyond the mean of all; below 0 it speaks against it",
    ),
    others=integer(unit="seeds", meaning="other seeds of the model"),
    agree=integer(unit="seeds", meaning="how many of them have the same top item"),
    moved=nats.or_null(
        meaning="JSD to which the adversary of the summary's `unique` moves this map; null where there is none"
    ),
    moved_tvd=probability.or_null(meaning="how far it moves the prediction"),
    survives_item=flag.or_null(
        meaning="whether the decision stays when the weight of the top item is erased; null where it is not known"
    ),
    survives_word=flag.or_null(
        meaning="whether the decision stays when the top word is deleted from the input; null where not known"
    ),
    **{
        name: real.or_null(
            unit=UNITS.get(name, "share"), meaning=f"the effect of `{name}` for this text; null if not known"
        )
        for name in ("stable", "used", "ranks", "located", "signed", "unique")
    },
)
