"""Milliseconds until the explorer shows its first text, and until a filter, a search and an order are there, in a
headless Chromium (Debian's chromium and chromium-driver).

    python benchmarks/explorer.py results/explorer.html

Printed is the median of several openings, how many times as long as that of an empty page, and the slowest filter. At
most 3 s and 200 ms are wanted, of a page with 2,000 texts of a data set, which is as many as it shows.
"""

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.support.ui import WebDriverWait

SWITCHES = ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "disable-background-networking")
SHOWN = "return !document.querySelector('#text')?.hidden && document.querySelectorAll('#text *').length > 0"
EMPTY = "data:text/html,<p>nothing</p>"
CHANGE = """
const [element, value] = arguments, started = performance.now();
if (element.type === "checkbox") element.click();
else { element.value = value; element.dispatchEvent(new Event("input", {bubbles: true})); }
document.body.offsetHeight;
return performance.now() - started;
"""
"""Changes what is asked for, and waits until the page is laid out again."""


def time_median(run: Callable[[], None], times: int) -> float:
    """Return the median of the milliseconds that something takes."""
    spent = []
    for _ in range(times):
        started = time.perf_counter()
        run()
        spent.append(1000 * (time.perf_counter() - started))
    return statistics.median(spent)


def main() -> None:
    """Open the page, and change what it shows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--times", type=int, default=5)
    call, options = parser.parse_args(), ChromeOptions()
    options.binary_location, driver = str(shutil.which("chromium")), str(shutil.which("chromedriver"))
    with tempfile.TemporaryDirectory() as profile:
        for switch in (*SWITCHES, f"user-data-dir={profile}"):
            options.add_argument(f"--{switch}")
        with Chrome(options, ChromeService(driver)) as chrome:
            address = call.page.resolve().as_uri()

            def open_page() -> None:
                # a fragment alone would not load it anew
                chrome.get("about:blank")
                chrome.get(address)
                WebDriverWait(chrome, 60, 0.01).until(lambda browser: browser.execute_script(SHOWN))

            empty = time_median(lambda: chrome.get(EMPTY), call.times)
            opened = time_median(open_page, call.times)
            boxes = chrome.find_elements("css selector", "input[type=checkbox]")
            searches = chrome.find_elements("css selector", "input[type=search]")
            changes = [(box, "") for box in boxes] + [(search, value) for search in searches for value in ("the", "")]
            filtered = [chrome.execute_script(CHANGE, element, value) for element, value in changes]
    size = call.page.stat().st_size / 1e6
    print(f"{size:.1f} MB: opened in {opened:.0f} ms, {opened / empty:.0f} times an empty page")
    print(f"filters and searches: {max(filtered):.0f} ms at most, {statistics.median(filtered):.0f} in the median")


if __name__ == "__main__":
    main()
