"""What a reader may do with a model's attention map: a row a data set, suite and model.

Eight questions, each with an effect in a natural unit, its interval, the margin that the configuration declares, and a
word; no question decides over the others. `tables.asked` answers them, `tables.instead` says which attribution to show
instead, and `answer.sentence` puts the words into a sentence. docs/method/questions.md says what each question means.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from attention_audit.answer.sentence import Instead as ToShow
from attention_audit.answer.sentence import Said, itself, sentence
from attention_audit.answer.settings import AnswerSettings, Margins
from attention_audit.answer.words import YES
from attention_audit.columns.summary import INSTEAD, QUESTIONS, SUMMARY
from attention_audit.contrasts import Subject
from attention_audit.tables.arrays import Audits, groups_of, of_run
from attention_audit.tables.asked import ASKED, ERASURE, NOTHING, Answer, bounds, learnt
from attention_audit.tables.instead import Instead, by_located, by_ranks
from attention_audit.tables.plausibility import OTHERS, RANDOM, effects_of
from attention_audit.tables.wording import label_of


def columns_of(question: str, answer: Answer) -> dict[str, Any]:
    """The columns of one answer."""
    return {
        question: answer.word,
        **bounds(question, answer.effect),
        f"{question}_margin": answer.margin,
        f"{question}_trainings": answer.effect.trainings,
        f"{question}_texts": answer.effect.texts,
        f"{question}_each": list(answer.each),
        f"{question}_note": answer.note,
        **answer.beside,
    }


def columns_instead(question: str, instead: Instead | None) -> dict[str, Any]:
    """The columns of the attribution that does best on a question."""
    if instead is None:
        return {}
    name = f"instead_by_{question}"
    gain, low, high, _, texts, _ = instead.gain or NOTHING
    return {
        name: instead.ranking,
        f"{name}_value": instead.value,
        f"{name}_attention": instead.attention,
        f"{name}_gain": gain,
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_better": instead.better,
        f"{name}_second": instead.second,
        f"{name}_texts": texts,
    }


def columns_beside_marks(own: pd.DataFrame) -> dict[str, Any]:
    """The columns of attention beside marked words, from the rows of `plausibility` of one model."""
    single = own[own["annotator"] != ""]
    found = {
        name: effects_of(single[single["attribution"] == name], ["auprc"])["auprc"][0]
        for name in ("attention", RANDOM, OTHERS)
    }
    return {
        **bounds("plausibility", found["attention"]),
        "plausibility_random": found[RANDOM].value,
        "plausibility_others": found[OTHERS].value,
        "plausibility_texts": found["attention"].texts,
    }


def said_of(answer: Answer) -> Said:
    """An answer as the sentence takes it."""
    return Said(answer.word, answer.effect.value, answer.effect.trainings, answer.these)


def row(subject: Subject, audits: Audits, margins: Margins, labels: Mapping[str, str]) -> dict[str, Any]:
    """One row of columns.summary; `audits` has the rows of the subject's data set and suite."""
    answers = {question: ASKED[question](subject, audits, margins) for question in QUESTIONS}
    ability, scores = learnt(subject, audits)
    own = {name: of_run(getattr(audits, name), subject.model) for name in ("ranked_sets", "located")}
    instead = dict(zip(INSTEAD, (by_ranks(**own), by_located(own["located"])), strict=True))
    said = {name: said_of(each) for name, each in answers.items()}
    able = said_of(ability)
    shown = {
        name: each
        and ToShow(
            label_of(each.ranking, labels),
            each.better == YES,
            itself(name, each.ranking),
            each.second and label_of(each.second, labels),
        )
        for name, each in instead.items()
    }
    erased = answers["signed"].beside.get("signed_by") == ERASURE
    cells = [
        subject.model_dump(include={"dataset", "suite", "paper", "model", "seeds"}),
        {"sentence": sentence(said, able, shown, subject.frozen, erased), **scores},
        {"learnt": ability.word, **bounds("learnt", ability.effect)},
        *(columns_of(question, answer) for question, answer in answers.items()),
        *(columns_instead(question, best) for question, best in instead.items()),
        columns_beside_marks(of_run(audits.plausibility, subject.model)),
    ]
    return {**SUMMARY.blank, **{name: cell for part in cells for name, cell in part.items()}}


def not_run(reasons: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Rows for data sets that were not available; `reasons` says why, by data set."""
    for dataset, reason in reasons.items():
        words = dict.fromkeys([*QUESTIONS, "learnt"], Answer().word)
        yield {**SUMMARY.blank, **words, "dataset": dataset, "sentence": f"Not run: {reason}."}


def summary(
    subjects: Sequence[Subject | Mapping[str, Any]],
    reasons: Mapping[str, str],
    answer: Mapping[str, Any],
    labels: Mapping[str, str],
    corpus: Mapping[str, pd.DataFrame],
    **audits: pd.DataFrame,
) -> pd.DataFrame:
    """One row for each data set and model, with the columns of columns.summary.

    `reasons`: why data sets were not run, by data set. `answer`: the section `answer` of the configuration. `labels`:
    of rankings and attributions. `corpus`: the id and group of the test texts by data set, which says which of them
    belong together. `audits`: rows of the audits that `Audits` names, of any number of data sets and
    suites, with the key of the suite as the column `suite`; a list of k numbers is k columns.
    """
    judged = [Subject.model_validate(subject) for subject in subjects]
    margins = AnswerSettings.model_validate(answer).margins
    keys = dict.fromkeys((subject.dataset, subject.suite) for subject in judged)
    groups = groups_of(corpus)
    frames = Audits(**audits)  # type: ignore[arg-type]  # frames alone
    parts = {(dataset, suite): frames.of(dataset, suite, groups.get(dataset, {})) for dataset, suite in keys}
    rows = [row(subject, parts[subject.dataset, subject.suite], margins, labels) for subject in judged]
    return pd.DataFrame([*rows, *not_run(reasons)], columns=SUMMARY.schema.names)
