"""How long looking for faults takes; prints figures and asserts nothing.

usage: python tests/bench/bench_lint.py FILE...
       python tests/bench/bench_lint.py --made     a dump of 25 MB, made for the purpose
"""

import io
import json
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vqs.lint.run import LintOptions, lint
from vqs.report.formats import View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.missing_kinds import LenientRead
from vqs.snapshot.reading.reader import read_leniently

NODES, JOBS, PODS, QUEUES = 2000, 2500, 10, 50


def main(arguments: list[str]) -> None:
    """Lint each file on its own, then print the peak of memory."""
    if arguments == ["--made"]:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*_objects()]})
        _measure("made dump", len(text), lambda: read_leniently(["-"], stdin=io.BytesIO(text.encode())))
    else:
        for path in arguments:
            _measure(path, Path(path).stat().st_size, lambda path=path: read_leniently([path]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB")  # noqa: T201


def _measure(name: str, size: int, read: Any) -> None:
    started = time.perf_counter()
    lenient_read: LenientRead = read()
    parsed = time.perf_counter()
    result = lint(lenient_read, LintOptions())
    looked = time.perf_counter()
    for chosen in formats_of("Lint"):
        write(result, chosen, View())
    written = time.perf_counter()
    print(  # noqa: T201
        f"{name}: {size / 1e6:.1f} MB, {len(result.findings)} findings; read {parsed - started:.2f} s, "
        f"rules and places {looked - parsed:.2f} s, all formats {written - looked:.2f} s"
    )


def _objects() -> Iterator[dict[str, Any]]:
    """Yield a cluster in which every tenth node is cordoned, and every fifth job is on a queue that is not there."""
    for number in range(NODES):
        amounts = {"cpu": "32", "memory": "128Gi", "pods": "110"}
        spec = {"unschedulable": True} if number % 10 == 0 else {}
        yield {
            **_named("v1", "Node", f"node-{number}", labels={"zone": f"z{number % 3}"}),
            "spec": spec,
            "status": {"allocatable": amounts, "capacity": amounts, "images": [{"names": [f"image-{number}" * 20]}]},
        }
    for number in range(QUEUES):
        yield {**_named("scheduling.volcano.sh/v1beta1", "Queue", f"queue-{number}"), "spec": {"weight": 1}}
    for number in range(JOBS):
        queue = f"queue-{number % QUEUES}" if number % 5 else "nowhere"
        yield {
            **_named("scheduling.volcano.sh/v1beta1", "PodGroup", f"job-{number}", namespace="team"),
            "spec": {"queue": queue, "minMember": PODS},
            "status": {"phase": "Pending"},
        }
        yield from (_pod(number, index) for index in range(PODS))


def _pod(job: int, index: int) -> dict[str, Any]:
    requests = {"cpu": "2", "memory": "4Gi"}
    annotations = {"scheduling.k8s.io/group-name": f"job-{job}"}
    environment = [{"name": f"VARIABLE_{number}", "value": "value" * 4} for number in range(12)]
    return {
        **_named("v1", "Pod", f"job-{job}-worker-{index}", namespace="team", annotations=annotations),
        "spec": {
            "schedulerName": "volcano",
            "containers": [
                {"name": "main", "image": "busybox", "env": environment, "resources": {"requests": requests}}
            ],
        },
        "status": {"phase": "Pending"},
    }


def _named(api_version: str, kind: str, name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **metadata}}


if __name__ == "__main__":
    main(sys.argv[1:])
