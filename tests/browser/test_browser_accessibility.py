"""Pages of all kinds, without eyes or without a mouse: axe-core finds nothing wrong, and Tab comes everywhere."""

from __future__ import annotations

from contextlib import chdir
from importlib.resources import files
from pathlib import Path

import pytest

from tests.browser.conftest import Opener
from tests.pages import PAGES
from vqs.cli.main import main

ROOT = Path(__file__).parents[2]
LIGHT_AND_SMALL = {"color_scheme": "light", "viewport": {"width": 400, "height": 740}}
DARK_AND_WIDE = {"color_scheme": "dark", "viewport": {"width": 1280, "height": 800}}

WRONG = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html} ${nodes[0].failureSummary}`);
}"""

WATCH = """() => {
  window.walked = new Set();
  window.called = (each) => each.getAttribute('href') ?? each;
  addEventListener('focusin', ({ target }) => {
    walked.add(called(target));
    if (getComputedStyle(target).outlineStyle === 'none') unseen.push(target.outerHTML);
  });
  window.unseen = [];
}"""
"""Note what gets the focus, and what does not show it. A long table makes its links anew as it is scrolled."""

AT_THE_END = "document.activeElement === document.body"

LEFT_OUT = """() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')];
  const isOpen = (each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0 && !each.closest('dialog');
  return all.filter((each) => isOpen(each) && !walked.has(called(each))).map((each) => each.outerHTML.slice(0, 200));
}"""
"""What can be pressed or scrolled, and Tab did not come to."""


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python, which has axe-core, is not installed")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def page_of(kind: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command writes as a page."""
    with chdir(ROOT):
        assert main([*PAGES[kind].arguments, "--format", "html"]) in (0, 1)
    return capsys.readouterr().out


@pytest.mark.parametrize("kind", PAGES)
def test_axe_finds_nothing(kind: str, open_page: Opener, axe: str, capsys: pytest.CaptureFixture[str]) -> None:
    """On a phone in light colours, and on a desktop in dark ones."""
    text = page_of(kind, capsys)
    for options in (LIGHT_AND_SMALL, DARK_AND_WIDE):
        page = open_page(text, **options)
        page.evaluate(axe)
        assert page.evaluate(WRONG) == []


@pytest.mark.parametrize("kind", PAGES)
def test_tab_comes_everywhere(kind: str, open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    """All that can be pressed or scrolled gets the focus, shows it, and lets it go."""
    page = open_page(page_of(kind, capsys), viewport=DARK_AND_WIDE["viewport"])
    page.evaluate(WATCH)
    for _ in range(400):
        page.keyboard.press("Tab")
        if page.evaluate(AT_THE_END):
            break
    assert page.evaluate(AT_THE_END)
    assert page.evaluate(LEFT_OUT) == []
    assert page.evaluate("unseen") == []
