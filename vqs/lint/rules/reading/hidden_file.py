"""A manifest whose name begins with a dot; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="hidden-file",
    severity=Severity.WARNING,
    title="a hidden file is passed over",
    meaning="A file in a folder has a name that begins with a dot and ends as those of manifests do. It is not read. "
    "In a comparison, one that is new, changed or gone is told, also one in a hidden folder.",
    why="kubectl apply, given the folder, reads it: what it changes in the cluster is nothing that vqs has looked at.",
    fix="Give it another name if it is a manifest, or name it on the command line; move it elsewhere if it is none.",
    source="vqs/snapshot/sources.py",
    example="queues/.research.yaml",
)
