"""The plugin extender asks its server where the reference does, and takes the answers for what they are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.build import NOW, Object, gang, group, manifests, node, pod, queue
from tests.engine.plugins.extender_server import Answer, Extender, endless, extender, raw, redirect
from vqs.engine import scheduler
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import SessionOptions
from vqs.explain.outcome import Simulation
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.cluster.build import build_cluster

Objects = Sequence[Object | list[Object]]

VERBS = (
    "onSessionOpen",
    "onSessionClose",
    "predicate",
    "prioritize",
    "preemptable",
    "reclaimable",
    "queueOverused",
    "jobEnqueueable",
    "jobReady",
    "allocateFunc",
    "deallocateFunc",
)

GARBAGE: dict[str, Answer] = {
    "garbage": b"<html>",
    "empty": b"",
    "the wrong type": b'{"status": [], "nodeScore": 1, "overused": "no", "victims": 1, "errorMessage": 1}',
    "an error": 500,
    "no HTTP": raw("nonsense\n\n"),
    "a redirect elsewhere": redirect(307, "http://192.0.2.1/x"),
}
"""What a server answers that gives no answer."""


def conf(url: str, *verbs: str, actions: str = "allocate", plugins: str = "gang", **more: Any) -> str:
    """Write a configuration with the extender in a tier of its own; `more` are its other arguments."""
    arguments = {"extender.urlPrefix": url, "extender.httpTimeout": "5s"}
    arguments |= {f"extender.{verb}Verb": verb for verb in verbs}
    arguments |= {f"extender.{name}": value for name, value in more.items()}
    before = "".join(f"  - name: {name}\n" for name in plugins.split())
    lines = "".join(f"      {name}: {value}\n" for name, value in arguments.items())
    return (
        f'actions: "{actions}"\ntiers:\n- plugins:\n{before}- plugins:\n  - name: extender\n    arguments:\n{lines}'
        "  - name: predicates\n  - name: nodeorder\n"
    )


def run(objects: Objects, text: str, *, allow: bool = True) -> FinishedSession:
    """Run a session that may ask."""
    read = manifests(objects, text)
    options = SessionOptions(now=NOW, allow_extender=allow)
    return scheduler.run_actions(scheduler.open_session(build_cluster(read), read.scheduler, options))


def result(objects: Objects, text: str, *, allow: bool = True) -> Simulation:
    """Run a session that may ask, and put its outcome together."""
    return simulate(manifests(objects, text), SimulateOptions(allow_extender=allow))


def places(session: FinishedSession) -> dict[str, str | None]:
    """Return the node of each task, by name."""
    return {task.name: task.node for job in session.jobs.values() for task in job.tasks.values()}


def verdict(simulation: Simulation, name: str) -> tuple[str, str]:
    """Return the code and the text of the verdict on a task."""
    found = next(task.verdict for task in simulation.tasks if task.name == name)
    assert found is not None
    return found.code, found.text


def notices(session: FinishedSession) -> dict[str, str]:
    """Return the notices by their code."""
    return {notice.code: notice.message for notice in session.notices}


TWO = [node("n1"), node("n2"), queue("default")]
ONE = [node("n1"), queue("default")]


# --- whether it is asked ----------------------------------------------------------------------------------------------


def test_nothing_is_sent_unless_it_is_allowed() -> None:
    """A configuration alone never causes a request; what the server would decide is named."""
    with extender() as server:
        session = run([*TWO, gang("j", 1)], conf(server.url, *VERBS), allow=False)
        assert server.requests == []
    assert places(session) == {"j-worker-0": "n1"}
    assert notices(session)["extender-not-asked"] == (
        "plugin extender is not asked, so that decisions may differ from Volcano's: predicate, prioritize, "
        "preemptable, reclaimable, allocateFunc, deallocateFunc, queueOverused, jobEnqueueable and jobReady"
    )


def test_the_notice_counts_the_tasks_with_managed_resources() -> None:
    """Where no task has one, and nothing else is asked, no decision can differ."""
    text = conf("http://127.0.0.1:1", "predicate", managedResources="[nvidia.com/gpu]")
    with_gpu = pod("g", "j", requests={"nvidia.com/gpu": 1})
    found = notices(run([*ONE, group("j"), with_gpu, pod("p", "j")], text, allow=False))["extender-not-asked"]
    assert found == "plugin extender is not asked, so that decisions of 1 task may differ from Volcano's: predicate"
    assert "extender-not-asked" not in notices(run([*ONE, gang("j", 1)], text, allow=False))


def test_an_extender_without_verbs_sends_nothing() -> None:
    """It takes part in nothing then, as in Volcano."""
    with extender() as server:
        assert places(run([*ONE, gang("j", 1)], conf(server.url))) == {"j-worker-0": "n1"}
        assert server.requests == []


# --- the session ------------------------------------------------------------------------------------------------------


def test_the_server_is_told_of_the_session() -> None:
    """It gets the cluster first, and an empty object at the end."""
    with extender(onSessionOpen={}, onSessionClose={}, predicate={}) as server:
        run([*TWO, gang("j", 1)], conf(server.url, "onSessionOpen", "onSessionClose", "predicate"))
    assert server.verbs() == ["onSessionOpen", "predicate", "predicate", "onSessionClose"]
    opened = server.asked("onSessionOpen")[0]
    assert (list(opened["Jobs"]), list(opened["Nodes"])) == (["ns/j"], ["n1", "n2"])
    assert "default" in opened["Queues"]
    assert server.asked("onSessionClose") == [{}]


@pytest.mark.parametrize("answer", GARBAGE)
def test_a_session_that_cannot_be_opened_asks_nothing_more(answer: str) -> None:
    """What is answered does not count, only that it is status 200."""
    fails = answer not in {"garbage", "empty", "the wrong type"}
    with extender(onSessionOpen=GARBAGE[answer], predicate={"status": "no"}, onSessionClose={}) as server:
        session = run([*ONE, gang("j", 1)], conf(server.url, "onSessionOpen", "predicate", "onSessionClose"))
        asked = [] if fails else ["predicate"]
        assert server.verbs() == ["onSessionOpen", *asked, "onSessionClose"]
    assert places(session) == {"j-worker-0": "n1" if fails else None}


def test_a_session_that_cannot_be_opened_may_be_ignored() -> None:
    """With ignorable, the other verbs are asked even so."""
    with extender(onSessionOpen=500, predicate={"status": "no"}) as server:
        session = run([*ONE, gang("j", 1)], conf(server.url, "onSessionOpen", "predicate", ignorable="true"))
    assert places(session) == {"j-worker-0": None}


# --- nodes ------------------------------------------------------------------------------------------------------------


def only(*names: str, code: int = 2) -> Answer:
    """Refuse all nodes but some."""
    return lambda request: {} if request["node"]["Name"] in names else {"status": "not here", "code": code}


def test_nodes_are_filtered() -> None:
    """One request asks about a task and a node; a message is a refusal, and the pod's condition has it."""
    with extender(predicate=only("n2")) as server:
        session = run([*TWO, gang("j", 1), gang("k", 1, cpu=9)], conf(server.url, "predicate"))
        asked = [(each["task"]["Name"], each["node"]["Name"]) for each in server.asked("predicate")]
    assert places(session) == {"j-worker-0": "n2", "k-worker-0": None}
    assert sorted(asked) == [("j-worker-0", "n1"), ("j-worker-0", "n2")]
    with extender(predicate=only()) as server:
        job = run([*TWO, gang("j", 1)], conf(server.url, "predicate")).jobs["ns/j"]
    assert job.fit_errors["j-worker-0"].message() == "0/2 nodes are unavailable: 2 not here."


def test_a_node_that_another_plugin_refuses_first_is_not_asked_about() -> None:
    """Plugins are asked in the order of the tiers, each about what those before it let pass."""
    tainted = node("n1", taints=[{"key": "a", "effect": "NoSchedule"}])
    with extender(predicate={}) as server:
        text = conf(server.url, "predicate", plugins="gang predicates").replace(
            "  - name: predicates\n  - name: no", "  - name: no"
        )
        run([tainted, node("n2"), queue("default"), gang("j", 1)], text)
        assert [each["node"]["Name"] for each in server.asked("predicate")] == ["n2"]


@pytest.mark.parametrize("answer", GARBAGE)
@pytest.mark.parametrize("ignorable", [True, False])
def test_an_answer_about_a_node_that_is_none(answer: str, *, ignorable: bool) -> None:
    """It refuses the node, with what went wrong as the reason, unless failures are ignored."""
    with extender(predicate=GARBAGE[answer]) as server:
        session = run([*ONE, gang("j", 1)], conf(server.url, "predicate", ignorable=str(ignorable).lower()))
    assert places(session) == {"j-worker-0": "n1" if ignorable else None}
    assert "extender-failed" in notices(session)
    if answer == "an error":
        failure = f"failed predicate with extender at URL {server.url}/predicate, code 500"
        assert notices(session)["extender-failed"] == (
            f"the extender gave no valid answer to 1 of 1 request; the first failed with: {failure}"
        )
        errors = session.jobs["ns/j"].fit_errors
        assert [each.reasons for each in errors.values()] == ([] if ignorable else [{failure: 1}])


def test_a_server_that_does_not_answer_refuses_nodes() -> None:
    """The timeout of the configuration counts."""
    with extender() as server:
        server.answers["predicate"] = endless(server, b"")
        text = conf(server.url, "predicate").replace("5s", "50ms")
        session = run([*ONE, gang("j", 1)], text)
        errors = session.jobs["ns/j"].fit_errors["j-worker-0"]
    assert list(errors.reasons) == [
        f'Post "{server.url}/predicate": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
    ]


def test_a_code_that_volcano_does_not_know_is_no_refusal() -> None:
    """The reference takes the node then, and does not ask the plugins that come later about it."""
    tainted = node("n1", taints=[{"key": "a", "effect": "NoSchedule"}])
    with extender(predicate={"status": "no", "code": 6}) as server:
        assert places(run([tainted, queue("default"), gang("j", 1)], conf(server.url, "predicate"))) == {
            "j-worker-0": "n1"
        }


@pytest.mark.parametrize(("code", "evicts"), [(0, False), (1, False), (2, True), (3, False), (4, False), (5, False)])
def test_whether_evictions_may_help_is_what_the_code_says(code: int, *, evicts: bool) -> None:
    """Only a node that is unschedulable, and not so for good, is looked at for victims; no code at all is an error."""
    with extender(predicate={"status": "no", "code": code}) as server:
        text = conf(server.url, "predicate", actions="allocate, preempt", plugins="conformance gang")
        session = run(crowded("preempt"), text.replace("name: gang\n", "name: gang\n    enablePreemptable: false\n"))
    assert evicted(session) == (["b-0"] if evicts else [])


def test_the_answer_about_one_task_is_not_that_about_another() -> None:
    """Tasks that are alike are asked about one by one: the server knows them by name."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        wanted = {"j-worker-0": "n2", "j-worker-1": "n1"}[request["task"]["Name"]]
        return {} if request["node"]["Name"] == wanted else {"status": "no", "code": 2}

    with extender(predicate=answer) as server:
        session = run([*TWO, gang("j", 2, role="")], conf(server.url, "predicate"))
    assert places(session) == {"j-worker-0": "n2", "j-worker-1": "n1"}


def test_the_error_cache_stands_for_the_whole_role() -> None:
    """A node that has refused one task of a role is not taken for another of it in the same try."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return {} if (request["task"]["Name"], request["node"]["Name"]) != ("j-worker-0", "n1") else {"status": "no"}

    with extender(predicate=answer) as server:
        session = run([*TWO, gang("j", 2, cpu=3)], conf(server.url, "predicate"))
    assert places(session) == {"j-worker-0": "n2", "j-worker-1": "n2"}


@pytest.mark.parametrize(
    ("resources", "init", "asked"),
    [
        ({"requests": {"nvidia.com/gpu": 1}}, {}, True),
        ({"limits": {"nvidia.com/gpu": 0}}, {}, True),
        ({}, {"requests": {"nvidia.com/gpu": 1}}, True),
        ({"requests": {"cpu": 1}}, {}, False),
    ],
)
def test_only_tasks_with_managed_resources_are_asked_about(resources: Object, init: Object, *, asked: bool) -> None:
    """A container that requests or limits one is enough, also an init container."""
    made = pod("p", "j", spec={"containers": [{"name": "c", "resources": resources}]})
    made["spec"]["initContainers"] = [{"name": "i", "resources": init}]
    with extender(predicate={}, allocateFunc={}) as server:
        text = conf(
            server.url, "predicate", "allocateFunc", actions="allocate, backfill", managedResources="[nvidia.com/gpu]"
        )
        run([node("n1", gpu=1), queue("default"), group("j"), made], text)
        assert server.verbs() == (["predicate", "allocateFunc"] if asked else [])


# --- scores -----------------------------------------------------------------------------------------------------------


def test_nodes_are_scored() -> None:
    """One request asks about all candidates; a node that is not named has no score."""
    with extender(prioritize={"nodeScore": {"n2": 1000, "elsewhere": 5000}}) as server:
        session = run([*TWO, gang("j", 1)], conf(server.url, "prioritize"))
        request = server.asked("prioritize")
    assert places(session) == {"j-worker-0": "n2"}
    assert [[each["Name"] for each in one["nodes"]] for one in request] == [["n1", "n2"]]


def test_a_single_candidate_is_not_scored() -> None:
    """There is nothing to compare it with."""
    with extender(prioritize=500) as server:
        assert places(run([*ONE, gang("j", 1)], conf(server.url, "prioritize"))) == {"j-worker-0": "n1"}
        assert server.requests == []


@pytest.mark.parametrize("answer", [*GARBAGE, "a message", "no scores"])
@pytest.mark.parametrize("ignorable", [True, False])
def test_nodes_that_cannot_be_scored_are_not_taken(answer: str, *, ignorable: bool) -> None:
    """Without scores there is no best node; a message of the server is no failure that could be ignored."""
    answers = {**GARBAGE, "a message": {"errorMessage": "no data", "nodeScore": {}}, "no scores": {}}
    placed = ignorable and answer in GARBAGE
    with extender(prioritize=answers[answer]) as server:
        text = conf(server.url, "prioritize", ignorable=str(ignorable).lower())
        simulation = result([*TWO, gang("j", 1)], text)
    if placed:
        assert [task.node for task in simulation.tasks] == ["n1"]
    else:
        code, sentence = verdict(simulation, "j-worker-0")
        assert code == "scores-failed"
        assert answer != "a message" or sentence == "nodes fit the task, but the extender did not score them: no data"


def test_the_next_task_is_tried_where_one_could_not_be_scored() -> None:
    """The reference goes on with the tasks of the job, which it does not where no node fits."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return {"errorMessage": "no"} if request["task"]["Name"] == "j-worker-0" else {"nodeScore": {"n2": 999}}

    with extender(prioritize=answer) as server:
        session = run([*TWO, gang("j", 2, min_member=2)], conf(server.url, "prioritize", plugins="priority"))
    assert places(session) == {"j-worker-0": None, "j-worker-1": "n2"}


# --- victims ----------------------------------------------------------------------------------------------------------


def crowded(action: str) -> list[Object | list[Object]]:
    """Return a node that two jobs fill, and a third one that waits; to reclaim, it is in another queue."""
    mine = "other" if action == "reclaim" else "default"
    return [
        *(node("n1", cpu=2), queue("default"), queue("other")),
        *(group("a", 1, "Running"), pod("a-0", "a", node="n1"), group("b", 1, "Running"), pod("b-0", "b", node="n1")),
        *(group("c", 1, queue=mine), pod("c-0", "c", spec={"priority": 9})),
    ]


ACTIONS = pytest.mark.parametrize(("action", "verb"), [("preempt", "preemptable"), ("reclaim", "reclaimable")])


def evicted(session: FinishedSession) -> list[str]:
    """Return the tasks that are leaving."""
    tasks = (task for job in session.jobs.values() for task in job.tasks.values())
    return sorted(task.name for task in tasks if task.status.name == "Releasing")


def victims_conf(server: Extender, action: str, verb: str, **more: Any) -> str:
    """Write a configuration in which only the server votes; gang says who starves."""
    text = conf(server.url, verb, actions=action, plugins="gang", **more)
    return text.replace("name: gang\n", "name: gang\n    enablePreemptable: false\n    enableReclaimable: false\n")


@ACTIONS
def test_the_server_names_the_victims(action: str, verb: str) -> None:
    """It is told who evicts, and who could go."""
    with extender(**{verb: {"status": 1, "victims": [{"UID": "b-0"}]}}) as server:
        session = run(crowded(action), victims_conf(server, action, verb))
        request = server.asked(verb)[0]
    assert request["evictor"]["Name"] == "c-0"
    assert [each["Name"] for each in request["evictees"]] == ["a-0", "b-0"]
    assert evicted(session) == ["b-0"]


@ACTIONS
@pytest.mark.parametrize("answer", [{}, {"status": 1}, {"status": -1, "victims": []}])
def test_no_victims_are_none(action: str, verb: str, answer: Answer) -> None:
    """Neither an abstention nor a vote for nobody evicts anyone."""
    with extender(**{verb: answer}) as server:
        assert evicted(run(crowded(action), victims_conf(server, action, verb))) == []


@ACTIONS
@pytest.mark.parametrize("answer", GARBAGE)
@pytest.mark.parametrize("ignorable", [True, False])
def test_a_failed_vote_spares_all(action: str, verb: str, answer: str, *, ignorable: bool) -> None:
    """That is so with ignorable as well: the reference's permission names no victims."""
    with extender(**{verb: GARBAGE[answer]}) as server:
        session = run(crowded(action), victims_conf(server, action, verb, ignorable=str(ignorable).lower()))
    assert (evicted(session), "extender-failed" in notices(session)) == ([], True)


@ACTIONS
def test_an_abstention_leaves_the_votes_to_others(action: str, verb: str) -> None:
    """Where the server abstains, the other plugins of its tier decide; where it does not, they have to agree."""
    for status, goes in ((0, ["b-0"]), (1, [])):
        with extender(**{verb: {"status": status}}) as server:
            text = victims_conf(server, action, verb).replace(
                "  - name: predicates", "  - name: conformance\n  - name: predicates"
            )
            assert evicted(run(crowded(action), text)) == goes


@ACTIONS
def test_victims_that_were_not_offered_are_left_out(action: str, verb: str) -> None:
    """Nobody but the candidates can be evicted, and a notice says that Volcano would try."""
    with extender(**{verb: {"status": 1, "victims": [{"UID": "c-0"}, {"UID": "x"}]}}) as server:
        session = run(crowded(action), victims_conf(server, action, verb))
    assert (evicted(session), "extender-victims" in notices(session)) == ([], True)


# --- jobs and queues --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "phase"), [(-1, "Pending"), (0, "Inqueue"), (1, "Inqueue")])
def test_the_server_admits_jobs(status: int, phase: str) -> None:
    """A negative status refuses, and the verdict says who did."""
    objects: Objects = [*ONE, gang("j", 1, phase="Pending", minResources={"cpu": 1})]
    with extender(jobEnqueueable={"status": status}) as server:
        text = conf(server.url, "jobEnqueueable", actions="enqueue")
        assert run(objects, text).jobs["ns/j"].phase == phase
        simulation = result(objects, text)
        assert server.asked("jobEnqueueable")[0]["job"]["UID"] == "ns/j"
    if status < 0:
        assert verdict(simulation, "j-worker-0") == (
            "not-enqueued-extender",
            "the extender decides on the admission of job j, and refused it",
        )


@pytest.mark.parametrize("answer", GARBAGE)
@pytest.mark.parametrize("ignorable", [True, False])
def test_a_failed_admission_refuses(answer: str, *, ignorable: bool) -> None:
    """With ignorable, it admits."""
    objects: Objects = [*ONE, gang("j", 1, phase="Pending", minResources={"cpu": 1})]
    with extender(jobEnqueueable=GARBAGE[answer]) as server:
        text = conf(server.url, "jobEnqueueable", actions="enqueue", ignorable=str(ignorable).lower())
        assert run(objects, text).jobs["ns/j"].phase == ("Inqueue" if ignorable else "Pending")


@pytest.mark.parametrize(
    ("answer", "ignorable", "text"),
    [
        ({"overused": True}, "true", "said so"),
        ({"overused": False}, "false", ""),
        (500, "true", ""),
        (500, "false", "did not answer: failed queueOverused with extender at URL "),
    ],
)
def test_the_server_leaves_queues_out(answer: Answer, ignorable: str, text: str) -> None:
    """A queue that it calls overused gets nothing."""
    with extender(queueOverused=answer) as server:
        simulation = result([*ONE, gang("j", 1)], conf(server.url, "queueOverused", ignorable=ignorable))
        assert server.asked("queueOverused")[0]["queue"]["Name"] == "default"
    if text:
        code, sentence = verdict(simulation, "j-worker-0")
        assert code == "queue-overused-extender"
        assert sentence.startswith(f"the extender decides whether queue default is overused, and {text}")
    else:
        assert [task.node for task in simulation.tasks] == ["n1"]


@pytest.mark.parametrize(
    ("answer", "ignorable", "ready"),
    [({"status": True}, "false", True), ({"status": False}, "true", False), (b"", "true", False), (b"", "false", True)],
)
def test_the_server_says_whether_a_gang_is_complete(answer: Answer, ignorable: str, *, ready: bool) -> None:
    """A job that it does not call ready is not bound; after the session, its last answer stands.

    A request that fails counts as a no where failures are to be ignored, and as a yes where they are not.
    """
    with extender(jobReady=answer) as server:
        session = run([*ONE, gang("j", 1)], conf(server.url, "jobReady", ignorable=ignorable))
        asked = len(server.requests)
        assert session.plugins.job_ready(session.jobs["ns/j"]) is ready
        assert len(server.requests) == asked > 0
    assert [task.status.name for task in session.jobs["ns/j"].tasks.values()] == ["Binding" if ready else "Allocated"]


# --- placements -------------------------------------------------------------------------------------------------------


def test_the_server_hears_of_placements_and_of_those_rolled_back() -> None:
    """It is told of a task when it gets a node, and again when a gang that stays incomplete loses it."""
    with extender(allocateFunc={}, deallocateFunc={}) as server:
        run([node("n1", cpu=2), queue("default"), gang("j", 3)], conf(server.url, "allocateFunc", "deallocateFunc"))
    told = [(verb, each["task"]["Name"], each["task"]["NodeName"]) for verb, each in server.requests]
    assert told == [
        ("allocateFunc", "j-worker-0", "n1"),
        ("allocateFunc", "j-worker-1", "n1"),
        ("deallocateFunc", "j-worker-1", "n1"),
        ("deallocateFunc", "j-worker-0", "n1"),
    ]


def test_the_server_hears_of_evictions() -> None:
    """An eviction is one that a task loses its node by, also where it is taken back."""
    with extender(preemptable={"status": 1, "victims": [{"UID": "b-0"}]}, allocateFunc={}, deallocateFunc={}) as server:
        text = victims_conf(server, "preempt", "preemptable")
        text = text.replace("extender.urlPrefix", "extender.allocateFuncVerb: allocateFunc\n      extender.urlPrefix")
        text = text.replace(
            "extender.urlPrefix", "extender.deallocateFuncVerb: deallocateFunc\n      extender.urlPrefix"
        )
        run(crowded("preempt"), text)
    told = [(verb, each["task"]["Name"]) for verb, each in server.requests if verb.endswith("Func")]
    assert told == [("deallocateFunc", "b-0"), ("allocateFunc", "c-0")]


@pytest.mark.parametrize(
    ("answer", "ignorable", "text"),
    [
        ({"errorMessage": "no licence"}, "true", "no licence"),
        (500, "false", "failed allocateFunc with extender at URL "),
        (500, "true", ""),
        ({}, "false", ""),
    ],
)
def test_the_server_can_refuse_a_placement(answer: Answer, ignorable: str, text: str) -> None:
    """The task is taken off its node again, which the server hears of."""
    with extender(allocateFunc=answer, deallocateFunc={}) as server:
        arguments = conf(server.url, "allocateFunc", "deallocateFunc", ignorable=ignorable)
        simulation = result([*ONE, gang("j", 1)], arguments)
    assert server.verbs() == ["allocateFunc", *(["deallocateFunc"] if text else [])]
    if text:
        code, sentence = verdict(simulation, "j-worker-0")
        assert code == "reserve-failed"
        assert sentence.startswith(f"a node was found for the task, but could not be reserved: {text}")
    else:
        assert [task.node for task in simulation.tasks] == ["n1"]


def test_backfill_does_not_look_at_refusals() -> None:
    """The reference binds a task without requests whatever the server says."""
    with extender(allocateFunc={"errorMessage": "no"}) as server:
        text = conf(server.url, "allocateFunc", actions="backfill", plugins="priority")
        session = run([*ONE, group("j"), pod("p", "j", best_effort=True)], text)
    assert places(session) == {"p": "n1"}


# --- speed ------------------------------------------------------------------------------------------------------------


def test_nothing_is_asked_twice_while_nothing_changes() -> None:
    """Looking at a result asks nothing: the server is asked as often as the scheduler decides."""
    with extender(predicate=only("n2"), prioritize={"nodeScore": {}}) as server:
        read = manifests([*TWO, node("n3"), gang("j", 1)], conf(server.url, "predicate", "prioritize"))
        watched = SimulateOptions(watch=frozenset({"ns/j-worker-0"}), allow_extender=True)
        simulate(read, watched)
        assert sorted(server.verbs()) == ["predicate"] * 3
