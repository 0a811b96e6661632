"""A slow and obvious model of drf's hierarchy, to hold the fast one against."""

from __future__ import annotations

from dataclasses import dataclass, field

Amounts = dict[str, float]

LEAST = 0.1


@dataclass
class Step:
    """A branch, or a job where it has a request."""

    weight: float = 1.0
    request: Amounts | None = None
    held: Amounts = field(default_factory=dict)
    below: dict[str, Step] = field(default_factory=dict)
    share: float = 0.0
    saturated: bool = False


@dataclass
class SlowJob:
    """A job: the path of its queue, the weights along it, what it asks for and what it holds."""

    path: list[str]
    weights: list[float]
    request: Amounts
    held: Amounts


def tree(jobs: dict[str, SlowJob], total: Amounts) -> Step:
    """Build the tree of some jobs, and find the share of every branch."""
    root = Step()
    used = {name: sum(job.held.get(name, 0.0) for job in jobs.values()) for name in total}
    for uid, job in jobs.items():
        step = root
        for name, weight in zip(job.path[1:], job.weights[1:], strict=True):
            step = step.below.setdefault(name, Step(weight=max(weight, 1.0)))
        step.below[f"job {uid}"] = Step(request=job.request, held=job.held)
    update(root, total, {name for name in total if used[name] < total[name]})
    return root


def update(step: Step, total: Amounts, demanded: set[str]) -> None:
    """Find what a branch has, from the bottom up."""
    if step.request is not None:
        step.share = share(step.held, total)
        step.saturated = any(
            amount >= LEAST and step.request.get(name, 0) and (amount >= step.request[name] or name not in demanded)
            for name, amount in step.held.items()
        )
        return
    for each in step.below.values():
        update(each, total, demanded)
    smallest = min([1.0, *(each.share for each in step.below.values() if each.share and not each.saturated)])
    step.held = {}
    for each in step.below.values():
        if each.share:
            scale = 1.0 if each.saturated else smallest / each.share
            for name, amount in each.held.items():
                step.held[name] = step.held.get(name, 0.0) + amount * scale
    step.share = share(step.held, total)
    step.saturated = all(each.saturated for each in step.below.values())


def share(held: Amounts, total: Amounts) -> float:
    """Return the largest part of any one resource."""
    return max([0.0, *(held.get(name, 0.0) / total[name] for name in total if total[name] >= LEAST)])


def order(root: Step, left: list[str], right: list[str]) -> float:
    """Compare two paths: below zero where the left one comes first."""
    mine = theirs = root
    for level in range(1, min(len(left), len(right))):
        mine, theirs = mine.below[left[level]], theirs.below[right[level]]
        if mine.saturated != theirs.saturated:
            return 1.0 if mine.saturated else -1.0
        if mine.share / mine.weight != theirs.share / theirs.weight:
            return mine.share / mine.weight - theirs.share / theirs.weight
    return 0.0
