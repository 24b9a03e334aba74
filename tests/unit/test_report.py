"""The page of a run, from frames, pictures and captions made by hand."""

import math
import re
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from matplotlib.figure import Figure
from pages import check_page
from refusal import refusal

from attention_audit.artefacts.journal import Entry, Machine
from attention_audit.columns.tables import SUMMARY, TABLE, TEXTS
from attention_audit.figures.style import save
from attention_audit.jobs import GuideJob, ReportJob, ShownExhibit, ShownSuite
from attention_audit.questions import QUESTIONS, VERDICTS
from attention_audit.report.first_text import ShadedItem, find_first_text
from attention_audit.report.guide import ARTEFACTS, write_guide
from attention_audit.report.page import (
    MAX_PARAGRAPH_WORDS,
    MOST_ROWS,
    FinishedRun,
    group_seeds,
    lay_out_table,
    list_answers,
    read_caption,
    read_picture,
    render_page,
    write_duration,
)
from attention_audit.report.terminal import count_machines, find_commit, find_span, list_versions

BEGIN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
MACHINE = Machine("CPU 1", 4, 8 * 2**30, None, "Linux")
CAPTION = "**Is it so?** Some *words* on ``wp_fig3_x`` and ``wp_none``.\n\nSource: here."


def entry(seconds=1.0, machine=MACHINE):
    """A job."""
    return Entry("train", (), (), BEGIN, seconds, seconds, 2**20, 1.0, machine)


JOBS = [entry(), entry(3.0), entry(60.0), *[entry()] * 4]

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


def shown_table(name, columns, shown, suite=""):
    """A table of a kind of rows, and how it is shown."""
    return ShownExhibit(
        name=name, folder="tables", suite=suite, number="", shows="x", answers=[],
        columns=f"columns.tables:{columns}", shown=f"tables.render:{shown}",
    )  # fmt: skip


TABLE_Y = shown_table("wp_table2_y", "TABLE", "show_table", "wp")


@pytest.fixture
def run(tmp_path, provenance):
    """A run of one figure and one table; keywords replace parts of it."""

    def make(**changes):
        figure = Figure((1, 1))
        save(figure, tmp_path / "wp_fig3_x.pdf", tmp_path / "wp_fig3_x.png", provenance.text())
        row = TABLE.blank | {
            "dataset": "sst", "model": "base", "metric": "f1", "mean": 0.5, "sd": 0.1,
            "seeds": 2, "published": 0.4, "selection": "dev", "note": "<script>alert(1)</script> & more",
        }  # fmt: skip
        names = ("wp_table2_y", "extra")
        settings = {
            "suites": [WP, OTHER], "exhibits": [FIGURE, TABLE_Y], "gaps": {}, "audits": {}, "columns": [],
            "config": {"datasets": ["sst"], "vectors": "random"},
        }  # fmt: skip
        settings |= {name: changes.pop(name) for name in {*ReportJob.model_fields} & {*changes}}
        parts = {
            "job": ReportJob(**settings),
            "tables": {name: (pd.DataFrame([row])[TABLE.schema.names], provenance.record()) for name in names},
            "figures": {"wp_fig3_x": tmp_path / "wp_fig3_x.png"},
            "captions": dict.fromkeys(["wp_fig3_x", *names], CAPTION),
            "raw_files": [],
            "entries": JOBS,
        }
        return FinishedRun(**parts | changes)

    return make


@pytest.fixture
def show(run, tmp_path):
    """The page of such a run, taken apart."""
    return lambda **changes: check_page(render_page(run(**changes), BEGIN, tmp_path))


def test_a_caption_is_a_heading_and_what_follows():
    caption = read_caption("**Is it so?** *Slanted* < ``fig``, ``other``.\n\nSource: x.", {"fig"})
    assert caption.title == "Is it so?"
    body = '<p><em>Slanted</em> &lt; <a href="#fig"><code>fig</code></a>, <code>other</code>.</p><p>Source: x.</p>'
    assert caption.body == body
    assert read_caption("**A statement.** More.").title == "A statement"


def test_models_with_the_same_seeds_are_named_together():
    labels = WP.models | OTHER.models
    assert group_seeds(WP, labels) == [("the adversary", [3]), ("all others", [1, 2])]
    assert group_seeds(OTHER, labels) == [("", [9])]
    assert group_seeds(OTHER.model_copy(update={"seeds": {}}), labels) == []
    two = WP.model_copy(update={"seeds": {"base": [1], "uniform": [2]}})
    assert group_seeds(two, labels) == [("base", [1]), ("uniform", [2])]
    assert group_seeds(WP.model_copy(update={"seeds": {"x": [1], "y": [2]}}), labels) == [("x", [1]), ("y", [2])]


def test_lengths_of_time():
    written = [write_duration(seconds) for seconds in (0, 59.94, 60, 3599.6, 7325)]
    assert written == ["0.0 s", "59.9 s", "1 min 00 s", "1 h 00 min", "2 h 02 min"]


def test_rows_are_gathered_by_data_set():
    frame = pd.DataFrame({"data set": ["a", "a", "b"], "row": ["x", "y", "x"], "F1": ["1", "2", "3"]})
    assert lay_out_table(frame) == (["row", "F1"], [("a", [["x", "1"], ["y", "2"]]), ("b", [["x", "3"]])])
    assert lay_out_table(pd.DataFrame({"question": ["x"]})) == (["question"], [("", [["x"]])])
    assert lay_out_table(frame.iloc[:0]) == (["row", "F1"], [])


def test_of_a_long_table_the_first_rows_are_shown_without_columns_that_they_leave_empty(run, show):
    frame = pd.DataFrame({"data set": ["a"] * MOST_ROWS + ["b"], "row": "x", "F1": [""] * MOST_ROWS + ["3"]})
    assert lay_out_table(frame) == (["row"], [("a", [["x"]] * MOST_ROWS)])
    table, provenance = run().tables["wp_table2_y"]
    rows = pd.concat([table.assign(dataset=f"data {number}") for number in range(MOST_ROWS + 1)])
    shown = show(tables={"wp_table2_y": (rows, provenance)}).text
    assert f"The first {MOST_ROWS} of {MOST_ROWS + 1} rows; tables/wp_table2_y.md has all." in shown
    assert "rows; " not in show().text
    assert f"data {MOST_ROWS - 1}" in shown
    assert f"data {MOST_ROWS}" not in shown


def test_a_run_lasts_from_the_first_job_to_the_end_of_the_last():
    assert find_span(JOBS) == (BEGIN, BEGIN + timedelta(minutes=1))
    assert find_span([]) is None


def test_a_job_without_a_gpu_is_counted_with_its_machine():
    with_gpu, other = (Machine("CPU 1", 4, 8 * 2**30, gpu, "Linux") for gpu in ("GPU 1", None))
    small = Machine("CPU 1", 2, 8 * 2**30, None, "Linux")
    jobs = [entry(machine=machine) for machine in (other, with_gpu, other, small)]
    assert count_machines(jobs) == [(with_gpu, 3), (small, 1)]


def test_versions_that_differ_are_all_given():
    records = [
        {"attention_audit": "1", "python": "3.11", "libraries": {"torch": torch, "numpy": "2"}} for torch in ("2", "1")
    ]
    assert list_versions(records) == {"attention_audit": "1", "Python": "3.11", "torch": "1, 2", "numpy": "2"}


def test_the_commit_is_that_of_the_folder_itself(tmp_path):
    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    assert find_commit(tmp_path) is None
    git("init")
    assert find_commit(tmp_path) is None
    git("commit", "--allow-empty", "-m", "first")
    made = find_commit(tmp_path)
    assert len(made) == 40
    (tmp_path / "mine.yaml").write_text("x")
    assert find_commit(tmp_path) == made
    git("add", "mine.yaml")
    assert find_commit(tmp_path) == f"{made} and changes that are not committed"
    (tmp_path / "inner").mkdir()
    assert find_commit(tmp_path / "inner") is None


HOSTILE = "</pre></script><script>alert(1)</script><img src=x onerror=alert(2)>\u202e&lt;'\"/x"
"""What a class, a data set, a word or a file may be called, and what is never more than a name."""


def test_text_is_never_markup(show, provenance):
    def shown(name):
        file = {"folder": name, "file": name, "bytes": 1, "origin": name, "canonical": True, "sha256": name}
        cells = {
            "dataset": name, "suite": "wp", "model": "base", "id": name, "label_name": name, "prediction_name": name,
            "words": [name], "weights": [1.0], "contributions": [-1.0],
        }  # fmt: skip
        cells |= {"seed": 1, "label": 1, "prediction": 1, "others": 1, "agree": 1}
        about = {"title": name, "about": name, "datasets": [name], "models": {"base": name, **WP.models}}
        named = WP.model_copy(update=about | {"citation": [name, WP.citation[1]]})
        return show(
            suites=[named, OTHER],
            exhibits=[FIGURE, shown_table("texts", "TEXTS", "show_texts")],
            tables={"texts": (pd.DataFrame([TEXTS.blank | cells]), provenance.record() | {"settings": {name: name}})},
            captions=dict.fromkeys(["wp_fig3_x", "texts"], CAPTION),
            config={"datasets": [name], "vectors": name},
            gaps={name: name},
            raw_files=[file],
            entries=[*JOBS, entry(machine=replace(MACHINE, cpu=name))],
            explorer="explorer.html",
        )

    plain, hostile = shown("plain"), shown(HOSTILE)
    assert hostile.tags == plain.tags
    assert hostile.loads == plain.loads
    assert hostile.links == plain.links
    # all of it is there, as text
    assert hostile.text.count(HOSTILE) == plain.text.count("plain") >= 12


def test_the_page_is_whole_and_loads_nothing(show):
    shown = show()
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
    assert "What else?" not in words
    assert "Attention & so on (doi.org/10.1/x). Is it so?" in words
    assert "https://doi.org/10.1/x" in shown.links
    assert "explorer.html" not in shown.links
    assert show(explorer="explorer.html").links.count("explorer.html") == 1


def test_a_suite_and_a_table_of_no_suite_are_shown_without_an_edit_of_the_page(show):
    other = OTHER.model_copy(update={"datasets": ["mine"]})
    extra = TABLE_Y.model_copy(update={"name": "extra", "suite": ""})
    shown = show(suites=[WP, other], exhibits=[FIGURE, TABLE_Y, extra])
    assert "What else?" in shown.text
    assert "Data sets: mine." in shown.text
    assert {"#suite-wp", "#suite-other", "#extra"} <= set(shown.links)
    assert shown.ids["extra"] == 1
    assert list(shown.ids).index("together") < list(shown.ids).index("extra")
    assert "checks" not in shown.ids


def test_exhibits_stand_in_the_order_in_which_they_come(show):
    for exhibits in ([FIGURE, TABLE_Y], [TABLE_Y, FIGURE]):
        shown = [name for name in show(exhibits=exhibits).ids if name.startswith("wp_")]
        assert shown == [exhibit.name for exhibit in exhibits]


WORDS = ["a", "fine", "film"]
FIRST = {
    "dataset": "sst", "suite": "wp", "model": "base", "seed": 1, "id": "t1", "label": 1, "prediction": 1,
    "prediction_name": "good", "others": 2, "agree": 0, "moved": math.nan,
}  # fmt: skip
READ = pd.DataFrame({"id": ["t1"], "probabilities": [[0.125, 0.875]], "attention": [[0.1, 0.5, 0.4]]})


def first_of(row, items="words", sentences=None):
    corpus = {"t1": {"tokens": WORDS, "sentences": sentences}}
    return find_first_text(pd.DataFrame([FIRST | row, FIRST | {"model": "m"}]), [READ], corpus, items)


def test_what_is_missing_is_said(show):
    words = show(entries=[], gaps={"sst": "no raw file"}).text
    assert "Which jobs made these results is not known" in words
    assert "SST: no raw file" in words


def test_raw_files_are_listed(show):
    file = {"folder": "f", "bytes": 2048, "origin": "mirror", "sha256": "ab" * 32}
    files = [file | {"file": f"{known}.zip", "canonical": known} for known in (True, False, None)]
    words = show(raw_files=files).text
    assert f"f/True.zip 2.0 KiB mirror yes {'ab' * 32}".replace(" ", "") in words.replace(" ", "")
    assert "no checksum is known" in words


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b"", lambda data: b"x" + data])
def test_a_damaged_picture_is_named(run, damage):
    path = run().figures["wp_fig3_x"]
    path.write_bytes(damage(path.read_bytes()))
    assert "wp_fig3_x.png: truncated or corrupt PNG; rebuild it with: snakemake" in refusal(read_picture, path)
    path.unlink()
    assert "wp_fig3_x.png: not there; rebuild it with" in refusal(read_picture, path)


def test_the_guide_shows_what_it_is_told_and_every_column():
    job = GuideJob(config={}, suites=[WP, OTHER], exhibits=[FIGURE], audits={"permutation": "How far?"}, columns=[])
    text = write_guide(job)
    assert "| `figures/wp_fig3_x` | x |" in text
    assert "| `wp` | W&P 2019 | Is it so? | `base`; `uniform`; `adversary`: the adversary |" in text
    assert "| `permutation` | How far? |" in text
    for artefact in ARTEFACTS:
        assert f"### `{artefact.path}`" in text
        for column in artefact.columns:
            of_all = re.sub(rf"^({'|'.join(QUESTIONS)})_", "{question}_", column.name)
            assert f"| `{column.name}` |" in text or f"| `{of_all}` |" in text
    # what means the same for all questions is said once
    assert text.count("| the verdict |") == 1
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert len(set(headings)) == len(headings)


def summary_row(**columns):
    """A row of a model of which every question is answered; `columns` replace parts of it."""
    stated = {"value": 0.5, "low": 0.25, "high": 0.75, "zones": "23", "said": "at least in part"}
    known = {f"{question}_{name}": each for question in QUESTIONS for name, each in stated.items()}
    about = {"dataset": "sst", "suite": "wp", "model": "base", "seeds": 5, "texts": 400, "groups": 400}
    return SUMMARY.blank | known | about | {"accuracy": 0.75, "majority_accuracy": 0.5, "learnt": "yes"} | columns


def test_the_paragraph_to_copy_has_every_verdict_in_at_most_90_words():
    [(_, [row])] = list_answers(pd.DataFrame([summary_row()]), {"base": "base"})
    assert len(row.copy.split()) <= MAX_PARAGRAPH_WORDS == 90
    assert row.copy.startswith(
        "Attention of base on SST (5 trainings, 400 texts; 95 % intervals): at least in part: top words are the words"
    )
    varied = {f"{question}_said": verdict for question, verdict in zip(QUESTIONS, [*VERDICTS, *VERDICTS], strict=False)}
    varied |= {"signed_said": "at most in part, beyond shuffled weights (80 %)"}
    [(_, [row])] = list_answers(pd.DataFrame([summary_row(**varied)]), {"base": "base"})
    assert len(row.copy.split()) <= MAX_PARAGRAPH_WORDS
    assert all(f"{question.claim[1:]}" in row.copy for question in QUESTIONS.values())
    assert row.copy.count("no: ") == 1


def test_the_first_text_has_its_words_and_the_weights_of_several_trainings():
    other = READ.assign(attention=[[0.4, 0.2, 0.4]])
    corpus = {"t1": {"tokens": WORDS, "sentences": None}}
    found = find_first_text(pd.DataFrame([FIRST]), [READ, other, other.assign(id="t2")], corpus, "words")
    own, others = found.maps
    assert own == [("a", 0.2, "0.10"), ("fine", 1.0, "0.50"), ("film", 0.8, "0.40")]
    # one scale for both, so that a flat map does not look decided
    assert [item.shade for item in others] == [0.8, 0.4, 0.8]
    assert (found.prediction, found.sure, found.right, found.whole) == ("good", 0.875, True, False)
    assert [item.text for item in first_of({}, "sentences", [0, 1]).maps[0]] == ["a", "fine film"]
    assert not first_of({"label": 0}).right
    assert find_first_text(pd.DataFrame([FIRST]).iloc[:0], [READ], {}, "words") is None


def test_the_page_opens_with_the_figure_the_lines_and_maps_and_further_cards_are_closed(run, tmp_path, provenance):
    frame = pd.DataFrame([summary_row(ranks_clause=HOSTILE), summary_row(dataset="imdb")])[SUMMARY.schema.names]
    figure = FIGURE.model_copy(update={"name": "fig_answer", "suite": "", "number": ""})
    found = first_of({})
    found.maps.append([ShadedItem(HOSTILE, 0.5, "")])
    made = run(
        exhibits=[figure, shown_table("summary", "SUMMARY", "show_answers")],
        tables={"summary": (frame, provenance.record())},
        captions=dict.fromkeys(["fig_answer", "summary"], CAPTION),
        figures={"fig_answer": tmp_path / "wp_fig3_x.png"}, first=found,
    )  # fmt: skip
    text = render_page(made, BEGIN, tmp_path)
    shown = check_page(text)
    assert list(shown.ids).count("fig_answer") == 1
    assert "The maps of one test text by 2 trainings" in shown.text
    order = [text.index(part) for part in ('class="forest"', 'class="lines"', 'class="items"', '<details class="card"')]
    assert order == sorted(order)
    assert "<script>alert" not in text
