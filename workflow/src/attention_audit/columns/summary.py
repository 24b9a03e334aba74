"""What a reader may do with the attention map of a model: one row a data set, suite and model, with eight questions,
each with an estimate, its intervals, the zones that it touches and a statement.
"""

from attention_audit.columns.kinds import Column, Kind, described, integer, probability, real, reals, share, text
from attention_audit.columns.shared import DATASET, bounds
from attention_audit.questions import QUESTIONS

UNITS = {"needed": "F1", "used": "probability", "transferable": "F1"}
"""The units of the estimates; all others are shares."""
PLAUSIBILITY = tuple(f"plausibility_{name}" for name in ("value", "low", "high", "random", "others"))
"""The columns that stand beside the answer where words of the test texts are marked."""
f1 = Kind(real.type, unit="F1")


def _question(name: str) -> dict[str, Column]:
    """The columns of one question of the summary."""
    kind = Kind(real.type, unit=UNITS.get(name, "share"))
    return {
        f"{name}_value": kind.or_null(meaning=f"{QUESTIONS[name].measured}; null where it is not known"),
        f"{name}_low": kind.or_null(meaning="lower end of its 95 % interval over texts, of these trainings"),
        f"{name}_high": kind.or_null(meaning="upper end of it"),
        f"{name}_each": Kind(reals.type, unit=kind.unit)(
            meaning="the value of each training by itself, in the order of their seeds (of stable: the mean with the "
            "others); null where there is nothing to be had"
        ),
        f"{name}_next_low": kind.or_null(meaning="lower end of the 95 % range of one more training; null below three"),
        f"{name}_next_high": kind.or_null(meaning="upper end of it"),
        f"{name}_zones": text(
            meaning="the zones that the interval touches, of 1 (low), 2 and 3 (high); ≠ where predicted classes lie "
            "apart; - where nothing is stated"
        ),
        f"{name}_said": text(meaning="the statement"),
        f"{name}_reason": text(meaning="why nothing is stated"),
        f"{name}_clause": text(meaning="what stands beside the statement"),
        f"{name}_shuffled": share.or_null(
            meaning="the same under shuffled weights, of ranks from a random order (0) to the smallest set (1)"
        ),
        f"{name}_texts": integer(unit="texts", meaning="test texts that it rests on"),
        f"{name}_left_out": integer(unit="texts", meaning="texts of one item, which are left out"),
        f"{name}_trainings": integer(unit="trainings", meaning="trainings, or pairs, that it rests on"),
        f"{name}_apart": integer(unit="trainings", meaning="trainings whose own interval touches none of the zones"),
        f"{name}_classes": text(
            meaning="JSON: of each predicted class its name, texts (in the training that has the fewest), value, low, "
            "high, shuffled and zones"
        ),
    }


def _budget(name: str, budget: str) -> dict[str, Column]:
    """The columns of what the search found within a budget."""
    return {
        f"{name}_tvd_budget": probability.or_null(meaning=f"how far predictions may move (TVD): {budget}"),
        f"{name}_tvd": probability.or_null(meaning="TVD, on test, of the furthest adversary within it"),
        f"{name}_beyond_value": share.or_null(meaning="similarity of the next adversary beyond it; null where none is"),
        f"{name}_beyond_tvd": probability.or_null(meaning="TVD of that one"),
    }


SUMMARY = described("summary", __doc__, "tables/summary.parquet").holds(
    dataset=DATASET,
    suite=text(meaning="key of the suite; empty for a data set not run"),
    paper=text(meaning="whose models these are: WP2019, SS2019 or JW2019; empty if not run"),
    model=text(meaning="base, <han or flan>_<encoder> or <encoder>_<attention>; empty if not run"),
    seeds=integer(unit="seeds", meaning="number of seeds of the model"),
    texts=integer(unit="texts", meaning="test texts"),
    groups=integer(unit="texts", meaning="groups of texts that belong together, each of which counts as one"),
    note=text(meaning="why it was not run, or what seems wrong with the model; else empty"),
    macro_f1=f1.or_null(meaning="its macro F1 on the test split, of all classes alike, mean over seeds"),
    accuracy=share.or_null(meaning="the model's accuracy on the test split, mean over seeds"),
    majority_accuracy=share.or_null(meaning="accuracy of always answering the test split's largest class"),
    learnt=text(
        meaning="is the model clearly better than the largest class alone: yes where the interval of the difference in "
        "accuracy is above 0, else no; empty if not known"
    ),
    **bounds("learnt", share, meaning="the model's mean accuracy - that of the largest class"),
    **{column: kind for question in QUESTIONS for column, kind in _question(question).items()},
    **_budget("unique", "the mean TVD of base to its other trainings, at least the tolerance; or the tolerance"),
    unique_model=text(meaning="the adversary that unique is measured on, by its family; empty where there is none"),
    unique_lambda=real.or_null(meaning="its lambda"),
    unique_seed=integer.or_null(meaning="its seed"),
    unique_tolerance_said=text(meaning="the statement within the tolerance"),
    unique_tolerance_value=share.or_null(meaning="similarity of the furthest adversary within the tolerance"),
    **_budget("unique_tolerance", "the tolerance, answer.margins.tvd"),
    **bounds("plausibility", share, meaning="AUPRC of attention against marked words; null where none are marked"),
    plausibility_random=share.or_null(meaning="that of a random order, or of uniform weights"),
    plausibility_others=share.or_null(meaning="that of the other annotators, where there are several"),
    plausibility_texts=integer(unit="texts", meaning="test texts that it rests on"),
)
