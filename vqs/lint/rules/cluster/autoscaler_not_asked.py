"""Jobs that are not admitted for lack of nodes, in a cluster whose autoscaler would add nodes for pods that wait."""

from vqs.lint.amounts import quantity
from vqs.lint.plugins import answering, is_given
from vqs.lint.pod_groups import GroupPlaces
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Place, Rule, Severity
from vqs.model.job import PENDING
from vqs.model.resource import EPSILON, PODS, Resource
from vqs.snapshot.cluster.autoscaler import autoscaler_of, pods_await_admission


def check(context: LintContext) -> Findings:
    """Find jobs whose minResources are above what overcommit makes of the nodes, less what their pods hold."""
    conf, session = context.conf, context.session
    overcommit = next((each for each in answering(conf, "enableJobEnqueued") if each.name == "overcommit"), None)
    sign = autoscaler_of(context.manifests)
    if sign is None or overcommit is None or "enqueue" not in conf.actions:
        return
    given = overcommit.arguments.float("overcommit-factor")
    factor = given if given >= 1 else float(overcommit.arguments.default("overcommit-factor"))
    used: Resource = session.nodes.resource(session.nodes.used.sum(axis=1))
    at = Place(sign.list_name, sign.number).at(*sign.path) if sign.list_name else None
    seen = Evidence(f"the cluster has an autoscaler: {sign.text}", at)
    places = GroupPlaces(context)
    place = ConfPlace(("actions", conf.actions.index("enqueue"))) if is_given(conf) else None
    for uid, job in sorted(session.jobs.items()):
        need = job.minimum()
        is_pending = job.phase in (PENDING, "") and job.min_resources is not None
        if not (is_pending and pods_await_admission(context.completed, job)):
            continue
        for name in (each for each in need.names() if each != PODS and need.get(each) > 0):
            room = session.total_resource.get(name) * factor - used.get(name)
            if need.get(name) - room >= EPSILON:
                yield Finding(
                    f"{job.display_name} needs {quantity(name, need.get(name))} to be admitted, and overcommit has "
                    f"room for {quantity(name, max(room, 0.0))}: the autoscaler is not asked for nodes",
                    places.at(uid, "metadata", "name"),
                    (seen, Evidence("enqueue keeps the job from making pods that wait for a node", place)),
                )
                break


RULE = Rule(
    code="autoscaler-not-asked",
    severity=Severity.WARNING,
    title="enqueue does not admit a job that an autoscaler would add nodes for",
    meaning="The cluster has an autoscaler (its ConfigMap, its labels or annotations on nodes, or Karpenter's "
    "NodePools), and the minResources of a job are above what the plugin overcommit makes of the nodes there are.",
    why="An autoscaler adds nodes for pods that are pending and marked as unschedulable. The job is not admitted as "
    "there are too few nodes, so the Job controller does not create its pods; and as nothing asks for nodes, none are "
    "added: a deadlock (volcano issues 3910, 4030, 4041).",
    fix="Raise overcommit-factor up to what the autoscaler may add, or remove enqueue from actions; or keep as many "
    "nodes as the largest job needs.",
    source="pkg/scheduler/plugins/overcommit/overcommit.go; pkg/scheduler/actions/enqueue/enqueue.go",
    check=check,
    needs=Need.SESSION,
    example="a cluster of Karpenter with 8 cpu, and a Job with minAvailable 4 and pods of 4 cpu",
)
