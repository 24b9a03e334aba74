"""Single test texts: what a map shows, and what each question measures of this text alone; no verdict.

The adversary that `unique` is measured on is taken from the summary. The ends of a scale are noisy in one text: where
the random ranking does no worse than the best one, nothing can be gained and the question has no value there.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.columns.tables import TEXTS
from attention_audit.contrasts import Subject
from attention_audit.tables.arrays import Floats, by_pair, by_text, curve, different, of_ranking, of_run, of_suite
from attention_audit.tables.asked import find_leads
from attention_audit.tables.wording import ClassNames, class_names

TOP = 3
"""How many texts of each model are shown outside the Parquet file."""
ITEMS = 5
"""How many items the audit `contributions` names."""


def share_of(gained: Floats, best: Floats) -> Floats:
    """gained / best text by text, NaN where there is nothing to be gained."""
    return np.divide(gained, best, out=np.full_like(gained, nan), where=best > 0)


class Single:
    """One training of one model, text by text. Frames hold the rows of its data set and suite, by audit."""

    def __init__(self, subject: Subject, frames: Mapping[str, pd.DataFrame], said: pd.Series, margins: Margins) -> None:
        model = subject.model
        self.margins, self.said = margins, said
        seeds = different(of_run(frames["predictions"], model), "seed")
        self.seed: int = subject.contrasts.seed if subject.contrasts else next(iter(seeds), 0)
        self.rows = {name: of_run(frame, model, self.seed) for name, frame in frames.items()}
        pairs = of_run(frames["stability"], model)
        self.pairs = pairs[(pairs["seed"] == self.seed) | (pairs["other"] == self.seed)]
        moved = frames["comparison"].iloc[:0]
        if said["unique_model"]:
            moved = of_run(frames["comparison"], said["unique_model"], int(said["unique_seed"]), said["unique_lambda"])
        own = self.rows["shuffles"]
        self.rows |= {"comparison": moved, "shuffles": own[own["shuffle"] == 0]}
        self.ids = [str(id_) for id_ in self.rows["predictions"]["id"]]

    def of(self, audit: str, name: str, ranking: str = "") -> Floats:
        """A column of an audit, perhaps of one ranking, text by text."""
        rows = self.rows[audit]
        return by_text(of_ranking(rows, ranking) if ranking else rows, name, self.ids)

    def over_pairs(self, name: str) -> Floats:
        """A column of `stability`, summed over the pairs of which this training is one."""
        pairs, (values,) = by_pair(self.pairs, [name], self.ids)
        return values.sum(0) if len(pairs) else np.full(len(self.ids), nan)

    def falls(self, ranking: str) -> Floats:
        """What the predicted class loses without the first words of a ranking, mean over the sizes."""
        rows = of_ranking(self.rows["located"], ranking)
        return by_text(rows.assign(fall=curve(rows)), "fall", self.ids)

    def measure(self) -> dict[str, Floats]:
        """Measure each question for each text, (N,); NaN where it is not known."""
        random, attention, smallest = (self.of("shuffles", name) for name in ("random", "by_weight", "smallest"))
        # a ranking that never flips the decision has erased all items
        attention = np.where(np.isnan(attention) & ~np.isnan(smallest), 1.0, attention)
        floor, weighed, best = (self.falls(name) for name in ("random", "attention", "loo"))
        sides, _ = find_leads(self.rows["shuffles"], self.margins.inert)
        return {
            "stable": 1 - share_of(self.over_pairs("jsd"), self.over_pairs("chance_jsd")),
            "used": self.of("permutation", "mean_tvd"),
            "ranks": share_of(random - attention, random - smallest),
            "located": share_of(weighed - floor, best - floor),
            "signed": by_text(sides, "side", self.ids),
            "unique": 1 - share_of(self.of("comparison", "jsd"), self.of("comparison", "chance_jsd")),
        }

    def survives(self, audit: str, ranking: str = "") -> pd.Series:
        """Whether the decision stays without the top of the map; None where it is not known."""
        flips = self.of(audit, "top_flips", ranking)
        return pd.Series([None if np.isnan(flip) else not flip for flip in flips], dtype=object)

    def lists(self, name: str) -> list[list[float]]:
        """The up to ITEMS values of a list of `contributions`, text by text."""
        columns = [f"{name}_{place}" for place in range(ITEMS) if f"{name}_{place}" in self.rows["contributions"]]
        if not columns:
            return [[] for _ in self.ids]
        values = np.stack([self.of("contributions", column) for column in columns], axis=1)
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
    own = single.rows["predictions"]
    classes = {name: own[name].to_numpy(np.int64) for name in ("label", "prediction")}
    words = [
        words_of(positions, tokens[id_] if subject.items == "words" else None)
        for id_, positions in zip(single.ids, single.lists("top_items"), strict=True)
    ]
    columns: dict[str, Any] = {
        "id": single.ids,
        **classes,
        **{f"{name}_name": [names.get(class_, "") for class_ in of.tolist()] for name, of in classes.items()},
        "words": words,
        "weights": single.lists("top_weights"),
        "contributions": single.lists("top_contributions"),
        "agree": np.nan_to_num(single.over_pairs("same_top")).astype(np.int64),
        "moved": single.of("comparison", "jsd"),
        "moved_tvd": single.of("comparison", "tvd"),
        "survives_item": single.survives("contributions"),
        "survives_word": single.survives("located", "attention"),
        **single.measure(),
    }
    about = subject.model_dump(include={"dataset", "suite", "model"})
    others = len(single.pairs[["seed", "other"]].drop_duplicates())
    rows = pd.DataFrame(columns).assign(**about, seed=single.seed, others=others)
    return rows[list(TEXTS.schema.names)]


def texts(
    subjects: Sequence[Subject | Mapping[str, Any]],
    corpus: Mapping[str, pd.DataFrame],
    census: Mapping[str, pd.DataFrame],
    summary: pd.DataFrame,
    answer: Mapping[str, Any],
    **audits: pd.DataFrame,
) -> pd.DataFrame:
    """A row for each judged model and test text, with the columns of columns.TEXTS.

    `corpus`: ids and words of the test texts, by data set; `census`: columns.CENSUS frames, likewise. `summary`: rows
    of columns.SUMMARY. `answer`: the section of the configuration. `audits`: rows of the audits of these names, as
    those of tables.summary, but for consistency and plausibility.
    """
    margins = AnswerSettings.model_validate(answer).margins
    said = {(row["dataset"], row["suite"], row["model"]): row for _, row in summary.iterrows()}
    names = class_names(census)
    rows = [pd.DataFrame(columns=TEXTS.schema.names)]
    for given in subjects:
        subject = Subject.model_validate(given)
        frames = {name: of_suite(frame, subject.dataset, subject.suite) for name, frame in audits.items()}
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
