"""Columns of the tables."""

from collections.abc import Mapping

from attention_audit.questions import QUESTIONS

from .kinds import (
    DATASET,
    ID,
    LABEL,
    LAMBDA,
    PREDICTION,
    Column,
    describe_file,
    flag,
    integer,
    nats,
    probability,
    real,
    reals,
    seed_count,
    share,
    text,
    text_count,
    texts,
)

OF_ROW = {
    "model": text("the model; empty where the row is about none"),
    "ranking": text("the ranking, attribution or map; empty where the row is about none"),
    "other": text("of two rankings, the second; without a ranking, the model whose value is subtracted"),
    "part": text("the split; how the other item is drawn; or overall, for all predicted classes together; often empty"),
    "label": text("the predicted class, by its number; empty for all classes"),
}
"""What a row of a table is about, besides the data set."""

TABLE = describe_file(
    "table",
    "tables/{table}.parquet",
    meaning="One published table: ours beside the paper's. Rendered as .csv, .md and .tex under the same name.",
    dataset=DATASET,
    paper=text("whose model it is, where the table has models of several suites; else empty"),
    **OF_ROW,
    **{"lambda": LAMBDA},
    metric=text("what is measured"),
    mean=real.or_null("mean over seeds, or the value itself where there is one; null where the data set was not run"),
    sd=real.or_null("standard deviation over seeds (n - 1); null below two seeds"),
    low=real.or_null(
        "lower end of the 95 % interval over texts and trainings, of questions and RACU over texts alone; null where "
        "there is none"
    ),
    high=real.or_null("upper end of that interval"),
    seeds=seed_count("number of seeds; 0 for a property of the data"),
    published=real.or_null("the paper's value; null where it gives none"),
    selection=text("split on which epochs were selected; empty for a property of the data"),
    note=text("what a reader must know to compare; often empty"),
    class_name=text("what the data call the predicted class; empty for all classes"),
)

QUESTION_UNITS = {"needed": "F1", "used": "probability", "transferable": "F1"}
"""The units of the estimates; all others are shares."""
f1_unit = Column(real.type, unit="F1")


def _build_question(name: str) -> dict[str, Column]:
    """Build the columns of one question of the summary."""
    kind = Column(real.type, unit=QUESTION_UNITS.get(name, "share"))
    return {
        f"{name}_value": kind.or_null(f"{QUESTIONS[name].measured}; null where it is not known"),
        f"{name}_low": kind.or_null(
            "lower end of its 95 % interval over trainings and texts; below three trainings over texts alone"
        ),
        f"{name}_high": kind.or_null("upper end of it"),
        f"{name}_each": reals(
            "the value of each training by itself, in the order of their seeds (of stable: the mean with the "
            "others); null where it has none",
            unit=kind.unit,
        ),
        f"{name}_next_low": kind.or_null("lower end of the 95 % range of one more training; null below three"),
        f"{name}_next_high": kind.or_null("upper end of it"),
        f"{name}_zones": text(
            "the zones that the interval touches, of 1 (low), 2 and 3 (high); ≠ where predicted classes "
            "differ; - where there is no verdict"
        ),
        f"{name}_said": text("the verdict"),
        f"{name}_reason": text("why there is none"),
        f"{name}_clause": text("what stands beside the verdict"),
        f"{name}_shuffled": share.or_null(
            "the same under shuffled weights, of ranks from a random order (0) to the smallest set (1)"
        ),
        f"{name}_texts": text_count("test texts that it rests on"),
        f"{name}_left_out": text_count("texts of one item, which are left out"),
        f"{name}_trainings": integer("trainings that have a value", unit="trainings"),
        f"{name}_outliers": text("JSON: seed and value of each training whose own interval touches none of the zones"),
        f"{name}_classes": text(
            "JSON: of each predicted class its name, texts (in the training that has the fewest), labelled (texts of "
            "the test), value, low, high, shuffled and zones"
        ),
    }


def _build_budget(name: str, budget: str) -> dict[str, Column]:
    """Build the columns of what the search found within a budget."""
    return {
        f"{name}_tvd_budget": probability.or_null(f"how far predictions may move (TVD): {budget}"),
        f"{name}_tvd": probability.or_null("TVD, on test, of the furthest adversary within it"),
        f"{name}_beyond_value": share.or_null("similarity of the next adversary beyond it; null where none is"),
        f"{name}_beyond_tvd": probability.or_null("TVD of that one"),
    }


def build_bounds(name: str, kind: Column, *, meaning: str) -> dict[str, Column]:
    """Build the columns of an effect and of the bounds of its interval."""
    return {
        f"{name}_value": kind.or_null(meaning),
        f"{name}_low": kind.or_null("lower end of its 95 % interval"),
        f"{name}_high": kind.or_null("upper end of it"),
    }


SUMMARY = describe_file(
    "summary",
    "tables/summary.parquet",
    meaning="What a reader may do with the attention map of a model: one row a data set, suite and model, with eight "
    "claims, each with a verdict, an estimate, its interval and the zones that it touches.",
    dataset=DATASET,
    suite=text("key of the suite; empty for a data set not run"),
    paper=text("whose models these are: WP2019, SS2019 or JW2019; empty if not run"),
    model=text("base, <han or flan>_<encoder> or <encoder>_<attention>; empty if not run"),
    seeds=seed_count("number of seeds of the model"),
    texts=text_count("test texts"),
    groups=text_count("groups of texts that belong together, each of which counts as one"),
    note=text("why it was not run, or what seems wrong with the model; else empty"),
    controls=text("JSON: of a control, how many claims there are on its verdicts, and which failed; else empty"),
    macro_f1=f1_unit.or_null("its macro F1 on the test split, of all classes alike, mean over seeds"),
    accuracy=share.or_null("the model's accuracy on the test split, mean over seeds"),
    lowest_accuracy=share.or_null("that of the training that has the lowest"),
    majority_accuracy=share.or_null("accuracy of always answering the test split's largest class"),
    learnt=text(
        "is the model clearly better than the largest class alone: yes where the interval of the difference in "
        "accuracy is above 0, else no; empty if not known"
    ),
    **build_bounds("learnt", share, meaning="the model's mean accuracy - that of the largest class"),
    **{column: kind for question in QUESTIONS for column, kind in _build_question(question).items()},
    **_build_budget("unique", "the mean TVD of base to its other trainings, at least the tolerance; or the tolerance"),
    unique_model=text("the adversary that unique is measured on, by its family; empty where there is none"),
    unique_lambda=real.or_null("its lambda"),
    unique_seed=integer.or_null("its seed"),
    unique_others_tvd=probability.or_null("mean TVD of base to its other trainings; null where there are none"),
    unique_tolerance_said=text("the verdict within the tolerance"),
    unique_tolerance_value=share.or_null("similarity of the furthest adversary within the tolerance"),
    **_build_budget("unique_tolerance", "the tolerance, answer.margins.tvd"),
    **build_bounds(
        "plausibility", share, meaning="AUPRC of attention against marked words; null where none are marked"
    ),
    plausibility_random=share.or_null("that of a random order, or of uniform weights"),
    plausibility_others=share.or_null("that of the other annotators, where there are several"),
    plausibility_texts=text_count("test texts that it rests on"),
)

OF_JUDGED = {
    "dataset": DATASET,
    "suite": text("key of the suite"),
    "model": text("the judged model, as in the summary"),
}

TEXT_UNITS = {"used": "probability", "signed": "1: supports, 0: inert, -1: opposes"}
"""The units of a text's effects; all others are shares."""

TEXTS = describe_file(
    "texts",
    "tables/texts.parquet",
    meaning="Every test text of every judged model, of one training: the items with the most attention, and what each "
    "question measures of this text. The other formats have the first texts of each model.",
    **OF_JUDGED,
    seed=integer("the seed whose map this is: the base model's, or the first"),
    id=ID,
    label=LABEL,
    prediction=PREDICTION,
    label_name=text("what the data call the label"),
    prediction_name=text("what they call the predicted class"),
    words=texts(
        "up to five items with the most attention, the highest first: words, or the numbers of sentences from "
        "1; empty where the audit `contributions` cannot be asked"
    ),
    weights=reals("their attention", unit="share"),
    contributions=reals(
        "what each adds to the predicted class beyond the mean of all; below 0 it speaks against it", unit="logit"
    ),
    others=seed_count("other seeds of the model"),
    agree=seed_count("how many of them have the same top item"),
    moved=nats.or_null("JSD to which the adversary of the summary's `unique` moves this map; null where there is none"),
    moved_tvd=probability.or_null("how far it moves the prediction"),
    survives_item=flag.or_null(
        "whether the decision stays when the weight of the top item is erased; null where it is not known"
    ),
    survives_word=flag.or_null(
        "whether the decision stays when the top word is deleted from the input; null where not known"
    ),
    **{
        name: real.or_null(
            f"the effect of `{name}` for this text; null if not known", unit=TEXT_UNITS.get(name, "share")
        )
        for name in ("stable", "used", "ranks", "located", "signed", "unique")
    },
)

WORDED_BY: Mapping[str, str] = {
    "located": "the way from random words (0) to those of leave-one-out (1)",
    "ranks": "items erased until the decision flips: the way from `ranks_zero` (0) to the smallest set (1)",
}
"""The questions by which attributions are compared."""


def _build_instead(name: str, meaning: str) -> dict[str, Column]:
    return {
        **build_bounds(name, share, meaning=f"{meaning}; null where it was not asked"),
        f"{name}_attention": share.or_null("the value of attention, on the same texts"),
        f"{name}_texts": text_count("texts of all these"),
        f"{name}_yardstick": flag(
            "whether this attribution defines the 1 of the scale, so that its own value says nothing"
        ),
    }


INSTEAD = describe_file(
    "instead",
    "tables/instead.parquet",
    meaning="Attention and all other attributions by `located` and `ranks`: one row a model and attribution. A costly "
    "attribution is of a sample of the texts; attention's value on the very same texts stands beside it.",
    **OF_JUDGED,
    seeds=seed_count("trainings"),
    attribution=text("attention, or an attribution or a further map"),
    **{column: kind for name, meaning in WORDED_BY.items() for column, kind in _build_instead(name, meaning).items()},
    ranks_zero=text("what is 0 of `ranks`: shuffled weights, or a random order where weights cannot be imposed"),
)

REPLICATION = describe_file(
    "replication",
    "tables/replication.parquet",
    meaning="Every published number that this run has a counterpart of. No rows where it has none.",
    paper=text("WP2019, SS2019, JW2019 or PD2020"),
    table=text("where the paper has it"),
    dataset=DATASET,
    **OF_ROW,
    metric=text("what is measured"),
    published=real("the paper's value"),
    ours=real("ours: mean over seeds, or the value itself where there is one"),
    low=real.or_null("lower end of the 95 % interval of ours; null where there is none"),
    high=real.or_null("upper end of it"),
    seeds=seed_count("number of our seeds; 0 for a property of the data"),
    difference=real("ours - published"),
    one_low=real.or_null(
        "95 % of single trainings lie from here; null below two seeds, and where the texts' is unknown"
    ),
    one_high=real.or_null("to here"),
    half_width=real.or_null("half the width of that interval: the least difference from ours that would be noticed"),
    chance=text(
        "what that interval holds: seeds; seeds and texts, where the published number is of another test set; "
        "empty where there is none"
    ),
    agreement=text(
        "compatible: the published number could be one more of our trainings; not compatible; unknown with one "
        "seed, and where the data are not the paper's. Of the data: whether ours rounds to it"
    ),
    note=text("what a reader must know to compare; often empty"),
)

CONTROLS = describe_file(
    "controls",
    "tables/controls.parquet",
    meaning="What the tests must find on the control corpora, where the truth is known, and of any shuffled weights; "
    "and what they found.",
    dataset=DATASET,
    suite=text("key of the suite"),
    model=text("the model that it is about"),
    claim=text("what must hold"),
    statistic=text("how it is measured; of the zones of a control, the verdict"),
    value=real.or_null(
        "what this run measured; null where it is not known, or there is no verdict on all texts together"
    ),
    least=real.or_null("the value must be at least this; null for no bound"),
    most=real.or_null("the value must be at most this; null for no bound"),
    question=text("the question whose zones a control claims; empty of other claims"),
    said=text(
        "the zones that the verdict names, as in the summary; ≠1,3: those of the lowest and of the highest "
        "predicted class; of shuffled weights those of all texts and of all classes; empty of a plain number"
    ),
    allowed=text(
        "the zones that it may name; with ?, it must name one of them and may name others; -: no verdict, "
        "for a reason in the map; ≠1,23: of classes that differ the lowest in 1 and the highest in 2 or 3"
    ),
    holds=flag("whether the claim held"),
)
