"""What is wrong with a scenario is told of the place where it is written, all at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.reader import read_manifests

Errors = Callable[[str], list[Diagnostic]]

HEAD = "apiVersion: vqs/v1\nkind: Scenario\n"
NODE = "nodes: [{cpu: 4}]\n"

BAD = {
    "unknown key": ("node: []\n", 3, 1, "$.node", "did you mean 'nodes'?"),
    "unknown key of a job": (
        "jobs:\n  - {name: j, replica: 3}\n",
        4,
        15,
        "$.jobs[0].replica",
        "did you mean 'replicas'",
    ),
    "no blank after a colon": (
        "jobs: [{name: a, replicas:3}]\n",
        3,
        18,
        '$.jobs[0]["replicas:3"]',
        "put a blank after",
    ),
    "unknown key without a value": ("nodez:\n", 3, 1, "$.nodez", "did you mean 'nodes'?"),
    "nothing expected": ("expect: {jobs: {a: }}\n", 3, 17, "$.expect.jobs.a", "the expectation is missing"),
    "unknown key of an expectation": (
        "expect: {jobs: {a: {decisio: }}}\n",
        *(3, 21, "$.expect.jobs.a.decisio", "did you mean 'decision'?"),
    ),
    "unknown key of a count": ("expect:\n  counts: {running: 1}\n", 4, 12, "$.expect.counts.running", "'Running'"),
    "old release": ('volcano: "1.11"\n', 3, 10, "$.volcano", "older than 1.12"),
    "no release": ("volcano: '1.14-hed'\n", 3, 10, "$.volcano", "did you mean '1.14-head'"),
    "no vendor": ('volcano: "1.14+acme"\n', 3, 10, "$.volcano", "each also with +mindcluster, +cce, +hami"),
    "metadata": ("metadata: {name: x}\n", 3, 1, "$.metadata", "name: ..."),
    "list for object": ("expect: []\n", 3, 9, "$.expect", "expected an object, got a list"),
    "object for list": ("nodes: {cpu: 4}\n", 3, 8, "$.nodes", "expected a list, got an object"),
    "text for number": ("nodes: [{count: '3'}]\n", 3, 17, "$.nodes[0].count", "remove the quotes"),
    "number for text": ("name: 5\n", 3, 7, "$.name", "put it in quotes"),
    "list for amount": ("nodes: [{cpu: [4]}]\n", 3, 15, "$.nodes[0].cpu", "expected a number or text, got a list"),
    "negative count": ("nodes: [{count: -1}]\n", 3, 17, "$.nodes[0].count", "expected 0 to 100000"),
    "huge count": ("nodes: [{count: 1000000000}]\n", 3, 17, "$.nodes[0].count", "expected 0 to 100000"),
    "weight": ("queues: [{name: q, weight: -1}]\n", 3, 28, "$.queues[0].weight", "expected 1 to 65535"),
    "missing name": ("queues:\n  - weight: 2\n", 4, 5, "$.queues[0]", "name is missing"),
    "empty name": ("jobs: [{name: ''}]\n", 3, 15, "$.jobs[0].name", "empty"),
    "state": ("queues: [{name: q, state: Close}]\n", 3, 27, "$.queues[0].state", "did you mean 'Closed'?"),
    "boolean as state": ("queues: [{name: q, state: on}]\n", 3, 27, "$.queues[0].state", "expected text, got true"),
    "quantity": ("nodes:\n  - memory: 16GB\n", 4, 13, "$.nodes[0].memory", "did you mean '16G'?"),
    "quantity of a queue": (
        "queues: [{name: q, guarantee: {gpu: x}}]\n",
        *(3, 37, "$.queues[0].guarantee.gpu", "is not a quantity"),
    ),
    "quantity of many pods": ("jobs: [{name: j, replicas: 50, cpu: 1x}]\n", 3, 37, "$.jobs[0].cpu", "not a quantity"),
    "negative quantity": ("nodes: [{count: 5, cpu: -4}]\n", 3, 25, "$.nodes[0].cpu", "less than zero"),
    "quantity beyond counting": (
        "nodes: [{count: 5, cpu: 1e400}]\n",
        3,
        25,
        "$.nodes[0].cpu",
        "more than Kubernetes can count",
    ),
    "resource twice": (
        "nodes: [{gpu: 1, resources: {nvidia.com/gpu: 2}}]\n",
        *(3, 46, '$.nodes[0].resources["nvidia.com/gpu"]', "given twice"),
    ),
    "taint": (
        "nodes: [{taints: [{key: k, effect: NoShedule}]}]\n",
        *(3, 36, "$.nodes[0].taints[0].effect", "did you mean 'NoSchedule'?"),
    ),
    "now": ("now: yesterday\n", 3, 6, "$.now", "expected a time such as"),
    "now without zone": ("now: 2026-01-01T00:00:00\n", 3, 6, "$.now", "expected a time such as"),
    "unknown queue": (
        "queues: [{name: research}]\njobs: [{name: j, queue: reserch}]\n",
        *(4, 25, "$.jobs[0].queue", "did you mean 'research'?"),
    ),
    "unknown priority class": (
        "jobs: [{name: j, priorityClass: x}]\n",
        3,
        33,
        "$.jobs[0].priorityClass",
        "no priority",
    ),
    "two priorities": (
        "priorityClasses: {u: 1}\njobs: [{name: j, priorityClass: u, priority: 5}]\n",
        *(4, 46, "$.jobs[0].priority", "both given"),
    ),
    "unknown node": (NODE + "jobs: [{name: j, running: {nod-0: 1}}]\n", 4, 28, None, "did you mean 'node-0'?"),
    "no room": (NODE + "jobs: [{name: j, cpu: 3, running: 2}]\n", 4, 35, "$.jobs[0].running", "room for 1 of these 2"),
    "too many states": (
        NODE + "jobs: [{name: j, replicas: 1, running: 1, gated: 1}]\n",
        *(4, 28, "$.jobs[0].replicas", "2 pods have a state"),
    ),
    "roles and replicas": (
        "jobs: [{name: j, replicas: 3, roles: [{name: w}]}]\n",
        *(3, 18, "$.jobs[0].replicas", "move it into a role"),
    ),
    "role twice": (
        "jobs: [{name: j, roles: [{name: w}, {name: w}]}]\n",
        *(3, 44, "$.jobs[0].roles[1].name", "role w is given twice"),
    ),
    "job twice": ("jobs: [{name: j}, {name: j}]\n", 3, 26, "$.jobs[1].name", "given twice, first at <stdin>:3"),
    "minResources": ("jobs: [{name: j, minResources: aut}]\n", 3, 32, "$.jobs[0].minResources", "did you mean 'auto'?"),
    "minResources as list": ("jobs: [{name: j, minResources: []}]\n", 3, 32, None, "expected text or an object"),
    "node name": ("jobs: [{name: j, spec: {nodeName: n}}]\n", 3, 35, "$.jobs[0].spec.nodeName", "running: {NODE: 1}"),
    "containers and requests": (
        "jobs: [{name: j, cpu: 1, spec: {containers: []}}]\n",
        *(3, 45, "$.jobs[0].spec.containers", "requests outside of them"),
    ),
    "selector twice": (
        "jobs: [{name: j, nodeSelector: {a: b}, spec: {nodeSelector: {a: c}}}]\n",
        *(3, 61, "$.jobs[0].spec.nodeSelector", "given twice"),
    ),
    "type in a spec": (
        "jobs:\n  - name: j\n    spec:\n      hostNetwork: maybe\n",
        *(6, 20, "$.jobs[0].spec.hostNetwork", "expected true or false"),
    ),
    "toleration": (
        "jobs: [{name: j, tolerations: [{operator: exists}]}]\n",
        *(3, 43, "$.jobs[0].tolerations[0].operator", "did you mean 'Exists'?"),
    ),
    "manifest": (
        "manifests:\n  - {apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: x}}}\n",
        *(4, 80, "$.manifests[0].status.capacity.cpu", "is not a quantity"),
    ),
    "manifest without kind": ("manifests: [{apiVersion: v1}]\n", 3, 13, "$.manifests[0]", "kind is missing"),
    "missing include": ("include: [gone.yaml]\n", 3, 11, "$.include[0]", "there is no file gone.yaml"),
    "included standard input": ("include: '-'\n", 3, 10, "$.include", "standard input cannot be included"),
    "decision": ("expect: {jobs: {j: commited}}\n", 3, 20, "$.expect.jobs.j", "did you mean 'committed'?"),
    "decision as number": ("expect: {jobs: {j: 3}}\n", 3, 20, "$.expect.jobs.j", "expected text or an object, got 3"),
    "status": ("expect: {tasks: {t: {status: Runing}}}\n", 3, 30, "$.expect.tasks.t.status", "did you mean 'Running'?"),
    "tolerance": ("expect: {tolerance: few}\n", 3, 21, "$.expect.tolerance", "expected a percentage such as 1%"),
    "expected quantity": (
        "expect: {queues: {q: {deserved: {memory: 1GB}}}}\n",
        *(3, 42, "$.expect.queues.q.deserved.memory", "did you mean '1G'?"),
    ),
    "expected quantity beyond counting": (
        "expect: {queues: {q: {deserved: {cpu: 1e400}}}}\n",
        *(3, 39, "$.expect.queues.q.deserved.cpu", "more than Kubernetes can count"),
    ),
    "expected share beyond counting": (
        "expect: {queues: {q: {share: 1.0e+400}}}\n",
        *(3, 30, "$.expect.queues.q.share", "expected a number, got the text '1.0e+400'"),
    ),
    "expected share without end": ("expect: {queues: {q: {share: .inf}}}\n", 3, 30, None, "not a number in JSON"),
    "resources within resources": (
        "queues: [{name: q, capability: {resources: x}}]\n",
        *(3, 44, "$.queues[0].capability.resources", "'x' is not a quantity"),
    ),
    "resources within minResources": (
        "nodes: [{cpu: 4}]\njobs: [{name: j, minResources: {resources: x}}]\n",
        *(4, 44, "$.jobs[0].minResources.resources", "'x' is not a quantity"),
    ),
    "many hexadecimal digits": (
        f"nodes: [{{cpu: 0x{'f' * 5000}}}]\n",
        *(3, 15, "$.nodes[0].cpu", "longer than 400 characters"),
    ),
    "many decimal digits": (f"nodes: [{{cpu: {'9' * 5000}}}]\n", 3, 15, "$.nodes[0].cpu", "longer than 400 characters"),
    "many digits for a whole number": (
        f"nodes: [{{count: {'9' * 5000}}}]\n",
        *(3, 17, "$.nodes[0].count", "expected a whole number, got the text"),
    ),
}


@pytest.mark.parametrize(("text", "line", "column", "path", "fragment"), BAD.values(), ids=BAD)
def test_bad_scenario(errors: Errors, *, text: str, line: int, column: int, path: str | None, fragment: str) -> None:
    """Each mistake is told once, with its line, column and path, and what would do."""
    [error] = errors(text)
    assert fragment in f"{error.message} ({error.help})"
    assert (error.line, error.column) == (line, column)
    assert path is None or error.path == path


def test_all_errors_at_once(errors: Errors) -> None:
    """Mistakes that the schema knows are all told, in the order of the text."""
    found = errors("nodes: [{count: x, cpus: 3}]\nqueue: []\nqueues: [{weight: 2}]\njobs: 3\n")
    assert [(each.line, each.code) for each in found] == [
        (3, "wrong-type"),
        (3, "unknown-key"),
        (4, "unknown-key"),
        (5, "missing-value"),
        (6, "wrong-type"),
    ]


def test_all_errors_of_objects_at_once(errors: Errors) -> None:
    """So are those that only show in what the scenario stands for."""
    found = errors(
        "nodes: [{cpu: 1x}, {memory: -1}]\njobs: [{name: a, queue: x}, {name: b, cpu: 2y}]\nexpect: {tolerance: 1%}\n"
    )
    assert sorted((each.line, each.code) for each in found) == [
        (3, "invalid-quantity"),
        (3, "negative-quantity"),
        (4, "invalid-quantity"),
        (4, "unknown-name"),
    ]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("apiVersion: vqs/v2\nkind: Scenario\n", "vqs/v2 is not known; expected vqs/v1"),
        ("apiVersion: vqs/v1\nkind: Scenaro\n", "did you mean 'Scenario'?"),
        ("nodes: [{cpu: 3}]\n", "a scenario begins with apiVersion: vqs/v1 and kind: Scenario"),
        (
            f"{HEAD}now: 2026-01-01T00:00:00Z\n---\n{HEAD}now: 2026-01-02T00:00:00Z\n",
            "another scenario has another now",
        ),
    ],
)
def test_not_a_scenario(tmp_path: Path, text: str, fragment: str) -> None:
    """A wrong version or kind, a forgotten beginning, and two times are refused."""
    file = tmp_path / "scenario.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(file)])
    assert fragment in str(caught.value)


def test_json_scenario(tmp_path: Path) -> None:
    """A scenario may be JSON; keys have their place there too."""
    file = tmp_path / "scenario.json"
    file.write_text('{"apiVersion": "vqs/v1",\n "kind": "Scenario",\n "node": []}', encoding="utf-8")
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(file)])
    [error] = caught.value.diagnostics
    assert (error.line, error.column, error.path) == (3, 2, "$.node")


def test_too_large(errors: Errors) -> None:
    """A scenario that stands for more objects than anybody has is refused, before they are made."""
    [error] = errors("jobs: [{name: j, count: 100000, replicas: 100000}]\n")
    assert (error.line, error.code) == (3, "too-large")


def test_too_many_nodes_for_patterns(errors: Errors) -> None:
    """Patterns that stand for more nodes than anybody has pods are refused, before all of these are counted."""
    jobs = "".join(f"- {{name: j{number}, running: {{node-*: 1}}}}\n" for number in range(1000))
    [error] = errors(f"nodes: [{{count: 1000, cpu: 1}}]\njobs:\n{jobs}")
    assert error.code == "too-large"
    assert error.message.endswith("more than 100,000 nodes for its patterns")


def test_too_deep(tmp_path: Path) -> None:
    """A scenario that is nested without end is refused."""
    file = tmp_path / "scenario.json"
    deep = '{"a":' * 900 + "1" + "}" * 900
    file.write_text('{"apiVersion": "vqs/v1", "kind": "Scenario", "manifests": [' + deep + "]}", encoding="utf-8")
    with pytest.raises(InputErrors, match=r"nested too deeply|is missing"):
        read_manifests([str(file)])


def test_one_error_for_what_is_alike(errors: Errors) -> None:
    """A mistake in one entry is told once, however many objects it stands for."""
    found = errors("nodes: [{count: 50, cpu: x, memory: y}]\njobs: [{name: j, count: 3, replicas: 9, memory: z}]\n")
    assert [each.path for each in found] == ["$.nodes[0].cpu", "$.nodes[0].memory", "$.jobs[0].memory"]


@pytest.mark.parametrize("base", ["queues: [{name: q, wait: 1}]\n", "queues: [{name: q]\n", None])
def test_nothing_follows_from_what_was_not_read(tmp_path: Path, base: str | None) -> None:
    """Where a file cannot be read, it is no error that what it may hold is not there."""
    if base is not None:
        (tmp_path / "base.yaml").write_text(HEAD + base, encoding="utf-8")
    file = tmp_path / "scenario.yaml"
    file.write_text(
        f"{HEAD}include: base.yaml\njobs: [{{name: j, queue: q, priorityClass: p, running: {{n: 1}}}}]\n",
        encoding="utf-8",
    )
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(file)])
    assert len(caught.value.diagnostics) == 1
