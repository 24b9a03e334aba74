"""The configuration that `init` writes for a file: what it finds, what it guesses, and how it refuses."""

import json
import zipfile
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spacy
import yaml
from planned import CATALOGUE, ROOT, overlaid
from refusal import refusal
from tables_on_disk import write_rows

from attention_audit import __main__ as command_line
from attention_audit import initialising as module
from attention_audit.corpus.checkup import check_dataset
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.tokens import build_pipeline
from attention_audit.initialising import propose_configuration
from attention_audit.plan.plan import Plan

SAID = "the film was great and I would see it again with my friends because nobody had told me about it"


def texts(number=60, words=9):
    """Different English texts."""
    return [" ".join((SAID.split() * 20)[at % 7 :][:words]) + f" {at}" for at in range(number)]


def csv(header, *columns, delimiter=","):
    """A csv file with these columns."""
    rows = (delimiter.join(map(str, row)) for row in zip(*columns, strict=True))
    return "".join(f"{row}\n" for row in ([header, *rows] if header else rows)).encode()


@pytest.fixture
def written(tmp_path):
    """The entry that is written for a file of this content, which the plan takes."""

    def run(content, name="reviews.csv", **named):
        path, into = tmp_path / name, tmp_path / f"{name}.yaml"
        path.write_bytes(content)
        propose_configuration([path], into, **named)
        raw = yaml.safe_load(into.read_text())
        plan = Plan(overlaid(CATALOGUE, raw), CATALOGUE, tmp_path / "memory")
        (dataset,) = raw["datasets"]
        assert raw["results"] == f"runs/{dataset}"
        assert plan.read[0].startswith(f"{dataset}: ")
        entry = raw["corpora"][dataset]
        assert entry.pop("path") == str(path)
        assert entry.pop("kind") == "table"
        return entry

    return run


LABELS = ["no", "yes"] * 30
USUAL = {"text": "text", "label": "label", "tokens": {"tokenizer": "en"}, "classes": ["no", "yes"]}


PLAIN = csv("text,label", texts(), LABELS)
FOUND = {
    "plain": (PLAIN, {}),
    "semicolons": (
        csv("text;label", texts(), LABELS, delimiter=";").replace(b"great", b"great, yes,"),
        {"delimiter": ";"},
    ),
    "html, an emoji and NUL": (
        PLAIN.replace(b"great", b"<b>great</b> \xf0\x9f\x98\x80 \0"),
        {"tokens": {"tokenizer": "en", "strip_html": True}},
    ),
    "an index without a name": (csv(",text,label", range(60), texts(), LABELS), {}),
    "no header": (csv("", texts(), LABELS), {"columns": ["column1", "column2"], "text": "column1", "label": "column2"}),
    "several texts": (csv("stars,title,body", LABELS, texts(60, 3), texts()), {"text": "body", "label": "stars"}),
    "ids twice": (csv("id,text,label", [f"r{at % 50}" for at in range(60)], texts(), LABELS), {"id": None}),
    "splits": (
        csv("text,label,fold", texts(), LABELS, ["train", "train", "val", "val", "test", "test"] * 10),
        {"split": "fold"},
    ),
    "means of transport": (csv("text,label,by", texts(), LABELS, ["train", "tram"] * 30), {}),
    "labels that look like splits": (
        csv("text,label", texts(), ["training", "testing"] * 30),
        {"classes": ["testing", "training"]},
    ),
    "documents": (
        csv("text,label,doc_id,id", texts(), LABELS, [at // 4 for at in range(60)], range(60)),
        {"id": "id", "group": None},
    ),
    "a document a text": (csv("text,label,author", texts(), LABELS, range(60)), {}),
    "no labels in some rows": (csv("text,label", texts(), [*LABELS[:-2], "", ""]), {"drop_unlabelled": True}),
    "long texts": (csv("text,label", texts(60, 120), LABELS), {"tokens": {"tokenizer": "en", "sentences": True}}),
    "marked words": (
        csv("text,label,rationale", texts(), LABELS, ["1 3"] * 60),
        {"evidence": {"columns": "rationale", "written": "words"}},
    ),
    "apostrophes around fields": (
        csv("text,label", [f"'{text}, so'" for text in texts()], LABELS),
        {"quotes": "single"},
    ),
    "Excel's separator": (b"sep=;\n" + PLAIN.replace(b",", b";"), {"delimiter": ";", "skip": 1}),
    "Chinese": (
        csv("text,label", [f"这部电影很好看我非常喜欢它 {at}" for at in range(60)], LABELS).decode().encode("gb18030"),
        {"encoding": "gb18030", "tokens": {"tokenizer": "zh"}},
    ),
}
"""Files, and what is written of each beside the usual."""


@pytest.mark.parametrize("name", FOUND)
def test_what_a_file_tells_is_written_and_the_plan_takes_it(written, name):
    content, expected = FOUND[name]
    assert written(content) == USUAL | expected


def test_fields_of_objects_have_names_with_dots(written, tmp_path):
    rows = [{"data": {"text": text}, "label": label} for text, label in zip(texts(), LABELS, strict=True)]
    path = write_rows(tmp_path / "made.jsonl", rows)
    assert written(path.read_bytes(), "own.jsonl") == USUAL | {"text": "data.text"}


def test_files_of_other_kinds_are_called_what_they_are(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["text", "label"])
    for number, text in enumerate(texts()):
        book.active.append([text, f'=IF({number % 2},"yes","no")'])
    book.save(tmp_path / "formulas.xlsx")
    (tmp_path / "book.xls").write_bytes((tmp_path / "formulas.xlsx").read_bytes())
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0....")
    with zipfile.ZipFile(tmp_path / "own.csv.zip", "w") as archive:
        archive.writestr("own.csv", PLAIN)
    none = (
        "none of the columns looks like labels ('text', 'label'; 'label' without values); name the one with --label, "
    )
    said = {
        "formulas.xlsx": f"{none}or give the file one; formulas have values once a spreadsheet program has saved them",
        "book.xls": "is a workbook (.xlsx) or another zip archive; give it the ending of what it is, or save it as csv",
        "old.xls": "is an old workbook (.xls), or one with a password; save it as csv",
        "own.csv.zip": "is a zip archive of 'own.csv'; unpack it",
    }
    for name, line in said.items():
        assert refusal(propose_configuration, [tmp_path / name], into=tmp_path / "made") == f"{tmp_path / name}: {line}"


REFUSED = {
    "empty": (b"", ": no rows in it; give it texts, below a header if it is csv or tsv"),
    "one column": (
        csv("text", texts()),
        ": none of the columns looks like labels ('text'); name the one with --label, or give the file one; "
        "classifiers that are given (`hf`) read texts without, where the entry has `label: null`",
    ),
    "a word that is no split": (
        csv("text,label,fold", texts(), LABELS, ["train", "train", "dev", "train", "testing", "train"] * 10),
        ", line 6: unknown split 'testing' (did you mean 'test'?); write one of train, dev, test",
    ),
    "one line from Windows": (
        PLAIN.replace(b"great", "café".encode()).replace("é".encode(), b"\xe9", 1),
        f", line 2: not utf-8, as {PLAIN.count(b'great') - 1} other lines with more than ASCII "
        "are; mend the line, or save the file as utf-8",
    ),
}
"""Files that cannot be read or trained on, and why."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_one_line_and_writes_nothing(tmp_path, name):
    content, line = REFUSED[name]
    path, into = tmp_path / "reviews.csv", tmp_path / "mine.yaml"
    path.write_bytes(content)
    assert refusal(propose_configuration, [path], into=into).removeprefix(f"{path}").removeprefix("reviews") == line
    assert not into.exists()


def test_columns_that_the_user_names_are_taken_or_refused_by_their_names(written, tmp_path):
    content = csv("body,summary,shop,colour", texts(), texts(60, 5), ["a", "b", "c"] * 20, LABELS)
    entry = written(content, text="summary", label="shop")
    assert (entry["text"], entry["label"]) == ("summary", "shop")
    (tmp_path / "reviews.csv.yaml").unlink()
    said = refusal(written, content, label="shops")
    assert "no column 'shops', only 'body', " in said
    assert " (did you mean 'shop'?); set `--label`" in said
    same = "text and label are the same column, 'shop'; name another for one of them"
    assert same in refusal(written, content, text="shop", label="shop")
    said = propose_configuration([tmp_path / "reviews.csv"], tmp_path / "mine.yaml")
    assert "    text: body                        # guess; --text names another, such as 'summary'\n" in said
    assert "    label: colour                     # guess; --label names another, such as 'shop'\n" in said


@pytest.mark.parametrize("name", ["2024", "2024-01-15", "on", "null", "1e3", "0x1f", "no"])
def test_names_that_yaml_reads_as_something_else_are_quoted(written, name):
    assert written(PLAIN, f"{name}.csv") == USUAL


def test_columns_in_other_languages_are_guessed_by_their_values(written):
    keys = [f"{at:08x}-4e5f-11ee-be56-0242ac120002-{at:040x}" for at in range(60)]
    times, codes = ["2023-01-02 11:05:30", "2023-01-03 11:05:30"] * 30, ["m", "w"] * 30
    columns = (keys, times, [3, 5] * 30, codes, texts(), ["gut", "so", "schlecht"] * 20, texts(60, 3))
    entry = written(csv("kennung,zeitpunkt,jahr,geschlecht,beitrag,urteil,titel", *columns))
    assert entry == USUAL | {"text": "beitrag", "label": "urteil", "classes": ["gut", "schlecht", "so"]}
    entry = written(csv("评论,年份,标签", texts(), [3, 5] * 30, ["正面", "负面", "中性"] * 20), "other.csv")
    assert entry == USUAL | {"text": "评论", "label": "标签", "classes": ["中性", "正面", "负面"]}


def test_a_column_that_says_which_texts_belong_together_is_proposed(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_bytes(csv("text,label,user", texts(), LABELS, ["ann", "bob", "cem"] * 20))
    said = propose_configuration([path], tmp_path / "mine.yaml")
    assert (
        "    group: null                       # or 'user', if its 3 values say which texts belong together\n" in said
    )


def test_a_call_says_what_was_found_and_what_to_do_next(
    tmp_path,
    capsys,
    monkeypatch,
    caplog,
):
    (tmp_path / "imdb.csv").write_bytes(PLAIN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "TREE", tmp_path)
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    assert command_line.main(["init", "imdb.csv"]) == 0
    said = capsys.readouterr().out.splitlines()
    configuration = (tmp_path / "mine.yaml").read_text()
    assert said[: len(configuration.splitlines())] == configuration.splitlines()
    assert said[-7:] == [
        "my-imdb: 60 texts, 2 classes (no 30, yes 30); 40 train, 8 dev, 12 test (test and dev drawn)",
        "my-imdb: about 10 words a text (median), 10 in the longest; words by spaCy's rules for 'en'",
        "warning: my-imdb: 12 test texts are too few for a verdict on any claim: 100 are needed, as about 500 rows"
        " give",
        "",
        "This is mine.yaml. Check the lines with `guess`, and that the columns are those that you mean. Next:",
        "  snakemake -n --configfile mine.yaml",
        "  snakemake --cores 2 all --configfile mine.yaml",
    ]
    assert command_line.main(["init", "imdb.csv", "--label", "label"]) == 1
    assert command_line.main(["init", "imbd.csv", "--into", "other.yaml"]) == 1
    assert command_line.main(["init", "--into", "other.yaml"]) == 1
    assert [record.getMessage() for record in caplog.records] == [
        "error: mine.yaml: is there already; remove it, or write another file: `python -m attention_audit init imdb.csv"
        " --label label --into mine-2.yaml`",
        "error: imbd.csv: not there (did you mean 'imdb.csv'?); name a file that ends in .csv, .tsv, .json, .jsonl ("
        ".gz or .bz2 may follow), .parquet or .xlsx",
        "error: init: name one file of texts and labels, as in `python -m attention_audit init reviews.csv`",
    ]
    assert (tmp_path / "mine.yaml").read_text() == configuration


def test_columns_of_several_labels_are_named(tmp_path):
    path, into = tmp_path / "reviews.csv", tmp_path / "mine.yaml"
    flags = ([0, 1] * 30, [1, 0] * 30, [1, 0, 0] * 20)
    path.write_bytes(csv("text,joy,anger,fear", texts(), *flags))
    assert (
        "warning: reviews: columns 'joy', 'anger', 'fear' have the same values (0, 1), as several labels of a text "
        "have; only 'joy' is asked about; for all of them, make one column\n"
    ) in propose_configuration([path], into)
    into.unlink()
    path.write_bytes(csv("text,ann,bob", texts(), *[[*"abc"] * 20] * 2))
    assert "columns 'ann', 'bob' have the same values (a, b, c)" in propose_configuration([path], into)
    for header, columns in (("text,joy,anger", flags[:2]), ("text,label,sent,seen", flags)):
        into.unlink()
        path.write_bytes(csv(header, texts(), *columns))
        assert "the same values" not in propose_configuration([path], into)


def test_a_second_header_hides_no_column(tmp_path):
    path = tmp_path / "reviews.csv"
    question = "How would you say that you liked it on the whole?"
    path.write_bytes(csv("text,label", ["What did you think?", *texts()], [question, *LABELS]))
    assert ", line 2: looks like another header: no other row has label 'How would you say " in refusal(
        propose_configuration, [path], into=tmp_path / "mine.yaml"
    )


def test_the_names_of_classes_of_a_parquet_file_are_used(tmp_path, written):
    features = {"label": {"names": ["worse", "better"], "_type": "ClassLabel"}}
    table = pa.table({"text": texts(), "label": [0, 1, 1, -1] * 15})
    table = table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    pq.write_table(table, tmp_path / "made.parquet")
    entry = written((tmp_path / "made.parquet").read_bytes(), "own.parquet")
    names = {"aliases": {"0": "worse", "1": "better"}, "missing": ["-1"], "classes": ["worse", "better"]}
    assert entry == USUAL | names
    source = TableCorpus.model_validate({"kind": "table", "path": str(tmp_path / "own.parquet")})
    assert (
        'own: the file has names for these labels; `aliases: {"0": "worse", "1": "better"}` uses them, and '
        "`missing: ['-1']` leaves out texts without a label"
    ) in check_dataset("own", source, {"path": tmp_path / "own.parquet"}).odd


def test_of_many_texts_it_is_said_how_to_take_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MANY_TEXTS", 50)
    (tmp_path / "a.csv").write_bytes(PLAIN)
    said = propose_configuration([tmp_path / "a.csv"], tmp_path / "mine.yaml")
    sample = "splits: {most: {train: 20000, dev: 2000, test: 2000}}"
    assert f"warning: a: 60 texts make trainings long; in the entry of the data set, `{sample}`" in said
    raw = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    raw["corpora"]["a"] |= yaml.safe_load(sample)
    assert Plan(overlaid(CATALOGUE, raw), CATALOGUE, tmp_path / "memory").config.corpora["a"].splits.most.train == 20000


def test_without_a_snakefile_here_the_package_runs_its_own(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_bytes(PLAIN)
    monkeypatch.chdir(tmp_path)
    said = propose_configuration([Path("a.csv")], Path("mine.yaml"))
    assert "  python -m attention_audit run -n --configfile mine.yaml\n" in said
    assert yaml.safe_load((tmp_path / "mine.yaml").read_text())["corpora"]["a"]["path"] == "a.csv"


def test_a_language_whose_package_is_missing_is_said_and_the_plan_refuses_it(tmp_path, monkeypatch):
    def fail(code, config):
        raise ImportError("Japanese support requires SudachiPy")

    build_pipeline.cache_clear()
    monkeypatch.setattr(spacy, "blank", fail)
    path, into = tmp_path / "own.csv", tmp_path / "mine.yaml"
    path.write_bytes(csv("text,label", [f"この映画はとても良かったです {at}" for at in range(60)], LABELS))
    line = (
        "own: tokens: Japanese words are found by SudachiPy, which is not installed; install it (`python -m pip "
        "install sudachipy sudachidict_core`), or set `tokens: {tokenizer: spaces}` where spaces stand between the "
        "words already"
    )
    assert f"warning: {line}\n" in propose_configuration([path], into)
    raw = overlaid(CATALOGUE, yaml.safe_load(into.read_text()))
    assert refusal(lambda: Plan(raw, CATALOGUE, tmp_path / "memory")) == line
