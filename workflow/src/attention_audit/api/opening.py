"""A classifier at hand and texts of it: what is given is checked, and texts are read, with nothing loaded that audits
need and reading does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import Any, Literal, cast

import numpy as np
import torch

from attention_audit.config_messages import check_section
from attention_audit.corpus.languages import choose_tokens
from attention_audit.corpus.text import UNKNOWN_LABEL, clean_characters
from attention_audit.corpus.tokens import Tokens
from attention_audit.errors import AuditError, add_place
from attention_audit.given import WrittenTexts, list_tokens, make_list
from attention_audit.model.network import use_torch
from attention_audit.names import refuse_unknown_maps
from attention_audit.raw_text import RawText
from attention_audit.stages.classifier_texts import ReadTexts
from attention_audit.stages.loading import prepare_device
from attention_audit.transformer.folder import GENERIC, Home, find_classifier_family, read_classes, read_model_facts
from attention_audit.transformer.in_memory import choose_cut, find_home
from attention_audit.transformer.opening import open_tokenizer, say_first
from attention_audit.transformer.outputs import OutputKind, find_kind, read_thresholds
from attention_audit.transformer.pieces import has_first_mark
from attention_audit.transformer.settings import (
    GivenClassifiers,
    Granularity,
    Long,
    ReadClassifier,
    Truncation,
    choose_layer,
    refuse_missing_maps,
)

from .rereading import ClassifierReader, CutTexts, ignore, print_progress
from .shown_text import Reading
from .targets import PREDICTED, AskedTarget, TargetChoice, read_gold
from .units import Spans, Units, check_spans, choose_granularity, refuse_pieces

PAIR_KEYS = ("text", "text_pair")
"""Of a pair that is a dict, as pipelines take it."""


def check_count(name: str, count: Any) -> None:
    """Raise AuditError, which names the argument, where it is no number of things."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise AuditError(name, f"is {count!r:.40}", "give a whole number, 1 or more")


def find_homes(model: Any, tokenizer: Any, prompted: bool) -> list[Home]:
    """Find where each training is. Raises AuditError where one is neither a classifier nor a folder."""
    models = [*model] if isinstance(model, Sequence) and not isinstance(model, str) else [model]
    if not models:
        raise AuditError("model", "is an empty list", "give one classifier, or one a training")
    homes: dict[str, Home] = {}
    for entry in models:
        # what stands there twice is one training
        name = f"model {models.index(entry) + 1}" if len(models) > 1 else "model"
        home = find_home(entry, tokenizer, name, prompted)
        homes[str(home)] = home
    return [*homes.values()]


def list_classes(prompt: Mapping[str, Any] | None, home: Home, kind: OutputKind = "classes") -> list[str]:
    """List the labels of a prompt, or what a model calls its classes, less a generic prefix. kind: what these are.

    Raises AuditError where classes are not two or more, where there are several numbers, and where it is no prompt.
    """
    if prompt is None:
        names = [name.removeprefix(GENERIC) for name in read_classes(home)]
        if kind == "number" and len(names) > 1:
            raise AuditError("model", f"returns {len(names)} numbers", "use judge, with [1 - p, p] of one of them")
        if kind == "classes" and len(names) < 2:
            remedy = "give a classifier of two or more, or output='labels' or 'number'"
            raise AuditError("model", f"config.id2label has {len(names)} classes", remedy)
        if len({*names}) < len(names):
            raise AuditError("model", f"config.id2label has two classes that are one without {GENERIC}", "rename one")
        return names
    if not isinstance(prompt, Mapping) or {*prompt} != {"template", "labels"}:
        raise AuditError("prompt", "give the keys template and labels, and no others")
    names = [str(label).strip() for label in make_list(prompt["labels"], "prompt: labels")]
    if len(names) < 2:
        raise AuditError("prompt: labels", "give two or more")
    return names


def refuse_other_classes(homes: Sequence[Home], kind: OutputKind) -> None:
    """Raise AuditError where a further training has other classes than the first; they may stand in another order."""
    first, *others = homes
    for home in others:
        if len({tuple(sorted(map(str.casefold, list_classes(None, each, kind)))) for each in (home, first)}) > 1:
            raise AuditError(
                str(home),
                f"config.id2label names the classes {', '.join(read_classes(home))}, and that of the first training "
                f"{', '.join(read_classes(first))}",
                "name them alike in config.id2label of each training",
            )


def join_words(texts: WrittenTexts, split: bool, name: str) -> list[str]:
    """Join lists of words, where texts are `split`, to strings. Raises AuditError, naming the argument."""
    lists = list_tokens(texts, name) if split else []
    refuse_pieces([*chain(*lists)], name, "give whole words, or strings")
    joined: list[Any] = [*map(" ".join, lists)] if split else [*texts]
    for number, text in enumerate(joined):
        which = f"text {number}"
        if not isinstance(text, str):
            raise AuditError(name, f"{which} is of another kind than the first", "give strings, or lists of words")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise AuditError(name, f"{which} has half a character (a lone surrogate)", "mend it")
        words = clean_characters(text)[0].split()
        if not words:
            raise AuditError(name, f"{which} has no word", "leave it out")
        if split and len(words) != len(lists[number]):
            fault = f"{which} has a word that is empty, or has a space in it"
            raise AuditError(name, fault, "give words; of a pair, two strings")
    # spaCy takes no string of numpy
    return [*map(str, joined)]


def part_pairs(texts: Sequence[Any], seconds: WrittenTexts | None) -> dict[str, list[Any]]:
    """List the texts, and the second ones of pairs, by what messages call them. Pairs stand in `texts` alone as tuples,
    lists or dicts. Raises AuditError where not all are pairs, at other dicts, and where second texts stand twice.
    """
    columns: list[Any] = [texts]
    if any(isinstance(entry, Mapping) for entry in texts):
        for number, entry in enumerate(texts):
            keys = set(entry) if isinstance(entry, Mapping) else set()
            if keys not in ({"text"}, {*PAIR_KEYS}) or len(keys) != len(texts[0]):
                remedy = "give strings, or dicts with `text` and, where all are pairs, `text_pair`"
                raise AuditError("texts", f"text {number} is {entry!r:.60}", remedy)
        columns = [[entry[key] for entry in texts] for key in PAIR_KEYS if key in texts[0]]
    twos = [isinstance(entry, list | tuple | np.ndarray) and len(entry) == 2 for entry in texts]
    # two strings without a space are two words
    if any(two and any(not isinstance(side, str) or " " in side for side in texts[at]) for at, two in enumerate(twos)):
        if not all(twos):
            fault = f"text {twos.index(False)} is no pair, and others are"
            raise AuditError("texts", fault, "give two strings, or two lists of words, for each")
        columns = [*zip(*texts, strict=True)]
    if seconds is not None:
        if len(columns) > 1:
            raise AuditError("seconds", "`texts` are pairs already", "leave it out")
        columns.append(make_list(seconds, "seconds", len(texts)))
        return dict(zip(("texts", "seconds"), columns, strict=True))
    return dict(zip(("texts", "texts, the second of each pair"), columns, strict=False))


def cut_texts(
    columns: Mapping[str, Sequence[Any]],
    language: str | None,
    tokenizer: Any,
    granularity: Any,
    spans: Any = None,
) -> CutTexts:
    """Cut texts, or pairs of them, into units, for a model with this tokenizer; their labels are not known. columns:
    the texts, or both texts of each pair, by what messages call them. granularity, spans: what units are.

    Raises AuditError for an empty text, for texts that all begin with the tokenizer's first mark, for an unknown
    language, and for units that there are not.
    """
    split = not isinstance(columns["texts"][0], str)
    sides = [join_words(texts, split, name) for name, texts in columns.items()]
    if all(has_first_mark(tokenizer, text) for text in sides[0]):
        fault = f"all begin with {tokenizer.convert_ids_to_tokens(tokenizer('')['input_ids'][0])!r}"
        raise AuditError("texts", f"{fault}, which the tokenizer sets itself", "leave it out")
    kind = choose_granularity(granularity, spans, columns)
    tokens = choose_tokens(sides[0], language, split and kind != "sentence", print_progress)
    units = Units(kind, tokens, tokenizer, None if spans is None else check_spans(spans, sides[0]))
    found: list[list[str]] = []
    written: list[RawText] = []
    for number, text in enumerate(zip(*sides, strict=True)):
        words, raw = zip(*(units.find(side, number) for side in text), strict=True)
        found.append([*chain(*words)])
        written.append(reduce(RawText.join_pair, raw))
        if not found[-1]:
            raise AuditError("texts", f"text {number} has no {kind}", "leave it out")
    labels = np.full(len(found), UNKNOWN_LABEL, np.int64)
    return CutTexts(found, ReadTexts([*map(str, range(len(found)))], labels, written))


def describe_reading(arguments: GivenClassifiers, homes: Sequence[Home], kind: OutputKind) -> ReadClassifier:
    """Describe how trainings are read. Raises AuditError where one is no classifier of a known family, or has not what
    a map is of.
    """
    trainings, maps, prompt = [*map(read_model_facts, homes)], arguments.maps, arguments.prompt
    with add_place("maps"):
        refuse_unknown_maps(maps)
    for home, facts in zip(homes, trainings, strict=True):
        find_classifier_family(home, facts, prompt is not None, choosing=False)
        refuse_missing_maps(home, facts, maps, "maps")
    return ReadClassifier(
        folder=str(homes[0]),
        max_length=arguments.max_length,
        long=arguments.long,
        truncation=arguments.truncation,
        labels={},
        layer=choose_layer(trainings, None, arguments.long),
        maps=maps,
        prompt=prompt,
    )


def choose_device(device: str | int | torch.device | None, threads: int) -> torch.device:
    """Choose where a model runs, as torch and pipelines name it; None is `auto`, and -1 the CPU. Raises AuditError
    where nothing runs there.
    """
    if device is None or (isinstance(device, str) and device in ("auto", "cpu", "cuda")):
        return prepare_device(cast(Literal["auto", "cpu", "cuda"], device or "auto"), threads)
    prepare_device("cpu", threads)
    try:
        chosen = torch.device("cpu" if device == -1 else device)
        torch.zeros(1, device=chosen).item()
    except Exception as error:
        fault = f"{device!r} cannot be used here ({say_first(error):.80})"
        raise AuditError("device", fault, "give another one, such as 'cpu', or 'auto'") from error
    return chosen


@dataclass(frozen=True)
class OpenedTexts:
    """A classifier and texts, as both were checked. reader: has both. choice: what is asked of. arguments: how the
    classifier is read. tokens: how further texts become words.
    """

    reader: ClassifierReader
    choice: TargetChoice
    arguments: GivenClassifiers
    tokens: Tokens

    def list_candidates(self, outputs: Sequence[Any]) -> list[Sequence[AskedTarget]]:
        """List of each text the first target that it is asked of; all, where it is asked of none."""
        targets = self.choice.choose(outputs)
        return [
            [each for each in targets if number in each.members][:1] or targets for number in range(self.choice.count)
        ]

    def read(self, layer: int | None = None) -> list[Reading]:
        """Read the texts, of targets what is said of one. layer: another one than the last, from 1."""
        if self.choice.targeted:
            return self.reader.read_targets(self.reader.texts, self.list_candidates, layer)
        return self.reader.read_texts(self.reader.texts, layer)


def open_texts(
    model: Any,
    tokenizer: Any,
    texts: Any,
    labels: Any = None,
    *,
    seconds: WrittenTexts | None = None,
    targets: Any = PREDICTED,
    contrast: Any = None,
    threshold: float | Mapping[str, float] | None = None,
    output: OutputKind | None = None,
    granularity: Granularity = "word",
    spans: Spans | None = None,
    prompt: Mapping[str, Any] | None = None,
    maps: Sequence[str] = (),
    device: str | int | torch.device | None = "auto",
    batch_size: int | None = None,
    max_length: int | None = None,
    long: Long = "cut",
    truncation: Truncation | None = None,
    language: str | None = None,
    threads: int = 1,
) -> OpenedTexts:
    """Check what `audit_classifier` takes, all but what is asked, and open it to be read, by so many threads. Raises
    AuditError as it does.
    """
    if alone := isinstance(texts, str | Mapping):
        texts, seconds = [texts], [seconds] if isinstance(seconds, str) else seconds
    texts = make_list(texts, "texts")
    if not texts:
        raise AuditError("texts", "there is none", "give some")
    check_count("batch_size", 1 if batch_size is None else batch_size)
    homes = find_homes(model, tokenizer, prompt is not None)
    kind = find_kind(output, read_model_facts(homes[0]), prompt is not None)
    classes = list_classes(prompt, homes[0], kind)
    if prompt is None:
        refuse_other_classes(homes, kind)
    if alone and labels is not None:
        one = isinstance(labels, str) or not np.iterable(labels)
        # of several labels, a list may be those of the one text
        labels = [labels] if one or (kind == "labels" and len(labels) != 1) else labels
    gold, thresholds = read_gold(labels, kind, classes, len(texts)), read_thresholds(threshold, kind, classes)
    choice = TargetChoice(targets, contrast, kind, classes, thresholds, gold, len(texts))
    max_length, truncation = choose_cut(homes[0], max_length, truncation)
    values = {
        "maps": make_list(maps, "maps"),
        "max_length": max_length,
        "long": long,
        "truncation": truncation,
        "prompt": prompt and dict(prompt),
    }
    arguments = check_section(GivenClassifiers, values)
    reading = describe_reading(arguments, homes, kind)
    columns = part_pairs(texts, seconds)
    tokenizer = open_tokenizer(homes[0])
    cut = cut_texts(columns, language, tokenizer, granularity, spans)
    if choice.class_names is not None:
        cut = cut._replace(read=cut.read._replace(labels=np.asarray(gold.values, np.int64)))
    tokens = choose_tokens([text.sides[0] for text in cut.read.written], language, False, ignore)

    def prepare(further: Sequence[Any]) -> CutTexts:
        columns = part_pairs(further, None)
        rules = tokens.tokenizer if isinstance(columns["texts"][0], str) else None
        return cut_texts(columns, rules, tokenizer, granularity)

    with use_torch(threads):
        chosen = choose_device(device, threads)
    reader = ClassifierReader(
        homes,
        reading,
        classes,
        kind,
        chosen,
        threads,
        batch_size and batch_size * max_length,
        cut,
        None if spans is not None else prepare,
    )
    return OpenedTexts(reader, choice, arguments, tokens)


def read_texts(
    model: Any,
    tokenizer: Any,
    texts: Any,
    *,
    layer: int | None = None,
    settings: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Reading | list[Reading]:
    """Read texts, and ask nothing: what a classifier predicts of each, and its words with their weights.

    texts: one string or dict, of which there is one reading, or a list. layer: another one than the last, from 1.
    arguments: those of `audit_classifier`, such as maps; what is to be asked of them later is asked by that. Raises
    AuditError as it does.
    """
    if settings is not None:
        from .asking import read_settings

        arguments["threads"] = read_settings(settings).threads
    readings = open_texts(model, tokenizer, texts, **arguments).read(layer)
    return readings[0] if isinstance(texts, str | Mapping) else readings
