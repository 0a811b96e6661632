"""A node whose pods request more than it has."""

import numpy as np

from vqs.lint.amounts import quantity
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.resource import EPSILON, PODS


def check(context: LintContext) -> Findings:
    """Find nodes with negative idle resources."""
    table = context.session.nodes
    places = {node.metadata.name: place for node, place in context.objects("nodes")}
    exceeded = table.used - table.allocatable >= EPSILON
    for column, row in np.argwhere(exceeded.T).tolist():
        name, resource = table.names[column], table.resources[row]
        have, used = float(table.allocatable[row, column]), float(table.used[row, column])
        if have or resource != PODS:
            place = places[name]
            yield Finding(
                f"pods on node {name} request {quantity(resource, used)}, "
                f"and its allocatable is {quantity(resource, have)}",
                place.at("status", "allocatable", resource),
            )


RULE = Rule(
    code="node-overcommitted",
    severity=Severity.WARNING,
    title="the pods on a node request more than it has",
    meaning="The requests of the pods on the node add up to more than its allocatable.",
    why="The idle resources of the node are below zero. If that is cpu or memory, no pod with requests fits the node, "
    "and binding a pod without requests fails.",
    fix="See whether its allocatable shrank, whether a device plugin stopped, or whether another scheduler or nodeName "
    "put pods there.",
    source="pkg/scheduler/api/node_info.go",
    check=check,
    needs=Need.SESSION,
    example="allocatable cpu 4, and pods with requests of 6 cpu on the node",
)
