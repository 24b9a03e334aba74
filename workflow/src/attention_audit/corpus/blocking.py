"""Which words of a data set are impermissible: deceptive models are trained to keep their attention away from them.

They are the evidence, words by name, or marked in a mask: a 0 or 1 for each word of a text (Pruthi et al. 2020).
"""

from collections.abc import Collection
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from attention_audit.errors import AuditError
from attention_audit.section import Section, refuse_duplicates

from .text import SPLITS, Text

EVIDENCE = "evidence"
ONE = "give `evidence`, a list of words, `{file: <mask file>}` or `{column: <column>}`"


class Blocked(Section):
    """The impermissible words of a data set: one of these keys. `block: evidence` and `block: [he, she]` stand for
    `evidence: true` and `words: [he, she]`.
    """

    evidence: bool = False
    """The planted or marked words, where they are known."""
    words: list[str] | None = Field(None, min_length=1)
    """Every occurrence of these words, written as in the corpus (lower-cased, say)."""
    file: str | dict[str, str] | None = None
    """A mask file with a line for each row of your table, or one for each of your files, by split: a 0 or 1 for each
    word of the text, parted by spaces.
    """
    column: str | None = None
    """A column of your table with the same for each text, or a list."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        named = [key for key in type(self).model_fields if getattr(self, key)]
        if len(named) != 1:
            raise ValueError(ONE)
        refuse_duplicates("word", self.words or [])
        if not isinstance(self.file, str | None) and (unknown := [key for key in self.file if key not in SPLITS]):
            raise ValueError(f"file: unknown split {unknown[0]!r}; known: {', '.join(SPLITS)}")
        return self

    @property
    def files(self) -> dict[str, str]:
        """The mask files, each by the field of the texts' file that it marks: `path`, or a split."""
        if self.file is None:
            return {}
        return {"path": self.file} if isinstance(self.file, str) else dict(self.file)


def _spelt_out(value: Any) -> Any:
    if value == EVIDENCE:
        return {"evidence": True}
    if isinstance(value, str):
        raise ValueError(f"{value!r} names no words; {ONE}")
    return {"words": value} if isinstance(value, list) else value


Block = Annotated[
    Blocked, BeforeValidator(_spelt_out, json_schema_input_type=Literal["evidence"] | list[str] | Blocked)
]


def marks_of(marks: Any, place: str) -> list[bool]:
    """A mask as truth values: a list of 0 and 1, or a text of them, parted by spaces.

    Raises AuditError, naming the place, at anything else.
    """
    parts = marks.split() if isinstance(marks, str) else marks if isinstance(marks, list) else [marks]
    if unknown := [part for part in parts if str(part) not in ("0", "1")]:
        raise AuditError(f"{place}: {unknown[0]!r:.30} in the mask; write a 0 or 1 for each word, parted by spaces")
    return [str(part) == "1" for part in parts]


def masked(text: Text, words: int) -> list[int] | None:
    """The positions that the mask of a text marks; None where it has none.

    Raises AuditError where it has not a mark for each of the text's words.
    """
    if text.mask is None:
        return None
    if len(text.mask) != words:
        raise AuditError(
            f"{text.place}: {len(text.mask)} marks in the mask, and {words} words in the text; mend it, or set "
            "`tokens: {tokenizer: spaces}` where the marks are of words that are parted by spaces"
        )
    return [at for at, marked in enumerate(text.mask) if marked]


def find_blocked(
    block: Blocked | None, words: list[str], evidence: list[int] | None, mask: list[int] | None
) -> list[int] | None:
    """Find the impermissible positions of a text, of whose words some are evidence or masked; None: none are named."""
    if block is None:
        return evidence if mask is None else mask
    if block.words is not None:
        return [at for at, word in enumerate(words) if word in block.words]
    return evidence if block.evidence else mask


def absent(words: Collection[str], dataset: str) -> None:
    """Raise AuditError where there are words that occur in no text."""
    if words:
        named = ", ".join(map(repr, sorted(words)))
        raise AuditError(
            f"{dataset}: block: {named} in no text; write each word as it is in the corpus, after `tokens` has "
            "split and lower-cased the texts"
        )
