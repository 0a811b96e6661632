"""What Volcano's webhook finds wrong with a queue by itself, whatever other queues there are.

Reference: pkg/webhooks/admission/queues/validate/validate_queue.go in volcano-sh/volcano (validateQueue).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from vqs.model.kubernetes import Queue, QueueSpec, ResourceList
from vqs.model.quantity import QuantityError, parse
from vqs.model.resource import CPU, MEMORY, Resource
from vqs.releases.webhooks import WebhookBehaviours
from vqs.snapshot.cluster.hierarchy_paths import PATH, WEIGHTS, is_weight
from vqs.snapshot.reading.diagnostics import Path

CAPABILITY: Final[Path] = ("spec", "capability")
DESERVED: Final[Path] = ("spec", "deserved")
GUARANTEE: Final[Path] = ("spec", "guarantee", "resource")

_COUNTED: Final = (
    *("configmaps", "persistentvolumeclaims", "pods", "replicationcontrollers", "resourcequotas", "secrets"),
    *("services", "services.loadbalancers", "services.nodeports"),
)


class Fault(NamedTuple):
    """Something that a webhook finds wrong with a queue: the code of the rule, where it stands, and what it is."""

    code: str
    path: Path
    reason: str


def is_counted(name: str) -> bool:
    """True if Kubernetes takes a resource to come in whole numbers.

    >>> is_counted("pods"), is_counted("nvidia.com/gpu"), is_counted("cpu")
    (True, True, False)
    """
    return name in _COUNTED or is_extended(name)


def is_extended(name: str) -> bool:
    """True if a resource is one that device plugins offer."""
    return "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")


def exact(amounts: ResourceList) -> dict[str, Fraction]:
    """Amounts as exact numbers; one that is none is refused where it is read."""
    found: dict[str, Fraction] = {}
    for name, amount in amounts.items():
        try:
            found[name] = parse(amount)
        except QuantityError:
            continue
    return found


def faults(queue: Queue, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield what a webhook finds wrong with a queue by itself, as it would be stored."""
    spec = queue.spec
    if webhook.queue_quantities == "checked":
        lists = ((CAPABILITY, spec.capability), (DESERVED, spec.deserved), (GUARANTEE, spec.guarantee.resource))
        for path, amounts in lists:
            for name, amount in exact(amounts).items():
                if amount < 0:
                    yield Fault("negative-quantity", (*path, name), f"{path[1]} {name} is below zero")
                elif amount.denominator != 1 and is_counted(name):
                    yield Fault("fractional-queue-resource", (*path, name), f"{path[1]} {name} is not a whole number")
    if webhook.queue_own_amounts == "checked":
        yield from _amounts(queue, webhook)
    yield from _annotations(queue)


def _amounts(queue: Queue, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield where capability, deserved and guarantee of a queue contradict each other."""
    spec = queue.spec
    if webhook.queue_amounts == "lists":
        yield from _lists(spec, webhook)
        return
    capability, deserved = exact(spec.capability), exact(spec.deserved)
    if deserved or webhook.guarantee_without_deserved == "denied":
        yield from _guaranteed(queue, exact(spec.guarantee.resource), deserved)
    for name, amount in deserved.items():
        if name in capability and amount > capability[name]:
            reason = f"deserved {name} {spec.deserved[name]} is above the capability {spec.capability[name]}"
            yield Fault("deserved-above-capability", (*DESERVED, name), reason)


def _guaranteed(queue: Queue, guarantee: dict[str, Fraction], deserved: dict[str, Fraction]) -> Iterator[Fault]:
    spec = queue.spec
    for name, amount in guarantee.items():
        written = spec.guarantee.resource[name]
        if name not in deserved:
            reason = f"guarantee {name} {written} has no deserved {name} that is at least as much"
            yield Fault("guarantee-without-deserved", (*GUARANTEE, name), reason)
        elif deserved[name] < amount:
            reason = f"guarantee {name} {written} is above deserved {name} {spec.deserved[name]}"
            yield Fault("guarantee-above-deserved", (*GUARANTEE, name), reason)


def _lists(spec: QueueSpec, webhook: WebhookBehaviours) -> Iterator[Fault]:
    """Yield what is wrong with amounts that are compared as lists; what a list does not name counts as 0."""
    guarantee = spec.guarantee.resource
    if spec.capability:
        yield from _above(DESERVED, spec.deserved, "capability", spec.capability)
        yield from _above(GUARANTEE, guarantee, "capability", spec.capability)
    if spec.deserved or (guarantee and webhook.guarantee_without_deserved == "denied"):
        yield from _above(GUARANTEE, guarantee, "deserved", spec.deserved)


def _above(path: Path, amounts: ResourceList, most: str, limits: ResourceList) -> Iterator[Fault]:
    noun = str(path[1])
    for name in exceeding(Resource.from_quantities(amounts), Resource.from_quantities(limits)):
        if name in limits:
            reason = f"{noun} {name} {amounts.get(name, 0)} is above {most} {name} {limits[name]}"
            yield Fault(f"{noun}-above-{most}", (*path, name), reason)
        else:
            code = f"{noun}-above-{most}" if most == "capability" else "guarantee-without-deserved"
            reason = f"{noun} names {name}, and {most} does not, which the webhook takes for 0"
            yield Fault(code, (*path, name), reason)


def exceeding(amounts: Resource, limits: Resource) -> list[str]:
    """The resources of which there is more than a limit; a scalar that the limit does not name is, too.

    >>> exceeding(Resource.from_quantities({"cpu": 2, "pods": 0}), Resource.from_quantities({"cpu": 1}))
    ['cpu', 'pods']
    """
    return [
        name
        for name in dict.fromkeys((CPU, MEMORY, *amounts.scalars, *limits.scalars))
        if amounts.get(name) > limits.get(name) or (name in amounts.scalars and name not in limits.scalars)
    ]


def _annotations(queue: Queue) -> Iterator[Fault]:
    annotations = queue.metadata.annotations
    path, weights = annotations.get(PATH, ""), annotations.get(WEIGHTS, "")
    if not (path or weights):
        return
    steps, step_weights = path.count("/") + 1, weights.split("/")
    at: Path = ("metadata", "annotations", WEIGHTS if weights else PATH)
    if steps != len(step_weights):
        reason = f"the annotation {PATH} has {steps} levels, and {WEIGHTS} has {len(step_weights)}"
        yield Fault("invalid-hierarchy-annotations", at, reason)
        return
    wrong = next((text for text in step_weights if not is_weight(text)), None)
    if wrong is not None:
        reason = f"the annotation {WEIGHTS} has {wrong!r} for a weight, which is not a number above 0"
        yield Fault("invalid-hierarchy-annotations", at, reason)
