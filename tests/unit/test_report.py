"""The page of a run, from frames, pictures and captions made by hand."""

import json
import math
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure
from pages import Page, check_page
from summaries import answer, row

from attention_audit.answer.words import multiplicity
from attention_audit.artefacts.journal import Entry, Machine
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.kinds import flag, text
from attention_audit.columns.summary import MEASURED, QUESTIONS, SUMMARY
from attention_audit.columns.table import TABLE
from attention_audit.columns.texts import MAY, OPEN, TEXTS, UNKNOWN, WHY_NOT
from attention_audit.errors import AuditError
from attention_audit.figures.style import save
from attention_audit.jobs.pages import GuideJob, ReportJob, ShownExhibit, ShownSuite
from attention_audit.names import RANKINGS
from attention_audit.report.answers import answers_of, axes_of, seen_in
from attention_audit.report.facts import commit, machines, span, stage_times, versions
from attention_audit.report.first import VERDICTS, FirstText, Item, first_text
from attention_audit.report.grids import LONG, Grid, grid_of
from attention_audit.report.guide import ARTEFACTS, guide
from attention_audit.report.interval_plot import SCALES, plotted
from attention_audit.report.page import FinishedRun, duration, numbered, page, picture, read_caption, seeds_of, size
from attention_audit.tables.asked import ALONE, THESE

BEGIN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
MACHINE = Machine("CPU 1", 4, 8 * 2**30, None, "Linux")
CAPTION = "**Is it so?** Some *words* on ``wp_fig3_x`` and ``wp_none``.\n\nSource: here."


def entry(stage: str, inputs: str, outputs: str, seconds: float = 1.0, machine: Machine = MACHINE) -> Entry:
    """A job; files are parted by spaces."""
    return Entry(stage, tuple(inputs.split()), tuple(outputs.split()), BEGIN, seconds, seconds, 2**20, 1.0, machine)


JOBS = [
    entry("corpus", "", "results/corpora/a/corpus.parquet"),
    entry("corpus", "", "results/corpora/b/corpus.parquet", 3.0),
    entry(
        "train",
        "results/corpora/a/corpus.parquet",
        "results/models/a/wp/base/seed1.safetensors results/readouts/a/wp/base/seed1/test.parquet",
        60.0,
    ),
    entry(
        "train",
        "results/corpora/a/corpus.parquet results/readouts/a/wp/base/seed1/test.parquet",
        "results/models/a/wp/adversary_lambda0.1/seed1.safetensors",
    ),
    entry("comparison", "results/readouts/a/wp/base/seed1/test.parquet", "results/audits/a/wp/comparison.parquet"),
    entry("wp_fig3_x", "results/audits/a/wp/comparison.parquet", "results/figures/wp_fig3_x.pdf"),
    entry("wp_table2_y", "results/audits/a/wp/comparison.parquet", "results/tables/wp_table2_y.parquet"),
]

WP = ShownSuite(
    key="wp", paper="WP2019", title="W&P 2019", about="Is it so?", datasets=["sst"],
    citation=["Attention & so on", "https://doi.org/10.1/x"],
    models={"base": "base", "uniform": "uniform", "adversary": "the adversary"},
    seeds={"base": [1, 2], "uniform": [1, 2], "adversary": [3]},
)  # fmt: skip
OTHER = ShownSuite(
    key="other", paper="other", title="Other", about="What else?", citation=[], datasets=[], models={"m": "M"},
    seeds={"m": [9]},
)  # fmt: skip
FIGURE = ShownExhibit(name="wp_fig3_x", folder="figures", suite="wp", number="Figure 3", shows="x", answers=[])
TABLE_Y = ShownExhibit(
    name="wp_table2_y", folder="tables", suite="wp", number="", shows="y", answers=[],
    columns="columns.table:TABLE", shown="tables.shown:wide",
)  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, provenance: Provenance) -> Callable[..., FinishedRun]:
    """A run of one figure and one table; keywords replace parts of it."""

    def make(**changes: Any) -> FinishedRun:
        figure = Figure((1, 1))
        save(figure, tmp_path / "wp_fig3_x.pdf", tmp_path / "wp_fig3_x.png", provenance.text())
        row = {
            "dataset": "sst", "row": "base", "lambda": float("nan"), "metric": "f1", "mean": 0.5, "sd": 0.1,
            "low": float("nan"), "high": float("nan"), "seeds": 2, "published": 0.4, "selection": "dev",
            "note": "<script>alert(1)</script> & more", "class_name": "",
        }  # fmt: skip
        names = ("wp_table2_y", "extra")
        settings: dict[str, Any] = {"suites": [WP, OTHER], "exhibits": [FIGURE, TABLE_Y], "gaps": {}}
        for name in ("suites", "exhibits", "gaps", "explorer"):
            if name in changes:
                settings[name] = changes.pop(name)
        parts: dict[str, Any] = {
            "job": ReportJob(**settings),
            "tables": {name: (pd.DataFrame([row])[TABLE.schema.names], provenance.record()) for name in names},
            "figures": {"wp_fig3_x": tmp_path / "wp_fig3_x.png"},
            "captions": dict.fromkeys(["wp_fig3_x", *names], CAPTION),
            "config": {"datasets": ["sst"], "vectors": "random", "training": {"seed": 1}},
            "raw_files": [],
            "entries": JOBS,
        }
        return FinishedRun(**parts | changes)

    return make


def test_a_caption_is_a_heading_and_what_follows() -> None:
    caption = read_caption("**Is it so?** *Slanted* < ``fig``, ``other``.\n\nSource: x.", {"fig"})
    assert caption.title == "Is it so?"
    body = '<p><em>Slanted</em> &lt; <a href="#fig"><code>fig</code></a>, <code>other</code>.</p><p>Source: x.</p>'
    assert caption.body == body
    assert read_caption("**A statement.** More.").title == "A statement"


def test_results_are_numbered_as_in_their_paper() -> None:
    assert [numbered(exhibit) for exhibit in (FIGURE, TABLE_Y)] == ["Figure 3", "Table"]
    assert numbered(FIGURE.model_copy(update={"number": ""})) == "Figure"


def test_models_with_the_same_seeds_are_named_together() -> None:
    labels = WP.models | OTHER.models
    assert seeds_of(WP, labels) == [("the adversary", [3]), ("all others", [1, 2])]
    assert seeds_of(OTHER, labels) == [("", [9])]
    assert seeds_of(OTHER.model_copy(update={"seeds": {}}), labels) == []
    two = WP.model_copy(update={"seeds": {"base": [1], "uniform": [2]}})
    assert seeds_of(two, labels) == [("base", [1]), ("uniform", [2])]
    with pytest.raises(AuditError, match="'x' is not known"):
        seeds_of(WP.model_copy(update={"seeds": {"x": [1]}}), labels)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.0 s"), (59.94, "59.9 s"), (60, "1 min 00 s"), (3599.6, "1 h 00 min"), (7325, "2 h 02 min")],
)
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1536 * 1024, "1.5 MiB"), (8 * 2**30, "8.0 GiB")],
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


def test_rows_are_gathered_by_data_set() -> None:
    frame = pd.DataFrame({"data set": ["a", "a", "b"], "row": ["x", "y", "x"], "F1": ["1", "2", "3"]})
    grid = grid_of(frame)
    assert (grid.headings, grid.words) == (["row", "F1"], [True, False])
    assert grid.groups == [("a", [["x", "1"], ["y", "2"]]), ("b", [["x", "3"]])]
    assert not grid.folded
    assert grid_of(pd.DataFrame({"data set": ["a"] * (LONG + 1), "row": ["x"] * (LONG + 1)})).folded
    assert grid_of(pd.DataFrame({"question": ["x"]})).groups == [("", [["x"]])]
    assert grid_of(frame.iloc[:0]).groups == []


def test_a_fold_leaves_out_what_its_group_leaves_empty():
    frame = pd.DataFrame({"data set": ["a", "a", "b"], "row": ["x", "y", "x"], "F1": ["", "", "3"], "n": ["", "2", ""]})
    first, second = grid_of(frame).folds
    assert first == Grid("a", "", ["row", "n"], [True, False], [("", [["x", ""], ["y", "2"]])])
    assert second == Grid("b", "", ["row", "F1"], [True, False], [("", [["x", "3"]])])


def answered() -> pd.DataFrame:
    """Rows of the summary: two of base, asked one question, and one for which another attribution does best."""
    words = [column.name for column in SUMMARY.columns if column.type == text.type]
    blank: dict[str, Any] = {name: float("nan") for name in SUMMARY.schema.names} | dict.fromkeys(words, "")
    blank |= {f"{question}_{name}": 0 for question in QUESTIONS for name in ("trainings", "texts")}
    blank |= {f"{question}_each": [] for question in QUESTIONS}
    blank |= dict.fromkeys(QUESTIONS, "not asked") | {"sentence": "It is so.", "seeds": 2, "paper": "WP2019"}
    numbers = {"value": 0.25, "low": 0.125, "high": 0.5, "margin": 0.0625, "trainings": 3, "texts": 350, "note": "n"}
    numbers |= {"each": [0.2, 0.3]}
    asked = {f"needed_{name}": value for name, value in numbers.items()} | {"needed": "yes", "suite": "wp"}
    rows = [blank | asked | {"dataset": name, "model": "base"} for name in ("sst", "b")]
    best = {"instead_by_ranks": "product", "instead_by_ranks_gain": 0.5, "instead_by_ranks_low": 0.25}
    best |= {"learnt": "yes", "f1": 0.9, "constant_f1": 0.67, "accuracy": 0.9, "majority_accuracy": 0.5}
    best |= {"instead_by_ranks_high": 0.75, "instead_by_ranks_better": "yes", "instead_by_located": "attention"}
    return pd.DataFrame([*rows, blank | best | {"dataset": "sst", "model": "lstm_tanh", "paper": "other"}])


def test_the_answers_of_a_data_set_stand_together() -> None:
    labels = {"base": "base", "lstm_tanh": "BiLSTM (additive)", "product": "P", "attention": "attention"}
    (first, both), (second, one) = answers_of(answered(), labels)
    assert (first, second) == ("SST", "b")
    assert [row.model for row in both] == ["base", "BiLSTM (additive)"]
    assert [(row.first, row.guesses) for row in (*both, *one)] == [(True, False)] * 3
    cell = one[0].cells[0]
    assert (cell.word, cell.value, cell.interval, cell.why) == ("yes", "0.250", "[0.125, 0.500]", "")
    assert cell.each == "each training: 0.200 0.300"
    assert cell.about == f"{MEASURED['needed']}; 3 trainings, 350 texts; n"
    assert cell.plot == plotted(0.25, 0.125, 0.5, 0.0625, SCALES["needed"])
    assert cell.alternative.startswith("needed: yes; effect 0.250 F1, 95 % interval 0.125 to 0.500, margin 0.0625")
    assert {(cell.word, cell.value, cell.interval, cell.plot, cell.alternative) for cell in both[1].cells} == {
        ("not asked", "", "", None, "")
    }
    assert one[0].words == [("yes", ["needed"]), ("not asked", list(QUESTIONS[1:]))]
    assert [row.quality for row in both] == ["", "accuracy 0.900, the majority class alone 0.500"]
    assert one[0].instead == []
    best = "P, nearly the yardstick itself (+0.500 [0.250, 0.750])"
    assert both[1].instead == [("ranks", best), ("located", "attention")]


def test_of_several_models_of_a_suite_the_first_stands_open() -> None:
    twice = pd.concat([answered(), answered()], ignore_index=True)
    labels = {"base": "base", "lstm_tanh": "BiLSTM", "product": "P", "attention": "attention"}
    rows = dict(answers_of(twice, labels))
    assert [(row.model, row.suite, row.first) for row in rows["SST"]] == [
        ("base", "wp", True), ("BiLSTM", "", True), ("base", "wp", False), ("BiLSTM", "", False),
    ]  # fmt: skip


def test_a_question_without_a_word_says_why() -> None:
    infinite, nan = float("inf"), float("nan")
    withheld = answer("stable", "undecided", 0.5, 0.25, 0.75) | {"stable_note": f"{ALONE}; too few texts"}
    unbounded = answer("ranks", "undecided", nan, -infinite, infinite)
    unasked = {"unique_note": "no adversary"}
    frame = pd.DataFrame([row("base", withheld, unbounded, unasked, {"learnt": "no"})])
    ((_, (shown,)),) = answers_of(frame, {"base": "base"})
    assert shown.guesses
    cells = {cell.question: cell for cell in shown.cells}
    assert (cells["stable"].why, cells["unique"].why) == ("too few texts", "no adversary")
    assert cells["stable"].plot == plotted(0.5, 0.25, 0.75, 0.5, SCALES["stable"])
    assert (cells["ranks"].value, cells["ranks"].interval) == ("", "cannot be bounded")
    assert cells["ranks"].plot is not None
    assert (cells["ranks"].plot.below, cells["ranks"].plot.above, cells["ranks"].plot.point) == (True, True, None)
    assert (cells["unique"].plot, cells["needed"].plot) == (None, None)


def test_a_word_of_these_trainings_says_so_below() -> None:
    said = THESE.format(2)
    these = answer("used", "no", 0.02, 0.01, 0.5) | {"used_note": f"{said}: [0.010, 0.020]", "used_trainings": 2}
    ((_, (shown,)),) = answers_of(pd.DataFrame([row("base", these, {"learnt": "yes"})]), {"base": "base"})
    assert {cell.question: cell.why for cell in shown.cells}["used"] == said


def test_scales_are_those_of_all_rows() -> None:
    frame = pd.DataFrame([row("base"), row("m", answer("used", "no", 0.1, 0.1, 0.2, margin=0.6))])
    axes = {axis.question: axis for axis in axes_of(frame)}
    assert [axis.question for axis in axes.values()] == list(QUESTIONS)
    # the margin lies above the scale of 0 to .5, which grows by a tenth of itself more
    used = axes["used"]
    assert (used.low, used.high, used.unit, used.margin) == ("0", "0.65", "probability", "0.6")
    assert (axes["signed"].low, axes["signed"].unit, axes["signed"].margin) == ("0.5", "", "")
    assert axes["signed"].plot.margin is None
    (_, (_, shown)) = answers_of(frame, {"base": "base", "m": "M"})[0]
    assert shown.cells[2].plot == plotted(0.1, 0.1, 0.2, 0.6, SCALES["used"].holding(0.6))


def test_answers_lead_to_what_shows_them() -> None:
    figure = FIGURE.model_copy(update={"answers": ["stable", "unique"]})
    every = TABLE_Y.model_copy(update={"suite": "", "answers": ["stable"]})
    other = FIGURE.model_copy(update={"name": "other_fig", "suite": "other", "answers": ["stable"]})
    exhibits = [figure, TABLE_Y, every.model_copy(update={"name": "extra"}), other]
    assert seen_in(exhibits, "wp", ["stable"]) == [("wp_fig3_x", ["stable"]), ("extra", ["stable"])]
    assert seen_in(exhibits, "wp", ["unique", "used"]) == [("wp_fig3_x", ["unique"])]
    assert seen_in(exhibits, "other", QUESTIONS) == [("extra", ["stable"]), ("other_fig", ["stable"])]


def test_times_by_stage_the_longest_first() -> None:
    train, corpus = stage_times(JOBS)[:2]
    assert (train.stage, train.jobs, train.seconds, train.longest) == ("train", 2, 61.0, 60.0)
    assert (corpus.stage, corpus.jobs, corpus.seconds, corpus.longest) == ("corpus", 2, 4.0, 3.0)
    assert span(JOBS) == (BEGIN, BEGIN + timedelta(minutes=1))
    assert span([]) is None


def test_a_job_without_a_gpu_is_counted_with_its_machine() -> None:
    with_gpu, other = (Machine("CPU 1", 4, 8 * 2**30, gpu, "Linux") for gpu in ("GPU 1", None))
    small = Machine("CPU 1", 2, 8 * 2**30, None, "Linux")
    jobs = [entry("x", "", "o", machine=machine) for machine in (other, with_gpu, other, small)]
    assert machines(jobs) == [(with_gpu, 3), (small, 1)]


def test_versions_that_differ_are_all_given() -> None:
    records = [
        {"attention_audit": "1", "python": "3.11", "libraries": {"torch": torch, "numpy": "2"}} for torch in ("2", "1")
    ]
    assert versions(records) == {"attention_audit": "1", "Python": "3.11", "torch": "1, 2", "numpy": "2"}


def test_the_commit_is_that_of_the_folder_itself(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    assert commit(tmp_path) is None
    git("init")
    assert commit(tmp_path) is None
    git("commit", "--allow-empty", "-m", "first")
    made = commit(tmp_path)
    assert made is not None
    assert len(made) == 40
    (tmp_path / "mine.yaml").write_text("x")
    assert commit(tmp_path) == made
    git("add", "mine.yaml")
    assert commit(tmp_path) == f"{made} and changes that are not committed"
    (tmp_path / "inner").mkdir()
    assert commit(tmp_path / "inner") is None


HOSTILE = "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e&lt;'\"/x"
"""What a class, a data set, a word or a file may be called, and what is never more than a name."""


def test_text_is_never_markup(run: Callable[..., FinishedRun], tmp_path: Path, provenance: Provenance) -> None:
    texts = ShownExhibit(
        name="texts", folder="tables", suite="", number="", shows="x", answers=[],
        columns="columns.texts:TEXTS", shown="tables.shown:single",
    )  # fmt: skip

    def shown(name: str) -> Page:
        file = {"folder": name, "file": name, "bytes": 1, "origin": name, "canonical": True, "sha256": name}
        cells: dict[str, Any] = {
            "dataset": name, "suite": "wp", "model": "base", "id": name, "label_name": name, "prediction_name": name,
            "words": [name], "weights": [1.0], "contributions": [-1.0], "show": "yes",
        }  # fmt: skip
        numbers = ("seed", "label", "prediction", "others", "agree")
        row = {
            column.name: cells.get(
                column.name, 1 if column.name in numbers else None if column.type == flag.type else math.nan
            )
            for column in TEXTS.columns
        }
        about = {"title": name, "about": name, "datasets": [name], "models": {"base": name, **WP.models}}
        named = WP.model_copy(update=about | {"citation": [name, WP.citation[1]]})
        finished = run(
            suites=[named, OTHER],
            exhibits=[FIGURE, texts],
            tables={"texts": (pd.DataFrame([row]), provenance.record() | {"settings": {name: name}})},
            captions=dict.fromkeys(["wp_fig3_x", "texts"], CAPTION),
            config={"datasets": [name], "vectors": name, "training": {"seed": 1}},
            gaps={name: name},
            raw_files=[file],
            entries=[
                *JOBS,
                entry("table", f"results/{name}", f"results/tables/{name}", 1.0, replace(MACHINE, cpu=name)),
            ],
            explorer="explorer.html",
        )
        return check_page(page(finished, BEGIN, tmp_path))

    plain, hostile = shown("plain"), shown(HOSTILE)
    assert hostile.tags == plain.tags
    assert hostile.loads == plain.loads
    assert hostile.links == plain.links
    # all of it is there, as text; but for two in settings, which are JSON and have escapes of their own
    assert hostile.text.count(HOSTILE) == plain.text.count("plain") - 2 >= 12


def test_the_report_links_to_the_explorer_where_there_is_one(run: Callable[..., FinishedRun], tmp_path: Path) -> None:
    assert check_page(page(run(explorer="explorer.html"), BEGIN, tmp_path)).links.count("explorer.html") == 1
    assert "explorer.html" not in check_page(page(run(), BEGIN, tmp_path)).links


def test_the_page_is_whole_and_loads_nothing(run: Callable[..., FinishedRun], tmp_path: Path) -> None:
    text = page(run(), BEGIN, tmp_path)
    shown = check_page(text)
    assert shown.pictures() == [(200, 200)]
    assert shown.ids["wp_fig3_x"] == shown.ids["wp_table2_y"] == 1
    assert "#wp_fig3_x" in shown.links
    words = shown.text
    assert "<script>alert(1)</script> & more" in words
    assert "0.500 ± 0.100" in words
    assert "the adversary: 3; all others: 1, 2" in words
    assert "CPU 1, 4 cores, 8.0 GiB of memory, no GPU used, Linux (7 jobs)" in words
    assert "2026-01-02 03:04 UTC" in words
    assert "not a checkout of a git repository" in words
    assert json.dumps(run().config["training"]["seed"]) in words
    assert "What else?" not in words
    assert "Attention & so on (doi.org/10.1/x). Is it so?" in words
    assert "https://doi.org/10.1/x" in shown.links


def test_a_suite_and_a_table_of_no_suite_are_shown_without_an_edit_of_the_page(
    run: Callable[..., FinishedRun], tmp_path: Path
) -> None:
    other = OTHER.model_copy(update={"datasets": ["mine"]})
    extra = TABLE_Y.model_copy(update={"name": "extra", "suite": ""})
    shown = check_page(page(run(suites=[WP, other], exhibits=[FIGURE, TABLE_Y, extra]), BEGIN, tmp_path))
    assert "What else?" in shown.text
    assert "Data sets: mine." in shown.text
    assert {"#suite-wp", "#suite-other", "#extra"} <= set(shown.links)
    assert shown.ids["extra"] == 1
    assert list(shown.ids).index("together") < list(shown.ids).index("extra")
    assert "checks" not in shown.ids


def test_exhibits_stand_in_the_order_in_which_they_come(run: Callable[..., FinishedRun], tmp_path: Path) -> None:
    for exhibits in ([FIGURE, TABLE_Y], [TABLE_Y, FIGURE]):
        ids = list(check_page(page(run(exhibits=exhibits), BEGIN, tmp_path)).ids)
        assert [name for name in ids if name.startswith("wp_")] == [exhibit.name for exhibit in exhibits]


SUMMARY_TABLE = ShownExhibit(
    name="summary", folder="tables", suite="", number="", shows="x", answers=[],
    columns="columns.summary:SUMMARY", shown="tables.shown:answers",
)  # fmt: skip


def test_the_page_opens_with_the_answers_and_single_texts(
    run: Callable[..., FinishedRun], tmp_path: Path, provenance: Provenance
) -> None:
    texts = SUMMARY_TABLE.model_copy(
        update={"name": "texts", "columns": "columns.texts:TEXTS", "shown": "tables.shown:single"}
    )
    empty = TEXTS.schema.empty_table().to_pandas()
    made = run(
        suites=[WP.model_copy(update={"models": {"base": "base", "lstm_tanh": "BiLSTM"}, "seeds": {}}), OTHER],
        exhibits=[FIGURE.model_copy(update={"answers": ["needed"]}), SUMMARY_TABLE, texts],
        tables={"summary": (answered(), provenance.record()), "texts": (empty, provenance.record())},
        captions=dict.fromkeys(["wp_fig3_x", "summary", "texts"], CAPTION),
    )
    shown = check_page(page(made, BEGIN, tmp_path))
    assert "It is so." in shown.text
    assert "margin 0.0625" in shown.text
    assert "Seen in: Figure 3 (needed) single texts" in shown.text
    assert f"ranks: {RANKINGS['product'].label}, nearly the yardstick itself (+0.500 [0.250, 0.750])" in shown.text
    assert "each training: 0.200 0.300" in shown.text
    # two models are asked one question each, and both words are yes
    assert multiplicity(["yes"] * 2) in shown.text
    order = list(shown.ids)
    assert order.index("answer") < order.index("summary") < order.index("texts") < order.index("wp_fig3_x")
    assert "checks" not in order
    assert not any(link.startswith("explorer") for link in shown.links)
    with_explorer = made.job.model_copy(update={"explorer": "explorer.html"})
    linked = check_page(page(replace(made, job=with_explorer), BEGIN, tmp_path))
    assert linked.links.count("explorer.html") == 1
    assert {"explorer.html#view=sst/wp/base", "explorer.html#view=b/wp/base"} <= set(linked.links)


WORDS = ["a", "fine", "film"]
FIRST = {
    "dataset": "sst", "suite": "wp", "model": "base", "seed": 1, "id": "t1", "label": 1, "prediction": 1,
    "prediction_name": "good", "others": 2, "agree": 0, "moved": math.nan, "show": "unstable",
}  # fmt: skip
READ = pd.DataFrame({"id": ["t1"], "probabilities": [[0.125, 0.875]], "attention": [[0.1, 0.5, 0.4]]})


def first_of(row: dict[str, Any], items: str = "words", sentences: list[int] | None = None) -> FirstText:
    corpus = {"t1": {"tokens": WORDS, "sentences": sentences}}
    found = first_text(pd.DataFrame([FIRST | row, FIRST | {"model": "m"}]), READ, corpus, items)
    assert found is not None
    return found


def test_the_first_text_has_its_words_and_weights_and_what_may_be_said() -> None:
    found = first_of({})
    assert [(item.text, item.shade, item.weight) for item in found.items] == [
        ("a", 0.2, "0.10"), ("fine", 1.0, "0.50"), ("film", 0.8, "0.40"),
    ]  # fmt: skip
    assert (found.prediction, found.sure, found.right, found.whole) == ("good", 0.875, True, False)
    assert found.verdict == "Do not show this map as an explanation: other trainings of the model have another one."
    assert found.why.endswith("while both other trainings have another top word.")
    assert first_of({"show": "contrary"}, "sentences", [0, 1]).verdict.endswith("the top sentence does not speak for "
                                                                                "the prediction.")  # fmt: skip
    whole = first_of({}, "sentences", [0, 1])
    assert [item.text for item in whole.items] == ["a", "fine film"]
    assert not first_of({"label": 0}).right
    assert first_text(pd.DataFrame([FIRST]).iloc[:0], READ, {}, "words") is None
    assert {*VERDICTS} == {MAY, OPEN, UNKNOWN, *WHY_NOT.values()}


def test_the_page_opens_with_one_model_of_real_texts(
    run: Callable[..., FinishedRun], tmp_path: Path, provenance: Provenance
) -> None:
    frame = answered().assign(learnt="yes", accuracy=0.75, majority_accuracy=0.5, sentence="It comes 26 % of the way.")
    made = run(
        suites=[WP.model_copy(update={"models": {"base": "base", "lstm_tanh": "BiLSTM"}, "seeds": {}}), OTHER],
        exhibits=[FIGURE, SUMMARY_TABLE],
        tables={"summary": (frame, provenance.record())},
        captions=dict.fromkeys(["wp_fig3_x", "summary"], CAPTION),
        explorer="explorer.html",
    )
    built = {"b/wp/base": "BiLSTM, additive attention"}
    job = made.job.model_copy(update={"controls": ["sst"], "built": built})
    shown = check_page(page(replace(made, job=job, first=first_of({})), BEGIN, tmp_path))
    words = " ".join(shown.text.split())
    opens = "Data set b, model base (BiLSTM, additive attention) of W&P 2019, trained twice; accuracy 0.750, the "
    assert opens in words
    assert words.index(opens) < words.index("26 % of the way") < words.index("The model says good (0.88)")
    assert "explorer.html#view=b/wp/base&text=t1" in shown.links
    # what is generated stands below
    order = list(shown.ids)
    assert order.index("answer-2") < order.index("known") < order.index("answer-1")
    # where all is generated, it is the answer
    alone = made.job.model_copy(update={"controls": ["sst", "b"]})
    assert "known" not in check_page(page(replace(made, job=alone), BEGIN, tmp_path)).ids


def test_text_is_never_markup_in_answers(
    run: Callable[..., FinishedRun], tmp_path: Path, provenance: Provenance
) -> None:
    frame = answered().assign(dataset=HOSTILE, sentence=HOSTILE, needed_note=HOSTILE, needed="undecided")
    suite = WP.model_copy(
        update={
            "models": {"base": HOSTILE, "lstm_tanh": "BiLSTM"},
            "seeds": {},
            "title": HOSTILE,
            "datasets": [HOSTILE],
        }
    )
    made = run(
        suites=[suite, OTHER],
        exhibits=[FIGURE, SUMMARY_TABLE],
        tables={"summary": (frame, provenance.record())},
        captions=dict.fromkeys(["wp_fig3_x", "summary"], CAPTION),
        gaps={HOSTILE: HOSTILE},
        config={"datasets": [HOSTILE], "vectors": HOSTILE},
    )
    hostile = replace(first_of({}), prediction=HOSTILE, why=HOSTILE, id=HOSTILE, items=[Item(HOSTILE, 1.0, "1")])
    shown = check_page(page(replace(made, first=hostile), BEGIN, tmp_path))
    assert shown.tags["img"] == 1
    assert all(link.startswith(("#", "https://doi.org/")) for link in shown.links)
    # headings of the cards, sentences, reasons, links: all say it as it is
    assert shown.text.count(HOSTILE) >= 13


def test_a_run_without_logs_says_so(run: Callable[..., FinishedRun], tmp_path: Path) -> None:
    shown = check_page(page(run(entries=[]), BEGIN, tmp_path))
    assert "Which jobs made these results is not known" in shown.text
    assert shown.tags["svg"] == 0


def test_what_was_left_out_is_named(run: Callable[..., FinishedRun], tmp_path: Path) -> None:
    shown = check_page(page(run(gaps={"sst": "no raw file"}), BEGIN, tmp_path))
    assert "SST: no raw file" in shown.text


def test_raw_files_are_listed(run: Callable[..., FinishedRun], tmp_path: Path) -> None:
    file = {"folder": "f", "bytes": 2048, "origin": "mirror", "sha256": "ab" * 32}
    files = [file | {"file": f"{known}.zip", "canonical": known} for known in (True, False, None)]
    words = check_page(page(run(raw_files=files), BEGIN, tmp_path)).text
    assert f"f/True.zip 2.0 KiB mirror yes {'ab' * 32}".replace(" ", "") in words.replace(" ", "")
    assert "no checksum is known" in words


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b"", lambda data: b"x" + data])
def test_a_damaged_picture_is_named(
    run: Callable[..., FinishedRun], tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = run().figures["wp_fig3_x"]
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(AuditError, match=r"wp_fig3_x\.png: truncated or corrupt PNG; rebuild it with: snakemake"):
        picture(path)
    path.unlink()
    with pytest.raises(AuditError, match=r"wp_fig3_x\.png: not there; rebuild it with"):
        picture(path)


@pytest.mark.parametrize("text", ["<p>", "<p></div>", "</p>"])
def test_a_page_that_is_not_well_formed_is_noticed(text: str) -> None:
    with pytest.raises(ValueError, match=r"open|closes"):
        Page(text)


def test_the_guide_shows_what_it_is_told_and_every_column() -> None:
    job = GuideJob(config={}, suites=[WP, OTHER], exhibits=[FIGURE], audits={"permutation": "How far?"}, columns=[])
    text = guide(job)
    assert "| `figures/wp_fig3_x` | x |" in text
    assert "| `wp` | W&P 2019 | Is it so? | `base`; `uniform`; `adversary`: the adversary |" in text
    assert "| `permutation` | How far? |" in text
    for artefact in ARTEFACTS:
        assert f"### `{artefact.path}`" in text
        assert all(f"| `{column.name}` |" in text for column in artefact.columns)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert len(set(headings)) == len(headings)
