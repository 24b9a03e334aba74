"""What is known of the intervals of the summary's questions, from simulation."""

from attention_audit.columns.kinds import FLAG, INTEGER, REAL, STRING, Artefact, Column

FAILING = "failing trainings"
"""The regime in which a few trainings in a hundred are far from the others: three trainings rarely show that. It shows
the limit of all intervals, and no word is judged by it."""

QUESTION = Column("question", STRING, meaning="the question, as in the summary")
TRAININGS = Column("trainings", INTEGER, unit="trainings", meaning="trainings in a run")
TEXTS = Column("texts", INTEGER, unit="texts", meaning="test texts in a run")

CALIBRATION = Artefact(
    "calibration",
    "calibration/{question}.parquet",
    meaning="How the intervals of one question do in runs that are drawn from populations whose answer is known. One"
    " row for each population, number of trainings and number of texts.",
    columns=(
        QUESTION,
        Column("regime", STRING, meaning="which kind of maps, contributions or scores the population has"),
        Column("strength", REAL, meaning="the value that moves the effect in this regime, from weak to strong"),
        TRAININGS,
        TEXTS,
        Column("truth", REAL, meaning="the effect in the whole population"),
        Column("coverage", REAL, unit="share", meaning="runs whose 95 % interval holds the truth"),
        Column("above", REAL, unit="share", meaning="runs whose whole interval lies above the truth"),
        Column("below", REAL, unit="share", meaning="runs whose whole interval lies below the truth"),
        Column(
            "low",
            REAL,
            meaning="the lower bound that 80 % of the runs reach: were the margin here, 80 % would say yes",
        ),
        Column("high", REAL, meaning="the upper bound that 80 % of the runs do not pass, likewise for no"),
    ),
)

OPERATING = Artefact(
    "operating",
    "calibration/operating.parquet",
    meaning="The same at the margins of the configuration, in the regime where it is worst. One row for each question,"
    " number of trainings and number of texts.",
    columns=(
        QUESTION,
        Column("margin", REAL, meaning="what separates yes from no"),
        TRAININGS,
        TEXTS,
        Column("coverage", REAL, unit="share", meaning="mean coverage of the worst regime; wanted are at least .93"),
        Column(
            "wrong_yes",
            REAL,
            unit="share",
            meaning="runs that say yes where the truth is at the margin; wanted are at most .05, .025 are meant",
        ),
        Column("wrong_no", REAL, unit="share", meaning="runs that say no where the truth is at the margin; likewise"),
        Column("yes_from", REAL, nullable=True, meaning="80 % of the runs say yes from this effect on; null: at none"),
        Column("no_from", REAL, nullable=True, meaning="80 % of the runs say no from this effect downward; likewise"),
        Column("holds", FLAG, meaning="whether coverage and wrong words are as wanted; if not, the word is withheld"),
    ),
)
