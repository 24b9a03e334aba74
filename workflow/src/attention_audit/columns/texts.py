"""The published table of single texts."""

from attention_audit.columns.kinds import FLAG, INTEGER, REAL, REALS, STRING, STRINGS, Artefact, Column
from attention_audit.columns.shared import DATASET, ID, LABEL, PREDICTION

MAY, OPEN, UNKNOWN = "yes", "open", "unknown"
CORE = ("stable", "used", "located", "signed", "unique")
"""The questions that must be asked of a text, and answered well, before its map may be shown: another training has this
map, the prediction depends on it, its words are those that matter and speak for the prediction, and no model that
predicts alike has another map.
"""
WHY_NOT = {
    "learnt": "unlearnt",
    "flat": "flat",
    "stable": "unstable",
    "used": "unused",
    "ranks": "unranked",
    "located": "unlocated",
    "signed": "contrary",
    "unique": "replaceable",
}
"""Why a text's map may not be shown, in a word: the first of these that fails, in this order."""

TEXTS = Artefact(
    "texts",
    "tables/texts.parquet",
    meaning="Every test text of every judged model, of one training: the items with the most attention, and whether "
    "this text's map may be shown. The other formats have the first texts of each model.",
    columns=(
        DATASET,
        Column("suite", STRING, meaning="key of the suite"),
        Column("model", STRING, meaning="the judged model, as in the summary"),
        Column("seed", INTEGER, meaning="the seed whose map this is: the base model's, or the first"),
        ID,
        LABEL,
        PREDICTION,
        Column("label_name", STRING, meaning="what the data call the label"),
        Column("prediction_name", STRING, meaning="what they call the predicted class"),
        Column(
            "words",
            STRINGS,
            meaning="up to five items with the most attention, the highest first: words, or the numbers of sentences "
            "from 1; empty where the audit `contributions` cannot be asked",
        ),
        Column("weights", REALS, unit="share", meaning="their attention"),
        Column(
            "contributions",
            REALS,
            unit="logit",
            meaning="what each adds to the predicted class beyond the mean of all; below 0 it speaks against it",
        ),
        Column("others", INTEGER, unit="seeds", meaning="other seeds of the model"),
        Column("agree", INTEGER, unit="seeds", meaning="how many of them have the same top item"),
        Column(
            "moved",
            REAL,
            nullable=True,
            unit="nats",
            meaning="JSD to which the adversary of the summary's `unique` moves this map; null where there is none",
        ),
        Column("moved_tvd", REAL, nullable=True, unit="probability", meaning="how far it moves the prediction"),
        Column(
            "survives_item",
            FLAG,
            nullable=True,
            meaning="whether the decision stays when the weight of the top item is erased; null where it is not known",
        ),
        Column(
            "survives_word",
            FLAG,
            nullable=True,
            meaning="whether the decision stays when the top word is deleted from the input; null where not known",
        ),
        *(
            Column(
                name, REAL, nullable=True, unit=unit, meaning=f"the effect of `{name}` for this text; null if not known"
            )
            for name, unit in (
                ("stable", "share"),
                ("used", "probability"),
                ("ranks", "share"),
                ("located", "share"),
                ("signed", "1: supports, 0: inert, -1: opposes"),
                ("unique", "share"),
            )
        ),
        Column("asked", INTEGER, unit="questions", meaning="how many of these questions are known of this text"),
        Column("passed", INTEGER, unit="questions", meaning="how many of these the text passes"),
        Column(
            "show",
            STRING,
            meaning=f"may this map be shown: {MAY} where it passes every question that is known, and {', '.join(CORE)} "
            f"are among them; {OPEN} where these are not; {UNKNOWN} where none is known; else the first that fails: "
            f"{', '.join(WHY_NOT.values())}",
        ),
    ),
)
