"""Captions: short reStructuredText, written once in workflow/report/, as a heading and as HTML."""

from collections.abc import Collection
from dataclasses import dataclass

from docutils import nodes
from docutils.core import publish_doctree
from markupsafe import Markup

TAGS = {"paragraph": "p", "strong": "strong", "emphasis": "em", "literal": "code"}


@dataclass(frozen=True)
class Caption:
    """The bold words that a caption opens with, and all that follows them as HTML."""

    title: str
    body: Markup


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
