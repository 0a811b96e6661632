"""A pod template of a Job that is refused for what scheduling does not look at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from vqs.lint.rule import Finding, Place, Rule, Severity
from vqs.lint.written import written_objects
from vqs.snapshot.diagnostics import did_you_mean, one_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.lint.subject import Subject
    from vqs.snapshot.diagnostics import Path

    Fault = tuple[Path, str]

_RESTARTS: Final = ("Always", "OnFailure", "Never")
_PULLS: Final = ("Always", "IfNotPresent", "Never")
_MOST_PORTS: Final = 65535
_ENV: Final = re.compile(r"(?!\.\.|\.\Z)[-._a-zA-Z][-._a-zA-Z0-9]*")
_NAME: Final = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_PREFIX: Final = r"(?=[^/]{1,253}/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*/"
_KEY: Final = re.compile(rf"(?:{_PREFIX})?{_NAME}")
_VALUE: Final = re.compile(rf"(?:{_NAME})?")


def check(subject: Subject) -> Iterator[Finding]:
    """Find such templates in Jobs that no API server has seen. Images are not asked for: many files leave them out."""
    written = subject.once(written_objects)
    for job, place in subject.each("volcano_jobs"):
        if subject.is_stored(job):
            continue
        spec = _map(written.get("volcano_jobs", place.index).get("spec"))
        for index, task in enumerate(_maps(spec.get("tasks"))):
            path: Path = ("spec", "tasks", index, "template")
            for steps, text in _of_template(_map(task.get("template"))):
                what = f"task {task.get('name') or index} of Job {job.metadata.key}"
                yield Finding(f"{what}: {text}", Place(place.list_name, place.index, (*path, *steps)))


def _of_template(template: dict[str, Any]) -> Iterator[Fault]:
    spec = _map(template.get("spec"))
    yield from _labels(("metadata", "labels"), _map(_map(template.get("metadata")).get("labels")))
    yield from _labels(("spec", "nodeSelector"), _map(spec.get("nodeSelector")))
    yield from _choice(("spec", "restartPolicy"), spec.get("restartPolicy"), _RESTARTS)
    volumes: set[object] = set()
    for index, volume in enumerate(_maps(spec.get("volumes"))):
        name = volume.get("name")
        if isinstance(name, str) and name in volumes:
            yield ("spec", "volumes", index, "name"), f"two volumes are called {name}"
        volumes.add(name if isinstance(name, str) else None)
    for key in ("containers", "initContainers"):
        for index, container in enumerate(_maps(spec.get(key))):
            for steps, text in _of_container(container, volumes):
                yield ("spec", key, index, *steps), text


def _labels(path: Path, labels: dict[str, Any]) -> Iterator[Fault]:
    for key, value in labels.items():
        if not _KEY.fullmatch(key):
            yield (*path, key), f"{key!r} cannot be the key of a label"
        elif isinstance(value, str) and not _VALUE.fullmatch(value):
            yield (*path, key), f"{value!r} cannot be the value of a label"


def _of_container(container: dict[str, Any], volumes: set[object]) -> Iterator[Fault]:
    yield from _choice(("imagePullPolicy",), container.get("imagePullPolicy"), _PULLS)
    for index, port in enumerate(_maps(container.get("ports"))):
        for key, least in (("containerPort", 1), ("hostPort", 0)):
            number = port.get(key)
            if isinstance(number, int) and not least <= number <= _MOST_PORTS:
                yield ("ports", index, key), f"{key} {number} is not from {least} to {_MOST_PORTS}"
    for index, variable in enumerate(_maps(container.get("env"))):
        name = variable.get("name")
        if isinstance(name, str) and not _ENV.fullmatch(name):
            yield ("env", index, "name"), f"{name!r} cannot be the name of an environment variable"
    for index, mount in enumerate(_maps(container.get("volumeMounts"))):
        name = mount.get("name")
        if isinstance(name, str) and name not in volumes:
            yield ("volumeMounts", index, "name"), f"there is no volume {name!r} in the template"


def _choice(path: Path, value: object, choices: tuple[str, ...]) -> Iterator[Fault]:
    if isinstance(value, str) and value and value not in choices:
        hint = did_you_mean(value, choices) or f"there are {one_of(choices)}"
        yield path, f"the {path[-1]} {value} does not exist ({hint})"


def _map(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _maps(value: object) -> list[dict[str, Any]]:
    return [_map(each) for each in value] if isinstance(value, list) else []


RULE = Rule(
    code="refused-template",
    severity=Severity.ERROR,
    title="the pod template of a Job is refused for what scheduling does not look at",
    meaning="A restartPolicy or imagePullPolicy does not exist, a port is out of range, a label or the name of an "
    "environment variable has characters that are not allowed there, two volumes have the same name, or a volumeMount "
    "names a volume that the template does not have. Other fields are not checked.",
    why="The webhook for Jobs validates the template of every task as the API server does with pods, and refuses the "
    "Job. Volumes in spec.volumes of the Job are mounted by themselves, and do not count here.",
    fix="Correct what the message names.",
    source="pkg/webhooks/admission/jobs/validate/admit_job.go (validateTaskTemplate); k8s.io/kubernetes "
    "pkg/apis/core/validation/validation.go",
    check=check,
    example="restartPolicy: OnError",
)
