"""tables, figures, captions, configuration and the logs' last lines -> results/report.html, README.md, config.yaml.

README.md is the guide to all files. The page also says what the logs of the jobs and git say at the moment. Snakemake
does not know of these as inputs, so the page is made again whenever its tables or figures are, and never compared with
an earlier one.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.compute as pc
import yaml

from attention_audit.artefacts.files import read_record, write_whole
from attention_audit.artefacts.journal import read_journal
from attention_audit.artefacts.parquet import read_frame, read_provenance, read_rows, read_table
from attention_audit.columns.files import CORPUS, READOUT
from attention_audit.columns.kinds import artefact
from attention_audit.jobs import ReportJob
from attention_audit.readout import find_kind
from attention_audit.report.first_text import FirstText, find_first_text
from attention_audit.report.guide import write_guide
from attention_audit.report.page import TEXTS_TABLE, FinishedRun, render_page

from .job import Job


def read_maps(path: Path) -> pd.DataFrame:
    """Read the ids, probabilities and weights of a readout, without those of a tokenizer's marks."""
    kind = find_kind(path)
    columns = ["id", "probabilities", "attention", *(["marks", "places"] if kind is not READOUT else [])]
    readout: pd.DataFrame = read_table(path, kind, columns).to_pandas()
    if "marks" in readout:  # the last items, which are no words
        pairs = zip(readout["attention"], readout["marks"], strict=True)
        readout["attention"] = [weights[: len(weights) - marks] for weights, marks in pairs]
    return readout


def choose_opening(job: Job[ReportJob], tables: Mapping[str, tuple[pd.DataFrame, Any]]) -> FirstText | None:
    """Return the text that the page opens with; None where no model's texts are known, or the first has none."""
    maps = [*map(read_maps, job.inputs["readouts"])]
    if TEXTS_TABLE not in tables or not maps or maps[0].empty:
        return None
    wanted = pc.field("id").isin(maps[0]["id"].tolist())
    corpus = read_rows(job.input("corpus"), CORPUS, ["id", "tokens", "sentences"], wanted)
    texts = {row["id"]: row for row in corpus.to_pylist()}
    if "places" in maps[0]:
        for id_, positions in zip(maps[0]["id"], maps[0]["places"], strict=True):
            if positions is not None and id_ in texts:
                texts[id_]["tokens"] = [texts[id_]["tokens"][position] for position in positions]
    return find_first_text(tables[TEXTS_TABLE][0], maps, texts, job.settings.items)


def run(job: Job[ReportJob]) -> None:
    """Write the page, the guide and the configuration."""
    tables, figures = job.inputs["tables"], job.inputs["figures"]
    declared = {exhibit.name: exhibit.columns for exhibit in job.settings.exhibits}
    frames = {path.stem: (read_frame(path, artefact(declared[path.stem])), read_provenance(path)) for path in tables}
    finished = FinishedRun(
        job=job.settings,
        tables=frames,
        figures={path.stem: path for path in figures},
        captions={path.stem: path.read_text(encoding="utf-8") for path in job.inputs["captions"]},
        raw_files=[read_record(path) for path in job.inputs["records"]],
        first=choose_opening(job, frames),
        entries=read_journal(job.output("page").parent / "logs", [path.as_posix() for path in [*tables, *figures]]),
    )
    text = render_page(finished, datetime.now(UTC), Path.cwd())
    written = yaml.safe_dump(job.settings.config, sort_keys=False)
    for name, content in {"page": text, "readme": write_guide(job.settings) + "\n", "config": written}.items():
        with write_whole(job.output(name)) as path:
            path.write_text(content, encoding="utf-8")
    job.report(f"{len(tables)} tables and {len(figures)} figures in {job.output('page')}, {len(text) / 2**20:.1f} MB")
