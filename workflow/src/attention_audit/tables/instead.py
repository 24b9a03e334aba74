"""Which attribution to show instead of attention, chosen on one half of the test texts and measured on the other.

Choosing the best of several on the data that then measures it would flatter it, and the more so the more attributions
there are. So each text is in one of two halves, by a hash of its id, the same for all models. The attribution that does
best on the first half is measured on the second, beside attention. One whose name was chosen by luck shows no gain
there.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from attention_audit.answer.intervals import Effect, by_training
from attention_audit.answer.words import YES, word
from attention_audit.tables.arrays import by_ranking, curve, different, of_ranking

ATTENTION = "attention"
ERASED = "fraction_removed"
"""The column that says how many items go until the decision flips."""
NEITHER = ("random", "smallest")
"""Rankings that are the ends of the scale, and none to show."""


class Instead(NamedTuple):
    """The attribution that does best, its effect and attention's on the measuring half, and the gain between them.

    better: the word of the gain against 0; "" where attention itself does best. second: where this is a yes, the one
    that does next best on the choosing half, ends of the scale apart, if the best is not clearly better on the other.
    """

    ranking: str
    value: float
    attention: float
    gain: Effect | None
    better: str
    second: str = ""


def measuring(ids: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which texts measure, (N,); the others choose, and are at most one more. The order of `ids` does not matter."""
    order = np.argsort([sha256(str(id_).encode()).hexdigest() for id_ in ids], kind="stable")
    chosen = np.zeros(len(ids), bool)
    chosen[order[(len(ids) + 1) // 2 :]] = True
    return chosen


def best_of(rows: pd.DataFrame, value: str, ends: tuple[str, str]) -> Instead | None:
    """The ranking with the greatest share of what can be had, None where the choosing half tells nothing.

    rows: of one model, with the columns seed, id, ranking and `value`. ends: the rankings at which the share is 0 and
    1. All rankings but `NEITHER` are there to choose from; of equals, attention is taken. They are chosen on texts that
    have a row of each, since a costly ranking may be of a sample; the chosen one is measured on all that it has.
    """
    names = [name for name in different(rows, "ranking") if name not in NEITHER]
    names.sort(key=lambda name: name != ATTENTION)
    own = {name: of_ranking(rows, name) for name in dict.fromkeys([*ends, *names])}
    if ATTENTION not in names or any(own[name].empty for name in ends):
        return None
    ids = [str(id_) for id_ in different(rows, "id")]
    has = {name: np.isin(np.array(ids, dtype=object), list(each["id"])) for name, each in own.items()}
    values, sign = dict(zip(own, by_ranking(rows, value, list(own), ids), strict=True)), 1.0
    if value == ERASED:
        # a ranking that never flips the decision has erased all items; where no set flips it, nothing can be had
        flips = ~np.isnan(values[ends[1]])
        values = {name: np.where(np.isnan(each) & flips, 1.0, each) for name, each in values.items()}
        sign = -1.0
    worst, best = (values[name] for name in ends)
    at_hand = sign * (best - worst)

    def share(name: str, texts: npt.NDArray[np.bool_]) -> float:
        return by_training(sign * (values[name] - worst)[:, texts], at_hand[:, texts]).value

    measures = measuring(ids)
    choosing = ~measures & np.all([has[name] for name in own], axis=0)
    shares = {name: share(name, choosing) for name in names}
    name = max(names, key=lambda ranking: -np.inf if np.isnan(shares[ranking]) else shares[ranking])
    if np.isnan(shares[name]):
        return None
    measured = measures & np.all([has[each] for each in (name, ATTENTION, *ends)], axis=0)
    reached = share(ATTENTION, measured)
    if name == ATTENTION:
        return Instead(name, reached, reached, None, "")

    def ahead(of: str) -> Effect:
        texts = measured & has[of]
        return by_training(sign * (values[name] - values[of])[:, texts], at_hand[:, texts])

    gain = ahead(ATTENTION)
    better, second = word(gain, 0.0), ""
    others = [each for each in names if each not in (name, ATTENTION, *ends) and not np.isnan(shares[each])]
    if better == YES and others:
        second = max(others, key=shares.__getitem__)
        second = "" if word(ahead(second), 0.0) == YES else second
    return Instead(name, share(name, measured), reached, gain, better, second)


def erased(ranked_sets: pd.DataFrame, located: pd.DataFrame) -> pd.DataFrame:
    """The columns seed, id, ranking, ERASED of the rankings of both audits; from the rows of one model."""
    columns = ["seed", "id", "ranking", ERASED]
    known = set(different(ranked_sets, "ranking"))
    parts = [ranked_sets[columns], located.loc[~located["ranking"].isin(known), columns]]
    return pd.concat([part.astype({"id": object, "ranking": object}) for part in parts], ignore_index=True)


def by_ranks(ranked_sets: pd.DataFrame, located: pd.DataFrame) -> Instead | None:
    """The ranking, of both audits, that flips decisions with the fewest items erased; from the rows of one model."""
    return best_of(erased(ranked_sets, located), ERASED, NEITHER)


def by_located(located: pd.DataFrame) -> Instead | None:
    """The ranking whose first words, deleted from the input, lower the predicted class most; of one model's rows."""
    return best_of(located.assign(fall=curve(located)), "fall", ("random", "loo"))
