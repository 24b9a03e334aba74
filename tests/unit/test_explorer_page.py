"""The explorer as a file: one script, nothing loaded, and no text of a corpus as markup."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from explored import HOSTILE, example
from pages import Page

from attention_audit.explorer import assembling
from attention_audit.explorer.assembling import one_script, page
from attention_audit.explorer.document import packed


@pytest.fixture(scope="module")
def written() -> str:
    about, views = example()
    return page(about, {key: packed(view) for key, view in views.items()})


def find_elements(text: str) -> dict[str, list[str]]:
    """Find the content of each script and style element, by its type or name."""
    found: dict[str, list[str]] = {}
    for tag, kind, content in re.findall(r'<(script|style)(?: type="([^"]*)")?[^>]*>(.*?)</\1>', text, re.DOTALL):
        found.setdefault(kind or tag, []).append(content)
    return found


def test_the_page_is_whole_and_loads_nothing(written: str) -> None:
    taken = Page(written)
    assert taken.loads == ["data:,"]
    assert taken.links == ["#"]
    assert taken.ids.most_common(1)[0][1] == 1
    assert "://" not in re.sub(r"<script type=\"(application/json|text/plain)\".*?</script>", "", written)


def test_the_policy_permits_this_script_and_this_style_only(written: str) -> None:
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', written)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].replace("&#39;", "'").split(";"))
    found = find_elements(written)
    for rule, kind in (("script-src", "module"), ("style-src", "style")):
        (content,) = found[kind]
        assert rules[rule] == f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"


def test_texts_and_names_are_no_markup(written: str) -> None:
    elements = find_elements(written)
    assert len(elements["module"]) == len(elements["application/json"]) == 1
    assert len(elements["text/plain"]) == 5
    outside = written.replace(elements["module"][0], "")
    for word in HOSTILE[:2]:
        assert word not in outside
    assert "<i>needle" not in outside


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    texts: dict[str, str] = {}
    monkeypatch.setattr(assembling, "module", texts.__getitem__)
    return texts


def test_modules_become_one_script_each_once_and_after_what_it_imports(modules: dict[str, str]) -> None:
    modules |= {
        "main": 'import { a } from "./one.js";\nimport {\n  b,\n} from "./two.js";\na(b);\n',
        "one": "export function a() {}\n",
        "two": 'import { a } from "./one.js";\nconst hidden = 1;\nexport const b = hidden;\nexport class C {}\n',
    }
    assert one_script("main") == (
        "const one_js = (() => {\nfunction a() {}\nreturn { a };\n})();\n\n"
        "const two_js = (() => {\nconst { a } = one_js;\nconst hidden = 1;\nconst b = hidden;\n"
        "class C {}\nreturn { b, C };\n})();\n\n"
        "const main_js = (() => {\nconst { a } = one_js;\nconst {\n  b,\n} = two_js;\na(b);\nreturn {  };\n})();\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('import a from "./one.js";\n', "cannot be put into one script"),
        ('import { a } from "./one.js"; a();\n', "cannot be put into one script"),
        ("export default 1;\n", "cannot be put into one script"),
        ("export let a = 1;\n", "cannot be put into one script"),
        ('import { a } from "./main.js";\n', "import each other: main -> main"),
        ('const a = "</script>";\n', "would end the element"),
        ('const a = "<!--";\n', "would end the element"),
    ],
)
def test_modules_that_do_not_fit_are_named(modules: dict[str, str], text: str, message: str) -> None:
    modules |= {"main": text, "one": "export const a = 1;\n"}
    with pytest.raises(ValueError, match=message):
        one_script("main")


def test_markup_is_made_of_elements_only() -> None:
    """No module has a way to make markup of text."""
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b", one_script("main")
    )
