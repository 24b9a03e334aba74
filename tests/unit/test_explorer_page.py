"""The explorer as a file: one script, nothing loaded, and no text of a corpus as markup."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from explored import example
from pages import Page

from attention_audit.explorer.document import pack_view
from attention_audit.explorer.page import join_modules, write_page


@pytest.fixture(scope="module")
def written() -> str:
    about, views = example()
    return write_page(about, {key: pack_view(view) for key, view in views.items()})


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


def test_modules_become_one_script_that_ends_no_element_and_makes_no_markup() -> None:
    script = join_modules()
    assert not re.search("^(import|export)", script, re.MULTILINE)
    assert not re.search("</script|<!--", script, re.IGNORECASE)
    declared = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script, re.MULTILINE)
    assert len(declared) == len(set(declared))
    # what a constant is made of stands above it
    assert declared.index("NOTHING") < declared.index("START")
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b"
    assert not re.search(ways, script)
