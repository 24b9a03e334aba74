"""A fine-tuned Transformer classifier, a corpus -> its readout and its tail, which is empty where a layer is read."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch

from attention_audit.answer.lines import ask_order
from attention_audit.artefacts.parquet import read_table
from attention_audit.artefacts.weights import write_weights
from attention_audit.batching import pass_texts
from attention_audit.columns.files import CORPUS
from attention_audit.errors import AuditError
from attention_audit.model.outputs import distribute
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import RawText
from attention_audit.readout import Readout
from attention_audit.transformer.folder import Home
from attention_audit.transformer.in_memory import (
    get_pipeline,
    list_methods,
    read_tokenizer_settings,
    refuse_other_answer,
)
from attention_audit.transformer.opening import open_given, say_first
from attention_audit.transformer.outputs import call_outputs
from attention_audit.transformer.pieces import Pieces, cut_raw, has_first_mark
from attention_audit.transformer.settings import TEXT_SLOT, ClassifierJob, ReadClassifier
from attention_audit.transformer.states import PieceTable

from .classifier_texts import ReadTexts, cut_pieces, open_classifier, read_texts
from .job import Job
from .loading import prepare_device
from .network_readout import assemble_readout, refuse_no_number, take_checked_heads, take_classifier

MAX_TEXTS_COMPARED = 32
"""Texts at most that are compared, from the shortest to the longest."""
COMPARED_PASSES = 4
"""Texts that are read in a batch in the time in which one is compared, alone."""
OUTPUTS = "outputs"
"""What all outputs of a classifier are called in the file of its tail, (N, K)."""
MAX_UNKNOWN_SHARE = 0.5
"""Share of unknown pieces above which a classifier is refused."""


def read_names(corpus: Path) -> dict[int, str]:
    """Return what the texts of a corpus call each class."""
    table = read_table(corpus, CORPUS, ["label", "label_name"])
    return dict(zip(*(column.to_pylist() for column in table.columns), strict=True))


def match_classes(folder: Home, named: Sequence[str], data: Mapping[int, str], labels: Mapping[str, str]) -> list[int]:
    """Return the class of a model for each class of the data, by their names; where no name is the same, case does not
    matter.

    named: what the model calls its classes. data: what the data set does. labels: the latter by the former where they
    differ. Raises AuditError where they do not match one by one.
    """
    for name in labels:
        if name not in named:
            raise AuditError(f"{folder}: has no class {name!r}, which `labels` names; name one of {', '.join(named)}")
    said = call_outputs(named, labels)
    wanted = [data[number] for number in sorted(data)]
    free = [name for name in said if name not in wanted]
    found = [
        [name] if name in said else [other for other in free if other.casefold() == name.casefold()] for name in wanted
    ]
    matched = [alike[0] for alike in found if len(alike) == 1]
    if sorted(matched) != sorted(said) or len(matched) < len(wanted):
        remedy = "say in `labels` of this data set what the data call each of them"
        if len(matched) == len(wanted):
            absent = [name for name in said if name not in matched]
            remedy = f"name all in `classes` of the data set: [{', '.join(wanted + absent)}]"
        raise AuditError(
            f"{folder}: its classes (id2label: {', '.join(named)}) are not those of the data ({', '.join(wanted)}); "
            f"{remedy}"
        )
    return [said.index(name) for name in matched]


def refuse_unread(folder: Home, tokenizer: Any, pieces: Pieces) -> None:
    """Raise AuditError where more than half of the pieces of all words are the tokenizer's unknown one."""
    share = float((pieces.ids[pieces.words >= 0] == tokenizer.unk_token_id).mean())
    if share > MAX_UNKNOWN_SHARE:
        raise AuditError(
            f"{folder}: its tokenizer does not know {100 * share:.0f} % of the pieces ({tokenizer.unk_token}), so that "
            "the model reads hardly anything of these texts; take the tokenizer that the model was trained with, or a "
            "model of their language"
        )


def refuse_other_words(folder: Home, texts: ReadTexts, pieces: Pieces, first: Pieces) -> None:
    """Raise AuditError where a training reads other words or marks of a text than the `first` of its job."""
    both = zip(texts.ids, pieces.places_by_text, first.places_by_text, strict=True)
    own, others = (int(PieceTable(each, torch.device("cpu")).batch(np.array([0])).marks) for each in (pieces, first))
    name, read, wanted = next((each for each in both if own != others or not np.array_equal(*each[1:])), ("", (), ()))
    if not name:
        return
    fault = f"sets {own} marks around a text, and that of the first training {others}"
    if not np.array_equal(read, wanted):
        counts = f"{len(read)} words of text {name!r}, and that of the first training {len(wanted)}"
        fault = (
            f"reads {counts}" if len(read) != len(wanted) else f"reads other words of text {name!r} than the first's"
        )
    raise AuditError(str(folder), f"its tokenizer {fault}", "give trainings that have one tokenizer")


@contextmanager
def evaluate_apart(model: Any) -> Iterator[None]:
    """Let a model be in evaluation in the block, without gradients; leave it and the random state as they were."""
    training = [part for part in model.modules() if part.training]
    with torch.random.fork_rng(), torch.no_grad():
        model.eval()
        try:
            yield
        finally:
            for part in training:
                part.training = True


def describe_changes(model: Any) -> str:
    """Name parts of a model that have a class or a forward of their own, or a hook; "" where none has."""
    changed = [
        f"{place or 'the model'}, a {type(part).__name__}"
        for place, part in model.named_modules()
        if not type(part).__module__.startswith(("transformers.", "torch."))
        or "forward" in vars(part)
        or part._forward_hooks
        or part._forward_pre_hooks
    ]
    return (
        f" (with a class, a forward or a hook that is not the library's: {'; '.join(changed[:3])})" if changed else ""
    )


def call_as_given(
    model: Any, tokenizer: Any, sides: Sequence[str], settings: Mapping[str, Any]
) -> tuple[list[int], torch.Tensor]:
    """Return the pieces of a text, or of a pair, less padding, and the first row of what a model gives for them, on the
    CPU. settings: what its tokenizer is called with.
    """
    given = tokenizer(*sides, return_tensors="pt", **settings).to(next(model.parameters()).device)
    output = model(**given)
    logits = output if isinstance(output, torch.Tensor) else output[0]
    ids = given["input_ids"][0]
    return ids[given.get("attention_mask", torch.ones_like(ids)[None])[0] > 0].tolist(), logits[0].float().cpu()


def compare_with_given(classifier: SequenceClassifier, names: Sequence[str], texts: Sequence[RawText]) -> str:
    """Compare a classifier with the model and the tokenizer that it was given as, on some texts; return what was found,
    as a line of a log, and warn where the model is read with more digits than it has.

    Raises AuditError where they have other pieces, or logits that differ by more than rounding does.
    """
    place, (before, after) = classifier.folder, classifier.template.split(TEXT_SLOT)
    model, tokenizer = open_given(place, "ForSequenceClassification" if classifier.asked is None else "ForCausalLM")
    pipeline_settings = read_tokenizer_settings(place)
    truncation = True if texts[0].second is None else classifier.truncation
    settings = {"truncation": truncation, "max_length": classifier.most} | pipeline_settings
    if has_first_mark(tokenizer, classifier.template):
        settings["add_special_tokens"] = False
    in_order = sorted(zip(names, texts, strict=True), key=lambda each: len(each[1].text))
    # what a method of a pipeline's own changes may be in any text
    most = len(texts) if list_methods(place) else min(MAX_TEXTS_COMPARED, len(texts))
    chosen = np.linspace(0, len(texts) - 1, most).round().astype(np.int64)
    found, calls = [], []
    with evaluate_apart(model):
        for name, text in (in_order[at] for at in chosen):
            pieces = cut_raw(
                classifier.tokenizer, [name], [text], classifier.most, classifier.template, classifier.truncation
            )
            if classifier.template != TEXT_SLOT and pieces.truncated[0]:
                # the text alone within a prompt is cut, which no tokenizer does
                continue
            try:
                sides = [before + side + after for side in text.sides]
                ids, logits = call_as_given(model, tokenizer, sides, settings)
            except Exception as error:
                raise AuditError(
                    f"{place}: cannot be called with what its tokenizer makes of text {name!r} ({say_first(error)}); "
                    "give a model that can, or use judge"
                ) from error
            if ids != (own := pieces.ids.tolist()):
                theirs, ours = (set(tokenizer.convert_ids_to_tokens(each)) for each in (ids, own))
                how = " and ".join(f"{key}={value}" for key, value in settings.items())
                raise AuditError(
                    f"{place}: of text {name!r} its tokenizer, called with {how}, gives {len(ids)} pieces "
                    f"({sorted(theirs - ours)[:3]}), where {len(own)} would be audited ({sorted(ours - theirs)[:3]}); "
                    + ("give its .model and .tokenizer" if pipeline_settings else "give one without a call of its own")
                )
            logits = logits[-1, classifier.asked] if classifier.asked else logits
            refuse_no_number(place, name, logits)
            read = classifier.compute_logits(PieceTable(pieces, classifier.device).batch(torch.tensor([0])))[0].cpu()
            found.append((logits, read))
            # one that is cut without a length of its own is called with that of the audit
            calls.append(
                (name, sides, settings if pieces.truncated[0] and "max_length" not in pipeline_settings else {})
            )
            pass_texts(COMPARED_PASSES)
    if not found:
        return "none is compared, as none fits within the prompt"
    given, audited = (torch.stack(side) for side in zip(*found, strict=True))
    dtypes = {weight.dtype for weight in model.parameters()} | {torch.float32}
    coarsest = max(dtypes, key=lambda each: torch.finfo(each).eps)
    apart = (given - audited).abs().max()
    # rounding adds up over the layers
    allowed = torch.finfo(coarsest).eps ** 0.5 * audited.abs().max().clamp(min=1)
    if not apart <= allowed:
        flips = int((given.argmax(1) != audited.argmax(1)).sum())
        raise AuditError(
            f"{place}: as it is given, a logit differs by up to {apart:.2g} from that of the library's "
            f"{type(classifier.model).__name__} with its weights, more than {allowed:.2g}, and {flips} of {len(found)} "
            f"texts get another class{describe_changes(model)}; use judge for what it computes"
        )
    if get_pipeline(place) is not None:
        with evaluate_apart(model):
            for each, probabilities in zip(calls, distribute(audited, classifier.kind).tolist(), strict=True):
                refuse_other_answer(
                    place, *each, dict(zip(classifier.names, probabilities, strict=True)), float(allowed)
                )
    said = f"{len(found)} have the pieces and, within {apart:.1g}, the logits that the model has as it is given"
    if coarsest != classifier.tail.sample.dtype:
        moved = (distribute(given, classifier.kind) - distribute(audited, classifier.kind)).abs().max()
        said += (
            f"; {str(coarsest).removeprefix('torch.')} is read as float32, which moves a probability by up to "
            f"{moved:.2g}"
        )
        warnings.warn(f"{place}: of the texts {said}", stacklevel=2)
    return said


def check_reading(classifier: SequenceClassifier, texts: ReadTexts, pieces: Pieces) -> str:
    """Say how a classifier reads texts, as a line of a log. pieces: of the texts. Raises AuditError where it reads
    hardly anything of them, or is not what it was given as.
    """
    refuse_unread(classifier.folder, classifier.tokenizer, pieces)
    compared = compare_with_given(classifier, texts.ids, texts.written)
    long = int((pieces.truncated | (pieces.counts > classifier.most)).sum())
    done = f"are read in windows of {classifier.most} pieces" if classifier.windowed else "were cut"
    return f"{len(texts.ids)} texts, of which {long} are too long and {done}; {compared}"


def read_out(
    classifier: SequenceClassifier,
    texts: ReadTexts,
    pieces: Pieces,
    names: Mapping[int, str],
    read: ReadClassifier,
    report: Callable[[str], None],
) -> Readout:
    """Run a classifier once, check its tail, and return its readout; of an earlier layer, its map and predictions.

    pieces: of the texts. names: of the classes of the data. Raises AuditError where the classifier has others, reads
    hardly anything of the texts, or is not what it was given as.
    """
    classes = match_classes(classifier.folder, classifier.names, names, read.labels)
    report(check_reading(classifier, texts, pieces))
    about = texts.ids, texts.labels, classes, read.imposed, read.layer, read.maps
    readout = take_classifier(classifier, pieces, *about)
    if asked := ask_order(texts.labels, readout.predictions[None]):
        report(asked)
    return readout


def read_outputs(
    classifier: SequenceClassifier,
    texts: ReadTexts,
    pieces: Pieces,
    read: ReadClassifier,
    report: Callable[[str], None],
) -> tuple[Readout, dict[str, torch.Tensor]]:
    """Run a classifier once, of whose outputs targets are asked, and return its readout, and all outputs by their name
    in files. Raises AuditError as `read_out` does.
    """
    report(check_reading(classifier, texts, pieces))
    heads, outputs = take_checked_heads(classifier, pieces, texts.ids, range(len(classifier.names)), read.layer)
    readout = assemble_readout(heads, outputs, texts.ids, texts.labels, read.layer)
    return readout, {OUTPUTS: torch.from_numpy(outputs)}


def run(job: Job[ClassifierJob]) -> None:
    """Read a classifier out, and write its readout and tail, with all outputs where targets are asked of.

    Raises AuditError where it reads other words of a text than the training that it is compared with.
    """
    settings, read = job.settings, job.settings.read
    device, corpus = prepare_device(settings.device, settings.threads), job.input("corpus")
    texts = read_texts(corpus)
    classifier = open_classifier(read, device)
    pieces = cut_pieces(classifier, texts)
    if settings.first.folder != read.folder:
        refuse_other_words(classifier.folder, texts, pieces, cut_pieces(open_classifier(settings.first, device), texts))
    where, packed = f"{settings.dataset}, {settings.model}, training {settings.seed}", dict[str, torch.Tensor]()

    def report(line: str) -> None:
        job.report(f"{where}: {line}")

    if read.kind is not None:
        readout, packed = read_outputs(classifier, texts, pieces, read, report)
    else:
        names = read_names(corpus) if settings.classes is None else dict(enumerate(settings.classes))
        readout = read_out(classifier, texts, pieces, names, read, report)
    readout.write(job.output("readout"), job.provenance)
    tail = readout.attending.tail.pack() if readout.attending else {}
    write_weights(job.output("tail"), tail | packed, job.provenance)
