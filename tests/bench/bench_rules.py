#!/usr/bin/env python3
"""Print how long a session takes where pods have host ports or rules about other pods, next to one where they do not.

usage: bench_rules.py [--runs N] [--nodes N] [--pending N] [--queues N] [--shared FOLDER]

The cluster is that of FOLDER/bench/make_cluster.py, which has to be there; the jobs stand for 20 applications. Each
variant is measured by bench_session.py.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

SHARED = Path(__file__).resolve().parents[3] / "shared"
APPLICATIONS = 20
JOB = "scheduling.k8s.io/group-name"
ZONE, HOSTNAME = "zone", "kubernetes.io/hostname"

Spec = dict[str, Any]


def ports(spec: Spec, number: int) -> None:
    """Give a pod the host port of its application."""
    spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8000 + number}]


def spread(spec: Spec, number: int) -> None:
    """Spread an application over the zones."""
    rule = {"maxSkew": 5, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    spec["topologySpreadConstraints"] = [{**rule, "labelSelector": selector(number)}]


def preferred_spread(spec: Spec, number: int) -> None:
    """Prefer nodes of zones with few pods of an application."""
    rule = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway"}
    spec["topologySpreadConstraints"] = [{**rule, "labelSelector": selector(number)}]


def affinity(spec: Spec, number: int) -> None:
    """Keep an application in one zone."""
    spec["affinity"] = {"podAffinity": required(ZONE, number)}


def anti_affinity(spec: Spec, number: int) -> None:
    """Place at most one pod of an application on a node."""
    spec["affinity"] = {"podAntiAffinity": required(HOSTNAME, number)}


def required(key: str, number: int) -> dict[str, Any]:
    """Make a required affinity to an application."""
    term = {"topologyKey": key, "labelSelector": selector(number)}
    return {"requiredDuringSchedulingIgnoredDuringExecution": [term]}


def selector(number: int) -> dict[str, Any]:
    """Select the pods of an application."""
    return {"matchLabels": {"app": f"app-{number}"}}


VARIANTS: Final[dict[str, Callable[[Spec, int], None]]] = {
    "plain": lambda _spec, _number: None,
    "host-ports": ports,
    "topology-spread": spread,
    "preferred-topology-spread": preferred_spread,
    "affinity": affinity,
    "anti-affinity": anti_affinity,
}


def write(plain: Path, variant: Callable[[Spec, int], None], path: Path) -> None:
    """Write a dump whose pods have what a variant gives them."""
    dump = json.loads(plain.read_text())
    jobs: dict[str, int] = {}
    for pod in (item for item in dump["items"] if item["kind"] == "Pod"):
        number = jobs.setdefault(pod["metadata"]["annotations"][JOB], len(jobs)) % APPLICATIONS
        pod["metadata"]["labels"] = selector(number)["matchLabels"]
        variant(pod["spec"], number)
    path.write_text(json.dumps(dump))


def main() -> None:
    """Measure every variant and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--pending", type=int, default=10000)
    parser.add_argument("--queues", type=int, default=20)
    parser.add_argument("--shared", type=Path, default=SHARED)
    arguments = parser.parse_args()
    size = [str(arguments.nodes), str(arguments.pending), str(arguments.queues), "0"]
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "cluster.json"
        make = [sys.executable, str(arguments.shared / "bench" / "make_cluster.py"), *size, str(plain)]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - a program of our own
        files = []
        for name, variant in VARIANTS.items():
            files.append(str(Path(folder) / f"{name}.json"))
            write(plain, variant, Path(files[-1]))
        bench = [sys.executable, str(Path(__file__).with_name("bench_session.py")), "--runs", str(arguments.runs)]
        subprocess.run([*bench, *files], check=True)  # noqa: S603 - likewise


if __name__ == "__main__":
    main()
