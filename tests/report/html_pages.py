"""Pages to look at, and what is in them."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.build import NOW, gang, group, manifests, node, pod, queue
from tests.engine.crowds import PREEMPT, classes, running
from tests.report.writers import as_html as simulation
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.outcome import Diff
from vqs.diff.run import Input
from vqs.explain.outcome import (
    JobResult,
    NodeResult,
    OperationResult,
    SessionInfo,
    Simulation,
    StatementResult,
    TaskResult,
    Verdict,
)
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.explain.words import tell_of_jobs
from vqs.inert import name as visible
from vqs.report.formats import View
from vqs.snapshot.reading.reader import read_manifests

SCENARIOS = Path(__file__).parents[2] / "scenarios"

FREE = PREEMPT.replace("  - name: gang", "  - name: gang\n    enablePreemptable: false")
"""Tasks that their gang needs may be evicted."""

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "<!--<script>",
    "{{ 7 * 7 }}",
    "&lt;b&gt; & ]]>",
    "gpu 🚀 émoji 漢字",
    "\u202egnp.exe",
    "שלום-עבודה",
    "line\u2028break\u2029\n\x1b[31m",
)
"""Names that try to be something else."""


class Parsed(HTMLParser):
    """A page as a browser reads it: the elements in their order, the scripts, the styles, and the text of the rest."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[str, str]] = []
        self.styles: list[str] = []
        self.words = ""
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs).get("type") or "", ""))

    def handle_endtag(self, tag: str) -> None:
        """Note that an element is over."""
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        """Note text."""
        if self._inside == "script":
            kind, text = self.scripts[-1]
            self.scripts[-1] = (kind, text + data)
        elif self._inside == "style":
            self.styles.append(data)
        else:
            self.words += data

    @property
    def data(self) -> dict[str, Any]:
        """What the page's script reads."""
        [text] = [text for kind, text in self.scripts if kind == "application/gzip"]
        found: dict[str, Any] = json.loads(gzip.decompress(b64decode(text)))
        return found

    @property
    def policy(self) -> str:
        """What the page allows itself."""
        [content] = [
            attributes["content"]
            for tag, attributes in self.elements
            if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
        ]
        return content or ""


def as_seen(data: Any) -> Any:
    """Return data with every text in it as people may safely see it."""
    match data:
        case str():
            return visible(data)
        case dict():
            return {visible(name): as_seen(each) for name, each in data.items()}
        case list():
            return [as_seen(each) for each in data]
        case _:
            return data


# --- sessions ---------------------------------------------------------------------------------------------------------


@lru_cache
def session(scenario: str) -> Simulation:
    """Simulate a scenario."""
    read = read_manifests([str(SCENARIOS / f"{scenario}.yaml")])
    return simulate(read, SimulateOptions(scenario=f"{scenario}.yaml", nodes=True))


def evicting(conf: str = FREE, title: str = "evicting") -> Simulation:
    """Simulate a session in which one job takes from another."""
    return simulate(manifests(_contested(), conf), SimulateOptions(now=NOW, scenario=title, nodes=True))


def _contested() -> list[Any]:
    return [
        *classes(),
        queue("default"),
        node("n1", cpu=4),
        node("n2", cpu=2),
        running("low", "n1", "n1", "n1", "n2", priorityClassName="low"),
        [group("high", 2, priorityClassName="high"), *[pod(f"high-worker-{i}", "high", 2) for i in range(2)]],
        gang("later", 3, cpu=3),
    ]


def differing() -> Diff:
    """Compare a session that evicts with one that does not."""
    calm = FREE.replace('"preempt"', '"allocate"')
    before, after = manifests(_contested(), FREE), manifests([*_contested(), node("n3", cpu=1)], calm)
    return compare(Input("base", before), Input("candidate", after), DiffOptions(SimulateOptions(now=NOW)))


def hostile() -> Simulation:
    """Return a session in which every name tries to be something else."""
    result = evicting()
    result.scenario = HOSTILE[0]
    result.session.configuration = HOSTILE[1]
    for each, name in zip(result.queues, HOSTILE, strict=False):
        each.name = name
    for job in result.jobs:
        job.namespace, job.name, job.queue = HOSTILE[3], HOSTILE[0], HOSTILE[1]
        job.unschedulable = HOSTILE[2]
    for number, task in enumerate(result.tasks):
        task.name, task.namespace, task.node = HOSTILE[number % len(HOSTILE)], f"{number}", HOSTILE[1]
        task.message = task.pod_scheduled = task.pod_scheduled_reason = HOSTILE[number % len(HOSTILE)]
        task.verdict = Verdict(code="no-node-fits", text=HOSTILE[number % len(HOSTILE)], log=HOSTILE[4])
    for each_node, name in zip(result.nodes, HOSTILE, strict=False):
        each_node.name = name
    return result


def crowd(nodes: int, tasks: int) -> Simulation:
    """Return a large session, made by hand: every tenth task waits, the others are placed in turn."""
    each = {"cpu": 2.0, "memory": 2.0**30}
    names = [f"node-{number:05}" for number in range(nodes)]
    placed = {number: names[number % nodes] for number in range(tasks) if number % 10}
    room = tasks // nodes + 1
    made = Simulation(
        volcano="1.14",
        scenario="crowd",
        session=SessionInfo(
            actions=["allocate"],
            tiers=[["gang"], ["predicates"]],
            now="2026-01-01T00:00:00Z",
            seed=None,
            nodes=nodes,
            queues=1,
            jobs=tasks // 20,
            tasks=tasks,
            total_resource={name: value * room * nodes for name, value in each.items()},
            configuration="built-in",
        ),
        queues=[],
        jobs=[_job(number) for number in range(tasks // 20)],
        tasks=[_task(number, placed.get(number), each) for number in range(tasks)],
        trace=[
            StatementResult(
                id=job + 1,
                action="allocate",
                job=f"ns/job-{job:05}",
                result="commit",
                operations=[
                    OperationResult(op="allocate", task=_task_name(number), node=placed[number])
                    for number in range(job * 20, job * 20 + 20)
                    if number in placed
                ],
            )
            for job in range(tasks // 20)
        ],
        diagnostics=[],
        nodes=[
            NodeResult(
                name=name,
                allocatable={resource: value * room for resource, value in each.items()},
                used_before={},
                used={resource: value * _number_on(at, nodes, tasks) for resource, value in each.items()},
                pods_before=0,
                pods=_number_on(at, nodes, tasks),
                max_pods=110,
            )
            for at, name in enumerate(names)
        ],
    )
    return tell_of_jobs(made)


def _number_on(at: int, nodes: int, tasks: int) -> int:
    return sum(1 for number in range(at, tasks, nodes) if number % 10)


def _task_name(number: int) -> str:
    return f"ns/job-{number // 20:05}-worker-{number % 20:02}"


def _job(number: int) -> JobResult:
    return JobResult(
        namespace="ns",
        name=f"job-{number:05}",
        queue=f"q{number % 50:02}",
        min_available=1,
        priority=0,
        phase_before="Inqueue",
        phase="Inqueue",
        decision="partially-committed",
        ready=18,
        tasks=20,
    )


def _task(number: int, on: str | None, request: dict[str, float | None] | dict[str, float]) -> TaskResult:
    name = _task_name(number).partition("/")[2]
    verdict = Verdict(code="no-node-fits", text="0/5000 nodes are unavailable", log=f"Predicates failed: {name}")
    return TaskResult(
        namespace="ns",
        name=name,
        job=f"job-{number // 20:05}",
        role="worker",
        queue=f"q{number // 20 % 50:02}",
        status_before="Pending",
        status="Binding" if on else "Pending",
        node=on,
        verdict=None if on else verdict,
        request=dict(request),
    )


def page_of(result: Simulation) -> str:
    """Write the page on a session."""
    return simulation(result, View())
