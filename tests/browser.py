"""Debian's Chromium for tests, with a record of everything a page must not do."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

from parts import program

PHONE, DESK = {"width": 360, "height": 780}, {"width": 1440, "height": 900}
MADE_WITHOUT_SANDBOX = ["--no-sandbox"]  # needs privileges that a container may not grant

WITHOUT_SCRIPTS = pytest.param(False, marks=pytest.mark.long, id="no scripts")
both_ways = pytest.mark.parametrize("javascript", [pytest.param(True, id="scripts"), WITHOUT_SCRIPTS])


@contextmanager
def chromium():
    path = program("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=MADE_WITHOUT_SANDBOX, timeout=300_000)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visiting(browser, client, javascript=True, **options):
    """A page in a fresh browser. Afterwards: no dialog, no third-party request, no policy violation."""
    base = str(client.base_url).rstrip("/")
    options = {"base_url": base, "viewport": DESK, "java_script_enabled": javascript, **options}
    context = browser.new_context(**options)
    context.set_default_timeout(120_000)
    wrong = []
    page = context.new_page()
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda said: "Content Security Policy" in said.text and wrong.append(said.text))
    page.on("request", lambda asked: asked.url.startswith(f"{base}/") or wrong.append(f"request: {asked.url}"))
    try:
        yield page
        assert wrong == []
    finally:
        context.close()


def sent(page, button):
    """Click, and wait until the response is shown: as a new page, or as a part of this one."""
    page.evaluate("document.documentElement.dataset.left = ''")
    with page.expect_response(lambda response: response.request.method == "POST") as posted:
        button.click()
    replaced = posted.value.request.is_navigation_request()
    page.locator("html:not([data-left])" if replaced else "main:not([aria-busy])").wait_for()
    page.wait_for_load_state()


def numbers(page, selector):
    """The probabilities shown, in full."""
    return [float(each.get_attribute("value")) for each in page.locator(f"{selector} data").all()]
