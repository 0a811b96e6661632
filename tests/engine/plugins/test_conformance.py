"""conformance spares what keeps the cluster itself running."""

from __future__ import annotations

from tests.build import pod
from tests.engine.crowds import running
from tests.engine.plugins.votes import WANT, ask, outcome


def test_conformance_spares_what_keeps_the_cluster_running() -> None:
    """Pods of two priority classes, and all of a namespace."""
    critical = pod("held-a", "held", node="n1", spec={"priorityClassName": "system-node-critical"})
    plain = pod("held-b", "held", node="n1")
    names, codes = outcome(ask("conformance", WANT, running("held"), critical, plain))
    assert (names, codes) == (["held-b"], ["critical-pod"])
    objects = [*running("sys"), pod("sys-0", "sys", node="n1")]
    for each in objects:
        each["metadata"]["namespace"] = "kube-system"
    assert outcome(ask("conformance", WANT, objects, of="kube-system/sys")) == ([], ["critical-pod"])
