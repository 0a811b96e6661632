"""What keeps tasks of a queue waiting agrees with the verdict on them."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.report.queue_reports import report
from vqs.explain.queues.answer import causes
from vqs.explain.queues.outcome import Bound, PendingRole

ROLE = PendingRole(
    job="ns/late",
    queue="research",
    role="worker",
    tasks=2,
    request={"cpu": 4.0},
    bounds=[
        Bound(
            what="realCapability", queue="research", enforced=True, room={"cpu": 0}, beyond={}, tasks=0, resource="cpu"
        ),
        Bound(what="nodes", queue="", enforced=True, room={"cpu": 3}, beyond={}, tasks=1, resource="cpu"),
    ],
    fitting=0,
    limit=0,
    largest={"cpu": 0},
    verdict="",
)
"""Tasks that neither the queue nor the nodes have room for, once reclaim has pipelined others to the queue."""


@pytest.mark.parametrize(
    ("verdict", "queue", "said"),
    [
        ("no-node-fits", "", "no suitable node has"),
        ("fragmented", "", "no suitable node has"),
        ("queue-capability", "research", "queue research has no cpu left of its limit"),
        ("gang-discarded", "research", "queue research has no cpu left of its limit"),
        ("gang-too-small", "", "2 tasks of ns/late wait: the job has fewer pods than its gang needs"),
    ],
)
def test_the_cause_is_what_the_verdict_is_about(verdict: str, queue: str, said: str) -> None:
    """Of several limits that are reached when the session is over, the one counts that kept the tasks waiting."""
    explained = report("first-look", "research").explained
    assert explained is not None
    [cause] = causes(structs.replace(explained, pending=[structs.replace(ROLE, verdict=verdict)]))
    assert (cause.code, cause.queue) == (verdict, queue)
    assert said in cause.text
