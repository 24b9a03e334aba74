"""A fine-tuned Transformer classifier, a corpus -> its readout and its tail, which is empty where a layer is read."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

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
from attention_audit.transformer.pieces import Pieces, cut_raw, has_first_mark, join_pieces
from attention_audit.transformer.settings import TEXT_SLOT, ClassifierJob, ReadClassifier
from attention_audit.transformer.states import PieceTable

from .classifier_texts import ReadTexts, cut_pieces, open_classifier, read_texts
from .job import Job
from .loading import prepare_device
from .network_readout import assemble_readout, refuse_no_number, take_checked_heads, take_classifier

MAX_TEXTS_COMPARED = 32
"""Texts at most that are compared, from the shortest to the longest."""
COMPARED_PASSES = 2
"""How often each of them is read: as it was given, and as it is audited."""
OUTPUTS = "outputs"
"""What all outputs of a classifier are called in the file of its tail, (N, K)."""
MAX_UNKNOWN_SHARE = 0.5
"""Share of unknown pieces above which a classifier is refused."""


def read_names(corpus: Path) -> dict[int, str]:
    """Return what the texts of a corpus call each class."""
    table = read_table(corpus, CORPUS, ["label", "label_name"])
    return dict(zip(*(column.to_pylist() for column in table.columns), strict=True))


def match_classes(
    folder: Home, class_names: Sequence[str], data: Mapping[int, str], labels: Mapping[str, str]
) -> list[int]:
    """Return the class of a model for each class of the data, by their names; where no name is the same, case does not
    matter.

    class_names: what the model calls its classes. data: what the data set does. labels: the latter by the former where
    they differ. Raises AuditError where they do not match one by one.
    """
    for name in labels:
        if name not in class_names:
            raise AuditError(
                f"{folder}: has no class {name!r}, which `labels` names; name one of {', '.join(class_names)}"
            )
    called_names = call_outputs(class_names, labels)
    wanted = [data[number] for number in sorted(data)]
    free = [name for name in called_names if name not in wanted]
    candidates = [
        [name] if name in called_names else [candidate for candidate in free if candidate.casefold() == name.casefold()]
        for name in wanted
    ]
    matched = [matches[0] for matches in candidates if len(matches) == 1]
    if sorted(matched) != sorted(called_names) or len(matched) < len(wanted):
        remedy = "say in `labels` of this data set what the data call each of them"
        if len(matched) == len(wanted):
            absent = [name for name in called_names if name not in matched]
            remedy = f"name all in `classes` of the data set: [{', '.join(wanted + absent)}]"
        raise AuditError(
            f"{folder}: its classes (id2label: {', '.join(class_names)}) are not those of the data "
            f"({', '.join(wanted)}); {remedy}"
        )
    return [called_names.index(name) for name in matched]


def refuse_unread(folder: Home, tokenizer: Any, pieces: Pieces) -> None:
    """Raise AuditError where more than half of the pieces of all words are the tokenizer's unknown one."""
    share = float((pieces.ids[pieces.words >= 0] == tokenizer.unk_token_id).mean())
    if share > MAX_UNKNOWN_SHARE:
        raise AuditError(
            f"{folder}: its tokenizer does not know {100 * share:.0f} % of the pieces ({tokenizer.unk_token}), so that "
            "the model reads hardly anything of these texts; take the tokenizer that the model was trained with, or a "
            "model of their language"
        )


def refuse_other_words(folder: Home, texts: ReadTexts, pieces: Pieces, first_pieces: Pieces) -> None:
    """Raise AuditError where a training reads other words or marks of a text than the `first_pieces` of its job."""
    both = zip(texts.ids, pieces.places_by_text, first_pieces.places_by_text, strict=True)
    mark_count, first_mark_count = (
        int(PieceTable(each, torch.device("cpu")).batch(np.array([0])).marks) for each in (pieces, first_pieces)
    )
    name, places, wanted = next(
        (each for each in both if mark_count != first_mark_count or not np.array_equal(*each[1:])), ("", (), ())
    )
    if not name:
        return
    fault = f"sets {mark_count} marks around a text, and that of the first training {first_mark_count}"
    if not np.array_equal(places, wanted):
        counts = f"{len(places)} words of text {name!r}, and that of the first training {len(wanted)}"
        fault = (
            f"reads {counts}" if len(places) != len(wanted) else f"reads other words of text {name!r} than the first's"
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
        f"{path or 'the model'}, a {type(part).__name__}"
        for path, part in model.named_modules()
        if not type(part).__module__.startswith(("transformers.", "torch."))
        or "forward" in vars(part)
        or part._forward_hooks
        or part._forward_pre_hooks
    ]
    return (
        f" (with a class, a forward or a hook that is not the library's: {'; '.join(changed[:3])})" if changed else ""
    )


@contextmanager
def refuse_call(home: Home, name: str) -> Iterator[None]:
    """Raise AuditError where a model cannot be called with a text in the block."""
    try:
        yield
    except Exception as error:
        raise AuditError(
            f"{home}: cannot be called with what its tokenizer makes of text {name!r} ({say_first(error)}); "
            "give a model that can, or use judge"
        ) from error


class GivenText(NamedTuple):
    """A text as its model was given: inputs, what the tokenizer makes of its sides, and pieces, which are audited.
    settings: with which a pipeline is called, which cuts it where they say so.
    """

    name: str
    sides: list[str]
    settings: Mapping[str, Any]
    inputs: Any
    pieces: Pieces


def cut_as_given(
    classifier: SequenceClassifier, tokenizer: Any, names: Sequence[str], texts: Sequence[RawText]
) -> list[GivenText]:
    """Cut texts by the tokenizer that a classifier was given with. Raises AuditError where they have other pieces."""
    home, (before, after), given_texts = classifier.folder, classifier.template.split(TEXT_SLOT), []
    pipeline_settings = read_tokenizer_settings(home)
    truncation = True if texts[0].second is None else classifier.truncation
    settings = {"truncation": truncation, "max_length": classifier.most} | pipeline_settings
    if has_first_mark(tokenizer, classifier.template):
        settings["add_special_tokens"] = False
    for name, text in zip(names, texts, strict=True):
        pieces = cut_raw(
            classifier.tokenizer, [name], [text], classifier.most, classifier.template, classifier.truncation
        )
        if classifier.template != TEXT_SLOT and pieces.truncated[0]:
            # the text alone within a prompt is cut, which no tokenizer does
            continue
        sides = [before + side + after for side in text.sides]
        with refuse_call(home, name):
            inputs = tokenizer(*sides, return_tensors="pt", **settings)
            ids = inputs["input_ids"][0]
            ids = ids[inputs.get("attention_mask", torch.ones_like(ids)[None])[0] > 0].tolist()
        if ids != (audited_ids := pieces.ids.tolist()):
            theirs, ours = (set(tokenizer.convert_ids_to_tokens(each)) for each in (ids, audited_ids))
            how = " and ".join(f"{key}={value}" for key, value in settings.items())
            raise AuditError(
                f"{home}: of text {name!r} its tokenizer, called with {how}, gives {len(ids)} pieces "
                f"({sorted(theirs - ours)[:3]}), where {len(audited_ids)} would be audited "
                f"({sorted(ours - theirs)[:3]}); "
                + ("give its .model and .tokenizer" if pipeline_settings else "give one without a call of its own")
            )
        # one that is cut without a length of its own is called with that of the audit
        called = settings if pieces.truncated[0] and "max_length" not in pipeline_settings else {}
        given_texts.append(GivenText(name, sides, called, inputs, pieces))
    return given_texts


def call_as_given(model: Any, inputs: Sequence[Any]) -> torch.Tensor:
    """Return what a model gives for what its tokenizer makes of some texts, (n, ..), on the CPU; several are padded
    behind.
    """
    device, batch = next(model.parameters()).device, inputs[0]
    if len(inputs) > 1:
        padding = {"input_ids": model.config.pad_token_id or 0}
        rows = {name: [each[name][0] for each in inputs] for name in batch}
        batch = {name: pad_sequence(rows[name], True, padding.get(name, 0)).to(device) for name in rows}
    output = model(**(batch.to(device) if len(inputs) == 1 else batch))
    return (output if isinstance(output, torch.Tensor) else output[0]).float().cpu()


def read_as_given(
    classifier: SequenceClassifier, model: Any, given_texts: Sequence[GivenText], tolerance: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the logits of texts that a model has as it is given, and as it is audited, (n, C) each. tolerance: by
    which they may differ, of the greatest of a batch; where they do, texts are called one by one. Raises AuditError
    where they cannot be called.
    """
    home, rows = classifier.folder, list[tuple[torch.Tensor, torch.Tensor]]()

    def call_alone(text: GivenText) -> torch.Tensor:
        with refuse_call(home, text.name):
            (logits,) = call_as_given(model, [text.inputs])
        logits = logits[-1, classifier.asked] if classifier.asked else logits
        refuse_no_number(home, text.name, logits)
        return logits

    # a language model has a logit of every piece that it knows at each piece of a text
    limit, order = None if classifier.asked is None else 1, list[int]()
    table = PieceTable(join_pieces([text.pieces for text in given_texts]), classifier.device)
    with evaluate_apart(model):
        for members, batch in table.iterate_by_length(limit):
            texts, audited = [given_texts[at] for at in members], classifier.compute_known(batch).cpu()
            try:
                given_logits = call_as_given(model, [text.inputs for text in texts])
                agree = torch.allclose(given_logits, audited, 0, tolerance * float(audited.abs().max().clamp(min=1)))
            except Exception:
                agree = False
            if not agree:
                # one of somebody's own may read padding as text, or no batch at all
                given_logits = torch.stack([call_alone(text) for text in texts])
            rows += zip(given_logits, audited, strict=True)
            order += members.tolist()
            pass_texts(len(members))
    given_logits, audited = map(torch.stack, zip(*(rows[at] for at in np.argsort(order)), strict=True))
    return given_logits, audited


def compare_with_given(classifier: SequenceClassifier, names: Sequence[str], texts: Sequence[RawText]) -> str:
    """Compare a classifier with the model and the tokenizer that it was given as, on some texts; return what was found,
    as a line of a log, and warn where the model is read with more digits than it has.

    Raises AuditError where they have other pieces, or logits that differ by more than rounding does.
    """
    home = classifier.folder
    model, tokenizer = open_given(home, "ForSequenceClassification" if classifier.asked is None else "ForCausalLM")
    # what a method of a pipeline's own changes may be in any text
    count = len(texts) if list_methods(home) else min(MAX_TEXTS_COMPARED, len(texts))
    by_length = sorted(range(len(texts)), key=lambda at: len(texts[at].text))
    chosen = [by_length[at] for at in np.linspace(0, len(texts) - 1, count).round().astype(np.int64)]
    given_texts = cut_as_given(classifier, tokenizer, *([column[at] for at in chosen] for column in (names, texts)))
    if not given_texts:
        return "none is compared, as none fits within the prompt"
    dtypes = {weight.dtype for weight in model.parameters()} | {torch.float32}
    coarsest = max(dtypes, key=lambda each: torch.finfo(each).eps)
    # rounding adds up over the layers
    tolerance = torch.finfo(coarsest).eps ** 0.5
    given_logits, audited = read_as_given(classifier, model, given_texts, tolerance)
    difference, allowed = (given_logits - audited).abs().max(), tolerance * audited.abs().max().clamp(min=1)
    if not difference <= allowed:
        flips = int((given_logits.argmax(1) != audited.argmax(1)).sum())
        raise AuditError(
            f"{home}: as it is given, a logit differs by up to {difference:.2g} from that of the library's "
            f"{type(classifier.model).__name__} with its weights, more than {allowed:.2g}, and {flips} of "
            f"{len(given_texts)} texts get another class{describe_changes(model)}; use judge for what it computes"
        )
    if get_pipeline(home) is not None:
        with evaluate_apart(model):
            for text, probabilities in zip(given_texts, distribute(audited, classifier.kind).tolist(), strict=True):
                by_class = dict(zip(classifier.names, probabilities, strict=True))
                refuse_other_answer(home, text.name, text.sides, text.settings, by_class, float(allowed))
    line = (
        f"{len(given_texts)} have the pieces and, within {difference:.1g}, the logits that the model has as it is given"
    )
    if coarsest != classifier.tail.sample.dtype:
        greatest_move = (distribute(given_logits, classifier.kind) - distribute(audited, classifier.kind)).abs().max()
        line += (
            f"; {str(coarsest).removeprefix('torch.')} is read as float32, which moves a probability by up to "
            f"{greatest_move:.2g}"
        )
        warnings.warn(f"{home}: of the texts {line}", stacklevel=2)
    return line


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
    about = texts.ids, texts.labels, classes, read.imposed, read.layer, read.maps
    readout = None
    if len(texts.ids) <= MAX_TEXTS_COMPARED:
        # all are compared, by outputs that are read of them anyway
        classifier.known = {}
        readout = take_classifier(classifier, pieces, *about)
    report(check_reading(classifier, texts, pieces))
    if readout is None:
        readout = take_classifier(classifier, pieces, *about)
    if order_warning := ask_order(texts.labels, readout.predictions[None]):
        report(order_warning)
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
