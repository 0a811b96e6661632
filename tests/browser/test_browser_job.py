"""The page of a job that waits: what is seen of it without scrolling on a screen of 1280 by 800."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.conftest import Opener
from tests.causes import CAUSES, written
from vqs.cli.main import main

SCREEN = {"width": 1280, "height": 800}
SEEN = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const around = document.createRange();
    around.selectNodeContents(walker.currentNode);
    const { bottom, height } = around.getBoundingClientRect();
    if (height && bottom <= innerHeight) found.push(walker.currentNode.textContent);
  }
  return found.join(' ').replace(/\\s+/g, ' ');
}"""
"""The text above the fold."""


@pytest.mark.parametrize("name", CAUSES)
def test_first_screen(name: str, open_page: Opener, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page names cause and fix before anybody scrolls."""
    assert main(["explain-job", written(name, tmp_path), "--job", "new", "--format", "html"]) == 0
    seen = open_page(capsys.readouterr().out, viewport=SCREEN).evaluate(SEEN)
    assert re.search(CAUSES[name].cause, seen), seen
    assert re.search(CAUSES[name].fix, seen), seen


def test_steps_keep_their_spaces(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    """What is selected in a step, or copied with the button beside it, is the command to the letter."""
    assert main(["explain-job", "docs/example/snapshot.json", "--job", "research/train", "--format", "html"]) == 0
    page = open_page(capsys.readouterr().out, permissions=["clipboard-read", "clipboard-write"])
    step = page.locator(".remark .command").filter(has_text="kubectl patch configmap").first
    step.locator("button").click()
    page.wait_for_selector("button.copy:text('copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "\\n  - name: gang\\n" in copied
    assert step.locator("code").inner_text() == copied


CUT = """() => [...document.querySelectorAll('.scroll:has(.records)')]
  .filter((each) => each.scrollWidth > each.clientWidth).length"""
"""How many tables of fixes are cut at the right."""


@pytest.mark.parametrize("name", ["a queue that holds what it deserves", "fragmented nodes"])
def test_no_fix_is_cut_on_a_phone(
    name: str, open_page: Opener, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a narrow screen each fix is a record, one value a line."""
    assert main(["explain-job", written(name, tmp_path), "--job", "new", "--format", "html"]) == 0
    page = open_page(capsys.readouterr().out, viewport={"width": 400, "height": 800})
    assert page.locator(".records tr").count()
    assert page.evaluate(CUT) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_scrolls_shows_that_there_is_more(
    scheme: str, open_page: Opener, capsys: pytest.CaptureFixture[str]
) -> None:
    """The edge of the menu is shaded beyond which it goes on."""
    assert main(["explain-job", "docs/example/snapshot.json", "--job", "research/train", "--format", "html"]) == 0
    page = open_page(capsys.readouterr().out, viewport={"width": 400, "height": 800}, color_scheme=scheme)
    box = page.locator(".top nav").bounding_box()
    assert box

    def edges() -> list[bytes]:
        """What is seen at the left and at the right, above all words."""
        left, right = box["x"], box["x"] + box["width"] - 2
        return [page.screenshot(clip={"x": each, "y": box["y"], "width": 2, "height": 2}) for each in (left, right)]

    plain, shaded = edges()
    page.evaluate("document.querySelector('.top nav').scrollLeft = 9999")
    assert plain != shaded
    assert edges()[1] == plain
