"""The language of --fail-on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import CONF, Object, gang, group, node, pod, queue
from tests.diff.sides import diff
from tests.explain.test_cycles import BREAKING_GANGS, VOLCANO, crowded, volcano_job
from vqs.diff.conditions import ConditionError, parse_conditions
from vqs.diff.figures import DIFFERENCES

MANY = [*gang("a", 8, 1, queue="a"), *gang("b", 8, 1, queue="b")]
BEFORE = [node("n1", cpu=8), queue("a"), queue("b"), *MANY]
AFTER = [node("n1", cpu=8), queue("a", 3), queue("b"), *MANY]


def failed(text: str) -> list[str]:
    """Return what makes conditions hold between the two clusters."""
    return [each.text for each in diff(BEFORE, AFTER, fail_on=parse_conditions(text), lint=False).failures]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("evictions", False),
        ("unplaced", True),
        ("unplaced>1", False),
        ("unplaced>=1", True),
        ("losers=1", True),
        ("losers==1", True),
        ("losers!=1", False),
        ("jobs<2", False),
        ("waits,removed,settings,findings,errors,moved", False),
        ("share>0.1", False),
        ("share<=10%", True),
        ("spread>=0", True),
        ("pending>base", False),
        ("placed<base", False),
        ("pending>=base", True),
        ("gangs<2", False),
        ("pipelined>0", False),
        ("utilisation.cpu<70%", False),
        ("utilisation.cpu>=1", True),
        ("stranded.memory>=0", True),
        ("queue:b.allocated.cpu<base", True),
        ("queue:b.allocated.cpu<2", False),
        ("queue:b.allocated.memory<3Gi", True),
        ("queue:a.deserved.cpu=6", True),
        ("queue:a.capability.cpu>1k", True),
        ("queue:a.share<1", False),
        ("job:ns/b.placed<base", True),
        ("job:ns/b.pending>2", True),
        ("job:ns/a.evicted>0", False),
        (" queue:b.allocated.cpu < 4 ", True),
    ],
)
def test_what_holds(text: str, holds: bool) -> None:
    """A condition compares a figure with a value, or with the same figure in the base."""
    assert bool(failed(text)) == holds


def test_what_is_said() -> None:
    """It is said what the figure is, what it was, and what it must not be."""
    assert failed("unplaced, queue:b.allocated.cpu<base") == [
        "1 unplaced job",
        "queue:b.allocated.cpu is 2 (it was 4), and must not be < 4",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("share>=0%", "change of share is 0% (queue a: 100% → 100%), and must not be >= 0%"),
        ("queue:b.allocated.memory<3Gi", "queue:b.allocated.memory is 2Gi (it was 4Gi), and must not be < 3Gi"),
        ("queue:b.allocated.cpu<2500m", "queue:b.allocated.cpu is 2000m (it was 4000m), and must not be < 2500m"),
        ("queue:a.capability.cpu>1k", "queue:a.capability.cpu is unlimited (it was unlimited), and must not be > 1k"),
        ("utilisation.cpu>=50%", "utilisation.cpu is 100% (it was 100%), and must not be >= 50%"),
    ],
)
def test_units(text: str, said: str) -> None:
    """What is said has the unit of the value that was given, and names the queue whose share changes most."""
    assert failed(text) == [said]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("job:ns/b.placed<base", True),
        ("job:ns/b.placed>0", False),
        ("job:ns/c.placed>base", True),
        ("queue:b.share<1", True),
        ("queue:b.share<base", True),
        ("queue:b.allocated.cpu=0", True),
        ("queue:c.allocated.cpu>base", True),
        ("unplaced=1", True),
        ("removed=2", True),
    ],
)
def test_what_only_one_side_has(text: str, holds: bool) -> None:
    """A job or a queue that is missing counts as nothing, and a job that is gone with its places as unplaced."""
    rest = [node("n1", cpu=8), queue("a"), *gang("a", 2, 1, queue="a")]
    large = gang("large", 9, 9, queue="b")
    before = [*rest, queue("b"), *gang("b", 2, 1, queue="b"), *large]
    after = [*rest, queue("c"), *gang("c", 2, 1, queue="c")]
    result = diff(before, after, fail_on=parse_conditions(text), lint=False)
    assert bool(result.failures) == holds


@pytest.mark.parametrize(
    ("after", "jobs"),
    [
        (gang("a", 4, 1), 0),
        (gang("a", 3, 1), 1),
        ([], 1),
        ([*gang("a", 3, 1), *gang("b", 1, 1)], 1),
        (gang("a", 5, 1), 0),
    ],
)
def test_what_is_taken_away(after: list[Object], jobs: int) -> None:
    """A job counts as removed that is gone, that is scaled down, or that loses a pod to another one."""
    rest = [node("n1", cpu=8), queue("q")]
    result = diff([*rest, *gang("a", 4, 1)], [*rest, *after], fail_on=parse_conditions("removed"), lint=False)
    assert [each.text for each in result.failures] == [f"removed is {jobs}"] * (jobs > 0)


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("", "a condition is missing here", 0),
        ("evictions,", "a condition is missing here", 10),
        ("evictions, evictons", "there is no figure 'evictons' (did you mean 'evictions'?)", 11),
        ("share", "'share' has to be compared with something (write share>0.1)", 5),
        ("share>", "a value is missing (a number, 10%, 20Gi or base)", 6),
        ("share>lots", "'lots' is no value", 6),
        ("share>nan%", "'nan%' is no value", 6),
        ("share>1e400", "'1e400' is no value", 6),
        ("pending>bose", "'bose' is no value (did you mean 'base'?)", 8),
        ("share>base", "'share' is a figure of the difference, and the base has none", 6),
        ("utilisation>1", "'utilisation' is that of a resource (write utilisation.cpu)", 11),
        ("quue:b.share>1", "there is nothing called 'quue:' (did you mean 'queue'?)", 0),
        ("queue:b>1", "it is not said which figure of the queue", 7),
        ("queue:b.alocated.cpu>1", "'alocated.cpu' is no figure of a queue (did you mean 'allocated'?)", 8),
        ("queue:b.allocated>1", "'allocated' is that of a resource (write queue:b.allocated.cpu)", 17),
        ("queue:b.share.cpu>1", "'share' is a number, not one for each resource", 13),
        ("job:ns/a.placed.cpu>1", "'placed' is a number, not one for each resource", 15),
        ("share>20", "share is a part of the whole, and 20 is more than that (write 20%)", 6),
        ("spread>5", "spread is a part of the whole, and 5 is more than that (write 5%)", 7),
        ("utilisation.cpu<70", "utilisation is a part of the whole, and 70 is more than that (write 70%)", 16),
        ("queue:a.share>90", "a.share is a part of the whole, and 90 is more than that", 14),
        ("share-loss", "'share-loss' has to be compared with something (write share-loss>0.1)", 10),
        ("share-loss>20", "share-loss is a part of the whole, and 20 is more than that (write 20%)", 11),
        ("share>20Gi", "'20Gi' is an amount, and share is a part of the whole (0.2, or 20%)", 6),
        ("pending>10%", "'10%' is a part of the whole, and pending is a number (write it without %)", 8),
        ("evictions>1k", "'1k' is an amount, and evictions is a number (write it without k)", 10),
        ("job:ns/a.placed>1Gi", "'1Gi' is an amount, and placed is a number", 16),
        ("queue:a.allocated.cpu>4Gi", "'4Gi' is a number of bytes, and allocated.cpu is none", 22),
        ("queue:a.allocated.memory>50%", "'50%' is a part of the whole, and allocated.memory is a number", 25),
        ("queue: a.share>1", "there is a blank in the name", 6),
    ],
)
def test_what_cannot_be_understood(text: str, message: str, at: int) -> None:
    """A mistake is told with its place in the text, and with what was probably meant."""
    with pytest.raises(ConditionError) as caught:
        parse_conditions(text)
    assert message in str(caught.value)
    assert (caught.value.text, caught.value.at) == (text, at)


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("evictions,queue:c.share>1", "there is no queue 'c'", 16),
        ("queue:a.allocated.cpus>1", "there is no resource 'cpus' (did you mean 'cpu'?)", 18),
        ("utilisation.gpu>1", "there is no resource 'gpu'", 12),
        ("job:ns/aa.placed>1", "there is no job 'ns/aa' (did you mean 'ns/a'?)", 4),
    ],
)
def test_names_of_what_is_not_there(text: str, message: str, at: int) -> None:
    """A condition on something that neither side has is an error, not a condition that never holds."""
    with pytest.raises(ConditionError) as caught:
        failed(text)
    assert message in str(caught.value)
    assert caught.value.at == at


@pytest.mark.parametrize(
    "text",
    [
        "share>120%",
        "share>1",
        "queue:a.share>=133%",
        "queue:a.allocated.cpu>500m",
        "queue:a.allocated.memory>1Gi",
        "queue:a.allocated.hugepages-2Mi>1Gi",
        "queue:a.allocated.nvidia.com/gpu>2",
        "pending>1e3",
    ],
)
def test_units_that_figures_have(text: str) -> None:
    """A part of the whole may be more than the whole where it is a percentage; bytes may be counted as such."""
    assert len(parse_conditions(text)) == 1


GPU = node("g1", gpu=2)


@pytest.mark.parametrize(
    ("before", "after", "text", "holds"),
    [
        ([GPU], [GPU], "utilisation.nvidia.com/gpu>90%", False),
        ([GPU], [GPU], "utilisation.nvidia.com/gpu<base", False),
        ([GPU, node("n1", cpu=8)], [node("n1", cpu=8)], "utilisation.nvidia.com/gpu<50%", True),
        ([GPU, node("n1", cpu=8)], [node("n1", cpu=8)], "utilisation.nvidia.com/gpu<base", True),
        ([GPU, node("n1", cpu=8)], [node("n1", cpu=8)], "stranded.nvidia.com/gpu>0", False),
    ],
)
def test_a_resource_that_nobody_uses(before: list[object], after: list[object], text: str, holds: bool) -> None:
    """What nobody asks for is not used, and what there is no more of neither: that is no reason to pass."""
    asking = gang("a", 1, cpu=1, requests={"nvidia.com/gpu": 1})
    more = asking if len(before) > 1 else []
    result = diff([*before, *more], [*after, *more], fail_on=parse_conditions(text), lint=False)
    assert bool(result.failures) == holds


WITHOUT_PLUGIN = CONF.replace("  - name: proportion\n", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("queue:a.share>90%", "queue:a.share is unknown: no plugin divides resources by queue"),
        ("queue:a.share<base", "queue:a.share is unknown: no plugin divides resources by queue"),
        ("queue:a.deserved.cpu<1", "queue:a.deserved.cpu is unknown: no plugin divides resources by queue"),
        ("spread>base", "spread is unknown: no plugin divides resources by queue"),
        ("queue:a.allocated.cpu>8", ""),
        ("queue:a.guarantee.cpu>0", ""),
        ("share>90%", "share is unknown: no plugin divides resources by queue"),
    ],
)
def test_what_nobody_finds_out(text: str, said: str) -> None:
    """Where no plugin looks at queues any more, what only one would know makes a condition hold."""
    found = diff(BEFORE, BEFORE, CONF, WITHOUT_PLUGIN, fail_on=parse_conditions(text), lint=False)
    assert [each.text for each in found.failures] == ([said] if said else [])


@pytest.mark.parametrize("sign", ["<", ">", "=", "!="])
def test_a_base_that_is_not_known(sign: str) -> None:
    """What was not known is nothing to compare with."""
    fail_on = parse_conditions(f"queue:a.share{sign}base")
    [failure] = diff(BEFORE, BEFORE, WITHOUT_PLUGIN, CONF, fail_on=fail_on, lint=False).failures
    assert failure.text == "queue:a.share was unknown: no plugin divides resources by queue"


def test_the_share_that_changes_most() -> None:
    """The message gives the share before and after; the share of a missing queue is 0."""
    for sides, said in (((BEFORE, BEFORE[:1]), "100% → 0%"), ((BEFORE[:1], BEFORE), "0% → 100%")):
        [failure] = diff(*sides, fail_on=parse_conditions("share>90%"), lint=False).failures
        assert failure.text == f"change of share is 100% (queue a: {said}), and must not be > 90%"


def test_a_share_that_grows_is_no_loss() -> None:
    """share-loss counts only what a queue loses."""
    assert not diff(BEFORE[:1], BEFORE, fail_on=parse_conditions("share-loss>0%"), lint=False).failures
    [failure] = diff(BEFORE, BEFORE[:1], fail_on=parse_conditions("share-loss>90%"), lint=False).failures
    assert failure.text == (
        "loss of share is 100% (queue a: allocated 100% → 0% of its deserved cpu in the base), and must not be > 90%"
    )


def test_a_share_that_falls_as_the_queue_deserves_more_is_no_loss() -> None:
    """share-loss names the queue that deserves less than it requests, whose share rises, not the one that gains."""
    running = [pod(f"{of}-{number}", of, node="n1") for of, pods in (("a", 6), ("b", 2)) for number in range(pods)]
    held = [group("a", 1, queue="a"), group("b", 1, queue="b"), *running]
    waiting = [*gang("more-a", 4, queue="a"), *gang("more-b", 4, queue="b")]
    before, after = ([node("n1", cpu=8), queue("a", weight), queue("b", 4), *held, *waiting] for weight in (4, 12))
    result = diff(before, after, fail_on=parse_conditions("share-loss>20%,share-loss<0.1"), lint=False)
    assert {each.name: each.effect for each in result.queues if each.change == "changed"} == {
        "a": "gains",
        "b": "loses",
    }
    said = "loss of share is 50% (queue b: deserved 100% → 50% of its deserved cpu in the base), and must not be > 20%"
    assert [each.text for each in result.failures] == [said]


def test_a_queue_that_deserves_no_less_than_it_requests_loses_nothing() -> None:
    """A queue that requests less, and so deserves less, is allocated all that it asks for."""
    held = [node("n1", cpu=8), queue("a"), *gang("a", 2, 1, queue="a")]
    result = diff([*held, *gang("c", 9, queue="a")], held, fail_on=parse_conditions("share-loss>0%"), lint=False)
    [found] = [each for each in result.queues if each.name == "a"]
    assert (found.effect, result.failures) == ("loses", [])


def test_the_spread_is_that_of_queues_with_jobs() -> None:
    """That nothing is held of a queue in which nothing is makes nothing unfair."""
    conf = CONF.replace("  - name: proportion\n", "  - name: capacity\n    enableHierarchy: true\n")
    objects = [node("n1", cpu=8), queue("a", deserved={"cpu": "4"}), queue("b", deserved={"cpu": "4"})]
    idle = queue("idle", deserved={"cpu": "4"})
    result = diff([*objects, *MANY], [*objects, idle, *MANY], conf, lint=False)
    assert result.figures_before.share_spread == result.figures_after.share_spread == 0


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("utilisation.cpu>71.43%", False),
        ("utilisation.cpu>=71.43%", True),
        ("utilisation.cpu=71.43%", True),
        ("utilisation.cpu<71.43%", False),
        ("utilisation.cpu>71.42%", True),
        ("utilisation.cpu>0.7143", False),
        ("utilisation.cpu>71.4%", True),
        ("utilisation.cpu!=71.43%", False),
    ],
)
def test_what_is_printed_is_compared(text: str, holds: bool) -> None:
    """Five sevenths are 71.43%, and neither more nor less than that."""
    objects = [node("n1", cpu=7), *gang("one", 5, 1)]
    result = diff(objects, objects, fail_on=parse_conditions(text), lint=False)
    assert bool(result.failures) == holds


def test_a_standstill_always_fails() -> None:
    """Where the candidate makes the whole scheduler stand still, no condition lets it pass, and none of its figures."""
    conf = CONF.replace("  - name: proportion\n", "  - name: capacity\n    enableHierarchy: true\n")
    running = [node("n1", cpu=8), group("a", phase="Running", queue="q"), pod("a-0", "a", 1, node="n1")]
    sound, broken = [*running, queue("q", parent="root")], [*running, queue("q", parent="rot")]
    result = diff(sound, broken, conf, fail_on=parse_conditions("evictions,queue:q.share>90%"), lint=False)
    assert [each.condition for each in result.failures] == ["standstill", "queue:q.share>90%"]
    assert result.failures[1].text == "queue:q.share is unknown: scheduling is blocked"
    [changed] = [each for each in result.queues if each.name == "q"]
    assert changed.after is not None
    assert (changed.after.considered, changed.after.allocated["cpu"]) == (False, 1.0)
    assert (result.differs, result.failed) == (True, True)
    back = diff(broken, sound, conf, fail_on=parse_conditions("evictions"), lint=False)
    assert (back.failures, back.differs, back.failed) == ([], True, False)
    assert diff(broken, broken, conf, lint=False).differs is False


def test_names_with_dots_and_slashes() -> None:
    """The name of a queue may have dots, and that of a resource slashes."""
    [condition] = parse_conditions("queue:team.a.allocated.nvidia.com/gpu>1")
    assert condition.figure.parts == ("queue", "team.a", "allocated", "nvidia.com/gpu")


@given(st.text(alphabet="evictons,:.<>=!%base0123456789 queuejobsharNS/", max_size=40))
def test_any_text_is_understood_or_refused(text: str) -> None:
    """Whatever is written, it is understood, or refused with a place in the text."""
    try:
        places = [condition.at for condition in parse_conditions(text)]
    except ConditionError as error:
        places = [error.at]
    assert all(0 <= at <= len(text) for at in places)


def test_every_figure_is_documented() -> None:
    """The page on comparisons names every figure, and the table says what each means."""
    page = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")
    for each in DIFFERENCES.values():
        assert re.search(rf"\b{each.name}\b", page), each.name
        assert each.means


@pytest.mark.parametrize(
    ("text", "holds"),
    [("pods-lost", True), ("restarted", True), ("pods-lost>4", False), ("pods-lost=4", True), ("restarted>base", True)],
)
def test_what_evictions_cost_in_the_end(text: str, holds: bool) -> None:
    """The pods that the controller of a job deletes count with those that are evicted; alone, more than in the base."""
    conf = BREAKING_GANGS.replace("preempt, reclaim, ", "")
    job = volcano_job(policies=[{"event": "PodEvicted", "action": "RestartJob"}])
    objects = [*crowded(VOLCANO), job]
    result = diff(objects, objects, conf, BREAKING_GANGS, fail_on=parse_conditions(text), lint=False)

    assert bool(result.failures) is holds
    assert (result.figures_after.evicted, result.figures_after.pods_lost, result.figures_after.restarted) == (2, 4, 4)
    assert diff(objects, objects, BREAKING_GANGS, BREAKING_GANGS, fail_on=parse_conditions("pods-lost")).failures == []
