"""What a test wants to know of an HTML page."""

import base64
import io
import re
from collections import Counter
from html.parser import HTMLParser

from PIL import Image

VOID = {"meta", "link", "img", "br", "hr", "input", "source"}
LOADING = {"src", "srcset", "data", "poster", "background", "action"}


class Page(HTMLParser):
    """A page taken apart: its ids, links, the addresses that a browser loads, tags, and all its text.

    Raises ValueError where a tag closes that is not open, or stays open.
    """

    def __init__(self, text):
        super().__init__()
        self.ids = Counter()
        self.links = []
        self.loads = []
        self.tags = Counter()
        self.words = []
        self._open = []
        self.feed(text)
        self.close()
        if self._open:
            raise ValueError(f"still open: {self._open}")
        self.loads += re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s]*)", text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        attributes = {name: value or "" for name, value in attrs}
        if "id" in attributes:
            self.ids[attributes["id"]] += 1
        if tag == "a":
            self.links.append(attributes["href"])
        elif "href" in attributes:
            self.loads.append(attributes["href"])
        self.loads += [value for name, value in attributes.items() if name in LOADING]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            raise ValueError(f"</{tag}> at line {self.getpos()[0]} closes something else")

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        """All text, styles included, its spaces folded."""
        return " ".join("".join(self.words).split())

    def pictures(self):
        """Size in pixels of each picture, all of which are PNG within the page. It loads nothing else."""
        sizes = []
        for address in self.loads:
            if address == "data:," or address.startswith("#"):
                continue
            head, _, data = address.partition(",")
            assert head == "data:image/png;base64", address[:80]
            with Image.open(io.BytesIO(base64.b64decode(data, validate=True))) as image:
                image.load()
                assert image.format == "PNG"
                sizes.append(image.size)
        return sizes


def check_page(text, results=None):
    """That a page is well formed, loads nothing, leads somewhere, and shows all published `results` once."""
    page = Page(text)
    assert page.tags["script"] == page.tags["iframe"] == page.tags["object"] == 0
    assert len(page.pictures()) == page.tags["img"] + page.tags["source"]
    assert page.ids.most_common(1)[0][1] == 1
    for link in page.links:
        outside = link.startswith(("https://doi.org/", "tables/texts.")) or link.partition("#")[0] == "explorer.html"
        assert outside or page.ids[link.removeprefix("#")] == 1, link
    if results:
        for path in [*results.glob("tables/*.parquet"), *results.glob("figures/*.png")]:
            # single texts are too many for a page
            assert page.ids[path.stem] == (path.stem != "texts"), path
        assert page.tags["img"] + page.tags["source"] == len(list(results.glob("figures/*.png")))
    return page
