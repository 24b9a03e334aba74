"""The explorer as one HTML file: markup, style, script and data, so that it opens anywhere, without a network.

The script is written as ES modules, one file a responsibility, in `explorer/page`. A browser would load each import by
a request, which a file on disk may not do. So `one_script` makes one script of them, in which each module is a function
that returns what it exports. The page's content security policy names the digests of this script and of the style, and
permits nothing else: no other script runs, and nothing is loaded.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from attention_audit.explorer.document import About, as_json

PAGE = "attention_audit.explorer.page"
ENTRY = "main"
"""The module that starts the page."""
IMPORT = re.compile(r"^import \{([^}]*)\} from \"\./(\w+)\.js\";\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) (\w+))", re.MULTILINE)


def module(name: str) -> str:
    """Read a module of the page."""
    return files(PAGE).joinpath(f"{name}.js").read_text(encoding="utf-8")


def one_script(*entries: str) -> str:
    """Join the modules of these names, and all that they import, as one script; module `x` is the constant `x_js`.

    Modules import by `import { a, b } from "./x.js";`, and export by `export` before a function, a constant or a class.
    Raises ValueError where one does so in another way, where two import each other, and where the script could end the
    element that holds it.
    """
    made: dict[str, str] = {}

    def add(name: str, within: tuple[str, ...]) -> None:
        if name in within:
            raise ValueError(f"modules import each other: {' -> '.join([*within, name])}")
        if name in made:
            return
        text = module(name)
        for _, imported in IMPORT.findall(text):
            add(imported, (*within, name))
        exported = ", ".join(EXPORT.findall(text))
        body = IMPORT.sub(lambda found: f"const {{{found[1]}}} = {found[2]}_js;\n", EXPORT.sub("", text))
        left = re.search(r"^(?:import|export)\b.*", body, re.MULTILINE)
        if left:
            raise ValueError(f"{name}.js: cannot be put into one script: {left[0]}")
        made[name] = f"const {name}_js = (() => {{\n{body}return {{ {exported} }};\n}})();\n"

    for entry in entries:
        add(entry, ())
    script = "\n".join(made.values())
    if re.search(r"</script|<!--", script, re.IGNORECASE):
        raise ValueError("a module holds text that would end the element of the script")
    return script


def digest(text: str) -> str:
    """Name the content of an element as a content security policy does."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def page(about: About, views: Mapping[str, str]) -> str:
    """Write the page as HTML. views: by key, the texts as `explorer.document.packed` writes them."""
    environment = Environment(
        loader=PackageLoader(PAGE, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = one_script(ENTRY)
    style = files(PAGE).joinpath("explorer.css").read_text(encoding="utf-8")
    return environment.get_template("explorer.html").render(
        about=Markup(as_json(about)),
        views=views,
        script=Markup(script),
        script_digest=digest(script),
        style=Markup(style),
        style_digest=digest(style),
    )
