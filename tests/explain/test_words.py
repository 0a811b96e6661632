"""What is said of jobs and queues stands in the document, and is added to a document that lacks it."""

from __future__ import annotations

import json

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.report.writers import as_json
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.report.formats import View
from vqs.report.saved import read_result


def session() -> Simulation:
    """Return a session in which one job runs, and one waits."""
    objects = [node("a", cpu=2), queue("default"), queue("idle"), group("j", 1, "Running"), pod("j-0", "j", node="a")]
    return simulate(manifests([*objects, gang("new", 2)], CONF), SimulateOptions())


def test_a_document_says_what_became_of_a_job_and_why() -> None:
    """It is what tables show."""
    jobs = {job.name: job for job in session().jobs}
    assert (jobs["j"].says, jobs["j"].waits, jobs["j"].reason) == ("nothing waits", False, "")
    assert (jobs["new"].says, jobs["new"].decision, jobs["new"].waits) == ("", "discarded", True)
    assert jobs["new"].reason.startswith("cluster-full: ")


def test_a_document_of_before_is_told_as_one_of_today() -> None:
    """Tables and pages of one that says nothing of its jobs and queues are the same."""
    result = session()
    before = json.loads(as_json(result, View()))
    for job in before["jobs"]:
        for name in ("says", "waits", "reason"):
            job.pop(name, None)
    for each in before["queues"]:
        del each["facts"]
    read = read_result(json.dumps(before).encode())
    assert read == result
