"""The result in a few lines: how many tasks have a node, what keeps the others waiting, and what was expected.

What became of a job, as tables say it, and why jobs wait: the reasons that concern most tasks come first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from vqs.explain.amounts import amount, amount_of, change, percent
from vqs.explain.outcome import Blocker, JobResult, SessionInfo, Simulation, TaskResult, Verdict
from vqs.explain.texts.node_reasons import blocked_by
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.words import PENDING, PIPELINED, is_evicted, is_placed, is_unchanged
from vqs.inert import name as visible
from vqs.model.codes import VerdictCode
from vqs.model.keys import SCHEDULER_NAME
from vqs.model.wording import and_more, count, first_names
from vqs.releases.release import titled
from vqs.report.formats import Next, Step, View, of_title

UNEXPLAINED: Final = "unexplained"
UNKNOWN_TIME: Final = "1970-01-01T00:00:00Z"
"""The time of a session on a snapshot without any timestamp."""


def job_of(task: TaskResult, names: Mapping[str, str]) -> str:
    """Return what the job of a task is called; empty where it has none."""
    uid = f"{task.namespace}/{task.job}"
    return names.get(uid, uid) if task.job else ""


@dataclass(frozen=True)
class Summary:
    """The tasks, counted by what became of them."""

    placed: int
    pipelined: int
    evicted: int
    pods_lost: int
    """The pods that had a node and are gone because of evictions: those, and what controllers delete then."""
    restarted: int
    """The pods of these that are made again."""
    unchanged: int
    pending: int
    not_created: int
    """The pods that jobs await, and that are not created yet."""
    left: int
    """The pods without a node that wait for other schedulers."""
    by_verdict: tuple[tuple[str, int], ...]
    """Why the pending ones wait, the most frequent verdict first."""

    def counts(self) -> str:
        """Return the most important line of a report."""
        parts = [f"{count(self.placed, 'task')} placed", f"{self.pipelined:,} with a reserved node"]
        if self.evicted:
            parts.append(f"{self.evicted:,} evicted")
        if self.pods_lost > self.evicted:
            parts.append(f"{count(self.pods_lost, 'pod')} lost by that ({self.restarted:,} restarted)")
        parts.append(f"{self.pending:,} pending")
        if self.not_created:
            parts.append(f"{self.not_created:,} not created yet")
        if self.left:
            parts.append(f"{count(self.left, 'pod')} left to other schedulers")
        return ", ".join(parts)

    def sentence(self) -> str:
        """Return the same, and why tasks are pending, where no lines with the reasons follow."""
        verdicts = ", ".join(f"{number:,} {code}" for code, number in self.by_verdict)
        return self.counts() + (f": {verdicts}" if verdicts else "")


def summarize(simulation: Simulation) -> Summary:
    """Count the tasks of a simulation."""
    tasks = simulation.tasks
    pending = [task for task in tasks if task.status == PENDING]
    verdicts = Counter(map(_code, pending))
    return Summary(
        placed=sum(map(is_placed, tasks)),
        pipelined=sum(task.status == PIPELINED for task in tasks),
        evicted=sum(map(is_evicted, tasks)),
        pods_lost=sum(each.pods_lost for each in simulation.losses),
        restarted=sum(each.restarted for each in simulation.losses),
        unchanged=sum(map(is_unchanged, tasks)),
        pending=len(pending),
        not_created=sum(job.awaited.pods for job in simulation.jobs if job.awaited),
        left=sum(each.pods for each in simulation.left_to_others),
        by_verdict=tuple(sorted(verdicts.items(), key=lambda item: (-item[1], item[0]))),
    )


def left_line(simulation: Simulation) -> list[str]:
    """Say what waits for other schedulers, and is nothing that this one looks at."""
    left = simulation.left_to_others
    if not left:
        return []
    names = first_names([f"{each.name} ({count(each.pods, 'pod')})" for each in left])
    schedulers = first_names(list(dict.fromkeys(name for each in left for name in each.schedulers)))
    verb = "is" if len(left) == 1 else "are"
    return [f"{names} {verb} left to {schedulers}, as Volcano looks only at pods with schedulerName {SCHEDULER_NAME}"]


def lost_lines(simulation: Simulation) -> list[str]:
    """Say which jobs lose more pods than are evicted."""
    return [f"{each.text}." for each in simulation.losses if each.pods_lost > each.evicted]


def awaited_lines(simulation: Simulation) -> list[str]:
    """Say how many pods are created for the next session, and how to see what that does with them."""
    created = [job.awaited.created_next for job in simulation.jobs if job.awaited and job.awaited.created_next]
    if not created:
        return []
    jobs = "1 job is" if len(created) == 1 else f"{len(created):,} jobs are"
    pods = "1 pod is" if sum(created) == 1 else f"{sum(created):,} pods are"
    whose = "its" if len(created) == 1 else "their"
    return [f"{jobs} admitted: {whose} {pods} created next and tried in the next session (--cycles 2 shows it)"]


def usage_lines(simulation: Simulation) -> list[str]:
    """Return lines on the use of each resource before and after, and on the stranded share of the idle resources."""
    used = [
        f"{each.resource} {change(percent(each.used_before), percent(each.used_after))} of "
        f"{amount(each.resource, each.total)}"
        for each in simulation.utilisation
    ]
    stranded = [
        f"{change(percent(each.stranded_before), percent(each.stranded_after))} of the {each.resource}"
        for each in simulation.utilisation
        if each.stranded_before or each.stranded_after
    ]
    lines = [f"Used: {', '.join(used)}"] if used else []
    if stranded:
        lines.append(
            f"Stranded idle resources, on nodes without room for a typical task (median request): {', '.join(stranded)}"
        )
    return lines


def headline(simulation: Simulation) -> str:
    """Say what was simulated, and count what takes part; queues without jobs, such as the root, do not."""
    session = simulation.session
    queues = len({job.queue for job in simulation.jobs})
    outside = len(simulation.tasks) - session.tasks
    sizes = [
        count(session.nodes, "node"),
        count(session.jobs, "job") + (f" in {count(queues, 'queue')}" if queues else ""),
        count(session.tasks, "task"),
        *([f"{count(outside, 'pod')} outside of any job"] if outside else []),
    ]
    return session_headline(simulation.volcano, simulation.scenario, session, ", ".join(sizes))


def session_headline(volcano: str, scenario: str, session: SessionInfo, sizes: str = "") -> str:
    """Say on what a session was run, and how; unless it is given, what takes part is counted."""
    sizes = sizes or ", ".join((count(session.nodes, "node"), count(session.jobs, "job"), count(session.tasks, "task")))
    switched = first_names([f"{name}={value}" for name, value in session.behaviours.items()])
    release = f"{titled(volcano)} with {switched}" if switched else titled(volcano)
    facts = [f"Volcano {release} on {scenario or 'an unnamed snapshot'}"]
    if session.now != UNKNOWN_TIME:
        facts.append(f"now {session.now}")
    if session.seed is not None:
        facts.append(f"seed {session.seed}" + (", also for the order of nodes" if session.node_order_drawn else ""))
    if session.sessions > 1:
        facts.append(f"{session.sessions} sessions, until the pods of admitted jobs have been tried")
    actions = ", ".join(session.actions)
    within = session.configuration.removeprefix(f"{scenario} (")  # the ConfigMap, where the snapshot has it
    configuration = within if within == session.configuration else within.removesuffix(")")
    return f"{', '.join(facts)}: {actions} over {sizes}; configuration: {configuration}"


def next_command(result: Simulation, summary: Summary, view: View) -> Next:
    """Name the command that explains why most tasks wait, else about evictions; none for neither."""
    again = view.again or of_title(result.scenario)
    codes = [reason.code for reason in _reasons(result) if reason.code != UNEXPLAINED]
    if not codes and result.left_to_others and not summary.evicted:
        job = result.left_to_others[0].name
        return again.last(again.command("explain-job", "says why Volcano leaves that", ("--job", job)))
    if not codes:
        if not summary.evicted:
            return Next()
        names = result.display_names()
        job = next(job_of(task, names) for task in result.tasks if is_evicted(task))  # the first that loses a task
        says = "shows who is evicted for whom, and why others are spared"
        return again.last(again.command("explain-job", says, ("--job", job)))
    more = [] if view.everything else [Step((), "-v shows everything")]
    return again.last(again.rule(codes[0], "says why, and what to do"), *more)


def expectations_line(result: Simulation) -> str:
    """Say how many expectations hold; empty where nothing was expected."""
    if not result.expectations:
        return ""
    return f"Expectations: {sum(each.ok for each in result.expectations)} of {len(result.expectations)} hold"


def failed_lines(result: Simulation) -> list[str]:
    """Say of each expectation that does not hold where it stands, what it is, and what was found."""
    return [
        visible(f"{each.file}:{each.line}: {each.expect}, found {each.found}")
        for each in result.expectations
        if not each.ok
    ]


_MOST: Final = 3
"""A summary gives no more reasons than these."""


@dataclass
class Reason:
    """Why some jobs wait.

    Attributes:
        code: the verdict on them.
        jobs: what they are called.
        tasks: how many of their tasks are pending.
        awaited: how many of their pods are not created before they are admitted.
        reserved: how many of their tasks have a reserved node in a job that never starts.
        lonely: how many of the tasks belong to no job.
        judged: of what has this code, the queue, the resource and the limit that it names.
    """

    code: str
    jobs: list[str] = field(default_factory=list)
    tasks: int = 0
    awaited: int = 0
    reserved: int = 0
    lonely: int = 0
    judged: list[tuple[str, str, float | None]] = field(default_factory=list)

    def line(self) -> str:
        """Say which jobs wait, with how many tasks, and why."""
        waiting = [count(self.tasks, "pending task")] if self.tasks else []
        waiting += [f"{count(self.awaited, 'pod')} not created yet"] if self.awaited else []
        waiting += [f"{count(self.reserved, 'task')} with a reserved node"] if self.reserved else []
        rule = VERDICT_RULES.get(self.code)
        why = f"{rule.summary.format(queues=self._queues(), limit=self._limit())} ({self.code})" if rule else self.code
        outside = "pod outside of any job"
        if self.jobs:
            who = first_names(self.jobs) + and_more(self.lonely, outside)
        else:
            who = count(self.lonely, outside) if self.lonely == 1 else f"{self.lonely:,} pods outside of any job"
        return f"{who} ({', '.join(waiting)}): {why}" if waiting else f"{who}: {why}"

    def _queues(self) -> str:
        """Name the queues of the verdicts."""
        names = sorted({queue for queue, _, _ in self.judged if queue})
        if not names:
            return "the queue"
        return f"{'queue' if len(names) == 1 else 'queues'} {first_names(names)}"

    def _limit(self) -> str:
        """Write the figure that all verdicts were judged by; empty where they differ."""
        judged = set(self.judged)
        if len(judged) != 1:
            return ""
        [(_, resource, have)] = judged
        if not resource or have is None:
            return ""
        if self.code == VerdictCode.NOT_ENQUEUED_QUOTA:
            return f", which allows {amount_of(resource.removeprefix('requests.'), have)} in all,"
        if self.code == VerdictCode.NOT_ENQUEUED_OVERCOMMIT:  # what is in use counts, too
            return f", which leaves {amount_of(resource, have)} for jobs that wait,"
        of_all = f" of the {amount_of(resource, have)} of all nodes"
        return of_all if self.code == VerdictCode.CLUSTER_FULL else f" ({amount_of(resource, have)})"


def reason_lines(result: Simulation) -> list[str]:
    """Return a line for each of the reasons that concern most, and one that names the others."""
    reasons = _reasons(result)
    lines = [reason.line() for reason in reasons[:_MOST]]
    others = [reason.code for reason in reasons[_MOST:]]
    return [*lines, f"{count(len(others), 'more reason')}: {', '.join(others)}"] if others else lines


def _reasons(result: Simulation) -> list[Reason]:
    """Return why jobs wait, what concerns most tasks and pods first."""
    pending: dict[tuple[str, str], list[TaskResult]] = {}
    reserved = Counter((task.namespace, task.job) for task in result.tasks if task.status == PIPELINED)
    for task in result.tasks:
        if task.status == PENDING:
            pending.setdefault((task.namespace, task.job), []).append(task)
    found: dict[str, Reason] = {}
    for job in result.jobs:
        tasks = pending.pop((job.namespace, job.name), [])
        awaited = job.awaited.pods if job.awaited and not job.awaited.created_next else 0
        never = job.outlook is not None and job.outlook.starts_in_session is None
        held = reserved[job.namespace, job.name] if never else 0
        if code := _cause(job, tasks, awaited) or (blocked_by(job)[0] if held else ""):
            reason = found.setdefault(code, Reason(code))
            reason.jobs.append(job.called)
            reason.tasks += len(tasks)
            reason.reserved += held
            reason.awaited += awaited
            verdicts = (job.verdict, *(task.verdict for task in tasks))
            named: list[Blocker | Verdict] = [
                *job.blockers[:1],
                *(each for each in verdicts if each and not job.blockers),
            ]
            reason.judged += [(each.queue, each.resource, each.have) for each in named if each.code == code]
    for task in (task for tasks in pending.values() for task in tasks):
        reason = found.setdefault(_code(task), Reason(_code(task)))
        reason.tasks += 1
        reason.lonely += 1
        said = task.verdict
        reason.judged += [(said.queue, said.resource, said.have)] if said else []
    every = found.values()
    return sorted(every, key=lambda each: (-each.tasks - each.awaited - each.reserved, -len(each.jobs), each.code))


def _cause(job: JobResult, tasks: Iterable[TaskResult], awaited: int) -> str:
    """Return the code of the first thing that keeps a job waiting; empty if none of it waits."""
    codes = Counter(map(_code, tasks))
    if not codes:
        waits = (
            job.verdict is not None and (awaited or not job.tasks) and not (job.awaited and job.awaited.created_next)
        )
        return blocked_by(job)[0] if waits else ""
    if job.blockers and job.blockers[0].code != VerdictCode.RESERVED_NOT_BOUND:  # which is about tasks with a node
        return job.blockers[0].code
    return min(codes, key=lambda code: (code in VERDICT_RULES and VERDICT_RULES[code].follows, -codes[code], code))


def _code(task: TaskResult) -> str:
    return task.verdict.code if task.verdict else UNEXPLAINED
