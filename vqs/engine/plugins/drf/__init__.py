"""drf: among the jobs of a queue, the one with the smallest dominant share of the cluster is served first.

A job's dominant share is the largest part it holds of any one resource. A task may preempt those of jobs that would
still have a share no smaller than its own job's, after both changes.

With `enableHierarchy` (HDRF), queues are ordered as well, and reclaimed from, by their shares in a tree of their own:
the annotation `volcano.sh/hierarchy` of a queue is its path, `volcano.sh/hierarchy-weights` the weights along it (at
least 1). Where the paths of two queues part, the one with the smaller share by weight comes first, and one that is
saturated last. A task may be reclaimed where its queue would still come after the reclaimer's, after both changes. No
arguments.
Reference: pkg/scheduler/plugins/drf/drf.go.
"""

from vqs.engine.plugins.drf.plugin import NAME, DrfPlugin

__all__ = ["NAME", "DrfPlugin"]
