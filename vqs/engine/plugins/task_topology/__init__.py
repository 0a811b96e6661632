"""task-topology: place the tasks of a job that belong together on the same nodes, and keep others apart.

Annotations of the PodGroup name its roles: `volcano.sh/task-topology-affinity` and `-anti-affinity` have groups of
them, roles with commas and groups with semicolons between them (a group of one is about the pods of that role), and
`volcano.sh/task-topology-task-order` has those that go first. When the session opens, the tasks of such a job are put
into buckets, by what is next to what; the tasks of large buckets are served first, and a node scores by how many of a
bucket it holds or has room for, less those that are to be kept apart.

Arguments: `task-topology.weight` (a whole number, default 1): the score of a node is 100 times the weight where it
holds the whole of the largest bucket.
Reference: pkg/scheduler/plugins/task-topology.
"""

from vqs.engine.plugins.task_topology.plugin import NAME, TaskTopologyPlugin

__all__ = ["NAME", "TaskTopologyPlugin"]
