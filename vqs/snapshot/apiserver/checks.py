"""What is wrong with an object by itself; whether its queue or priority class exists is a matter of scheduling.

A table has, by type, what the API server would refuse and scheduling would stumble over. An object that is stored in a
cluster has passed all checks of its creation: of it, only what cannot be calculated with is wrong.
References: k8s.io/kubernetes pkg/apis/core/validation; the custom resource definitions of volcano-sh/volcano.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.model.cpu_set import CpuSetError, parse_cpu_set
from vqs.model.number_text import whole_number
from vqs.model.quantity import TOO_MUCH, QuantityError, parse
from vqs.model.selectors import Requirement
from vqs.releases.profile import Profile
from vqs.snapshot.apiserver.admission import refusals
from vqs.snapshot.apiserver.validation.expressions import undecided
from vqs.snapshot.cluster.numa import RESERVABLE
from vqs.snapshot.reading.diagnostics import Defect, Path, did_you_mean, one_of
from vqs.snapshot.reading.reach import most_pods_of_one

_MAX_NUMA_NODE: Final = 63
"""Sets of NUMA nodes are masks of 64 bits."""
_MAX_CPUS: Final = 8192
"""Linux runs on no more CPUs."""
_MOST_AMOUNT: Final = 2**63 - 1
"""The API server stores any larger amount as this one."""

_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS: Final = (*_LABEL_OPERATORS, "Gt", "Lt")
_TAINT_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_POD_PHASES: Final = ("Pending", "Running", "Succeeded", "Failed", "Unknown")

Rule = Callable[[Any, Path, bool, list[Defect]], None]
"""Adds what is wrong with a part of an object, given that, where it stands, and whether the object is stored."""


def judged(obj: Any, profile: Profile) -> Iterator[Defect]:
    """Yield what is wrong with a new object, and why a webhook of a release denies it."""
    yield from defects(obj)
    yield from denials(obj, profile)


def denials(obj: Any, profile: Profile) -> Iterator[Defect]:
    """Yield why a webhook of a release denies a new object, where that is no matter of other objects."""
    if isinstance(obj, k8s.VolcanoJob):
        yield from refusals(obj, profile)


def defects(obj: Any, *, stored: bool = False) -> list[Defect]:
    """What is wrong with an object; of one that is stored in a cluster, only what cannot be calculated with."""
    found: list[Defect] = []
    if not obj.metadata.name:
        hint = "metadata.generateName is not a name" if obj.metadata.generate_name else ""
        found.append(Defect("missing-name", ("metadata", "name"), "metadata.name is missing", hint))
    for rule in _RULES.get(type(obj), ()):
        rule(obj, (), stored, found)
    return found


def defects_beside_spec(pod: k8s.Pod, *, stored: bool) -> Sequence[Defect]:
    """What is wrong with a pod, as `defects` has it, where its spec is known to be sound."""
    status = pod.status
    says_little = not (status.container_statuses or status.init_container_statuses)
    if says_little and status.phase in _POD_PHASES and pod.metadata.name:
        return ()
    return defects(k8s.Pod(metadata=pod.metadata, status=status), stored=stored)


# --- rules ------------------------------------------------------------------------------------------------------------


def _inside(name: str, *rules: Rule) -> Rule:
    """Judge what is in a field: one part, a list or a map of parts, or none."""

    def rule(value: Any, path: Path, stored: bool, found: list[Defect]) -> None:
        part = getattr(value, name)
        if not part:
            return
        at = (*path, _written(value, name))
        if isinstance(part, list | dict):
            for key, each in enumerate(part) if isinstance(part, list) else part.items():
                for inner in rules:
                    inner(each, (*at, key), stored, found)
        else:
            for inner in rules:
                inner(part, at, stored, found)

    return rule


def _written(value: Any, name: str) -> str:
    """The name of a field as it is written in files."""
    type_ = type(value)
    return str(type_.__struct_encode_fields__[type_.__struct_fields__.index(name)])


def _if_new(*rules: Rule) -> Rule:
    def rule(value: Any, path: Path, stored: bool, found: list[Defect]) -> None:
        if not stored:
            for each in rules:
                each(value, path, stored, found)

    return rule


def _amounts(name: str, *, below_zero: bool = False) -> Rule:
    """Judge one or more amounts: quantities, and in new objects not below zero, unless they may be that."""

    def rule(value: Any, path: Path, stored: bool, found: list[Defect]) -> None:
        given = getattr(value, name)
        is_list = given is None or isinstance(given, dict)
        for key, amount in (given or {}).items() if is_list else [("", given)]:
            defect = _quantity_defect(amount)
            if defect is not None and (defect.code == "invalid-quantity" or not (stored or below_zero)):
                place = (*path, _written(value, name))
                found.append(defect._replace(path=(*place, key) if is_list else place))

    return rule


@lru_cache(maxsize=65536)
def _quantity_defect(amount: k8s.Quantity) -> Defect | None:
    try:
        exact = parse(amount)
    except QuantityError as error:
        hint = f"did you mean {error.suggestion!r}?" if error.suggestion else ""
        return Defect("invalid-quantity", (), error.message, hint)
    if exact < 0:
        return Defect("negative-quantity", (), f"{amount!r} is less than zero")
    if exact > _MOST_AMOUNT:
        return Defect("invalid-quantity", (), f"{amount!r} is not a quantity: {TOO_MUCH}")
    return None


def _choice(name: str, choices: Sequence[str], *, required: bool = False) -> Rule:
    """Judge a text that has to be one of some, or need not be given."""

    def rule(value: Any, path: Path, _: bool, found: list[Defect]) -> None:
        text = getattr(value, name)
        if text not in choices and (text or required):
            found.append(_no_choice(text, (*path, _written(value, name)), choices))

    return rule


def _no_choice(text: str | None, path: Path, choices: Sequence[str]) -> Defect:
    subject = f"{text!r} is not allowed" if text else f"{path[-1]} is missing"
    message = f"{subject}; expected {one_of(choices)}"
    return Defect("invalid-value", path, message, did_you_mean(text or "", choices))


def _bounded(
    name: str, least: int, most: int | Callable[[], int] | None = None, *, code: str = "invalid-value"
) -> Rule:
    """Judge a number that has to be within limits, if it is given."""

    def rule(value: Any, path: Path, _: bool, found: list[Defect]) -> None:
        number = getattr(value, name)
        if number is None:
            return
        highest = most() if callable(most) else most
        if number < least or (highest is not None and number > highest):
            limits = f"at least {least}" if highest is None else f"{least} to {highest}"
            message = f"{number} is out of range; expected {limits}"
            found.append(Defect(code, (*path, _written(value, name)), message))

    return rule


def _present(name: str) -> Rule:
    """Judge a text that has to be given."""

    def rule(value: Any, path: Path, _: bool, found: list[Defect]) -> None:
        if not getattr(value, name):
            written = _written(value, name)
            found.append(Defect("invalid-value", (*path, written), f"{written} is missing"))

    return rule


def _requirement(operators: Sequence[str]) -> Rule:
    """Judge the operator and the values of a requirement of a selector."""

    def rule(requirement: Any, path: Path, _: bool, found: list[Defect]) -> None:
        operator, values, at = requirement.operator, requirement.values, (*path, "values")
        if operator in ("In", "NotIn") and not values:
            found.append(Defect("invalid-value", at, f"operator {operator} needs values"))
        if operator in ("Exists", "DoesNotExist") and values:
            found.append(Defect("invalid-value", at, f"operator {operator} takes no values"))
        if operator in ("Gt", "Lt") and operator in operators:
            if len(values) != 1:  # all that the API server looks at
                found.append(Defect("invalid-value", at, f"operator {operator} needs one whole number"))
            elif not Requirement("", operator, tuple(values)).well_formed:
                message = f"operator {operator} matches nothing, as {values[0]!r} is not a whole number"
                found.append(Defect("invalid-value", at, message, severity="warning"))

    return rule


def _requirements(name: str, operators: Sequence[str]) -> Rule:
    return _inside(name, _present("key"), _choice("operator", operators, required=True), _requirement(operators))


def _labels(name: str) -> Rule:
    return _inside(name, _requirements("match_expressions", _LABEL_OPERATORS))


def _labels_of_custom(name: str) -> Rule:
    """Judge what keeps a selector in a custom resource from matching; the API server does not check it."""
    judge = _labels(name)

    def rule(value: Any, path: Path, stored: bool, found: list[Defect]) -> None:
        own: list[Defect] = []
        judge(value, path, stored, own)
        prefix = "the selector matches nothing: "
        found += [each._replace(message=f"{prefix}{each.message}", severity="warning") for each in own]

    return rule


def _toleration(toleration: k8s.Toleration, path: Path, _: bool, found: list[Defect]) -> None:
    if toleration.operator == "Exists" and toleration.value:
        found.append(Defect("invalid-value", (*path, "value"), "operator Exists takes no value", "use operator Equal"))
    if not toleration.key and toleration.operator in ("", "Equal"):
        found.append(Defect("invalid-value", path, "a toleration without key needs operator Exists"))


def _pattern(member: k8s.HyperNodeMember, path: Path, _: bool, found: list[Defect]) -> None:
    """Add that it is not known what the pattern of a member matches; one that Go refuses matches nothing."""
    pattern = member.selector.regex_match
    if pattern is not None and (reason := undecided(pattern.pattern)):
        found.append(Defect("invalid-value", (*path, "selector", "regexMatch", "pattern"), reason))


def _numa_resources(spec: k8s.NumatopologySpec, path: Path, _: bool, found: list[Defect]) -> None:
    for name, resource in spec.numares.items():
        try:
            parse_cpu_set(resource.allocatable)
        except CpuSetError as error:
            place = (*path, "numares", name, "allocatable")
            found.append(Defect("invalid-value", place, str(error), "write it as 0-3,8"))


def _countable_cpus(spec: k8s.NumatopologySpec, path: Path, stored: bool, found: list[Defect]) -> None:
    """Add what keeps the CPUs of a node from being counted."""
    if len(spec.cpu_detail) > _MAX_CPUS:
        message = f"{len(spec.cpu_detail):,} CPUs; a node has at most {_MAX_CPUS:,}"
        found.append(Defect("invalid-value", (*path, "cpuDetail"), message))
    else:
        _inside("cpu_detail", _bounded("numa", 0, _MAX_NUMA_NODE))(spec, path, stored, found)


def _cpu_number(_: k8s.CpuInfo, path: Path, __: bool, found: list[Defect]) -> None:
    if whole_number(str(path[-1])) is None:
        found.append(Defect("invalid-value", path, f"{path[-1]!r} is not the number of a CPU"))


def _reservable(spec: k8s.NumatopologySpec, path: Path, _: bool, found: list[Defect]) -> None:
    unknown = (name for name in spec.res_reserved if name not in RESERVABLE)
    found += [_no_choice(name, (*path, "resReserved", name), RESERVABLE) for name in unknown]


# --- the table --------------------------------------------------------------------------------------------------------

_REPLICAS: Final = _bounded("replicas", 0, most_pods_of_one)
_REQUIREMENTS: Final = (_amounts("requests"), _amounts("limits"))
_RESOURCES: Final = _inside("resources", *_REQUIREMENTS)
_PORTS: Final = _inside("ports", _choice("protocol", ("TCP", "UDP", "SCTP")))
_PREEMPTION: Final = _choice("preemption_policy", ("Never", "PreemptLowerPriority"))
_NODE_TERM: Final = (
    _requirements("match_expressions", _NODE_OPERATORS),
    _requirements("match_fields", ("In", "NotIn")),
)
_NODES: Final = _inside("required", _inside("node_selector_terms", *_NODE_TERM))
_WEIGHT: Final = _bounded("weight", 1, 100)
_POD_TERM: Final = (_present("topology_key"), _labels("label_selector"), _labels("namespace_selector"))
_OTHER_PODS: Final = (
    _inside("required", *_POD_TERM),
    _inside("preferred", _WEIGHT, _inside("pod_affinity_term", *_POD_TERM)),
)
_AFFINITY: Final = _inside(
    "affinity",
    _inside("node_affinity", _NODES, _inside("preferred", _WEIGHT, _inside("preference", *_NODE_TERM))),
    _inside("pod_affinity", *_OTHER_PODS),
    _inside("pod_anti_affinity", *_OTHER_PODS),
)
_TOLERATIONS: Final = _inside(
    "tolerations", _choice("operator", ("Exists", "Equal")), _choice("effect", _TAINT_EFFECTS), _toleration
)
_SPREAD: Final = _inside(
    "topology_spread_constraints",
    _choice("when_unsatisfiable", ("DoNotSchedule", "ScheduleAnyway"), required=True),
    _present("topology_key"),
    _bounded("max_skew", 1),
    _bounded("min_domains", 1),
    _labels("label_selector"),
    _choice("node_affinity_policy", ("Honor", "Ignore")),
    _choice("node_taints_policy", ("Honor", "Ignore")),
)
_POD_SPEC: Final = _inside(
    "spec",
    _inside("containers", _RESOURCES, _if_new(_PORTS)),
    _inside(
        "init_containers",
        _RESOURCES,
        _if_new(_PORTS, _choice("restart_policy", ("Always", "OnFailure", "Never"))),
    ),
    _amounts("overhead"),
    _RESOURCES,
    _inside("volumes", _inside("ephemeral", _inside("volume_claim_template", _inside("spec", _RESOURCES)))),
    _if_new(_TOLERATIONS, _AFFINITY, _SPREAD, _PREEMPTION),
)
_CONTAINER_STATUS: Final = (_RESOURCES, _amounts("allocated_resources"))
_POD_STATUS: Final = _inside(
    "status",
    _choice("phase", _POD_PHASES),
    _inside("container_statuses", *_CONTAINER_STATUS),
    _inside("init_container_statuses", *_CONTAINER_STATUS),
)
_TEMPLATE: Final = _inside("template", _POD_SPEC)
_CLAIM: Final = (_RESOURCES, _if_new(_labels("selector")))
_TOPOLOGY: Final = _inside("network_topology", _choice("mode", ("hard", "soft")), _bounded("highest_tier_allowed", 0))
_WORKLOAD: Final = _inside(
    "spec",
    _if_new(_labels("selector")),
    _REPLICAS,
    _TEMPLATE,
    _if_new(_choice("pod_management_policy", ("OrderedReady", "Parallel"))),
    _inside("volume_claim_templates", _inside("spec", *_CLAIM)),
)
_DEVICE_REQUEST: Final = (
    _present("device_class_name"),
    _inside("capacity", _amounts("requests", below_zero=True)),
)
_DEVICES: Final = _inside(
    "devices",
    _inside("requests", _inside("exactly", *_DEVICE_REQUEST), _inside("first_available", *_DEVICE_REQUEST)),
)

_RULES: Final[Mapping[type, Sequence[Rule]]] = {
    k8s.Pod: (_POD_SPEC, _POD_STATUS),
    k8s.Node: (
        _inside("status", _amounts("allocatable"), _amounts("capacity")),
        _if_new(
            _inside("spec", _inside("taints", _present("key"), _choice("effect", _TAINT_EFFECTS, required=True))),
            _inside("status", _inside("conditions", _choice("status", ("True", "False", "Unknown")))),
        ),
    ),
    k8s.Queue: (
        _inside(
            "spec",
            _if_new(_bounded("weight", 1, 65535, code="invalid-weight"), _bounded("priority", 0)),
            _amounts("capability"),
            _amounts("deserved"),
            _inside("guarantee", _amounts("resource")),
        ),
        _inside("status", _amounts("allocated")),
        _if_new(_inside("spec", _choice("dequeue_strategy", ("fifo", "traverse")))),
        _inside("status", _choice("state", ("Open", "Closed", "Closing", "Unknown"))),
    ),
    k8s.PodGroup: (
        _inside(
            "spec",
            _if_new(_bounded("min_member", 0)),
            _amounts("min_resources"),
            _if_new(
                _TOPOLOGY,
                _inside(
                    "sub_group_policy",
                    _bounded("sub_group_size", 1),
                    _bounded("min_sub_groups", 0),
                    _labels_of_custom("label_selector"),
                    _TOPOLOGY,
                ),
            ),
        ),
        _inside("status", _choice("phase", ("Pending", "Running", "Unknown", "Inqueue", "Completed"))),
    ),
    k8s.PriorityClass: (_if_new(_PREEMPTION),),
    k8s.RuntimeClass: (_if_new(_inside("overhead", _amounts("pod_fixed")), _inside("scheduling", _TOLERATIONS)),),
    k8s.ResourceQuota: (_inside("spec", _amounts("hard")), _inside("status", _amounts("hard"), _amounts("used"))),
    k8s.LimitRange: (_inside("spec", _inside("limits", *map(_amounts, ("default", "default_request", "min", "max")))),),
    k8s.ReplicaSet: (_WORKLOAD,),
    k8s.StatefulSet: (_WORKLOAD,),
    k8s.Deployment: (_WORKLOAD,),
    k8s.Job: (
        _inside(
            "spec",
            _bounded("parallelism", 0, most_pods_of_one),
            _bounded("completions", 0, most_pods_of_one),
            _if_new(_choice("completion_mode", ("NonIndexed", "Indexed"))),
            _TEMPLATE,
        ),
    ),
    k8s.VolcanoJob: (
        _inside(
            "spec",
            _if_new(_bounded("min_available", 0), _TOPOLOGY),
            _inside(
                "tasks",
                _REPLICAS,
                _if_new(_bounded("min_available", 0)),
                _TEMPLATE,
                _if_new(_inside("partition_policy", _bounded("min_partitions", 0), _TOPOLOGY)),
            ),
            _inside("volumes", _inside("volume_claim", *_CLAIM)),
        ),
    ),
    k8s.PodDisruptionBudget: (_if_new(_inside("spec", _labels("selector"))),),
    k8s.PersistentVolumeClaim: (_inside("spec", *_CLAIM), _if_new(_inside("status", _amounts("capacity")))),
    k8s.PersistentVolume: (_inside("spec", _amounts("capacity"), _if_new(_inside("node_affinity", _NODES))),),
    k8s.StorageClass: (_if_new(_choice("volume_binding_mode", ("Immediate", "WaitForFirstConsumer"))),),
    k8s.CSIStorageCapacity: (
        _amounts("capacity"),
        _amounts("maximum_volume_size"),
        _if_new(_labels("node_topology")),
    ),
    devices.ResourceSlice: (
        _inside("spec", _inside("devices", _inside("capacity", _amounts("value", below_zero=True)))),
    ),
    devices.ResourceClaim: (_if_new(_inside("spec", _DEVICES)),),
    devices.ResourceClaimTemplate: (_if_new(_inside("spec", _inside("spec", _DEVICES))),),
    k8s.HyperNode: (
        _inside(
            "spec",
            _if_new(
                _bounded("tier", 0),
                _inside(
                    "members",
                    _choice("type", ("Node", "HyperNode"), required=True),
                    _inside("selector", _labels_of_custom("label_match")),
                ),
            ),
            _inside("members", _pattern),
        ),
    ),
    k8s.Numatopology: (
        _inside(
            "spec",
            _if_new(_numa_resources),
            _countable_cpus,
            _if_new(
                _inside("cpu_detail", _cpu_number, _bounded("socket", 0), _bounded("core", 0)),
                _amounts("res_reserved"),
                _reservable,
            ),
        ),
    ),
}
"""What is judged of an object, by type."""
