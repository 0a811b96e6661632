"""A newer release that places a job is named, with the behaviour that makes the difference."""

from __future__ import annotations

import pytest

from tests.build import CONF, gang, manifests, node, queue
from tests.explain.jobs.searching import find_remedies
from vqs.explain.jobs.remedies import NewerRelease
from vqs.explain.jobs.report import UnknownJob, explain_job
from vqs.explain.simulate import SimulateOptions

GROUPS = """  - name: nodegroup
    arguments:
      strict: "false"
"""


def test_a_newer_release() -> None:
    """Quotation marks around a boolean are read by v1.15 alone; the release is not looked for where none helps."""
    objects = [node("n", cpu=4), *gang("job", 1)]
    found = find_remedies(manifests(objects, CONF + GROUPS), SimulateOptions(), "ns/job").newer
    assert isinstance(found, NewerRelease)
    assert (found.volcano, found.pods, found.behaviours) == ("1.15", 1, ["text-as-boolean"])
    assert not find_remedies(manifests([node("n", cpu=1), *gang("job", 2)], CONF), SimulateOptions(), "ns/job").newer


def test_a_queue_that_does_not_exist() -> None:
    """What becomes of the job in the queue that is meant is proven, and told with the command."""
    read = manifests([node("n"), queue("research"), *gang("job", 2, queue="reserch")])
    with pytest.raises(UnknownJob, match="in queue research, 2 of its 2 pods start: kubectl patch podgroup job -n ns"):
        explain_job(read, SimulateOptions(), "ns/job")
