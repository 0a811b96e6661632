"""The clusters and the commands that are measured, and what is known of each."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

Plain = dict[str, Any]
Change = Callable[[Plain, int], None]
"""Changes a pod, given its number."""
Remake = Callable[[Plain], None]
"""Changes a cluster as a whole."""

ROOT: Final = Path(__file__).resolve().parents[2]
SHARED: Final = ROOT.parent / "shared"


@dataclass(frozen=True)
class Dump:
    """A cluster that is measured.

    Attributes:
        name: what the table calls it.
        generator: the program in the folder bench that writes it, and what it is called with; empty for others.
        remake: what is changed in it; None for what the generator writes.
        bound: about how many placements the session makes, for the bare array work beside it.
        nodes: how many nodes it has.
        real: the seconds that a session of the real scheduler took, from and to, where they were recorded.
        aim: the seconds that a session is to take at most, where there is such an aim.
    """

    name: str
    generator: tuple[str, ...] = ()
    remake: Remake | None = None
    bound: int = 0
    nodes: int = 0
    real: tuple[float, float] | None = None
    aim: float | None = None
    whole: dict[str, float] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the cluster into a folder, unless it is there."""
        file = folder / f"{self.name.replace(' ', '-')}.json"
        if not file.exists():
            self._write(file)
        return file

    def _write(self, file: Path) -> None:
        if not self.generator:
            file.write_bytes(gzip.decompress((SHARED / "trace" / "openb.json.gz").read_bytes()))
            return
        program, *arguments = self.generator
        command = [sys.executable, str(SHARED / "bench" / program), *arguments, str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - a program of this project
        if self.remake is not None:
            cluster = json.loads(file.read_bytes())
            self.remake(cluster)
            file.write_text(json.dumps(cluster), encoding="utf-8")


def _each_waiting(change: Change) -> Remake:
    """Return a function that changes the pods that wait in a cluster."""

    def remake(cluster: Plain) -> None:
        for number, pod in enumerate(_waiting(cluster)):
            change(pod, number)

    return remake


def _waiting(cluster: Plain) -> Iterator[Plain]:
    yield from (each for each in cluster["items"] if each["kind"] == "Pod" and "nodeName" not in each["spec"])


def _spread(pod: Plain, number: int) -> None:
    """Spread the pods of every tenth of them over zones."""
    group = f"g{number % 10}"
    pod["metadata"]["labels"] = {"group": group}
    pod["spec"]["topologySpreadConstraints"] = [
        {
            "maxSkew": 200,
            "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"group": group}},
        }
    ]


def _prefer_spread(pod: Plain, number: int) -> None:
    """Prefer zones with few pods of every tenth of them."""
    _spread(pod, number)
    pod["spec"]["topologySpreadConstraints"][0] |= {"maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}


def _apart(pod: Plain, number: int) -> None:
    """Keep pods off the nodes of others of their group, of which there are ten."""
    group = f"g{number // 10}"
    pod["metadata"]["labels"] = {"group": group}
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"group": group}}}
    pod["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _near(pod: Plain, number: int) -> None:
    """Have pods prefer the nodes of others of their group."""
    group = f"g{number % 10}"
    pod["metadata"]["labels"] = {"group": group}
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"group": group}}}
    pod["spec"]["affinity"] = {
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 10, "podAffinityTerm": term}]}
    }


def _with_port(pod: Plain, number: int) -> None:
    """Have pods take a port of their host."""
    pod["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 30_000 + number % 200}]


def _of_kind(cluster: Plain, kind: str) -> list[Plain]:
    return [each for each in cluster["items"] if each["kind"] == kind]


def _in_hierarchy(cluster: Plain) -> None:
    """Put the queues under four others, which the plugin capacity shares the cluster among."""
    [configured] = _of_kind(cluster, "ConfigMap")
    hierarchical = "  - name: capacity\n    enabledHierarchy: true"
    for key, text in configured["data"].items():
        configured["data"][key] = text.replace("  - name: proportion", hierarchical)
    queues = _of_kind(cluster, "Queue")
    for number, queue in enumerate(queues):
        queue["spec"]["parent"] = f"department-{number % 4}"
    for number in range(4):
        name = f"department-{number}"
        above = {"metadata": {"name": name, "uid": name}, "spec": {"parent": "root", "reclaimable": True}}
        cluster["items"].append({**queues[0], **above})


def _in_network(cluster: Plain) -> None:
    """Make a network of racks of twenty nodes, ten to a block, and have each waiting gang keep to a block."""
    [configured] = _of_kind(cluster, "ConfigMap")
    for key, text in configured["data"].items():
        configured["data"][key] = f"{text}  - name: network-topology-aware\n"
    racks: dict[str, list[str]] = {}
    for number, node in enumerate(_of_kind(cluster, "Node")):
        racks.setdefault(f"rack-{number // 20}", []).append(node["metadata"]["name"])
    blocks: dict[str, list[str]] = {}
    for number, rack in enumerate(racks):
        blocks.setdefault(f"block-{number // 10}", []).append(rack)
    cluster["items"] += [_hyper_node(name, 1, "Node", members) for name, members in racks.items()]
    cluster["items"] += [_hyper_node(name, 2, "HyperNode", members) for name, members in blocks.items()]
    for group in _of_kind(cluster, "PodGroup"):
        if group["status"]["phase"] == "Pending":
            group["spec"]["networkTopology"] = {"mode": "hard", "highestTierAllowed": 2}


def _hyper_node(name: str, tier: int, kind: str, members: list[str]) -> Plain:
    return {
        "apiVersion": "topology.volcano.sh/v1alpha1",
        "kind": "HyperNode",
        "metadata": {"name": name, "uid": name},
        "spec": {
            "tier": tier,
            "members": [{"type": kind, "selector": {"exactMatch": {"name": each}}} for each in members],
        },
    }


_THOUSAND: Final = ("make_cluster.py", "1000", "10000", "20", "0")

DUMPS: Final = {
    dump.name: dump
    for dump in (
        Dump("1,000 x 10,000", _THOUSAND, bound=9_356, nodes=1_000, real=(36, 36), aim=0.4, whole={"simulate": 1.0}),
        Dump(
            "5,000 x 50,000",
            ("make_cluster.py", "5000", "50000", "50", "0"),
            bound=50_000,
            nodes=5_000,
            real=(303, 553),
            aim=2.5,
            whole={"simulate": 5.0},
        ),
        Dump(
            "4,000 x 10,000 and 130,000 running",
            ("make_cluster.py", "4000", "10000", "50", "130000"),
            bound=10_000,
            nodes=4_000,
            real=(115, 115),
            aim=1.0,
            whole={"simulate": 4.5},
        ),
        Dump("public trace", bound=7_632, nodes=1_523, real=(49, 52), aim=0.5),
        Dump("preempt 1,000 x 500", ("make_crowded.py", "1000", "500", "8", "preempt"), real=(5.3, 6.0), aim=0.1),
        Dump("reclaim 1,000 x 500", ("make_crowded.py", "1000", "500", "8", "reclaim"), real=(0.6, 0.7), aim=0.1),
        Dump("topology spread 1,000 x 10,000", _THOUSAND, _each_waiting(_spread), bound=9_356, nodes=1_000),
        Dump("preferred spread 1,000 x 10,000", _THOUSAND, _each_waiting(_prefer_spread), bound=9_356, nodes=1_000),
        Dump("pod anti-affinity 1,000 x 10,000", _THOUSAND, _each_waiting(_apart), bound=9_356, nodes=1_000),
        Dump("pod affinity 1,000 x 10,000", _THOUSAND, _each_waiting(_near), bound=9_356, nodes=1_000),
        Dump("host ports 1,000 x 10,000", _THOUSAND, _each_waiting(_with_port), bound=9_356, nodes=1_000),
        Dump("hierarchical capacity 1,000 x 10,000", _THOUSAND, _in_hierarchy, bound=9_356, nodes=1_000),
        Dump(
            "HyperNodes 1,000 x 1,000",
            ("make_cluster.py", "1000", "1000", "20", "0"),
            _in_network,
            bound=1_000,
            nodes=1_000,
        ),
        Dump("2,000 x 10,000", ("make_cluster.py", "2000", "10000", "20", "0"), bound=10_000, nodes=2_000),
        Dump("2,000 x 20,000", ("make_cluster.py", "2000", "20000", "20", "0"), bound=18_700, nodes=2_000),
    )
}
"""The clusters, by name."""

REMEDIES: Final = Dump("remedies", ("make_cluster.py", "200", "2500", "10", "3000"), nodes=200)
"""The cluster in which remedies are searched, and one of the jobs that has no place in it."""
JOB_WITHOUT_PLACE: Final = "ns/job-00250"

JOB_OF_A_FULL_QUEUE: Final = "ns/job-00006"
"""A job of the cluster of 1,000 nodes and 10,000 pods whose queue holds what it deserves."""

SWEPT: Final = Dump("swept", ("make_cluster.py", "200", "400", "10", "3600"), nodes=200)
"""The cluster whose variants a sweep runs: 200 nodes and 4,000 pods, a tenth of which wait."""

QUICK: Final = ("1,000 x 10,000", "public trace", "preempt 1,000 x 500", "reclaim 1,000 x 500")
