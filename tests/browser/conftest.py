"""Pages in a headless Chromium: the one of the system, or what VQS_CHROMIUM names; without any, the tests are skipped.

playwright drives it: unlike selenium it needs no driver of the browser's very version, sees what goes wrong on a page
and what a page asks the network for, and can play a phone, a dark room and a printer.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, Request

Opener = Callable[..., "Page"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP = {"width": 1280, "height": 900}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests in this folder."""
    folder = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(folder):
            item.add_marker("browser")


def _executable() -> str | None:
    return os.environ.get("VQS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def wait_for_details(page: Page, title: str) -> None:
    """Wait until a page has followed its address, which it does a moment later, to the details with a title."""
    page.wait_for_function("(title) => document.querySelector('dialog h2').innerText === title", arg=title)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start a browser."""
    executable = _executable()
    if executable is None:
        pytest.skip("there is no Chromium: apt-get install chromium, or name one in VQS_CHROMIUM")
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    # Root, as in a container, may not have a sandbox.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=executable, args=arguments)
        yield started
        started.close()


@dataclass
class Tab:
    """A page of the browser, the address of the report on it, and what went wrong there."""

    page: Page
    address: str = ""
    wrong: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Note what goes wrong, whatever is written to the console, and what is asked for but the report."""

        def asked(request: Request) -> None:
            if request.url != self.address:
                self.wrong.append(f"asked for {request.url}")

        def dialog(opened: Dialog) -> None:
            self.wrong.append(f"dialog: {opened.message}")
            opened.dismiss()

        self.page.on("console", lambda message: self.wrong.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("request", asked)
        self.page.on("dialog", dialog)


@pytest.fixture(scope="session")
def tabs(browser: Browser) -> Callable[..., Tab]:
    """Return what finds a tab to open reports in: one for all tests that want the same of it."""

    @cache
    def found(options: str) -> Tab:
        wanted = {"viewport": DESKTOP, "reduced_motion": "reduce", **json.loads(options)}
        tab = Tab(browser.new_context(**wanted).new_page())
        tab.watch()
        return tab

    return lambda **options: found(json.dumps(options, sort_keys=True))


@pytest.fixture
def open_page(tabs: Callable[..., Tab], tmp_path: Path) -> Iterator[Opener]:
    """Return what opens a report; in the end, nothing may have gone wrong on it, and nothing been fetched."""
    used: list[Tab] = []

    def opened(text: str, address: str = "", **options: Any) -> Page:
        file = tmp_path / f"report-{len(used)}.html"
        file.write_text(text, encoding="utf-8")
        tab = tabs(**options)
        if tab not in used:
            tab.wrong.clear()
        tab.address = file.as_uri()
        used.append(tab)
        tab.page.goto(f"{tab.address}{address}")
        tab.page.wait_for_selector("html[data-ready]")
        return tab.page

    yield opened
    for tab in used:
        tab.page.evaluate("localStorage.clear()")
        tab.page.emulate_media(media="null")
    assert [tab.wrong for tab in used if tab.wrong] == []
