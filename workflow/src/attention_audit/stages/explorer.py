"""readouts, audits of them, corpora, the tables of texts and answers -> results/explorer.html.

Which texts are shown is decided in two passes: the first makes the views of a few texts, to see how many bytes one
takes; the second those that fit into the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.answer.lines import write_finding, write_lines
from attention_audit.artefacts.files import rebuild_hint, write_whole
from attention_audit.artefacts.parquet import read_frame, read_reason, read_rows, read_table
from attention_audit.columns.audits import CONSISTENCY, GENERATED_TOKENS, INSTANCE_ADVERSARY, WORD_ATTRIBUTIONS
from attention_audit.columns.files import CENSUS, CORPUS
from attention_audit.columns.kinds import Artefact
from attention_audit.columns.tables import SUMMARY, TEXTS
from attention_audit.errors import AuditError
from attention_audit.explorer.document import (
    MAX_PAGE_BYTES,
    MAX_TEXTS,
    About,
    AboutView,
    SampleSize,
    order_texts,
    pack_view,
    share_room,
)
from attention_audit.explorer.page import write_page
from attention_audit.explorer.token_views import make_token_view
from attention_audit.explorer.views import ViewBuilder
from attention_audit.jobs import ExploredRun, ExploredView, ExplorerJob
from attention_audit.names import display_name
from attention_audit.readout import Readout, find_kind, read_readout
from attention_audit.report.first_text import choose_first_text
from attention_audit.report.terminal import find_commit
from attention_audit.tables.wording import read_class_names

from .job import Job

FILE_LABELS = {
    "instance_adversary": "adversary of each text",
    "word_attributions": "gradient, leave-one-out or integrated gradients",
}
"""What the page calls maps that audits make."""
PILOT = 40
"""Texts of a data set that say how many bytes one takes."""
SIZE_FACTOR = 0.98
"""Factor on the bytes that texts may take where they still take too many."""


class PageBuilder:
    """The making of the page; files of the job are read as they are asked for."""

    def __init__(self, job: Job[ExplorerJob], limit: int) -> None:
        self.job = job
        self.settings = job.settings
        self.limit = limit
        censuses = zip(job.settings.datasets, job.inputs["census"], strict=True)
        self.suites = {suite.key: suite for suite in job.settings.suites}
        self.classes = read_class_names({name: read_frame(path, CENSUS) for name, path in censuses})
        # of generated tokens alone there are none
        self.rows, self.answers = (
            read_table(job.input(kind.name), kind) if kind.name in job.inputs else kind.schema.empty_table()
            for kind in (TEXTS, SUMMARY)
        )
        self.audits = {path.parts[-3:]: path for path in job.inputs["audits"]}
        first_runs = {view.runs[0].readout: view.runs[0] for view in job.settings.views if view.runs}
        self.readout_ids = {name: self._read_ids(run) for name, run in first_runs.items()}
        # a target that is asked of no text has no view
        self.views = [view for view in job.settings.views if self._list_ids(view)]
        self.ids = {name: self._order_texts(name) for name in dict.fromkeys(view.dataset for view in self.views)}

    def _locate(self, run: ExploredRun) -> Path:
        """Return the file of a readout."""
        return next(path for path in self.job.inputs["readouts"] if path.parent.match(run.readout))

    def _read_ids(self, run: ExploredRun) -> list[str]:
        """Read the ids of the texts of a readout. Raises AuditError where it is damaged."""
        path = self._locate(run)
        ids: list[str] = read_table(path, find_kind(path), ["id"])["id"].to_pylist()
        return ids

    def _list_ids(self, view: ExploredView) -> list[str]:
        """List the ids of the texts of a view, which are some alone where a target is asked of them, or of tokens."""
        if view.tokens:
            return [*dict.fromkeys(self._read_audit(GENERATED_TOKENS, view)["id"].to_pylist())]
        return self.readout_ids[view.runs[0].readout]

    def _read(self, run: ExploredRun) -> Readout:
        """Read a readout. Raises AuditError where it is damaged."""
        return read_readout(self._locate(run))

    def _order_texts(self, dataset: str) -> list[str]:
        """List the ids of the test texts of a data set: first the one that the first view shows first, then in the
        order of `document.order_texts`: by label, and by whether the first view's model predicts it; then those of
        further views alone.
        """
        views = [view for view in self.views if view.dataset == dataset]
        view, later_ids = views[0], chain.from_iterable(map(self._list_ids, views[1:]))
        if view.tokens:
            ids = self._list_ids(view)
            first_ids = (ids[at] for at in order_texts(ids, [0] * len(ids)))
            return [*dict.fromkeys(chain(first_ids, later_ids))]
        readout = self._read(view.runs[0])
        opening, _ = self._open(view, readout)
        strata = [*zip(readout.labels.tolist(), readout.right, strict=True)]
        first_ids = (readout.ids[member] for member in (opening, *order_texts(readout.ids, strata)))
        return [*dict.fromkeys(chain(first_ids, later_ids))]

    def _open(self, view: ExploredView, readout: Readout) -> tuple[int, str]:
        """Choose the text that is shown first of a view, by its place, and say why."""
        rows = self._read_known(view)
        seen = pd.DataFrame([rows.get(id_, {}) for id_ in readout.ids], columns=["others", "agree", "moved"]).assign(
            right=readout.right,
            sure=readout.probabilities.max(1),
            words=pc.list_value_length(self._read_texts(view.dataset, readout.ids)["tokens"]),
        )
        return choose_first_text(seen, view.items.removesuffix("s"))

    def _read_texts(self, dataset: str, ids: Sequence[str]) -> pa.Table:
        """Read the words of some texts, and who marked them. Raises AuditError where the corpus is damaged."""
        columns = ["id", "tokens", "sentences", "query", "marks"]
        path = self.job.inputs["corpus"][self.settings.datasets.index(dataset)]
        wanted = pc.field("id").isin(list(ids))
        texts = read_rows(path, CORPUS, columns, wanted)
        row_of_text = {id_: row for row, id_ in enumerate(texts["id"].to_pylist())}
        if missing := [id_ for id_ in ids if id_ not in row_of_text]:
            raise AuditError(f"{path}", f"text {missing[0]!r} is missing", rebuild_hint(path))
        return texts.take([row_of_text[id_] for id_ in ids])

    def _read_audit(self, kind: Artefact, view: ExploredView) -> pa.Table:
        """Read an audit of a view's model; there are no rows where it was not asked."""
        path = self.audits.get((view.dataset, view.name, f"{kind.name}.parquet"))
        return read_table(path, kind) if path else kind.schema.empty_table()

    def _read_words(self, kind: Artefact, view: ExploredView) -> pd.DataFrame:
        """Read the rows of an audit that speak of the first seed of a view's model, by id."""
        rows: pd.DataFrame = self._read_audit(kind, view).to_pandas()
        of_first_seed = (rows["model"] == view.model) & (rows["seed"] == view.runs[0].seed)
        return rows.loc[of_first_seed].set_index("id")

    def _list_missing(self, view: ExploredView) -> dict[str, str]:
        """List the maps that a view has not, each with the reason in a sentence."""
        missing = {} if view.adversaries else {"adversary": "No model of this suite was trained to attend elsewhere."}
        for audit, label in FILE_LABELS.items():
            path = self.audits.get((view.dataset, view.name, f"{audit}.parquet"))
            if reason := read_reason(path) if path else view.unasked.get(audit):
                missing[label] = f"The audit {reason}."
        return missing

    @staticmethod
    def _read_rows(table: pa.Table, view: ExploredView) -> list[dict[str, Any]]:
        """Read the rows of the table of texts, or of answers, that are of a view."""
        of_model = (pc.field("suite") == view.suite) & (pc.field("model") == view.model)
        return table.filter((pc.field("dataset") == view.dataset) & of_model).to_pylist()

    def _read_known(self, view: ExploredView) -> dict[str, dict[str, Any]]:
        """Read the rows of the table of texts that are of a view, by id."""
        return {row["id"]: row for row in self._read_rows(self.rows, view)}

    def _choose_adversaries(self, view: ExploredView, ids: Sequence[str]) -> Iterator[tuple[str, str, str, Readout]]:
        """Choose the adversary of each family that is shown, and say what there is to know of its map."""
        rows = self._read_audit(CONSISTENCY, view).to_pylist()
        for family, members in groupby(view.adversaries, attrgetter("family")):
            adversary, sentence = choose_adversary([*members], rows, self.settings.budget)
            label = self.suites[view.suite].models.get(family, family)
            label += "" if adversary.lambda_ is None else f", lambda {adversary.lambda_:g}"
            meaning = f"A model that was trained to attend elsewhere and to predict the same. {sentence}"
            yield family, label, meaning, self._read(adversary).align(ids)

    def _describe(self, view: ExploredView, count: int, shown: int) -> dict[str, Any]:
        """Describe a view that shows so many of its texts."""
        suite = self.suites[view.suite]
        return {
            **view.model_dump(include={"dataset", "suite", "model", "items"}),
            "dataset_name": display_name(view.dataset),
            "suite_name": suite.title,
            "model_name": suite.models.get(view.model, view.model),
            "sampled": self._describe_sample(count, shown),
        }

    def _make_view(self, view: ExploredView, count: int) -> tuple[AboutView, str]:
        """Make a view of so many texts, packed: the first of the sample, in the order of the corpus, but for the one
        that is shown first.
        """
        all_ids = self._list_ids(view)
        ids = sorted({*self.ids[view.dataset][:count]} & {*all_ids}) or all_ids[:1]
        if view.tokens:
            rows = self._read_audit(GENERATED_TOKENS, view).to_pandas()
            about = self._describe(view, len(all_ids), len(ids)) | {"opening": ""}
            described, tokens = make_token_view(about, rows[rows["id"].isin(ids)])
            return described, pack_view(tokens)
        opening, why = self._open(view, self._read(view.runs[0]).align(ids))
        ids.insert(0, ids.pop(opening))
        text_rows, answers = self._read_known(view), self._read_rows(self.answers, view)
        attributions = self._read_words(WORD_ATTRIBUTIONS, view).groupby("attribution", sort=False)
        instance = self._read_words(INSTANCE_ADVERSARY, view)
        builder = ViewBuilder(
            about={
                **self._describe(view, len(all_ids), len(ids)),
                "opening": why,
                "missing": self._list_missing(view),
                "columns_seed": next((text_rows[id_]["seed"] for id_ in ids if id_ in text_rows), None),
                "finding": " ".join(map(write_finding, answers)),
                "lines": [line._asdict() for row in answers for line in write_lines(row)],
            },
            classes=self.classes[view.dataset],
            texts=self._read_texts(view.dataset, ids).to_pylist(),
            runs={run.seed: self._read(run).align(ids) for run in view.runs},
            twin=None if view.uniform is None else self._read(view.uniform).align(ids),
            others=[*self._choose_adversaries(view, ids)],
            instance=instance["attention"].to_dict(),
            attributions={str(name): rows["scores"].to_dict() for name, rows in attributions},
            columns=text_rows,
        )
        return builder.describe_view(), pack_view(builder.write_view())

    def _describe_sample(self, count: int, sample_size: int) -> SampleSize:
        """Say what the page says of the texts that it shows."""
        drawn_by = "drawn by label and by whether the first model predicts it"
        why = f"The page has at most {self.limit / 1e6:g} MB, so that it shows a sample of the texts, {drawn_by}."
        if sample_size == MAX_TEXTS:
            why = f"The page shows {MAX_TEXTS:,} texts of a data set at most, {drawn_by}."
        return SampleSize(of=count, shown=sample_size, why="" if sample_size == count else why)

    def _write(self, counts: Mapping[str, int]) -> tuple[str, dict[str, int]]:
        """Write the page with so many texts of each data set, and count the bytes of these in it."""
        # as Python's lists, views would take fifty times as much memory as packed
        packed_views = [self._make_view(view, counts[view.dataset]) for view in self.views]
        sizes = dict.fromkeys(self.ids, 0)
        for about, packed_view in packed_views:
            sizes[about["dataset"]] += len(packed_view)
        now, at = datetime.now(UTC).isoformat(timespec="seconds"), find_commit(Path.cwd()) or ""
        short = About(made=now, commit=at, report=self.settings.report, views=[about for about, _ in packed_views])
        return write_page(short, {about["key"]: view for about, view in packed_views}), sizes

    def fit(self) -> str:
        """Write the page with as many texts as it may have."""
        limits = {name: min(MAX_TEXTS, len(ids)) for name, ids in self.ids.items()}
        counts = {name: min(PILOT, count) for name, count in limits.items()}
        text, sizes = self._write(counts)
        room = float(self.limit - len(text.encode()) + sum(sizes.values()))
        fits = counts == limits
        while not fits:
            counts = share_room(limits, {name: sizes[name] / counts[name] for name in counts}, room)
            text, sizes = self._write(counts)
            fits = len(text.encode()) <= self.limit or max(counts.values()) == 1
            limits, room = counts, room * SIZE_FACTOR
        for name, count in counts.items():
            self.job.report(f"{name}: {count} of {len(self.ids[name])} texts, {sizes[name] / 1e6:.1f} MB")
        return text


def choose_adversary(
    members: Sequence[ExploredRun], consistency_rows: Sequence[Mapping[str, Any]], budget: float
) -> tuple[ExploredRun, str]:
    """Return the adversary of one family that is shown, and what is to be said of its choice.

    It is the furthest one within the tolerance, by rows of columns.CONSISTENCY; where none is, the nearest.
    """
    if len(members) == 1:
        return members[0], ""
    rows = {(row["lambda"], row["seed"]): row for row in consistency_rows if row["model"] == members[0].family}
    compared = [(rows[key], member) for member in members if (key := (member.lambda_, member.seed)) in rows]
    if not compared:
        return members[0], "It is the first of several, since `consistency`, which would choose one, is not asked."
    if within := [each for each in compared if each[0]["tvd"] <= budget]:
        _, best = max(within, key=lambda each: each[0]["jsd"])
        return best, f"Of {len(compared)}, the furthest one whose predictions are within a TVD of {budget:g}."
    nearest, best = min(compared, key=lambda each: each[0]["tvd"])
    return (
        best,
        f"None of {len(compared)} is within a TVD of {budget:g}; this one is nearest, with {nearest['tvd']:.3f}.",
    )


def run(job: Job[ExplorerJob], limit: int = MAX_PAGE_BYTES) -> None:
    """Write the page."""
    torch.set_num_threads(job.settings.threads)
    text = PageBuilder(job, limit).fit()
    with write_whole(job.output("page")) as path:
        path.write_text(text, encoding="utf-8")
    job.report(f"{len(job.settings.views)} views in {job.output('page')}, {len(text.encode()) / 1e6:.1f} MB")
