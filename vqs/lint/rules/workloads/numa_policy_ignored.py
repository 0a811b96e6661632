"""A topology policy for pods, without the plugin that reads it."""

from vqs.lint.plugins import uses
from vqs.lint.pod_sources import LISTS, asking
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find pods and templates with a policy that no plugin reads; of pods made alike, the first."""
    if uses(context.conf, "numa-aware"):
        return
    seen = set()
    for source, policy, place in asking(context):
        if source.family not in seen:
            seen.add(source.family)
            message = f"{source.what} asks for the topology policy {policy}, and the plugin numa-aware is not used"
            yield Finding(message, place)


RULE = Rule(
    code="numa-policy-ignored",
    severity=Severity.WARNING,
    title="pods ask for a topology policy, and no plugin reads it",
    meaning="The annotation volcano.sh/numa-topology-policy of pods, or topologyPolicy of a Job's task, names a "
    "policy, and the plugin numa-aware is not in the configuration.",
    why="Only the plugin numa-aware reads it. Without the plugin, a pod may go to a node whose kubelet cannot align "
    "its CPUs, and is rejected there with TopologyAffinityError.",
    fix="Add the plugin numa-aware, or remove the policy.",
    source="pkg/scheduler/plugins/numaaware/numaaware.go",
    check=check,
    needs=Need.CONFIGURATION,
    looks_at=(*LISTS, "conf"),
    example="volcano.sh/numa-topology-policy: restricted, and no - name: numa-aware",
    given_conf=True,
)
