"""What a decoder reads before it generates a token: a prompt, and the tokens that it has generated.

The first piece is a mark, whether or not the tokenizer sets one: it draws most of the weight and says little (Xiao et
al. 2024), so that it is ranked, moved and deleted never. Pieces of a chat template are marks too. Tokens that were
generated are of units as the words of the prompt are; a piece that continues a word is of that word.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_audit.arrays import Integers
from attention_audit.errors import AuditError
from attention_audit.raw_text import RawText

from .opening import say_first
from .pieces import SPECIAL, assign_pieces, has_first_mark, list_marks
from .settings import TEXT_SLOT

FindUnits = Callable[[str, int], tuple[list[str], RawText]]
"""Finds the units of a text, by its number, and where they stand in it."""


class TooShort(AuditError):
    """A prompt in which there is nothing to rank."""


@dataclass(frozen=True)
class Context:
    """P pieces that are read before a token: ids, and items, the unit of each or `SPECIAL`, (P,); and the U units."""

    ids: Integers
    items: Integers
    units: Sequence[str]

    def keep(self, units: Sequence[int]) -> Integers:
        """Return the ids without the pieces of all other units; marks stay."""
        return self.ids[(self.items == SPECIAL) | np.isin(self.items, units)]

    def append(self, number: int, text: str, apart: bool) -> "Context":
        """Append a piece, of a unit of its own where it is `apart` or begins a word. text: as it is written."""
        begins = apart or self.items[-1] == SPECIAL or not text[:1].isalnum()
        names = [*self.units, text.strip() or repr(text)] if begins else [*self.units[:-1], self.units[-1] + text]
        ids, items = np.append(self.ids, number), np.append(self.items, len(names) - 1)
        return Context(ids, items, names)


def render_messages(tokenizer: Any, messages: Sequence[Mapping[str, Any]], name: str) -> tuple[str, list[str]]:
    """Write messages as the chat template does, behind which the model answers, or goes on with its own last message;
    and list their contents. Raises AuditError where there is no template, or one refuses the messages.
    """
    try:
        contents = [message["content"].strip() for message in messages]
        own = messages[-1]["role"] == "assistant"
        text = tokenizer.apply_chat_template(
            [*messages], tokenize=False, add_generation_prompt=not own, continue_final_message=own
        )
    except Exception as error:
        fault = f"{name} cannot be written by the chat template ({say_first(error):.80})"
        raise AuditError("prompts", fault, "give strings, or messages with `role` and `content`") from error
    return text, contents


def place_contents(
    text: str, contents: Sequence[str], find: FindUnits, number: int, end: int = 0
) -> tuple[list[str], RawText]:
    """Find the units of the contents of messages in the text of all of them, from `end` on; what is between is of no
    unit. Raises AuditError where the template changes a content.
    """
    units, places, edges = list[str](), list[int](), [0]
    for content in filter(None, contents):
        start = text.find(content, end)
        if start < 0:
            fault = f"text {number}: the chat template writes {content!r:.40} otherwise"
            raise AuditError("prompts", fault, "give the text that it writes as a string")
        names, raw = find(content, number)
        units += names
        places += [start + place for place in raw.places]
        end = start + len(content)
        edges += [start, end]
    edges.append(len(text))
    return units, RawText(text, places, outside=[*zip(edges[::2], edges[1::2], strict=True)])


def encode_text(tokenizer: Any, text: str) -> Any:
    """Return the encoding of a text that something follows: a mark at its end is none of it."""
    encoding = tokenizer(text, add_special_tokens=not has_first_mark(tokenizer, text)).encodings[0]
    count = len(encoding.ids)
    while count > 1 and encoding.special_tokens_mask[count - 1]:
        count -= 1
    encoding.truncate(count)
    return encoding


def read_prompt(
    tokenizer: Any, prompt: Any, number: int, find: FindUnits, template: str = TEXT_SLOT
) -> tuple[str, Context]:
    """Read a prompt, a string or messages: as it is written, and as pieces. template: what a string is set into. Raises
    TooShort where it has fewer than two units.
    """
    if isinstance(prompt, str):
        text = template.replace(TEXT_SLOT, prompt)
        units, written = place_contents(text, [prompt], find, number, template.index(TEXT_SLOT))
    else:
        text, contents = render_messages(tokenizer, prompt, f"text {number}")
        units, written = place_contents(text, contents, find, number)
    encoding = encode_text(tokenizer, text)
    pieces, positions = assign_pieces(encoding, "", text, "", written, 0, list_marks(tokenizer))
    items = np.array(pieces, np.int64)
    items[:1] = SPECIAL
    having, numbers = np.unique(items[items >= 0], return_inverse=True)
    items[items >= 0] = numbers
    if len(having) < 2:
        fault = f"text {number} has fewer than two units before its first generated token"
        raise TooShort("prompts", fault, "leave it out")
    return text, Context(np.array(encoding.ids), items, [units[positions[at]] for at in having])


def read_continuation(tokenizer: Any, text: str, context: Context, continuation: Any, number: int) -> list[int]:
    """List the tokens of a continuation of a prompt, which may be given as their ids. Raises AuditError where there is
    none, and where its first one depends on where the prompt ends.
    """
    place = "continuations"
    if not isinstance(continuation, str):
        ids = np.asarray(continuation)
        if ids.ndim != 1 or ids.dtype.kind not in "iu" or not len(ids):
            raise AuditError(place, f"text {number} has {continuation!r:.40}", "give strings, or lists of ids")
        if ids.min() < 0 or ids.max() >= len(tokenizer):
            fault = f"text {number} has ids of {ids.min()} to {ids.max()}, and the tokenizer 0 to {len(tokenizer) - 1}"
            raise AuditError(place, fault, "give its ids")
        return [int(each) for each in ids]
    encoding, count = encode_text(tokenizer, text + continuation), len(context.ids)
    if encoding.ids[:count] != context.ids.tolist():
        at = next(at for at, (own, _) in enumerate(zip(context.ids, [*encoding.ids, None], strict=False))
                  if at >= len(encoding.ids) or encoding.ids[at] != own)  # fmt: skip
        start, stop = encoding.offsets[min(at, len(encoding.ids) - 1)]
        written, end = text + continuation, len(text)
        fault = (
            f"text {number}: its first token depends on where the prompt ends ({written[start:end]!r} + "
            f"{written[end:stop]!r} is one piece {written[start:stop]!r})"
        )
        raise AuditError(place, fault, "end the prompt at a space")
    if len(encoding.ids) == count:
        raise AuditError(place, f"text {number} has no token", "give one or more")
    return encoding.ids[count:]


def list_contexts(tokenizer: Any, prompt: Context, tokens: Sequence[int], apart: bool) -> list[Context]:
    """List what is read before each of the tokens that follow a prompt. apart: whether each is a unit of its own."""
    contexts, before = [prompt], [int(prompt.ids[-1])]
    for token in tokens[:-1]:
        after = [*before, token]
        text = tokenizer.decode(after)[len(tokenizer.decode(before)) :]
        contexts.append(contexts[-1].append(token, text, apart))
        before = after
    return contexts
