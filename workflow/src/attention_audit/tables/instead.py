"""Which attribution to show instead of attention: `located` and `ranks` of all of them, on the same texts."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.answer.estimates import Estimate, estimate
from attention_audit.answer.samples import erase, locate
from attention_audit.columns.tables import INSTEAD
from attention_audit.contrasts import Subject
from attention_audit.names import RANKINGS
from attention_audit.tables.arrays import (
    by_ranking,
    clusters,
    curve,
    different,
    groups_of,
    of_ranking,
    of_run,
    of_suite,
)

ATTENTION, RANDOM, SMALLEST, LOO = "attention", "random", "smallest", "loo"
ERASED, FALL = "fraction_removed", "fall"
"""The columns that say how many items go until the decision flips, and what the predicted class loses."""
YARDSTICKS = {"located": LOO, "ranks": "product"}
"""The attribution that the 1 of a question is made of, or nearly so."""


def list_erased(ranked_sets: pd.DataFrame, located: pd.DataFrame) -> pd.DataFrame:
    """List the columns seed, id, ranking, ERASED of the rankings of both audits; from the rows of one model."""
    columns = ["seed", "id", "ranking", ERASED]
    known = set(different(ranked_sets, "ranking"))
    parts = [ranked_sets[columns], located.loc[~located["ranking"].isin(known), columns]]
    return pd.concat([part.astype({"id": object, "ranking": object}) for part in parts], ignore_index=True)


def compare_rankings(
    rows: pd.DataFrame, question: str, groups: Mapping[str, str]
) -> dict[str, tuple[Estimate, Estimate]]:
    """Estimate a question of each ranking, and of attention on the texts that this ranking has.

    rows: of one model, with the columns seed, id, ranking, and FALL (`located`) or ERASED (`ranks`). groups: what texts
    share, by id. The ends of the scale are left out.
    """
    value, best = (FALL, LOO) if question == "located" else (ERASED, SMALLEST)
    names = different(rows, "ranking")
    if not {ATTENTION, RANDOM, best} <= {*names}:
        return {}
    found = {}
    for name in RANKINGS.ordered({*names} - {RANDOM, SMALLEST}):
        # a costly ranking is of a sample of the texts
        ids = different(of_ranking(rows, name), "id")
        together = clusters(ids, groups)
        random, ranking, attention, most = by_ranking(rows, value, (RANDOM, name, ATTENTION, best), ids)
        take = locate if question == "located" else erase
        own, theirs = (take(random, each, most, together) for each in (ranking, attention))
        found[name] = estimate(own, together), estimate(theirs, together)
    return found


def compare_attributions(
    ranked_sets: pd.DataFrame, located: pd.DataFrame, groups: Mapping[str, str]
) -> dict[str, dict[str, tuple[Estimate, Estimate]]]:
    """Estimate both questions of all rankings of one model: by question and ranking, beside attention."""
    falls = located[located["words"] > 1].assign(**{FALL: curve(located[located["words"] > 1])})
    erased = list_erased(ranked_sets, located) if len(ranked_sets) else located.iloc[:0]
    return {
        "located": compare_rankings(falls, "located", groups),
        "ranks": compare_rankings(erased, "ranks", groups) if len(erased) else {},
    }


def instead(
    ranked_sets: pd.DataFrame,
    located: pd.DataFrame,
    subjects: Sequence[Subject | Mapping[str, Any]],
    corpus: Mapping[str, pd.DataFrame],
) -> pd.DataFrame:
    """List all attributions of each model, with the columns of columns.INSTEAD.

    Both frames hold rows of the audits of these names, of any number of data sets and suites, with the key of the suite
    as the column `suite` and the list `falls` as columns. corpus: see `tables.summary`.
    """
    groups, rows = groups_of(corpus), []
    for subject in map(Subject.model_validate, subjects):
        erasures, deletions = (
            of_run(of_suite(each, subject.dataset, subject.suite), subject.model) for each in (ranked_sets, located)
        )
        found = compare_attributions(erasures, deletions, groups.get(subject.dataset, {}))
        about = subject.model_dump(include={"dataset", "suite", "model", "seeds"})
        for name in RANKINGS.ordered({name for each in found.values() for name in each}):
            row = {**INSTEAD.blank, **about, "attribution": name}
            for question, estimates in found.items():
                row[f"{question}_yardstick"] = name == YARDSTICKS[question]
                if name in estimates:
                    own_value, attention = estimates[name]
                    row |= {f"{question}_{end}": getattr(own_value, end) for end in ("value", "low", "high", "texts")}
                    row[f"{question}_attention"] = attention.value
            rows.append(row)
    return pd.DataFrame(rows, columns=INSTEAD.schema.names)
