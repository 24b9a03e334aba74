"""Single test texts: what a map shows, and what each question measures of this text alone; no verdict.

The adversary that `unique` is measured on is taken from the summary. The ends of a scale are noisy in one text: where
the random ranking does no worse than the best one, nothing can be gained and the question has no value there.
"""

from collections.abc import Mapping
from hashlib import sha256
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.arrays import Floats
from attention_audit.columns.tables import TEXTS

from .arrays import (
    Subjects,
    by_pair,
    curve,
    of_ranking,
    of_run,
)
from .asked import Measured, find_leads, measure_subjects

TOP = 3
"""How many texts of each model are shown outside the Parquet file."""


def share_of(gained: Floats, best: Floats) -> Floats:
    """gained / best text by text, NaN where there is nothing to be gained."""
    return np.divide(gained, best, out=np.full_like(gained, nan), where=best > 0)


def describe_texts(measured: Measured, said: Mapping[Any, Any], tokens: pd.Series) -> pd.DataFrame:
    """Make the rows of columns.TEXTS of one training of one model.

    `said`: its row of the summary. `tokens`: the words of each text.
    """
    subject = measured.subject
    seed: int = subject.contrasts.seed if subject.contrasts else next(iter(measured.seeds), 0)
    predictions, top_items, shuffles, located, permutation = (
        of_run(measured.audits[name], subject.model, seed)
        for name in ("predictions", "contributions", "shuffles", "located", "permutation")
    )
    ids = [str(id_) for id_ in predictions["id"]]

    def take(rows: pd.DataFrame, name: str) -> Floats:
        return rows.set_index("id")[name].reindex(ids).to_numpy(np.float64, na_value=nan)

    shuffles, _ = find_leads(shuffles[shuffles["shuffle"] == 0], measured.margins.inert)
    random, attention, smallest = (take(shuffles, name) for name in ("random", "by_weight", "smallest"))
    # a ranking that never flips the decision has erased all items
    attention = np.where(np.isnan(attention) & ~np.isnan(smallest), 1.0, attention)
    falls = located.assign(fall=curve(located))
    floor, weighed, best = (take(of_ranking(falls, name), "fall") for name in ("random", "attention", "loo"))
    compared = measured.audits["comparison"]
    moved = compared.iloc[:0]
    if said["unique_model"]:
        moved = of_run(compared, said["unique_model"], int(said["unique_seed"]), said["unique_lambda"])
    jsd, tvd, chance = (take(moved, name) for name in ("jsd", "tvd", "chance_jsd"))
    pairs = measured.rows("stability")
    pairs = pairs[(pairs["seed"] == seed) | (pairs["other"] == seed)]
    places, over_pairs = by_pair(pairs, ["jsd", "chance_jsd", "same_top"], ids)
    apart, by_chance, same = (values.sum(0) for values in over_pairs)

    def name_classes(column: str) -> list[str]:
        return [measured.names.get(class_, "") for class_ in predictions[column].tolist()]

    def list_values(name: str) -> list[list[float]]:
        rows = top_items.set_index("id").filter(like=f"{name}_").reindex(ids).to_numpy(np.float64, na_value=nan)
        return [row[~np.isnan(row)].tolist() for row in rows]

    def survives(rows: pd.DataFrame) -> list[bool | None]:
        return [None if np.isnan(flips) else not flips for flips in take(rows, "top_flips")]

    words = [
        [str(tokens[id_][int(at)] if subject.items == "words" else int(at) + 1) for at in positions]
        for id_, positions in zip(ids, list_values("top_items"), strict=True)
    ]
    columns: dict[str, Any] = {
        **subject.model_dump(include={"dataset", "suite", "model"}),
        "seed": seed,
        "id": ids,
        "label": predictions["label"].to_numpy(np.int64),
        "prediction": predictions["prediction"].to_numpy(np.int64),
        "label_name": name_classes("label"),
        "prediction_name": name_classes("prediction"),
        "words": words,
        "weights": list_values("top_weights"),
        "contributions": list_values("top_contributions"),
        "others": len(places),
        "agree": np.nan_to_num(same).astype(np.int64),
        "moved": jsd,
        "moved_tvd": tvd,
        "survives_item": survives(top_items),
        "survives_word": survives(of_ranking(located, "attention")),
        "stable": 1 - share_of(apart, by_chance),
        "used": take(permutation, "mean_tvd"),
        "ranks": share_of(random - attention, random - smallest),
        "located": share_of(weighed - floor, best - floor),
        "signed": take(shuffles, "side"),
        "unique": 1 - share_of(jsd, chance),
    }
    return pd.DataFrame(columns, columns=TEXTS.schema.names)


def texts(
    subjects: Subjects,
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
    said = {(row["dataset"], row["suite"], row["model"]): row for row in summary.to_dict("records")}
    rows = [pd.DataFrame(columns=TEXTS.schema.names)]
    for measured in measure_subjects(subjects, audits, answer, {}, census):
        subject = measured.subject
        # which texts there are is known from the predictions
        if len(measured.audits["predictions"]):
            own = said[subject.dataset, subject.suite, subject.model]
            rows.append(describe_texts(measured, own, corpus[subject.dataset].set_index("id")["tokens"]))
    return pd.concat(rows[1:] or rows, ignore_index=True)


def top(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that are shown outside the Parquet file: TOP texts of each model, the same ones for all models.

    They are drawn by a hash of their ids, so that neither what the maps look like nor their order chooses them.
    """
    drawn = rows["id"].map(lambda id_: sha256(id_.encode()).hexdigest())
    first = drawn.groupby([rows[name] for name in ("dataset", "suite", "model")], sort=False).rank(method="first")
    return rows[first <= TOP]
