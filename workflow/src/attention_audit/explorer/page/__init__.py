"""The explorer as one HTML file: markup, style, script and data, so that it opens anywhere, without a network.

The files beside this one are the page's markup, its style, and its ES modules of JavaScript, one file a responsibility.
A browser would load each import by a request, which a file on disk may not do. So they are joined to one module, in
which a name stands for one thing: a browser refuses a script that declares one twice. The page's content security
policy names the digests of this script and of the style, and permits nothing else: no other script runs, and nothing is
loaded.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from graphlib import TopologicalSorter
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from attention_audit.explorer.document import About, write_about

PAGE = Path(__file__).parent
IMPORT = re.compile(r"^import \{[^}]*\} from \"\./(\w+)\.js\";\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)


def join_modules() -> str:
    """Join the modules of the page, each behind those that it imports."""
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted(PAGE.glob("*.js"))}
    order = TopologicalSorter({name: IMPORT.findall(text) for name, text in texts.items()}).static_order()
    return "\n".join(EXPORT.sub("", IMPORT.sub("", texts[name])) for name in order)


def hash_text(text: str) -> str:
    """Name the content of an element as a content security policy does."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def write_page(about: About, views: Mapping[str, str]) -> str:
    """Write the page as HTML. views: by key, the texts as `explorer.document.pack_view` writes them."""
    loader = FileSystemLoader(PAGE)
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    script = join_modules()
    style = (PAGE / "explorer.css").read_text(encoding="utf-8")
    return environment.get_template("explorer.html").render(
        about=Markup(write_about(about)),
        views=views,
        script=Markup(script),
        script_digest=hash_text(script),
        style=Markup(style),
        style_digest=hash_text(style),
    )
