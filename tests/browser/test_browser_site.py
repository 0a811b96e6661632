"""The site of docs/, opened from a folder as after `mkdocs build`."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with two of its pages, and return its folder; `nox -s site` builds all of it."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    for name in ("index.md", "reference/verdicts.md", "javascripts/iframe-worker.js", "stylesheets/site.css"):
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / "docs" / name, folder / "docs" / name)
    text = f"INHERIT: {ROOT / 'mkdocs.yml'}\nsite_dir: site\nnav: [index.md, reference/verdicts.md]\n"
    (folder / "mkdocs.yml").write_text(text, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet"],
        cwd=folder,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        check=True,
        capture_output=True,
    )
    return folder / "site"


def test_search_needs_no_network(site: Path, browser: Browser) -> None:
    """A search finds the page of a verdict, and nothing is fetched from elsewhere."""
    page = browser.new_page()
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.get_by_placeholder("Search").press_sequentially("gang-discarded")
    found = page.locator(".md-search-result__link[href*='verdicts.html']")
    found.first.wait_for(state="attached")
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
