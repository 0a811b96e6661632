"""The page on a replay: one file that needs nothing else, with all that its script draws."""

from __future__ import annotations

from base64 import b64decode

import msgspec
import pytest

from tests.replay.runs import crowd, job, run, runs
from tests.report.html.test_simulation import outside
from tests.report.html_pages import HOSTILE, Parsed, unpacked, unpacked_names
from tests.report.writers import as_html
from vqs.inert import name as visible
from vqs.replay.compare import compared
from vqs.replay.figures import summed_up
from vqs.replay.outcome import NodeRecord, PodRecord, Replay
from vqs.report.again import Again
from vqs.report.formats import View


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
    assert unpacked_names(parsed.data["jobs"]["path"]) == [f"{each.namespace}/{each.name}" for each in result.jobs]
    [policy] = parsed.data["policies"]
    assert len(unpacked(policy["lives"]["job"])) == len(result.pods)
    tick = parsed.data["tick"]
    assert [at * tick for at in unpacked(policy["jobs"]["started"])] == [
        pytest.approx(each.started, abs=tick) for each in result.jobs
    ]


def test_policies_have_a_page() -> None:
    """The first seed of each is drawn, waits are those of all seeds, and jobs are written once."""
    several = compared(runs(*(made(policy, seed) for policy in ("first.conf", "b.conf") for seed in (1, 2))))
    options = (("--conf", "first.conf"), ("--conf", "b.conf"), ("--seeds", "2"))
    page = as_html(several, View(again=Again(files=("week.yaml",), options=options)))
    parsed = Parsed(page)
    assert outside(page) == []
    assert [each["name"] for each in parsed.data["policies"]] == ["first.conf", "b.conf"]
    assert "b.conf against first.conf" in parsed.words
    assert "Over time, seed 1" in parsed.words
    assert sum(each["policies"][0]["jobs"] for each in parsed.data["waits"]) == 120
    assert parsed.data["policies"][1]["command"] == "vqs replay week.yaml --conf b.conf --seed 1"


def test_a_moment_is_opened_on_the_same_files() -> None:
    """The command is that of the run, with its options, and the script adds the time."""
    again = Again(files=("week.yaml",), options=(("--conf", "a b.conf"), ("--period", "5")))
    [policy] = Parsed(as_html(made(), View(again=again))).data["policies"]
    assert policy["command"] == "vqs replay week.yaml --conf 'a b.conf' --period 5 --seed 1"


def test_full_nodes_are_dark() -> None:
    """A byte for each node and stretch of time: hundredths of what it has, and 255 where it is not there."""
    result = made()
    result.nodes[1] = NodeRecord(name="node-0001", allocatable={"cpu": 8.0}, available=[(0.0, result.end / 2)])
    heat = Parsed(as_html(summed_up(result), View())).data["policies"][0]["heat"]
    levels = b64decode(heat["levels"]["cpu"])
    assert len(levels) == heat["bins"] * 4
    assert levels[: heat["bins"]] == bytes(round(each.used[0][0] * 100) for each in result.node_samples)
    assert levels[2 * heat["bins"] - 1] == 255


def test_names_are_not_markup() -> None:
    """What comes from a workload is text on the page."""
    page = as_html(hostile(), View())
    tags = [tag for tag, _ in Parsed(page).elements]
    assert (tags.count("script"), tags.count("img")) == (2, 0)
    data = Parsed(page).data
    assert {each["name"] for each in data["queues"]} >= {visible(name) for name in HOSTILE}
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


def test_a_job_of_one_policy_only_is_there() -> None:
    """Jobs that are made by chance may differ; those that one policy has not are not there under it."""
    pods = [PodRecord(pod="p", job=0, created=0.0, node="n1", bound=1.0, started=1.0, ended=9.0, outcome="succeeded")]
    one, other = run([job("one")], pods), run([job("two")], pods, policy="b.conf")
    data = Parsed(as_html(compared(runs(summed_up(one), summed_up(other))), View())).data
    assert [unpacked(each["jobs"]["there"]) for each in data["policies"]] == [[1, 0], [0, 1]]
    assert [unpacked(each["lives"]["job"]) for each in data["policies"]] == [[0], [1]]
