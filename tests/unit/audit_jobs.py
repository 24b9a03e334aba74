"""Audits of made-up readouts: trainings in memory and in files, what is known of their texts, and their rows."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from attention_audit.artefacts.parquet import write_batches, write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.artefacts.weights import write_weights
from attention_audit.audits.answers import Training
from attention_audit.audits.facts import TextFacts
from attention_audit.audits.settings import AuditedTraining
from attention_audit.columns.files import CORPUS
from attention_audit.readout import TAIL_FILE

PROVENANCE = Provenance("test", {}, "")


def training_of(readout, model="mine", seed=1, **about):
    """A training whose readout is in memory."""
    described = AuditedTraining(model=model, seed=seed, **about)
    return Training(described, described.lambda_, readout)


def write_readout(readout, path):
    """Write a readout, with the tail of a Transformer beside it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_batches(path, readout.kind, readout.tables(), PROVENANCE)
    if readout.attending:
        write_weights(path.with_name(TAIL_FILE), readout.attending.tail.pack(), PROVENANCE)
    return path


def list_texts(readout, **columns):
    """List the rows of a corpus that has the texts of a readout; columns: of each text, a list."""
    texts = zip(readout.ids, readout.labels.tolist(), readout.words.tolist(), strict=True)
    rows = [
        {"id": id_, "split": "test", "label": label, "tokens": [f"w{at}" for at in range(words)], "label_name": "no"}
        for id_, label, words in texts
    ]
    return [row | {name: values[at] for name, values in columns.items()} for at, row in enumerate(rows)]


def table_of(rows):
    """Make a corpus of rows."""
    return pa.Table.from_pylist(rows, schema=CORPUS.schema)


def write_corpus(rows, path):
    """Write a corpus."""
    write_table(path, CORPUS, table_of(rows), PROVENANCE)
    return path


def facts_of(rows):
    """What is known of the texts of a corpus in memory."""
    return TextFacts(lambda columns, where: table_of(rows).filter(where).select(columns))


def frames_of(answers):
    """The rows of answers in memory, by the names of their files."""
    return {name: pa.concat_tables(parts).to_pandas() for name, parts in answers.tables.items()}


def assert_same(found, expected):
    """Check that two frames have the same rows, to the last digit."""
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def list_written(folder):
    """List the names of all files in a folder, half-written ones among them."""
    return sorted(path.name for path in Path(folder).iterdir())
