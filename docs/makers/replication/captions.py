"""Captions of workflow/report/ in two sentences, as pages of the record have them."""

import re
from typing import NamedTuple

from docutils import nodes
from docutils.core import publish_doctree

HOW = "How to read it:"
"""How the paragraph of a caption begins that says how its exhibit is read."""
MARKS = {"strong": "**", "emphasis": "*", "literal": "`"}
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z0-9`*τ])")


class Sentences(NamedTuple):
    """A caption in two sentences of Markdown: the bold words that it opens with, and how its exhibit is read."""

    title: str
    reading: str


def _markdown(node: nodes.Node) -> str:
    if isinstance(node, nodes.Text):
        return str(node.astext()).replace("\n", " ")
    mark = MARKS.get(getattr(node, "tagname", ""), "")
    return f"{mark}{''.join(map(_markdown, node.children))}{mark}"


def two_sentences(text: str) -> Sentences:
    """The shortest that can be said of an exhibit: its caption's bold words, and the first sentence of how to read it.

    Raises ValueError where the caption does not say how to read it.
    """
    document = publish_doctree(text, settings_overrides={"halt_level": 2})
    paragraphs = [_markdown(node) for node in document.children]
    reading = next((each.removeprefix(HOW).strip() for each in paragraphs if each.startswith(HOW)), None)
    if reading is None:
        raise ValueError(f"a caption without {HOW!r}: {text[:60]}")
    return Sentences(document[0].children[0].astext().replace("\n", " "), SENTENCE.split(reading)[0])
