"""The plugin gang where it keeps reclaim from all jobs there are."""

from vqs.lint.plugins import answering_by_tier, is_given
from vqs.lint.queue_sums import above_deserved, waiting_elsewhere
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find queues above what they deserve all of whose jobs run with no more pods than their minimum."""
    tiers = [tier for tier in answering_by_tier(context.conf, "enableReclaimable") if tier]
    gang = next((each for tier in tiers for each in tier if each.name == "gang"), None)
    if gang is None or len(tiers) > 1:
        return  # where gang selects none, another tier decides
    session = context.session
    for excess in above_deserved(context):
        if not session.queues[excess.queue].reclaimable:
            continue
        jobs = [job for job in session.jobs.values() if job.queue == excess.queue and job.ready]
        waits = waiting_elsewhere(context, excess)
        if waits is not None and all(job.ready <= job.min_available for job in jobs):
            first = min(jobs, key=lambda job: job.uid)
            yield Finding(
                f"reclaim can take no pod of queue {excess.queue}, which holds more than it deserves ({excess.words}): "
                "gang spares jobs that would fall below their minimum, and no job of the queue has more pods than that",
                ConfPlace((*gang.path, "name")) if is_given(context.conf) else None,
                (
                    Evidence(f"{first.display_name} runs {first.ready} of at least {first.min_available} pods"),
                    Evidence(f"{waits.display_name} of queue {waits.queue} waits for it"),
                ),
            )


RULE = Rule(
    code="gang-shields-jobs",
    severity=Severity.WARNING,
    title="gang keeps reclaim from all jobs of a queue that holds more than it deserves",
    meaning="The action reclaim is configured, and all plugins that select its victims are in one tier, gang with "
    "enableReclaimable (the default) among them. A queue holds more than it deserves, a job of another queue waits for "
    "that, and all jobs of the queue run with no more pods than their minimum.",
    why="The victims are the pods that all plugins of the tier agree on, and gang selects none of a job that would "
    "fall below minMember. A Volcano Job without minAvailable needs all of its pods. So nothing is ever reclaimed.",
    fix="Set enableReclaimable: false for gang, so that whole jobs can be reclaimed, or give jobs a minimum below "
    "their number of pods.",
    source="pkg/scheduler/plugins/gang/gang.go; pkg/scheduler/framework/session_plugins.go (Reclaimable)",
    check=check,
    needs=Need.SESSION,
    example="gang and capacity in one tier, and a job with minAvailable 4 and 4 pods in a queue that deserves 2 pods",
)
