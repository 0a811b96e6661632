"""The page on a difference: what the change is, who is affected, each table, and the command to go on with.

As markdown it fits into a comment on a pull request: what is long is folded away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

import yaml

from vqs.diff.outcome import Diff, Effect, JobDifference, QueueDifference, SettingDifference, TaskDifference
from vqs.diff.sentences import CHANGES, asked, on_tie_breaking
from vqs.explain.amounts import ABSENT, change
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.lint.outcome import place_of, with_denier
from vqs.lint.registry import RULES
from vqs.model.wording import count, first_names
from vqs.releases.release import titled
from vqs.report.diff.phrases import (
    ARROW,
    EFFECTS,
    amounts,
    behaviour_lines,
    configuration_lines,
    edits_of,
    eviction_remark,
    facts,
    failure_lines,
    figure_lines,
    headline,
    held,
    node_changes,
    queue_of,
    sentence,
    share,
    tasks_of,
    tie_dependent_failure_lines,
    value,
    warning_lines,
)
from vqs.report.formats import NOWHERE, Again, Next, View
from vqs.report.page import At, Cell, Column, Grid, Line, Page, Part, Row, cell, table
from vqs.report.phrases import caveats

_COMMENT: Final = 40
"""The most lines of a comment that are shown unfolded."""

_MOST_FACTS: Final = 6
"""Of more facts than these, which are mostly warnings, the others are folded away."""

_SPACED: Final = 2
"""The lines of a paragraph, with the empty one after it."""

_TABLE_HEAD: Final = 2


def page(result: Diff, view: View, /) -> Page:
    """Return the page on a difference."""
    divergence = [f"First decision that differs: {result.first_divergence}."] if result.first_divergence else []
    edited = [side for side in (result.before, result.after) if side.edits]
    edits = [f"Edits: {', '.join(edits_of(result, side))}" for side in edited]
    whole = Page(
        headline=change_line(result),
        facts=[
            *map(Line, (*since_lines(result), *affected_lines(result), headline(result))),
            *map(Line, (*behaviour_lines(result), *edits, *configuration_lines(result))),
            *(Line(line, "yellow") for line in warning_lines(result)),
        ],
        parts=[*parts(result, everything=view.everything)],
        figures=[*divergence, *figure_lines(result)],
        answer=[sentence(result)],
        answer_at=At.LAST,  # the first lines say who is affected
        failures=failure_lines(result),
        tie_dependent_failures=tie_dependent_failure_lines(result),
        next=next_step(result, view),
        caveats=caveats(result.after.diagnostics),
    )
    return _as_comment(whole) if view.folds else whole


def _as_comment(whole: Page) -> Page:
    """Fold the longest parts away until the rest fits into a comment."""
    sections = [*whole.parts]
    facts = [*whole.facts]
    if len(facts) > _MOST_FACTS:
        sections.insert(0, Part("Warnings and notes", items=facts[_MOST_FACTS:], folded=True))
        facts = facts[:_MOST_FACTS]
    paragraphs = len(
        [*whole.answer, *whole.failures, *whole.tie_dependent_failures, whole.headline, *facts, *whole.figures]
    )
    room = _COMMENT - _SPACED * (paragraphs + bool(whole.next.steps))
    for section in sorted(sections, key=_length, reverse=True):
        if sum(_SPACED if each.folded else _length(each) for each in sections) > room:
            at = next(index for index, each in enumerate(sections) if each is section)
            sections[at] = replace(section, folded=True)
    return replace(whole, facts=facts, parts=sections)


def _length(part: Part) -> int:
    """Return how many lines a part takes in markdown: title, table, and the empty lines after them."""
    rows = len(part.grid.rows) if part.grid is not None else 0
    return _SPACED + bool(part.legend) * _SPACED + _TABLE_HEAD + rows + 1


_GROUPS: Final[tuple[tuple[str, Effect], ...]] = (
    ("Worse off", "loses"),
    ("Better and worse off", "both"),
    ("Better off", "gains"),
)


_MOST_CHANGES: Final = 6
"""Of more changes than these, the others are counted."""

_NEW_OR_REMOVED: Final = {"added": "new", "removed": "removed"}

_TREE: Final = frozenset({"tiers", "capacity", "proportion", "capacity.enableHierarchy"})
"""Settings that may change what counts as the limits of a queue."""


def change_line(diff: Diff) -> str:
    """Say what is changed: settings, queues, nodes and jobs, and each edit of something else; empty for none."""
    settings = (f"{each.key} {change(value(each.before), value(each.after))}" for each in diff.settings)
    nodes = (
        f"node {node.name} {_NEW_OR_REMOVED.get(node.change) or node_changes(node)}"
        for node in diff.nodes
        if node.change != "same"
    )
    limits = not (diff.behaviours or _TREE & {each.key for each in diff.settings})
    queues = (
        f"queue {queue.name} {', '.join(fields)}"
        for queue in diff.queues
        if (fields := [*_changed_fields(queue, limits=limits)])
    )
    said = [*_releases(diff), *settings, *queues, *nodes]
    for job in diff.jobs:
        if "added" in job.changes or "removed" in job.changes:
            said.append(f"job {job.called} {'new' if 'added' in job.changes else 'removed'}")
        elif "request" in job.changes and (request := asked(job)):
            said.append(f"job {job.called} {request}")
    own = [edit for edit in diff.after.edits if edit not in diff.before.edits]
    said += [_brief(edit) for edit in own if not _is_told(edit, said)]
    return f"Change: {first_names(said, _MOST_CHANGES, separator='; ')}" if said else ""


def changed_places(diff: Diff) -> Iterator[tuple[str, ...]]:
    """Yield what the candidate's files change: `file:line`, and what is there before and after, empty for nothing."""
    for each in diff.settings if diff.after.conf_file else ():
        sides = ((each.before, each.default_before), (each.after, each.default_after))
        texts = [
            "" if said is None else f"{each.key}: {value(said)}{' (default)' * default}" for said, default in sides
        ]
        yield (_at(diff.after.conf_file, each.line or diff.after.conf_line), *texts)
    for queue in diff.queues:
        if queue.after is None or not queue.after.file:
            continue
        for said in _changed_fields(queue, limits=True):
            field, arrow, after = said.partition(ARROW)
            name, _, before = field.rstrip().rpartition(" ")
            texts = [f"{name}: {before}", f"{name}:{after}"] if arrow else ["", said]
            lines = (f"queue {queue.name} {text}" if text else "" for text in texts)
            yield (_at(queue.after.file, queue.after.line), *lines)
    for job in diff.jobs:
        if job.after is not None and job.after.file and {"added", "request"} & {*job.changes}:
            said = f"job {job.called} {'new' if 'added' in job.changes else asked(job)}"
            yield _at(job.after.file, job.after.line), "", said


def _at(file: str, line: int | None) -> str:
    return f"{file}:{line}" if line else file


_EDIT: Final = re.compile(r"(?:(?P<verb>remove|scale|clone-node) )?(?:(?P<kind>[a-z]+)/)?(?P<rest>.*)", re.DOTALL)
_FIELDS: Final = {"cordoned": "unschedulable"}
"""What a field is called in an edit, where the report has another word."""
_WORD: Final = re.compile(r"[A-Za-z]{3,}")


def _is_told(edit: str, said: Sequence[str]) -> bool:
    """True if what an edit changes is named among the changes: the object, and of one that stays also the field."""
    if edit.startswith("add {"):
        return any(each.endswith(f" {_added_name(edit)} new") for each in said)
    if edit.startswith(("conf.", "conf[")):
        name = _WORD.findall(edit.partition("=")[0])[-1]
        return any(name in each.partition(" ")[0] for each in said)
    verb, kind, rest = _EDIT.fullmatch(edit).group("verb", "kind", "rest")  # type: ignore[union-attr] # it matches all
    if verb == "clone-node":
        return any(each.startswith(f"node {rest.rpartition('=')[0]}-copy-") for each in said)
    if verb is not None:
        return any(each.startswith(f"{kind} {re.split('[:=]', rest)[0]} ") for each in said)
    for each in said:
        what, name, changes = [*each.split(" ", 2), "", ""][:3]
        if kind == what and rest.startswith(f"{name}."):
            path = rest.partition("=")[0].removeprefix(name)
            fields = [path] if kind == "node" else _WORD.findall(path.removeprefix(".spec"))[:1]
            return any(_FIELDS.get(word, word) in field for word in _WORD.findall(changes) for field in fields)
    return False


def _added_name(edit: str) -> str:
    """The namespace and name of an object that an edit adds."""
    metadata = yaml.safe_load(edit.removeprefix("add ")).get("metadata") or {}
    return "/".join(filter(None, (metadata.get("namespace"), metadata.get("name"))))


def _brief(edit: str) -> str:
    """An edit as it is written, but for an object that is added, which is named alone."""
    if not edit.startswith("add {"):
        return edit
    return f"add {yaml.safe_load(edit.removeprefix('add ')).get('kind')} {_added_name(edit)}"


def affected_lines(diff: Diff) -> Iterator[str]:
    """Yield who is worse and who is better off, with what happens to them; not what depends on tie-breaking."""
    for title, effect in _GROUPS:
        jobs = [
            f"{job.called} (queue {queue_of(job)}): {job.says}"
            for job in diff.jobs
            if job.effect == effect and not job.tie_dependent
        ]
        if jobs:
            yield f"{title}: {first_names(jobs, separator='; ')}"


def since_lines(diff: Diff) -> Iterator[str]:
    """Yield what is otherwise than in an earlier comparison, if there is one."""
    if diff.since is None:
        return
    said = [f"condition {each} holds" for each in diff.since.failures_new]
    said += [f"condition {each} holds no longer" for each in diff.since.failures_gone]
    as_base = "as in the base"
    said += [f"{job.name}: {job.after or as_base} (before: {job.before or as_base})" for job in diff.since.jobs]
    now = {each.key: f"{value(each.before)} → {value(each.after)}" for each in diff.settings}
    said += [f"setting {key}: {now.get(key, as_base)}" for key in diff.since.settings]
    said += [f"vqs lint warns of {each}" for each in diff.since.findings_new]
    said += [f"vqs lint warns no longer of {each}" for each in diff.since.findings_gone]
    changes = first_names(said, _MOST_CHANGES, separator="; ")
    same = "the same for all jobs, conditions, settings and findings"
    yield f"Since the comparison before: {changes or same}"


def _changed_fields(queue: QueueDifference, *, limits: bool) -> Iterator[str]:
    """Yield what is changed about a queue; limits may also follow from a setting that switches the hierarchy on."""
    before, after = queue.before, queue.after
    if before is None or after is None:
        yield "new" if before is None else "removed"
        return
    yield from (each for each in facts(before, after) if not each.startswith("overused "))
    for field in ("guarantee", "capability") if limits else ():
        one, other = held(before, field) or {}, held(after, field) or {}
        for name in dict.fromkeys((*one, *other)):
            said = amounts(one, other, name)
            if ARROW in said:
                yield f"{field} {name} {said}"


def _releases(diff: Diff) -> Iterator[str]:
    if diff.before.volcano != diff.after.volcano:
        yield f"Volcano {change(titled(diff.before.volcano), titled(diff.after.volcano))}"
        return
    before, after = diff.before.session.behaviours, diff.after.session.behaviours
    own = (each for each in diff.behaviours if before.get(each.name) != after.get(each.name))
    yield from (f"behaviour {each.name} {change(each.before, each.after)}" for each in own)


_MANY: Final = 50
"""Of a list of more rows, the first ones are shown, unless everything is asked for."""

_ON_TIE_BREAKING: Final = "Depends on tie-breaking"
_FOLDED: Final = (_ON_TIE_BREAKING, "Lint")

_LEGEND: Final = "Signs: + better off, - worse off, ± both"
_WITH_SIGNS: Final = ("Queues", "Jobs", _ON_TIE_BREAKING)

_STYLES: Final = {"gains": "green", "loses": "red", "both": "yellow", "neither": ""}
_PRESENCE: Final = {"added": "new", "gone": "avoided", "removed": "removed", "changed": "changed"}
_FINDING: Final = {"new": "new", "gone": "resolved"}
_FIGURES: Final = (
    "guarantee",
    "capability",
    "real_capability",
    "request",
    "deserved",
    "inqueue",
    "allocated",
    "reserved",
)
_ALWAYS: Final = ("deserved", "allocated")
_NAMES: Final = {"real_capability": "limit"}
_RESOURCES_FIRST: Final = ("cpu", "memory")


def parts(diff: Diff, *, everything: bool) -> Iterator[Part]:
    """Yield the parts in which something differs, each with its title; the first with signs explains them."""
    legend = _LEGEND
    for title, grid in (
        ("Behaviours", _behaviours(diff)),
        ("Settings", _settings(diff)),
        ("Nodes", _nodes(diff)),
        ("Queues", _queues(diff, everything=everything)),
        ("Jobs", _jobs([job for job in diff.jobs if not job.tie_dependent])),
        ("Evictions", _evictions(diff)),
        (_ON_TIE_BREAKING, _jobs([job for job in diff.jobs if job.tie_dependent])),
        ("Lint", _findings(diff)),
    ):
        if grid.rows:
            part = _cut(title, grid, everything=everything)
            yield replace(part, legend=legend) if title in _WITH_SIGNS else part
            legend = "" if title in _WITH_SIGNS else legend
    if everything and diff.jobs:
        yield Part("Tasks", grid=_tasks(diff), folded=True)


def _cut(title: str, grid: Grid, *, everything: bool) -> Part:
    if everything or len(grid.rows) <= _MANY:
        return Part(title, grid=grid, folded=title in _FOLDED)
    title = f"{title}: the first {_MANY} of {count(len(grid.rows), 'row')}; -v shows all"
    return Part(title, grid=grid.first(_MANY))


def _behaviours(diff: Diff) -> Grid:
    """Return the behaviours that cause what differs, each with how much."""
    return table(
        [each for each in diff.behaviours if each.jobs or each.queues],
        {
            Column("BEHAVIOUR", named=True): lambda each: each.name,
            Column("BEFORE → AFTER"): lambda each: f"{each.before} → {each.after}",
            Column("JOBS", numeric=True): lambda each: len(each.jobs),
            Column("QUEUES", numeric=True): lambda each: len(each.queues),
        },
        "WHAT IT DECIDES",
        lambda each: (
            f"{each.decides} Only together with {', '.join(each.together)}." if each.together else each.decides
        ),
    )


def _settings(diff: Diff) -> Grid:
    def moved(each: SettingDifference) -> str:
        sides = (each.before, each.default_before), (each.after, each.default_after)
        return " → ".join(f"{value(setting)}{' (default)' * default}" for setting, default in sides)

    return table(diff.settings, {Column("SETTING"): lambda each: each.key}, "BEFORE → AFTER", moved)


def _nodes(diff: Diff) -> Grid:
    return table(
        [node for node in diff.nodes if node.change != "same"],
        {Column("NODE"): lambda node: node.name, Column("CHANGE"): lambda node: _PRESENCE[node.change]},
        "WHAT",
        node_changes,
    )


def _queues(diff: Diff, *, everything: bool) -> Grid:
    queues = [queue for queue in diff.queues if queue.change != "same"]
    rows = [(queue, [*_resources(queue, everything=everything)]) for queue in queues]
    figures = [
        field
        for field in _FIGURES
        if field in _ALWAYS or any(_shows(queue, field, name) for queue, names in rows for name in names)
    ]
    columns = (
        Column(" "),
        Column("QUEUE"),
        Column("RESOURCE"),
        *(Column(_NAMES.get(field, field).upper(), True, field not in _ALWAYS) for field in figures),
        Column("SHARE", numeric=True),
    )
    return Grid(columns, [row for queue, names in rows for row in _queue(queue, names, figures)], "ALSO")


def _queue(queue: QueueDifference, resources: Sequence[str], figures: Sequence[str]) -> Iterator[Row]:
    shares = change(share(queue.before), share(queue.after))
    sign, name, remark = EFFECTS[queue.effect], queue.name, _also(queue)
    for resource in resources:
        texts = [amounts(held(queue.before, field), held(queue.after, field), resource) for field in figures]
        style = _STYLES[queue.effect] if name else ""
        yield Row((cell(sign, style), cell(name, style), cell(resource), *map(cell, texts), cell(shares)), remark)
        sign = name = shares = remark = ""


def _shows(queue: QueueDifference, field: str, resource: str) -> bool:
    """Return whether a figure differs, or of a queue that is new or gone, whether it has any."""
    before, after = held(queue.before, field), held(queue.after, field)
    only = before if after is None else after if before is None else None
    return ARROW in amounts(before, after, resource) if only is None else bool(only.get(resource))


def _resources(queue: QueueDifference, *, everything: bool) -> list[str]:
    """Return the resources with a figure that differs, cpu where none does."""
    sides = [side for side in (queue.before, queue.after) if side]
    named = {name for side in sides for field in _FIGURES for name, each in getattr(side, field).items() if each != 0}
    if not everything:
        named = {name for name in named if any(_shows(queue, field, name) for field in _FIGURES)} or {"cpu"}
        named = named - {"pods"} or named
    return sorted(named or {"cpu"}, key=lambda name: (name == "pods", name not in _RESOURCES_FIRST, name))


def _also(queue: QueueDifference) -> str:
    """Say what else differs about a queue."""
    if queue.before is None or queue.after is None:
        return "new" if queue.before is None else "removed"
    texts = [*facts(queue.before, queue.after)]
    if queue.tie_dependent:
        texts.append(on_tie_breaking(queue.seen_under_seeds))
    return ", ".join(texts)


def _jobs(jobs: Sequence[JobDifference]) -> Grid:
    return table(
        jobs,
        {
            Column(" "): lambda job: cell(EFFECTS[job.effect], _STYLES[job.effect]),
            Column("JOB"): lambda job: cell(job.called, _STYLES[job.effect]),
            Column("QUEUE"): queue_of,
            Column("CHANGE"): lambda job: job.says,
            Column("BEFORE"): lambda job: tasks_of(job.before),
            Column("AFTER"): lambda job: tasks_of(job.after),
        },
        "WHY",
        lambda job: job.remark,
    )


def _evictions(diff: Diff) -> Grid:
    return table(
        diff.evictions,
        {
            Column("CHANGE"): lambda each: cell(_PRESENCE[each.change], "red" if each.change == "added" else "green"),
            Column("TASK"): lambda each: each.task,
            Column("QUEUE"): lambda each: each.queue,
            Column("NODE"): lambda each: each.node,
        },
        "BY",
        eviction_remark,
    )


def _findings(diff: Diff) -> Grid:
    return table(
        diff.findings,
        {
            Column("CHANGE"): lambda each: cell(_FINDING[each.change], "red" if each.change == "new" else "green"),
            Column("CODE"): lambda each: each.finding.code,
            Column("PLACE"): lambda each: place_of(each.finding) or None,
        },
        "WHAT",
        lambda each: f"{each.finding.severity}: {with_denier(each.finding.message, each.finding.denied)}",
    )


def _tasks(diff: Diff) -> Grid:
    def moved(field: str) -> Callable[[TaskDifference], Cell]:
        return lambda task: change(
            *((getattr(side, field) or ABSENT) if side else ABSENT for side in (task.before, task.after))
        )

    return table(
        [task for job in diff.jobs for task in job.tasks],
        {
            Column("TASK"): lambda task: change(
                *((side.name if side else "") or task.name for side in (task.before, task.after))
            ),
            Column("CHANGE"): lambda task: CHANGES[task.change],
            **{Column(field.upper()): moved(field) for field in ("status", "node", "verdict")},
        },
    )


_WORSE: Final = ("loses", "both")
_SEVERITIES: Final = ("error", "warning", "note")


def next_step(diff: Diff, view: View) -> Next:
    """Name the command that explains most; where the files of the candidate are not one input, that is the rule."""
    again = view.again
    if diff.after.session.standstill:
        return again.last(again.lint()) if again is not None else NOWHERE
    # The first job that is worse off and still there in the candidate, however ties are broken.
    worse = next(
        (job for job in diff.jobs if job.effect in _WORSE and not job.tie_dependent and job.after is not None), None
    )
    if worse is not None and again is not None:
        says = "says what blocks it in the candidate, and what would help"
        return again.last(again.command("explain-job", says, ("--job", worse.called)))
    if worse is not None and worse.after is not None:
        # What blocks most of its tasks, if anything does; what follows from that for others explains less.
        verdicts = worse.after.verdicts.items()
        known = sorted(
            (VERDICT_RULES[code].follows, -number, code) for code, number in verdicts if code in VERDICT_RULES
        )
        says = f"explains what happens to {worse.called}, and what to do"
        return Next([Again().rule(code, says) for *_, code in known[:1]])
    new = [each.finding for each in diff.findings if each.change == "new" and each.finding.code in RULES]
    gravest = sorted(new, key=lambda each: _SEVERITIES.index(each.severity))
    return Next([(again or Again()).rule(each.code, "explains the new lint finding") for each in gravest[:1]])
