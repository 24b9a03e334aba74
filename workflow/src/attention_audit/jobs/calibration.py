"""The settings of the jobs of the calibration; `workflow/calibration.yaml` has them."""

from attention_audit.section import Count, Section, Seed


class Sizes(Section):
    """How much is simulated.

    draws: runs at each size. pool_trainings, pool_texts: of the population of each setting. pool_pairs: trainings of
    which all pairs are compared. shuffles: of each map.
    """

    draws: Count
    pool_trainings: Count
    pool_texts: Count
    pool_pairs: Count
    shuffles: Count


class CalibrationJob(Section):
    """The simulation of one question: at which numbers of trainings and of texts; from which seed on."""

    question: str
    trainings: list[Count]
    texts: list[Count]
    sizes: Sizes
    seed: Seed


class OperatingJob(Section):
    """The table and the figure of all questions, with the margins that are calibrated, by question."""

    margins: dict[str, float]
