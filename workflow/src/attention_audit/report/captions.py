"""Captions: short reStructuredText, written once in workflow/report/, as a heading and as HTML."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from docutils import nodes
from docutils.core import publish_doctree
from markupsafe import Markup

HOW = "How to read it:"
"""How the paragraph of a caption begins that says how its exhibit is read."""
MARKS = {"strong": "**", "emphasis": "*", "literal": "`"}
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z0-9`*τ])")
TAGS = {"paragraph": "p", "strong": "strong", "emphasis": "em", "literal": "code"}


@dataclass(frozen=True)
class Caption:
    """The bold words that a caption opens with, and all that follows them as HTML."""

    title: str
    body: Markup


class Sentences(NamedTuple):
    """A caption in two sentences of Markdown: the bold words that it opens with, and how its exhibit is read."""

    title: str
    reading: str


def _html(node: nodes.Node, anchors: Collection[str]) -> Markup:
    if isinstance(node, nodes.Text):
        return Markup.escape(node.astext())
    inside = Markup().join(_html(child, anchors) for child in node.children)
    tag = TAGS.get(getattr(node, "tagname", ""))
    marked = Markup(f"<{tag}>{{}}</{tag}>").format(inside) if tag else inside
    if tag == "code" and node.astext() in anchors:
        return Markup('<a href="#{}">{}</a>').format(node.astext(), marked)
    return marked


def read_caption(text: str, anchors: Collection[str] = ()) -> Caption:
    """A caption: paragraphs of plain, bold, slanted and literal text, the first of which opens with bold words.

    A literal that is one of `anchors` becomes a link to that place of the page.
    """
    document = publish_doctree(text, settings_overrides={"halt_level": 2})
    first = document[0]
    lead = first.pop(0)
    return Caption(lead.astext().rstrip("."), Markup(str(_html(document, anchors)).replace("<p> ", "<p>", 1)))


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
