"""The published table of answers, and the questions it asks."""

from attention_audit.columns.kinds import INTEGER, REAL, STRING, Artefact, Column
from attention_audit.columns.shared import DATASET

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

FLATTENED = ("stable", "ranks", "unique")
"""The questions that flat maps have no answer to."""


PLAUSIBILITY = tuple(f"plausibility_{name}" for name in ("value", "low", "high", "random", "others"))
"""The columns that stand beside the answer where words of the test texts are marked."""


def _real(name: str, *, meaning: str, unit: str = "") -> Column:
    return Column(name, REAL, nullable=True, unit=unit, meaning=meaning)


def _bounds(name: str, *, meaning: str, unit: str = "") -> tuple[Column, ...]:
    """An effect and the bounds of its interval."""
    return (
        _real(f"{name}_value", unit=unit, meaning=meaning),
        _real(f"{name}_low", unit=unit, meaning="lower end of its 95 % interval over trainings and texts"),
        _real(f"{name}_high", unit=unit, meaning="upper end of it"),
    )


def _question(name: str, *, meaning: str) -> tuple[Column, ...]:
    """The columns of one question of the summary."""
    unit = UNITS.get(name, "share")
    words = "yes, no, undecided, too few or not asked" + (", or flat" if name in FLATTENED else "")
    words += ", or nothing new" if name == "unique" else ""
    return (
        Column(name, STRING, meaning=f"{meaning}: {words}"),
        *_bounds(name, unit=unit, meaning=f"{MEASURED[name]}; null where it is not known"),
        _real(f"{name}_margin", unit=unit, meaning="yes where the whole interval lies above it, no where none does"),
        Column(f"{name}_trainings", INTEGER, unit="trainings", meaning="trainings that the interval knows of"),
        Column(f"{name}_texts", INTEGER, unit="texts", meaning="test texts that it rests on"),
        Column(f"{name}_note", STRING, meaning="why it was not asked or has no word, and on what little it rests"),
    )


def _instead(question: str, *, meaning: str) -> tuple[Column, ...]:
    """The columns of the attribution that does best on one question."""
    name = f"instead_by_{question}"
    return (
        Column(name, STRING, meaning=f"the attribution at hand that {meaning}, chosen on one half of the test texts"),
        _real(f"{name}_value", unit="share", meaning=f"its effect on `{question}`, measured on the other half"),
        _real(f"{name}_attention", unit="share", meaning="attention's effect on that half"),
        _real(f"{name}_gain", unit="share", meaning="the difference of the two"),
        _real(f"{name}_low", unit="share", meaning="lower end of the 95 % interval of the difference"),
        _real(f"{name}_high", unit="share", meaning="upper end of it"),
        Column(
            f"{name}_better",
            STRING,
            meaning="does it clearly do better than attention: yes where the interval is > 0; or too few",
        ),
        Column(f"{name}_texts", INTEGER, unit="texts", meaning="texts of that half that the difference rests on"),
    )


SUMMARY = Artefact(
    "summary",
    "tables/summary.parquet",
    meaning="What a reader may do with the attention map of a model: one row a data set, suite and model, with eight "
    "questions, each with an effect, its interval, its margin and a word, and a sentence to quote.",
    columns=(
        DATASET,
        Column("suite", STRING, meaning="key of the suite; empty for a data set not run"),
        Column("paper", STRING, meaning="whose models these are: WP2019, SS2019 or JW2019; empty if not run"),
        Column("model", STRING, meaning="base, <han or flan>_<encoder> or <encoder>_<attention>; empty if not run"),
        Column("seeds", INTEGER, unit="seeds", meaning="number of seeds of the model"),
        Column("sentence", STRING, meaning="the answer in sentences that can be quoted; or why it was not run"),
        _real("macro_f1", unit="F1", meaning="its macro F1 on the test split, of all classes alike, mean over seeds"),
        _real("accuracy", unit="share", meaning="the model's accuracy on the test split, mean over seeds"),
        _real("majority_accuracy", unit="share", meaning="accuracy of always answering the test split's largest class"),
        Column(
            "learnt",
            STRING,
            meaning="is the model better than the largest class alone: yes where the interval of the difference in "
            "accuracy is above 0, no where the accuracy is not above; else undecided",
        ),
        _real("learnt_value", unit="share", meaning="the model's mean accuracy - that of the largest class"),
        _real("learnt_low", unit="share", meaning="lower end of its 95 % interval over texts, of these trainings"),
        _real("learnt_high", unit="share", meaning="upper end of it"),
        *_question("needed", meaning="did the model have to choose where to look"),
        *_question("stable", meaning="would another training show this map"),
        _real("stable_same_top", unit="share", meaning="beside it: texts whose top item is the same in both trainings"),
        _real("stable_jsd", unit="nats", meaning="beside it: mean JSD between two trainings"),
        _real("stable_tvd", unit="probability", meaning="beside it: mean TVD of their predictions"),
        *_question("used", meaning="does the prediction depend on these weights"),
        _real("used_flips", unit="share", meaning="beside it: permutations that change the decision"),
        *_question("ranks", meaning="do items with more weight matter more to the decision"),
        *_question("located", meaning="are the words with weight the words of the input that matter"),
        *_question("signed", meaning="does a highlighted word speak for the prediction"),
        Column(
            "signed_by",
            STRING,
            meaning="what says whether an item supports the prediction: contribution, or erasure; empty if not asked",
        ),
        _real("signed_opposes", unit="share", meaning="beside it: texts whose top item opposes the prediction"),
        _real("signed_inert", unit="share", meaning="beside it: texts whose top item hardly does either"),
        _real(
            "signed_against", unit="share", meaning="beside it: attention on items that speak against the prediction"
        ),
        *_question("unique", meaning="would no other map do"),
        Column(
            "unique_model",
            STRING,
            meaning="the adversary it is measured on, by its family: the one furthest away on dev within the budget; "
            "empty where there is none",
        ),
        _real("unique_lambda", meaning="its lambda"),
        Column("unique_seed", INTEGER, nullable=True, meaning="its seed"),
        _real("unique_dev_tvd", unit="probability", meaning="its mean TVD from the base model on dev"),
        _real("unique_tvd", unit="probability", meaning="the same on test"),
        _real("unique_tvd_high", unit="probability", meaning="upper end of its 95 % interval over texts"),
        *_bounds(
            "unique_further",
            unit="nats",
            meaning="mean JSD of its attention from the base model's - that of the furthest other training",
        ),
        _real("unique_jsd", unit="nats", meaning="mean JSD of its attention from the base model's, on test"),
        _real("unique_same_top", unit="share", meaning="texts whose top item is the same under it"),
        Column(
            "unique_near",
            INTEGER,
            unit="adversaries",
            meaning="adversaries with a TVD between half the budget and the budget on dev; yes needs three",
        ),
        *_bounds(
            "unique_contribution", unit="share", meaning="the same effect of the exact contributions of this adversary"
        ),
        _real("unique_contribution_same_top", unit="share", meaning="texts whose top contribution stays under it"),
        *_question("transferable", meaning="do the weights say something about words beyond this model"),
        *_bounds(
            "transferable_adversary",
            unit="F1",
            meaning="beside it: macro F1 of the MLP guided by the model's maps - guided by an adversary's",
        ),
        *_bounds(
            "transferable_own",
            unit="F1",
            meaning="beside it: macro F1 of the MLP guided by the model's maps - with attention of its own",
        ),
        *_instead("ranks", meaning="flips decisions with the fewest items erased"),
        *_instead("located", meaning="lowers the predicted class most when its first words are deleted"),
        *_bounds(
            "plausibility",
            unit="share",
            meaning="beside the answer: AUPRC of attention against marked words, mean over annotators; null where none "
            "are marked",
        ),
        _real("plausibility_random", unit="share", meaning="that of a random order, or of uniform weights"),
        _real("plausibility_others", unit="share", meaning="that of the other annotators, where there are several"),
        Column("plausibility_texts", INTEGER, unit="texts", meaning="test texts that it rests on"),
    ),
)
