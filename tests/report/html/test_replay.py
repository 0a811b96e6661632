"""The page on a replay: one file that needs nothing else, with all that its script draws."""

from __future__ import annotations

import json

import msgspec

from tests.replay.runs import crowd, run, runs
from tests.report.html.test_simulation import outside
from tests.report.html_pages import HOSTILE, Parsed, as_seen
from tests.report.writers import as_html
from vqs.inert import name as visible
from vqs.replay.compare import compared
from vqs.replay.figures import summed_up
from vqs.replay.outcome import Replay
from vqs.report.as_json import write as as_json
from vqs.report.formats import Again, View


def made(policy: str = "first.conf", seed: int = 1, slow: float = 1.0) -> Replay:
    """Return a run of sixty jobs."""
    return summed_up(crowd(60, 4, policy=policy, seed=seed, slow=slow))


def hostile() -> Replay:
    """Return a run in which every name tries to be something else."""
    found = crowd(len(HOSTILE), 2, 2)
    for each, name in zip(found.jobs, HOSTILE, strict=True):
        each.name = each.queue = each.phase = name
        each.waited = {name: 10.0}
    for life, name in zip(found.pods, HOSTILE * 9, strict=False):
        life.pod, life.action = name, name
    for node, name in zip(found.nodes, HOSTILE[1:], strict=False):
        for life in found.pods:
            life.node = name if life.node == node.name else life.node
        node.name = name
    found.workload = found.policy = HOSTILE[0]
    return summed_up(found)


def test_a_run_has_a_page() -> None:
    """It answers first, holds every job and pod, and fetches nothing."""
    result = made()
    page = as_html(result, View())
    parsed = Parsed(page)
    assert outside(page) == []
    assert page == as_html(result, View())
    assert "All 60 jobs completed" in parsed.words
    assert parsed.data == as_seen(json.loads(as_json(result, View())))


def test_policies_have_a_page() -> None:
    """The first seed of each is drawn, waits are those of all seeds, and jobs are written once."""
    several = compared(runs(*(made(policy, seed) for policy in ("first.conf", "b.conf") for seed in (1, 2))))
    options = (("--conf", "first.conf"), ("--conf", "b.conf"), ("--seeds", "2"))
    page = as_html(several, View(again=Again(files=("week.yaml",), options=options)))
    parsed = Parsed(page)
    assert outside(page) == []
    assert parsed.data["policies"] == ["first.conf", "b.conf"]
    assert "b.conf against first.conf" in parsed.words
    assert "Over time, seed 1" in parsed.words
    assert [(len(each["jobs"]), bool(each["pods"]), bool(each["samples"])) for each in parsed.data["runs"]] == [
        (60, each.seed == 1, each.seed == 1) for each in several.runs
    ]
    assert commands(parsed)[1] == "vqs replay week.yaml --conf b.conf --seed 1"


def commands(page: Parsed) -> list[str]:
    """Return the commands that open a moment of each policy, but for the time."""
    [text] = [str(attributes["data-commands"]) for _, attributes in page.elements if "data-commands" in attributes]
    found: list[str] = json.loads(text)
    return found


def test_a_moment_is_opened_on_the_same_files() -> None:
    """The command is that of the run, with its options, and the script adds the time."""
    again = Again(files=("week.yaml",), options=(("--conf", "a b.conf"), ("--period", "5")))
    page = Parsed(as_html(made(), View(again=again)))
    assert commands(page) == ["vqs replay week.yaml --conf 'a b.conf' --period 5 --seed 1"]


def test_names_are_not_markup() -> None:
    """What comes from a workload is text on the page."""
    page = as_html(hostile(), View())
    tags = [tag for tag, _ in Parsed(page).elements]
    assert (tags.count("script"), tags.count("img")) == (2, 0)
    data = Parsed(page).data
    assert {each["queue"] for each in data["jobs"]} == {visible(name) for name in HOSTILE}
    assert "team-b-job" not in page


def test_a_saved_run_has_the_same_page() -> None:
    """What was computed once and kept as JSON is written the same way later."""
    result = made()
    kept = msgspec.json.decode(msgspec.json.encode(result), type=Replay)
    assert as_html(kept, View()) == as_html(result, View())


def test_a_run_without_jobs_has_a_page() -> None:
    """There is nothing to draw, and the answer says so."""
    page = as_html(summed_up(run([], nodes=[], end=0.0)), View())
    assert outside(page) == []
    assert "Nothing to replay" in Parsed(page).words
