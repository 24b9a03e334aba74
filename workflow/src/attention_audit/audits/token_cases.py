"""The cases that are asked of generated tokens, of prompts and the tokens that follow them."""

from collections.abc import Sequence
from typing import Any

from attention_audit.errors import AuditError
from attention_audit.given import make_list
from attention_audit.model.generator import TokenTarget
from attention_audit.transformer.contexts import Context, encode_text, list_contexts
from attention_audit.transformer.folder import Home
from attention_audit.transformer.opening import open_tokenizer

from .generated import TokenCase


def refuse_other_pieces(homes: Sequence[Home], read: Sequence[tuple[str, Context]]) -> None:
    """Raise AuditError where a further training reads prompts as other pieces than the first."""
    for home in homes[1:]:
        other = open_tokenizer(home)
        if any(encode_text(other, text).ids != context.ids.tolist() for text, context in read):
            raise AuditError(str(home), "cuts prompts otherwise than the first training", "give trainings of one kind")


def refuse_long(read: Sequence[tuple[str, Context]], counts: Sequence[int], most: int) -> None:
    """Raise AuditError, which names the text, where more pieces stand before the last of so many tokens than a model
    reads.
    """
    for number, ((_, context), count) in enumerate(zip(read, counts, strict=True)):
        if (length := len(context.ids) + count - 1) > most:
            fault = f"text {number}: {length} pieces stand before its last token, and the model reads {most}"
            raise AuditError("prompts", fault, "shorten it")


def find_token(tokenizer: Any, word: Any, number: int) -> int:
    """Find the token of a word that others are told from. Raises AuditError where it has several."""
    ids = tokenizer(str(word), add_special_tokens=False)["input_ids"]
    if len(ids) != 1:
        pieces = ", ".join(repr(tokenizer.decode([each])) for each in ids)
        raise AuditError("contrast", f"text {number}: {word!r} has {len(ids)} pieces ({pieces})", "give words of one")
    return int(ids[0])


def list_contrasts(tokenizer: Any, contrast: Any, count: int) -> list[tuple[int, ...]]:
    """List the tokens that those of each of `count` prompts are told from, () for the whole vocabulary. contrast: a
    word, several, or an entry a prompt.
    """
    if contrast is None:
        return [()] * count
    entries = [contrast] if isinstance(contrast, str) else make_list(contrast, "contrast")
    by_prompt = any(not isinstance(each, str) for each in entries)
    if by_prompt and len(entries) != count:
        fault = f"has {len(entries)} entries for {count} prompts"
        raise AuditError("contrast", fault, "give a word, several, or one entry a prompt")
    listed = entries if by_prompt else [entries] * count
    return [
        tuple(dict.fromkeys(find_token(tokenizer, word, at) for word in ([each] if isinstance(each, str) else each)))
        for at, each in enumerate(listed)
    ]


def make_cases(
    tokenizer: Any,
    read: Sequence[tuple[str, Context]],
    tokens: Sequence[Sequence[int]],
    contrasts: Sequence[tuple[int, ...]],
    apart: bool,
) -> list[TokenCase]:
    """Make the cases of prompts and the tokens that follow them. Raises AuditError where there is none, and where one
    is told from itself.
    """
    cases = []
    for number, ((_, prompt), following, others) in enumerate(zip(read, tokens, contrasts, strict=True)):
        for step, (context, token) in enumerate(
            zip(list_contexts(tokenizer, prompt, following, apart), following, strict=False)
        ):
            apart_from = tuple(other for other in others if other != token)
            if others and not apart_from:
                fault = f"text {number}: {tokenizer.decode([token])!r} is the target itself"
                raise AuditError("contrast", fault, "give others, or continuations to ask of")
            name = f"{number}:{step}"
            target = TokenTarget(token, apart_from)
            cases.append(TokenCase(name, number, step, context, target, tokenizer.decode([token])))
    if not cases:
        raise AuditError("prompts", "the model ends each at once", "give others, or continuations")
    return cases
