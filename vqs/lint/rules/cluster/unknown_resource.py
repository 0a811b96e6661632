"""A resource that a queue names, and no node has."""

from vqs.lint.amounts import is_scheduled, named
from vqs.lint.queue_sums import nodes_total
from vqs.lint.queue_tree import WrittenQueue, queue_tree
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.reading.diagnostics import Guesser, Path


def check(context: LintContext) -> Findings:
    """Find such resources, each once for a queue. An amount of 0 is no fault."""
    known = nodes_total(context)
    guesser = Guesser(known)
    for queue in queue_tree(context):
        found: dict[str, list[Path]] = {}
        for path, amount in named(queue.queue):
            if amount:
                found.setdefault(str(path[-1]), []).append(path)
        for name, paths in found.items():
            if known and name not in known:
                yield _finding(queue, name, paths, "which no node has", guesser.hint(name))
            elif not is_scheduled(name):
                yield _finding(queue, name, paths, "which the scheduler does not count", "")


def _finding(queue: WrittenQueue, name: str, paths: list[Path], which: str, fix: str) -> Finding:
    first, *others = paths
    return Finding(
        f"queue {queue.name} names the resource {name}, {which}",
        queue.at(*first),
        tuple(Evidence(f"{name} again, in {path[1]}", queue.at(*path)) for path in others),
        fix,
    )


RULE = Rule(
    code="unknown-resource",
    severity=Severity.WARNING,
    title="a queue names a resource that no node has",
    meaning="capability, deserved or guarantee of a queue name a resource that none of the nodes in the input has, or "
    "one that the scheduler does not count: other than cpu, memory, pods and ephemeral-storage, names need a prefix, "
    "as in nvidia.com/gpu.",
    why="A misspelt name limits nothing and guarantees nothing, and no error says so.",
    fix="Correct the name: kubectl get nodes -o yaml shows them under status.allocatable. If nodes with it will be "
    "added, ignore this.",
    source="pkg/scheduler/api/resource_info.go (NewResource)",
    check=check,
    example="capability: {nvidia.com/gpus: 8}, where nodes have nvidia.com/gpu",
)
