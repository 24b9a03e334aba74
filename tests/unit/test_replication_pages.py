"""The record: what is kept of a run, and the pages that are written of it, from results made by hand."""

import json
import math
import re
import shlex
import shutil
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
import yaml
from PIL import Image
from planned import CATALOGUE, ROOT, overlaid
from snakemake.cli import parse_config as command_line
from summaries import answer, row

from attention_audit import __version__
from attention_audit.artefacts.files import write_record
from attention_audit.artefacts.journal import JOB_KEY
from attention_audit.artefacts.parquet import write_table
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.tables import REPLICATION, SUMMARY, TABLE, TEXTS
from attention_audit.errors import AuditError
from attention_audit.plan.configuration import parse_config
from attention_audit.plan.exhibits import EXHIBITS
from attention_audit.yaml_input import parse_value
from makers.replication.__main__ import find_pages, main
from makers.replication.captions import two_sentences
from makers.replication.declared import Cells
from makers.replication.entries import PAGES
from makers.replication.findings import BOUND, match_cells
from makers.replication.gallery import write_gallery
from makers.replication.grids import fold, narrow
from makers.replication.keeping import WIDTH, clean_config, keep_run, shrink_figure
from makers.replication.kept import RECORD, list_kept, read_csv
from makers.replication.pages import measure_closed, write_every_page, write_share

NAN = float("nan")
COMMIT = "0123456789abcdef"
RECORDED = ROOT / RECORD
LABELS = {"base": "base", "uniform": "uniform", "lstm_tanh": "BiLSTM"}


def number(own, name, published, ours, **other):
    """A row of columns.tables: of three seeds, with .02 to either side of one more training."""
    return REPLICATION.blank | {
        "paper": "WP2019", "table": "Table 2", "dataset": own, "model": name, "metric": "f1", "published": published,
        "ours": ours, "low": ours - 0.01, "high": ours + 0.01, "seeds": 3, "difference": ours - published,
        "one_low": ours - 0.02, "one_high": ours + 0.02, "half_width": 0.02, "chance": "seeds",
        "agreement": "compatible" if abs(ours - published) <= 0.0205 else "not compatible",
        "note": "our word vectors: random",
    } | other  # fmt: skip


NUMBERS = [
    number("sst", "base", 0.831, 0.791),
    number("sst", "uniform", 0.822, 0.812),
    number("agnews", "base", 0.964, 0.94, agreement="unknown", note="our word vectors: random; a part"),
    number("agnews", "uniform", 0.96, 0.95, agreement="unknown"),
    number("sst", "", 1821, 1725, part="all", paper="SS2019", table="Table 1", metric="test", seeds=0),
]
CHANGED = [number("sst", "base", 0.831, 0.821)]
SUMMARISED = [
    row(
        "base",
        answer("used", "2", "moderately", 0.075, 0.068, 0.082, each=[0.05, 0.1], apart=1, trainings=2, clause="so far"),
        accuracy=0.79,
        majority_accuracy=0.5,
        learnt="yes",
    ),
    row("base", answer("needed", "12", "at most a small gain", 0.013, 0.002, 0.023), dataset="agnews"),
]


def config_of(results, datasets):
    """The configuration of a run as results/config.yaml has it."""
    named = {"datasets": datasets, "results": "results", "mirror": str(results)}
    return parse_config(overlaid(CATALOGUE, named)).build_record()


def run_in(folder, numbers, datasets):
    """The results of a finished run of these data sets, as far as the record reads them."""
    results = folder / "results"
    for name in ("tables", "figures", "logs", "raw/sst/records"):
        (results / name).mkdir(parents=True)
    (results / "config.yaml").write_text(yaml.safe_dump(config_of(results, datasets)))
    titles = {"WP2019": "Wiegreffe & Pinter 2019", "JW2019": "Jain & Wallace 2019", "SS2019": "Serrano & Smith 2019"}
    models = {"wp": {name: [label] for name, label in LABELS.items()}}
    provenance = Provenance("table", {"models": models, "titles": titles}, "")
    for kind, rows in ((SUMMARY, SUMMARISED), (REPLICATION, numbers)):
        frame = pd.DataFrame(rows, columns=kind.schema.names)
        path = results / "tables" / f"{kind.name}.parquet"
        write_table(path, kind, frame, provenance)
        frame.to_csv(path.with_suffix(".csv"), index=False)
    for name in ("wp_fig5_tvd_jsd", "wp_fig2_attention_maps"):
        Image.new("RGB", (60, 40)).save(results / "figures" / f"{name}.png")
    write_record(
        results / "raw/sst/records/a.zip.json", {"folder": "sst", "file": "a.zip", "sha256": "ab", "canonical": False}
    )
    job = {
        "stage": "train", "inputs": [], "outputs": ["runs/a/tables/summary.parquet"], "read": 0.0, "peak_memory": 1,
        "started": datetime(2026, 1, 2, tzinfo=UTC).isoformat(), "seconds": 1.0, "cpu_seconds": 5400.0,
        "machine": {"cpu": "CPU 1", "cores": 2, "memory": 4 * 2**30, "gpu": None, "system": "Linux secret-host"},
    }  # fmt: skip
    (results / "logs" / "train.log").write_text(json.dumps({JOB_KEY: job}) + "\n")
    return results


def keep_one(folder, name, *datasets):
    """Keep a run of these data sets, of which no number is published; its record is returned."""
    keep_run(run_in(folder, [], [*datasets]), name, COMMIT, folder / "replication")
    return folder / "replication"


def answer_page(docs):
    """The page of the runs that are kept."""
    return (docs / "replication" / "wiegreffe-pinter.md").read_text()


@pytest.fixture(scope="module")
def docs(tmp_path_factory):
    """A folder of docs in which a run is kept, and one that changes one thing."""
    folder = tmp_path_factory.mktemp("record")
    record = folder / "docs" / "replication"
    main_run = run_in(folder / "a", NUMBERS, ["sst", "agnews"])
    keep_run(main_run, "wiegreffe-pinter", COMMIT, record)
    keep_run(run_in(folder / "b", CHANGED, ["sst"]), "wiegreffe-pinter/selected-on-test", COMMIT, record)
    assert main(["--docs", str(folder / "docs")]) == 0
    return folder / "docs"


def test_the_pages_say_what_the_kept_tables_say():
    written = {**write_every_page(RECORDED), **write_gallery(RECORDED)}
    kept = {path.relative_to(ROOT / "docs").as_posix(): path.read_text() for path in find_pages(ROOT / "docs")}
    assert written == kept, "`make replication` writes them anew"
    for name, text in written.items():
        assert not re.search(r"\binf\b", text), name


def test_the_record_is_small_and_names_no_machine():
    files = [path for path in RECORDED.rglob("*") if path.is_file()]
    assert len(files) <= 300
    assert sum(path.stat().st_size for path in files) <= 4e6
    for kept in list_kept(RECORDED):
        assert not {"mirror", "results"} & kept.facts.config.keys(), kept.folder


def test_what_an_exhibit_shows_is_in_the_gallery_once(docs):
    for page in (write_gallery(RECORDED)["gallery.md"], (docs / "gallery.md").read_text()):
        for exhibit in EXHIBITS:
            assert page.count(f"\n| {exhibit.shows} | ") == 1, exhibit.name


def test_a_caption_in_two_sentences():
    said = two_sentences("**Is it\nso?** Yes.\n\nHow to read it: *high* is ``good``. Low is not.\n\nSource: here.")
    assert said == ("Is it so?", "*high* is `good`.")
    with pytest.raises(ValueError, match="How to read it"):
        two_sentences("**Is it so?** Yes.")


def test_what_is_declared_fits_together():
    names = [page.name for page in PAGES]
    assert len({*names}) == len(names)
    known = {exhibit.name for exhibit in EXHIBITS}
    for page in PAGES:
        assert len({run.name for run in page.runs}) == len(page.runs)
        assert not page.runs[0].changes
        assert known >= {*page.tables}
        for run in page.runs:
            assert not run.preset or (ROOT / "presets" / f"{run.preset}.yaml").is_file()
            assert known >= {*run.figures}
            assert page.name in ("readouts", "controls") or not any("attention_maps" in name for name in run.figures)
        assert {why.run for why in page.reasons} | {why.run for each in page.claims for why in each.why} <= {
            "",
            *(run.name for run in page.runs if run.changes),
        }
        for claim in page.claims:
            for finding in claim.findings:
                assert finding.table in known
                assert BOUND.fullmatch(finding.theirs)


@pytest.mark.parametrize(
    "run", [run for page in PAGES for run in page.runs if run.options], ids=lambda run: f"{run.preset}-{run.name}"
)
def test_what_a_run_is_other_in_can_be_said_on_the_command_line(run):
    path = ROOT / "presets" / f"{run.preset}.yaml"
    preset = overlaid(CATALOGUE, yaml.safe_load(path.read_text()))
    changed = overlaid(preset, parse_value(command_line(shlex.split(run.options))))
    config, other = parse_config(preset), parse_config(changed)
    assert other != config
    about = {name for name in config.every_dataset if re.fullmatch(run.cells.dataset, name)}
    assert {*other.every_dataset} <= {*config.every_dataset}
    assert not run.changes or about <= {*other.every_dataset}


def test_a_page_has_theirs_and_ours(docs):
    page = answer_page(docs)
    for verdict in ("compatible", "**not compatible**", "data differ: within", "**data differ: outside**"):
        assert f"| {verdict} | 1 |" in page
    base, uniform = (
        line for line in page.splitlines() if line.startswith(("| base | F1 | 0.831", "| uniform | F1 | 0.822"))
    )
    assert base.startswith("| base | F1 | 0.831 | 0.791 [0.781, 0.801] | [0.776, 0.806] | **not compatible** | ")
    selected = (
        "the paper selects its epochs on the test split (tested: [selected-on-test](#one-thing-changed) closes 75%"
    )
    assert f"| {selected} of it); " in base
    assert base.endswith("; its word vectors are others (a guess; `twitter-vectors` would test it: not run) |")
    assert uniform == "| uniform | F1 | 0.822 | 0.812 [0.802, 0.822] | [0.797, 0.827] | compatible |  |"
    assert "In all rows: our word vectors: random.\n" in page
    assert "1821" not in page
    changed = "| SST | base | F1 | 0.831 | 0.791 [0.781, 0.801] | 0.821 [0.811, 0.831] | 75% | compatible |"
    assert changed in page.splitlines()
    assert "| F1 | 1 of 2 | 1 of 2 | 2 of 4 | 0.2 |" in page
    assert "Outside of the interval for single trainings: 1 of 2; by chance alone 0.1.\n" in page
    # two data sets, both above ours: 2 / 2^2
    assert "| base | F1 | Wiegreffe & Pinter 2019, table 2 | 2 | 0 | 0.032 | 0.500 |" in page
    assert "No row has 6 data sets, so none can show a bias by itself.\n" in page
    # 58 of the paper's are known here, and 4 have a counterpart
    assert "54 published numbers have no counterpart in these runs, by data set: Diabetes (11), " in page
    assert "no GPU" in page
    assert "`a.zip` is not the published file" in page
    assert "| 2026-01-02 | 0.5.0, `01234567` | 1.50 |" in page
    assert "by version 0.5.0, `01234567`" in page


def test_the_index_counts_the_verdicts(docs):
    index = (docs / "replication" / "README.md").read_text()
    assert "| 1 compatible, 1 not compatible, 1 data differ: within, 1 data differ: outside | 3.0 |" in index
    assert index.count("| not run yet |") == len(PAGES) - 1


def test_a_kept_run_shows_its_answers(docs):
    answers = answer_page(docs).partition("## What may be read into these maps\n")[2].partition("\n## ")[0]
    # the run that changes one thing says nothing of its own
    assert answers.count("### SST, Wiegreffe & Pinter 2019, base\n") == 1
    assert "In these two trainings, no claim clearly holds or fails" in answers
    assert "2 trainings, 350 texts; accuracy .79, largest class .50." in answers
    assert "| ·●· | The prediction depends on the weights | moderately | .075 | .068 to .082 |" in answers
    assert (
        "| ●●· | Attention helps the predictions (macro F1) | at most a small gain | +1.3 | +0.2 to +2.3 |" in answers
    )


def test_intervals_of_earlier_versions_are_computed_anew(docs, tmp_path):
    record = tmp_path / "replication"
    shutil.copytree(docs / "replication", record)
    for path in record.rglob("run.json"):
        path.write_text(path.read_text().replace(f'"attention_audit": "{__version__}"', '"attention_audit": "0.4.0"'))
    page = write_every_page(record)["replication/wiegreffe-pinter.md"]
    # of three trainings a number stands alone, and of two an estimate
    assert "| base | F1 | 0.831 | 0.791 | no verdict |" in page
    told = "an earlier version's run of fewer than 5 trainings"
    assert f"|  –  | The prediction depends on the weights | – | .075 | {told} |" in page
    for path in record.rglob("summary.csv"):
        path.write_text(path.read_text().replace("[0.05, 0.1]", "[0.05, 0.06, 0.07, 0.09, 0.1]"))
    page = write_every_page(record)["replication/wiegreffe-pinter.md"]
    # .075 +- 2.776 x .0207 / sqrt(5), and for one more training x sqrt(6 / 5)
    assert "| ·●● | The prediction depends on the weights | at least in part | .075 | .049 to .101 |" in page


def test_where_no_summary_is_kept_no_answer_is_shown(docs, tmp_path):
    record = tmp_path / "replication"
    shutil.copytree(docs / "replication", record)
    for path in record.rglob("summary.csv"):
        path.unlink()
    assert "What may be read" not in write_every_page(record)["replication/wiegreffe-pinter.md"]


def test_what_is_kept_names_no_place_of_one_machine_and_quotes_nobody(docs):
    folder = docs / "replication" / "wiegreffe-pinter"
    kept = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    one = {"sst/run.json", "sst/tables/summary.csv", "sst/tables/replication.csv", "sst/figures/wp_fig5_tvd_jsd.png"}
    assert kept == one | {"selected-on-test/run.json", "selected-on-test/tables/replication.csv"}
    for path in folder.rglob("*.*"):
        if path.suffix != ".png":
            assert not any(word in path.read_text() for word in ("secret-host", "/home", str(docs.parent))), path
    facts = json.loads((folder / "sst" / "run.json").read_text())
    assert [*facts["config"]["corpora"]] == ["sst", "agnews"]
    # what no table names has no label
    assert "lstm_tanh" not in facts["labels"]


def test_a_run_without_a_summary_is_kept_by_its_answers_on_tokens(tmp_path):
    results = run_in(tmp_path, [], ["sst"])
    tables = results / "tables"
    for ending in (".parquet", ".csv"):
        (tables / "summary").with_suffix(ending).rename((tables / "hf_table_generated").with_suffix(ending))
    log = results / "logs" / "train.log"
    log.write_text(log.read_text().replace("summary.parquet", "hf_table_generated.parquet"))
    said = keep_run(results, "generated", COMMIT, tmp_path)
    assert "not made: tables/summary.csv" in said
    assert (tmp_path / "generated" / "smollm2" / "tables" / "hf_table_generated.csv").is_file()


def test_a_run_is_kept_whole_or_not_at_all(docs, tmp_path):
    record = docs / "replication"
    before = {path: path.read_bytes() for path in record.rglob("*") if path.is_file()}
    results = run_in(tmp_path, NUMBERS, ["sst"])

    def refuse(match, name="wiegreffe-pinter", commit=COMMIT):
        with pytest.raises(AuditError, match=match):
            keep_run(results, name, commit, record)

    refuse(r"^nowhere: no such page; one of wiegreffe-pinter, ", "nowhere")
    refuse(r"^wiegreffe-pinter/x: no such run; one of wiegreffe-pinter/sst, ", "wiegreffe-pinter/x")
    refuse("not a commit", commit="latest")
    config = (results / "config.yaml").read_text()
    (results / "config.yaml").write_text(f"{config}\nno_such_key: 1\n")
    refuse("made by another version of this package; run it again")
    (results / "config.yaml").write_text(config)
    (results / "tables" / "summary.parquet").unlink()
    refuse(r"summary\.parquet: not there; let the run make all of it")
    assert {path: path.read_bytes() for path in record.rglob("*") if path.is_file()} == before


def test_a_fault_is_one_line(tmp_path, capsys):
    assert main(["--docs", str(tmp_path), "keep", str(tmp_path), "controls", "--commit", COMMIT]) == 1
    assert capsys.readouterr().err.startswith("error: ")


def test_pages_of_runs_that_are_gone_are_removed(tmp_path):
    stale = tmp_path / "replication" / "old.md"
    stale.parent.mkdir()
    stale.touch()
    assert main(["--docs", str(tmp_path)]) == 0
    assert not stale.exists()
    assert "not run yet" in (tmp_path / "replication" / "README.md").read_text()


def test_a_figure_is_made_small(tmp_path):
    path = tmp_path / "figure.png"
    noise = np.random.default_rng(1).integers(0, 255, (900, 1500, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    (tmp_path / "small.png").write_bytes(shrink_figure(path))
    with Image.open(tmp_path / "small.png") as image:
        assert image.size == (WIDTH, WIDTH * 3 // 5)


def test_a_small_figure_keeps_its_colours(tmp_path):
    """Four ramps from white share the colours of a figure, and none is off by more than one step of 16."""
    ramps = [np.linspace((255, 255, 255), hue, 250) for hue in ((0, 114, 178), (213, 94, 0), (0, 158, 115), (0, 0, 0))]
    pixels = np.repeat(np.array(ramps).round().astype(np.uint8), 30, axis=0)
    Image.fromarray(pixels).save(tmp_path / "figure.png")
    (tmp_path / "small.png").write_bytes(shrink_figure(tmp_path / "figure.png"))
    with Image.open(tmp_path / "small.png") as image:
        moved = np.abs(np.asarray(image.convert("RGB")).astype(int) - pixels)
    assert moved.max() <= 16


def test_paths_in_a_kept_configuration_begin_at_the_mirror(tmp_path):
    raw = config_of(tmp_path, ["sst"])
    config = parse_config(raw)
    raw["transformer"] = {"path": f"{tmp_path}/encoders/mini"}
    assert clean_config(raw, config)["transformer"] == {"path": "encoders/mini"}


def test_the_share_of_a_difference_that_a_change_closes():
    before = {"ours": 0.2, "published": 0.6}
    assert measure_closed(before, {"ours": 0.3}) == pytest.approx(0.25)
    assert measure_closed(before, {"ours": 0.1}) == pytest.approx(-0.25)
    assert [write_share(value) for value in (-0.001, 0.25, 1.184, -0.066)] == ["0%", "25%", "118%", "-7%"]
    assert write_share(NAN) == "no share"
    assert math.isnan(measure_closed({"ours": 0.6, "published": 0.6}, {"ours": 0.3}))


def test_a_claim_is_judged_by_its_findings(tmp_path):
    record = keep_one(tmp_path, "jain-wallace/sst", "sst")
    rows = [
        TABLE.blank | {"dataset": "sst", "model": "lstm_tanh", "ranking": "attention", "other": name, "part": "overall"}
        | {"metric": "tau", "mean": 0.4, "low": 0.3, "high": high, "seeds": 3}
        for name, high in (("gradient", 0.45), ("loo", 0.6))
    ]  # fmt: skip
    path = record / "jain-wallace" / "sst" / "tables" / "jw_table2_correlation.csv"
    pd.DataFrame(rows, columns=TABLE.schema.names).to_csv(path, index=False)
    every = write_every_page(record)
    page = every["replication/jain-wallace.md"]
    claim = (
        "| Attention orders the words only weakly as gradients and leave-one-out do, where states know their context"
    )
    about = "(section 4.1, table 2) | in part | in part: SST; not run: Diabetes, Anemia, ADR tweets, CNN |"
    assert f"{claim} {about}" in page
    assert f"{claim} {about}" in every["replication/README.md"].replace("| [Jain & Wallace 2019](jain-wallace.md) ", "")
    found = "| below 0.5 | 0.400 [0.300, {}] | {} | `tau` of `jw_table2_correlation` | sst, 0.5.0, `01234567` |"
    assert found.format("0.450", "comes back") in page
    assert found.format("0.600", "open") in page


def test_what_contradicts_a_paper_stands_in_the_first_lines(tmp_path):
    def write_table(run, name, rows):
        path = tmp_path / "replication" / run / "tables" / f"{name}.csv"
        pd.DataFrame([TABLE.blank | row for row in rows], columns=TABLE.schema.names).to_csv(path, index=False)

    def first_lines():
        return write_every_page(tmp_path / "replication")["replication/serrano-smith.md"].split("\n\n")[2]

    def ratio(dataset, low):
        about = {"dataset": dataset, "model": "han_none", "ranking": "gradient", "other": "attention", "seeds": 3}
        return about | {"metric": "earlier_ratio", "mean": low + 1, "low": low, "high": low + 2}

    keep_one(tmp_path / "a", "serrano-smith/agnews-4", "sst")
    keep_one(tmp_path / "b", "ladder/hannoenc", "sst")
    for part in "ab":
        shutil.copytree(tmp_path / part / "replication", tmp_path / "replication", dirs_exist_ok=True)
    write_table("serrano-smith/agnews-4", "ss_table_pairwise", [ratio("agnews-4", 2), ratio("imdb-ratings", 0.5)])
    assert "**Here, contradicted on AgNews (4 classes) with 3.000 [2.000, 4.000]; open, since " in first_lines()
    assert first_lines().endswith("the size of the training data, by [the ladder](ladder.md): not run.")
    rungs = ["newsgroups-20-1000", "newsgroups-20-8000"]
    write_table(
        "ladder/hannoenc", "ss_table_pairwise", [ratio(name, low) for name, low in zip(rungs, (9, 2), strict=True)]
    )
    sizes = [
        {"dataset": name, "part": "train", "metric": "instances", "mean": size}
        for name, size in zip(rungs, (907, 7349), strict=True)
    ]
    write_table("ladder/hannoenc", "wp_table1_datasets", sizes)
    found = "of 907 texts 10.000 [9.000, 11.000], of 7349 texts 3.000 [2.000, 4.000]. Contradicted at 2 of 2 sizes"
    assert first_lines().endswith(f"{found}; from the fewest texts to the most: falls.")


def test_a_page_has_ours_beside_the_settings_of_the_authors(docs):
    page = answer_page(docs)
    assert "| epoch selected on | dev | test, by ROC-AUC | code |" in page
    assert "| word vectors | random | fastText simple, 300 dimensions | code |" in page


def test_a_page_says_what_is_absent_and_what_it_cost_before_all(docs):
    _, about, effort, claims, *_ = answer_page(docs).split("\n\n")
    assert "Absent: Diabetes and Anemia" in about
    assert effort.startswith("2 runs, 3.0 CPU hours on CPU 1. An interval is of the mean")
    assert claims == "## Claims"


def test_cells_are_matched_whole():
    told = number("sst", "base", 0.8, 0.8)
    assert match_cells(Cells("sst", "base|uniform"), told)
    assert not match_cells(Cells("ss"), told)
    assert not match_cells(Cells(metric="f"), told)


def test_lists_come_back_from_a_csv(tmp_path):
    path = tmp_path / "texts.csv"
    frame = pd.DataFrame({"dataset": ["a"], "words": [["it's", "nan, 1"]], "weights": [[0.25, NAN]]})
    frame.to_csv(path, index=False)
    (row,) = read_csv(path, TEXTS).to_dict("records")
    assert row["words"] == ["it's", "nan, 1"]
    assert row["weights"] == pytest.approx([0.25, NAN], nan_ok=True)
    assert row["contributions"] == []
    path.write_text(path.read_text().replace("nan, 1", "'"))
    with pytest.raises(AuditError, match=r"texts\.csv: not a table of kind texts"):
        read_csv(path, TEXTS)


def test_a_table_comes_back_from_its_csv(tmp_path):
    rows = [TABLE.blank | {"dataset": "sst", "mean": 0.1 + 0.2, "low": -math.inf, "note": "NA"}]
    frame = pd.DataFrame(rows, columns=TABLE.schema.names)
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    (row,) = read_csv(path, TABLE).to_dict("records")
    assert (row["mean"], row["low"], row["note"]) == (0.1 + 0.2, -math.inf, "NA")
    frame.drop(columns="note").to_csv(path, index=False)
    assert [*read_csv(path, TABLE)["note"]] == [""]


def test_long_tables_are_folded():
    table = "| a |\n| --- |\n" + "".join(f"| {number} |\n" for number in range(24))
    assert fold(table) == table
    long = f"{table}| 24 |\n"
    assert fold(long) == f"<details><summary>25 rows</summary>\n\n{long}\n</details>\n"


def test_what_all_rows_have_alike_is_said_once():
    rows = pd.DataFrame([["SST", "a", "1", "", "3"], ["SST", "b", "", "", "3"]])
    rows.columns = pd.Index(["data set", "row", "F1", "λ", "seeds"])
    assert narrow(rows) == "In all rows: data set SST; seeds 3.\n\n| row | F1 |\n| --- | --- |\n| a | 1 |\n| b |  |\n"
    # of a single row nothing can be said of all
    assert narrow(rows[:1]) == "| data set | row | F1 | seeds |\n| --- | --- | --- | --- |\n| SST | a | 1 | 3 |\n"


def test_a_wide_table_is_parted():
    rows = pd.DataFrame([["a", *"0123456789", "", ""], ["b", *"1234567890", "1", "2"]])
    rows.columns = pd.Index(["row", *(f"m{number}" for number in range(12))])
    first, second = narrow(rows).split("\n\n")
    lines = [[*rows], ["---"] * 13, *rows.to_numpy().tolist()]
    assert first.splitlines() == [f"| {' | '.join(line[:7])} |" for line in lines]
    # a row that has no value there would be left out
    assert second.splitlines() == [f"| {' | '.join([line[0], *line[7:]])} |" for line in lines]
