"""extender: let an HTTP server take part in decisions; it is asked only with `--allow-extender`.

Each verb that is given, below `extender.urlPrefix`, is asked at its place: predicateVerb filters nodes, prioritizeVerb
scores them, preemptableVerb and reclaimableVerb choose victims, jobEnqueueableVerb admits jobs, queueOverusedVerb
leaves queues out, jobReadyVerb says whether a gang is complete, allocateFuncVerb and deallocateFuncVerb hear of each
placement and each eviction, and the first can refuse it. onSessionOpenVerb is sent the whole cluster; where that fails,
nothing else is asked. Requests are POSTs of JSON, as Go encodes Volcano's structs.

Arguments, all beginning with `extender.`: `urlPrefix`, the verbs (none by default), `httpTimeout` (default 1s),
`ignorable` (default false): a request that fails counts as a yes, or as no score, instead of as a no; of jobReadyVerb,
it counts as a no instead of as a yes. `managedResources`: only tasks with a container that requests or limits one of
them are asked about; all are where there are none. Jobs and queues are always asked about. Up to v1.12, neither
managedResources nor the verbs that hear of placements and evictions exist.
Reference: pkg/scheduler/plugins/extender/extender.go.
"""

from vqs.engine.plugins.extender.plugin import NAME, ExtenderPlugin

__all__ = ["NAME", "ExtenderPlugin"]
