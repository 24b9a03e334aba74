"""A classifier that is given -> is it what is audited? Some texts go through it as its user calls it, and as it is read
here.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any

import numpy as np
import torch

from attention_audit.errors import AuditError
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.raw_text import RawText
from attention_audit.transformer.opening import open_given, say_first
from attention_audit.transformer.pieces import cut_raw
from attention_audit.transformer.settings import TEXT
from attention_audit.transformer.states import PieceTable

COMPARED = 32
"""Texts at most that are compared, from the shortest to the longest."""


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


def describe_changes(model: Any, known: Any) -> str:
    """Say where a model has another class than `known`, a forward of its own, or a hook; "" where nowhere."""
    name, parts = type(known).__name__, dict(known.named_modules())
    found = [f"its class is {type(model).__name__}, and not the library's {name}"] * (type(model) is not type(known))
    for place, part in model.named_modules():
        where = place or "it"
        if "forward" in vars(part):
            found.append(f"{where} has a forward of its own")
        if part._forward_hooks or part._forward_pre_hooks:
            found.append(f"{where} has a hook")
        if place and place in parts and type(part).__name__ != type(parts[place]).__name__:
            found.append(f"{where} is a {type(part).__name__}, and not a {type(parts[place]).__name__}")
    return f" ({'; '.join(found[:3])})" if found else ""


def call_as_given(model: Any, tokenizer: Any, sides: Sequence[str], most: int) -> tuple[list[int], torch.Tensor]:
    """Return the pieces of a text, or of a pair, and the first row of what a model gives for them, on the CPU."""
    given = tokenizer(*sides, truncation="only_second" if sides[1:] else True, max_length=most, return_tensors="pt")
    takes = signature(model.forward).parameters.values()
    names = {each.name for each in takes}
    anything = any(each.kind is each.VAR_KEYWORD for each in takes)
    device = next(model.parameters()).device
    output = model(**{name: value.to(device) for name, value in given.items() if anything or name in names})
    logits = getattr(output, "logits", output)
    logits = logits[0] if isinstance(logits, tuple) else logits
    return given["input_ids"][0].tolist(), logits[0].float().cpu()


def compare_with_given(classifier: SequenceClassifier, names: Sequence[str], texts: Sequence[RawText]) -> str:
    """Compare a classifier with the model and the tokenizer that it was given as, on some texts; return what was found,
    as a line of a log, and warn where the model is read with more digits than it has.

    Raises AuditError where they have other pieces, or logits that differ by more than rounding does.
    """
    place, (before, after) = classifier.folder, classifier.template.split(TEXT)
    model, tokenizer = open_given(place, "ForSequenceClassification" if classifier.asked is None else "ForCausalLM")
    order = sorted(range(len(texts)), key=lambda at: len(texts[at].text))
    places = np.linspace(0, len(texts) - 1, min(COMPARED, len(texts))).round().astype(np.int64)
    chosen = [order[at] for at in places.tolist()]
    some = [texts[at] for at in chosen]
    pieces = cut_raw(classifier.tokenizer, [names[at] for at in chosen], some, classifier.most, classifier.template)
    # the text alone within a prompt is cut, which no tokenizer does
    rows = [row for row in range(len(some)) if classifier.template == TEXT or not pieces.truncated[row]]
    read = np.empty((len(some), len(classifier.names)), np.float32)
    with torch.inference_mode():
        for at, batch in PieceTable(pieces, classifier.device).in_order_of_length():
            read[at] = classifier.logits(batch).cpu().numpy()
    given = np.empty_like(read)
    with evaluate_apart(model):
        for row in rows:
            sides = [before + side + after for side in some[row].sides]
            try:
                ids, logits = call_as_given(model, tokenizer, sides, classifier.most)
            except Exception as error:
                raise AuditError(
                    f"{place}: cannot be called with what its tokenizer makes of text {names[chosen[row]]!r} "
                    f"({say_first(error)}); give a model that can, or use judge"
                ) from error
            own = pieces.ids[pieces.starts[row] :][: pieces.counts[row]].tolist()
            if ids != own:
                same = next(
                    (at for at, (a, b) in enumerate(zip(ids, own, strict=False)) if a != b), min(len(ids), len(own))
                )
                theirs, ours = (tokenizer.convert_ids_to_tokens(each[same : same + 3]) for each in (ids, own))
                raise AuditError(
                    f"{place}: of text {names[chosen[row]]!r} its tokenizer, called with truncation=True and "
                    f"max_length={classifier.most}, gives {theirs} behind {same} pieces, where {ours} would be "
                    "audited; give one without a call of its own, or use judge"
                )
            given[row] = logits[-1, classifier.asked] if classifier.asked else logits
    given, read = given[rows], read[rows]
    dtype = max((weight.dtype for weight in model.parameters()), key=lambda each: torch.finfo(each).eps)
    apart = float(np.abs(given - read).max(initial=0))
    # rounding adds up over the layers
    allowed = max(torch.finfo(each).eps for each in (dtype, torch.float32)) ** 0.5
    allowed *= max(1.0, float(np.abs(read).max(initial=0)))
    if not apart <= allowed:
        other = int((given.argmax(1) != read.argmax(1)).sum())
        raise AuditError(
            f"{place}: as it is given, a logit differs by up to {apart:.2g} from that of the library's "
            f"{type(classifier.model).__name__} with its weights, more than {allowed:.2g}, and {other} of {len(rows)} "
            f"texts get another class{describe_changes(model, classifier.model)}; use judge for what it computes"
        )
    said = f"{len(rows)} texts have the pieces and, within {apart:.1g}, the logits that the model has as it is given"
    if torch.finfo(dtype).eps > torch.finfo(torch.float32).eps:
        shares = (torch.from_numpy(part).softmax(1) for part in (given, read))
        moved = float(torch.sub(*shares).abs().max())
        said += f"; {str(dtype).removeprefix('torch.')} is read as float32, which moves a probability by {moved:.2g}"
        warnings.warn(f"{place}: {said}", stacklevel=2)
    return said
