"""The files of a data set: its texts, what became of each raw text, and its vocabulary."""

from attention_audit.columns.kinds import (
    INTEGER,
    INTEGERS,
    LISTS_OF_INTEGERS,
    LONG,
    REALS,
    STRING,
    STRINGS,
    WEIGHTS,
    Artefact,
    Column,
)
from attention_audit.columns.shared import ID, LABEL

CORPUS = Artefact(
    "corpus",
    "corpora/{dataset}/corpus.parquet",
    meaning="The texts of one data set, tokenised and filtered.",
    columns=(
        ID,
        Column("split", STRING, meaning="train, dev or test"),
        LABEL,
        Column("tokens", STRINGS, meaning="the words of the text, in order, without start and end marks"),
        Column("label_name", STRING, meaning="what the source calls that label"),
        Column(
            "raw",
            STRING,
            nullable=True,
            meaning="the text before it was split, in capitals and small letters, which the classifiers of suite hf "
            "read; null where it is the words with a space between any two",
        ),
        Column(
            "starts",
            INTEGERS,
            nullable=True,
            unit="characters",
            meaning="of each word, where it begins in that text; null where that is null",
        ),
        Column(
            "sentences",
            INTEGERS,
            nullable=True,
            unit="position",
            meaning="positions (from 0) of the first word of each sentence; null where boundaries were not kept",
        ),
        Column(
            "query", STRINGS, nullable=True, meaning="the words of the second text of a pair; null for single texts"
        ),
        Column(
            "candidates",
            INTEGERS,
            nullable=True,
            unit="class",
            meaning="the classes that may be the answer; null where any may",
        ),
        Column(
            "evidence",
            INTEGERS,
            nullable=True,
            unit="position",
            meaning="positions (from 0) of the words known to decide the label, which are those that more than half of "
            "the annotators marked; null where there is no such word, or nobody marked any",
        ),
        Column(
            "annotators",
            STRINGS,
            nullable=True,
            meaning="who marked words of the text: people, the source or the generator; null where nobody did",
        ),
        Column(
            "marks",
            LISTS_OF_INTEGERS,
            nullable=True,
            unit="position",
            meaning="for each of them, the positions (from 0) of the words marked; an empty list where none was",
        ),
        Column(
            "scores",
            REALS,
            nullable=True,
            meaning="a number for each word, where the source has them; null where not",
        ),
        Column(
            "annotator_labels",
            STRINGS,
            nullable=True,
            meaning="for each annotator, the class that they gave the text, or nothing; null where nobody was asked",
        ),
        Column(
            "blocked",
            INTEGERS,
            nullable=True,
            unit="position",
            meaning="positions (from 0) of the impermissible words, which deceptive models hide; null where none are "
            "named",
        ),
    ),
)

CENSUS = Artefact(
    "census",
    "corpora/{dataset}/census.parquet",
    meaning="What became of the texts of the raw files, split by split and class by class.",
    columns=(
        Column(
            "split", STRING, meaning="train, dev or test; empty for texts that were dropped before splits were made"
        ),
        Column(
            "label",
            INTEGER,
            unit="class",
            meaning="class; -1 for an answer that the training split does not know, or for none",
        ),
        Column("label_name", STRING, meaning="what the source calls that label; empty for class -1"),
        Column("read", INTEGER, unit="texts", meaning="texts in the raw files; the sum of the next six columns"),
        Column("unlabelled", INTEGER, unit="texts", meaning="left out, since they have no label"),
        Column("empty", INTEGER, unit="texts", meaning="dropped, since no word is in them"),
        Column(
            "left_out", INTEGER, unit="texts", meaning="left out: outside the sample of the test split, or class -1"
        ),
        Column("short", INTEGER, unit="texts", meaning="dropped by the lower bound of the length filter"),
        Column("long", INTEGER, unit="texts", meaning="dropped by its upper bound"),
        Column("kept", INTEGER, unit="texts", meaning="texts in the corpus"),
        Column(
            "duplicates",
            INTEGER,
            unit="texts",
            meaning="those of them whose words, in this order, are also those of a text of another split",
        ),
        Column(
            "repeated",
            INTEGER,
            unit="texts",
            meaning="kept texts whose words, in this order, are also those of an earlier text of their split",
        ),
        Column("tokens", LONG, unit="tokens", meaning="sum over the kept texts"),
        Column("tokens_squared", LONG, unit="tokens squared", meaning="sum of squares, for standard deviations"),
        Column(
            "sentences",
            LONG,
            unit="sentences",
            meaning="sum over the kept texts; a text without boundaries is one sentence",
        ),
        Column("sentences_squared", LONG, unit="sentences squared", meaning="sum of squares"),
        Column("annotated", INTEGER, unit="texts", meaning="kept texts in which somebody marked words, or none"),
        Column("annotations", LONG, unit="annotations", meaning="sum of the annotators over these texts"),
        Column(
            "marks_outside",
            LONG,
            unit="marks",
            meaning="marks left out, since they lie outside of their text; over the kept texts, as the next two",
        ),
        Column("marks_lost", LONG, unit="marks", meaning="marks left out, since no word of the corpus is under them"),
        Column(
            "marks_miscounted",
            LONG,
            unit="annotations",
            meaning="lists of marks left out, since they have another number of entries than the text has words",
        ),
    ),
)

VOCABULARY = Artefact(
    "vocabulary",
    "corpora/{dataset}/vocabulary.parquet",
    meaning="The words of the training split with their row in the embedding; rows 0-3 are marks.",
    columns=(
        Column("index", INTEGER, unit="row", meaning="row of the embedding matrix"),
        Column("word", STRING, meaning="the word; <pad>, <unk>, <sos>, <eos> for the four marks"),
        Column("train_count", INTEGER, unit="tokens", meaning="how often the training split holds the word"),
        Column(
            "vector",
            WEIGHTS,
            nullable=True,
            meaning="pretrained vector; null where the vector file lacks the word, or with random vectors",
        ),
    ),
)
