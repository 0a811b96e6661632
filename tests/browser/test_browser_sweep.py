"""The page on a sweep in a browser: its charts by mouse and keyboard, its table, and what a point shows."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.browser.conftest import Opener, wait_for_details
from tests.browser.test_browser_html import ASTRAY, FAINT, LEVELS, UNNAMED
from tests.browser.test_browser_replay import CUT
from tests.report.html_pages import HOSTILE
from tests.report.sweeps import hostile, mixed, on_two_snapshots, sample, single, weights
from tests.report.writers import as_html
from vqs.cli.main import main
from vqs.inert import name as visible
from vqs.report.formats import View
from vqs.sweep.outcome import Sweep

PHONE = {"width": 400, "height": 800}
COUNTER = "#points .counter"
FOUND = "(said) => document.querySelector('#points .counter').textContent === said"
AGAINST, TRADED, HEAT = "#against-body", "#tradeoffs-body", "#heat-body"


def page_of(result: Sweep) -> str:
    """Return the page on a sweep."""
    return as_html(result, View())


def test_marks_are_walked_by_keyboard(open_page: Opener) -> None:
    """Arrows go from mark to mark and say what each is; Enter opens its point."""
    page = open_page(page_of(weights()))
    page.focus(f"{AGAINST} svg")
    assert page.inner_text(f"{AGAINST} .readout") == "weight 1: placed 2"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(f"{AGAINST} .readout") == "weight 3: placed 6"
    page.keyboard.press("End")
    assert page.inner_text(f"{AGAINST} .readout") == "weight 5: placed 8 (fails --fail-on)"
    page.keyboard.press("Enter")
    assert page.inner_text("dialog h2") == "Point 5"


def test_a_figure_is_drawn_against_a_parameter(open_page: Opener) -> None:
    """Both are chosen; a mark of several points lists them, with a link to each."""
    page = open_page(page_of(mixed()))
    page.select_option("#against select >> nth=0", label="replicas")
    page.select_option("#against select >> nth=1", label="utilisation.cpu")
    page.locator(f"{AGAINST} [data-mark]").first.click()
    assert page.inner_text(f"{AGAINST} .readout") == "replicas 4: utilisation.cpu 44.44% (5 points)"
    assert page.locator(f"{AGAINST} .chosen a").all_inner_texts() == ["#1", "#2", "#5", "#9", "#10"]
    page.click(f"{AGAINST} .chosen a >> nth=2")
    assert page.inner_text("dialog h2") == "Point 5"


def test_the_front_of_two_figures_is_drawn(open_page: Opener) -> None:
    """Its marks stand out, and are joined; figures are chosen, and the base is there."""
    page = open_page(page_of(weights()))
    assert page.locator(f"{TRADED} .dot.best").count() == 3
    assert len((page.get_attribute(f"{TRADED} .front", "points") or "").split()) == 3
    assert page.locator(f"{TRADED} .dot.without").count() == 1
    page.focus(f"{TRADED} svg")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text(f"{TRADED} .readout") == "placed 8, evictions 2, on the Pareto front of the two"
    page.select_option("#tradeoffs select >> nth=1", label="placed")
    assert page.locator(f"{TRADED} .dot.best").count() == 1


def test_two_parameters_are_a_map(open_page: Opener) -> None:
    """A cell for each pair of values, with the mean of its points; arrows go over the map in both directions."""
    page = open_page(page_of(mixed()))
    assert page.locator(f"{HEAT} [data-mark] text").all_text_contents() == ["4", "4", "4", "4", "8", "8"]
    page.focus(f"{HEAT} svg")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.inner_text(f"{HEAT} .readout") == "weight 2, replicas 8: placed 8 on average of 2 points"


def test_each_axis_says_its_unit(open_page: Opener) -> None:
    """A figure has its unit, or what it counts, and a parameter the setting that its numbers are of."""
    page = open_page(page_of(mixed()))

    def titles(part: str) -> list[str]:
        return page.locator(part).first.locator(".title").all_text_contents()

    assert titles(AGAINST) == [
        "placed, more is better (tasks that are placed)",
        "weight (queue/b.spec.weight)",
    ]
    assert titles(HEAT) == ["replicas (scale ns/train)", "weight (queue/b.spec.weight)"]
    page.select_option("#tradeoffs select >> nth=0", label="utilisation.cpu")
    page.select_option("#tradeoffs select >> nth=1", label="queue:b.allocated.memory")
    assert titles(TRADED) == ["queue:b.allocated.memory, more is better (bytes)", "utilisation.cpu, more is better (%)"]
    page.select_option("#effects select", label="utilisation.cpu")
    assert titles("#effects .panel") == ["%", "weight (queue/b.spec.weight)"]


def test_what_never_happens_is_drawn(open_page: Opener) -> None:
    """Beyond all numbers: on an axis, and in a cell of the map."""
    page = open_page(page_of(mixed()))
    page.select_option("#against select >> nth=1", label="job:ns/train.startCycle")
    page.focus(f"{AGAINST} svg")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(f"{AGAINST} .readout") == "weight 1: job:ns/train.startCycle never (2 points)"
    assert "never" in page.locator(f"{AGAINST} .tick").all_text_contents()
    page.select_option("#heat select >> nth=2", label="job:ns/train.startCycle")
    assert page.locator(f"{HEAT} [data-mark] text").all_text_contents() == ["1", "1", "1", "never", "1", "1"]
    page.select_option("#heat select >> nth=1", label="policy")
    assert page.locator(f"{HEAT} [data-mark] text").first.text_content() == "1 (1 of 2)"


def test_effects_are_drawn(open_page: Opener) -> None:
    """A panel for each parameter, which says what it shows; the figure is chosen."""
    page = open_page(page_of(mixed()))
    assert page.locator("#effects .panel").count() == 3
    page.select_option("#effects select", label="evictions")
    label = page.get_attribute("#effects .panel >> nth=2", "aria-label") or ""
    assert label.startswith("evictions by policy: as it is: 0; preempt: 2.4 on average, 1 to 4 (5 points)")


SEARCHES = {
    "weight=2": 4,
    "weight=4 replicas=8": 2,
    "placed>=8": 4,
    "evictions>0 policy=preempt": 5,
    "utilisation.cpu>50%": 4,
    "job:ns/train.startcycle=1": 9,
    "preempt": 6,
    "#12": 1,
    "queue-limit": 2,
    "guarantee": 1,
}


def test_points_are_searched(open_page: Opener) -> None:
    """By a value, by a limit, by any text; an error is a text, too."""
    page = open_page(page_of(mixed()))
    found = {}
    for words, number in SEARCHES.items():
        page.fill("#points input[type=search]", words)
        page.wait_for_function(FOUND, arg=f"{number} of 12")
        found[words] = page.locator("#points .rows .row").count()
    assert found == SEARCHES


def test_points_are_sorted_and_filtered(open_page: Opener) -> None:
    """Numbers by size; points without a number come last; a count at the top shows its points."""
    page = open_page(page_of(mixed()))
    page.click("#points .head button:text('evictions')")
    page.click("#points .head button:text('evictions')")
    assert page.locator("#points .row a").all_inner_texts()[1:3] == ["#10", "#12"]
    page.click("[data-state=failed]")
    assert page.inner_text(COUNTER) == "1 of 12"
    page.click("#points button:text('clear')")
    page.select_option("#points .filters label:has-text('policy') select", label="preempt (6)")
    assert page.inner_text(COUNTER) == "6 of 12"


def test_a_point_shows_what_makes_it(open_page: Opener) -> None:
    """Its edits, and a command to copy; the address leads there, and on to the next point."""
    page = open_page(page_of(weights()), "#point=2", permissions=["clipboard-read", "clipboard-write"])
    assert page.inner_text("dialog .names") == "queue/b.spec.weight=2"
    page.click("dialog .command button")
    page.wait_for_selector("dialog .command button:text('copied')")
    text = "vqs diff-configs cluster.json --set queue/b.spec.weight=2"
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.click("dialog a:text('next point')")
    wait_for_details(page, "Point 3")


def test_numbers_in_the_answer_lead_to_points(open_page: Opener) -> None:
    """Those of the sentences, and those of the Pareto front."""
    page = open_page(page_of(weights()))
    page.click("#answer a:text('#4')")
    assert page.inner_text("dialog h2") == "Point 4"
    page.keyboard.press("Escape")
    page.click("#tradeoffs td a:text('#3')")
    wait_for_details(page, "Point 3")


def test_names_are_taken_for_names(open_page: Opener) -> None:
    """Nothing of a name is run or drawn as markup."""
    page = open_page(page_of(hostile()), "#point=1")
    assert page.locator("img").count() == 0
    assert visible(HOSTILE[0]) in page.inner_text("dialog")
    assert page.locator("#effects figcaption").first.inner_text().startswith(visible(HOSTILE[0]))


def test_all_columns_of_points_are_seen(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    """Long names of figures have several lines, and so has why a point fails."""
    assert main(["sweep", "docs/example/weights.plan.yaml", "--format", "html"]) == 0
    page = open_page(capsys.readouterr().out, viewport={"width": 1280, "height": 800})
    assert page.evaluate(CUT) == 0
    assert page.locator("#points .head wbr").count()
    page = open_page(page_of(mixed()))
    assert page.locator("#points .row .state").count()
    assert page.locator("#points .row .whole:has(.state)").count() == page.locator("#points .row .state").count()


def test_a_chart_has_the_points_of_one_snapshot(open_page: Opener) -> None:
    """It is chosen where there are several, with what it is without edits; a heat map by snapshot has all of them."""
    page = open_page(page_of(on_two_snapshots()))
    page.focus(f"{AGAINST} svg")
    page.keyboard.press("End")
    assert page.inner_text(f"{AGAINST} .readout") == "weight 3: placed 2"
    page.select_option("#against select >> nth=2", label="large.json")
    page.focus(f"{AGAINST} svg")
    page.keyboard.press("End")
    assert page.inner_text(f"{AGAINST} .readout") == "weight 3: placed 30"
    assert page.locator(f"{AGAINST} line.base").count() == 1
    page.select_option("#tradeoffs select >> nth=2", label="large.json")
    assert page.locator(f"{TRADED} [data-mark]").count() == 3
    assert not page.is_visible("#heat select >> nth=3")
    assert page.locator(f"{HEAT} [data-mark]").count() == 6


@pytest.mark.parametrize("make", [weights, mixed, single, hostile, on_two_snapshots])
def test_the_page_fits_a_phone(open_page: Opener, make: object) -> None:
    """Nothing stands out to the side, also in a point."""
    assert callable(make)
    page = open_page(page_of(make()), viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.click("#points .row a >> nth=0")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_for_everybody(open_page: Opener, scheme: str) -> None:
    """What can be pressed has a name, references find what they name, text stands out, headings are in order."""
    page = open_page(page_of(mixed()), color_scheme=scheme)
    for address in ("", "#point=6"):
        page.evaluate("(address) => { location.hash = address; }", address)
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate(ASTRAY) == []
        assert page.evaluate(FAINT) == []
    levels = page.evaluate(LEVELS)
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_many_points_open(open_page: Opener) -> None:
    """10,000 points are drawn with few marks, and found."""
    page = open_page(page_of(sample(10_000)))
    assert page.locator(f"{AGAINST} [data-mark]").count() <= 1_500
    assert page.locator("#points .rows .row").count() < 60
    page.fill("#points input[type=search]", "#7287")
    page.wait_for_function(FOUND, arg="1 of 10,000")
