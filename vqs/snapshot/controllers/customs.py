"""Objects of kinds that operators have: what these would create is added; templates in unknown kinds are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from vqs.model import keys
from vqs.model import kubernetes as k8s
from vqs.snapshot.apiserver.admission import is_stored
from vqs.snapshot.apiserver.checks import defects
from vqs.snapshot.apiserver.validation.schema import child, text
from vqs.snapshot.controllers.operators import OPERATORS, Child, Custom, Gang, Operator, Role
from vqs.snapshot.controllers.world import reference
from vqs.snapshot.reading.decoding import decode
from vqs.snapshot.reading.diagnostics import Diagnostic, Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.findings import Findings
from vqs.snapshot.reading.kinds import group_of, key_of
from vqs.snapshot.reading.manifests import Made, Manifests, called
from vqs.snapshot.reading.reach import in_force

_RUNTIMES: Final = frozenset({"TrainingRuntime", "ClusterTrainingRuntime"})
_DEFAULT_NAMESPACE: Final = "default"
_DEEPEST: Final = 12


class Given(NamedTuple):
    """An object of such a kind as it was read."""

    value: Mapping[str, Any]
    origin: Origin
    kind: str
    group: str
    metadata: k8s.ObjectMeta

    @property
    def what(self) -> str:
        """Its kind and name."""
        return f"{self.kind} {self.metadata.key}"

    @property
    def operator(self) -> Operator | None:
        """The row of its kind."""
        return OPERATORS.get((self.group, self.kind))


class Customs:
    """Such objects of an input; where findings are wanted, their pods are there whatever their scheduler.

    Attributes:
        for_others: those whose pods are for another scheduler, by kind.
        timed: what is created at some time only, such as the next run of a CronJob.
        unknown: those of unknown kinds with a pod template, each with the path of that.
        unused: those of which nothing is added.
    """

    def __init__(self, manifests: Manifests, findings: Findings, *, strict: bool) -> None:
        self.manifests = manifests
        self.findings = findings
        self.strict = strict
        self.for_others: Counter[str] = Counter()
        self.timed: list[Made] = []
        self.unknown: dict[str, Path] = {}
        self.unused: list[Given] = []
        self._given: list[Given] = []
        self._assumed: dict[str, None] = {}
        self._lacking: list[str] = []

    def take(self, value: Mapping[str, Any], origin: Origin) -> bool:
        """Take in an object, and tell whether it is one that no cluster has seen and that makes pods."""
        group, kind = group_of(str(value["apiVersion"])), str(value["kind"])
        namespace = text(child(value, "metadata"), "namespace") or _DEFAULT_NAMESPACE
        metadata = k8s.ObjectMeta(name=Custom(value, lambda _: 0, lambda *_: {}).name, namespace=namespace)
        given = Given(value, origin, kind, group, metadata)
        if is_stored(value) or not origin.document.is_written:
            return False
        if given.operator is None and kind not in _RUNTIMES:
            # Take in the pod templates of an object of an unknown kind.
            templates = [*_templates(given.value, ())]
            if templates and (given.group, given.kind) != ("apps", "DaemonSet"):
                self.unknown[given.what] = templates[0][0]
            for turn, (path, template) in enumerate(() if self.strict else templates):
                name = f"{given.metadata.name}-{turn}" if turn else given.metadata.name
                self._add_pods(given, Gang([Role(name, 1, template, path)]), Role(name, 1, template, path), "")
            if given.what not in self.unknown:
                return False
            self.unused.append(given)
            return True
        self._given.append(given)
        return True

    def add_all(self, under: Manifests | None) -> None:
        """Add what operators would create, unless a cluster has it already."""
        for given in self._given:
            operator, before = given.operator, len(self.manifests.made_by)
            if operator is None or not given.metadata.name:
                self.unused.append(given)
                continue
            custom = Custom(given.value, self._priority, partial(self._find, given.metadata.namespace))
            made = [*operator.makes(custom)]
            ours = [each for each in made if self._is_ours(each, operator)]
            if lacking := operator.lacks(custom):
                self._lacking.append(f"{given.what}, as {lacking} is not in the input")
            elif self.strict and made and not ours:
                self.for_others[given.kind] += 1
            elif not self._is_there(given, made, under) and self._asks_for_few(given, made):
                if operator.switch and ours:
                    self._assumed[operator.switch] = None
                asks = not keys.ASKS_FOR_VOLCANO.isdisjoint(custom.marks("annotations") | custom.marks("labels"))
                for each in made:
                    if isinstance(each, Gang) and not ours and not asks:
                        self._add(given, operator, each._replace(group=""))
                    else:
                        self._add(given, operator, each)
            if len(self.manifests.made_by) == before:
                self.unused.append(given)

    def notes(self) -> Iterator[Diagnostic]:
        """Yield what was assumed, and what was not understood."""
        if self._assumed:
            message = f"assumed that this is switched on: {', '.join(self._assumed)}"
            yield Diagnostic(code="made-objects", severity="note", message=message)
        if self._lacking:
            message = f"no pods are added for {'; '.join(self._lacking)}"
            yield Diagnostic(code="ignored-kinds", severity="note", message=message)
        if self.unknown:
            found = [f"{what} ({'.'.join(map(str, path))})" for what, path in self.unknown.items()]
            message = f"not understood are kinds that have pod templates: {', '.join(found)}"
            does = "no pods of theirs are added" if self.strict else "each template is judged as one pod"
            yield Diagnostic(code="ignored-kinds", severity="note", message=f"{message}; {does}")

    # --- what there is -----------------------------------------------------------------------------------------------

    def _priority(self, name: str) -> int:
        return next((each.value for each in self.manifests.priority_classes if each.metadata.name == name), 0)

    def _find(self, namespace: str, kind: str, name: str) -> Mapping[str, Any]:
        found = (each for each in self._given if (each.kind, each.metadata.name) == (kind, name))
        return next((each.value for each in found if kind[:7] == "Cluster" or each.metadata.namespace == namespace), {})

    def _is_ours(self, made: Gang | Child, operator: Operator) -> bool:
        """Whether pods are for the simulated scheduler; a PodGroup without pods of its own is."""
        if isinstance(made, Child):
            template = child(child(made.value, "spec"), "template")
            return text(child(template, "spec"), "schedulerName") in self.manifests.flags.names
        return any(_scheduler(made, role, operator) in self.manifests.flags.names for role in made.roles)

    def _is_there(self, given: Given, made: list[Gang | Child], under: Manifests | None) -> bool:
        """Whether a cluster has a PodGroup of an object, or pods that it controls."""
        groups = {f"{given.metadata.namespace}/{each.group}" for each in made if isinstance(each, Gang) and each.group}
        owner = given.kind, given.metadata.name
        return any(
            any(each.metadata.key in groups for each in manifests.pod_groups)
            or any((own.kind, own.name) == owner for pod in manifests.pods for own in pod.metadata.owner_references)
            for manifests in (self.manifests, under)
            if manifests is not None
        )

    def _asks_for_few(self, given: Given, made: list[Gang | Child]) -> bool:
        """Whether the pods of an object can be made; too many are an error."""
        pods = sum(role.number for each in made if isinstance(each, Gang) for role in each.roles)
        most = in_force().limits.max_pods
        if pods > most:
            message = f"{given.what} asks for {pods:,} pods: no more than {most:,} are created"
            self.findings.refuse(given.origin, "too-many-pods", message, hint="allow more with --max-pods")
        return pods <= most

    # --- what is made ------------------------------------------------------------------------------------------------

    def _add(self, given: Given, operator: Operator, made: Gang | Child) -> None:
        if isinstance(made, Child):
            origin = given.origin.inside(*made.path)
            typed = self._decoded(origin, made.value, made.type)
            if typed is not None:
                owners = [reference(str(given.value["apiVersion"]), given.kind, given.metadata)]
                pods = typed.spec.template.spec
                pods.scheduler_name = called(pods.scheduler_name, self.manifests.flags.names)
                typed.metadata = replace(typed.metadata, namespace=given.metadata.namespace, owner_references=owners)
                if operator.is_timed and self.strict:
                    self.timed.append(Made(typed, origin, given.what))
                else:
                    self._keep(given, typed, origin)
            return
        if made.group:
            metadata = k8s.ObjectMeta(
                name=made.group,
                namespace=given.metadata.namespace,
                labels={**made.labels},
                annotations={**made.annotations},
                owner_references=[_owner(given, made)],
            )
            status = k8s.PodGroupStatus(phase="Pending")
            self._keep(given, k8s.PodGroup(metadata=metadata, spec=made.spec, status=status), given.origin)
        for role in made.roles:
            self._add_pods(given, made, role, _scheduler(made, role, operator))

    def _add_pods(self, given: Given, gang: Gang, role: Role, scheduler: str) -> None:
        """Add the pods of a role; what is wrong with their template is found once."""
        origin = given.origin.inside(*role.path)
        written = {name: part for name in ("metadata", "spec") if (part := role.template.get(name)) is not None}
        template = self._decoded(origin, written, k8s.PodTemplateSpec)
        for index in range(role.number if template is not None else 0):
            own = template.metadata
            annotations = {**own.annotations}
            if gang.group:
                annotations |= {keys.GROUP_NAME: gang.group, **({keys.TASK_SPEC: role.task} if role.task else {})}
            metadata = k8s.ObjectMeta(
                name=role.name(index),
                namespace=given.metadata.namespace,
                labels={**own.labels, **role.labels},
                annotations=annotations,
                owner_references=[_owner(given, gang)],
            )
            name = called(scheduler or template.spec.scheduler_name, self.manifests.flags.names)
            spec = replace(template.spec, scheduler_name=name)
            pod = k8s.Pod(metadata=metadata, spec=spec, status=k8s.PodStatus(phase="Pending"))
            self._keep(given, pod, origin, judge=index == 0)

    def _decoded(self, origin: Origin, value: Any, type_: type[Any]) -> Any:
        typed, errors = decode(value, type_)
        for error in errors:
            self.findings.refuse(origin, "wrong-type", error.message, error.path, hint=error.hint)
        return None if errors else typed

    def _keep(self, given: Given, typed: Any, origin: Origin, *, judge: bool = True) -> None:
        if key_of(typed) in self.manifests.made_by:
            return
        for defect in defects(typed) if judge else ():
            self.findings.report(origin, defect)
        self.manifests.add_made(Made(typed, origin, given.what))


def _owner(given: Given, gang: Gang) -> k8s.OwnerReference:
    if gang.owner is not None:
        api_version, kind, name = gang.owner
        return reference(api_version, kind, k8s.ObjectMeta(name=name, namespace=given.metadata.namespace))
    return reference(str(given.value["apiVersion"]), given.kind, given.metadata)


def _scheduler(gang: Gang, role: Role, operator: Operator) -> str:
    own = text(child(role.template, "spec"), "schedulerName")
    return gang.scheduler or own or (keys.SCHEDULER_NAME if operator.switch else "")


def _templates(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the pod templates in a value: what has a spec with containers, but for the object itself."""
    if len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        spec = value.get("spec")
        containers = spec.get("containers") if isinstance(spec, dict) else None
        if path and isinstance(containers, list) and all(isinstance(each, dict) for each in containers):
            yield path, value
            return
        for step, each in value.items():
            if path or step != "status":
                yield from _templates(each, (*path, step))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _templates(each, (*path, index))
