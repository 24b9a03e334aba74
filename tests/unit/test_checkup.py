"""The look at a user's own files before a run."""

import pytest
from refusal import refusal

from attention_audit.corpus import checkup
from attention_audit.corpus.sources.table import TableCorpus
from attention_audit.corpus.text import find_misread

RARE = "have fewer texts than there are splits"
MERGE = "merge such classes with `aliases`, or leave them out with `missing`"


def distinct(number, labels=("yes", "no"), start=0):
    """Rows with different texts whose labels come in turn."""
    return [(f"text {start + place}", labels[place % len(labels)]) for place in range(number)]


def look_at(folder, rows, most=None, header="text,label", **settings):
    """Look at a csv file of these rows."""
    path = folder / "own.csv"
    path.write_text("\n".join([header, *map(",".join, rows)]) + "\n")
    source = TableCorpus.model_validate({"kind": "table", "path": str(path), **settings})
    return checkup.check_dataset("own", source, {"path": path}, most)


@pytest.fixture
def looked(tmp_path):
    """What is odd in a csv file of these rows, without the name of the data set."""

    def run(rows, small=False, **settings):
        lines = look_at(tmp_path, rows, **settings).odd
        assert all(line.startswith("own: ") for line in lines)
        # nearly all files here are small, which has a test of its own
        return [line.removeprefix("own: ") for line in lines if small or "too few" not in line]

    return run


@pytest.fixture
def refused(looked, tmp_path):
    """What is said of rows that cannot be run, without the file's name."""

    def run(*arguments, **settings):
        said = refusal(looked, *arguments, **settings)
        return said.removeprefix(f"{tmp_path / 'own.csv'}, ").removeprefix("own: ")

    return run


SPLIT = {"header": "text,label,split", "split": "split"}
APART = [(*row, split) for at, split in enumerate(("train", "dev", "test")) for row in distinct(20, start=20 * at)]
"""Rows of which each split has 20 texts of its own."""


@pytest.mark.parametrize(
    ("rows", "settings", "lines"),
    [
        (distinct(40), {}, []),
        (
            [*distinct(40), ("", "yes"), ("\u200b", "yes"), ("<br>", "no")],
            {"tokens": {"strip_html": True}},
            ["3 of 43 rows have a label and no text, and are left out"],
        ),
        (
            [*distinct(40), *[("no comment", "yes")] * 7],
            {"splits": {"alike_together": True}},
            ["6 of 47 texts repeat an earlier one", "one text stands 7 times; it begins with 'no comment'"],
        ),
        ([("yes", "yes"), ("no", "no"), *distinct(40)], {}, ["2 of 42 texts are the same as their label"]),
        (
            [*APART, *((*row, "test") for row in distinct(20))],
            SPLIT,
            [
                "20 of 80 texts repeat an earlier one",
                "20 texts stand in train and in test, so that the model is tested on what it was trained on; `splits: "
                "{alike_together: true}` keeps each in one split",
            ],
        ),
        (
            [*APART, ("rare", "maybe", "train")],
            SPLIT,
            [
                f"1 of 3 classes {RARE}: 'maybe'; {MERGE}",
                "split test: no text has label 'maybe': nothing is asked about it",
            ],
        ),
    ],
)
def test_what_is_odd_is_said_with_its_counts(looked, rows, settings, lines):
    assert looked(rows, **settings) == lines


@pytest.mark.parametrize(
    ("rows", "settings", "message"),
    [
        (distinct(40, ("yes",)), {}, "split train: every text has label 'yes'; add texts of another one"),
        ([("", "yes"), (" ", "no")], {}, "no row has a text in column 'text' and a label; name other columns"),
        (
            [*distinct(40), ("a", "maybe")],
            {"classes": ["yes", "no"]},
            "line 42: label 'maybe' is not among `classes` ('yes', 'no'), and 1 text has such a label: 'maybe'; "
            "name them there, or leave `classes` out",
        ),
        (
            distinct(40),
            {"classes": ["yes", "no", "maybe"]},
            "split train: no text has label 'maybe'; add some, or leave these labels out",
        ),
        (
            [*distinct(40), ("a", "no|yes")],
            {},
            "41 texts cannot be split into 32 and 9 (every class needs texts on both sides); give more texts, or set "
            f"`splits.stratified: false`; 1 of 3 classes {RARE}: 'no|yes'; {MERGE}; 1 text seems to have several "
            "labels ('no|yes'), which count as 1 class more; give each text one label, or leave such texts out",
        ),
        # the test split takes one text of the rare class, and one is left for train and dev
        (
            [*distinct(100), *distinct(2, ("rare",), 100)],
            {},
            "81 texts cannot be split into 68 and 13 (every class needs texts on both sides); give more texts, or set "
            f"`splits.stratified: false`; 1 of 3 classes {RARE}: 'rare'; {MERGE}",
        ),
        # one in three of the test texts is taken, and of one text none
        (
            [*APART, ("rare", "maybe", "train"), ("so rare", "maybe", "test")],
            SPLIT | {"splits": {"most": {"test": 7}}},
            "21 texts cannot be split into 7 and 14 (every class needs texts on both sides); give more texts, or leave "
            f"out `splits.most`; 1 of 3 classes {RARE}: 'maybe'; {MERGE}",
        ),
        (
            [*APART[:20], *APART[40:], ("", "yes", "dev")],
            SPLIT,
            "split dev: every text is empty, or has no label; check the source",
        ),
    ],
)
def test_what_cannot_be_run_is_refused(refused, rows, settings, message):
    assert refused(rows, **settings) == message


def test_too_few_test_texts_are_said_with_what_is_needed(looked):
    assert looked(distinct(300), small=True) == [
        "60 test texts are too few for a verdict on any claim: 100 are needed, as about 500 rows give"
    ]
    assert looked(distinct(700), small=True) == []
    given = [(*row, "test" if place < 40 else "train") for place, row in enumerate(distinct(1000))]
    assert looked(given, small=True, **SPLIT) == [
        "40 test texts are too few for a verdict on any claim: 100 are needed"
    ]


def test_rows_without_a_label_are_counted(looked, refused):
    rows = [*distinct(40), ("a", ""), ("b", " ")]
    assert refused(rows) == (
        "line 42: no label in column 'label', nor have 1 more of 42 rows; give them labels, or leave such rows out "
        "with `drop_unlabelled: true`"
    )
    (line,) = looked(rows, drop_unlabelled=True)
    assert line.startswith("2 of 42 rows have no label and are left out; first: ")
    assert line.endswith("own.csv, line 42")


def test_texts_that_repeat_others_are_counted(looked):
    rows = [*distinct(40), ("Text  3", "no"), ("text 3", "yes"), ("text 4", "yes")]
    assert looked(rows) == [
        "3 of 43 texts repeat an earlier one, 1 of them but for case, punctuation or invisible characters, 1 of them "
        "with another label",
    ]


def test_texts_alike_but_for_marks_are_one(looked):
    def stands_in_both(other):
        quoted = '"' + other.replace('"', '""') + '"'
        lines = looked([*APART, ('"A fine film, it\'s good."', "yes", "train"), (quoted, "yes", "test")], **SPLIT)
        return any("1 text stands in train and in test" in line for line in lines)

    alike = ("A fine film it's good", '  "A fine film" -- it\u2019s\tgood!!!', "a fine\u3164 film it's good")
    assert [stands_in_both(other) for other in alike] == [True] * 3
    assert not stands_in_both("a fine film it's good \U0001f600")
    assert not stands_in_both("a fine film, it isn't good")
    assert checkup.reduce_text(":)") == checkup.reduce_text(": )\u2060") != checkup.reduce_text(":(")


# few texts a score, and many
@pytest.mark.parametrize("times", [1, 16])
def test_scores_are_no_labels(refused, looked, times):
    rows = [(f"text {number}", f"{number % (400 // times)}.5") for number in range(400)]
    assert refused(rows) == (
        f"column 'label' holds numbers with decimals, {400 // times} different ones in 400 texts (0.5, 1.5, 2.5, 3.5, "
        f"4.5 and {400 // times - 5} more): make classes of them, in a column of their own"
    )
    stars = [(f"text {number}", f"{number % 10 / 2}") for number in range(400)]
    assert looked(stars) == []
    # as numpy writes them
    classes = [(f"text {number}", f"{number % 2 * 10:e}") for number in range(400)]
    assert looked(classes) == []


def test_many_small_classes_cannot_be_drawn(refused):
    rows = distinct(400, tuple(f"c{number}" for number in range(200)))
    doubt = "200 classes in 400 texts: is column 'label' a label? If not, name another column as `label`"
    assert refused(rows) == doubt
    # whoever names so many classes means them
    declared = refused(rows, classes=[f"c{number}" for number in range(200)])
    assert declared.startswith("400 texts cannot be split into 320 and 80 ")
    assert f"; {doubt}; " in declared


def test_of_a_long_file_the_first_rows_are_looked_at(looked, monkeypatch):
    monkeypatch.setattr(checkup, "CHECKED_ROWS", 10)
    assert looked([*distinct(10, ("yes",)), *distinct(10)]) == ["only the first 10 rows were looked at before the run"]


def test_what_was_read_is_said(tmp_path):
    """Of 31 texts, 7 are a fifth, and 4 are 15 % of the other 24. A text has as many words as its number in tens."""
    rows = [(" ".join(["word"] * (number // 10 + 1)), "yes" if number % 3 else "no") for number in range(31)]
    assert look_at(tmp_path, rows, tokens={"tokenizer": "spaces"}).read == [
        "own: 31 texts, 2 classes (yes 20, no 11); 20 train, 4 dev, 7 test (test and dev drawn)",
        "own: about 2 words a text (median), 4 in the longest; words are set apart by white space",
    ]
    settings = {"trained_on": {"dataset": "sst"}, "length": {"below": 100}}
    assert look_at(tmp_path, rows, **settings).read == [
        "own: 31 texts, 2 classes (yes 20, no 11); 31 test, before texts are left out by their `length`",
        "own: about 2 words a text (median), 4 in the longest; words by spaCy's rules for 'en'",
    ]


def test_groups_are_counted(tmp_path):
    grouped = {"header": "text,label,user", "group": "user"}
    rows = [(f"a {at}", "ab"[at // 15], ("ann", "bob")[at % 2]) for at in range(30)]
    # a row without a text is no text of its group
    for more, said in (
        ([], "30 texts in 2 groups, 2 classes (a 15, b 15); "),
        ([("b", "b", ""), ("", "b", "cem")], "31 texts in 2 groups and 1 in none, 2 classes (b 16, a 15); "),
    ):
        assert look_at(tmp_path, [*rows, *more], **grouped).read[0].startswith(f"own: {said}")


def test_groups_that_stand_in_test_and_in_another_split_are_told(looked):
    grouped = {"header": "text,label,split,user", "split": "split", "group": "user"}
    rows = [(*row, user) for row, user in zip(APART, ["ann"] * 20 + ["bob"] * 20 + ["cem"] * 20, strict=True)]
    assert looked(rows, **grouped) == []
    assert looked([*rows, ("a", "yes", "dev", "cem"), ("b", "no", "test", "")], **grouped) == [
        "1 group has texts in test and in another split, so that the model may know them from training; first: 'cem'; "
        "a column that `split` names can keep each in one"
    ]


def test_rows_that_belong_to_the_header_or_below_the_table_are_no_classes(refused, looked):
    rows = distinct(40)
    said = "take it out, or name this label in `classes` if it is one"
    header, ids = ("How was it?", "Good or bad?"), ("QID1", "QID2")
    assert (
        refused([header, *rows]) == f"line 2: looks like another header: no other row has label 'Good or bad?'; {said}"
    )
    assert refused([header, ids, *rows]) == (
        f"line 2: looks like another header, and so does the next row: no other row has label 'Good or bad?'; {said}"
    )
    for footer in (("Total", "n/a"), ("(40 rows affected)", "-"), ("Summe:", "40"), ("all of them", "40")):
        last = f"line 42: looks like a footer: no other row has label {footer[1]!r}; {said}"
        assert refused([*rows, footer]) == last
    assert refused([*rows[:20], ("Review", "Sentiment"), *rows[20:]]) == (
        "line 22: looks like another header: 'Review' with label 'Sentiment'; take it out"
    )
    declared = {"classes": ["yes", "no", "Good or bad?"], "splits": {"stratified": False}}
    assert looked([header, *rows], **declared)[0].startswith(f"1 of 3 classes {RARE}")


def test_names_of_parts_are_told(tmp_path):
    for name, parts in (("train-00000-of-00002", 2), ("test-00000-of-00001", 1), ("out-of-10", 1)):
        path = tmp_path / f"{name}.csv"
        path.write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in distinct(40)))
        source = TableCorpus.model_validate({"kind": "table", "path": str(path)})
        odd = [line for line in checkup.check_dataset("own", source, {"path": path}).odd if "parts" in line]
        line = f"own: {path} is one of {parts} parts, as its name says; join them to one file to read all texts"
        assert odd == ([line] if parts > 1 else [])


def test_texts_of_another_language_than_that_of_the_rules_are_told(looked):
    german = [(f"das ist ein Film {at}, den ich nicht noch einmal sehen will", "yes") for at in range(2)]
    english = [(f"this is a film {at} that I do not want to see again", "yes") for at in range(38)]
    rows = [(f"{text}", "yes" if at % 2 else "no") for at, (text, _) in enumerate([*german, *english])]
    (line,) = looked([(text.replace(",", ""), label) for text, label in rows])
    assert line.startswith("2 of 40 texts that were looked at seem to be in another language than 'en' (de 2); first: ")
    assert line.endswith("own.csv, line 2; all are split by the rules of 'en', which `tokens: {tokenizer: ...}` names")
    assert looked([(text.replace(",", ""), label) for text, label in rows[2:]]) == []


SOUND = [
    "für Käse – schön",
    "Il a dit « déjà »",
    "MANHÃ” e NÃO",
    "DÉJÀ\u00a0!",
    "“quoted” … 5 €",
    "привет мир",
    "ελληνικά",
    "日本",
]


def test_utf8_that_was_read_as_cp1252_is_found_and_nothing_else():
    damaged = [text.encode().decode("cp1252", "ignore") for text in (*SOUND[:2], "it’s", "😀 so", "à", *SOUND[5:])]
    damaged += [text.encode().decode("mac_roman") for text in ("adoré", "it’s")]
    assert all(map(find_misread, damaged))
    assert not any(map(find_misread, SOUND))


def test_given_splits_and_their_most_are_counted(tmp_path):
    splits = ["train"] * 20 + ["test"] * 10 + ["dev"] * 4
    rows = [(f"a {at}", "abc"[at % 3], split) for at, split in enumerate(splits)]
    most = {"most": {"train": 12}, "test_sample": 0.5}
    line, _ = look_at(tmp_path, rows, splits=most, **SPLIT).read
    assert line == "own: 34 texts, 3 classes (a 12, b 11, c 11); 12 train, 4 dev, 5 test"
    # of ten texts for the test, three are left out, and three of the others are taken
    other = {"trained_on": {"dataset": "sst", "labels": {"a": None}}, "splits": {"most": {"test": 3}}}
    line, _ = look_at(tmp_path, rows, **other, **SPLIT).read
    assert line == "own: 34 texts, 3 classes (a 12, b 11, c 11); 3 test"


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (
            [("word " * 3000, "yes")],
            "own.csv, line 82: a text of about 3,000 words, where half of the texts have at most 2; a batch is as long "
            "as its longest text, so that the run may take several times as long; `length: {below: 20}`, in the entry "
            "of the data set, leaves it out",
        ),
        (
            [(f"one {at}", "yes | no") for at in range(3)] + [(f"two {at}", "no;yes") for at in range(4)],
            "7 texts seem to have several labels ('no;yes', 'yes | no'), which count as 2 classes more; give each text "
            "one label, or leave such texts out",
        ),
        ([("12.5", "yes"), ("7", "no")], "2 of 82 texts are a number; first: own.csv, line 82"),
        (
            [("a<br />b", "yes"), ("a < b <url> <3 R&D; > c", "no"), ("it&#39;s", "no")],
            "2 texts have HTML tags or entities; first: own.csv, line 82, '<br />'; `tokens: {strip_html: true}` reads "
            "tags as spaces, and entities as characters",
        ),
        (
            [("ខ្ញុំមើលភាពយន្តនេះ" * 20, "yes")],
            "the texts have hardly any spaces, so that `tokenizer: en` takes clauses for words; set `tokens: "
            "{tokenizer: km}` (Khmer is split into single characters, so that maps are of characters; for words, use "
            "`spaces` and set some between words, as khmer-nltk can)",
        ),
        (
            [("f\u00c3\u00bcr", "yes"), ("r\u00c3\u00a9", "no"), ("für", "no")],
            "2 texts have characters of utf-8 that were read in another encoding, as cp1252, and saved again; first: "
            "own.csv, line 82, '\u00c3\u00bc'; save the file anew from where it is sound, or mend it with ftfy",
        ),
        (
            [('"so fine\na tale; so dull;no\nI saw it;yes\nthe end"', "yes"), ('"I came,\nI saw,\nit was"', "no")],
            "1 text has lines that look like rows, which end or begin with a label; first: own.csv, line 82; take them "
            "apart, or save the file anew from where it is sound",
        ),
        (
            [("a \0 b", "yes")],
            "1 text has NUL or replacement characters; first: own.csv, line 82; the file is damaged, or was saved in "
            "another encoding",
        ),
    ],
)
def test_texts_that_are_unlike_the_rest_are_said(looked, tmp_path, rows, line):
    assert line in [said.replace(f"{tmp_path}/", "") for said in looked([*distinct(80), *rows])]


def test_few_texts_that_take_more_of_leave_one_out_than_the_rest_are_said(tmp_path):
    short = [(" ".join(["a" * 19] * 10), "xy"[at % 2]) for at in range(200)]
    rows = [*short, *[(" ".join(["a" * 19] * 299), "x")] * 2]

    def said(most):
        return [line for line in look_at(tmp_path, rows, most).odd if "leave-one-out" in line]

    # about 2 x 300 passes; 2 x 300^2 words beside 200 x 10^2
    assert said(None) == [
        "own: 2 of 202 texts have 100 words or more; for all of these, if they are tested on, leave-one-out runs about "
        "600 forward passes, and reads 9 times as many words as for all others; `length: {below: 100}` leaves them "
        "out, and `max_length` of classifiers in `hf` cuts them, unless `long` is `window`"
    ]
    (line,) = said(200)
    assert "about 400 forward passes, and reads 4 times" in line
    assert said(120) == []


def test_texts_without_labels_are_counted_and_no_class_is_asked_about(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("\n".join(["text", *(f"text {number}" for number in range(12)), '""', "text 3"]) + "\n")
    source = TableCorpus.model_validate({"kind": "table", "path": {"test": str(path)}, "label": None})
    found = checkup.check_dataset("own", source, {"test": path})
    assert found.read[0] == "own: 13 texts, without labels; 13 test"
    several = checkup.check_dataset("own", source.model_copy(update={"labels": "text"}), {"test": path})
    assert several.read[0] == "own: 13 texts, each with any number of labels; 13 test"
    assert [line.partition(";")[0] for line in found.odd] == [
        "own: 1 of 14 rows have no text, and are left out",
        "own: 1 of 13 texts repeat an earlier one",
        "own: 13 test texts are too few for a verdict on any claim: 100 are needed",
    ]
