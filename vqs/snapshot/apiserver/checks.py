"""What is wrong with an object by itself; whether its queue or priority class exists is a matter of scheduling.

What the API server would refuse and scheduling would stumble over is marked in rules.txt; each amount is such a value.
An object that is stored in a cluster has passed all checks of its creation: of it, only what cannot be calculated with
is wrong.
References: k8s.io/kubernetes pkg/apis/core/validation; the custom resource definitions of volcano-sh/volcano.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from inspect import get_annotations
from types import NoneType
from typing import Any, Final, NamedTuple, get_args

from msgspec import Struct

from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.model.cpu_set import CpuSetError, parse_cpu_set
from vqs.model.node import RESERVABLE
from vqs.model.quantity import TOO_MUCH, QuantityError, parse, part_of, whole_number
from vqs.model.selectors import Requirement
from vqs.releases.profile import Profile
from vqs.snapshot.apiserver.admission import refusals
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.expressions import undecided
from vqs.snapshot.apiserver.validation.schema import PATTERNS, Field, read_rule
from vqs.snapshot.reading.diagnostics import Defect, Path, did_you_mean, one_of
from vqs.snapshot.reading.reach import most_pods_of_one

_MAX_CPUS: Final = 8192
"""Linux runs on no more CPUs."""
_MOST_AMOUNT: Final = 2**63 - 1
"""The API server stores any larger amount as this one."""

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
    if not isinstance(obj, _UNJUDGED):
        _judge(obj, (), stored, found)
    return found


def defects_beside_spec(pod: k8s.Pod, *, stored: bool) -> Sequence[Defect]:
    """What is wrong with a pod, as `defects` has it, where its spec is known to be sound."""
    status = pod.status
    says_little = not (status.container_statuses or status.init_container_statuses)
    if says_little and status.phase in _POD_PHASES and pod.metadata.name:
        return ()
    return defects(k8s.Pod(metadata=pod.metadata, status=status), stored=stored)


# --- what the table says ----------------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """A field of a type, how it is written, and what is judged of it."""

    field: str
    written: str
    rule: Field | None
    may_be_absent: bool
    is_amount: bool
    has_parts: bool


@cache
def _steps(type_: Any, stored: bool) -> tuple[_Step, ...]:
    """The fields of a type that have to be looked at: those with a rule, amounts, and those with such fields inside."""
    steps = []
    hints = {name: hint for base in reversed(type_.__mro__) for name, hint in get_annotations(base).items()}
    for field, written in zip(type_.__struct_fields__, type_.__struct_encode_fields__, strict=True):
        inner = [*_parts(hints[field])]
        is_amount = float in inner and not (stored and type_ in _UNREAD_AMOUNTS)
        rule = read_rule(type_.__name__, written, stored=stored)
        has_parts = any(issubclass(each, Struct) and (_steps(each, stored) or _code(each, stored)) for each in inner)
        if rule or is_amount or has_parts:
            steps.append(_Step(field, written, rule, NoneType in inner, is_amount, has_parts))
    return tuple(steps)


def _parts(hint: object) -> Iterator[type]:
    """Yield the classes in a type."""
    if isinstance(hint, type) and not get_args(hint):
        yield hint
    for each in get_args(hint):
        yield from _parts(each)


def _judge(value: Any, path: Path, stored: bool, found: list[Defect]) -> None:
    """Add what is wrong with an object or a part of one, and with what is in it."""
    type_: Any = type(value)
    may_be_below = stored or type_ in _BELOW_ZERO
    for field, written, rule, may_be_absent, is_amount, has_parts in _steps(type_, stored):
        part = getattr(value, field)
        is_given = part or part == 0 or (part == "" and may_be_absent)
        if rule is not None and (is_given or rule.required):
            found += _by_rule(part, rule, (*path, written))
        if part is None or not (is_amount or has_parts):
            continue
        own: list[Defect] = []
        for at, each in _items(part, (*path, written)):
            if has_parts:
                _judge(each, at, stored, own)
            elif (defect := _quantity_defect(each)) and (not may_be_below or defect.code == "invalid-quantity"):
                own.append(defect._replace(path=at))
        if rule is not None and rule.matches_nothing:  # it keeps the selector of a custom resource from matching
            own = [
                each._replace(message=f"the selector matches nothing: {each.message}", severity="warning")
                for each in own
            ]
        found += own
    if (code := _code(type_, stored)) is not None:
        code(value, path, stored, found)


def _items(part: Any, path: Path) -> Iterable[tuple[Path, Any]]:
    """The values in a list or map with their paths; any other value is the only one."""
    if isinstance(part, list):
        return [((*path, index), each) for index, each in enumerate(part)]
    return [((*path, key), each) for key, each in part.items()] if isinstance(part, dict) else [(path, part)]


def _code(type_: type, stored: bool) -> Rule | None:
    return None if stored and type_ not in _OF_STORED else _CODE.get(type_)


def _by_rule(value: Any, rule: Field, path: Path) -> Iterator[Defect]:
    """Yield what is wrong with the value of a field by what rules.txt says of it."""
    if rule.choices:
        if value not in rule.choices and (value or rule.required or rule.nonempty):
            yield _no_choice(value, path, rule.choices)
    elif rule.required and value == "":
        yield Defect("invalid-value", path, f"{path[-1]} is missing")
    if isinstance(value, int):
        least, most = rule.least or 0, most_pods_of_one() if rule.counts_pods else rule.most
        if value < least or (most is not None and value > most):
            limits = f"at least {least}" if most is None else f"{least} to {most}"
            yield Defect(rule.code or "invalid-value", path, f"{value} is out of range; expected {limits}")
    is_judged = rule.pattern and isinstance(value, str) and (value or rule.nonempty)
    if is_judged and (wrong := PATTERNS[rule.pattern](value)):
        is_bare = rule.pattern in ("part", "percentage") and value.isdecimal()
        yield Defect("invalid-value", path, wrong, f"did you mean {value} or '{value}%'?" if is_bare else "")


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


def _no_choice(text: str | None, path: Path, choices: Sequence[str]) -> Defect:
    subject = f"{text!r} is not allowed" if text else f"{path[-1]} is missing"
    message = f"{subject}; expected {one_of(choices)}"
    return Defect("invalid-value", path, message, did_you_mean(text or "", choices))


# --- what takes code --------------------------------------------------------------------------------------------------


def _requirement(requirement: k8s.LabelSelectorRequirement, path: Path, _: bool, found: list[Defect]) -> None:
    """Judge the values of a requirement of a selector."""
    if wrong := names.number_of_values(requirement.operator, requirement.values):
        found.append(Defect("invalid-value", (*path, "values"), wrong))


def _node_term(term: k8s.NodeSelectorTerm, path: Path, _: bool, found: list[Defect]) -> None:
    """Judge the requirements of a term: those of fields of nodes have two operators only."""
    for name, requirements, operators in (
        ("matchExpressions", term.match_expressions, names.NODE_OPERATORS),
        ("matchFields", term.match_fields, ("In", "NotIn")),
    ):
        for index, each in enumerate(requirements):
            at = (*path, name, index)
            if each.operator not in operators:
                found.append(_no_choice(each.operator, (*at, "operator"), operators))
            compares = name == "matchExpressions"
            if wrong := names.number_of_values(each.operator, each.values, compares=compares):
                found.append(Defect("invalid-value", (*at, "values"), wrong))
            one = compares and each.operator in ("Gt", "Lt") and len(each.values) == 1
            if one and not Requirement("", each.operator, tuple(each.values)).well_formed:
                message = f"operator {each.operator} matches nothing, as {each.values[0]!r} is not a whole number"
                found.append(Defect("invalid-value", (*at, "values"), message, severity="warning"))


def _toleration(toleration: k8s.Toleration, path: Path, _: bool, found: list[Defect]) -> None:
    for steps, wrong in names.toleration_faults(toleration.key, toleration.operator, toleration.value):
        found.append(Defect("invalid-value", (*path, *steps), wrong, "use operator Equal" if steps else ""))


def _pattern(member: k8s.HyperNodeMember, path: Path, _: bool, found: list[Defect]) -> None:
    """Add that it is not known what the pattern of a member matches; one that Go refuses matches nothing."""
    pattern = member.selector.regex_match
    if pattern is not None and (reason := undecided(pattern.pattern)):
        found.append(Defect("invalid-value", (*path, "selector", "regexMatch", "pattern"), reason))


def _numa(spec: k8s.NumatopologySpec, path: Path, stored: bool, found: list[Defect]) -> None:
    """Add what keeps the CPUs of a node from being counted."""
    if len(spec.cpu_detail) > _MAX_CPUS:
        message = f"{len(spec.cpu_detail):,} CPUs; a node has at most {_MAX_CPUS:,}"
        found.append(Defect("invalid-value", (*path, "cpuDetail"), message))
    if stored:
        return
    for name, resource in spec.numares.items():
        try:
            parse_cpu_set(resource.allocatable)
        except CpuSetError as error:
            place = (*path, "numares", name, "allocatable")
            found.append(Defect("invalid-value", place, str(error), "write it as 0-3,8"))
    for name, amount in spec.res_reserved.items():
        place = (*path, "resReserved", name)
        if defect := _quantity_defect(amount):
            found.append(defect._replace(path=place))
        if name not in RESERVABLE:
            found.append(_no_choice(name, place, RESERVABLE))


def _cpu_number(_: k8s.CpuInfo, path: Path, __: bool, found: list[Defect]) -> None:
    if whole_number(str(path[-1])) is None:
        found.append(Defect("invalid-value", path, f"{path[-1]!r} is not the number of a CPU"))


def _init_containers(spec: k8s.PodSpec, path: Path, _: bool, found: list[Defect]) -> None:
    policies = ("Always", "OnFailure", "Never")
    for index, each in enumerate(spec.init_containers):
        if each.restart_policy and each.restart_policy not in policies:
            found.append(_no_choice(each.restart_policy, (*path, "initContainers", index, "restartPolicy"), policies))


def _budget(spec: k8s.PodDisruptionBudgetSpec, path: Path, _: bool, found: list[Defect]) -> None:
    """Judge the limits of a budget together: with both it is refused, and with none it is of no use."""
    given = [each is not None for each in (spec.min_available, spec.max_unavailable)]
    if all(given):
        message = "minAvailable and maxUnavailable cannot both be given"
        found.append(Defect("invalid-value", (*path, "maxUnavailable"), message))
    elif not any(given):
        message = "neither minAvailable nor maxUnavailable is given: the budget allows no disruption"
        found.append(Defect("invalid-value", path, message, severity="warning"))


def _strategy(strategy: k8s.DeploymentStrategy, path: Path, _: bool, found: list[Defect]) -> None:
    """Judge the limits of a rollout: there are none with Recreate, and with both 0 no pod could be replaced."""
    rolling, at = strategy.rolling_update, (*path, "rollingUpdate")
    if rolling is None:
        return
    if strategy.type == "Recreate":
        found[:] = [each for each in found if each.path[: len(at)] != at]  # it is not looked into
        found.append(Defect("invalid-value", at, "rollingUpdate may not be given where type is Recreate"))
        return
    limits = (rolling.max_surge, rolling.max_unavailable)
    none = all(each is not None and part_of(each, 100, up=True) == 0 for each in limits)
    if none and strategy.type in ("", "RollingUpdate"):
        message = "maxUnavailable may not be 0 when maxSurge is 0: no pod could be replaced"
        found.append(Defect("invalid-value", (*at, "maxUnavailable"), message))


_CODE: Final[Mapping[type, Rule]] = {
    k8s.LabelSelectorRequirement: _requirement,
    k8s.NodeSelectorTerm: _node_term,
    k8s.Toleration: _toleration,
    k8s.PodSpec: _init_containers,
    k8s.HyperNodeMember: _pattern,
    k8s.NumatopologySpec: _numa,
    k8s.CpuInfo: _cpu_number,
    k8s.PodDisruptionBudgetSpec: _budget,
    k8s.DeploymentStrategy: _strategy,
}
"""What is judged of the parts of an object, by type, beside what rules.txt says."""

_OF_STORED: Final = (k8s.HyperNodeMember, k8s.NumatopologySpec)
"""Types of which it is judged in stored objects too."""

_UNREAD_AMOUNTS: Final = (k8s.Overhead, k8s.PersistentVolumeClaimStatus, devices.CapacityRequirements)
"""Types whose amounts matter in new objects only."""

_BELOW_ZERO: Final = (devices.CapacityRequirements, devices.DeviceCapacity)
"""Types whose amounts may be less than zero."""

_UNJUDGED: Final = (k8s.CronJob, k8s.JobFlow, k8s.JobTemplate)
"""Kinds that are judged by the Jobs they make."""
