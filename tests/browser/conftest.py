"""Pages in a headless Chromium: the one of the system, or what VQS_CHROMIUM names; without any, the tests are skipped.

playwright drives it: unlike selenium it needs no driver of the browser's very version, sees what goes wrong on a page
and what a page asks the network for, and can play a phone, a dark room and a printer.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, Request

Opener = Callable[..., "Page"]

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DESKTOP = {"width": 1280, "height": 900}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests in this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("browser")


def _executable() -> str | None:
    return os.environ.get("VQS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


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


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Return what opens a page; in the end, nothing may have gone wrong on it, and nothing been fetched."""
    wrong: list[str] = []
    contexts = []

    def opened(text: str, address: str = "", **options: Any) -> Page:
        file = tmp_path / "report.html"
        file.write_text(text, encoding="utf-8")
        context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
        contexts.append(context)
        page = context.new_page()
        watch(page, file.as_uri(), wrong)
        page.goto(f"{file.as_uri()}{address}")
        page.wait_for_selector("html[data-ready]")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def watch(page: Page, own: str, wrong: list[str]) -> None:
    """Note what goes wrong on a page, whatever it writes to the console, and what it asks for but itself."""

    def asked(request: Request) -> None:
        if request.url != own:
            wrong.append(f"asked for {request.url}")

    def dialog(opened: Dialog) -> None:
        wrong.append(f"dialog: {opened.message}")
        opened.dismiss()

    page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("request", asked)
    page.on("dialog", dialog)
