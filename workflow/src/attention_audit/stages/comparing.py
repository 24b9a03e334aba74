"""A classifier that is given -> is it what is audited? Some texts go through it as its user calls it, and as it is read
here.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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


def call_as_given(model: Any, tokenizer: Any, sides: Sequence[str], most: int) -> tuple[list[int], torch.Tensor]:
    """Return the pieces of a text, or of a pair, and the first row of what a model gives for them, on the CPU."""
    given = tokenizer(*sides, truncation="only_second" if sides[1:] else True, max_length=most, return_tensors="pt")
    output = model(**given.to(next(model.parameters()).device))
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
    chosen = np.linspace(0, len(texts) - 1, min(COMPARED, len(texts))).round().astype(np.int64)
    found = []
    with evaluate_apart(model):
        for name, text in [(names[order[at]], texts[order[at]]) for at in chosen]:
            pieces = cut_raw(classifier.tokenizer, [name], [text], classifier.most, classifier.template)
            if classifier.template != TEXT and pieces.truncated[0]:
                # the text alone within a prompt is cut, which no tokenizer does
                continue
            try:
                sides = [before + side + after for side in text.sides]
                ids, logits = call_as_given(model, tokenizer, sides, classifier.most)
            except Exception as error:
                raise AuditError(
                    f"{place}: cannot be called with what its tokenizer makes of text {name!r} ({say_first(error)}); "
                    "give a model that can, or use judge"
                ) from error
            if ids != (own := pieces.ids.tolist()):
                theirs, ours = (set(tokenizer.convert_ids_to_tokens(each)) for each in (ids, own))
                raise AuditError(
                    f"{place}: of text {name!r} its tokenizer, called with truncation=True and "
                    f"max_length={classifier.most}, gives {len(ids)} pieces ({sorted(theirs - ours)[:3]}), where "
                    f"{len(own)} would be audited ({sorted(ours - theirs)[:3]}); give one without a call of its own"
                )
            read = classifier.logits(PieceTable(pieces, classifier.device).batch(torch.tensor([0])))[0].cpu()
            found.append((logits[-1, classifier.asked] if classifier.asked else logits, read))
    if not found:
        return "none is compared, as none fits within the prompt"
    given, audited = (torch.stack(side) for side in zip(*found, strict=True))
    dtype = max((weight.dtype for weight in model.parameters()), key=lambda each: torch.finfo(each).eps)
    apart = float((given - audited).abs().max())
    # rounding adds up over the layers
    allowed = max(torch.finfo(each).eps for each in (dtype, torch.float32)) ** 0.5 * max(
        1.0, float(audited.abs().max())
    )
    if not apart <= allowed:
        flips = int((given.argmax(1) != audited.argmax(1)).sum())
        raise AuditError(
            f"{place}: as it is given, a logit differs by up to {apart:.2g} from that of the library's "
            f"{type(classifier.model).__name__} with its weights, more than {allowed:.2g}, and {flips} of {len(found)} "
            f"texts get another class{describe_changes(model)}; use judge for what it computes"
        )
    said = f"{len(found)} have the pieces and, within {apart:.1g}, the logits that the model has as it is given"
    if torch.finfo(dtype).eps > torch.finfo(torch.float32).eps:
        moved = (given.softmax(1) - audited.softmax(1)).abs().max()
        said += (
            f"; {str(dtype).removeprefix('torch.')} is read as float32, which moves a probability by up to {moved:.2g}"
        )
        warnings.warn(f"{place}: of the texts {said}", stacklevel=2)
    return said
