"""Take the picture of the HTML report that the README and the site show: python -m tests.docs.picture."""

from __future__ import annotations

import os
import shutil
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import ViewportSize, sync_playwright

from tests.docs.examples import ROOT
from vqs.cli.main import main

PICTURE: Final = ROOT / "docs" / "report.png"
_SCENARIO: Final = "scenarios/first-look.yaml"
_SIZE: Final[ViewportSize] = {"width": 1000, "height": 640}


def take(target: Path) -> None:
    """Write the picture of a session's report, as it opens in a browser."""
    with chdir(ROOT), TemporaryDirectory() as folder, sync_playwright() as driver:
        report = Path(folder) / "report.html"
        main(["simulate", _SCENARIO, "--format", "html", "--output", str(report), "-q"])
        browser = driver.chromium.launch(
            executable_path=os.environ.get("VQS_CHROMIUM") or shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=_SIZE, color_scheme="light")
        page.goto(report.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    take(PICTURE)
