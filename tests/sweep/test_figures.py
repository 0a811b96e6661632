"""The figures of a point: those that a comparison knows are the same, whatever they are read of."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import Object, gang, job_task, manifests, node, stored_job
from tests.clusters import clusters
from tests.properties import examples
from tests.sweep.conftest import RECLAIM
from vqs.diff.compare import figures
from vqs.diff.conditions import ConditionError, Measured
from vqs.diff.figures import DIFFERENCES, Kind, queue_figure
from vqs.diff.jobs import job_side
from vqs.diff.queues import sides_in
from vqs.diff.run import Input, Run, opened, run_both
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.edits import parse_edits
from vqs.sweep.figures import EVALUATIONS, PLANS, Subject, figure_of, observe

FOLDER = Path(__file__).parents[2] / "scenarios"
SCENARIOS = (
    "first-look",
    "gang-of-roles",
    "hdrf-tree",
    "pipelined-gang",
    "preempt-higher-priority",
    "reclaim-from-overused",
    "share-of-nothing",
    "gated",
    "queue-closed",
    "shuffle-busy-node",
    "not-enqueued-quota",
)


@cache
def read(name: str) -> Manifests:
    """Read a bundled scenario."""
    return read_manifests([str(FOLDER / f"{name}.yaml")])


def subject_of(snapshot: Manifests, *edits: str, cycles: int = 5) -> Subject:
    """Prepare a point of a snapshot."""
    options = SimulateOptions()
    _, after = parse_edits(edits, snapshot)
    return Subject(snapshot, after, options, cycles, lambda: observe(snapshot, options).evicted)


def measured(subject: Subject, text: str) -> Measured:
    """Return a figure of a point."""
    figure = figure_of(text)
    return figure.of_point(EVALUATIONS[figure.kind.run](subject))


def of(what: str) -> list[Kind]:
    """Return the figures that comparisons read of a side: of the cluster, of a resource, a queue or a job."""
    return [each for each in DIFFERENCES.values() if each.of == what and each.has_base]


def read_of(kind: Kind, side: object) -> float | None:
    """Return a figure as a comparison reads it."""
    assert kind.read is not None
    return kind.read(side)


def totals(known: object) -> dict[str, float | None]:
    """Return the figures of the cluster as a comparison reads them."""
    return {each.name: read_of(each, known) for each in of("")}


def same(one: Measured, other: float | None) -> bool:
    """Tell whether two figures are the same; what is not known is as unknown as anything else."""
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other):
        return True
    return one == other


@cache
def compared(name: str) -> Run:
    """Return the run of a scenario as a comparison makes it."""
    side = Input(name, read(name))
    options = SimulateOptions()
    return run_both((side, side), (opened(side, options), opened(side, options)))[1]


@pytest.mark.parametrize("name", SCENARIOS)
def test_figures_of_a_session(name: str) -> None:
    """The figures of tasks, shares and resources are those of a comparison."""
    run, subject = compared(name), subject_of(read(name))
    known = figures(run)
    wanted = totals(known)
    assert {text: measured(subject, text) for text in wanted} == pytest.approx(wanted, nan_ok=True)
    assert measured(subject, "running") == known.running
    assert measured(subject, "evicted") == known.evicted
    for each in known.utilisation:
        for part in of("resource"):
            assert measured(subject, f"{part.name}.{each.resource}") == read_of(part, each)


@pytest.mark.parametrize("name", SCENARIOS)
def test_figures_of_queues_and_jobs(name: str) -> None:
    """The figures of each queue and job are those of a comparison."""
    run, subject = compared(name), subject_of(read(name))
    shares_known = figures(run).share_spread is not None
    for queue, side in sides_in(run.session, run.simulation.queues).items():
        for field in (each.name for each in of("queue") if each.unit == "amount"):
            wanted = queue_figure(side, field, "cpu", shares_known=shares_known)
            assert same(measured(subject, f"queue:{queue}.{field}.cpu"), wanted)
        assert same(measured(subject, f"queue:{queue}.share"), queue_figure(side, "share", shares_known=shares_known))
    for job in run.jobs.values():
        found = job_side(run, job.uid)
        assert found is not None
        for kind in of("job"):
            assert measured(subject, f"job:{job.called}.{kind.name}") == read_of(kind, found)
        assert measured(subject, f"job:{job.called}.decision") == job.decision
        assert measured(subject, f"job:{job.called}.verdict") == (job.verdict.code if job.verdict else "")


def test_figures_of_several_sessions() -> None:
    """Pods that controllers create after a session count as a comparison counts them, and so do those that never are.

    The job new is admitted, and its pods are tried in the second session; the job late is not admitted.
    """
    objects = [
        node("n", cpu=4),
        *gang("old", 1),
        *stored_job("new", job_task(replicas=3, cpu=2), minimum=1),
        *stored_job("late", job_task(replicas=9), minimum=9),
    ]
    snapshot = manifests(objects)
    side, options = Input("", snapshot), SimulateOptions()
    run = run_both((side, side), (opened(side, options), opened(side, options)))[0]
    subject = subject_of(snapshot)
    assert len(subject.after.finished) == len(run.sessions) == 2
    known = figures(run)
    wanted = totals(known)
    assert {text: measured(subject, text) for text in wanted} == wanted
    assert known.pending > 9
    for job in run.jobs.values():
        found = job_side(run, job.uid)
        assert found is not None
        for kind in of("job"):
            assert measured(subject, f"job:{job.called}.{kind.name}") == read_of(kind, found), kind.name
    states = ("placed", "pipelined", "pending", "evicted")
    assert [measured(subject, f"queue:default.{state}") for state in states] == [2, 0, 11, 0]


@settings(max_examples=examples(20))
@given(clusters(), st.booleans())
def test_figures_of_random_clusters(objects: list[Object], late: bool) -> None:
    """Whatever there is in a cluster, tasks are counted as a comparison counts them, in one session or in several."""
    more = stored_job("late", job_task(), minimum=1, queue="q0") if late else []
    snapshot = manifests([*objects, *more], RECLAIM)
    side, options = Input("", snapshot), SimulateOptions()
    run = run_both((side, side), (opened(side, options), opened(side, options)))[0]
    subject, known = subject_of(snapshot), figures(run)
    wanted = totals(known)
    assert {text: measured(subject, text) for text in wanted} == pytest.approx(wanted, nan_ok=True)
    assert (measured(subject, "running"), measured(subject, "evicted")) == (known.running, known.evicted)
    assert len(subject.after.evicted) == known.evicted


def test_evictions_are_those_that_the_base_does_not_have(folder: Path) -> None:
    """A task that is evicted in the base, too, is no eviction of the point, and is evicted all the same."""
    snapshot = read_manifests([str(folder / "snapshot.json")])
    same_again = subject_of(snapshot)
    assert measured(same_again, "evicted") == 2
    assert measured(same_again, "evictions") == 0
    more = subject_of(snapshot, "queue/b.spec.weight=3")
    assert measured(more, "evicted") == 3
    assert measured(more, "evictions") == 1
    assert measured(more, "queue:a.evicted") == 3
    assert measured(more, "queue:b.evicted") == 0


def test_figures_of_a_difference(folder: Path) -> None:
    """What only a comparison knows is read of one."""
    subject = subject_of(read_manifests([str(folder / "snapshot.json")]), "queue/b.spec.weight=3")
    assert measured(subject, "losers") == 1
    assert measured(subject, "share-loss") == 0.5
    assert measured(subject, "findings") == 0


def test_start_cycle() -> None:
    """The first cycle after which a gang runs is found; a job that never starts has no such number."""
    assert measured(subject_of(read("pipelined-gang")), "job:default/gang.startCycle") == 2
    assert measured(subject_of(read("pipelined-gang"), cycles=1), "job:default/gang.startCycle") == math.inf


def test_names_that_are_missing_at_a_point() -> None:
    """A queue or job that a point does not have has none of anything, as in a comparison."""
    subject = subject_of(read("first-look"), "remove job/research/llama-finetune")
    assert measured(subject, "job:research/llama-finetune.placed") == 0
    assert measured(subject, "job:research/llama-finetune.verdict") is None
    assert measured(subject, "queue:none.placed") == 0
    assert measured(subject, "queue:none.allocated.cpu") == 0


@pytest.mark.parametrize(
    ("text", "key", "missing"),
    [
        ("placed", "placed", "unknown"),
        ("utilisation.nvidia.com/gpu", "utilisation", "unknown"),
        ("queue:a.b.capability.memory", "queue.capability", "unlimited"),
        ("job:ns/a.b.startCycle", "job.startCycle", "never"),
        ("job:ns/a.verdict", "job.verdict", "missing"),
    ],
)
def test_families(text: str, key: str, missing: str) -> None:
    """Each figure has a family, which says what null means."""
    figure = figure_of(text)
    assert (figure.kind.key, figure.kind.missing) == (key, missing)


def test_every_figure_of_the_language_can_be_read() -> None:
    """No figure is in a table without what reads it, and what it means; each evaluation is there for some."""
    assert all(each.read is not None and each.means for each in DIFFERENCES.values())
    assert all(each.read_point is not None and each.means for each in PLANS.values())
    assert DIFFERENCES.keys() <= PLANS.keys()
    assert {each.run for each in PLANS.values()} == EVALUATIONS.keys()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("plcaed", "did you mean 'placed'?"),
        ("queue:a.evictd", "did you mean 'evicted'?"),
        ("queue:a.evicted.cpu", "a number, not one for each resource"),
        ("node:a.placed", "queue:, priority: or job:"),
        ("job:a.startCycle>2", "'startCycle>2' is no figure of a job"),
        ("", "there is no figure ''"),
        ("utilisation", "'utilisation' is that of a resource (write utilisation.cpu)"),
        ("replay.used.", "'replay.used' is that of a resource (write replay.used.cpu)"),
        ("replay.wiat.p95", "did you mean 'replay.wait.p95'?"),
        ("queue:a.wait", "admission.…, wait.…, completion.…, slowdown.…, started"),
    ],
)
def test_unknown_figures(text: str, message: str) -> None:
    """A figure that there is not is refused, and the one that was meant is named."""
    with pytest.raises(ConditionError) as refused:
        figure_of(text)
    assert message in str(refused.value)


def test_units() -> None:
    """A figure knows whether it is a part of a whole, a text, or an amount of a resource."""
    units = {
        text: (figure.kind.unit, figure.resource, [*figure.resources])
        for text in ("spread", "queue:a.share", "queue:a.deserved.cpu", "job:a.verdict", "stranded.memory", "evictions")
        for figure in [figure_of(text)]
    }
    assert units == {
        "spread": ("part", "", []),
        "queue:a.share": ("part", "", []),
        "queue:a.deserved.cpu": ("amount", "cpu", ["cpu"]),
        "job:a.verdict": ("text", "", []),
        "stranded.memory": ("part", "", ["memory"]),
        "evictions": ("count", "", []),
    }
