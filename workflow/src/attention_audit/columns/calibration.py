"""What is known of the intervals of the summary's questions, from simulation."""

from attention_audit.columns.kinds import Artefact, flag, integer, real, share, text

FAILING = "failing trainings"
"""The regime in which a few trainings in a hundred are far from the others: three trainings rarely show that. It shows
the limit of all intervals, and no word is judged by it."""

QUESTION = text(meaning="the question, as in the summary")
TRAININGS = integer(unit="trainings", meaning="trainings in a run")
TEXTS = integer(unit="texts", meaning="test texts in a run")

CALIBRATION = Artefact(
    "calibration",
    "calibration/{question}.parquet",
    meaning="How the intervals of one question do in runs that are drawn from populations whose answer is known. One "
    "row for each population, number of trainings and number of texts.",
).holds(
    question=QUESTION,
    regime=text(meaning="which kind of maps, contributions or scores the population has"),
    strength=real(meaning="the value that moves the effect in this regime, from weak to strong"),
    trainings=TRAININGS,
    texts=TEXTS,
    truth=real(meaning="the effect in the whole population"),
    coverage=share(meaning="runs whose 95 % interval holds the truth"),
    above=share(meaning="runs whose whole interval lies above the truth"),
    below=share(meaning="runs whose whole interval lies below the truth"),
    low=real(meaning="the lower bound that 80 % of the runs reach: were the margin here, 80 % would say yes"),
    high=real(meaning="the upper bound that 80 % of the runs do not pass, likewise for no"),
)

OPERATING = Artefact(
    "operating",
    "calibration/operating.parquet",
    meaning="The same at the margins of the configuration, in the regime where it is worst. One row for each question, "
    "number of trainings and number of texts.",
).holds(
    question=QUESTION,
    margin=real(meaning="what separates yes from no"),
    trainings=TRAININGS,
    texts=TEXTS,
    coverage=share(meaning="mean coverage of the worst regime; wanted are at least .93"),
    wrong_yes=share(
        meaning="runs that say yes where the truth is at the margin; wanted are at most .05, .025 are meant"
    ),
    wrong_no=share(meaning="runs that say no where the truth is at the margin; likewise"),
    yes_from=real.or_null(meaning="80 % of the runs say yes from this effect on; null: at none"),
    no_from=real.or_null(meaning="80 % of the runs say no from this effect downward; likewise"),
    holds=flag(meaning="whether coverage and wrong words are as wanted; if not, the word is withheld"),
)
