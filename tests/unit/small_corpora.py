"""Corpora of a few words."""

import pyarrow as pa

from attention_audit.columns.files import CORPUS


def corpus_of(texts, **columns):
    """Make a corpus of texts, given by split, label and words; columns: further ones, with a value a text."""
    rows = [
        {"id": f"text-{number}", "split": split, "label": label, "tokens": text.split(), "label_name": str(label)}
        | {name: values[number] for name, values in columns.items()}
        for number, (split, label, text) in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, schema=CORPUS.schema)
