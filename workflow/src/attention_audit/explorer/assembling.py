"""The explorer as one HTML file: markup, style, script and data, so that it opens anywhere, without a network.

The script is written as ES modules, one file a responsibility, in `explorer/page`. A browser would load each import by
a request, which a file on disk may not do. So they are joined to one module, in which a name stands for one thing: a
browser refuses a script that declares one twice. The page's content security policy names the digests of this script
and of the style, and permits nothing else: no other script runs, and nothing is loaded.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from graphlib import TopologicalSorter
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .document import About, as_json

PAGE = "attention_audit.explorer.page"
IMPORT = re.compile(r"^import \{[^}]*\} from \"\./(\w+)\.js\";\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)


def join_modules() -> str:
    """Join the modules of the page, each behind those that it imports."""
    found = sorted((file for file in files(PAGE).iterdir() if file.name.endswith(".js")), key=lambda file: file.name)
    texts = {file.name.removesuffix(".js"): file.read_text(encoding="utf-8") for file in found}
    order = TopologicalSorter({name: IMPORT.findall(text) for name, text in texts.items()}).static_order()
    return "\n".join(EXPORT.sub("", IMPORT.sub("", texts[name])) for name in order)


def digest(text: str) -> str:
    """Name the content of an element as a content security policy does."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def page(about: About, views: Mapping[str, str]) -> str:
    """Write the page as HTML. views: by key, the texts as `explorer.document.packed` writes them."""
    loader = PackageLoader(PAGE, ".")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    script = join_modules()
    style = files(PAGE).joinpath("explorer.css").read_text(encoding="utf-8")
    return environment.get_template("explorer.html").render(
        about=Markup(as_json(about)),
        views=views,
        script=Markup(script),
        script_digest=digest(script),
        style=Markup(style),
        style_digest=digest(style),
    )
