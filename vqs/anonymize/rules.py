"""What becomes of each field of each kind of object.

Objects are those of `vqs.model.kubernetes`, so a field that scheduling does not look at is not there at all. Numbers,
times and true or false are written as they are. So are texts of which a rule here says that they are public; all other
texts are names, those of fields that this module has never heard of included.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from functools import cache
from typing import Any, Final

import msgspec

from vqs.anonymize import vocabulary as public
from vqs.anonymize.devices import lists_devices, renamed_devices
from vqs.anonymize.selectors import ATTRIBUTE
from vqs.anonymize.words import Naming
from vqs.engine.plugins.resource_strategy_fit import read_weights
from vqs.model import devices
from vqs.model import kubernetes as k8s
from vqs.model.durations import DURATION
from vqs.model.keys import GROUP_NAME, QUEUE_ALLOCATION_GATE, QUOTED_CONDITIONS, STRATEGY_WEIGHTS
from vqs.model.sharding import DEFAULT_SHARD
from vqs.snapshot.reading.plain import written_fields

Rule = Callable[[Any, Naming], Any]

_PLURAL: Final = "(s)"
_OPENS: Final = "[({<\"'"
_CLOSES: Final = "])}>\"',.;:"


def plain(value: Any, naming: Naming) -> Any:
    """A typed object, or a part of one, as plain values under other names."""
    if isinstance(value, str):
        return naming.name(value)
    if isinstance(value, msgspec.Struct):
        together = _TOGETHER.get(type(value))
        done = together(value, naming) if together else {}
        result = {}
        for attribute, name, zero, rule in _plan(type(value)):
            each = getattr(value, attribute)
            if each != zero:
                result[name] = done[attribute] if attribute in done else rule(each, naming)
        return result
    if isinstance(value, dict):
        return {naming.name(key): plain(each, naming) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each, naming) for each in value]
    return msgspec.to_builtins(value)


@cache
def _plan(type_: type[msgspec.Struct]) -> list[tuple[str, str, Any, Rule]]:
    """The name, the written name, the zero value and the rule of each field."""
    types = {field.name: field.type for field in msgspec.structs.fields(type_)}
    plan = []
    for attribute, name, zero in written_fields(type_):
        rule = _FIELDS.get((type_, attribute)) or _ATTRIBUTES.get(attribute, plain)
        is_amounts = types[attribute] in (k8s.ResourceList, k8s.ResourceList | None)
        plan.append((attribute, name, zero, _AMOUNTS if is_amounts else rule))
    return plan


# --- building blocks --------------------------------------------------------------------------------------------------


def _one_of(known: Collection[str]) -> Rule:
    """A rule for a text that is public if it is a known one, for a list of such, or for a part of an object."""

    def rule(value: Any, naming: Naming) -> Any:
        if isinstance(value, list):
            return [rule(each, naming) for each in value]
        if isinstance(value, str) and value in known:
            return naming.keep(value)
        return plain(value, naming)

    return rule


def _shaped(pattern: re.Pattern[str]) -> Rule:
    """A rule for a text that is public if it has a form."""

    def rule(value: Any, naming: Naming) -> Any:
        if isinstance(value, str) and pattern.fullmatch(value):
            return naming.keep(value)
        return plain(value, naming)

    return rule


def _mapping(of_key: Rule, of_value: Rule) -> Rule:
    """A rule for a mapping, by rules for its keys and its values."""
    return lambda value, naming: {of_key(key, naming): of_value(each, naming) for key, each in value.items()}


def resource(name: str, naming: Naming) -> str:
    """The name of a resource."""
    if public.RESOURCE.fullmatch(name):
        return naming.keep(name, sorts=True)
    prefix = next((each for each in public.RESOURCE_PREFIXES if name.startswith(each)), "")
    if not prefix:
        return naming.name(name)
    return naming.keep(prefix, sorts=True) + resource(name.removeprefix(prefix), naming)


def label_key(key: str, naming: Naming) -> str:
    """The key of a label, an annotation or a taint."""
    if key in public.KEYS or lists_devices(key) or ("/" in key and public.RESOURCE.fullmatch(key)):
        return naming.keep(key, sorts=True)
    return naming.name(key)


def label_value(key: str, value: str, naming: Naming) -> str:
    """The value of a label or an annotation."""
    if key == STRATEGY_WEIGHTS and (weights := read_weights(value)) is not None:
        return json.dumps({resource(name, naming): weight for name, weight in weights.items()})
    if lists_devices(key):
        return renamed_devices(key, value, naming)
    form = public.VALUES.get(key)
    if form is not None and form.fullmatch(value):
        return naming.keep(value)
    if naming.is_number(key, value):
        return naming.keep(value)
    return naming.made_name(value) if key in public.MADE_NAMES else naming.name(value)


def _labels(value: Any, naming: Naming) -> Any:
    if not isinstance(value, dict):
        return plain(value, naming)
    return {label_key(key, naming): label_value(key, each, naming) for key, each in value.items()}


def _annotations(value: dict[str, str], naming: Naming) -> dict[str, str]:
    kept = {key: each for key, each in value.items() if key in public.ANNOTATIONS or lists_devices(key)}
    return _labels(kept, naming)  # type: ignore[no-any-return]


def _keys(value: Any, naming: Naming) -> Any:
    return [label_key(each, naming) for each in value] if isinstance(value, list) else label_key(value, naming)


def _compared_keys(value: list[str], naming: Naming) -> list[str]:
    """The labels that subgroups are made by, which are sorted by their values as numbers."""
    for key in value:
        naming.compares_numbers(key)
    return [label_key(key, naming) for key in value]


def _parameters(value: dict[str, str], naming: Naming) -> dict[str, str]:
    return {
        naming.keep(key): _one_of(public.PROVISIONERS)(each, naming)
        for key, each in value.items()
        if key == public.CSI_DRIVER
    }


def message(text: str, naming: Naming) -> str:
    """A message of a scheduler: its own words stay, the others are names."""
    return re.sub(r"\S+", lambda chunk: _chunk(chunk[0], naming), text)


def _chunk(text: str, naming: Naming) -> str:
    opened = text.lstrip(_OPENS)
    core = opened.rstrip(_CLOSES)
    if opened.startswith(_PLURAL, len(core) - len(_PLURAL) + 1):
        core = core.removesuffix(_PLURAL[:-1])
        naming.keep(_PLURAL)
    before, after = text[: len(text) - len(opened)], opened[len(core) :]
    if core in public.MESSAGE_WORDS or public.FIGURE.fullmatch(core):
        written = naming.keep(core)
    elif public.RESOURCE.fullmatch(core):
        written = resource(core, naming)
    else:
        written = naming.keep(core) if core in public.KEYS else naming.made_name(core)
    return f"{before}{written}{after}"


# --- fields whose rules depend on one another -------------------------------------------------------------------------


def _metadata(value: k8s.ObjectMeta, naming: Naming) -> dict[str, Any]:
    """Name what a controller made apart: the number at the end of its name is an index."""
    made = GROUP_NAME in value.annotations or any(owner.controller for owner in value.owner_references)
    return {"name": naming.made_name(value.name) if made else naming.name(value.name)}


def _requirement(
    value: k8s.LabelSelectorRequirement | k8s.NodeSelectorRequirement | k8s.TopologySelectorLabelRequirement,
    naming: Naming,
) -> dict[str, Any]:
    if value.key == public.METADATA_NAME:
        return {"key": naming.keep(value.key), "values": [naming.name(each) for each in value.values]}
    if getattr(value, "operator", "") in ("Gt", "Lt"):
        naming.compares_numbers(value.key)
    return {
        "key": label_key(value.key, naming),
        "values": [label_value(value.key, each, naming) for each in value.values],
    }


def _taint(value: k8s.Taint | k8s.Toleration, naming: Naming) -> dict[str, Any]:
    return {"key": label_key(value.key, naming), "value": label_value(value.key, value.value, naming)}


def _condition(value: k8s.Condition, naming: Naming) -> dict[str, Any]:
    told = message(value.message, naming) if value.type in QUOTED_CONDITIONS else ""
    reason = message(value.reason, naming) if " " in value.reason else _one_of(public.REASONS)(value.reason, naming)
    return {"type": _one_of(public.CONDITIONS)(value.type, naming), "reason": reason, "message": told}


def _priority_class(value: k8s.PriorityClass, naming: Naming) -> dict[str, Any]:
    metadata = plain(value.metadata, naming)
    if value.metadata.name in public.PRIORITY_CLASSES:
        metadata["name"] = naming.keep(value.metadata.name)
    return {"metadata": metadata}


shard_name: Final = _one_of({DEFAULT_SHARD})
"""The name of a shard; the one that a scheduler looks for where its flags name none stays."""


def _named(rule: Rule) -> Callable[[Any, Naming], dict[str, Any]]:
    """Write the metadata of an object whose name has a rule of its own."""
    return lambda value, naming: {
        "metadata": {**plain(value.metadata, naming), "name": rule(value.metadata.name, naming)}
    }


def _volcano_job(value: k8s.VolcanoJobSpec, naming: Naming) -> dict[str, Any]:
    """Write the plugins; one that looks for tasks by name is told the new ones, the others lose their arguments."""
    tasks = {task.name for task in value.tasks}
    plugins: dict[str, list[str]] = {}
    for name, arguments in value.plugins.items():
        key = _one_of(public.JOB_PLUGINS)(name, naming)
        plugins[key] = []
        if name in public.ROLES:
            given = {argument.lstrip("-").partition("=")[0] for argument in arguments}
            told = [f"--{role}={role}" for role in public.ROLES[name] if role in tasks and role not in given]
            for argument in (*told, *arguments):
                flag, sign, setting = argument.partition("=")
                if public.JOB_FLAG.fullmatch(flag):
                    plugins[key].append(f"{naming.keep(flag)}{sign}{_shaped(public.SETTING)(setting, naming)}")
                else:
                    plugins[key].append(naming.name(argument))
    return {"plugins": plugins}


def _device(value: devices.Device, naming: Naming) -> dict[str, Any]:
    """Write the attributes; those that tell what a selector says are called after nothing of the cluster."""
    attributes = {
        naming.keep(name) if name.startswith(ATTRIBUTE) else naming.name(name): plain(each, naming)
        for name, each in value.attributes.items()
    }
    return {"attributes": attributes}


_TOGETHER: Final[dict[type[msgspec.Struct], Callable[[Any, Naming], dict[str, Any]]]] = {
    k8s.ObjectMeta: _metadata,
    k8s.LabelSelectorRequirement: _requirement,
    k8s.NodeSelectorRequirement: _requirement,
    k8s.TopologySelectorLabelRequirement: _requirement,
    k8s.Taint: _taint,
    k8s.Toleration: _taint,
    k8s.Condition: _condition,
    k8s.CSIDriver: _named(_one_of(public.PROVISIONERS)),
    k8s.NodeShard: _named(shard_name),
    k8s.PriorityClass: _priority_class,
    k8s.VolcanoJobSpec: _volcano_job,
    devices.Device: _device,
}

# --- fields -----------------------------------------------------------------------------------------------------------

_CHOICE: Final = _one_of(public.CHOICES)
_PHASE: Final = _one_of(public.PHASES)
_AMOUNT_OF_PODS: Final = _shaped(public.INT_OR_PERCENT)
_DRIVER: Final = _one_of(public.PROVISIONERS)
_AMOUNTS: Final = _mapping(resource, _shaped(public.AMOUNT))

_ATTRIBUTES: Final[dict[str, Rule]] = {
    "access_modes": _CHOICE,
    "action": _CHOICE,
    "allocation_mode": _CHOICE,
    "annotations": _annotations,
    "api_version": _one_of(public.API_VERSIONS),
    "attacher": _DRIVER,
    "claim_name": lambda text, naming: naming.made_name(text),
    "completed_indexes": _shaped(public.INDEXES),
    "failed_indexes": _shaped(public.INDEXES),
    "succeeded_indexes": _shaped(public.INDEXES),
    "completion_mode": _CHOICE,
    "dequeue_strategy": _CHOICE,
    "driver": _DRIVER,
    "effect": _CHOICE,
    "event": _CHOICE,
    "events": _CHOICE,
    "host_ip": _one_of(public.HOST_ADDRESSES),
    "iteration": _CHOICE,
    "kind": _one_of(public.KIND_NAMES),
    "labels": _labels,
    "match_label_keys": _keys,
    "match_labels": _labels,
    "mismatch_label_keys": _keys,
    "mode": _CHOICE,
    "node_affinity_policy": _CHOICE,
    "node_selector": _labels,
    "node_taints_policy": _CHOICE,
    "operator": _CHOICE,
    "parameters": _parameters,
    "phase": _PHASE,
    "pod_management_policy": _CHOICE,
    "preemption_policy": _CHOICE,
    "priority_class_name": _one_of(public.PRIORITY_CLASSES),
    "protocol": _CHOICE,
    "qos_class": _CHOICE,
    "provisioner": _DRIVER,
    "restart_policy": _CHOICE,
    "scheduler_name": _one_of(public.SCHEDULERS),
    "scope_name": _CHOICE,
    "scopes": _CHOICE,
    "selector": _labels,
    "topology_key": _keys,
    "topology_keys": _keys,
    "topology_policy": _CHOICE,
    "volume_binding_mode": _CHOICE,
    "volume_mode": _CHOICE,
    "when_unsatisfiable": _CHOICE,
}
"""Rules by the name of a field, whatever it is a field of."""

_FIELDS: Final[dict[tuple[type[msgspec.Struct], str], Rule]] = {
    (k8s.CSINodeDriver, "name"): _DRIVER,
    (k8s.CSIStorageCapacity, "capacity"): _shaped(public.AMOUNT),
    (k8s.CSIStorageCapacity, "maximum_volume_size"): _shaped(public.AMOUNT),
    (devices.Counter, "value"): _shaped(public.AMOUNT),
    (devices.CELDeviceSelector, "expression"): lambda text, naming: naming.keep(text),
    (k8s.Condition, "status"): _CHOICE,
    (k8s.HyperNodeMember, "type"): _CHOICE,
    (k8s.LifecyclePolicy, "timeout"): _shaped(re.compile(DURATION)),
    (k8s.NumaResource, "allocatable"): _shaped(public.INDEXES),
    (k8s.NumatopologySpec, "cpu_detail"): _mapping(_shaped(public.INTEGER), plain),
    (k8s.NumatopologySpec, "numares"): _mapping(resource, plain),
    (k8s.NumatopologySpec, "policies"): _mapping(_CHOICE, _CHOICE),
    (k8s.NumatopologySpec, "res_reserved"): _AMOUNTS,
    (k8s.PodDisruptionBudgetSpec, "max_unavailable"): _AMOUNT_OF_PODS,
    (k8s.PodDisruptionBudgetSpec, "min_available"): _AMOUNT_OF_PODS,
    (k8s.PodSchedulingGate, "name"): _one_of({QUEUE_ALLOCATION_GATE}),
    (k8s.QueueStatus, "state"): _PHASE,
    (k8s.ScopedResourceSelectorRequirement, "values"): _one_of(public.PRIORITY_CLASSES),
    (k8s.SubGroupPolicy, "match_label_keys"): _compared_keys,
}
"""Rules by the struct and the name of a field; they win over those by name."""
