"""The result in a few lines: how many tasks have a node, what keeps the others waiting, and what was expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from vqs.explain.amounts import amount, percent
from vqs.explain.outcome import SessionInfo, Simulation, TaskResult, Utilisation
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.wording import count, first_names
from vqs.report.again import Again, Next, Step, of_title
from vqs.report.formats import Detail, View
from vqs.report.phrases import change
from vqs.report.visible import visible

PENDING: Final = "Pending"
PIPELINED: Final = "Pipelined"
RELEASING: Final = "Releasing"
PLACED: Final = frozenset({"Allocated", "Binding", "Bound"})
UNEXPLAINED: Final = "unexplained"
UNKNOWN_TIME: Final = "1970-01-01T00:00:00Z"
"""The time of a session on a snapshot without any timestamp."""


def job_of(task: TaskResult, names: Mapping[str, str]) -> str:
    """Return what the job of a task is called; empty where it has none.

    Args:
        task: the task.
        names: what the jobs are called, as `Simulation.display_names` returns it.
    """
    uid = f"{task.namespace}/{task.job}"
    return names.get(uid, uid) if task.job else ""


def is_placed(task: TaskResult) -> bool:
    """Tell whether this session gave the task a node."""
    return _is_placed(task.status_before, task.status)


def _is_placed(before: str, after: str) -> bool:
    return after in PLACED and before == PENDING


def is_evicted(task: TaskResult) -> bool:
    """Tell whether this session takes the task off its node."""
    return _is_evicted(task.status_before, task.status)


def _is_evicted(before: str, after: str) -> bool:
    return after == RELEASING != before


def is_unchanged(task: TaskResult) -> bool:
    """Tell whether the session left a task that has a node alone."""
    return _is_unchanged(task.status_before, task.status)


def _is_unchanged(before: str, after: str) -> bool:
    return after == before != PENDING


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
    by_verdict: tuple[tuple[str, int], ...]
    """Why the pending ones wait, the most frequent verdict first."""
    jobs_by_verdict: tuple[tuple[str, int], ...]
    """Why jobs wait whose pods are not created before the next session, the most frequent verdict first."""

    def counts(self) -> str:
        """Return the most important line of a report."""
        parts = [f"{count(self.placed, 'task')} placed", f"{self.pipelined:,} pipelined"]
        if self.evicted:
            parts.append(f"{self.evicted:,} evicted")
        if self.pods_lost > self.evicted:
            parts.append(f"{count(self.pods_lost, 'pod')} lost by that ({self.restarted:,} restarted)")
        parts.append(f"{self.pending:,} pending")
        if self.not_created:
            parts.append(f"{self.not_created:,} not created yet")
        return ", ".join(parts)

    def sentence(self) -> str:
        """Return the same, and why tasks are pending, where no lines with the reasons follow."""
        verdicts = ", ".join(f"{number:,} {code}" for code, number in self.by_verdict)
        return self.counts() + (f": {verdicts}" if verdicts else "")


def summarize(simulation: Simulation) -> Summary:
    """Count the tasks of a simulation."""
    tasks = simulation.tasks
    changes = Counter(map(attrgetter("status_before", "status"), tasks))

    def number(holds: Callable[[str, str], bool]) -> int:
        return sum(many for change, many in changes.items() if holds(*change))

    pending = [task for task in tasks if task.status == PENDING]
    verdicts = Counter(task.verdict.code if task.verdict else UNEXPLAINED for task in pending)
    return Summary(
        placed=number(_is_placed),
        pipelined=number(lambda _, after: after == PIPELINED),
        evicted=number(_is_evicted),
        pods_lost=sum(each.pods_lost for each in simulation.losses),
        restarted=sum(each.restarted for each in simulation.losses),
        unchanged=number(_is_unchanged),
        pending=len(pending),
        not_created=sum(job.awaited.pods for job in simulation.jobs if job.awaited),
        by_verdict=_most_first(verdicts),
        jobs_by_verdict=_not_created(simulation),
    )


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


def _not_created(simulation: Simulation) -> tuple[tuple[str, int], ...]:
    """Count the jobs whose pods are not created before the next session, by verdict."""
    jobs = (job for job in simulation.jobs if job.awaited and not job.awaited.created_next)
    return _most_first(Counter(job.verdict.code if job.verdict else UNEXPLAINED for job in jobs))


def _most_first(numbers: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(numbers.items(), key=lambda item: (-item[1], item[0])))


def usage_lines(simulation: Simulation) -> list[str]:
    """Return lines on the use of each resource before and after, and on the stranded share of the idle resources."""
    used = [f"{_used(each)} of {amount(each.resource, each.total)}" for each in simulation.utilisation]
    stranded = [
        f"{each.resource} {change(percent(each.stranded_before), percent(each.stranded_after))}"
        for each in simulation.utilisation
        if each.stranded_before or each.stranded_after
    ]
    lines = [f"Used: {', '.join(used)}"] if used else []
    if stranded:
        where = "idle on nodes that have no room for a typical task"
        lines.append(f"Idle resources that are stranded ({where}): {', '.join(stranded)}")
    return lines


def _used(each: Utilisation) -> str:
    return f"{each.resource} {change(percent(each.used_before), percent(each.used_after))}"


def headline(simulation: Simulation) -> str:
    """Say what was simulated."""
    return session_headline(simulation.volcano, simulation.scenario, simulation.session, _sizes(simulation))


def session_headline(volcano: str, scenario: str, session: SessionInfo, sizes: str) -> str:
    """Say on what a session was run, and how."""
    switched = first_names([f"{name}={value}" for name, value in session.behaviours.items()])
    release = f"{volcano} with {switched}" if switched else volcano
    facts = [f"Volcano {release} on {scenario or 'an unnamed snapshot'}"]
    if session.now != UNKNOWN_TIME:
        facts.append(f"now {session.now}")
    if session.seed is not None:
        facts.append(f"seed {session.seed}" + (", also for the order of nodes" if session.node_order_drawn else ""))
    if session.sessions > 1:
        facts.append(f"{session.sessions} sessions, until the pods of admitted jobs have been tried")
    actions = ", ".join(session.actions)
    return f"{', '.join(facts)}: {actions} over {sizes}; configuration: {session.configuration}"


def sizes(session: SessionInfo) -> str:
    """Count what takes part."""
    return ", ".join((count(session.nodes, "node"), count(session.jobs, "job"), count(session.tasks, "task")))


def _sizes(simulation: Simulation) -> str:
    """Count what takes part. Queues without jobs, such as the root, do not."""
    session = simulation.session
    queues = len({job.queue for job in simulation.jobs})
    outside = len(simulation.tasks) - session.tasks
    sizes = [
        count(session.nodes, "node"),
        count(session.jobs, "job") + (f" in {count(queues, 'queue')}" if queues else ""),
        count(session.tasks, "task"),
    ]
    if outside:
        sizes.append(f"{count(outside, 'pod')} outside of any job")
    return ", ".join(sizes)


def next_command(result: Simulation, summary: Summary, view: View) -> Next:
    """Name the command that explains why most tasks wait, else about evictions; none for neither."""
    again = view.again or of_title(result.scenario)
    codes = [code for code, _ in (*summary.by_verdict, *summary.jobs_by_verdict) if code != UNEXPLAINED]
    code = next((code for code in codes if not _follows(code)), codes[0] if codes else "")
    if not code:
        return again.last(_on_evictions(result, again)) if summary.evicted else Next()
    more = [] if view.detail is Detail.EVERYTHING else [Step((), "-v shows everything")]
    return again.last(again.rule(code, "says why, and what to do"), *more)


def _follows(code: str) -> bool:
    rule = VERDICT_RULES.get(code)
    return rule is not None and rule.follows


def _on_evictions(result: Simulation, again: Again) -> Step:
    """Name the command that explains the first job that loses a task."""
    names = result.display_names()
    job = next(job_of(task, names) for task in result.tasks if is_evicted(task))
    says = "shows who is evicted for whom, and why others are spared"
    return again.command("explain-job", says, ("--job", job))


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
