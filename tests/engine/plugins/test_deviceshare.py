"""deviceshare finds room for pods device by device."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import NOW, Object, group, manifests, node, open_session, placements, pod, queue, run
from tests.engine.crowds import classes
from tests.engine.gangs import run_for_gangs
from vqs.engine import scheduler
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import Session
from vqs.engine.plugins.deviceshare import DeviceSharePlugin
from vqs.engine.plugins.deviceshare.ascend import NOT_AVAILABLE
from vqs.engine.plugins.deviceshare.device_config import DEFAULT, Geometry, MigInstance, read_device_config
from vqs.engine.plugins.deviceshare.virtual_gpu import NOT_FITTING, MigUsage, has_shaken_hands
from vqs.explain.affected import evictions
from vqs.explain.cycles import run_cycles
from vqs.explain.simulate import SimulateOptions
from vqs.model.job import TaskStatus
from vqs.model.kubernetes import Node
from vqs.releases.profile import profile_of
from vqs.releases.release import Build, Release

NUMBER, MEMORY, CORES = "volcano.sh/vgpu-number", "volcano.sh/vgpu-memory", "volcano.sh/vgpu-cores"
IDS = "volcano.sh/vgpu-ids-new"
NPU = "huawei.com/Ascend310P"

GEOMETRIES = """
nvidia:
  resourceCountName: volcano.sh/vgpu-number
  resourceMemoryName: volcano.sh/vgpu-memory
  resourceCoreName: volcano.sh/vgpu-cores
  knownMigGeometries:
  - models: [A100]
    allowedGeometries:
    - {group: whole, geometries: [{name: 7g.80gb, memory: 81920, count: 1}]}
    - {group: mixed, geometries: [{name: 2g.20gb, memory: 20480, count: 3}, {name: 1g.10gb, memory: 10240, count: 1}]}
"""


def conf(actions: str = "allocate", plugins: str = "predicates", **arguments: Any) -> str:
    """Return a configuration with the plugin and some of its arguments."""
    named = json.dumps({f"deviceshare.{name}": value for name, value in arguments.items()})
    others = "".join(f"  - name: {name}\n" for name in plugins.split())
    return f'actions: "{actions}"\ntiers:\n- plugins:\n{others}  - name: deviceshare\n    arguments: {named}\n'


VGPU = conf(VGPUEnable=True)
SHARED = conf(GPUSharingEnable=True)
NPUS = conf(AscendHAMiVNPUEnable=True)


def device_node(name: str, amounts: Object, annotations: Object) -> Object:
    """Make a node with some amounts of resources and annotations."""
    made = node(name)
    made["status"]["allocatable"].update(amounts)
    made["metadata"]["annotations"] = annotations
    return made


def gpu_node(
    name: str = "n1", gpus: int = 2, memory: int = 10000, slots: int = 10, *, model: str = "NVIDIA-T4", mode: str = ""
) -> Object:
    """Make a node with GPUs, named after it from 0 on, as HAMi's device plugin registers them."""
    listed = "".join(f"{name}-{gpu},{slots},{memory},{model},true,{mode}:" for gpu in range(gpus))
    amounts = {NUMBER: gpus * slots, MEMORY: gpus * memory, CORES: gpus * 100}
    return device_node(name, amounts, {"volcano.sh/node-vgpu-register": listed})


def shared_node(name: str = "n1", gpus: int = 2, memory: int = 10, **annotations: str) -> Object:
    """Make a node that says how many GPUs it has, and how much memory together."""
    named = {f"volcano.sh/{key.replace('_', '-')}": value for key, value in annotations.items()}
    return device_node(name, {"volcano.sh/gpu-memory": gpus * memory, "volcano.sh/gpu-number": gpus}, named)


def npu_node(name: str, *cards: Object, model: str = "Ascend310P") -> Object:
    """Make a node with cards, as HAMi's device plugin registers them."""
    listed = [{"count": 7, "devmem": 21527, "devcore": 8, **card} for card in cards]
    return device_node(name, {f"huawei.com/{model}": 20}, {f"hami.io/node-register-{model}": json.dumps(listed)})


def user(
    name: str, of: str = "j", at: str = "", annotations: Object | None = None, *, limits: dict[str, int]
) -> Object:
    """Make a pod that is limited to amounts of resources, running where a node is given."""
    amounts = {key: str(value) for key, value in limits.items()}
    placed = {"node": at} if at else {}
    made = pod(name, of, annotations=annotations or {}, **placed)
    made["spec"]["containers"][0]["resources"] = {"requests": {"cpu": 1, **amounts}, "limits": amounts}
    return made


def vgpu(
    name: str = "p", number: int = 1, memory: int = 0, cores: int = 0, at: str = "", **annotations: str
) -> list[Object]:
    """Make a job of one pod that asks for virtual GPUs; the annotations are by the ends of their keys."""
    keys = {"ids": IDS, "mode": "volcano.sh/vgpu-mode", "use": "nvidia.com/use-gputype"}
    keys |= {"avoid": "nvidia.com/nouse-gputype", "phase": "volcano.sh/bind-phase"}
    amounts = {name: amount for name, amount in ((NUMBER, number), (MEMORY, memory), (CORES, cores)) if amount}
    made = user(name, f"of-{name}", at, {keys[key]: value for key, value in annotations.items()}, limits=amounts)
    return [group(f"of-{name}", phase="Running" if at else "Inqueue"), made]


def config_map(text: str = GEOMETRIES) -> Object:
    """Make the ConfigMap of the device configuration."""
    metadata = {"name": "volcano-vgpu-device-config", "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"device-config.yaml": text}}


def reasons(session: Session, name: str = "p") -> list[str]:
    """Return the reason of each node against a pod, empty where it fits."""
    task = next(task for job in session.jobs.values() for task in job.tasks.values() if task.name == name)
    return ["; ".join(session.reasons.texts(code)) for code in session.fit(task).codes.tolist()]


def scores(session: Session, name: str = "p") -> list[float]:
    """Return the score of each node for a pod; no other plugin scores."""
    task = next(task for job in session.jobs.values() for task in job.tasks.values() if task.name == name)
    return list(map(float, session.fit(task).scores))


def notices(session: Session) -> list[str]:
    """Return the codes of what the session has to say."""
    return [notice.code for notice in session.notices]


def nodes_of(session: FinishedSession) -> dict[str, str | None]:
    """Return where each pod is."""
    return {name: at for name, (_, at) in placements(session).items()}


# --- shares of GPUs ---------------------------------------------------------------------------------------------------


def test_a_share_needs_one_gpu_with_enough_memory() -> None:
    """Memory that is free on two GPUs together is of no use; what a running pod holds is in its annotation."""
    held = user("r", "r", "n1", {"volcano.sh/gpu-index": "0"}, limits={"volcano.sh/gpu-memory": 4})
    asking = [group("j"), user("p", limits={"volcano.sh/gpu-memory": 7})]
    assert reasons(open_session([shared_node(gpus=1), held, *asking], SHARED)) == [
        "Insufficient volcano.sh/gpu-memory"  # 6 of 10 are left
    ]
    one = [shared_node(), group("r", phase="Running"), held, *asking]
    assert reasons(open_session(one, SHARED)) == [""]
    other = user("s", "r", "n1", {"volcano.sh/gpu-index": "1"}, limits={"volcano.sh/gpu-memory": 5})
    assert reasons(open_session([*one, other], SHARED)) == ["GpuShare no enough gpu memory on node n1"]


def test_an_unhealthy_gpu_is_left_out() -> None:
    """The annotation of the node names it; what is no number in there does not count."""
    asking = [group("j"), user("p", limits={"volcano.sh/gpu-number": 2})]
    numbered = conf(GPUNumberEnable=True)
    assert reasons(open_session([shared_node(), *asking], numbered)) == [""]
    unhealthy = shared_node(gpu_unhealthy_ids="x,1")
    assert reasons(open_session([unhealthy, *asking], numbered)) == ["GpuNumber no enough gpu number on node n1"]


def test_a_gpu_that_is_shared_is_not_given_away_whole() -> None:
    """A pod on it is enough, whatever it holds of it."""
    held = user("r", "r", "n1", {"volcano.sh/gpu-index": "0"}, limits={"volcano.sh/gpu-number": 1})
    asking = [
        group("j"),
        user("p", limits={"volcano.sh/gpu-number": 1}),
        user("q", limits={"volcano.sh/gpu-number": 1}),
    ]
    session = run([shared_node(), group("r", phase="Running"), held, *asking], conf(GPUNumberEnable=True))
    assert sorted(filter(None, nodes_of(session).values())) == ["n1", "n1"]


def test_pods_of_a_session_fill_gpus_one_by_one() -> None:
    """Three pods of 6 in 10 and 10: the third finds no GPU, though 8 are left in all."""
    pods = [user(f"p{number}", limits={"volcano.sh/gpu-memory": 6}) for number in range(3)]
    session = run([shared_node(gpus=2), group("j"), *pods], SHARED)
    assert nodes_of(session) == {"p0": "n1", "p1": "n1", "p2": None}


def test_its_reasons_may_be_done_away_with_by_evictions() -> None:
    """The reasons of GPUs are no obstacle to preemption, those of NPUs are: the reference calls them an error."""
    asking = [group("j"), user("p", limits={"volcano.sh/gpu-memory": 11})]
    session = open_session([shared_node(), *asking], SHARED)
    codes = session.fit(session.jobs["ns/j"].tasks["p"]).codes
    assert not session.reasons.unresolvable(codes).any()
    asking = [group("j"), user("p", limits={NPU: 2})]
    session = open_session([npu_node("n1", {"id": "a"}), *asking], NPUS)
    codes = session.fit(session.jobs["ns/j"].tasks["p"]).codes
    assert session.reasons.against_eviction(codes).all()


def test_a_lack_of_npus_is_forgotten_by_the_next_action() -> None:
    """As the node is full of pods by then, which evictions change, reclaim does not ask for its NPUs any more."""
    full = npu_node("n1", {"id": "a"})
    full["status"]["allocatable"]["pods"] = 3
    running = [group("of-r", phase="Running", queue="q1"), *(pod(name, "of-r", node="n1") for name in "rs")]
    asking = [group("of-p", queue="q0"), user("p", "of-p", limits={NPU: 2})]
    filler = [group("of-z", queue="q1", created=1), pod("z", "of-z")]
    actions = conf("allocate, reclaim", plugins="gang predicates", AscendHAMiVNPUEnable=True)
    session = run([full, queue("q0"), queue("q1"), *running, *asking, *filler], actions)
    assert placements(session)["p"] == ("Pipelined", "n1")


# --- virtual GPUs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "held", "fits"),
    [
        ({"memory": 5000}, "n1-0,NVIDIA,6000,0:", False),
        ({"memory": 4000}, "n1-0,NVIDIA,6000,0:", True),
        ({"memory": 1, "cores": 60}, "n1-0,NVIDIA,0,50:", False),
        ({"memory": 1, "cores": 50}, "n1-0,NVIDIA,0,50:", True),
        ({"memory": 1, "cores": 100}, "n1-0,NVIDIA,0,0:", False),
        ({"memory": 1}, "n1-0,NVIDIA,0,100:", False),
        ({}, "n1-0,NVIDIA,1,0:", False),
        ({"memory": 1}, "elsewhere,NVIDIA,10000,100:", True),
    ],
)
def test_a_gpu_has_room_in_memory_and_in_cores(asked: dict[str, Any], held: str, fits: bool) -> None:
    """Without an amount, the whole memory is asked for; 100 cores are for one pod alone; a full one takes no other."""
    running = vgpu("r", at="n1", ids=held)
    session = open_session([gpu_node(gpus=1), running, vgpu("p", **asked)], VGPU)
    assert reasons(session) == ["" if fits else NOT_FITTING]


def test_slots_limit_how_many_share_a_gpu() -> None:
    """Two pods share a GPU of two slots, the third finds none."""
    objects: list[Any] = [gpu_node(gpus=1, slots=2), *(vgpu(f"p{number}", memory=1) for number in range(3))]
    assert sorted(map(str, nodes_of(run(objects, VGPU)).values())) == ["None", "n1", "n1"]


def test_a_pod_says_which_models_it_takes() -> None:
    """Parts of names are enough, in any case; which to use outweighs which to avoid."""
    nodes = [gpu_node("n1", model="NVIDIA-T4"), gpu_node("n2", model="NVIDIA-A100"), gpu_node("n3", model="MLU")]
    expected = {
        ("use", "a100,v100"): [NOT_FITTING, "", NOT_FITTING],
        ("avoid", "T4"): [NOT_FITTING, "", NOT_FITTING],
        ("mode", "mig"): [NOT_FITTING] * 3,
        ("mode", "hami-core"): ["", "", NOT_FITTING],
    }
    for (key, value), wanted in expected.items():
        says: dict[str, Any] = {key: value}
        assert reasons(open_session([*nodes, vgpu("p", memory=1, **says)], VGPU)) == wanted


def test_several_gpus_for_one_container_are_different_ones() -> None:
    """Two GPUs of a node with one are too many, however much room it has."""
    assert reasons(open_session([gpu_node(gpus=1), vgpu("p", 2, 100)], VGPU)) == [NOT_FITTING]
    assert reasons(open_session([gpu_node(gpus=2), vgpu("p", 2, 100)], VGPU)) == [""]


def test_scores_by_policy() -> None:
    """binpack: the memory in use with the pod there, as a percentage; spread: 100 for a GPU of its own."""
    objects: list[Any] = [
        gpu_node("n1", 1),
        gpu_node("n2", 1),
        vgpu("r", at="n2", ids="n2-0,NVIDIA,4000,0:"),
        vgpu("p", 1, 1000),
    ]
    packed = conf(VGPUEnable=True, ScheduleWeight=2, SchedulePolicy="binpack")
    assert scores(open_session(objects, packed)) == [20, 100]
    apart = conf(VGPUEnable=True, ScheduleWeight=2, SchedulePolicy="spread")
    assert scores(open_session(objects, apart)) == [200, 0]
    assert scores(open_session(objects, conf(VGPUEnable=True, SchedulePolicy="binpack"))) == [0, 0]


def test_preempt_compares_nodes_by_the_last_pod_that_fitted() -> None:
    """No GPU suits `late`; n2 scores better for `first`, which fitted it. Without `first`, n1 comes first by name."""
    running = [group("of-r", phase="Running"), pod("r1", "of-r", node="n1"), pod("r2", "of-r", node="n2")]
    late = vgpu("late", 1, 1000, use="V100")
    late[0]["metadata"]["creationTimestamp"] = "2026-01-01T00:00:09Z"
    first = vgpu("first", 1, 4000)
    nodes = [gpu_node("n1", memory=9000), gpu_node("n2", memory=8000)]
    actions = conf("allocate, preempt", "gang predicates", VGPUEnable=True, ScheduleWeight=1, SchedulePolicy="binpack")
    assert nodes_of(run([*nodes, running, first, late], actions))["late"] == "n2"
    assert nodes_of(run([*nodes, running, late], actions))["late"] == "n1"
    unasked = actions.replace("deviceshare\n", "deviceshare\n    enablePredicate: false\n")
    assert scores(open_session([*nodes, first], unasked), "first") == [0, 0]


def test_what_a_discarded_gang_was_given_stays_taken() -> None:
    """The gang of two finds one GPU; the job after it finds none, though the gang has nothing in the end."""
    gang = [group("of-a", 2), vgpu("a", 1)[1], user("b", "of-a", limits={NUMBER: 1})]
    session = run([gpu_node(gpus=1), *gang, vgpu("z", 1)], conf(VGPUEnable=True, plugins="gang predicates"))
    assert nodes_of(session) == {"a": None, "b": None, "z": None}


def test_what_a_discarded_gang_was_given_may_be_given_back() -> None:
    """From v1.15 on, the job after it finds the GPU."""
    gang = [group("of-a", 2), vgpu("a", 1)[1], user("b", "of-a", limits={NUMBER: 1})]
    objects: list[Any] = [gpu_node(gpus=1), *gang, vgpu("z", 1)]
    session = run(objects, conf(VGPUEnable=True, plugins="gang predicates"), profile=profile_of(Build(Release.V1_15)))
    assert nodes_of(session) == {"a": None, "b": None, "z": "n1"}


def test_a_spared_victim_that_has_no_devices_is_missed_once() -> None:
    """Since v1.15, it is gone from Kubernetes' account of the node for failing before its devices are looked at."""
    objects: list[Any] = [gpu_node(gpus=1), vgpu("p", number=2, at="n1")]
    session = open_session(objects, VGPU, profile=profile_of(Build(Release.V1_15)))
    [task] = [task for job in session.jobs.values() for task in job.tasks.values()]
    session.evict(task)
    without = session.nodes.requested.copy()
    session.unevict(task)
    assert (session.nodes.requested == without).all()


def test_a_pod_that_has_its_devices_keeps_them() -> None:
    """What the annotation of a waiting pod says of its node counts once; of another node, it says nothing."""
    has = {IDS: "n1-0,NVIDIA,6000,0:", "volcano.sh/vgpu-node": "n1"}
    objects: list[Any] = [gpu_node(gpus=1), vgpu("a", memory=6000), vgpu("b", memory=4000)]
    objects[1][1]["metadata"]["annotations"] |= has
    assert nodes_of(run(objects, VGPU, profile=profile_of(Build(Release.V1_15)))) == {"a": "n1", "b": "n1"}


def test_without_the_plugin_predicates_nothing_is_given_within_a_session() -> None:
    """It is what has devices given to pods; without it, all find the GPU as it was when the session opened."""
    objects: list[Any] = [gpu_node(gpus=1), vgpu("p"), vgpu("q")]
    assert nodes_of(run(objects, VGPU)) == {"p": "n1", "q": None}
    assert nodes_of(run(objects, conf(VGPUEnable=True, plugins=""))) == {"p": "n1", "q": "n1"}


def test_a_node_that_registers_no_gpu_makes_the_scheduler_panic() -> None:
    """Its allocatable has GPUs, and so the pod goes there; the reference looks up devices that are not there."""
    unregistered = device_node("n1", {NUMBER: 10, MEMORY: 1000, CORES: 100}, {})
    session = run([unregistered, vgpu("p", memory=1)], VGPU)
    assert nodes_of(session) == {"p": "n1"}
    assert "scheduler-panics" in notices(session)
    assert "scheduler-panics" not in notices(run([gpu_node(), vgpu("p", memory=1)], VGPU))


@pytest.mark.parametrize(
    ("actions", "weight", "panics"),
    [("allocate, preempt", 10, True), ("allocate, preempt", 0, False), ("allocate", 10, False)],
)
def test_preempt_scores_nodes_without_gpus_although_no_eviction_helps(
    actions: str, weight: int, *, panics: bool
) -> None:
    """Allocate scores what fits alone; preempt scores all nodes that are not ruled out, and the reference panics."""
    text = conf(actions, "gang predicates", VGPUEnable=True, ScheduleWeight=weight)
    session = run([node("n1"), vgpu("p", memory=1)], text)
    assert nodes_of(session) == {"p": None}
    assert ("scheduler-panics" in notices(session)) is panics


@pytest.mark.parametrize(("without_filters", "fits"), [("deviceshare", False), ("predicates", True), ("", False)])
def test_the_plugin_predicates_has_devices_tried_where_evictions_are(without_filters: str, *, fits: bool) -> None:
    """It is its switch that counts, and not that of deviceshare: no GPU has as much memory as the pod asks for."""
    text = SHARED.replace(f"name: {without_filters}\n", f"name: {without_filters}\n    enablePredicate: false\n")
    asking = [group("j"), user("p", limits={"volcano.sh/gpu-memory": 11})]
    session = open_session([shared_node(memory=10), *asking], text, profile=profile_of(Build(Release.V1_15)))
    task = next(iter(session.tasks()))
    assert session.plugins.simulate_predicate(task, 0, []) is fits


@pytest.mark.parametrize(("release", "at"), [(Release.V1_15, None), (Release.V1_16, "n1")])
def test_what_gangpreempt_tries_out_is_undone_before_it_is_done(release: Release, at: str | None) -> None:
    """In v1.15, the share that the pod was given in the trial stays taken, and then there is none for it."""
    running = []
    for gpu in "01":
        held = {"volcano.sh/gpu-index": gpu, "volcano.sh/predicate-time": "1", "volcano.sh/preemptable": "true"}
        running.append(user(f"r{gpu}", f"r{gpu}", "n1", held, limits={"volcano.sh/gpu-memory": 10}))
        running.append(group(f"r{gpu}", phase="Running", priorityClassName="low"))
    asking = user("p", limits={"volcano.sh/gpu-memory": 10})
    objects = [shared_node(), queue("default"), *classes(), *running, group("j", priorityClassName="high"), asking]
    tiers = conf("", "priority gang predicates", GPUSharingEnable=True).removeprefix('actions: ""')
    session = run_for_gangs(objects, "gangpreempt", tiers, release)
    assert nodes_of(session)["p"] == at
    assert sum(task.status is TaskStatus.Releasing for task in session.tasks()) == (at is not None)


def test_the_next_session_knows_what_this_one_gave() -> None:
    """A pod that is bound has the annotation that says so; the one that waits finds no GPU later either."""
    objects: list[Any] = [gpu_node(gpus=1), vgpu("p"), vgpu("q")]
    cycles = run_cycles(manifests(objects, VGPU), SimulateOptions(now=NOW), 3)
    assert [name for cycle in cycles.cycles for name in cycle.bound] == ["ns/p"]
    assert cycles.settled


# --- MIG --------------------------------------------------------------------------------------------------------------


def test_mig_gives_the_smallest_instance_that_is_free() -> None:
    """A GPU that holds an instance keeps its geometry; of sizes that no pod holds, none is given."""
    nodes = [gpu_node("n1", 1, 81920, model="NVIDIA-A100", mode="mig"), config_map()]
    assert reasons(open_session([*nodes, vgpu("p", memory=50000)], VGPU)) == [""]
    held = vgpu("r", at="n1", ids="n1-0[mixed-0],NVIDIA,20480,0:")
    assert reasons(open_session([*nodes, held, vgpu("p", memory=50000)], VGPU)) == [NOT_FITTING]
    assert reasons(open_session([*nodes, held, vgpu("p", memory=5000)], VGPU)) == [""]


def test_without_known_geometries_mig_is_shared_like_any_gpu() -> None:
    """The default configuration knows none, and a note says where Volcano would read others."""
    nodes = [gpu_node("n1", 1, 81920, model="NVIDIA-A100", mode="mig")]
    session = open_session([*nodes, vgpu("p", memory=5000, mode="hami-core")], VGPU)
    assert reasons(session) == [""]
    assert "device-config-missing" in notices(session)
    assert "device-config-missing" not in notices(open_session([*nodes, config_map()], VGPU))


@given(st.lists(st.integers(0, 3), unique=True, max_size=4))
def test_instances_given_back_leave_no_trace(positions: list[int]) -> None:
    """What was taken and given back, in whatever order, is free; the geometry stays."""
    sizes = (MigInstance("large", 20480, 3), MigInstance("small", 10240, 1))
    usage = MigUsage([Geometry("mixed", sizes)])
    taken = [usage.take("mixed", position) for position in positions]
    assert taken == [20480 if position < 3 else 10240 for position in positions]
    for position in sorted(positions):
        usage.give_back("mixed", position)
    assert not usage.used
    assert usage.chosen == (0 if positions else None)


# --- virtual NPUs -----------------------------------------------------------------------------------------------------


def npu_job(name: str = "p", number: int = 1, memory: int = 0) -> list[Object]:
    """Make a job of one pod that asks for NPUs."""
    amounts = {key: amount for key, amount in ((NPU, number), (f"{NPU}-memory", memory)) if amount}
    return [group(f"of-{name}"), user(name, f"of-{name}", limits=amounts)]


def test_the_memory_of_npus_is_no_resource_of_nodes() -> None:
    """No node has it in its allocatable; where a node registers cards, scheduling ignores it, and elsewhere not."""
    assert reasons(open_session([npu_node("n1", {"id": "a"}), npu_job(memory=3000)], NPUS)) == [""]
    plain = device_node("n1", {NPU: 1}, {})
    assert reasons(open_session([plain, npu_job(memory=3000)], NPUS)) == [f"Insufficient {NPU}-memory"]


def test_the_memory_of_npus_may_be_listed_where_nobody_asks_for_it() -> None:
    """A node has it in its allocatable nonetheless: it is left out, and the pod has its card."""
    listed = npu_node("n1", {"id": "a"})
    listed["status"]["allocatable"][f"{NPU}-memory"] = "20000"
    assert nodes_of(run([listed, npu_job()], NPUS)) == {"p": "n1"}


def test_memory_is_rounded_up_to_a_template() -> None:
    """4000 MiB take 6144 of 21527: three pods share a card, and the fourth does not fit."""
    objects: list[Any] = [npu_node("n1", {"id": "a"}), *(npu_job(f"p{number}", memory=4000) for number in range(4))]
    assert sorted(map(str, nodes_of(run(objects, NPUS)).values())) == ["None", "n1", "n1", "n1"]


def test_several_cards_are_given_whole_only() -> None:
    """Two cards with a part of their memory are refused; two whole ones are not."""
    cards = [{"id": "a"}, {"id": "b"}]
    assert reasons(open_session([npu_node("n1", *cards), npu_job(number=2, memory=3000)], NPUS)) == [NOT_AVAILABLE]
    assert reasons(open_session([npu_node("n1", *cards), npu_job(number=2)], NPUS)) == [""]


def test_cards_in_one_network_score_higher() -> None:
    """Containers whose cards are all in one network give the node 10 more, half of them 5."""
    config = config_map(
        "vnpus: [{commonWord: Ascend910B, resourceName: huawei.com/Ascend910B, memoryAllocatable: 100, "
        "memoryCapacity: 100, resourceMemoryName: huawei.com/Ascend910B-memory}]"
    )

    def cards(*networks: int) -> list[Object]:
        return [
            {"id": f"c{number}", "devmem": 100, "custominfo": {"NetworkID": network}}
            for number, network in enumerate(networks)
        ]

    asking = user("p", limits={"huawei.com/Ascend910B": 1})
    asking["spec"]["containers"].append({**asking["spec"]["containers"][0], "name": "d"})
    nodes = [npu_node("n1", *cards(0, 1), model="Ascend910B"), npu_node("n2", *cards(1, 1), model="Ascend910B")]
    session = open_session(
        [config, *nodes, group("j"), asking], conf(AscendHAMiVNPUEnable=True, ScheduleWeight=1, SchedulePolicy="spread")
    )
    assert scores(session) == [5, 10]


# --- arguments and the device configuration ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        {"GPUSharingEnable": True, "GPUNumberEnable": True},
        {"GPUSharingEnable": True, "VGPUEnable": True},
        {"GPUNumberEnable": True, "VGPUEnable": True},
    ],
)
def test_kinds_that_rule_each_other_out_stop_the_scheduler(arguments: dict[str, Any]) -> None:
    """Volcano exits, and so nothing is scheduled, also not what asks for no device."""
    session = run([node("n1"), group("j"), pod("p", "j")], conf(**arguments))
    assert nodes_of(session) == {"p": None}
    assert "scheduler exits" in session.standstill


def mind_cluster(name: str, **labels: str) -> Object:
    """Make a pod with a limit of AI cores."""
    made = user(name, limits={"huawei.com/npu-core": 2})
    made["metadata"]["labels"] = {key.replace("_", "-").replace("--", "."): value for key, value in labels.items()}
    return made


def test_mind_cluster_is_said_not_to_be_modelled() -> None:
    """A warning names the pods, says what is not known of the chips, and the cores count as a resource of the node."""
    chip = {"ring_controller__atlas": "ascend-310P"}
    objects = [device_node("n1", {"huawei.com/npu-core": 3}, {}), group("j"), mind_cluster("p", **chip)]
    text = conf(AscendMindClusterVNPUEnable=True)
    session = run([*objects, mind_cluster("q", **chip), mind_cluster("r")], text)
    (notice,) = session.notices
    assert notice.code == "not-built"
    assert notice.message.startswith("plugin deviceshare: ns/p and ns/q ask for virtual NPUs of MindCluster, and which")
    assert sorted(filter(None, nodes_of(session).values())) == ["n1"]


def test_pods_that_ask_for_no_chip_of_mind_cluster_need_no_warning() -> None:
    """Without the label of such a chip, the plugin does not look at a pod."""
    objects = [device_node("n1", {"huawei.com/npu-core": 3}, {}), group("j"), pod("p", "j"), mind_cluster("r")]
    session = run(objects, conf(AscendMindClusterVNPUEnable=True))
    assert notices(session) == []
    assert nodes_of(session) == {"p": "n1", "r": "n1"}


@pytest.mark.parametrize("text", ["nvidia: [", "nvidia: 3", "vnpus: {configs: 1}"])
def test_a_device_configuration_that_cannot_be_read_is_not_used(text: str) -> None:
    """Volcano takes its default for all of it then."""
    assert read_device_config(text) is None
    assert reasons(open_session([config_map(text), gpu_node(), vgpu("p", memory=1)], VGPU)) == [""]


def test_both_forms_of_virtual_npus_are_read() -> None:
    """A list, or an object with the list as `configs`; what is null counts as not given."""
    listed = read_device_config("vnpus: [{commonWord: X, templates: null}]")
    wrapped = read_device_config("vnpus: {hamiVnpuCore: true, configs: [{commonWord: X}]}")
    assert listed is not None
    assert wrapped is not None
    assert listed.npus == wrapped.npus
    assert [config.common_word for config in DEFAULT.npus] == ["Ascend310P"]


# --- laws -------------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 9000), st.sampled_from([0, 20, 50, 100])), max_size=8))
def test_no_gpu_is_given_beyond_what_it_has(asked: list[tuple[int, int, int]]) -> None:
    """Whatever pods ask for, slots, memory and cores of each GPU are enough for those on it."""
    jobs = [vgpu(f"p{index}", *each) for index, each in enumerate(asked)]
    session = open_session([gpu_node("n1", 2, slots=3), gpu_node("n2", 3, slots=3), *jobs], VGPU)
    scheduler.run_actions(session)
    plugin = next(plugin for plugin in session._opened if isinstance(plugin, DeviceSharePlugin))
    for on_node in plugin.devices:
        for gpu in on_node[0].gpus:  # type: ignore[union-attr]
            assert gpu.slots_used <= gpu.slots
            assert gpu.memory_used <= gpu.memory
            assert gpu.cores_used <= 100


@pytest.mark.parametrize(
    ("handshake", "counts"),
    [
        (None, False),
        ("Reported_2026.01.01 00:00:00", True),
        ("Deleted_2026.01.01 00:00:00", False),
        ("Requesting_2026.01.02 11:59:30", True),
        ("Requesting_2026.01.02 11:58:59", False),
        ("Requesting_yesterday", False),
        ("Requesting", False),
    ],
)
def test_a_device_plugin_may_have_to_answer_in_time(handshake: str | None, counts: bool) -> None:
    """It has 60 seconds; one that is not asked at the moment answered before."""
    made = gpu_node()
    if handshake is not None:
        made["metadata"]["annotations"]["volcano.sh/node-vgpu-handshake"] = handshake
    asked = msgspec.convert(made, Node)
    assert has_shaken_hands(datetime(2026, 1, 2, 12, tzinfo=UTC), asked) is counts


def test_a_plan_that_failed_halfway_leaves_its_promises() -> None:
    """Where the devices of the trial were kept and the next plan succeeds, the task that was promised room keeps it."""
    running = []
    for name, card, amount, preemptable in (
        ("r1", "0", 10, "true"),
        ("keep", "0", 10, "false"),
        ("r0", "1", 20, "true"),
    ):
        given = {"volcano.sh/gpu-index": card, "volcano.sh/predicate-time": "1", "volcano.sh/preemptable": preemptable}
        running.append(user(name, name, "n1", given, limits={"volcano.sh/gpu-memory": amount}))
        running.append(group(name, phase="Running", priorityClassName="low"))
    members = [pod("a", "j", cpu=1), user("b", limits={"volcano.sh/gpu-memory": 10})]
    gang_of_two = group("j", minMember=2, priorityClassName="high")
    objects = [shared_node(memory=20), queue("default"), *classes(), *running, gang_of_two, *members]
    tiers = conf("", "priority gang predicates", GPUSharingEnable=True).removeprefix('actions: ""')
    session = run_for_gangs(objects, "gangpreempt", tiers, Release.V1_15)
    assert {name: nodes_of(session)[name] for name in ("a", "b")} == {"a": "n1", "b": "n1"}
    assert [each.task for each in evictions(session)] == ["ns/r1", "ns/r0"]
