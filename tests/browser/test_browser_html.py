"""The page on a session in a browser: what can be pressed works, by mouse and by keyboard."""

from __future__ import annotations

import re
import sys
import time
from itertools import pairwise

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Opener, wait_for_details
from tests.report.html_pages import HOSTILE, crowd, evicting, hostile, page_of, session
from vqs.explain.amounts import amount, percent
from vqs.explain.outcome import Simulation
from vqs.inert import name as visible

SHOWN = "#tasks .rows .row"
FIRST = f"{SHOWN} >> nth=0"
COUNTER = "#tasks .counter"
PHONE = {"width": 360, "height": 740}


def first_look() -> str:
    """Return the page on the bundled snapshot."""
    return page_of(session("first-look"))


def cells(page: Page, selector: str = SHOWN) -> list[str]:
    """Return the first cell of each row in view."""
    return page.locator(f"{selector} > :first-child").all_inner_texts()


# --- tables -----------------------------------------------------------------------------------------------------------


def test_all_rows_are_listed(open_page: Opener) -> None:
    """In the order of the result, with their number."""
    page = open_page(first_look())
    assert page.inner_text(COUNTER) == "16"
    assert cells(page)[:2] == ["batch/debug-shell", "batch/nightly-etl-0"]


SEARCHED = {
    "nightly": 4,
    "NIGHTLY etl-3": 1,
    "node:gpu-2": 3,
    "job:batch/nightly-etl": 4,
    "status:pending queue:research": 2,
    "verdict:fragmented": 1,
    "no such task": 0,
}


def test_tasks_are_searched(open_page: Opener) -> None:
    """All words have to be found, in whatever case; some name exactly one node, job, queue or verdict."""
    page = open_page(first_look())
    for words, number in SEARCHED.items():
        page.fill("#tasks input[type=search]", words)
        page.wait_for_function(f"() => document.querySelector('{COUNTER}').textContent === '{number} of 16'")
        assert page.locator(SHOWN).count() == number


def test_tasks_are_filtered_and_cleared(open_page: Opener) -> None:
    """Fields narrow the list together, and one button takes all of it back."""
    page = open_page(first_look())
    page.select_option("#tasks .filters select >> nth=0", "research")
    page.select_option("#tasks .filters select >> nth=1", "Pending")
    assert page.inner_text(COUNTER) == "2 of 16"
    page.click("#tasks button:text('clear')")
    assert page.inner_text(COUNTER) == "16"


def test_a_verdict_of_the_summary_shows_its_tasks(open_page: Opener) -> None:
    """So does the number of those that were placed."""
    page = open_page(first_look())
    page.click("[data-verdict=not-enqueued-overcommit]")
    assert page.inner_text(COUNTER) == "4 of 16"
    page.click("[data-outcome=placed]")
    assert page.inner_text(COUNTER) == "6 of 16"


def test_tables_are_sorted(open_page: Opener) -> None:
    """A heading sorts, and the second time the other way round; which it is can be heard."""
    page = open_page(first_look())
    heading = page.locator("#tasks .head button", has_text="Task")
    heading.click()
    assert cells(page) == sorted(cells(page))
    heading.click()
    assert cells(page)[0] == "research/vision-pretrain-trainer-0"
    assert page.get_attribute("#tasks [role=columnheader] >> nth=0", "aria-sort") == "descending"


def test_tables_are_walked_by_keyboard(open_page: Opener) -> None:
    """Arrows go from row to row, Enter opens one, Escape closes it, and focus is back in the table."""
    page = open_page(first_look())
    page.focus("#tasks .grid")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    active = page.get_attribute("#tasks .grid", "aria-activedescendant")
    assert page.inner_text(f"#{active} > :first-child") == "research/vision-pretrain-loader-0"
    page.keyboard.press("Enter")
    assert page.inner_text("dialog h2") == "research/vision-pretrain-loader-0"
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")
    assert page.evaluate("document.activeElement.className") == "grid"


def test_a_long_table_has_only_rows_in_view(open_page: Opener) -> None:
    """And the last row is there when it is scrolled to."""
    page = open_page(page_of(crowd(100, 5_000)))
    assert page.locator(SHOWN).count() < 60
    page.focus("#tasks .grid")
    page.keyboard.press("End")
    page.wait_for_selector("#tasks .row:has-text('job-00249-worker-19')")


# --- details ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("#job=research%2Fvision-pretrain", "0 of 2 tasks, minimum 2"),
        ("#task=batch%2Fnightly-etl-1", "1 of 3 equally good nodes"),
        ("#queue=default", "vqs explain-queue first-look.yaml"),
        ("#node=gpu-1", "of 110 pods"),
    ],
)
def test_links_go_deep(open_page: Opener, address: str, words: str) -> None:
    """A job, task, queue or node can be named in the address."""
    page = open_page(first_look(), address)
    assert words in page.inner_text("dialog")


def test_an_unknown_name_opens_nothing(open_page: Opener) -> None:
    """It is said for those who hear, and the page stays as it is."""
    page = open_page(first_look(), "#job=ns%2Fno-such-job")
    assert not page.is_visible("dialog")
    assert page.inner_text("#announcer") == "There is no job ns/no-such-job."


def test_details_lead_on(open_page: Opener) -> None:
    """From a task to its job, and from there to the step at which it was decided."""
    page = open_page(first_look(), "#task=research%2Fvision-pretrain-loader-0")
    page.click("dialog dd a[href^='#job=']")
    wait_for_details(page, "research/vision-pretrain")
    page.click("dialog a.step")
    page.wait_for_selector("dialog", state="hidden")
    assert "research/vision-pretrain" in page.inner_text("#step-text")


def test_commands_are_copied(open_page: Opener) -> None:
    """The button puts the command into the clipboard, and says so."""
    page = open_page(first_look(), permissions=["clipboard-read", "clipboard-write"])
    page.click(".verdicts button.copy >> nth=0")
    page.wait_for_selector(".verdicts button.copy:text('copied')")
    assert page.evaluate("navigator.clipboard.readText()") == "vqs rule not-enqueued-overcommit"


# --- cluster ----------------------------------------------------------------------------------------------------------


def test_steps_are_replayed(open_page: Opener) -> None:
    """One back and on again, to the start, and to the end, where the figures are those of the session."""
    page = open_page(page_of(evicting()))
    at_end = page.inner_text("#queues")
    page.click("button[aria-label='to the start']")
    assert page.inner_text("#step-text") == "The session opens."
    page.click("#on")
    assert "is evicted from" in page.inner_text("#step-text")
    page.click("button[aria-label='to the end']")
    assert page.inner_text("#queues") == at_end


def test_the_player_has_keys(open_page: Opener) -> None:
    """Arrows step, Home and End go to the ends, space plays and stops."""
    page = open_page(page_of(evicting()))
    page.focus("#step")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#player .counter").startswith("step 2 of")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#player .counter").startswith("step 1 of")
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "pause"
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-label") == "play"


def test_playing_comes_to_the_end(open_page: Opener) -> None:
    """And stops there."""
    page = open_page(page_of(evicting()))
    page.select_option("#player select", "25")
    page.click("#play")
    page.wait_for_function("() => document.querySelector('#play').getAttribute('aria-label') === 'play'")
    assert page.evaluate("vqs.page.replay.at === vqs.page.replay.steps")


REPLAYED = """() => {
  const { replay } = vqs.page;
  const off = (columns, closing) => Object.keys(columns).flatMap((name) => [...columns[name].keys()]
    .filter((at) => Math.abs(columns[name][at] - closing[name][at]) > 1e-6 * Math.max(1, Math.abs(closing[name][at])))
    .map((at) => [name, at, columns[name][at], closing[name][at]]));
  replay.goTo(0);
  const opened = structuredClone(replay.used);
  replay.goTo(replay.steps);
  const wrong = [...off(replay.used, replay.closing.used), ...off(replay.held, replay.closing.held)];
  replay.goTo(0);
  return [...wrong, ...off(replay.used, opened)];
}"""


@pytest.mark.parametrize(
    "scenario", ["first-look", "pipelined-gang", "gang-discarded", "reclaim-from-overused", "preempt-higher-priority"]
)
def test_the_replay_ends_where_the_session_did(open_page: Opener, scenario: str) -> None:
    """Step by step, nodes and queues come to what the session left; and all the way back to what it found."""
    assert open_page(page_of(session(scenario))).evaluate(REPLAYED) == []


def test_the_replay_of_evictions_ends_where_the_session_did(open_page: Opener) -> None:
    """An evicted task's queue has its resources at once, its node still holds them."""
    assert open_page(page_of(evicting())).evaluate(REPLAYED) == []


def test_nodes_are_walked_by_keyboard(open_page: Opener) -> None:
    """Arrows go from node to node and say how full each is, Enter opens it; the resource can be chosen."""
    page = open_page(first_look())
    page.select_option("#nodes select >> nth=0", "nvidia.com/gpu")
    page.focus("svg.nodes[tabindex]")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".readout") == "gpu-2: 3 of 4 nvidia.com/gpu used (75%)"
    page.keyboard.press("Enter")
    assert page.inner_text("dialog h2") == "gpu-2"


def test_nodes_are_walked_up_and_down(open_page: Opener) -> None:
    """An arrow goes to the node below or above, to the last one of a row that is shorter, and stays at an end."""
    page = open_page(first_look(), viewport={"width": 400, "height": 800})
    page.focus("svg.nodes[tabindex]")
    names = page.locator("svg.nodes[tabindex] g[data-node] text:first-of-type").all_text_contents()
    walked = []
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp", "ArrowUp"):
        page.keyboard.press(key)
        walked.append(names.index(page.inner_text(".readout").partition(":")[0]))
    assert walked == [1, 3, 3, 0, 0]


def test_evictions_are_drawn(open_page: Opener) -> None:
    """Each victim with an edge, by task or by job, and what is drawn leads on."""
    page = open_page(page_of(evicting()))
    assert page.locator("#evictions .edge").count() == len(page.locator("#evictions rect.victim").all()) > 1
    page.select_option("#evictions select", "job")
    assert page.locator("#evictions rect.victim").count() == 1
    page.click("#evictions a >> nth=0")
    assert page.inner_text("dialog h2") == "ns/low"


def test_a_result_without_nodes_can_be_looked_at(open_page: Opener) -> None:
    """There is no map and no replay then, and all the rest."""
    result = session("first-look")
    bare = {name: getattr(result, name) for name in result.__struct_fields__ if name != "nodes"}
    page = open_page(page_of(Simulation(**bare)))
    assert page.locator("#player, svg.nodes[tabindex]").count() == 0
    assert page.locator(SHOWN).count() > 0


# --- looks ------------------------------------------------------------------------------------------------------------


def test_the_theme_can_be_chosen(open_page: Opener) -> None:
    """It is the system's at first, and what was chosen is kept."""
    page = open_page(first_look(), color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: light"
    assert page.evaluate(ground) != dark
    for _ in range(5):  # the browser hands storage over to the process of a reloaded page in its own time
        page.reload()
        page.wait_for_selector("html[data-ready]")
        if page.inner_text("#theme") == "Theme: light":
            break
    assert page.inner_text("#theme") == "Theme: light"


@pytest.mark.parametrize("make", [first_look, lambda: page_of(evicting()), lambda: page_of(hostile())])
def test_a_phone_scrolls_one_way(open_page: Opener, make: object) -> None:
    """At 360 pixels nothing stands out to the side, not even a dialog."""
    assert callable(make)
    page = open_page(make(), viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.locator("#tasks .row a").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_names_are_taken_for_names(open_page: Opener) -> None:
    """Nothing of a name is run or drawn as markup: it is there to be read, and it opens its details."""
    page = open_page(page_of(hostile()))
    assert page.locator("img").count() == 0
    page.fill("#tasks input[type=search]", "alert(1)")
    page.locator("#tasks .row a").first.click()
    assert page.inner_text("dialog h2") == f"0/{visible(HOSTILE[0])}"


def test_paper_has_the_rows(open_page: Opener) -> None:
    """Printed, a table is as long as it takes, and there is nothing to press."""
    page = open_page(page_of(crowd(50, 1_000)))
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(SHOWN).count() == 500
    assert "500 more" in page.inner_text("#tasks")
    assert not page.is_visible("#theme")


# --- for everybody ----------------------------------------------------------------------------------------------------

UNNAMED = """() => {
  const pressed = 'button, a[href], input, select, [role=grid], [role=img], [role=region], [tabindex="0"]';
  const isNamed = (each) => each.getAttribute('aria-label') || each.getAttribute('aria-labelledby')
    || each.textContent.trim() || each.labels?.length;
  return [...document.querySelectorAll(pressed)].filter((each) => !isNamed(each)).map((each) => each.outerHTML);
}"""
"""What can be pressed or read out, and has no name."""

ASTRAY = """() => ['aria-labelledby', 'aria-describedby', 'aria-activedescendant'].flatMap((name) =>
  [...document.querySelectorAll(`[${name}]:not(dialog)`)]
    .filter((each) => !document.getElementById(each.getAttribute(name))).map((each) => each.outerHTML))"""
"""What refers to an element that is not there."""

FAINT = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = rgb(getComputedStyle(each).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255];
  };
  const left = 'svg, :disabled, script, style, .label, .unseen, .skip';
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility() || element.closest(left)) continue;
    const [one, other] = [light(rgb(getComputedStyle(element).color)), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) found.add(`${contrast.toFixed(1)} ${element.className} ${element.textContent}`);
  }
  return [...found];
}"""
"""Text that does not stand out enough from its ground."""

FOCUSED = "(({ tagName, id, classList }) => `${tagName} ${id} ${classList}`)(document.activeElement)"
SCROLLED = """async (top) => {
  document.querySelector('#tasks .grid').scrollTop = top;
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
}"""
"""Scroll the table of tasks, and wait until its rows are drawn."""

LEVELS = """() => [...document.querySelectorAll('h1, h2, h3, h4')].filter((each) => each.checkVisibility())
  .map((each) => Number(each.tagName[1]))"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_for_everybody(open_page: Opener, scheme: str) -> None:
    """What can be pressed has a name, references find what they name, and text stands out from its ground."""
    for make in (first_look, lambda: page_of(evicting())):
        page = open_page(make(), color_scheme=scheme)
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(ASTRAY) == []
        assert page.evaluate(FAINT) == []
        page.click(f"{FIRST} >> a")
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(FAINT) == []


def test_the_keyboard_comes_everywhere(open_page: Opener) -> None:
    """Tab goes to the skip link first, and on to the player, the nodes and both tables; focus can be seen."""
    page = open_page(first_look())
    seen = []
    for _ in range(80):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
        if seen[-1].startswith(("BODY", "HTML")):
            break  # The browser's own buttons have the focus.
        page.wait_for_function("() => getComputedStyle(document.activeElement).outlineStyle !== 'none'")
    assert "skip" in seen[0]
    for wanted in ("step", "play", "nodes", "grid"):
        assert any(re.search(rf"\b{wanted}\b", each) for each in seen), wanted


def test_focus_stays_where_it_is(open_page: Opener) -> None:
    """A link in a table keeps the focus when the table scrolls; where its row is out of view, the table has it."""
    page = open_page(page_of(crowd(100, 5_000)))
    page.focus(f"{SHOWN} >> nth=3 >> a >> nth=0")
    before = page.evaluate("document.activeElement.textContent")
    for top in (40, 80):
        page.evaluate(SCROLLED, top)
        assert page.evaluate("document.activeElement.textContent") == before
    page.evaluate(SCROLLED, 10_000)
    assert page.evaluate("document.activeElement.className") == "grid"


def test_headings_are_in_order(open_page: Opener) -> None:
    """There is one at the top, and no level is left out below it."""
    page = open_page(first_look())
    levels = page.evaluate(LEVELS)
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


# --- figures ----------------------------------------------------------------------------------------------------------

VALUES = [
    0.0,
    0.125,
    0.375,
    0.25,
    1.005,
    28.0,
    24.285714,
    2.675,
    1e-4,
    100.0,
    1023.0,
    1024.0,
    1536.0,
    1e9,
    13 * 2.0**30,
]
VALUES += [4000 * 2.0**30, 2.55e15, 2.5, 0.005, 0.025, 12345.678, 395296.0, -3.5]


def test_amounts_are_written_as_everywhere(open_page: Opener) -> None:
    """The script writes the very figures that tables have."""
    page = open_page(first_look())
    for name, in_bytes in (("cpu", False), ("memory", True)):
        written = page.evaluate(
            f"(values) => values.map((value) => vqs.amount({{ bytes: {str(in_bytes).lower()} }}, value))", VALUES
        )
        assert written == [amount(name, value) for value in VALUES]
    shares = [value / 100 for value in VALUES if value >= 0]
    assert page.evaluate("(values) => values.map(vqs.percent)", shares) == [percent(share) for share in shares]


def test_a_large_cluster_opens(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    """5,000 nodes and 50,000 tasks: searched, sorted, and played; how long it takes is printed."""
    text = page_of(crowd(5_000, 50_000))
    begun = time.perf_counter()
    page = open_page(text)
    opened = time.perf_counter() - begun
    ready = page.get_attribute("html", "data-ready")
    assert page.locator("svg.nodes .n[data-node]").count() == 5_000
    begun = time.perf_counter()
    page.fill("#tasks input[type=search]", "job-02499-worker-19")
    page.wait_for_function("() => document.querySelector('#tasks .counter').textContent === '1 of 50,000'")
    searched = time.perf_counter() - begun
    page.click("button[aria-label='to the start']")
    assert page.inner_text("#step-text") == "The session opens."
    with capsys.disabled():
        print(  # noqa: T201 - the figure is what this is for
            f"\n5,000 nodes, 50,000 tasks: {len(text.encode()) / 1e6:.1f} MB, ready after {ready} ms, "
            f"opened in {opened:.1f} s, searched in {searched:.2f} s",
            file=sys.stderr,
        )
