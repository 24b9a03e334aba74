"""The vocabulary of a control -> the files of a classifier whose truth is known."""

from attention_audit.artefacts.parquet import read_table
from attention_audit.columns.files import VOCABULARY
from attention_audit.corpus.encoders import BuiltClassifier
from attention_audit.corpus.sources.control import TEXT_KINDS
from attention_audit.corpus.vocabulary import VOCABULARY_MARKS
from attention_audit.transformer.constructed import build

from .job import Job

BUILT_KIND = "feint"
"""The kind of control that such a classifier reads."""


def run(job: Job[BuiltClassifier]) -> None:
    """Build it. The same words say the same in all classifiers of one data set."""
    words = read_table(job.input("vocabulary"), VOCABULARY)["word"].to_pylist()
    classifier, targets = job.settings, {path.name: path for path in job.outputs["files"]}
    build(
        classifier.kind,
        sorted(set(words) - set(VOCABULARY_MARKS)),
        TEXT_KINDS[BUILT_KIND].cues,
        classifier.seed,
        targets,
    )
    job.report(f"{job.outputs['files'][0].parent}: {classifier.kind}, {len(words)} words")
