"""Does a remedy make maps readable? The words of the summary for a model and for its twin, as one sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.answer.words import NOT_ASKED, TOO_FEW, UNDECIDED, YES
from attention_audit.columns.readable import READ_BY, READABLE
from attention_audit.names import Names
from attention_audit.tables.diversity import twin

SUITE = "md"
"""Key of the suite."""


def listed(names: Sequence[str]) -> str:
    """Names as a list within a sentence."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def verdict(words: Mapping[str, str], before: Mapping[str, str]) -> str:
    """What the words of a model's questions, and those of its twin's `before`, say of the remedy."""
    asked = [name for name, word in words.items() if word != NOT_ASKED]
    if not asked:
        return "What can be read of its map was not asked."
    holds = [name for name in asked if words[name] == YES]
    gained = [name for name in holds if before[name] != YES]
    lost = [name for name in asked if words[name] != YES and before[name] == YES]
    missing = [name for name in asked if name not in holds]
    said = [f"the remedy wins {listed(gained)}"] if gained else ["the remedy wins no question"]
    said += [f"loses {listed(lost)}"] if lost else []
    if not missing:
        rest = "every question that was asked is a yes, so the map can be read as far as these go"
    else:
        unclear = all(words[name] in (UNDECIDED, TOO_FEW) for name in missing)
        begins = "whether the map can be read is open" if unclear else "the map cannot be read"
        rest = f"{begins}: {listed([f'{name} is {words[name]}' for name in missing])}"
    begun = " and ".join(said)
    return f"{begun[0].upper()}{begun[1:]}; {rest}."


def changed(conicity: pd.DataFrame, model: str, plain: str) -> str:
    """How the conicity of a model is other than its twin's, from the rows of `magnitude` of one data set."""
    (value, _, high), (other, low, _) = (
        conicity.loc[conicity["row"] == name, ["mean", "low", "high"]].iloc[0] for name in (model, plain)
    )
    more = "States differ more" if high < low else "States do not clearly differ more"
    return f"{more}: conicity {value:.2f} instead of {other:.2f}."


def md_table_readable(summary: pd.DataFrame, diversity: pd.DataFrame, models: Names) -> pd.DataFrame:
    """Does the remedy make maps readable? The words of `used`, `ranks` and `located` beside those of the twin.

    summary: of columns.summary; diversity: `md_table_diversity`. The columns are those of columns.readable.
    """
    rows: list[dict[str, Any]] = []
    own = summary[summary["suite"] == SUITE]
    conicity = diversity[diversity["metric"] == "magnitude"]
    for dataset, alike in conicity.groupby("dataset", sort=False):
        answers = {row["model"]: row for row in own[own["dataset"] == dataset].to_dict("records")}
        mean = dict(zip(alike["row"], alike["mean"], strict=True))
        for model in models.ordered(mean):
            plain = twin(model)
            if plain is None or plain not in mean:
                continue
            cells: dict[str, Any] = {"dataset": dataset, "model": model, "twin": plain}
            for who, part in ((model, ""), (plain, "_twin")):
                cells[f"conicity{part}"] = mean[who]
                for name in READ_BY:
                    cells |= {f"{name}{part}{what}": answers[who][f"{name}{what}"] for what in ("", "_value")}
            words, before = ({name: str(answers[who][name]) for name in READ_BY} for who in (model, plain))
            rows.append(cells | {"sentence": f"{changed(alike, model, plain)} {verdict(words, before)}"})
    return pd.DataFrame(rows, columns=READABLE.schema.names)
