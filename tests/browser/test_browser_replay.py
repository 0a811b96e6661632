"""The page on a replay in a browser: what it draws, by mouse and by keyboard, and how soon."""

from __future__ import annotations

import sys

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Opener
from tests.replay.runs import crowd, job, run, runs
from tests.report.html.test_replay import hostile, made
from tests.report.html_pages import HOSTILE
from tests.report.writers import as_html
from vqs.cli.main import main
from vqs.explain.amounts import lasting
from vqs.inert import name as visible
from vqs.replay.compare import compared
from vqs.replay.figures import summed_up
from vqs.replay.outcome import NodeRecord, PodRecord
from vqs.report.formats import Again, View

PHONE = {"width": 400, "height": 740}
COMMAND = "#moment code"


def shown(page: Page) -> list[float]:
    """Return the part of time that is shown, and the moment, in seconds."""
    found: list[float] = page.evaluate("(({ from, to, moment }) => [from, to, moment])(vqs.page.view.span)")
    return found


def drawn(page: Page, selector: str) -> None:
    """Wait until a canvas is drawn."""
    page.locator(selector).scroll_into_view_if_needed()
    page.wait_for_function("(name) => document.querySelector(name).dataset.drawn", arg=selector)


def first_job(page: Page) -> None:
    """Open the first job of the list, once the waits above it are drawn: where they come in, the list moves down."""
    page.locator("#waits-part").scroll_into_view_if_needed()
    page.wait_for_selector("#waits figure")
    page.click("#jobs .rows .row a >> nth=0")


def test_ten_thousand_jobs_open(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    """With 20,000 pods on 200 nodes, every drawing is there once it is in view, on a phone too; the time is printed."""
    text = as_html(summed_up(crowd(10_000, 200, 2)), View())
    page = open_page(text)
    for selector in ("#timeline canvas", "#node-heat canvas", "#gantt canvas"):
        drawn(page, selector)
    assert page.inner_text("#jobs .counter") == "10,000"
    phone = open_page(text, viewport=PHONE)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    ready = [each.get_attribute("html", "data-ready") for each in (page, phone)]
    with capsys.disabled():
        print(  # noqa: T201 - the figure is what this is for
            f"\n10,000 jobs replayed: {len(text.encode()) / 1e6:.1f} MB, ready after {ready[0]} ms, "
            f"on a phone after {ready[1]} ms",
            file=sys.stderr,
        )


def test_the_moment_is_chosen_by_keyboard(open_page: Opener) -> None:
    """Arrows, plus, minus and Home change what is shown; the command names the moment, and so do the figures."""
    page = open_page(as_html(made(), View()))
    page.focus("#timeline canvas")
    page.keyboard.press("Home")
    assert page.inner_text(COMMAND) == "vqs replay FILES --seed 1 --at 0s -o moment.json"
    page.keyboard.press("+")
    first, last, _ = shown(page)
    assert first == 0
    assert last == pytest.approx(page.evaluate("vqs.page.view.span.end") / 2)
    page.keyboard.press("ArrowRight")
    assert shown(page)[2] == pytest.approx(last / 100)
    page.keyboard.press("End")
    assert shown(page)[1:] == [page.evaluate("vqs.page.view.span.end")] * 2
    assert page.locator(".at-moment tbody tr").count() == 5
    page.keyboard.press("0")
    assert shown(page)[0] == 0


def test_a_drag_shows_a_part_of_the_time(open_page: Opener) -> None:
    """And a click chooses the moment; all drawings follow."""
    page = open_page(as_html(made(), View()))
    drawn(page, "#node-heat canvas")
    box = page.locator("#node-heat canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 300, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 20)
    page.mouse.up()
    first, last, before = shown(page)
    assert 0 < first < last < page.evaluate("vqs.page.view.span.end")
    page.mouse.click(box["x"] + 400, box["y"] + 20)
    assert first < shown(page)[2] < last
    assert shown(page)[2] != before


def test_jobs_are_searched_and_walked(open_page: Opener) -> None:
    """The search narrows the list and the drawing; arrows walk the drawing, and Enter opens a job with its pods."""
    page = open_page(as_html(made(), View()))
    page.fill("#jobs input[type=search]", "queue:team-b")
    page.wait_for_function("document.querySelector('#jobs .counter').textContent === '12 of 60'")
    drawn(page, "#gantt canvas")
    page.wait_for_function("document.querySelector('#gantt .dim').textContent.includes('of 12 found')")
    page.focus("#gantt canvas")
    page.keyboard.press("ArrowDown")
    assert "team-b-job-00001" in page.inner_text("#gantt .readout")
    page.keyboard.press("Enter")
    assert page.inner_text("dialog h2") == "ns/team-b-job-00001"
    assert page.locator("dialog .names li").count() >= 8


def test_policies_are_chosen(open_page: Opener) -> None:
    """The command and the drawings are those of the policy that is chosen; a job shows all of them."""
    several = compared(runs(made(), made("b.conf", slow=0.5)))
    again = Again(files=("week.yaml",), options=(("--conf", "first.conf"), ("--conf", "b.conf")))
    page = open_page(as_html(several, View(again=again)))
    assert page.inner_text(COMMAND).startswith("vqs replay week.yaml --conf first.conf --seed 1 --at ")
    page.select_option("#policy", label="b.conf")
    assert page.inner_text(COMMAND).startswith("vqs replay week.yaml --conf b.conf --seed 1 --at ")
    first_job(page)
    page.wait_for_selector("dialog thead th")
    assert page.locator("dialog thead th").all_inner_texts() == ["first.conf", "b.conf"]


def test_names_are_text(open_page: Opener) -> None:
    """Whatever a name looks like, it is there to be read."""
    page = open_page(as_html(hostile(), View()))
    names = page.locator(".at-moment tbody th").all_inner_texts()
    assert visible("{{ 7 * 7 }}") in names
    first_job(page)
    assert page.inner_text("dialog h2") == visible(f"ns/{HOSTILE[0]}")


def test_times_are_written_as_everywhere(open_page: Opener) -> None:
    """The script and the tables write a time in the same way."""
    seconds = [0, 0.04, 4.25, 9.96, 45.2, 59.7, 75.4, 3599.6, 11520, 86399.9, 90061, 1e7]
    page = open_page(as_html(made(), View()))
    assert page.evaluate("(some) => some.map(vqs.duration)", seconds) == [lasting(each) for each in seconds]


def test_full_nodes_are_dark(open_page: Opener) -> None:
    """A byte for each node and stretch of time: hundredths of what it has, and 255 where it is not there."""
    result = made()
    result.nodes[1] = NodeRecord(name="node-0001", allocatable={"cpu": 8.0}, available=[(0.0, result.end / 2)])
    page = open_page(as_html(summed_up(result), View()))
    levels = page.evaluate("[...vqs.page.view.policy.heat.levels('cpu')]")
    bins = len(result.node_samples)
    assert len(levels) == bins * 4
    # Python rounds what stands in the middle to the even neighbour, a script up.
    assert levels[:bins] == pytest.approx([each.used[0][0] * 100 for each in result.node_samples], abs=0.5)
    assert levels[2 * bins - 1] == 255


def test_a_job_of_one_policy_only_is_there(open_page: Opener) -> None:
    """Jobs that are made by chance may differ; those that one policy has not are not there under it."""
    pods = [PodRecord(pod="p", job=0, created=0.0, node="n1", bound=1.0, started=1.0, ended=9.0, outcome="succeeded")]
    one, other = run([job("one")], pods), run([job("two")], pods, policy="b.conf")
    page = open_page(as_html(compared(runs(summed_up(one), summed_up(other))), View()))
    there = (
        "vqs.page.view.data.policies.map(({ records, lives }) => records.map((each, at) => [!!each, lives[at].length]))"
    )
    assert page.evaluate(there) == [[[True, 1], [False, 0]], [[False, 0], [True, 1]]]


def test_a_moment_can_be_linked_to(open_page: Opener) -> None:
    """The address names it, in seconds; a link to the one that is shown can be copied."""
    page = open_page(as_html(made(), View()), "#at=3600", permissions=["clipboard-read", "clipboard-write"])
    assert shown(page)[2] == 3600
    page.click("button[aria-label='copy a link to the moment']")
    page.wait_for_selector("#moment button.copy:text('copied')")
    assert page.evaluate("navigator.clipboard.readText()").endswith("#at=3600")


CUT = """() => [...document.querySelectorAll('.scroll, .grid')]
  .filter((each) => each.scrollWidth > each.clientWidth).length"""


def test_no_table_of_several_runs_is_cut(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    """How sure figures are goes into a second line; the run that is drawn is told apart from the means."""
    assert main(["replay", "docs/example/workload.yaml", "--runs", "5", "--format", "html"]) == 0
    page = open_page(capsys.readouterr().out, viewport={"width": 1280, "height": 800})
    assert page.locator("#answer td:has(wbr)").count()
    assert page.evaluate(CUT) == 0
    assert page.inner_text("#answer .dim").startswith("The run of seed ")
