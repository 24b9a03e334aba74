"""What a reader may do with a model's attention map: a row a data set, suite and model (`summary`); and what each
question measures of single test texts, without a verdict (`texts`).

`tables.model_answers` asks the eight questions; `answer.lines` makes the line that is shown of each. The adversary that
`unique` of a text is measured on is taken from the summary. The ends of a scale are noisy in one text: where the random
ranking does no worse than the best one, nothing can be gained and the question has no value there.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from math import isfinite, nan
from typing import Any

import numpy as np
import pandas as pd

from attention_audit.answer.estimates import estimate
from attention_audit.answer.lines import ask_order, write_lines
from attention_audit.answer.samples import compare_largest
from attention_audit.answer.verdicts import NONE, Cell, Part
from attention_audit.arrays import Floats, Integers
from attention_audit.columns.tables import SUMMARY, TEXTS
from attention_audit.errors import AuditError
from attention_audit.questions import QUESTIONS
from attention_audit.scores import accuracy, macro_f1

from .attributions import average_measures
from .controls import describe_claims
from .model_answers import ASK_FUNCTIONS, Asked, MeasuredModel, ask_question, find_leads, measure_subjects
from .tidy import Frames, RowValues, Subjects, add_falls, make_pair_grids, select_ranking, select_run

SUBJECT_COLUMNS = ("dataset", "suite", "model")
ESTIMATE_ENDS = ("value", "low", "high")
ESTIMATES = (*ESTIMATE_ENDS, "next_low", "next_high")
BLANK = SUMMARY.blank | {f"{question}_zones": NONE for question in QUESTIONS}
SHOWN_TEXTS = 3
"""How many texts of each model are shown outside the Parquet file."""


def list_bounds(name: str, effect: Any) -> dict[str, float]:
    """Name the columns of an estimate, or effect, that stands beside an answer."""
    return {f"{name}_{end}": getattr(effect, end) for end in ESTIMATE_ENDS}


def describe_class(part: Part, zones: str) -> RowValues:
    """Describe what was found of one class, for JSON."""
    numbers = {**{end: getattr(part.estimate, end) for end in ESTIMATE_ENDS}, "shuffled": part.shuffled}
    rounded = {name: round(value, 6) if isfinite(value) else None for name, value in numbers.items()}
    return {"name": part.name, "texts": part.fewest, "labelled": part.labelled, **rounded, "zones": zones}


def list_answer_columns(question: str, cell: Cell) -> RowValues:
    """Name the columns of one question."""
    effect = cell.part.estimate
    classes = [describe_class(part, zones) for part, zones in cell.classes]
    columns = {
        **{name: getattr(effect, name) for name in (*ESTIMATE_ENDS, "next_low", "next_high", "texts", "trainings")},
        **{name: getattr(cell, name) for name in ("zones", "said", "reason", "clause", "left_out")},
        "outliers": json.dumps(
            [{"seed": int(cell.part.seeds[number]), "value": effect.each[number]} for number in cell.apart]
        )
        if cell.apart
        else "",
        "each": effect.each if len(effect.each) > 1 else [],
        "shuffled": cell.part.shuffled,
        "classes": json.dumps(classes, ensure_ascii=False) if classes else "",
    }
    return {f"{question}_{name}": value for name, value in columns.items()} | {**cell.beside}


def judge_ability(labels: Integers, predictions: Integers, groups: Integers | None) -> RowValues:
    """Compare S trainings with always giving the largest class: labels (N,), predictions (S, N).

    Of several classes that are equally frequent, the one that leaves the most doubt counts, so that no order of classes
    decides.
    """
    gains = [estimate(sample, groups, (-1.0, 1.0)) for sample in compare_largest(labels, predictions)]
    lowest = min(gains, key=lambda gain: (round(gain.low, 9), round(gain.high, 9)))
    return {
        "learnt": "yes" if lowest.low > 0 else "no",
        **list_bounds("learnt", lowest),
        "macro_f1": np.mean([macro_f1(labels, row) for row in predictions]),
        "accuracy": np.mean(each := [accuracy(labels, row) for row in predictions]),
        "lowest_accuracy": min(each),
        "majority_accuracy": np.bincount(labels).max() / len(labels),
    }


def list_plausibility(plausibility: pd.DataFrame) -> RowValues:
    """Name the columns of attention beside marked words, from the rows of `plausibility` of one model."""
    single = plausibility[plausibility["annotator"] != ""]
    attention, random, annotators = (
        average_measures(single[single["attribution"] == name], ["auprc"])["auprc"]
        for name in ("attention", "random", "others")
    )
    return {
        **list_bounds("plausibility", attention),
        "plausibility_random": random.value,
        "plausibility_others": annotators.value,
        "plausibility_texts": attention.texts,
    }


def answer_questions(measured: MeasuredModel, questions: Asked) -> RowValues:
    """Answer some questions alone, as in a row of columns.SUMMARY."""
    row = BLANK | measured.subject.model_dump(include={"dataset", "suite", "paper", "model", "seeds"})
    for question, ask in questions.items():
        row |= list_answer_columns(question, ask_question(ask, measured))
    return row


def answer_subject(measured: MeasuredModel, questions: Asked = ASK_FUNCTIONS) -> RowValues:
    """Make one row of columns.SUMMARY. Where there are no labels, nothing is said of how well the model predicts."""
    subject, labels, row = measured.subject, measured.labels, answer_questions(measured, questions)
    row |= {"texts": len(measured.ids), "groups": measured.count(np.ones(len(measured.ids), bool))}
    predicted = np.nan_to_num(measured.predictions, nan=-1).astype(np.int64)
    if subject.of_cases:
        row["texts"] = row["groups"]
    elif labels is not None:
        row |= judge_ability(labels, predicted, measured.groups) | {"note": ask_order(labels, predicted)}
    elif measured.ids and np.isfinite(measured.predictions).all():
        row["majority_accuracy"] = np.mean([np.bincount(each).max() for each in predicted]) / len(measured.ids)
    return row | list_plausibility(measured.select_rows("plausibility"))


def summary(
    subjects: Subjects,
    reasons: Mapping[str, str],
    answer: Mapping[str, Any],
    corpus: Frames,
    census: Frames,
    kinds: Mapping[str, str] = {},
    **audits: pd.DataFrame,
) -> pd.DataFrame:
    """Make one row for each data set and model, with the columns of columns.SUMMARY.

    `kinds`: of the corpora of data sets; verdicts on controls are held against what they must be. `reasons`: why data
    sets were not run, by data set. `answer`: the section `answer` of the configuration. `corpus`: the id and group of
    the test texts by data set, which says which of them belong together. `census`: the names of classes. `audits`: rows
    of the audits that the questions ask, of any number of data sets and suites, with the key of the suite as the column
    `suite`; a list of k numbers is k columns.
    """
    measured = measure_subjects(subjects, audits, answer, corpus, census)
    missing = [BLANK | {"dataset": dataset, "note": f"Not run: {reason}."} for dataset, reason in reasons.items()]
    rows = [answer_subject(each) for each in measured]
    rows = [row | {"controls": describe_claims(kinds.get(row["dataset"], ""), row)} for row in rows]
    return pd.DataFrame([*rows, *missing], columns=SUMMARY.schema.names)


def by_question(summary: pd.DataFrame) -> pd.DataFrame:
    """List the answers of a summary, of `audit` or a run's tables/summary.parquet, in a row a question: the columns of
    `Answer.table`. Where the summary has several models, dataset, suite and model stand before them.

    Raises AuditError where the frame is no summary.
    """
    wanted = {
        *SUBJECT_COLUMNS,
        *(f"{question}_{name}" for question in QUESTIONS for name in ("zones", "said", *ESTIMATES)),
    }
    if missing := wanted - {*summary.columns}:
        raise AuditError(f"summary: has no column {min(missing)}; give the table `summary` of api.audit, or of a run")
    rows = [
        {name: row[name] for name in SUBJECT_COLUMNS}
        | {"question": line.question, "claim": line.claim, "zones": row[f"{line.question}_zones"], "verdict": line.said}
        | {name: row[f"{line.question}_{name}"] for name in (*ESTIMATES, "trainings", "texts")}
        | {"note": "; ".join(filter(None, [line.beside, line.remark]))}
        for row in summary.to_dict("records")
        for line in write_lines(row)
    ]
    answers = pd.DataFrame(rows).astype(dict.fromkeys(ESTIMATES, np.float64))
    return answers if len(summary) > 1 else answers.drop(columns=[*SUBJECT_COLUMNS])


def divide_gain(gained: Floats, best: Floats) -> Floats:
    """Divide what is gained by the best, text by text, NaN where there is nothing to be gained."""
    return np.divide(gained, best, out=np.full_like(gained, nan), where=best > 0)


def describe_texts(measured: MeasuredModel, answers: Mapping[Any, Any], tokens: pd.Series) -> pd.DataFrame:
    """Make the rows of columns.TEXTS of one training of one model.

    `answers`: its row of the summary. `tokens`: the words of each text.
    """
    subject = measured.subject
    seed: int = subject.contrasts.seed if subject.contrasts else measured.seeds[0]
    predictions, top_items, shuffles, located, permutation = (
        select_run(measured.audits[name], subject.model, seed).set_index("id")
        for name in ("predictions", "contributions", "shuffles", "located", "permutation")
    )
    ids = [*predictions.index]

    def take(rows: pd.DataFrame, name: str) -> Floats:
        return rows[name].reindex(ids).to_numpy(np.float64, na_value=nan)

    shuffles, _ = find_leads(shuffles[shuffles["shuffle"] == 0], measured.margins.inert)
    random, attention, smallest = (take(shuffles, name) for name in ("random", "by_weight", "smallest"))
    # a ranking that never flips the decision has erased all items
    attention = np.nan_to_num(attention, nan=1.0)
    falls = add_falls(located)
    floor, weighed, best = (take(select_ranking(falls, name), "fall") for name in ("random", "attention", "loo"))
    # no model is called ""
    comparison = select_run(
        measured.audits["comparison"], *(answers[f"unique_{name}"] for name in ("model", "seed", "lambda"))
    )
    comparison = comparison.set_index("id")
    jsd, tvd, chance = (take(comparison, name) for name in ("jsd", "tvd", "chance_jsd"))
    pairs, over_pairs = make_pair_grids(measured.select_pairs(seed), ["jsd", "chance_jsd", "same_top"], ids)
    distance, by_chance, same = (values.sum(0) for values in over_pairs)
    by_id = top_items.reindex(ids)
    positions, weights, contributions = (
        [row[~np.isnan(row)].tolist() for row in by_id.filter(like=f"{name}_").to_numpy(np.float64, na_value=nan)]
        for name in ("top_items", "top_weights", "top_contributions")
    )
    columns: RowValues = {
        **subject.model_dump(include={"dataset", "suite", "model"}),
        "seed": seed,
        "id": ids,
        "words": [
            [str(tokens[id_][int(at)] if subject.items == "words" else int(at) + 1) for at in items]
            for id_, items in zip(ids, positions, strict=True)
        ],
        "weights": weights,
        "contributions": contributions,
        "others": len(pairs),
        "agree": np.nan_to_num(same).astype(np.int64),
        "moved": jsd,
        "moved_tvd": tvd,
        "stable": 1 - divide_gain(distance, by_chance),
        "used": take(permutation, "mean_tvd"),
        "ranks": divide_gain(random - attention, random - smallest),
        "located": divide_gain(weighed - floor, best - floor),
        "signed": take(shuffles, "side"),
        "unique": 1 - divide_gain(jsd, chance),
    }
    for name in ("label", "prediction"):
        columns[name] = predictions[name].to_numpy(np.int64)
        columns[f"{name}_name"] = [measured.names.get(class_, "") for class_ in columns[name].tolist()]
    for name, rows in (("item", top_items), ("word", select_ranking(located, "attention"))):
        columns[f"survives_{name}"] = [None if np.isnan(flips) else not flips for flips in take(rows, "top_flips")]
    return pd.DataFrame(columns, columns=TEXTS.schema.names)


def texts(
    subjects: Subjects,
    corpus: Frames,
    census: Frames,
    summary: pd.DataFrame,
    answer: Mapping[str, Any],
    **audits: pd.DataFrame,
) -> pd.DataFrame:
    """Make a row for each judged model and test text, with the columns of columns.TEXTS.

    `corpus`: ids and words of the test texts, by data set; `census`: columns.CENSUS frames, likewise. `summary`: rows
    of columns.SUMMARY. `answer`: the section of the configuration. `audits`: rows of the audits of these names, as
    those of tables.summary, but for consistency and plausibility.
    """
    answers = {(row["dataset"], row["suite"], row["model"]): row for row in summary.to_dict("records")}
    frames = []
    for measured in measure_subjects(subjects, audits, answer, {}, census):
        subject = measured.subject
        if measured.ids:
            of_model = answers[subject.dataset, subject.suite, subject.model]
            frames.append(describe_texts(measured, of_model, corpus[subject.dataset].set_index("id")["tokens"]))
    return pd.concat(frames or [pd.DataFrame(columns=TEXTS.schema.names)], ignore_index=True)


def select_top(rows: pd.DataFrame) -> pd.DataFrame:
    """Select the rows that are shown outside the Parquet file: TOP texts of each model, the same ones for all models.

    They are drawn by a hash of their ids, so that neither what the maps look like nor their order chooses them.
    """
    drawn = rows.assign(drawn=rows["id"].map(lambda id_: sha256(id_.encode()).hexdigest()))
    return rows[drawn.groupby(["dataset", "suite", "model"])["drawn"].rank(method="first") <= SHOWN_TEXTS]
