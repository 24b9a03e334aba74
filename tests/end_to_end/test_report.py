"""The page that a finished run is handed on as, by itself and in a browser."""

import re

import pytest
from browser import Shown
from pages import check_page

SEEN = """
  const root = document.documentElement;
  const clipped = [...document.querySelectorAll("main *, nav *")].filter(part => {
    const box = part.getBoundingClientRect();
    return box.width && !part.closest(".scroll, pre, svg") && box.right > root.clientWidth + 1;
  });
  return {
    pictures: document.images.length,
    broken: [...document.images].filter(image => !image.naturalWidth).length,
    sideways: root.scrollWidth - root.clientWidth,
    clipped: clipped.map(part => part.outerHTML.slice(0, 100)),
    small: [...document.images].filter(image => image.clientWidth < 300).length,
    contents: getComputedStyle(document.querySelector("nav")).position,
  };
"""


def page_of(folder):
    return (folder.path / "results/report.html").read_text()


def test_everything_published_is_on_the_page_once(finished):
    page = check_page(page_of(finished), finished.path / "results")
    assert page.tags["img"] >= 3
    assert "explorer.html" in page.links
    assert "needle" not in page.text.partition("This run")[0]


def test_the_page_knows_how_the_run_was_made(finished):
    """Say how many jobs Snakemake ran, by their logs."""
    logs = [
        path for path in (finished.path / "results/logs").rglob("*.log") if "attention_audit_job" in path.read_text()
    ]
    (jobs,) = re.findall(r"<dt>jobs</dt><dd>(\d+),", page_of(finished))
    assert 0.9 * len(logs) < int(jobs) <= len(logs)


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_a_browser_shows_the_page_whole(finished, chrome, width):
    shown = Shown(chrome, finished.path / "results/report.html").load(width=width)
    assert shown.said() == []
    assert shown.asked_for() == set()
    assert shown.run(SEEN) == {
        "pictures": page_of(finished).count("<img "),
        "broken": 0,
        "sideways": 0,
        "clipped": [],
        "small": 0,
        "contents": "sticky" if width > 992 else "static",
    }
