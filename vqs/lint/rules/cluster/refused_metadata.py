"""Metadata that the API server refuses."""

from vqs.lint.new_objects import new_objects
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.validation import names
from vqs.snapshot.apiserver.validation.pod import metadata
from vqs.snapshot.reading.kinds import KIND_OF

_NAME = ("metadata", "name")
_NAMESPACE = ("metadata", "namespace")


def check(context: LintContext) -> Findings:
    """Find names, labels and annotations that are not allowed; another rule checks the names of queues."""
    for new in new_objects(context):
        judge = names.label if isinstance(new.typed, k8s.Namespace | k8s.Service) else names.subdomain
        for path, wrong in metadata(new.value, judge):
            if path == _NAMESPACE and not KIND_OF[type(new.typed)].namespaced:
                continue  # the API server takes it out
            if path != _NAME or not isinstance(new.typed, k8s.Queue):
                yield Finding(f"{new.what}: {wrong}", new.at(path))


RULE = Rule(
    code="refused-metadata",
    severity=Severity.ERROR,
    title="the API server refuses the metadata of an object",
    meaning="A name, namespace, label, annotation or finalizer has characters that are not allowed, or is too long, or "
    "a reference to an owner is incomplete.",
    why="Most names are subdomains after RFC 1123: lower case letters, digits, dashes and dots, 253 characters at "
    "most. The API server checks them for every kind.",
    fix="Write names with lower case letters, digits, dashes and dots, and keys and values of labels with at most 63 "
    "characters. In a reference to an owner, set apiVersion, kind, name and uid.",
    source="k8s.io/apimachinery pkg/api/validation/objectmeta.go",
    check=check,
    example="metadata: {name: Train_1}",
    denied="apiserver",
    gives_way=True,
)
