"""The questions, asked of scores by deletion of words alone, where no other weights can be imposed: scores of any tool,
and maps of generated tokens.
"""

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import Sample
from attention_audit.answer.lines import write_percent
from attention_audit.answer.samples import erase, find_sides, take_share
from attention_audit.answer.verdicts import Cell, Part
from attention_audit.arrays import Floats
from attention_audit.columns.audits import DELETED_BY

from .model_answers import SIMILARITY, Asked, MeasuredModel, ask_located, state_sides

SCORES, MARKED = "scores", "marks"
"""What the rows of audits call the scores, and the words that people marked."""


def list_audit_rows(texts: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """List the rows of audits that `Judgement.texts` has, as of attention: predictions, located and plausibility."""
    texts = texts.rename(columns={"training": "seed", "words": "items", "scores": "attention", "leave_one_out": "loo"})
    texts = texts.assign(model=SCORES, annotator=MARKED)
    about = ["model", "seed", "id", "annotator"]
    marked = texts[[*about, "auprc", "auprc_random"]].set_axis([*about, "attention", "random"], axis=1)
    return {
        "predictions": texts,
        "located": texts[texts["items"] > 1].melt(about, ["random", "attention", "loo"], "ranking", "falls_0"),
        "plausibility": marked.melt(about, var_name="attribution", value_name="auprc"),
    }


def state_ranks(measured: MeasuredModel) -> Cell:
    """Ask whether words with higher scores matter more to the decision.

    No other weights can be imposed, so that a random order is the zero; the fewest words of any order are the one.
    """
    rows = measured.select_rows("predictions")
    random, scores, _ = until = [measured.lay_out(rows, f"{order}_until") for order in DELETED_BY]
    fewest = np.fmin.reduce(until)

    def measure(number: int | None) -> Part:
        return measured.build_part(
            number, erase(random, scores, measured.keep(fewest, number), measured.groups), SIMILARITY
        )

    finite = np.isfinite(fewest)
    if not finite.any():
        return Cell(reason="no deletion of words flips a decision")
    gone = [write_percent(float(np.nan_to_num(each[finite], nan=1.0).mean())) for each in until]
    clause = "decisions flip without {1} % of the words; random {0}, leave-one-out {2}".format(*gone)
    return measured.state("ranks", measure, clause)


def state_signed(measured: MeasuredModel) -> Cell:
    """Ask whether the word of the highest score speaks for the prediction, more than any word does."""
    rows = measured.select_rows("predictions")
    lead, best, supporting = (measured.lay_out(rows, name) for name in ("top_fall", "best_fall", "supporting"))
    side = find_sides(lead, measured.margins.inert)
    if not np.isfinite(side).any():
        return Cell(reason="the words of each text all have the same score")

    def count_by_chance(number: int | None, values: Floats) -> Sample:
        return take_share(1 - supporting, np.where(np.isfinite(values), 1.0, np.nan))

    could = write_percent(float((best[np.isfinite(lead)] > measured.margins.inert).mean()))
    how = f"by deletion of the word; the best choice of a word reaches {could} %"
    return state_sides(measured, side, count_by_chance, "random words", how)


BY_DELETION: Asked = {"located": ask_located, "ranks": state_ranks, "signed": state_signed}
