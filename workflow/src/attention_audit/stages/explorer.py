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
from attention_audit.explorer.document import About, AboutMap, AboutView, Sampled, packed, unpacked
from attention_audit.explorer.fitting import LIMIT, MOST, drawn, fitting
from attention_audit.explorer.views import Explored, Viewing, about_map, cut, opened
from attention_audit.jobs.pages import ExploredAdversary, ExploredRun, ExploredView, ExplorerJob, ShownSuite
from attention_audit.names import display_name
from attention_audit.readout import Readout, read_readout
from attention_audit.report.facts import commit
from attention_audit.stages.job import Job
from attention_audit.tables.wording import class_names

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
        censuses = zip(job.settings.datasets, job.inputs["census"], strict=True)
        self.classes = class_names({name: read_frame(path, CENSUS) for name, path in censuses})
        self.rows = read_table(job.input("texts"), TEXTS)
        self.answers = read_table(job.input("summary"), SUMMARY)
        self.ids = {name: self.order_texts(name) for name in job.settings.datasets}

    def read_rows(self, table: pa.Table, view: ExploredView) -> list[dict[str, Any]]:
        """Read the rows of the table of texts, or of answers, that are of a view."""
        of_model = (pc.field("suite") == view.suite) & (pc.field("model") == view.model)
        rows: list[dict[str, Any]] = table.filter((pc.field("dataset") == view.dataset) & of_model).to_pylist()
        return rows

    def read(self, run: ExploredRun, ids: Sequence[str]) -> Readout:
        """Read what a readout says of some texts. Raises AuditError where it is damaged, or lacks one."""
        return read_readout(self.job.inputs["readouts"][run.readout]).aligned(ids)

    def corpus(self, dataset: str) -> Path:
        """The corpus of a data set."""
        return self.job.inputs["corpus"][self.settings.datasets.index(dataset)]

    def order_texts(self, dataset: str) -> list[str]:
        """Order the ids of the test texts of a data set: first the one that the first view shows first, then in the
        order of `fitting.drawn`: by label, and by whether the first view's model predicts it.
        """
        view = next(view for view in self.settings.views if view.dataset == dataset)
        found = read_readout(self.job.inputs["readouts"][view.runs[0].readout])
        right, sure = (found.labels == found.predictions).tolist(), found.probabilities.max(1).tolist()
        words: dict[str, int] = {}
        for table in read_batches(self.corpus(dataset), CORPUS, ["id", "tokens"]):
            lengths = pc.list_value_length(table["tokens"])
            words.update(zip(table["id"].to_pylist(), lengths.to_pylist(), strict=True))
        known = {row["id"]: [row[name] for name in Seen._fields[3:]] for row in self.read_rows(self.rows, view)}
        seen = [
            Seen.of(is_right, how_sure, words.get(id_, 0), *known.get(id_, (0, 0, None)))
            for id_, is_right, how_sure in zip(found.ids, right, sure, strict=True)
        ]
        first = found.ids[opening(seen)[0]]
        places = drawn(found.ids, [*zip(found.labels.tolist(), right, strict=True)])
        return [first, *(found.ids[place] for place in places if found.ids[place] != first)]

    def read_texts(self, dataset: str, ids: Sequence[str]) -> list[dict[str, Any]]:
        """Read the words of some texts, and who marked them. Raises AuditError where the corpus is damaged."""
        path, wanted = self.corpus(dataset), pc.field("id").isin(list(ids))
        batches = read_batches(path, CORPUS, ["id", "tokens", "sentences", "query", "marks"])
        found = {row["id"]: row for table in batches for row in table.filter(wanted).to_pylist()}
        if missing := [id_ for id_ in ids if id_ not in found]:
            raise AuditError(f"{path}: text {missing[0]!r} is missing; {rebuild_hint(path)}")
        return [found[id_] for id_ in ids]

    def read_words(self, name: str, kind: Artefact, view: ExploredView) -> pa.Table:
        """Read the rows of an audit that speak of the first seed of a view's model; none where it was not asked."""
        place = getattr(view, name)
        table = kind.schema.empty_table() if place is None else read_table(self.job.inputs[name][place], kind)
        return table.filter((pc.field("model") == view.model) & (pc.field("seed") == view.runs[0].seed))

    def choose_adversaries(self, view: ExploredView, ids: Sequence[str]) -> Iterator[tuple[AboutMap, Readout]]:
        """Yield the adversary of each family that is shown, and what is to be said of its choice."""
        known: list[dict[str, Any]] = []
        if view.consistency is not None:
            known = read_table(self.job.inputs["consistency"][view.consistency], CONSISTENCY).to_pylist()
        for family in dict.fromkeys(adversary.family for adversary in view.adversaries):
            members = [adversary for adversary in view.adversaries if adversary.family == family]
            adversary, said = chosen(members, known, self.settings.budget)
            label = self.suite(view).models.get(family, family)
            with_lambda = "" if adversary.lambda_ is None else f", lambda {adversary.lambda_:g}"
            meaning = f"A model that was trained to attend elsewhere and to predict the same. {said}"
            yield about_map(family, f"{label}{with_lambda}", meaning, own=True), self.read(adversary, ids)

    def suite(self, view: ExploredView) -> ShownSuite:
        """The suite of a view."""
        return next(suite for suite in self.settings.suites if suite.key == view.suite)

    def explore(self, view: ExploredView, ids: Sequence[str]) -> Explored:
        """Read all that a view is made of, of some texts."""
        suite, wanted = self.suite(view), frozenset(ids)
        columns = {row["id"]: row for row in self.read_rows(self.rows, view) if row["id"] in wanted}
        scores = self.read_words("attributions", WORD_ATTRIBUTIONS, view)
        return Explored(
            dataset=view.dataset,
            suite=view.suite,
            model=view.model,
            items=view.items,
            names=(display_name(view.dataset), suite.title, suite.models.get(view.model, view.model)),
            classes=self.classes[view.dataset],
            texts=self.read_texts(view.dataset, ids),
            runs={run.seed: self.read(run, ids) for run in view.runs},
            twin=None if view.uniform is None else self.read(view.uniform, ids),
            others=[*self.choose_adversaries(view, ids)],
            instance=values_of(self.read_words("instance", INSTANCE_ADVERSARY, view), "attention"),
            attributions={
                name: values_of(scores.filter(pc.field("attribution") == name), "scores")
                for name in scores["attribution"].unique().to_pylist()
            },
            columns=columns,
            columns_seed=next((int(row["seed"]) for row in columns.values()), None),
            missing=missing(view),
            lines=[line for row in self.read_rows(self.answers, view) for line in write_lines(row)],
        )

    def make_views(self, counts: Mapping[str, int]) -> Made:
        """Make the views with so many texts of each data set: the first of the sample, in the order of the corpus, but
        for the one that is shown first.
        """
        made = []
        for view in self.settings.views:
            ids = sorted(self.ids[view.dataset][: counts[view.dataset]])
            viewing = Viewing(self.explore(view, ids))
            about, shown = opened(viewing.about(self.describe_sample(view.dataset, len(ids))), viewing.view())
            made.append((about, packed(shown)))
        return made

    def describe_sample(self, dataset: str, shown: int) -> Sampled:
        """Say which texts the page shows."""
        count = len(self.ids[dataset])
        drawn_by = "drawn by label and by whether the first model predicts it"
        why = f"The page has at most {self.limit / 1e6:g} MB, so that it shows a sample of the texts, {drawn_by}."
        if shown == MOST:
            why = f"The page shows {MOST:,} texts of a data set at most, {drawn_by}."
        return Sampled(of=count, shown=shown, why="" if shown == count else why)

    def write_page(self, made: Made) -> tuple[str, dict[str, int]]:
        """Write the page; return it, and the bytes of the texts of each data set in it."""
        sizes = dict.fromkeys(self.ids, 0)
        for about, view in made:
            sizes[about["dataset"]] += len(view)
        now, at = datetime.now(UTC).isoformat(timespec="seconds"), commit(Path.cwd()) or ""
        short = About(made=now, commit=at, report=self.settings.report, views=[about for about, _ in made])
        return page(short, {about["key"]: view for about, view in made}), sizes

    def fit_page(self) -> str:
        """Write the page with as many texts as it may have."""
        every = {name: min(MOST, len(ids)) for name, ids in self.ids.items()}
        counts = {name: min(PILOT, count) for name, count in every.items()}
        text, sizes = self.write_page(self.make_views(counts))
        if counts != every:
            room = float(self.limit - len(text.encode()) + sum(sizes.values()))
            counts = fitting(every, {name: sizes[name] / counts[name] for name in counts}, room)
            made = self.make_views(counts)
            text, sizes = self.write_page(made)
            while len(text.encode()) > self.limit and any(count > 1 for count in counts.values()):
                room *= SHORTER
                counts = fitting(counts, {name: sizes[name] / counts[name] for name in counts}, room)
                made = [self.shorten(*each, counts) for each in made]
                text, sizes = self.write_page(made)
        for name, count in counts.items():
            self.job.report(f"{name}: {count} of {len(self.ids[name])} texts, {sizes[name] / 1e6:.1f} MB")
        return text

    def shorten(self, about: AboutView, text: str, counts: Mapping[str, int]) -> tuple[AboutView, str]:
        """Return a view with fewer texts."""
        dataset, view = about["dataset"], unpacked(text)
        kept = set(self.ids[dataset][: counts[dataset]])
        places = [place for place, id_ in enumerate(view["id"]) if id_ in kept]
        fewer = AboutView(**about | {"sampled": self.describe_sample(dataset, len(places))})
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
    text = PageBuilder(job, limit).fit_page()
    with whole(job.output("page")) as path:
        path.write_text(text, encoding="utf-8")
    job.report(f"{len(job.settings.views)} views in {job.output('page')}, {len(text.encode()) / 1e6:.1f} MB")
