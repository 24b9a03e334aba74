"""The files of a made-up run, and the job of its explorer: two data sets, of which one has two models."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.audits import CONSISTENCY, INSTANCE_ADVERSARY, WORD_ATTRIBUTIONS
from attention_audit.columns.files import CENSUS, CORPUS, READOUT
from attention_audit.columns.kinds import flag, integer, text
from attention_audit.columns.tables import SUMMARY, TEXTS
from attention_audit.jobs.pages import ExploredAdversary, ExploredRun, ExploredView, ExplorerJob, ShownSuite
from attention_audit.questions import QUESTIONS
from attention_audit.readout import Readout
from attention_audit.stages.job import Job

CLASSES = ("<b>bad</b>", "</script>good & \u2028")
HOSTILE = ("</script><script>document.title='hurt'</script>", "<img src=x onerror=alert(1)>", "\u202e&lt;", "plain")
PROVENANCE = Provenance("test", {}, "0")
SUITE = ShownSuite(
    key="wp", paper="WP2019", title="<u>W&P</u>", about="?", citation=[], datasets=["first", "second"],
    models={"base": "<i>base</i>", "adversary": "adversary", "other": "other"}, seeds={"base": [1, 2]},
)  # fmt: skip


def readout(texts: int, words: int, seed: int, outputs: int = 1) -> Readout:
    """A readout of made-up texts, consistent in itself; every fourth prediction is wrong."""
    random = np.random.default_rng(seed)
    # the texts are the same in all readouts
    lengths = 1 + (np.arange(texts) * 7) % words
    attention = [random.dirichlet(np.ones(length)).astype(np.float32) for length in lengths]
    contribution = [random.normal(0, 3, (length, outputs)).astype(np.float32) for length in lengths]
    bias = random.normal(size=(texts, outputs)).astype(np.float32)
    logits = np.array([a @ z + b for a, z, b in zip(attention, contribution, bias, strict=True)])
    logits = np.hstack([np.zeros_like(logits), logits]) if outputs == 1 else logits
    exponential = np.exp(logits - logits.max(1, keepdims=True))
    predicted = (exponential / exponential.sum(1, keepdims=True)).astype(np.float32)
    right = predicted.argmax(1)
    labels = np.where(np.arange(texts) % 4, right, (right + 1) % predicted.shape[1])
    ids = [f"test-{place:05d}" for place in range(texts)]
    return Readout(ids, labels, right, predicted, attention, contribution, bias)


def write_readout(path: Path, of: Readout) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_batches(path, READOUT, of.tables(), PROVENANCE)
    return path


def write_corpus(folder: Path, of: Readout) -> tuple[Path, Path]:
    """Corpus and census; the words are hostile, and somebody marked the first word of each second text."""
    texts = len(of)
    lengths = of.lengths.tolist()
    columns: dict[str, Any] = {column.name: [None] * texts for column in CORPUS.columns} | {
        "id": of.ids,
        "split": ["test"] * texts,
        "label": of.labels.astype(np.int32),
        "tokens": [[HOSTILE[(i + t) % 4] for t in range(length)] for i, length in enumerate(lengths)],
        "label_name": [CLASSES[label % 2] for label in of.labels],
        "annotators": [["<b>a</b>", "b"] if i % 2 else None for i in range(texts)],
        "marks": [[[0], []] if i % 2 else None for i in range(texts)],
    }
    corpus, census = folder / "corpus.parquet", folder / "census.parquet"
    folder.mkdir(parents=True, exist_ok=True)
    write_table(corpus, CORPUS, columns, PROVENANCE)
    zeros = {column.name: [0] * 2 for column in CENSUS.columns}
    names = {"split": ["test"] * 2, "label": [0, 1], "label_name": list(CLASSES)}
    write_table(census, CENSUS, zeros | names, PROVENANCE)
    return corpus, census


def write_texts(path: Path, keys: Sequence[tuple[str, str, Readout]]) -> Path:
    """The table of texts, of these data sets and models."""
    rows = [(dataset, model, of, place) for dataset, model, of in keys for place in range(len(of))]
    count = len(rows)
    columns = {
        "dataset": [row[0] for row in rows],
        "suite": ["wp"] * count,
        "model": [row[1] for row in rows],
        "seed": [1] * count,
        "id": [row[2].ids[row[3]] for row in rows],
        "label": [int(row[2].labels[row[3]]) for row in rows],
        "prediction": [int(row[2].predictions[row[3]]) for row in rows],
        "label_name": [CLASSES[0]] * count,
        "prediction_name": [CLASSES[1]] * count,
        "words": [[HOSTILE[0], HOSTILE[3]] for _ in rows],
        "weights": [[0.75, 0.25] for _ in rows],
        "contributions": [[-1.23456, 0.5] for _ in rows],
        "others": [1] * count,
        "agree": [row[3] % 2 for row in rows],
    }
    nothing = {column.name: [None] * count for column in TEXTS.columns if column.name not in columns}
    write_table(path, TEXTS, columns | nothing | {"moved": [0.123456] * count}, PROVENANCE)
    return path


def write_answers(path: Path, dataset: str, model: str) -> Path:
    """The table of answers with one row, on a model of which `located` alone is known; its other columns are empty."""
    empty = {text.type: "", integer.type: 0}
    row = {column.name: None if column.nullable else empty.get(column.type, []) for column in SUMMARY.columns}
    row |= {f"{question}_zones": "-" for question in QUESTIONS}
    row |= {"dataset": dataset, "suite": "wp", "model": model, "located_zones": "2", "located_said": "partly"}
    row |= {"located_value": 0.35, "located_low": 0.33, "located_high": 0.37, "located_clause": HOSTILE[0]}
    write_table(path, SUMMARY, {name: [value] for name, value in row.items()}, PROVENANCE)
    return path


def job_of(folder: Path, texts: dict[str, int], words: int = 12) -> tuple[Job[ExplorerJob], list[str]]:
    """The job of the explorer of a run with so many texts of each of two data sets, and the lines that it says."""
    first, second = texts
    base = [readout(texts[first], words, seed) for seed in (1, 2)]
    adversaries = [readout(texts[first], words, seed) for seed in (3, 4)]
    other = readout(texts[second], words, 5)
    readouts = [
        write_readout(folder / f"readouts/{place}/test.parquet", of)
        for place, of in enumerate([*base, *adversaries, other])
    ]
    corpora = [write_corpus(folder / name, of) for name, of in ((first, base[0]), (second, other))]
    consistency, instance, attributions = (folder / f"{name}.parquet" for name in ("c", "i", "a"))
    rows = {"dataset": [first] * 2, "model": ["adversary"] * 2, "lambda": [0.1, 0.2], "seed": [1] * 2}
    rows |= {"tvd": [0.04, 0.2], "jsd": [0.1, 0.6], "chance_jsd": [0.6] * 2}
    write_table(consistency, CONSISTENCY, rows, PROVENANCE)
    about = {"dataset": [first] * texts[first], "model": ["base"] * texts[first], "seed": [1] * texts[first]}
    zeros = {
        column.name: [False if column.type == flag.type else 0] * texts[first] for column in INSTANCE_ADVERSARY.columns
    }
    own = {"id": base[0].ids, "attention": adversaries[0].attention}
    write_table(instance, INSTANCE_ADVERSARY, zeros | about | own, PROVENANCE)
    some = {"id": base[0].ids, "attribution": ["loo"] * texts[first], "scores": adversaries[1].attention}
    write_table(attributions, WORD_ATTRIBUTIONS, about | some, PROVENANCE)
    table = write_texts(folder / "texts.parquet", [(first, "base", base[0]), (second, "other", other)])
    settings = ExplorerJob(
        views=[
            ExploredView(
                dataset=first, suite="wp", model="base", items="words",
                runs=[ExploredRun(seed=1, readout=0), ExploredRun(seed=2, readout=1)],
                uniform=ExploredRun(seed=1, readout=1),
                adversaries=[
                    ExploredAdversary(family="adversary", lambda_=value, seed=1, readout=place)
                    for value, place in ((0.1, 2), (0.2, 3))
                ],
                consistency=0, instance=0, attributions=0, unasked={},
            ),
            ExploredView(
                dataset=second, suite="wp", model="other", items="words",
                runs=[ExploredRun(seed=7, readout=4)], uniform=None, adversaries=[],
                consistency=None, instance=None, attributions=None,
                unasked={"word_attributions": "word_attributions needs a network"},
            ),
        ],
        suites=[SUITE],
        datasets=[first, second],
        budget=0.05,
        report="report.html",
        threads=1,
    )  # fmt: skip
    inputs = {
        "readouts": readouts,
        "beside": [],
        "corpus": [corpus for corpus, _ in corpora],
        "census": [census for _, census in corpora],
        "consistency": [consistency],
        "instance": [instance],
        "attributions": [attributions],
        "texts": [table],
        "summary": [write_answers(folder / "summary.parquet", first, "base")],
    }
    said: list[str] = []
    return Job(settings, inputs, {"page": [folder / "explorer.html"]}, PROVENANCE, said.append), said
