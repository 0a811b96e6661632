"""Where the minimum and the priority of a job are written, and in which steps an amount of a resource is raised.

The minimum and the priority are written in the object that whoever submitted the job would change. A controller writes
back what others change of its objects. So it is the object at the top that counts, as far as it is in the snapshot: the
Volcano Job, the Deployment with its annotations and its template, or a PodGroup by itself. A PodGroup that was made
from pods stays as it is; what its workload says counts when it is made. Amounts are raised in steps as coarse as the
figures around them allow.
References: ``createOrUpdatePodGroup`` in pkg/controllers/job/job_controller_actions.go, pkg/controllers/podgroup/
pg_controller_handler.go in volcano-sh/volcano.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from vqs.explain.outcome import amount
from vqs.model import kubernetes as k8s
from vqs.model.job import Job
from vqs.model.keys import GROUP_MIN_MEMBER
from vqs.model.kubernetes import Quantity
from vqs.model.quantity import Family, QuantityError, family, parse, written
from vqs.model.resource import CPU, MEMORY, is_in_bytes
from vqs.snapshot.apiserver.admission import with_defaults
from vqs.snapshot.controllers.world import controller_of, is_controlled
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import Edit, SetValue

_THOUSANDS: Final = ("k", "M", "G", "T", "P", "E")
_OF_MEMORY: Final = tuple(map(Fraction, (2**30, 10**9, 2**20)))
_OF_CPU: Final = (Fraction(1), Fraction(1, 2), Fraction(1, 10))
_OF_OTHERS: Final = (Fraction(1),)


def unit(resource: str, figures: Iterable[Fraction]) -> Fraction:
    """Return the coarsest unit that all figures are multiples of: whole cores where these are whole.

    It is never finer than what people set: tenths of a core, Mi, and whole devices.
    """
    units = {CPU: _OF_CPU, MEMORY: _OF_MEMORY}.get(resource, _OF_OTHERS)
    known = [figure for figure in figures if figure]
    return next((each for each in units if all((figure / each).denominator == 1 for figure in known)), units[-1])


def exact(resource: str, scheduler_units: float | None) -> Fraction | None:
    """Return an amount in the scheduler's units as an exact one in the user's; None where it is unlimited."""
    value = amount(resource, scheduler_units)
    return None if value is None else Fraction(value).limit_denominator(1000)


_MEBI: Final = 2**20
_MEGA: Final = 10**6
"""A whole number of these is written in decimal units, unless it is one of Mi as well: 10G, and not 9765625Ki."""


def in_manifest(resource: str, value: Fraction, like: Quantity | None) -> str | int:
    """Write an amount as one would in a manifest, in the units of one that stands there; a thousand cores as 1000.

    >>> in_manifest("memory", Fraction(10**10), None), in_manifest("memory", Fraction(10 * 2**30), None)
    ('10G', '10Gi')
    """
    if like is None or not value:
        units = Family.BINARY if resource == MEMORY and (value / 1024).denominator == 1 else Family.DECIMAL
    else:
        units = family(like)
    if units is Family.BINARY and value % _MEBI and not value % _MEGA:
        units = Family.DECIMAL
    is_count = value.denominator == 1 and units is Family.DECIMAL and not is_in_bytes(resource)
    if is_count and not str(like).endswith(_THOUSANDS):
        return int(value)
    text = written(value, units)
    return int(text) if text.isdecimal() and resource != MEMORY else text


_FEWEST_OF_A_UNIT: Final = 4
"""Memory is written in a unit of which there are at least as many."""


def scaled(resources: Mapping[str, Quantity], part: int, whole: int) -> dict[str, str]:
    """Return a part of some amounts, each in its own units; what does not come out even is rounded up.

    >>> scaled({"cpu": 6, "memory": "10Gi", "pods": 3}, 2, 3)
    {'cpu': '4', 'memory': '7Gi', 'pods': '2'}
    """
    return {name: _scaled(name, each, part, whole) for name, each in resources.items()}


def _scaled(name: str, quantity: Quantity, part: int, whole: int) -> str:
    try:
        amount, units = parse(quantity) * part / whole, family(quantity)
    except QuantityError:
        return str(quantity)
    resource = name.rpartition(".")[2]
    grain = Fraction(1, 10) if resource == CPU else Fraction(2**20 if units is Family.BINARY else 1)
    even = parse(quantity) / whole
    if (even / grain).denominator != 1:
        if resource == MEMORY:
            # The largest power that the amount has some of, as people write it: 1536Mi and not 1366Mi.
            base = 2 if units is Family.BINARY else 10
            grain = Fraction(base ** max(math.floor(math.log(max(float(amount) / _FEWEST_OF_A_UNIT, 1.0), base)), 0))
        amount = min(math.ceil(amount / grain) * grain, parse(quantity))
    return written(amount, units)


def lowered_minimum(
    path: Path, less: int, minimum: int, resources: Mapping[str, Quantity] | None
) -> Iterator[tuple[Path, Any]]:
    """Yield the fields that lower a minimum, and what it asks for where that is written beside it, with their values.

    An annotation is a text.
    """
    yield path, str(less) if path == ANNOTATION else less
    if resources:
        yield MIN_RESOURCES, scaled(resources, less, minimum)


_Object = k8s.VolcanoJob | k8s.PodGroup | k8s.Deployment | k8s.Workload | k8s.Job | k8s.Pod

MIN_MEMBER: Final = "minMember"
MIN_AVAILABLE: Final = "minAvailable"

ANNOTATION: Final[Path] = ("metadata", "annotations", GROUP_MIN_MEMBER)
MIN_RESOURCES: Final[Path] = ("spec", "minResources")
_TEMPLATE: Final[Path] = ("spec", "template", "spec", "priorityClassName")
_VOLCANO_JOB: Final = "batch.volcano.sh/v1alpha1"
_KUBERNETES_JOB: Final = "batch/v1"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The object that sets a job's minimum and priority.

    Attributes:
        reference: its name in edits, as ``job/ns/train``.
        what: the name of the field for the minimum.
        minimum: the path of the minimum; empty if the minimum cannot be edited.
        priority: the path of the priority class's name.
        owner: the controller that would overwrite an edit of it, if the snapshot lacks that controller; else empty.
        fixed: the Job whose pod templates cannot be changed after creation; empty if they can be.
        fixed_priority: the same for the priority class, which a stored Volcano Job may change.
        volcano_job: the Volcano Job, if it is one.
        resources: the minResources, if it has that field.
    """

    reference: str
    what: str
    minimum: Path
    priority: Path
    owner: str = ""
    fixed: str = ""
    fixed_priority: str = ""
    volcano_job: k8s.VolcanoJob | None = None
    resources: Mapping[str, k8s.Quantity] | None = None

    def set(self, path: Path, value: object) -> SetValue:
        """Return the edit that gives a field a value."""
        kind, _, key = self.reference.partition("/")
        namespace, _, name = key.rpartition("/")
        return SetValue(kind, namespace, name, path, value)

    def with_minimum(self, less: int, minimum: int) -> list[Edit]:
        """Return the edits that lower the minimum, and what is written beside it of what it asks for."""
        return [self.set(*each) for each in lowered_minimum(self.minimum, less, minimum, self.resources)]


def manifest_of(job: Job, given: Manifests, completed: Manifests) -> Manifest:
    """Return where a job is written: as given, and as controllers completed it."""
    metadata = job.pod_group.metadata
    owner = controller_of(metadata)
    if owner is not None and owner.api_version == _VOLCANO_JOB:
        for each in given.volcano_jobs:
            if is_controlled(metadata, "Job", each.metadata):
                return Manifest(
                    f"job/{each.metadata.key}",
                    MIN_AVAILABLE,
                    ("spec", "minAvailable"),
                    ("spec", "priorityClassName"),
                    owner_of(each.metadata),
                    fixed=f"Job {each.metadata.key}" if each.metadata.uid else "",
                    volcano_job=with_defaults(each, given.profile),
                )
    is_written = any(each.metadata.key == job.uid for each in given.pod_groups)
    maker = None if is_written else _maker(metadata, given, completed)
    if isinstance(maker, k8s.Pod) and not maker.metadata.uid:
        return Manifest(f"pod/{maker.metadata.key}", MIN_MEMBER, (), ("spec", "priorityClassName"))
    if maker is None or isinstance(maker, k8s.Pod):
        return Manifest(
            f"podgroup/{job.uid}",
            MIN_MEMBER,
            ("spec", "minMember"),
            ("spec", "priorityClassName"),
            owner_of(metadata),
            fixed=fixed_by(metadata),
            fixed_priority=fixed_by(metadata, _KUBERNETES_JOB),
            resources=job.pod_group.spec.min_resources,
        )
    reference = f"{type(maker).__name__.lower()}/{maker.metadata.key}"
    is_fixed = isinstance(maker, k8s.Job) and maker.metadata.uid
    fixed = f"Job {maker.metadata.key}" if is_fixed else ""
    return Manifest(
        reference, MIN_MEMBER, ANNOTATION, _TEMPLATE, owner_of(maker.metadata), fixed=fixed, fixed_priority=fixed
    )


def _maker(metadata: k8s.ObjectMeta, given: Manifests, completed: Manifests) -> _Object | None:
    """Return the first of all that controls an object, from it on upwards, that the snapshot has."""
    written = {_key(each): each for each in (*given.deployments, *given.workloads, *given.jobs, *given.pods)}
    between = {_key(each): each for each in completed.workloads}
    while owner := controller_of(metadata):
        key = owner.kind, metadata.namespace, owner.name
        if key in written:
            return written[key]
        if key not in between:
            break
        metadata = between[key].metadata
    return None


def _key(each: _Object) -> tuple[str, str, str]:
    return type(each).__name__, each.metadata.namespace, each.metadata.name


def fixed_by(metadata: k8s.ObjectMeta, *versions: str) -> str:
    """Return the Job that controls an object, and whose pod template cannot be changed after creation; else empty."""
    owner = controller_of(metadata)
    is_fixed = owner and owner.kind == "Job" and owner.api_version in (versions or (_VOLCANO_JOB, _KUBERNETES_JOB))
    return owner_of(metadata) if is_fixed else ""


def owner_of(metadata: k8s.ObjectMeta) -> str:
    """Return the kind and the name of what controls an object; empty where nothing does."""
    owner = controller_of(metadata)
    return f"{owner.kind} {metadata.namespace}/{owner.name}" if owner else ""
