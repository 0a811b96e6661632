"""What vqs reads of a file, and kubectl does not; found while the input is read, and in comparisons with a revision."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="not-applied",
    severity=Severity.WARNING,
    title="kubectl apply would not read this",
    meaning="vqs reads more than kubectl does. kubectl splits a file only at lines that begin with ---, and takes the "
    "first document of each part: what follows a line ... or a marker after another line break is lost, and so is all "
    "but the first document of a file in UTF-16. In a folder, it reads *.yaml, *.yml and *.json, in small "
    "letters and not packed, and only with -R those in folders below; and it knows no scenarios. The latter is told of "
    "a change that puts objects where they were not.",
    why="What is not applied is not there: the comparison has objects that the cluster will not have, or that it "
    "will lose.",
    fix="Begin each document with a line ---, and keep manifests where kubectl finds them.",
    source="k8s.io/apimachinery pkg/util/yaml/decoder.go; k8s.io/cli-runtime pkg/resource/visitor.go",
    example="kubectl apply does not read this document, as no line --- is before it",
)
