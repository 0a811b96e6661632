"""resource-strategy-fit: score nodes by a strategy for each resource, and keep room for scarce resources.

* The strategy of a resource is MostAllocated, the part of it that would be in use with the task, or LeastAllocated, the
  part that would be left; the score is the weighted mean, between 0 and 100, times `resourceStrategyFitWeight` (default
  10; 0 switches it off). `resources` names them, with `type` (default LeastAllocated) and `weight` (default 1); a name
  may end with an asterisk, and the longest that fits counts. By default these are cpu and memory, LeastAllocated.
  A pod's annotations may say otherwise: `volcano.sh/resource-strategy-scoring-type` with one strategy for all resources
  in `volcano.sh/resource-strategy-weight`, their weights as JSON.
* `sra` (scarce resource avoidance) scores nodes by the scarce resources that they do not have: `enable` (default
  false), `resources` (names, separated by commas), `weight` (default 0, which scores nothing), `resourceWeight` (by
  name, default 1). A node without something that the task requests scores 0.
* `proportional` refuses nodes where a task that uses no scarce resource would leave too little for tasks that do:
  `enable` (default false), `resources`, and `resourceProportion`: what is kept for each idle unit of NAME, in cores
  under `NAME.cpu` and in GB of 1000^3 bytes under `NAME.memory` (default 1 each).

Reference: pkg/scheduler/plugins/resource-strategy-fit.
"""

from vqs.engine.plugins.resource_strategy_fit.plugin import NAME, ResourceStrategyFitPlugin

__all__ = ["NAME", "ResourceStrategyFitPlugin"]
