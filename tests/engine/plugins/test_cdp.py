"""cdp protects pods for a while after they were given their node."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.build import NOW, pod
from tests.engine.crowds import running
from tests.engine.plugins.votes import WANT, ask, with_plugin


def cooling(name: str, time: str, minutes: int, **more: Any) -> Any:
    """Make a running pod of `held` with a cooldown time, that was given its node some minutes ago."""
    made = pod(name, "held", node="n1", annotations={"volcano.sh/cooldown-time": time}, **more)
    when = (NOW - timedelta(minutes=minutes)).isoformat()
    made["status"]["conditions"] = [{"type": "PodScheduled", "status": "True", "lastTransitionTime": when}]
    return made


@pytest.mark.parametrize(
    ("made", "goes"),
    [
        (cooling("held-0", "10m", 9), False),
        (cooling("held-0", "10m", 10), True),
        (cooling("held-0", "10m", 11), True),
        (cooling("held-0", "ten", 1), True),
        (cooling("held-0", "1m", 5, labels={"volcano.sh/cooldown-time": "1h"}), False),
        (cooling("held-0", "10m", 1, phase="Pending"), True),
        (pod("held-0", "held", node="n1", annotations={"volcano.sh/cooldown-time": "10m"}), True),
        (pod("held-0", "held", node="n1"), True),
    ],
)
def test_cdp_protects_running_pods_for_a_while(made: Any, goes: bool) -> None:
    """From when they were given their node; a label goes before an annotation, and what is no duration is none."""
    votes = ask("cdp", WANT, running("held"), made, conf=with_plugin("cdp"))
    assert bool(votes.tasks) is goes
    assert {refusal.code for refusal in votes.spared.values()} == (set() if goes else {"cooling-down"})


def test_cdp_tells_until_when() -> None:
    """In the refusal."""
    votes = ask("cdp", WANT, running("held"), cooling("held-0", "10m", 9), conf=with_plugin("cdp"))
    [refusal] = votes.spared.values()
    assert refusal.text == "2026-01-01T00:01:00Z"
