"""The pages on queues and on comparisons in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Opener
from tests.build import CONF, gang, node, queue
from tests.diff.sides import diff as compared
from tests.report.html_pages import differing
from tests.report.queue_reports import BROKEN, SHOWN, TREE, WEIGHTS, report
from tests.report.writers import as_html as diff
from tests.report.writers import as_html as queues
from vqs.cli.main import main
from vqs.report.formats import View

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PHONE = {"width": 360, "height": 740}


@pytest.mark.parametrize(("scenario", "queue"), SHOWN)
def test_queues_are_shown(open_page: Opener, scenario: str, queue: str) -> None:
    """On a phone too, and each opens its details."""
    page = open_page(queues(report(scenario, queue), View()), viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.click("#queues a.name >> nth=0")
    page.wait_for_selector("dialog h2")


def test_rounds_are_drawn(open_page: Opener) -> None:
    """A line for each queue, with a piece for each round that gave it something."""
    page = open_page(queues(report(WEIGHTS, "A"), View()))
    lines = page.locator("#derivation .line")
    assert lines.count() == 3
    assert lines.nth(0).locator(".piece").count() == 2
    assert lines.nth(0).inner_text().split() == ["A", "1", "2", "28"]


def test_the_chain_is_drawn(open_page: Opener) -> None:
    """A line for each queue from the root down."""
    page = open_page(queues(report(TREE, "research"), View()))
    assert page.locator("#derivation .who").all_inner_texts() == ["root", "department", "research"]


def test_a_broken_tree_is_a_list(open_page: Opener) -> None:
    """All queues are shown, however they refer to each other."""
    page = open_page(queues(report(BROKEN), View()))
    assert page.is_visible("[role=alert]")


def test_a_comparison_is_shown(open_page: Opener) -> None:
    """The jobs that differ with why, queues and nodes side by side, the evictions that are gone."""
    result = differing()
    page = open_page(diff(result, View()))
    assert page.locator("#jobs .rows .row").count() == len(result.jobs)
    page.click("#jobs .rows .row a >> nth=0")
    assert page.inner_text("dialog .why") != ""
    page.keyboard.press("Escape")
    assert page.locator("#nodes svg.nodes[tabindex]").count() == 2
    assert page.locator("#evictions rect.victim").count() == len(result.evictions)


def test_the_reason_why_pods_move_has_half_of_the_table(open_page: Opener) -> None:
    """A sentence is not squeezed into a narrow column."""
    page = open_page(diff(differing(), View()))
    parts = [".pods-moved", ".pods-moved .why"]
    table, why = (page.evaluate("(part) => document.querySelector(part).clientWidth", part) for part in parts)
    assert why >= 0.48 * table


def test_who_gets_reserved_nodes_is_among_those_who_gain(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    """The job for which pods are evicted stands beside the one that loses them, though none of its pods has a node."""
    example = "docs/example"
    sides = [f"{example}/volcano-scheduler.conf", f"{example}/with-reclaim.conf"]
    assert main(["diff-configs", *sides, "--on", f"{example}/snapshot.json", "--format", "html", "--exit-zero"]) == 0
    rows = open_page(capsys.readouterr().out).locator(".pods-moved tbody tr")
    assert rows.locator("th").all_inner_texts() == ["product/recommender", "research/train"]
    assert rows.nth(1).locator(".numeric").all_inner_texts() == ["0", "0 + 3 reserved"]
    widths = rows.nth(1).locator(".bar-reserved").evaluate_all("(all) => all.map((each) => each.getBBox().width > 0)")
    assert widths == [False, True]


def test_jobs_are_chosen_by_effect(open_page: Opener) -> None:
    """The number of those that gain shows them."""
    result = differing()
    gaining = sum(job.effect == "gains" for job in result.jobs)
    page = open_page(diff(result, View()))
    page.click("[data-effect=gains]")
    assert page.locator("#jobs .rows .row").count() == gaining > 0


def test_a_comparison_fits_a_phone(open_page: Opener) -> None:
    """Nothing stands out to the side."""
    page = open_page(diff(differing(), View()), viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_what_is_not_known_of_a_queue_is_said(open_page: Opener) -> None:
    """Without a queue plugin, nobody holds more than is deserved, and the details say that this is not known."""
    objects = [node("n1", cpu=4), queue("a"), *gang("job", 4, queue="a")]
    page = open_page(diff(compared(objects, objects, CONF, CONF.replace("  - name: proportion\n", "")), View()))
    bar = page.locator("#queues tr:has(small:text-is('after')) svg.bar >> nth=0")
    assert bar.get_attribute("aria-label") == "cpu: held 4, what it deserves is not known"
    assert bar.locator(".bar-over").get_attribute("width") == "0"
    page.click("#queues a.name >> nth=0")
    page.wait_for_selector("dialog h2")
    assert page.locator("dialog tr:has-text('deserved')").inner_text().split("\t")[1:] == [
        "cpu 4, memory 4Gi, pods 4",
        "not known",
    ]


REQUESTS = [
    ({"nvidia.com/gpu": 8}, ["nvidia.com/gpu", "memory", "cpu", "pods"]),
    ({}, ["cpu", "memory", "nvidia.com/gpu", "pods"]),
    ({"a.b/c": 1, "pods": 90}, ["a.b/c", "cpu", "memory", "nvidia.com/gpu", "pods"]),
    ({"hugepages-2Mi": 1}, ["hugepages-2Mi", "cpu", "memory", "nvidia.com/gpu", "pods"]),
]


@pytest.mark.parametrize(("requested", "order"), REQUESTS)
def test_the_scarcest_resource_comes_first(open_page: Opener, requested: dict[str, float], order: list[str]) -> None:
    """Where nothing is requested cpu and memory do; hugepages are there where they are requested, pods are last."""
    result = report(WEIGHTS)
    result.session.total_resource = {
        "cpu": 100.0,
        "memory": 100.0,
        "nvidia.com/gpu": 8.0,
        "pods": 100.0,
        "hugepages-2Mi": 100.0,
        "ephemeral-storage": 100.0,
    }
    request = {"cpu": 1.0, "memory": 2.0} if "nvidia.com/gpu" in requested else {}
    result.queues = result.queues[:1]
    for amounts in (result.queues[0].opened, result.queues[0].closed):
        amounts.allocated = {}
    result.queues[0].opened.deserved = {}
    result.queues[0].opened.request = {**request, **requested}
    page = open_page(queues(result, View()))
    assert page.evaluate("vqs.page.data.resources.map(({ name }) => name)") == order


POOLS = """
apiVersion: vqs/v1
kind: Scenario
nodes:
- {count: 40, name: a, cpu: 4, labels: {karpenter.sh/nodepool: small}}
- {count: 30, name: b, cpu: 8, labels: {karpenter.sh/nodepool: large}}
- {name: c, cpu: 8}
jobs:
- {name: old, replicas: 5, cpu: 8}
"""


def test_many_nodes_stand_by_pool(open_page: Opener, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each group has a title that says how full it is; one alone is drawn large enough to be read."""
    (tmp_path / "pools.yaml").write_text(POOLS, encoding="utf-8")
    assert main(["simulate", str(tmp_path / "pools.yaml"), "--format", "html"]) == 0
    page = open_page(capsys.readouterr().out)
    assert page.locator("#node-map text.group").count() == 0
    page.get_by_label("Group").select_option("pool")
    titles = page.locator("#node-map text.group").all_text_contents()
    assert [each.partition(",")[0] for each in titles] == ["large: 30 nodes", "others: 1 node", "small: 40 nodes"]
    assert page.locator("#node-map [data-node] text").count() == 0
    page.locator("#nodes select").last.select_option("large")
    assert page.locator("#node-map g[data-node]").count() == 30
    page.focus("#node-map svg")
    page.keyboard.press("End")
    assert page.inner_text("#node-map-readout").startswith("b-9: ")


def test_reserved_room_is_seen_on_its_node(open_page: Opener, capsys: pytest.CaptureFixture[str]) -> None:
    """A node with a reservation says so, and has a line of its own; it is as dark as it is full."""
    assert main(["simulate", str(SCENARIOS / "preempt-higher-priority.yaml"), "--format", "html"]) == 0
    page = open_page(capsys.readouterr().out)
    assert page.locator("#node-map rect.s10.reserved").count() == 1
    assert page.locator("#node-map text.level").all_text_contents() == ["100% +2", "100%"]
