"""Something that one plugin reads, without that plugin."""

from collections.abc import Iterator, Mapping

from vqs.config.scheduler_conf import NETWORK_TOPOLOGY, PluginField, unread_fields
from vqs.lint.pod_groups import controller_made, topologies
from vqs.lint.pod_sources import PodSource, and_others, families, pod_sources
from vqs.lint.rule import Finding, Findings, LintContext, Need, Place, Rule, Severity
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.kinds import key_of

_ANNOTATIONS: Path = ("metadata", "annotations")


def check(context: LintContext) -> Findings:
    """Find annotations, topologies and requests that no plugin of the configuration reads; of pods alike, the first."""
    unread = unread_fields(context.conf)
    seen: set[tuple[object, ...]] = set()
    for what, field, name, place in _fields_in_use(context, unread):
        key = what, field.what, () if name else place.path  # of several annotations or requests, the first
        if key not in seen:
            seen.add(key)
            says = f"{'requests' if name in field.resources else 'sets'} {name or 'networkTopology'}"
            message = f"{what} {says}, which only the plugin {field.plugin} reads, and it is not used: {field.without}"
            yield Finding(message, place, fix=f"Add the plugin {field.plugin}, or remove {name or 'networkTopology'}.")


_FieldInUse = tuple[str, PluginField, str, Place]


def _fields_in_use(context: LintContext, unread: list[PluginField]) -> Iterator[_FieldInUse]:
    """Yield what is said: by what, which field, in which annotation or resource if in one, and where."""
    for list_name, kind in (("volcano_jobs", "Job"), ("pod_groups", "PodGroup")):
        for each, at in context.objects(list_name):
            if list_name == "pod_groups" and controller_made(each) and key_of(each) not in context.manifests.made_by:
                continue
            what = f"{kind} {each.metadata.key}"
            yield from _annotated(what, each.metadata.annotations, at.at(*_ANNOTATIONS), unread)
            if NETWORK_TOPOLOGY in unread:
                for path, _ in topologies(each.spec):
                    yield what, NETWORK_TOPOLOGY, "", at.at(*path)
    waiting = (source for source in pod_sources(context) if source.for_volcano and source.waits)
    for source, number in families(waiting):
        what = and_others(source.what, number)
        yield from _annotated(what, source.metadata.annotations, source.at(*_ANNOTATIONS), unread)
        if source.list_name in ("deployments", "workloads", "jobs"):
            at = Place(source.list_name, source.index, _ANNOTATIONS)
            yield from _annotated(what, source.owner.annotations, at, unread)
        yield from _requested(what, source, unread)


def _annotated(
    what: str, annotations: Mapping[str, str], at: Place, unread: list[PluginField]
) -> Iterator[_FieldInUse]:
    for field in unread if annotations else ():
        for name in sorted(field.annotations & annotations.keys()):
            yield what, field, name, at.at(name)


def _requested(what: str, source: PodSource, unread: list[PluginField]) -> Iterator[_FieldInUse]:
    for kind, containers in (("containers", source.spec.containers), ("initContainers", source.spec.init_containers)):
        for index, each in enumerate(containers):
            for part in ("requests", "limits"):
                amounts = getattr(each.resources, part)
                for field in unread if amounts else ():
                    for name in sorted(field.resources & amounts.keys()):
                        yield what, field, name, source.at("spec", kind, index, "resources", part, name)


RULE = Rule(
    code="field-without-plugin",
    severity=Severity.WARNING,
    title="jobs or pods say something that only a plugin reads which is not used",
    meaning="An annotation, a networkTopology or a requested resource of a Job, a PodGroup or of pods is read by one "
    "plugin alone, and the configuration does not have that plugin: network-topology-aware (networkTopology), sla "
    "(sla-waiting-time), task-topology (volcano.sh/task-topology-affinity and so on), tdm (volcano.sh/revocable-zone, "
    "volcano.sh/jdb-min-available), cdp (volcano.sh/cooldown-time), resource-strategy-fit, deviceshare "
    "(volcano.sh/vgpu-number and so on).",
    why="The scheduler drops what no plugin reads, without an event or a message: even a hard network topology does "
    "not keep the pods of a gang together.",
    fix="Add the plugin to the configuration, or remove what it would read.",
    source="pkg/scheduler/plugins/factory.go; pkg/scheduler/api/job_info.go; pkg/scheduler/api/pod_info.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="networkTopology: {mode: hard}, and no - name: network-topology-aware",
    given_conf=True,
)
