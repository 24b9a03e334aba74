"""The run of a classifier that was audited in a notebook: its models, its texts, and the configuration that names them,
by which the workflow asks the same.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from attention_audit.artefacts.files import write_whole
from attention_audit.corpus.tokens import SPACES
from attention_audit.stages.classifier_texts import take_texts
from attention_audit.transformer.folder import CONFIG, HeldModel, Home

from .asking import GIVEN_MODEL, GIVEN_TEXTS

TEXTS_FILE = "texts.jsonl"


def save_model(home: Home, folder: Path) -> Path:
    """Save a model in memory with its tokenizer in a folder, as the library reads it; return where it is."""
    if not isinstance(home, HeldModel):
        return home.absolute()
    if home.config:
        home.source.save_pretrained(folder)
        written = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        # the library's class was found to compute the same
        written |= {"architectures": home.config["architectures"]}
        written.pop("auto_map", None)
        (folder / CONFIG).write_text(json.dumps(written, indent=2), encoding="utf-8")
    else:
        shutil.copytree(home.name, folder, dirs_exist_ok=True)
    tokenizer = deepcopy(home.tokenizer)
    # the library leaves out what was set after loading
    tokenizer.init_kwargs |= {side: getattr(tokenizer, side) for side in ("truncation_side", "padding_side")}
    tokenizer.save_pretrained(folder)
    return folder


def list_saved_texts(corpus: pa.Table, classes: Sequence[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """List the rows of the texts of a corpus, as they were written, and what an entry of `corpora` says of them."""
    texts, tokens = take_texts(corpus), corpus["tokens"].to_pylist()
    names = ("text", "second")
    rows = [
        {"id": id_, "label": classes[label], **dict(zip(names, written.sides, strict=False))}
        for id_, label, written in zip(texts.ids, texts.labels.tolist(), texts.written, strict=True)
    ]
    entry: dict[str, Any] = {"id": "id", "classes": [*classes]}
    if names[1] in rows[0]:
        entry |= {"query": names[1], "joined": True}
    spaced = all(" ".join(written.sides).split() == words for written, words in zip(texts.written, tokens, strict=True))
    return rows, entry | ({"tokens": {"tokenizer": SPACES, "lower": False}} if spaced else {})


@dataclass(frozen=True)
class ClassifierRun:
    """What a run of a classifier reads. homes: of its trainings. texts: a row each, with id, text, label and, of pairs,
    second. entry, reading: of `corpora` and `hf`, less the paths; settings: all other keys.
    """

    homes: Sequence[Home]
    texts: Sequence[Mapping[str, Any]]
    entry: Mapping[str, Any]
    reading: Mapping[str, Any]
    settings: Mapping[str, Any]

    def write(self, folder: Path) -> dict[str, Any]:
        """Write models and texts into a folder; return the configuration."""
        path = folder / TEXTS_FILE
        with write_whole(path) as temporary:
            lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in self.texts)
            temporary.write_text("".join(lines), encoding="utf-8")
        folders = [
            str(save_model(home, folder / f"{GIVEN_MODEL}{number}")) for number, home in enumerate(self.homes, start=1)
        ]
        return {
            "corpora": {GIVEN_TEXTS: {"kind": "table", "path": {"test": str(path)}, **self.entry}},
            "hf": {GIVEN_TEXTS: {"models": {GIVEN_MODEL: folders}, **self.reading}},
            **self.settings,
        }
