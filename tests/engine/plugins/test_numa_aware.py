"""numa-aware keeps Guaranteed pods off nodes that cannot give their containers CPUs side by side."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import aligned, group, node, numa, open_session, placements, run
from vqs.engine.framework.session import Session
from vqs.engine.plugins.numa_aware import NumaAwarePlugin
from vqs.engine.plugins.numa_aware.cpus import CpuLayout, Hint, Room, Wish, assign, best_hint, go_sorted, wishes_of
from vqs.engine.plugins.numa_aware.plugin import NO_FREE_CPUS, NO_TOPOLOGY, NOT_STATIC
from vqs.model.cpu_set import CpuSet, parse_cpu_set, write_cpu_set
from vqs.model.kubernetes import Container, CpuInfo, Pod, PodSpec, ResourceRequirements
from vqs.model.node import NumaTopology

CONF = """
actions: "allocate"
tiers:
- plugins:
  - name: gang
- plugins:
  - name: predicates
  - name: numa-aware
"""

GO_ORDER = [
    *(5, 4, 3, 2, 1, 0, 6, 13, 12, 19, 11, 18, 9, 8, 7, 10, 14, 15, 17, 16),
    *(20, 27, 34, 26, 21, 24, 23, 22, 33, 25, 28, 29, 32, 39, 31, 38, 30, 37, 36, 35),
]
"""What ``sort.Slice`` leaves, run with Go."""

POLICIES = ["best-effort", "restricted", "single-numa-node"]


def layout(sockets: int = 2, cores: int = 4, threads: int = 1, reserved: int = 0) -> CpuLayout:
    """Make the layout of a node as `numa` describes it."""
    order = list(range(sockets * cores)) * threads
    cpus = {cpu: CpuInfo(numa=core // cores, socket=core // cores, core=core) for cpu, core in enumerate(order)}
    return CpuLayout(NumaTopology("static", "restricted", cpus, reserved, ()))


def mask(of: CpuLayout, text: str) -> int:
    """Return the CPUs that a text names."""
    return of.known(parse_cpu_set(text))[0]


def named(of: CpuLayout, cpus: int | None) -> str:
    """Write some CPUs of a node."""
    ranges: CpuSet = tuple(range(number, number + 1) for number in of.numbers_of(cpus or 0))
    return write_cpu_set(ranges)


def refusals(session: Session) -> list[str]:
    """Return what each node says to the pod p, empty where it fits."""
    return ["; ".join(session.reasons.texts(code)) for code in session.fit(session.jobs["ns/j"].tasks["p"]).codes]


def free_cpus(session: Session) -> dict[str, str]:
    """Return the CPUs that each node with a Numatopology has left."""
    numas = {each.name: each.numa for each in session.nodes.nodes}
    return {name: write_cpu_set(each.free) for name, each in numas.items() if each is not None and each.free}


# --- which CPUs are taken ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free", "wanted", "taken"),
    [
        ("0-15", 8, "0,1,2,3,8,9,10,11"),
        ("1-15", 8, "4,5,6,7,12,13,14,15"),
        ("0-15", 2, "0,8"),
        ("0-15", 3, "0,1,8"),
        ("0,4-7,12-15", 1, "0"),
        ("8-15", 2, "8,9"),
        ("0-15", 0, ""),
        ("0-1", 3, ""),
    ],
)
def test_sockets_then_cores_then_single_cpus(free: str, wanted: int, taken: str) -> None:
    """Whole sockets go first, then whole cores, then single CPUs; one counts as whole if its own number is free."""
    of = layout(threads=2)
    assert named(of, of.take(mask(of, free), wanted)) == taken


@given(st.sets(st.integers(0, 15)), st.integers(0, 18))
def test_takes_what_is_wanted_out_of_what_is_free(free: set[int], wanted: int) -> None:
    """On sockets of equal size exactly the wanted number is taken, all of it free, and nothing where too few are."""
    of = layout(threads=2)
    cpus = sum(1 << cpu for cpu in free)
    taken = of.take(cpus, wanted)
    if wanted > len(free):
        assert taken is None
    else:
        assert taken is not None
        assert taken.bit_count() == wanted
        assert taken & ~cpus == 0


def test_cores_of_one_number_are_one_core() -> None:
    """Where cores are numbered within each socket, taking one takes that of the other socket too."""
    cpus = {cpu: CpuInfo(numa=cpu // 4, socket=cpu // 4, core=cpu % 4) for cpu in range(8)}
    of = CpuLayout(NumaTopology("static", "restricted", cpus, 0, ()))
    assert named(of, of.take(of.all, 2)) == "0,4"


@given(st.lists(st.integers(0, 30), max_size=200))
def test_go_sorting_sorts(numbers: list[int]) -> None:
    """What is an order is sorted by it."""
    assert go_sorted(numbers, lambda one, other: one < other) == sorted(numbers)


def test_go_sorting_of_a_comparison_that_is_no_order() -> None:
    """What Go 1.26 makes of 40 numbers, where one is less if it is, or if its remainder is greater."""
    assert go_sorted(list(range(40)), lambda one, other: one % 7 > other % 7 or one < other) == GO_ORDER


# --- hints ------------------------------------------------------------------------------------------------------------


def brute_force(of: CpuLayout, policy: str, room: Room, cpus: int) -> Hint:
    """Try all sets of NUMA nodes, as the reference does."""
    every = tuple(range(len(of.numa_nodes)))
    sets = [chosen for number in range(1, len(every) + 1) for chosen in combinations(every, number)]
    sizes = [each.bit_count() for each in of.numa_nodes]
    free = [(each & (room.free or 0) & ~of.reserved).bit_count() for each in of.numa_nodes]
    free[0] += room.unknown
    least = min((len(each) for each in sets if sum(sizes[i] for i in each) >= cpus), default=len(every))
    best = Hint(every, preferred=False)
    for chosen in sets:
        hint = Hint(chosen, preferred=len(chosen) == least)
        if sum(free[i] for i in chosen) < cpus:
            continue
        if policy == "single-numa-node" and not (hint.preferred and len(chosen) == 1):
            continue
        best = max(best, hint, key=rank)
    return best


def rank(hint: Hint) -> tuple[bool, int, int]:
    """Return what hints are compared by: the greatest is the best."""
    return hint.preferred, -len(hint.numa_nodes), -sum(1 << each for each in hint.numa_nodes)


LAYOUTS = st.builds(layout, st.integers(1, 5), st.integers(1, 3), reserved=st.integers(0, 2))
ROOMS = st.builds(Room, st.integers(0, 2**15 - 1), st.integers(0, 2))


@given(st.sampled_from(POLICIES), LAYOUTS, ROOMS, st.integers(1, 16))
def test_the_best_hint_is_that_of_all(policy: str, of: CpuLayout, room: Room, cpus: int) -> None:
    """The best set of NUMA nodes is the one that trying all of them finds."""
    assert best_hint(of, policy, room, cpus) == brute_force(of, policy, room, cpus)


@pytest.mark.parametrize(
    ("policy", "free", "cpus", "refused", "given_cpus"),
    [
        ("restricted", "0-7", 4, "", "0,1,2,3"),
        ("restricted", "1-7", 4, "", "4,5,6,7"),
        ("restricted", "1-3,5-7", 4, "c", ""),
        ("restricted", "1-3,5-7", 5, "", "1,2,5,6,7"),
        ("single-numa-node", "0-7", 5, "c", ""),
        ("single-numa-node", "3-7", 4, "", "4,5,6,7"),
        ("best-effort", "1-3,5-7", 4, "", "1,5,6,7"),
        ("best-effort", "1-3", 4, "", ""),
        ("unheard-of", "1-3,5-7", 4, "", "1,5,6,7"),
    ],
)
def test_what_policies_admit(policy: str, free: str, cpus: int, refused: str, given_cpus: str) -> None:
    """Restricted takes as few NUMA nodes as could do, single-numa-node one, best-effort what there is."""
    of = layout()
    answer = assign(of, policy, Room(mask(of, free), 0), [Wish("c", cpus)])
    assert (answer.refused.container if answer.refused else "", named(of, answer.cpus)) == (refused, given_cpus)


def test_containers_are_served_in_turn() -> None:
    """Each container takes its CPUs from what those before it have left."""
    of = layout()
    wishes = [Wish("a", 3), Wish("b", 2), Wish("c", 3)]
    assert assign(of, "single-numa-node", Room(of.all, 0), wishes).refused == wishes[2]
    assert named(of, assign(of, "single-numa-node", Room(of.all, 0), wishes[:2]).cpus) == "0,1,2,4,5"


def test_reserved_cpus_are_not_given() -> None:
    """CPUs for the system are taken from the lowest sockets and cores, and no container gets them."""
    of = layout(reserved=2)
    assert named(of, of.reserved) == "0,1"
    assert named(of, assign(of, "restricted", Room(of.all, 0), [Wish("c", 3)]).cpus) == "4,5,6"


def test_a_part_of_a_cpu_needs_no_place() -> None:
    """A container that asks for half a CPU more shares all of them: it gets none of its own, and is never refused."""
    requests: list[dict[str, str | int | float]] = [{"cpu": "1500m"}, {"cpu": "2"}, {}]
    containers = [Container(name=str(i), resources=ResourceRequirements(each)) for i, each in enumerate(requests)]
    assert [wish.cpus for wish in wishes_of(Pod(spec=PodSpec(containers=containers)))] == [0, 2, 0]
    assert assign(layout(), "single-numa-node", Room(0, 0), [Wish("c", 0)])[:2] == (None, 0)


def test_without_the_resource_cpu_only_the_first_container_passes() -> None:
    """Where a Numatopology does not list cpu, the first container has no preference, and the next finds no CPU."""
    assert assign(layout(), "restricted", Room(None, 0), [Wish("a", 1), Wish("b", 1)])[:2] == (("b", 1), 0)


# --- nodes ------------------------------------------------------------------------------------------------------------


def test_reasons_of_nodes() -> None:
    """A pod with a policy goes only to nodes that follow it, with a static CPU manager and free CPUs in place."""
    nodes = [node(name) for name in ("a-none", "b-shared", "c-other", "d-full", "e-spread", "f-fits")]
    numas = [
        numa("b-shared", manager="none"),
        numa("c-other", policy="best-effort"),
        numa("d-full", free=""),
        numa("e-spread", free="1-3,5-7"),
        numa("f-fits"),
    ]
    session = open_session([*nodes, *numas, group("j"), aligned("p", 4)], CONF)
    assert refusals(session) == [
        NO_TOPOLOGY,
        NOT_STATIC,
        "task topology policy[restricted] is different with node[best-effort]",
        NO_FREE_CPUS,
        "container c0 cannot be assigned by numa",
        "",
    ]


@pytest.mark.parametrize("policy", ["", "none"])
def test_nodes_align_pods_that_do_not_ask(policy: str) -> None:
    """A node with a policy and a static CPU manager treats Guaranteed pods without one alike; others take any."""
    nodes = [node(name) for name in "abcd"]
    free = "1-3,5-7"
    numas = [numa("a", free=free), numa("b", policy="none", free=free), numa("c", manager="none", free=free)]
    session = open_session([*nodes, *numas, group("j"), aligned("p", 4, policy=policy)], CONF)
    assert refusals(session) == ["container c0 cannot be assigned by numa", "", "", ""]


def test_only_guaranteed_pods_count() -> None:
    """A pod whose limits are not its requests goes anywhere, whatever policy it asks for."""
    burstable = aligned("p", 4)
    burstable["spec"]["containers"][0]["resources"]["limits"]["cpu"] = 5
    session = open_session([node("a"), numa("a", free="1-3,5-7"), group("j"), burstable], CONF)
    assert refusals(session) == [""]


def test_cpus_are_taken_for_the_session_and_beyond() -> None:
    """Each placed pod takes CPUs of its node, and what it takes is not free when the session is over."""
    pods = [aligned(f"p{number}", 3) for number in range(3)]
    session = run([node("a", cpu=20), numa("a"), group("j"), *pods], CONF)
    assert placements(session) == {"p0": ("Binding", "a"), "p1": ("Binding", "a"), "p2": ("Pending", None)}
    assert free_cpus(session) == {"a": "3,7"}


def test_a_discarded_gang_gives_its_cpus_back() -> None:
    """What a gang took that was not complete, the next job can have."""
    first = [group("big", 3, created=0), *(aligned(f"b{number}", 3, of="big") for number in range(3))]
    session = run([node("a", cpu=20), numa("a"), *first, group("j", created=1), aligned("p", 4)], CONF)
    assert placements(session)["p"] == ("Binding", "a")
    assert free_cpus(session) == {"a": "4-7"}


def test_scores_prefer_fewer_numa_nodes() -> None:
    """The score is 100 less the share of the worst candidate's NUMA nodes, times the weight."""
    nodes = [node(name, cpu=20) for name in "abc"]
    numas = [
        numa("a", 4, 2, policy="best-effort", free="0,2,4,6"),
        numa("b", 4, 2, policy="best-effort", free="0-1,4-5"),
        numa("c", 4, 4, policy="best-effort"),
    ]
    conf = CONF + "    arguments: {weight: 2}\n"
    session = open_session([*nodes, *numas, group("j"), aligned("p", 4, policy="best-effort")], conf)
    plugin = next(each for each in session._opened if isinstance(each, NumaAwarePlugin))
    task_class = session.fit(session.jobs["ns/j"].tasks["p"]).task_class
    assert plugin.scores(task_class, np.arange(3)).tolist() == [0, 100, 150]
    assert plugin.scores(task_class, np.array([2])).tolist() == [0]


def test_pods_without_a_policy_are_not_scored() -> None:
    """Nodes that align a pod of their own accord all score zero."""
    session = open_session([node("a"), numa("a"), group("j"), aligned("p", 4, policy="")], CONF)
    plugin = next(each for each in session._opened if isinstance(each, NumaAwarePlugin))
    assert plugin.constant(session.fit(session.jobs["ns/j"].tasks["p"]).task_class) == 0


def test_without_its_predicate_the_plugin_does_nothing() -> None:
    """With enablePredicate false no CPU is chosen, so that none is taken and no node is scored."""
    conf = CONF + "    enablePredicate: false\n"
    session = run([node("a"), numa("a", policy="best-effort"), group("j"), aligned("p", 4)], conf)
    assert placements(session)["p"] == ("Binding", "a")
    assert free_cpus(session) == {"a": "0-7"}


def test_a_panic_is_told() -> None:
    """Where CPUs are counted on a node that does not list cpu, the scheduler ends; the session says so."""
    unlisted = numa("a")
    del unlisted["spec"]["numares"]["cpu"]
    session = run([node("a"), unlisted, group("j"), aligned("p", 4, policy="")], CONF)
    assert [notice.code for notice in session.notices] == ["scheduler-panics"]
