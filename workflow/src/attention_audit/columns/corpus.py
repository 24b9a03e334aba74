"""The files of a data set: its texts, what became of each raw text, and its vocabulary."""

from attention_audit.columns.kinds import Artefact, integer, integers, lists, long, places, reals, text, texts, weights
from attention_audit.columns.shared import ID, LABEL

CORPUS = Artefact(
    "corpus", "corpora/{dataset}/corpus.parquet", meaning="The texts of one data set, tokenised and filtered."
).holds(
    id=ID,
    split=text(meaning="train, dev or test"),
    label=LABEL,
    tokens=texts(meaning="the words of the text, in order, without start and end marks"),
    label_name=text(meaning="what the source calls that label"),
    group=text.or_null(
        meaning="what texts share that are not independent, such as a premise, a story or a film; null where a text "
        "stands for itself"
    ),
    raw=text.or_null(
        meaning="the text before it was split, in capitals and small letters, which the classifiers of suite hf read; "
        "null where it is the words with a space between any two"
    ),
    starts=integers.or_null(
        unit="characters", meaning="of each word, where it begins in that text; null where that is null"
    ),
    second=integer.or_null(
        unit="characters",
        meaning="where the second text of a pair begins in that text, where both are read as one; null elsewhere",
    ),
    sentences=places.or_null(
        meaning="positions (from 0) of the first word of each sentence; null where boundaries were not kept"
    ),
    query=texts.or_null(
        meaning="the words of the second text of a pair; null for single texts, and for pairs that are read as one"
    ),
    candidates=integers.or_null(unit="class", meaning="the classes that may be the answer; null where any may"),
    evidence=places.or_null(
        meaning="positions (from 0) of the words known to decide the label, which are those that more than half of the "
        "annotators marked; null where there is no such word, or nobody marked any"
    ),
    annotators=texts.or_null(
        meaning="who marked words of the text: people, the source or the generator; null where nobody did"
    ),
    marks=lists.or_null(
        meaning="for each of them, the positions (from 0) of the words marked; an empty list where none was"
    ),
    scores=reals.or_null(meaning="a number for each word, where the source has them; null where not"),
    annotator_labels=texts.or_null(
        meaning="for each annotator, the class that they gave the text, or nothing; null where nobody was asked"
    ),
    blocked=places.or_null(
        meaning="positions (from 0) of the impermissible words, which deceptive models hide; null where none are named"
    ),
)

CENSUS = Artefact(
    "census",
    "corpora/{dataset}/census.parquet",
    meaning="What became of the texts of the raw files, split by split and class by class.",
).holds(
    split=text(meaning="train, dev or test; empty for texts that were dropped before splits were made"),
    label=integer(unit="class", meaning="class; -1 for an answer that the training split does not know, or for none"),
    label_name=text(meaning="what the source calls that label; empty for class -1"),
    read=integer(unit="texts", meaning="texts in the raw files; the sum of the next six columns"),
    unlabelled=integer(unit="texts", meaning="left out, since they have no label"),
    empty=integer(unit="texts", meaning="dropped, since no word is in them"),
    left_out=integer(unit="texts", meaning="left out: outside the sample of the test split, or class -1"),
    short=integer(unit="texts", meaning="dropped by the lower bound of the length filter"),
    long=integer(unit="texts", meaning="dropped by its upper bound"),
    kept=integer(unit="texts", meaning="texts in the corpus"),
    duplicates=integer(
        unit="texts", meaning="those of them whose words, in this order, are also those of a text of another split"
    ),
    repeated=integer(
        unit="texts", meaning="kept texts whose words, in this order, are also those of an earlier text of their split"
    ),
    tokens=long(unit="tokens", meaning="sum over the kept texts"),
    tokens_squared=long(unit="tokens squared", meaning="sum of squares, for standard deviations"),
    sentences=long(unit="sentences", meaning="sum over the kept texts; a text without boundaries is one sentence"),
    sentences_squared=long(unit="sentences squared", meaning="sum of squares"),
    annotated=integer(unit="texts", meaning="kept texts in which somebody marked words, or none"),
    annotations=long(unit="annotations", meaning="sum of the annotators over these texts"),
    marks_outside=long(
        unit="marks",
        meaning="marks left out, since they lie outside of their text; over the kept texts, as the next two",
    ),
    marks_lost=long(unit="marks", meaning="marks left out, since no word of the corpus is under them"),
    marks_miscounted=long(
        unit="annotations",
        meaning="lists of marks left out, since they have another number of entries than the text has words",
    ),
)

VOCABULARY = Artefact(
    "vocabulary",
    "corpora/{dataset}/vocabulary.parquet",
    meaning="The words of the training split with their row in the embedding; rows 0-3 are marks.",
).holds(
    index=integer(unit="row", meaning="row of the embedding matrix"),
    word=text(meaning="the word; <pad>, <unk>, <sos>, <eos> for the four marks"),
    train_count=integer(unit="tokens", meaning="how often the training split holds the word"),
    vector=weights.or_null(
        meaning="pretrained vector; null where the vector file lacks the word, or with random vectors"
    ),
)
