"""What releases decide differently in their custom resource definitions: fields, bounds and defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vqs.releases.release import Release, behaviour

_JOBS = "config/crd/volcano/bases/batch.volcano.sh_jobs.yaml"
_POD_GROUPS = "config/crd/volcano/bases/scheduling.volcano.sh_podgroups.yaml"


@dataclass(frozen=True, slots=True)
class SchemaBehaviours:
    """The behaviours of the custom resource definitions: a field that they do not have is pruned."""

    schema_bounds: Literal["few", "all"] = behaviour(
        "few",
        {Release.V1_14_0: "all"},
        decides="Whether the schemas bound numbers, lengths and names. Where they do not, the webhook denies some "
        "negative numbers of a Job and empty members of a HyperNode, and the rest is admitted.",
        why="The API server refuses such values before a webhook is called (pull request 4813).",
        source=_JOBS,
    )
    job_partitions: Literal["absent", "present"] = behaviour(
        "absent",
        {Release.V1_14_0: "present"},
        decides="Whether tasks of a Job have a partitionPolicy, PodGroups a subGroupPolicy that cuts a job into "
        "sub-groups, and policies the action RestartPartition; where they do not, these fields are dropped.",
        why="Parts of a task can be placed close together, and restarted together.",
        source=_JOBS,
    )
    tier_name_fields: Literal["absent", "present"] = behaviour(
        "absent",
        {Release.V1_14_0: "present"},
        decides="Whether a networkTopology can name its highest tier (highestTierName), and a HyperNode its tier; "
        "where they cannot, the names are dropped.",
        why="The numbers of tiers differ between clusters, their names do not.",
        source=_POD_GROUPS,
    )
    highest_tier_default: Literal["1", "unlimited"] = behaviour(
        "1",
        {Release.V1_14_0: "unlimited"},
        decides="The highestTierAllowed of a networkTopology that has none.",
        why="A name of the highest tier takes its place.",
        source=_POD_GROUPS,
    )
    tier_name_characters: Literal["subdomain", "any"] = behaviour(
        "subdomain",
        {Release.V1_15: "any"},
        decides="Whether highestTierName of a Job has to be written like a DNS subdomain.",
        why="HyperNodes are discovered from labels, whose names have a slash (pull request 5234).",
        source=_JOBS,
    )
    dequeue_strategy: Literal["absent", "present"] = behaviour(
        "absent",
        {Release.V1_14_0: "present"},
        decides="Whether a queue has a dequeueStrategy, at which no scheduler of these releases looks.",
        why="A queue is to wait for its first job one day.",
        source="config/crd/volcano/bases/scheduling.volcano.sh_queues.yaml",
    )
    volcano_cron_jobs: Literal["unknown", "known"] = behaviour(
        "unknown",
        {Release.V1_13: "known"},
        decides="Whether there are CronJobs of Volcano, and a webhook and a controller for them.",
        why="Jobs are to run at given times.",
        source="config/crd/volcano/bases/batch.volcano.sh_cronjobs.yaml",
    )
    pod_template_fields: Literal[
        "kubernetes-1.32", "kubernetes-1.33", "kubernetes-1.34", "kubernetes-1.35", "kubernetes-1.36"
    ] = behaviour(
        "kubernetes-1.32",
        {
            Release.V1_13: "kubernetes-1.33",
            Release.V1_14_0: "kubernetes-1.34",
            Release.V1_15: "kubernetes-1.35",
            Release.V1_16: "kubernetes-1.36",
        },
        decides="The fields that the pod templates of a Job can have: those of a release of Kubernetes. With the "
        "first of them, a JobFlow has no patches.",
        why="The definitions are generated from the types of Kubernetes.",
        source=_JOBS,
    )
    numa_pod_allocations: Literal["absent", "present"] = behaviour(
        "absent",
        {Release.V1_16: "present"},
        decides="Whether a Numatopology says which pods hold what it does not list as allocatable.",
        why="The scheduler knows from it which of the pods that it placed are counted there.",
        source="config/crd/volcano/bases/nodeinfo.volcano.sh_numatopologies.yaml",
    )
