"""A browser without a screen, which one worker opens once, and what tests ask it."""

import json
import shutil
from contextlib import contextmanager

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 20  # seconds, on a busy machine


@contextmanager
def opened(profile):
    """A headless Chromium with an empty profile. Skips the test where the machine has none, or no driver for it."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("no Chromium with its driver on this machine; they are Debian's chromium and chromium-driver")
    options = ChromeOptions()
    options.binary_location = browser
    switches = ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run")
    for switch in (*switches, "disable-background-networking", "disable-component-update", f"user-data-dir={profile}"):
        options.add_argument(f"--{switch}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = Chrome(options, ChromeService(driver))
    try:
        yield chrome
    finally:
        chrome.quit()


class Shown:
    """A page in the browser: what a reader sees of it, and does to it."""

    def __init__(self, chrome, path):
        self.chrome = chrome
        self.address = path.as_uri()

    def load(self, fragment="", width=1440):
        """Load the page anew at a fragment of its address, in a window of this size, and forget earlier logs."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.chrome.get("about:blank")
        self.said(), self.asked_for()
        self.chrome.get(self.address + fragment)
        return self

    def open(self, fragment="", width=1440):
        """Load the explorer, and wait until it shows something."""
        self.load(fragment, width)
        self.until("return !document.querySelector('#text')?.hidden || !document.querySelector('#notice')?.hidden")
        return self

    def until(self, script):
        """What a script returns, as soon as that is true."""
        return WebDriverWait(self.chrome, PATIENCE, 0.02).until(lambda chrome: chrome.execute_script(script))

    def run(self, script, *values):
        """What a script returns."""
        return self.chrome.execute_script(script, *values)

    def one(self, selector):
        """The first element of a CSS selector."""
        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        """All elements of a CSS selector."""
        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """The text of an element, as the page holds it."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def each(self, selector, expression="n.textContent"):
        """The value of an expression for each element n of a CSS selector."""
        return list(self.run(f"return [...document.querySelectorAll(arguments[0])].map(n => {expression})", selector))

    def choose(self, selector, value):
        """Choose an option of a select by its value."""
        self.one(f"{selector} option[value={json.dumps(value)}]").click()

    def said(self):
        """What the console said since it was last asked."""
        return [entry["message"] for entry in self.chrome.get_log("browser")]

    def asked_for(self):
        """Addresses that the page asked for since this was last asked, but for its own and what lies within it."""
        events = [json.loads(entry["message"])["message"] for entry in self.chrome.get_log("performance")]
        sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        own = (self.address, "about:blank")
        return {address for address in sent if address not in own and not address.startswith("data:")}
