"""The files of a made-up run, and the job of its explorer: two data sets, of which one has two models."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from readouts import make_readout
from summaries import answer, row

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.audits import CONSISTENCY, INSTANCE_ADVERSARY, WORD_ATTRIBUTIONS
from attention_audit.columns.files import CENSUS, CORPUS, READOUT
from attention_audit.columns.kinds import Artefact
from attention_audit.columns.tables import SUMMARY, TEXTS
from attention_audit.jobs.pages import ExploredRun, ExploredView, ExplorerJob, ShownSuite
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
    """A readout of made-up texts, whose lengths are the same in all of them; every fourth prediction is wrong."""
    made = make_readout(1 + (np.arange(texts) * 7) % words, outputs, seed)
    labels = (made.predictions + (np.arange(texts) % 4 == 0)) % made.probabilities.shape[1]
    return replace(made, ids=[f"test-{place:05d}" for place in range(texts)], labels=labels)


def write_rows(path: Path, kind: Artefact, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write rows of which nothing but this is known."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(path, kind, pd.DataFrame([kind.blank | row for row in rows])[kind.schema.names], PROVENANCE)
    return path


def write_readout(path: Path, of: Readout) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_batches(path, READOUT, of.tables(), PROVENANCE)
    return path


def write_corpus(folder: Path, of: Readout) -> tuple[Path, Path]:
    """Corpus and census; the words are hostile, and somebody marked the first word of each second text."""
    unmarked = {"annotators": None, "marks": None}
    rows = [
        dict.fromkeys(CORPUS.schema.names)
        | {"id": name, "split": "test", "label": label, "label_name": CLASSES[label % 2]}
        | {"tokens": [HOSTILE[(i + t) % 4] for t in range(length)]}
        | ({"annotators": ["<b>a</b>", "b"], "marks": [[0], []]} if i % 2 else unmarked)
        for i, (name, label, length) in enumerate(zip(of.ids, of.labels, of.lengths, strict=True))
    ]
    corpus = write_rows(folder / "corpus.parquet", CORPUS, rows)
    names = [{"split": "test", "label": label, "label_name": name} for label, name in enumerate(CLASSES)]
    return corpus, write_rows(folder / "census.parquet", CENSUS, names)


def text_rows(dataset: str, model: str, of: Readout) -> list[dict[str, Any]]:
    """Rows of the table of texts."""
    about = {"dataset": dataset, "suite": "wp", "model": model, "seed": 1, "others": 1, "moved": 0.123456}
    about |= {"label_name": CLASSES[0], "prediction_name": CLASSES[1], "words": [HOSTILE[0], HOSTILE[3]]}
    about |= {"weights": [0.75, 0.25], "contributions": [-1.23456, 0.5]}
    return [
        about | {"id": name, "label": label, "prediction": prediction, "agree": place % 2}
        for place, (name, label, prediction) in enumerate(zip(of.ids, of.labels, of.predictions, strict=True))
    ]


def job_of(folder: Path, texts: dict[str, int], words: int = 12) -> tuple[Job[ExplorerJob], list[str]]:
    """The job of the explorer of a run with so many texts of each of two data sets, and the lines that it says."""
    first, second = texts
    base = [readout(texts[first], words, seed) for seed in (1, 2)]
    adversaries = [readout(texts[first], words, seed) for seed in (3, 4)]
    other = readout(texts[second], words, 5)
    readouts = [
        write_readout(folder / f"readouts/run/seed{place}/test.parquet", of)
        for place, of in enumerate([*base, *adversaries, other])
    ]
    corpora = [write_corpus(folder / name, of) for name, of in ((first, base[0]), (second, other))]
    names = ("consistency", "instance_adversary", "word_attributions")
    audits = [folder / f"audits/{first}/wp_base/{name}.parquet" for name in names]
    consistency, instance, attributions = audits
    far = {"dataset": first, "model": "adversary", "seed": 1, "chance_jsd": 0.6}
    points = ((0.1, 0.04, 0.1), (0.2, 0.2, 0.6))
    write_rows(consistency, CONSISTENCY, [far | {"lambda": at, "tvd": tvd, "jsd": jsd} for at, tvd, jsd in points])
    about = [{"dataset": first, "model": "base", "seed": 1, "id": name} for name in base[0].ids]
    moved, loo = ([*zip(about, each.attention, strict=True)] for each in adversaries)
    write_rows(instance, INSTANCE_ADVERSARY, [each | {"attention": weights} for each, weights in moved])
    write_rows(attributions, WORD_ATTRIBUTIONS, [each | {"attribution": "loo", "scores": own} for each, own in loo])
    located = answer("located", "2", "partly", 0.35, 0.33, 0.37, clause=HOSTILE[0])

    def explored(family: str, seed: int, place: int, value: float | None = None) -> ExploredRun:
        return ExploredRun(family=family, lambda_=value, seed=seed, readout=f"run/seed{place}")

    settings = ExplorerJob(
        views=[
            ExploredView(
                dataset=first, suite="wp", model="base", name="wp_base", items="words",
                runs=[explored("base", 1, 0), explored("base", 2, 1)],
                uniform=explored("uniform", 1, 1),
                adversaries=[explored("adversary", 1, place, value) for value, place in ((0.1, 2), (0.2, 3))],
                unasked={},
            ),
            ExploredView(
                dataset=second, suite="wp", model="other", name="wp_other", items="words",
                runs=[explored("other", 7, 4)], uniform=None, adversaries=[],
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
        "audits": audits,
        "texts": [
            write_rows(
                folder / "texts.parquet",
                TEXTS,
                [*text_rows(first, "base", base[0]), *text_rows(second, "other", other)],
            )
        ],
        "summary": [write_rows(folder / "summary.parquet", SUMMARY, [row("base", located, dataset=first)])],
    }
    said: list[str] = []
    return Job(settings, inputs, {"page": [folder / "explorer.html"]}, PROVENANCE, said.append), said
