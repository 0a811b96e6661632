"""From the objects that people write to those that a scheduler finds: PodGroups and pods are made where they miss."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import Final

from vqs.model.wording import count
from vqs.snapshot.apiserver.admission import served
from vqs.snapshot.controllers.job import sync_volcano_jobs
from vqs.snapshot.controllers.job_names import controllers
from vqs.snapshot.controllers.podgroup import sync_pod_groups
from vqs.snapshot.controllers.resource_claims import sync_resource_claims
from vqs.snapshot.controllers.workloads import (
    rollouts,
    sync_deployments,
    sync_jobs,
    sync_replica_sets,
    sync_stateful_sets,
)
from vqs.snapshot.controllers.world import World
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.manifests import Manifests

Controller = Callable[[World], None]

CONTROLLERS: Final[tuple[Controller, ...]] = (
    sync_deployments,
    sync_replica_sets,
    sync_stateful_sets,
    sync_jobs,
    sync_volcano_jobs,
    sync_pod_groups,
    sync_resource_claims,
)
"""In the order in which they run: each finds what those before it made."""


def complete(manifests: Manifests, known: Container[int] = ()) -> Manifests:
    """Manifests to which the controllers have added what is missing; the given ones stay as they are.

    Nothing that exists is made again, so that completing a second time changes nothing.

    Args:
        manifests: what is given.
        known: the identities of pods that are in completed manifests already: these need no PodGroup.

    Raises:
        InputErrors: what is given stands for more pods than can be made.
    """
    world = World(served(manifests), known)
    for controller in CONTROLLERS:
        controller(world)
    # What makes pods is left out, and jobs are still called after it.
    of_deployments = rollouts(manifests.deployments, world.workloads) or manifests.rollouts
    manifests = served(replace(world.finish(), controlled=controllers(manifests), rollouts=of_deployments))
    if not manifests.flags.node_selector:
        return manifests
    # The scheduler knows no other nodes.
    pairs = [pair for pair in manifests.with_origins("nodes") if manifests.flags.selects(pair[0].metadata.labels)]
    left_out = len(manifests.nodes) - len(pairs)
    selector = " ".join(manifests.flags.node_selector)
    text = f"{count(left_out, 'node')} left out, with none of the labels of --node-selector: {selector}"
    note = Diagnostic(code="scheduler-flags", severity="note", message=text)
    return replace(
        manifests,
        nodes=[node for node, _ in pairs],
        origins={**manifests.origins, "nodes": [origin for _, origin in pairs]},
        notes=[*manifests.notes, *([note] if left_out else [])],
    )


def with_makers(completed: Manifests, given: Manifests) -> Manifests:
    """Completed manifests together with what they were made from, so that what goes later is made again."""
    names = ("deployments", "jobs", "volcano_jobs")
    origins = {name: given.origins[name] for name in names if name in given.origins}
    return replace(
        completed,
        deployments=given.deployments,
        jobs=given.jobs,
        volcano_jobs=given.volcano_jobs,
        origins={**completed.origins, **origins},
    )
