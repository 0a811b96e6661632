"""A scenario in which running pods find no node; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="no-room",
    severity=Severity.ERROR,
    title="a scenario has pods that run, and no node with room for them",
    meaning="A job of a scenario says that pods of it run, and they do not fit on the nodes beside what runs there "
    "already.",
    why="Pods that run are put on the first nodes with room, before the session is opened.",
    fix="Make the nodes larger, let fewer pods run, or say which nodes they are on: running: {NODE: 2}.",
    source="vqs/snapshot/scenario/room.py",
    example="nodes: [{cpu: 1}] and jobs: [{name: a, running: 2, cpu: 1}]",
)
