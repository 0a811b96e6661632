"""A tier above the queue plugin that names the pods to reclaim."""

from vqs.lint.plugins import answering_by_tier, uses_action
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_QUEUE_PLUGINS = ("proportion", "capacity")
_FLAG = "enableReclaimable"


def check(context: LintContext) -> Findings:
    """Look at the tiers above the one with the first queue plugin."""
    conf = context.conf
    if not uses_action(conf, "reclaim"):
        return
    above = []
    for tier in answering_by_tier(conf, _FLAG):
        queue_plugin = next((option for option in tier if option.name in _QUEUE_PLUGINS), None)
        if queue_plugin is None:
            above += tier
            continue
        if above:
            *most, last = [option.name for option in above]
            names = f"{', '.join(most)} and {last}" if most else last
            verb = "selects" if len(above) == 1 else "select"
            message = (
                f"where {names} {verb} pods to reclaim, {queue_plugin.name} in a later tier is not asked, and a queue "
                "may lose pods that holds no more than it deserves"
            )
            evidence = tuple(
                Evidence(
                    f"the plugin {each.name} is in an earlier tier than {queue_plugin.name}",
                    ConfPlace((*each.path, "name")),
                )
                for each in above
            )
            yield Finding(message, ConfPlace((*queue_plugin.path, "name")), evidence)
        return


RULE = Rule(
    code="reclaim-decided-above-queues",
    severity=Severity.NOTE,
    title="a higher tier selects the victims of reclaim, before proportion or capacity is asked",
    meaning="The action reclaim is configured, and proportion or capacity is in a lower tier than other plugins that "
    "select victims of reclaim, such as gang and conformance.",
    why="The victims are the pods that all plugins of a tier agree on. If a tier selects any, lower tiers are not "
    "asked: pods can be reclaimed from a queue that is below its deserved share. And if a plugin of the tier selects "
    "none, the next tier decides without the tiers above it: conformance then does not protect system pods.",
    fix="Set enableReclaimable: false for gang, and put conformance into the tier of proportion or capacity.",
    source="pkg/scheduler/framework/session_plugins.go (Reclaimable)",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, reclaim" with gang in tier 1 and capacity in tier 2',
)
