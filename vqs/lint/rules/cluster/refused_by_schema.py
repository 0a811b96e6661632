"""An object that the API server refuses by the schema of its kind."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from vqs.lint.new_objects import CUSTOM, NewObject, denier, new_objects
from vqs.lint.rule import Denier, Finding, Findings, LintContext, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.releases.profile import Profile
from vqs.releases.schemas import SchemaBehaviours
from vqs.snapshot.apiserver.validation.names import qualified_name
from vqs.snapshot.apiserver.validation.schema import (
    Faults,
    child,
    children,
    is_given,
    is_known,
    is_true,
    number,
    text,
    violations,
    wrong_types,
)
from vqs.snapshot.reading.diagnostics import Path

_READ_BY_NO_WEBHOOK: Final = (k8s.JobFlow, k8s.JobTemplate)
_CHECKED_BY_WEBHOOK: Final[Mapping[type, Collection[Path]]] = {
    k8s.VolcanoJob: (
        *(("spec", name) for name in ("minAvailable", "maxRetry", "ttlSecondsAfterFinished", "tasks")),
        *(("spec", "tasks", name) for name in ("replicas", "minAvailable", "name")),
    ),
    k8s.HyperNode: (
        ("spec", "members"),
        ("spec", "members", "selector", "regexMatch", "pattern"),
    ),
}
"""The values, by kind, that the webhooks check of a release whose schemas do not."""

_NODE: Final = ("spec", "members", "selector", "exactMatch", "name")

_LENGTHS_OF_TIME: Final = ("runningEstimate", "timeout")


def check(context: LintContext) -> Findings:
    """Find values that the schemas do not allow, and values of a wrong type."""
    for new in new_objects(context):
        if isinstance(new.typed, k8s.Queue) and not is_given(new.value, "spec"):
            yield Finding(
                f"{new.what}: spec is missing, and Volcano's webhook needs it to add defaults", new.at(("spec",))
            )
        if is_known(new.kind):
            wide = isinstance(new.typed, _READ_BY_NO_WEBHOOK)
            schemas = new.schemas(context.profile)
            for path, text_ in _types(new, schemas, wide=wide):
                yield Finding(f"{new.what}: {text_}", new.at(path), denied=_reader(new, context.profile, path))
        if isinstance(new.typed, CUSTOM):
            schemas = context.profile.schemas
            value, rewritten = _as_mutated(new.typed, new.value), _rewritten(new)
            refused = dict(violations(value, new.kind, schemas, rewritten))
            for path, text_ in refused.items():
                yield Finding(f"{new.what}: {text_}", new.at(path), denied="apiserver")
            if schemas.schema_bounds == "few":
                for path, text_ in violations(value, new.kind, replace(schemas, schema_bounds="all"), rewritten):
                    if path not in refused and _is_checked_by_webhook(new.typed, path):
                        yield Finding(f"{new.what}: {text_}", new.at(path), denied="webhook")


def _is_checked_by_webhook(typed: object, path: Path) -> bool:
    """True if a webhook minds what the schema does not, which takes more names of nodes than the schema would."""
    place = tuple(step for step in path if isinstance(step, str))
    if isinstance(typed, k8s.HyperNode) and place == _NODE:
        match = typed.spec.members[int(path[2])].selector.exact_match
        return match is None or bool(qualified_name(match.name))
    return place in _CHECKED_BY_WEBHOOK.get(type(typed), ())


def _types(new: NewObject, schemas: SchemaBehaviours, *, wide: bool) -> Faults:
    return wrong_types(
        new.value, new.kind, schemas, lenient=not isinstance(new.typed, CUSTOM), wide=wide, rewritten=_rewritten(new)
    )


def _reader(new: NewObject, profile: Profile, path: Path) -> Denier | None:
    """The component that understands a value first; to the API server, lengths of time are texts."""
    # No schema tells that a value has more than 32 bits.
    if isinstance(new.typed, k8s.CronJob) and (
        path[-1] in _LENGTHS_OF_TIME or path not in {each for each, _ in _types(new, new.schemas(profile), wide=True)}
    ):
        return "webhook"
    return denier("wrong-type", type(new.typed), path, profile)


def _rewritten(new: NewObject) -> Path | None:
    """The path of a Job's tasks if the mutating webhook rewrites them, which it does to add defaults."""
    tasks = children(child(new.value, "spec"), "tasks") if isinstance(new.typed, k8s.VolcanoJob) else []
    return ("spec", "tasks") if any(map(_lacks_defaults, tasks)) else None


def _lacks_defaults(task: Mapping[str, Any]) -> bool:
    pods = child(child(task, "template"), "spec")
    needs_policy = is_true(pods, "hostNetwork") and not text(pods, "dnsPolicy")
    return (
        not text(task, "name") or number(task, "minAvailable") is None or not number(task, "maxRetry") or needs_policy
    )


def _as_mutated(typed: object, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """An object without the values that a mutating webhook fills in."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return value
    if isinstance(typed, k8s.Queue) and spec.get("weight") == 0:
        return {**value, "spec": {**spec, "weight": 1}}
    if isinstance(typed, k8s.VolcanoJob):
        filled = {key: each for key, each in spec.items() if each != "" or key not in ("queue", "schedulerName")}
        return {**value, "spec": filled}
    return value


RULE = Rule(
    code="refused-by-schema",
    severity=Severity.ERROR,
    title="the API server refuses an object by its schema",
    meaning="In a Job, CronJob, PodGroup, Queue, HyperNode, JobFlow or JobTemplate, a value is missing, of the wrong "
    "type, out of range, not an allowed value, written with characters that are not allowed, or twice in a list. A "
    "Queue has no spec. In kinds of Kubernetes itself, a value is of a wrong type.",
    why="The API server checks objects against the schemas of Volcano's custom resource definitions before it calls a "
    "validating webhook. The mutating webhook for Queues cannot add defaults if spec is missing.",
    fix="Set the field at the marked place to a value that the message allows: add it if it is missing, write it with "
    "the right type, or remove the second of two equal items.",
    source="config/crd/volcano/bases",
    check=check,
    example="tasks: [{name: Worker_1}]",
    denied="apiserver",
    gives_way=True,
)
