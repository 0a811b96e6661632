"""The scheduler's loop runs the actions of a configuration in their order, on one session."""

from __future__ import annotations

from tests.build import CONF, NOW, gang, manifests, node, open_session, placements, queue
from vqs.engine import scheduler
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import SessionOptions
from vqs.snapshot.cluster.build import build_cluster


def test_actions_run_in_the_order_of_the_configuration() -> None:
    """Each action decides under its own name, and its time is taken."""
    job = gang("j", 2, phase="Pending", minResources={"cpu": 2})
    session = open_session([node("n1", cpu=2), queue("default"), job])
    finished = scheduler.run_actions(session)
    assert list(finished.seconds) == ["enqueue", "allocate", "backfill"]
    assert [record.action for record in finished.trace.statements] == ["allocate"]
    assert set(placements(finished).values()) == {("Binding", "n1")}


def test_an_action_that_is_configured_twice_runs_twice() -> None:
    """Its seconds are those of both runs."""
    conf = CONF.replace("enqueue, allocate, backfill", "allocate, backfill, allocate")
    session = open_session([node("n1"), queue("default"), gang("j", 1)], conf)
    assert list(scheduler.run_actions(session).seconds) == ["allocate", "backfill"]


def test_closing_lets_the_plugins_finish() -> None:
    """The gang's plugin writes why a job is unschedulable when the session closes, not before."""
    session = open_session([node("n1", cpu=1), queue("default"), gang("j", 2)])
    assert session.unschedulable == {}
    finished = scheduler.run_actions(session)
    assert isinstance(finished, FinishedSession)
    assert list(finished.unschedulable) == ["ns/j"]


def test_sessions_share_no_warnings_of_arguments() -> None:
    """A wrong argument is a warning of each session that is opened on a configuration, and not of the configuration."""
    read = manifests([node("n1")], CONF.replace("name: binpack", 'name: binpack\n    arguments: {binpack.cpu: "5"}'))
    given = SessionOptions(now=NOW)
    sessions = [scheduler.open_session(build_cluster(read), read.scheduler, given) for _ in range(2)]
    assert [[each.code for each in session.notices] for session in sessions] == [["wrong-argument"]] * 2
    options = [option for tier in read.scheduler.tiers for option in tier.plugins]
    assert [option.arguments.warnings for option in options if option.arguments] == [[]]
