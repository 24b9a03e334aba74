"""Single test texts: what a map shows, how firm it is, and whether this one may be shown.

All questions that can be asked of one text are asked of it alone, with the margins of the summary. What is asked of the
model as a whole, `learnt`, is taken from the summary, as is the adversary that `unique` is measured on, where it holds
the budget and goes further than other trainings. A text may be shown only where a core of questions is known of it: to
be asked less is no merit. The ends of a scale are noisy in one text: where the random ranking does no worse than the
best one, nothing can be gained and the question has no effect there.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.words import NO, YES
from attention_audit.columns.texts import CORE, MAY, OPEN, TEXTS, UNKNOWN, WHY_NOT
from attention_audit.contrasts import Subject
from attention_audit.tables.arrays import Floats, by_pair, by_text, curve, different, of_ranking, of_run
from attention_audit.tables.asked import sides
from attention_audit.tables.classes import ClassNames, class_names
from attention_audit.units import LN2

TOP = 3
"""How many texts of each model are shown outside the Parquet file."""
ITEMS = 5
"""How many items the audit `contributions` names."""


def share_of(gained: Floats, best: Floats) -> Floats:
    """gained / best text by text, NaN where there is nothing to be gained."""
    return np.divide(gained, best, out=np.full_like(gained, nan), where=best > 0)


class Single:
    """One training of one model, text by text. Frames hold the rows of its data set and suite."""

    def __init__(self, subject: Subject, frames: Mapping[str, pd.DataFrame], said: pd.Series, margins: Margins) -> None:
        model = subject.model
        self.margins = margins
        predictions = of_run(frames["predictions"], model)
        seeds = different(predictions, "seed")
        self.seed: int = subject.contrasts.seed if subject.contrasts else next(iter(seeds), 0)
        self.predictions = of_run(predictions, model, self.seed)
        self.ids = [str(id_) for id_ in self.predictions["id"]]
        self.said = said
        names = ("permutation", "ranked_sets", "located", "contributions")
        self.permutation, self.ranked_sets, self.located, self.contributions = (
            of_run(frames[name], model, self.seed) for name in names
        )
        pairs = of_run(frames["stability"], model)
        self.pairs = pairs[(pairs["seed"] == self.seed) | (pairs["other"] == self.seed)]
        self.moved = frames["comparison"].iloc[:0]
        if said["unique_model"]:
            self.moved = of_run(
                frames["comparison"], said["unique_model"], int(said["unique_seed"]), said["unique_lambda"]
            )

    def of(self, rows: pd.DataFrame, name: str) -> Floats:
        """A column, text by text."""
        return by_text(rows, name, self.ids)

    def over_pairs(self, name: str) -> Floats:
        """A column of `stability`, summed over the pairs of which this training is one."""
        pairs, (values,) = by_pair(self.pairs, [name], self.ids)
        return values.sum(0) if len(pairs) else np.full(len(self.ids), nan)

    def falls(self, ranking: str) -> Floats:
        """What the predicted class loses without the first words of a ranking, mean over the sizes."""
        rows = of_ranking(self.located, ranking)
        return self.of(rows.assign(fall=curve(rows)), "fall")

    def unasked(self) -> npt.NDArray[np.bool_]:
        """Which texts of several words were left out of a sample of which `located` was asked, (N,)."""
        left = np.isnan(self.falls("attention"))
        several = ~np.isnan(self.of(self.contributions, "top_items_1")) if "top_items_1" in self.contributions else left
        return left & several & ~left.all()

    def erased(self, ranking: str) -> Floats:
        """The share of items that a ranking erases until the decision flips."""
        return self.of(of_ranking(self.ranked_sets, ranking), "fraction_removed")

    def chance(self) -> Floats:
        """JSD to the map shuffled."""
        return self.of(self.permutation, "chance_jsd")

    def effects(self) -> dict[str, Floats]:
        """The effect of each question for each text, (N,); NaN where it is not known."""
        smallest = self.erased("smallest")
        random, attention = (
            np.where(np.isnan(values), np.where(np.isnan(smallest), nan, 1.0), values)
            for values in (self.erased("random"), self.erased("attention"))
        )
        # an adversary that breaks the budget, or goes no further than a seed, shows nothing of any text
        judged = self.said["unique"] in (YES, NO)
        floor, weighed, best = (self.falls(name) for name in ("random", "attention", "loo"))
        return {
            "stable": 1 - share_of(self.over_pairs("jsd"), self.over_pairs("chance_jsd")),
            "used": self.of(self.permutation, "mean_tvd"),
            "ranks": share_of(random - attention, random - smallest),
            "located": share_of(weighed - floor, best - floor),
            "signed": sides(self.contributions, [self.seed], self.ids, self.margins.inert)[0][0],
            "unique": np.where(judged, 1 - share_of(self.of(self.moved, "jsd"), self.chance()), nan),
        }

    def shown(self, effects: Mapping[str, Floats]) -> dict[str, Any]:
        """`asked`, `passed` and `show` of columns.texts, text by text."""
        known = {name: ~np.isnan(values) for name, values in effects.items()}
        # at the margin a text fails, as the word does; of one text, an item supports the prediction or does not
        failed = {
            name: values <= (0 if name == "signed" else getattr(self.margins, name)) for name, values in effects.items()
        }
        fails: dict[str, npt.NDArray[np.bool_]] = {
            "learnt": np.full(len(self.ids), self.said["learnt"] == NO),
            "flat": self.chance() < self.margins.flat * LN2,
            **failed,
        }
        asked = np.sum([*known.values()], axis=0)
        core = np.all([known[name] for name in CORE], axis=0)
        passing = np.where(core, MAY, np.where((asked > 0) & ~self.unasked(), OPEN, UNKNOWN))
        reasons = np.select([fails[name] for name in WHY_NOT], list(WHY_NOT.values()), passing)
        return {
            "asked": asked,
            "passed": asked - np.sum([*failed.values()], axis=0),
            "show": [str(word) for word in reasons],
        }

    def survives(self, rows: pd.DataFrame) -> list[bool | None]:
        """Whether the decision stays without the top of the map; None where it is not known."""
        return [None if np.isnan(flips) else not flips for flips in self.of(rows, "top_flips")]

    def lists(self, name: str) -> list[list[float]]:
        """The up to ITEMS values of a list of `contributions`, text by text."""
        columns = [f"{name}_{place}" for place in range(ITEMS) if f"{name}_{place}" in self.contributions]
        if not columns:
            return [[] for _ in self.ids]
        values = np.stack([self.of(self.contributions, column) for column in columns], axis=1)
        return [[value for value in row if not np.isnan(value)] for row in values.tolist()]


def words_of(positions: list[float], tokens: Sequence[str] | None) -> list[str]:
    """The items at these positions: words of the text, or the numbers of its sentences where `tokens` is None."""
    return [str(int(at) + 1) if tokens is None else str(tokens[int(at)]) for at in positions]


def of_subject(
    subject: Subject,
    frames: Mapping[str, pd.DataFrame],
    said: pd.Series,
    tokens: Mapping[str, Sequence[str]],
    names: ClassNames,
    margins: Margins,
) -> pd.DataFrame:
    """The rows of columns.TEXTS of one model.

    `said`: its row of the summary. `tokens`: the words of each text. `names`: of the classes.
    """
    single = Single(subject, frames, said, margins)
    effects = single.effects()
    pairs = single.pairs[["seed", "other"]].drop_duplicates()
    agree = single.over_pairs("same_top")
    words = [
        words_of(positions, tokens[id_] if subject.items == "words" else None)
        for id_, positions in zip(single.ids, single.lists("top_items"), strict=True)
    ]
    columns: dict[str, Any] = {
        "id": single.ids,
        "label": single.predictions["label"].to_numpy(np.int64),
        "prediction": single.predictions["prediction"].to_numpy(np.int64),
        "label_name": [names.get(int(label), "") for label in single.predictions["label"]],
        "prediction_name": [names.get(int(prediction), "") for prediction in single.predictions["prediction"]],
        "words": words,
        "weights": single.lists("top_weights"),
        "contributions": single.lists("top_contributions"),
        "agree": np.nan_to_num(agree).astype(np.int64),
        "moved": single.of(single.moved, "jsd"),
        "moved_tvd": single.of(single.moved, "tvd"),
        "survives_item": pd.Series(single.survives(single.contributions), dtype=object),
        "survives_word": pd.Series(single.survives(of_ranking(single.located, "attention")), dtype=object),
        **effects,
        **single.shown(effects),
    }
    about = subject.model_dump(include={"dataset", "suite", "model"})
    rows = pd.DataFrame(columns).assign(**about, seed=single.seed, others=len(pairs))
    return rows[list(TEXTS.schema.names)]


def texts(
    subjects: Sequence[Subject | Mapping[str, Any]],
    predictions: pd.DataFrame,
    stability: pd.DataFrame,
    permutation: pd.DataFrame,
    ranked_sets: pd.DataFrame,
    located: pd.DataFrame,
    contributions: pd.DataFrame,
    comparison: pd.DataFrame,
    corpus: Mapping[str, pd.DataFrame],
    census: Mapping[str, pd.DataFrame],
    summary: pd.DataFrame,
    answer: Mapping[str, Any],
) -> pd.DataFrame:
    """A row for each judged model and test text, with the columns of columns.TEXTS.

    The first frames hold rows of the audits of these names, as those of tables.summary. `corpus`: ids and words of the
    test texts, by data set; `census`: columns.CENSUS frames, likewise. `summary`: rows of columns.SUMMARY. `answer`:
    the section of the configuration.
    """
    audits = {
        "predictions": predictions,
        "stability": stability,
        "permutation": permutation,
        "ranked_sets": ranked_sets,
        "located": located,
        "contributions": contributions,
        "comparison": comparison,
    }
    margins = AnswerSettings.model_validate(answer).margins
    said = {(row["dataset"], row["suite"], row["model"]): row for _, row in summary.iterrows()}
    names = class_names(census)
    rows = [pd.DataFrame(columns=TEXTS.schema.names)]
    for given in subjects:
        subject = Subject.model_validate(given)
        frames = {
            name: frame[(frame["dataset"] == subject.dataset) & (frame["suite"] == subject.suite)]
            for name, frame in audits.items()
        }
        words = corpus[subject.dataset]
        tokens = dict(zip(words["id"], words["tokens"], strict=True))
        own = said[subject.dataset, subject.suite, subject.model]
        # which texts there are is known from the predictions
        if len(frames["predictions"]):
            rows.append(of_subject(subject, frames, own, tokens, names[subject.dataset], margins))
    return pd.concat(rows[1:] or rows, ignore_index=True)


def top(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that are shown outside the Parquet file: TOP texts of each model, the same ones for all models.

    They are drawn by a hash of their ids, so that neither what the maps look like nor their order chooses them.
    """
    drawn = rows["id"].map(lambda id_: sha256(id_.encode()).hexdigest())
    first = drawn.groupby([rows[name] for name in ("dataset", "suite", "model")], sort=False).rank(method="first")
    return rows[first <= TOP]
