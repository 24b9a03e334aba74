"""From a source's texts to a corpus, in two passes, so that memory does not grow with the data.

The first pass writes all texts to a draft and keeps a few numbers of each. From these numbers, splits and classes are
assigned and texts are filtered by length. The second pass copies the texts that are kept. `prepare_texts` does the same
in memory.

Texts that are only read take their training and development texts from the corpus of another data set: IMDb's for
Yelp's, say.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from attention_audit.arrays import Integers
from attention_audit.artefacts.files import make_scratch
from attention_audit.artefacts.parquet import write_batches
from attention_audit.artefacts.provenance import Provenance
from attention_audit.columns.files import CENSUS, CORPUS
from attention_audit.errors import AuditError

from .draft import DRAFT, DRAFT_NUMBERS, Reporter, check_entries, refuse_absent, split_all, write_draft
from .drawing import DEV, TEST, TRAIN, UNKNOWN_CODE, assign, check_splits, refuse_emptied
from .raw import list_corpus_classes, read_corpus_texts
from .source import OTHER_CORPUS, Length, Preparation, RawFiles, RawSource, Source, TrainedOn
from .text import SPLITS, UNKNOWN_LABEL, Texts, list_few, sort_labels
from .tokens import describe_splitting

MARK_FAULTS = {
    "outside": "marks outside of the text",
    "lost": "marks under which no word is",
    "miscounted": "lists of marks that have not an entry a word",
}
"""What may be wrong with annotations, by the number that a draft has of it; the census has a column of each."""
MAX_TEXTS_NAMED = 20
"""Texts that a message names."""
KEPT = "kept"
NUMBERED = ["id", "place", "split", "label", "candidates", *DRAFT_NUMBERS]
"""What is kept in memory of every text of a draft."""
OUTCOMES = ("unlabelled", "empty", "left_out", "short", "long", KEPT)
"""What can happen to a text, in the order in which it is decided; these are columns of the census."""


def find_short_and_long(
    texts: pd.DataFrame, splits: Integers, length: Length
) -> tuple["pd.Series[bool]", "pd.Series[bool]"]:
    """Find the texts that the length filter drops as too short, and those as too long; (N,) each.

    texts: their words, sentences and longest ones, by the names of DRAFT_NUMBERS. `shortest` and `longest` stand for
    the least and the greatest length in the split, so its shortest or longest texts are dropped. Jain & Wallace's
    loader does so, and only with it do the sizes of Wiegreffe & Pinter 2019, table 1, come out.
    """
    words, has_split = texts["words"], splits >= 0
    above = words.groupby(splits).transform("min") if length.above == "shortest" else length.above
    below = words.groupby(splits).transform("max") if length.below == "longest" else length.below
    short = (words <= (-1 if above is None else above)) & has_split
    long = (words >= (np.inf if below is None else below)) & has_split
    most_sentences, longest_sentence = length.most_sentences or np.inf, length.longest_sentence or np.inf
    long |= ((texts["sentence_count"] > most_sentences) | (texts["longest"] > longest_sentence)) & np.isin(
        splits, (TRAIN, DEV)
    )
    return short, long & ~short


def order_classes(texts: pd.DataFrame, candidates: list[str], declared: list[str] | None) -> list[str]:
    """List the classes in the order of their numbers: as declared, or else the labels of texts, sorted by value. texts:
    those with a label and a word.

    Where texts bring candidates, the classes are the candidates of the training texts. Raises AuditError at a label
    that is not among the declared ones.
    """
    if declared is None:
        return candidates or sort_labels(texts["label"].unique())
    for name, location in texts.loc[~texts["label"].isin(declared), ["label", "place"]].to_numpy():
        raise AuditError(location, f"unknown label {name!r}", f"known: {', '.join(map(repr, declared))}")
    return declared


def name_labels(labels: "pd.Series[int]", classes: Sequence[str]) -> list[str]:
    """Name labels, "" where nobody knows them."""
    names = {UNKNOWN_LABEL: "", **dict(enumerate(classes))}
    return [names[label] for label in labels]


def count_fates(texts: pd.DataFrame, classes: list[str]) -> pa.Table:
    """Count texts by split, class and fate for the census, and sum lengths of the kept. texts: see `decide_fates`."""
    kept_numbers = texts[[*DRAFT_NUMBERS]].mul(texts["fate"] == KEPT, axis="index")
    counted = texts[["split", "label", "duplicates", "repeated"]].assign(
        read=1,
        tokens=kept_numbers["words"],
        tokens_squared=kept_numbers["words"] ** 2,
        query_tokens=kept_numbers["query_words"],
        sentences=kept_numbers["sentence_count"],
        sentences_squared=kept_numbers["sentence_count"] ** 2,
        annotated=kept_numbers["annotator_count"] > 0,
        annotations=kept_numbers["annotator_count"],
        **{fate: texts["fate"] == fate for fate in OUTCOMES},
        **{f"marks_{fault}": kept_numbers[fault] for fault in MARK_FAULTS},
    )
    sums = counted.groupby(["split", "label"]).sum()
    if TRAIN not in sums.index:  # where nothing is trained, a class may be none of any text's
        without = [(TEST, label) for label in range(len(classes)) if label not in set(texts["label"])]
        sums = sums.reindex(sums.index.union(without), fill_value=0)
    sums = sums.reset_index()
    names = {
        "split": [(*SPLITS, "")[split] for split in sums["split"]],
        "label_name": name_labels(sums["label"], classes),
    }
    return pa.table({name: sums[name] for name in sums} | names, CENSUS.schema)


def select_rows(texts: pd.DataFrame, classes: list[str], draft: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Copy the kept texts from the tables of a draft, in order, with the columns of files.CORPUS. texts: see
    `decide_fates`.
    """
    number = {name: label for label, name in enumerate(classes)}
    for table in draft:
        here, texts = texts[: len(table)], texts[len(table) :]
        columns = {
            **{name: table[name] for name in CORPUS.schema.names},
            "split": [SPLITS[code] for code in here["split"]],
            "label": here["label"],
            "label_name": name_labels(here["label"], classes),
            "candidates": [
                names and [number[name] for name in names if name in number]
                for names in table["candidates"].to_pylist()
            ],
        }
        yield pa.table(columns, CORPUS.schema).filter(pa.array(here["fate"] == KEPT))


def read_groups(draft: Path) -> Iterator[pa.Table]:
    """Read a draft, one row group at a time."""
    with pq.ParquetFile(draft) as file:
        for group in range(file.num_row_groups):
            yield file.read_row_group(group)


def list_draft_numbers(table: pa.Table) -> tuple[pd.DataFrame, list[str]]:
    """List the columns `NUMBERED` of every text, with the code of its split; and the candidates of the training texts,
    sorted. table: a draft, or these columns of it.
    """
    table = table.select(NUMBERED)
    trained = pc.equal(table["split"], SPLITS[TRAIN]).fill_null(True)
    candidates = pc.list_flatten(table["candidates"].filter(trained)).unique().to_pylist()
    texts: pd.DataFrame = table.drop_columns("candidates").to_pandas()
    return texts.assign(split=pd.Categorical(texts["split"], SPLITS).codes.astype(int)), sorted(candidates)


def decide_fates(
    dataset: str,
    preparation: Preparation,
    texts: pd.DataFrame,
    candidates: list[str],
    class_order: list[str] | None,
    trained: bool,
) -> tuple[pd.DataFrame, list[str]]:
    """Decide split, class and fate of every text, and name the classes.

    texts, candidates: as from `list_draft_numbers`. class_order: None where labels tell it. trained: whether models are
    trained on them.

    Of each text, there are then also its fate, one of OUTCOMES; whether it is kept, and so is one with the same
    words in another split (duplicates); and whether it is kept, and so is an earlier one of its split with the same
    words (repeated). Its label is a position in the classes, or `UNKNOWN_LABEL`. Raises AuditError where the
    corpus cannot be audited.
    """
    own_splits = texts["split"].to_numpy()
    # in the order in which they appear, on which draws depend
    own_labels = pd.factorize(texts["label"], use_na_sentinel=preparation.labelled)[0]
    fate = np.where(own_labels == UNKNOWN_CODE, "unlabelled", np.where(texts["words"] == 0, "empty", KEPT))
    used = np.flatnonzero(fate == KEPT)
    refuse_emptied(dataset, own_splits, own_splits[used])
    splits = own_splits.copy()
    digests = texts["alike"].to_numpy()[used]
    splits[used] = assign(dataset, own_splits[used], own_labels[used], digests, preparation.splits)
    classes = order_classes(texts.iloc[used].dropna(subset="label"), candidates, class_order)
    labels = pd.Index(classes, dtype=object).get_indexer(pd.Index(texts["label"], dtype=object))
    fate[(fate == KEPT) & ((splits < 0) | ((labels < 0) & preparation.labelled))] = "left_out"
    short, long = find_short_and_long(texts, np.where(fate == KEPT, splits, UNKNOWN_CODE), preparation.length)
    fate[short], fate[long] = "short", "long"
    texts = texts.assign(split=np.where(splits < 0, own_splits, splits), label=labels, fate=fate)
    kept_texts = texts[fate == KEPT]
    check_splits(
        dataset,
        kept_texts["split"].to_numpy(),
        kept_texts["label"].to_numpy(),
        classes,
        bool(candidates),
        trained,
    )
    twice = {
        "duplicates": kept_texts.groupby("digest")["split"].transform("nunique") > 1,
        "repeated": kept_texts.duplicated(["digest", "split"]),
    }
    return texts.assign(**{name: each.reindex(texts.index, fill_value=False) for name, each in twice.items()}), classes


def report_left_out(texts: pd.DataFrame, report: Reporter) -> None:
    """Report, for each reason for which texts were dropped, how many there were and where the first one is; and which
    marks of the kept texts could not be laid on words, with the texts' names. texts: see `decide_fates`.
    """
    for fate in OUTCOMES[:-1]:
        if len(dropped := texts[texts["fate"] == fate]):
            report(f"{len(dropped)} texts dropped as {fate.replace('_', ' ')}; first: {dropped['place'].iloc[0]}")
    for name, fault in MARK_FAULTS.items():
        if len(faulty := texts[(texts["fate"] == KEPT) & (texts[name] > 0)]):
            ids = list_few([*faulty["id"]], MAX_TEXTS_NAMED)
            report(f"{faulty[name].sum()} {fault}, left out, in {len(faulty)} texts: {ids}")


def convert_labels(texts: Texts, trained_on: TrainedOn, classes: list[str]) -> Texts:
    """Give texts as a test split, with the labels of the training data, None where a text is to be left out.

    Texts that are for training or development where they come from are not among them. Raises AuditError, naming the
    text, at a label that the training data do not have.
    """
    for text in texts:
        if text.split not in (None, "test"):
            continue
        label = trained_on.labels.get(text.label or "", text.label)
        if label is not None and label not in classes:
            raise AuditError(
                text.place,
                f"label {label!r:.50} is no class of {trained_on.dataset}, whose classes are "
                f"{', '.join(map(repr, classes))}",
                "say in `trained_on.labels` which of them it is, or null to leave such texts out",
            )
        yield replace(text, split="test", label=label)


def prepare_corpus(
    dataset: str,
    source: Source,
    raw: RawFiles,
    path: Path,
    provenance: Provenance,
    workers: int,
    report: Reporter,
    **units: Any,
) -> pa.Table:
    """Write the corpus of a source to `path` and return its census. Where it takes texts from another data set, that
    one's corpus stands in `raw` under OTHER_CORPUS, and has its classes. units: `granularity` and `tokenizer` of a
    `Preparation`.

    Raises AuditError where a raw file is damaged or the corpus cannot be audited.
    """
    preparation = source.preparation._replace(**units)
    if splitting := describe_splitting(preparation.tokens):
        report(splitting)
    with make_scratch(path.with_suffix(".draft")) as draft:
        source_texts, class_order = source.read(dataset, raw), source.list_classes(dataset, raw)
        if source.other is not None:
            corpus = raw[OTHER_CORPUS]
            class_order = list_corpus_classes(corpus)
            if isinstance(source, RawSource) and source.trained_on is not None:
                training_texts = (text for text in read_corpus_texts(corpus) if text.split != "test")
                source_texts = chain(training_texts, convert_labels(source_texts, source.trained_on, class_order))
        unseen = write_draft(source_texts, preparation, draft, workers, report)
        numbers, candidates = list_draft_numbers(pq.read_table(draft, columns=NUMBERED))
        texts, classes = decide_fates(dataset, preparation, numbers, candidates, class_order, source.trained)
        report_left_out(texts, report)
        refuse_absent(unseen, dataset)
        write_batches(path, CORPUS, select_rows(texts, classes, read_groups(draft)), provenance)
    return count_fates(texts, classes)


def prepare_texts(
    dataset: str, preparation: Preparation, texts: Texts, class_order: list[str]
) -> tuple[pa.Table, pa.Table]:
    """Prepare texts that nothing is trained on: their corpus and its census, with the columns of files.CORPUS and
    files.CENSUS.

    Raises AuditError where a text is not usable, or all of them cannot be audited.
    """
    draft = pa.Table.from_batches(split_all(check_entries(texts), preparation, workers=1), DRAFT)
    fates, classes = decide_fates(dataset, preparation, *list_draft_numbers(draft), class_order, trained=False)
    return pa.concat_tables(select_rows(fates, classes, [draft])), count_fates(fates, classes)
