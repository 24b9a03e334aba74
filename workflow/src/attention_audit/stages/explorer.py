"""readouts, audits of them, corpora, the tables of texts and answers -> results/explorer.html.

Which texts are shown is decided in two passes: the first makes the views of a few texts, to see how many bytes one
takes; the second those that fit into the page.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch

from attention_audit.answer.lines import write_lines
from attention_audit.answer.opening import Seen, opening
from attention_audit.artefacts.files import rebuild_hint, whole
from attention_audit.artefacts.parquet import read_batches, read_frame, read_table
from attention_audit.columns.audits import CONSISTENCY, INSTANCE_ADVERSARY, WORD_ATTRIBUTIONS
from attention_audit.columns.files import CENSUS, CORPUS
from attention_audit.columns.kinds import Artefact
from attention_audit.columns.tables import SUMMARY, TEXTS
from attention_audit.errors import AuditError
from attention_audit.explorer.assembling import page
from attention_audit.explorer.document import About, AboutView, Sampled, packed, unpacked
from attention_audit.explorer.fitting import LIMIT, MOST, drawn, fitting
from attention_audit.explorer.views import Explored, Viewing, about_map, cut, opened
from attention_audit.jobs.pages import ExploredAdversary, ExploredView, ExplorerJob
from attention_audit.names import display_name
from attention_audit.readout import Readout, read_readout
from attention_audit.report.facts import commit
from attention_audit.stages.job import Job
from attention_audit.tables.wording import class_names

Settings = ExplorerJob

CALLED = {
    "instance_adversary": "adversary of each text",
    "word_attributions": "gradient, leave-one-out or integrated gradients",
}
"""What the page calls maps that audits make."""
PILOT = 40
"""Texts of a data set that say how many bytes one takes."""
SHORTER = 0.98
"""Factor on the bytes that texts may take where they still take too many."""


Made = list[tuple[AboutView, str]]
"""The views, packed: as Python's lists they would take fifty times as much memory."""


class PageBuilder:
    """The making of the page; files of the job are read as they are asked for."""

    def __init__(self, job: Job[ExplorerJob], limit: int) -> None:
        self.job = job
        self.settings = job.settings
        self.limit = limit
        self.suites = {suite.key: suite for suite in job.settings.suites}
        self.classes = class_names(
            {name: read_frame(path, CENSUS) for name, path in self._by_dataset("census").items()}
        )
        self.rows = read_table(job.input("texts"), TEXTS)
        self.answers = read_table(job.input("summary"), SUMMARY)
        self.ids = {name: self.ordered(name) for name in job.settings.datasets}
        self.made = datetime.now(UTC).isoformat(timespec="seconds")
        self.commit = commit(Path.cwd()) or ""

    def _by_dataset(self, name: str) -> dict[str, Path]:
        return dict(zip(self.settings.datasets, self.job.inputs[name], strict=True))

    def readout(self, place: int, ids: Sequence[str] | None = None) -> Readout:
        """A readout, or that of some of its texts. Raises AuditError where it is damaged, or lacks a text."""
        found = read_readout(self.job.inputs["readouts"][place])
        return found if ids is None else found.aligned(ids)

    def ordered(self, dataset: str) -> list[str]:
        """The ids of the test texts of a data set: first the one that the first view shows first, then in the order of
        `fitting.drawn`: by label, and by whether the first view's model predicts it.
        """
        first = next(view for view in self.settings.views if view.dataset == dataset)
        found = self.readout(first.runs[0].readout)
        right = (found.labels == found.predictions).tolist()
        shown, _ = opening(self.seen(first, found, right))
        ids = [found.ids[place] for place in drawn(found.ids, [*zip(found.labels.tolist(), right, strict=True)])]
        return [found.ids[shown], *(id_ for id_ in ids if id_ != found.ids[shown])]

    def seen(self, view: ExploredView, found: Readout, right: Sequence[bool]) -> list[Seen]:
        """What the rule of the opening text knows of every test text of a view."""
        words: dict[str, int] = {}
        for table in read_batches(self._by_dataset("corpus")[view.dataset], CORPUS, ["id", "tokens"]):
            lengths = pc.list_value_length(table["tokens"])
            words.update(zip(table["id"].to_pylist(), lengths.to_pylist(), strict=True))
        columns = Seen._fields[3:]
        rows = self.rows.filter(self._own(view)).select(["id", *columns]).to_pylist()
        known = {row["id"]: [row[column] for column in columns] for row in rows}
        sure = found.probabilities.max(1).tolist()
        return [
            Seen.of(is_right, how_sure, words.get(id_, 0), *known.get(id_, (0, 0, None)))
            for id_, is_right, how_sure in zip(found.ids, right, sure, strict=True)
        ]

    def texts(self, dataset: str, ids: Sequence[str]) -> list[dict[str, Any]]:
        """The words of some texts, and who marked them. Raises AuditError where the corpus is damaged."""
        columns = ["id", "tokens", "sentences", "query", "marks"]
        path, wanted = self._by_dataset("corpus")[dataset], pc.field("id").isin(list(ids))
        batches = read_batches(path, CORPUS, columns)
        found = {row["id"]: row for table in batches for row in table.filter(wanted).to_pylist()}
        if missing := [id_ for id_ in ids if id_ not in found]:
            raise AuditError(f"{path}: text {missing[0]!r} is missing; {rebuild_hint(path)}")
        return [found[id_] for id_ in ids]

    def _of_words(self, name: str, kind: Artefact, view: ExploredView) -> pa.Table | None:
        """The rows of an audit that speak of the first seed of a view's model; None where it was not asked."""
        place = getattr(view, name)
        if place is None:
            return None
        table = read_table(self.job.inputs[name][place], kind)
        return table.filter((pc.field("model") == view.model) & (pc.field("seed") == view.runs[0].seed))

    def instance(self, view: ExploredView) -> dict[str, npt.NDArray[np.float32]]:
        """The weights of J&W's adversary, by text."""
        table = self._of_words("instance", INSTANCE_ADVERSARY, view)
        return {} if table is None else values_of(table, "attention")

    def attributions(self, view: ExploredView) -> dict[str, dict[str, npt.NDArray[np.float32]]]:
        """The attributions of the words, by name and text."""
        table = self._of_words("attributions", WORD_ATTRIBUTIONS, view)
        if table is None:
            return {}
        names = table["attribution"].unique().to_pylist()
        return {name: values_of(table.filter(pc.field("attribution") == name), "scores") for name in names}

    def columns(self, view: ExploredView, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The rows of the table of texts, by text."""
        own = self._own(view) & pc.field("id").isin(list(ids))
        return {row["id"]: row for row in self.rows.filter(own).to_pylist()}

    @staticmethod
    def _own(view: ExploredView) -> pc.Expression:
        """Which rows of the tables of texts and of answers are of a view."""
        parts = [pc.field(name) == getattr(view, name) for name in ("dataset", "suite", "model")]
        return parts[0] & parts[1] & parts[2]

    def adversaries(self, view: ExploredView) -> Iterator[tuple[ExploredAdversary, str]]:
        """The adversary of each family that is shown, and what is to be said of its choice."""
        known: list[dict[str, Any]] = []
        if view.consistency is not None:
            known = read_table(self.job.inputs["consistency"][view.consistency], CONSISTENCY).to_pylist()
        for family in dict.fromkeys(adversary.family for adversary in view.adversaries):
            members = [adversary for adversary in view.adversaries if adversary.family == family]
            yield chosen(members, known, self.settings.budget)

    def explored(self, view: ExploredView, ids: Sequence[str]) -> Explored:
        """All that a view is made of, of some texts."""
        suite = self.suites[view.suite]
        others = []
        for adversary, said in self.adversaries(view):
            label = suite.models.get(adversary.family, adversary.family)
            with_lambda = "" if adversary.lambda_ is None else f", lambda {adversary.lambda_:g}"
            meaning = f"A model that was trained to attend elsewhere and to predict the same. {said}"
            about = about_map(adversary.family, f"{label}{with_lambda}", meaning, own=True)
            others.append((about, self.readout(adversary.readout, ids)))
        columns = self.columns(view, ids)
        return Explored(
            dataset=view.dataset,
            suite=view.suite,
            model=view.model,
            items=view.items,
            names=(display_name(view.dataset), suite.title, suite.models.get(view.model, view.model)),
            classes=self.classes[view.dataset],
            texts=self.texts(view.dataset, ids),
            runs={run.seed: self.readout(run.readout, ids) for run in view.runs},
            twin=None if view.uniform is None else self.readout(view.uniform.readout, ids),
            others=others,
            instance=self.instance(view),
            attributions=self.attributions(view),
            columns=columns,
            columns_seed=next((int(row["seed"]) for row in columns.values()), None),
            missing=missing(view),
            lines=[line for row in self.answers.filter(self._own(view)).to_pylist() for line in write_lines(row)],
        )

    def views_of(self, counts: Mapping[str, int]) -> Made:
        """The views with so many texts of each data set: the first of the sample, in the order of the corpus, but
        for the one that is shown first.
        """
        made = []
        for view in self.settings.views:
            ids = sorted(self.ids[view.dataset][: counts[view.dataset]])
            viewing = Viewing(self.explored(view, ids))
            about, shown = opened(viewing.about(self.sampled(view.dataset, len(ids))), viewing.view())
            made.append((about, packed(shown)))
        return made

    def sampled(self, dataset: str, shown: int) -> Sampled:
        """What the page says of the texts that it shows."""
        count = len(self.ids[dataset])
        drawn_by = "drawn by label and by whether the first model predicts it"
        if shown == count:
            why = ""
        elif shown == MOST:
            why = f"The page shows {MOST:,} texts of a data set at most, {drawn_by}."
        else:
            why = f"The page has at most {self.limit / 1e6:g} MB, so that it shows a sample of the texts, {drawn_by}."
        return Sampled(of=count, shown=shown, why=why)

    def text(self, made: Made) -> tuple[str, dict[str, int]]:
        """The page, and the bytes of the texts of each data set in it."""
        sizes = dict.fromkeys(self.ids, 0)
        for about, view in made:
            sizes[about["dataset"]] += len(view)
        abouts = [about for about, _ in made]
        short = About(made=self.made, commit=self.commit, report=self.settings.report, views=abouts)
        return page(short, {about["key"]: view for about, view in made}), sizes

    def fitted(self) -> str:
        """The page with as many texts as it may have."""
        every = {name: min(MOST, len(ids)) for name, ids in self.ids.items()}
        counts = {name: min(PILOT, count) for name, count in every.items()}
        text, sizes = self.text(self.views_of(counts))
        if counts != every:
            room = float(self.limit - len(text.encode()) + sum(sizes.values()))
            counts = fitting(every, {name: sizes[name] / counts[name] for name in counts}, room)
            made = self.views_of(counts)
            text, sizes = self.text(made)
            while len(text.encode()) > self.limit and any(count > 1 for count in counts.values()):
                room *= SHORTER
                counts = fitting(counts, {name: sizes[name] / counts[name] for name in counts}, room)
                made = [self.shortened(*each, counts) for each in made]
                text, sizes = self.text(made)
        for name, count in counts.items():
            self.job.report(f"{name}: {count} of {len(self.ids[name])} texts, {sizes[name] / 1e6:.1f} MB")
        return text

    def shortened(self, about: AboutView, text: str, counts: Mapping[str, int]) -> tuple[AboutView, str]:
        """A view with fewer texts."""
        dataset, view = about["dataset"], unpacked(text)
        kept = set(self.ids[dataset][: counts[dataset]])
        places = [place for place, id_ in enumerate(view["id"]) if id_ in kept]
        fewer = AboutView(**about | {"sampled": self.sampled(dataset, len(places))})
        about, view = opened(fewer, cut(view, places))
        return about, packed(view)


def missing(view: ExploredView) -> dict[str, str]:
    """The maps that a view has not, each with the reason in a sentence."""
    found = {} if view.adversaries else {"adversary": "No model of this suite was trained to attend elsewhere."}
    return found | {
        called: f"The audit {view.unasked[audit]}." for audit, called in CALLED.items() if audit in view.unasked
    }


def values_of(table: pa.Table, column: str) -> dict[str, npt.NDArray[np.float32]]:
    """A column of lists by the text of each row."""
    flat = table[column].combine_chunks()
    rows = np.split(flat.flatten().to_numpy(), np.cumsum(flat.value_lengths().to_numpy())[:-1])
    return dict(zip(table["id"].to_pylist(), rows, strict=False))


def chosen(
    members: Sequence[ExploredAdversary], known: Sequence[Mapping[str, Any]], budget: float
) -> tuple[ExploredAdversary, str]:
    """The adversary of one family that is shown, and what is to be said of its choice.

    It is the furthest one within the tolerance, by rows of columns.CONSISTENCY; where none is, the nearest.
    """
    if len(members) == 1:
        return members[0], ""
    rows = {(row["lambda"], row["seed"]): row for row in known if row["model"] == members[0].family}
    found = [(member, rows[key]) for member in members if (key := (member.lambda_, member.seed)) in rows]
    if not found:
        return members[0], "It is the first of several, since `consistency`, which would choose one, is not asked."
    if held := [each for each in found if each[1]["tvd"] <= budget]:
        best, _ = max(held, key=lambda each: each[1]["jsd"])
        return best, f"Of {len(found)}, the furthest one whose predictions are within a TVD of {budget:g}."
    best, nearest = min(found, key=lambda each: each[1]["tvd"])
    return best, f"None of {len(found)} is within a TVD of {budget:g}; this one is nearest, with {nearest['tvd']:.3f}."


def run(job: Job[ExplorerJob], limit: int = LIMIT) -> None:
    """Write the page."""
    torch.set_num_threads(job.settings.threads)
    text = PageBuilder(job, limit).fitted()
    with whole(job.output("page")) as path:
        path.write_text(text, encoding="utf-8")
    job.report(f"{len(job.settings.views)} views in {job.output('page')}, {len(text.encode()) / 1e6:.1f} MB")
