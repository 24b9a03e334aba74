"""What a reader may do with the attention map of a model: one row a data set, suite and model, with eight questions,
each with an effect, its interval, its margin and a word, and a sentence to quote.
"""

from attention_audit.columns.kinds import (
    Column,
    Kind,
    described,
    integer,
    nats,
    probability,
    real,
    reals,
    share,
    text,
)
from attention_audit.columns.shared import DATASET, bounds

QUESTIONS = ("needed", "stable", "used", "ranks", "located", "signed", "unique", "transferable")
"""What the summary asks of a model's attention, in this order."""
MEASURED = {
    "needed": "mean macro F1 of the model - mean macro F1 of its twin with uniform weights",
    "stable": "1 - JSD between two trainings / JSD to the other one's map shuffled, over all pairs",
    "used": "mean TVD of the prediction under shuffled weights",
    "ranks": "(random - attention) / (random - smallest set), in share of items erased until the decision flips",
    "located": "(attention - random) / (leave-one-out - random), in what the predicted class loses without the first "
    "words of the input",
    "signed": "share of texts whose top item supports the prediction, by its exact contribution (where there is none, "
    "by erasure)",
    "unique": "1 - JSD(base, adversary) / JSD(base, base's map shuffled), of the furthest adversary within the budget",
    "transferable": "mean macro F1 of the MLP guided by the model's maps - that of the one guided by uniform weights",
}
"""The effect of each question, in a line."""
UNITS = {"needed": "F1", "used": "probability", "transferable": "F1"}
"""The units of these effects; all others are shares."""
INSTEAD = ("ranks", "located")
"""The questions by which other attributions are held against attention."""
CEILINGS = {"ranks": "the smallest set", "located": "leave-one-out"}
"""What has an effect of 1 on these questions, by its label."""
YARDSTICKS = {"ranks": ("product", "nearly the yardstick itself"), "located": ("loo", "the yardstick itself")}
"""The attribution that this ceiling is made of, and what is to be said of it where it does best: leave-one-out is the
ceiling of `located`; attention x gradient sorts items nearly as the smallest set does.
"""
FLATTENED = ("stable", "ranks", "unique")
"""The questions that flat maps have no answer to."""
PLAUSIBILITY = tuple(f"plausibility_{name}" for name in ("value", "low", "high", "random", "others"))
"""The columns that stand beside the answer where words of the test texts are marked."""
f1 = Kind(real.type, unit="F1")
EACH = (
    "the effect of each training by itself, in the order of their seeds; null where it cannot be bounded, empty of one "
    "training"
)
EACH_PAIR = "the effect of each pair of trainings by itself; null where it cannot be bounded, empty of one pair"


def _question(name: str, *, meaning: str) -> dict[str, Column]:
    """The columns of one question of the summary."""
    kind = Kind(real.type, unit=UNITS.get(name, "share"))
    words = "yes, no, undecided, too few or not asked" + (", or flat" if name in FLATTENED else "")
    words += ", or nothing new" if name == "unique" else ""
    return {
        name: text(meaning=f"{meaning}: {words}"),
        **bounds(name, kind, meaning=f"{MEASURED[name]}; null where it is not known"),
        f"{name}_margin": kind.or_null(meaning="yes where the whole interval lies above it, no where none does"),
        f"{name}_trainings": integer(unit="trainings", meaning="trainings that the interval knows of"),
        f"{name}_texts": integer(unit="texts", meaning="test texts that it rests on"),
        f"{name}_each": Kind(reals.type, unit=kind.unit)(meaning=EACH_PAIR if name == "stable" else EACH),
        f"{name}_note": text(
            meaning="why it was not asked or has no word, and on what little it rests; of located, whether the word "
            "changes where words are replaced"
        ),
    }


def _instead(question: str, *, meaning: str) -> dict[str, Column]:
    """The columns of the attribution that does best on one question."""
    name = f"instead_by_{question}"
    return {
        name: text(meaning=f"the attribution at hand that {meaning}, chosen on one half of the test texts"),
        f"{name}_value": share.or_null(meaning=f"its effect on `{question}`, measured on the other half"),
        f"{name}_attention": share.or_null(meaning="attention's effect on that half"),
        f"{name}_gain": share.or_null(meaning="the difference of the two"),
        f"{name}_low": share.or_null(meaning="lower end of the 95 % interval of the difference"),
        f"{name}_high": share.or_null(meaning="upper end of it"),
        f"{name}_better": text(
            meaning="does it clearly do better than attention: yes where the interval is > 0; or too few",
        ),
        f"{name}_second": text(
            meaning="the one that does next best on the first half, where the best clearly does better than attention "
            "and not than this one; else empty"
        ),
        f"{name}_texts": integer(unit="texts", meaning="texts of that half that the difference rests on"),
    }


SUMMARY = described("summary", __doc__, "tables/summary.parquet").holds(
    dataset=DATASET,
    suite=text(meaning="key of the suite; empty for a data set not run"),
    paper=text(meaning="whose models these are: WP2019, SS2019 or JW2019; empty if not run"),
    model=text(meaning="base, <han or flan>_<encoder> or <encoder>_<attention>; empty if not run"),
    seeds=integer(unit="seeds", meaning="number of seeds of the model"),
    sentence=text(meaning="the answer in sentences that can be quoted; or why it was not run"),
    macro_f1=f1.or_null(meaning="its macro F1 on the test split, of all classes alike, mean over seeds"),
    accuracy=share.or_null(meaning="the model's accuracy on the test split, mean over seeds"),
    majority_accuracy=share.or_null(meaning="accuracy of always answering the test split's largest class"),
    learnt=text(
        meaning="is the model better than the largest class alone: yes where the interval of the difference in "
        "accuracy is above 0, no where the accuracy is not above; else undecided"
    ),
    learnt_value=share.or_null(meaning="the model's mean accuracy - that of the largest class"),
    learnt_low=share.or_null(meaning="lower end of its 95 % interval over texts, of these trainings"),
    learnt_high=share.or_null(meaning="upper end of it"),
    **_question("needed", meaning="did the model have to choose where to look"),
    **_question("stable", meaning="would another training show this map"),
    stable_same_top=share.or_null(meaning="beside it: texts whose top item is the same in both trainings"),
    stable_jsd=nats.or_null(meaning="beside it: mean JSD between two trainings"),
    stable_tvd=probability.or_null(meaning="beside it: mean TVD of their predictions"),
    **_question("used", meaning="does the prediction depend on these weights"),
    used_flips=share.or_null(meaning="beside it: permutations that change the decision"),
    **_question("ranks", meaning="do items with more weight matter more to the decision"),
    **_question("located", meaning="are the words with weight the words of the input that matter"),
    located_short=share.or_null(
        meaning="beside it: texts of at most 10 words, where the first word alone is three of five sizes or more"
    ),
    **_question("signed", meaning="does a highlighted word speak for the prediction"),
    signed_by=text(
        meaning="what says whether an item supports the prediction: contribution, or erasure; empty if not asked"
    ),
    signed_opposes=share.or_null(meaning="beside it: texts whose top item opposes the prediction"),
    signed_inert=share.or_null(meaning="beside it: texts whose top item hardly does either"),
    signed_against=share.or_null(meaning="beside it: attention on items that speak against the prediction"),
    **_question("unique", meaning="would no other map do"),
    unique_model=text(
        meaning="the adversary it is measured on, by its family: the one furthest away on dev within the budget; empty "
        "where there is none"
    ),
    unique_lambda=real.or_null(meaning="its lambda"),
    unique_seed=integer.or_null(meaning="its seed"),
    unique_dev_tvd=probability.or_null(meaning="its mean TVD from the base model on dev"),
    unique_tvd=probability.or_null(meaning="the same on test"),
    unique_tvd_high=probability.or_null(meaning="upper end of its 95 % interval over texts"),
    **bounds(
        "unique_further",
        nats,
        meaning="mean JSD of its attention from the base model's - that of the furthest other training",
    ),
    unique_jsd=nats.or_null(meaning="mean JSD of its attention from the base model's, on test"),
    unique_same_top=share.or_null(meaning="texts whose top item is the same under it"),
    unique_near=integer(
        unit="adversaries",
        meaning="adversaries with a TVD between half the budget and the budget on dev; yes needs three",
    ),
    **bounds("unique_contribution", share, meaning="the same effect of the exact contributions of this adversary"),
    unique_contribution_same_top=share.or_null(meaning="texts whose top contribution stays under it"),
    **_question("transferable", meaning="do the weights say something about words beyond this model"),
    **bounds(
        "transferable_adversary",
        f1,
        meaning="beside it: macro F1 of the MLP guided by the model's maps - guided by an adversary's",
    ),
    **bounds(
        "transferable_own",
        f1,
        meaning="beside it: macro F1 of the MLP guided by the model's maps - with attention of its own",
    ),
    **_instead("ranks", meaning="flips decisions with the fewest items erased"),
    **_instead("located", meaning="lowers the predicted class most when its first words are deleted"),
    **bounds(
        "plausibility",
        share,
        meaning="beside the answer: AUPRC of attention against marked words, mean over annotators; null where none are "
        "marked",
    ),
    plausibility_random=share.or_null(meaning="that of a random order, or of uniform weights"),
    plausibility_others=share.or_null(meaning="that of the other annotators, where there are several"),
    plausibility_texts=integer(unit="texts", meaning="test texts that it rests on"),
)
