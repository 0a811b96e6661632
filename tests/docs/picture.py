"""Take the pictures of the pages in HTML that the README and the site show: python -m tests.docs.picture [NAME ...].

Without names, all of them; a picture of the gallery has the name of its page. `.ci/docs` writes the gallery's text.
"""

from __future__ import annotations

import base64
import os
import shutil
import sys
from collections.abc import Container
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.docs.examples import ROOT
from tests.pages import PAGES, WIDTHS, picture_of
from vqs.cli.main import main

PICTURE: Final = ROOT / "docs" / "report.png"
_SIZE: Final[ViewportSize] = {"width": 1000, "height": 640}
_HEIGHT: Final = 800
_QUALITY: Final = 60
"""Of WebP, in percent: text stays clear, and a picture takes a third of what it does as PNG."""


def take(names: Container[str]) -> None:
    """Write the pictures, as pages open in a browser: that of a session for the README, then the gallery."""
    with chdir(ROOT), TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=os.environ.get("VQS_CHROMIUM") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, shown in PAGES.items():
            if name in names:
                report = Path(folder) / "report.html"
                main([*shown.arguments, "--format", "html", "--output", str(report), "-q"])
                _take_page(browser, name, report)
        browser.close()


def _take_page(browser: Browser, name: str, report: Path) -> None:
    for width, colors in WIDTHS.items():
        page = browser.new_page(viewport={"width": width, "height": _HEIGHT}, color_scheme=colors)
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-ready]")
        asked = {"format": "webp", "quality": _QUALITY}
        taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", asked)
        target = ROOT / "docs" / picture_of(name, width)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(base64.b64decode(taken["data"]))
        if name == next(iter(PAGES)) and colors == "light":
            page.set_viewport_size(_SIZE)
            page.screenshot(path=PICTURE)
        page.close()


if __name__ == "__main__":
    take(sys.argv[1:] or PAGES)
