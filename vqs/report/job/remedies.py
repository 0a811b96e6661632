"""What a report on a job says of fixes: those that work, their side effects on other jobs, and what does not help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from vqs.explain.affected import OF_WHOLE_JOBS
from vqs.explain.amounts import ABSENT
from vqs.explain.jobs.case import BOUND, DEVICES, NODES, READY, SCALE_DOWN
from vqs.explain.jobs.configuration import ACTIONS
from vqs.explain.jobs.manifest import MIN_AVAILABLE, MIN_MEMBER
from vqs.explain.jobs.moving import MOVE
from vqs.explain.jobs.outcome import Fix, JobReport
from vqs.explain.jobs.own_fields import END, FACTOR, GATES, PRIORITY_CLASS, QUEUE, REQUESTS, RESOURCES, TOLERATIONS
from vqs.explain.jobs.parameters import STATE, UNCORDON
from vqs.explain.jobs.remedies import Change, FixSearch, Patch, Remedy
from vqs.explain.jobs.surroundings import CLAIM, NEW_CLASS, NEW_QUEUE, STALE
from vqs.explain.outcome import Affected, JobLoss
from vqs.explain.texts.node_reasons import prospect
from vqs.explain.verdict_rules import remedy_for
from vqs.model.wording import and_more, count, first_names
from vqs.releases.release import titled
from vqs.report.page import Column, Grid, Part, Row, cell, table
from vqs.snapshot.whatif.edits import CONF
from vqs.snapshot.whatif.file_changes import block

FIXES: Final = "Fixes"
INEFFECTIVE: Final = "Changes that do not help"

_NAMED: Final = 3
"""After these, jobs and tasks are counted and not named."""

_FIXES_SHOWN: Final = 5

_PLUGIN: Final = f"{CONF}/"

_NUMBER: Final = Column("#", numeric=True)
_FAILS_AT: Final = Column("FAILS AT", numeric=True)
_COLUMNS: Final = (
    _NUMBER,
    Column("CHANGE"),
    Column("FROM", numeric=True),
    Column("TO", numeric=True),
    _FAILS_AT,
    Column("RESULT"),
)

_SIDE_EFFECTS: Final = "SIDE EFFECTS"

_STEEP: Final = 4
"""A minimum lowered below this fraction of itself, one fourth, is a high price."""

_LEAVES_PODS: Final = ("ReplicaSet", "ReplicationController", "StatefulSet")
"""What leaves a pod that waits as it was created, though its template changes."""

_LONG_COMMAND: Final = 300
"""A longer command than this is shown only where everything is."""

_IS_BOUND: Final = ".status.phase=Bound"
"""How the edit ends that has a claim bound."""

_NO_VALUE: Final = "=null"
"""How an edit ends that takes something out."""

_LONG: Final = 50
"""A longer edit than this does not stand in a column."""


def fixes(report: JobReport, *, everything: bool, all_fixes: bool) -> Iterator[Part]:
    """Show what helps, each with the next smaller value, which fails, and its side effects; then how to make it."""
    found = report.fix_search
    if found is None and not report.blocked_at:
        return
    if found is None:
        yield Part(
            FIXES, ("No fix was searched for. --budget 10s searches for 10 seconds; each fix is proven by simulation.",)
        )
        return
    starts = report.outlook is not None and report.outlook.starts_in_session is not None
    if starts and not (found.fixes or found.ineffective or found.not_tried):
        said = prospect(report.outlook)
        yield Part(FIXES, (f"No change was tried: it {said}." if said else "No change was tried: it starts.",))
        return
    alike = _alike(found.fixes)
    every = everything or all_fixes
    shown = alike if every else alike[:_FIXES_SHOWN]
    warned = _alike(found.warned) if every else _alike(found.warned)[: 0 if alike else _FIXES_SHOWN]
    hidden = [*_hidden(len(alike) - len(shown), 0 if warned else len(found.warned))]
    yield _helpful(report, found, shown, hidden, everything=everything)
    # How the first fix is made is said above; so is it of those that only take the edit that stands for them.
    numbered = [(number, each) for number, alike in enumerate(shown, 1) for each in alike][1:]
    steps = [(number, how) for number, each in numbered if (how := "; ".join(_steps(each, everything=everything)))]
    if steps:
        grid = table(steps, {_NUMBER: lambda each: str(each[0])}, "STEPS", lambda each: each[1])
        commands = _in_shell(each for _, each in numbered)
        yield Part("How to make the other changes", (), grid, fixes="linked", commands=commands)
    if warned:
        rows = [_row(number, alike, everything=everything) for number, alike in enumerate(warned, 1)]
        yield Part("Changes that help, and that vqs lint warns of", (), Grid(_COLUMNS, rows, _SIDE_EFFECTS))


def first_fixes(report: JobReport) -> Grid | None:
    """The first three fixes, with what each does to this job's pods and to others; None where there is none."""
    found = report.fix_search
    if found is None or not found.fixes:
        return None
    rows = [_row(number, alike, everything=False) for number, alike in enumerate(_alike(found.fixes)[:_NAMED], 1)]
    kept = [at for at, column in enumerate(_COLUMNS) if column is not _FAILS_AT]
    shown = [Row(tuple(row.cells[at] for at in kept), row.remark) for row in rows]
    return Grid(tuple(_COLUMNS[at] for at in kept), shown, _SIDE_EFFECTS)


def _helpful(
    report: JobReport,
    found: FixSearch,
    shown: Sequence[Sequence[Remedy]],
    hidden: Sequence[str],
    *,
    everything: bool,
) -> Part:
    ran = f"{count(found.sessions, 'change')} {'was' if found.sessions == 1 else 'were'} simulated."
    cause = next(iter(report.blockers), report.cause)
    about = f" about {cause.resource}" if cause is not None and cause.resource else ""
    advice = f"What to do{about}: {remedy_for(cause.code, cause.text)}" if cause is not None else ""
    if not report.session.nodes:
        advice = "What to do: Add nodes to the snapshot; without any, no other change helps."
    if not found.fixes:
        kinds = ", ".join(dict.fromkeys(each.parameter for each in found.ineffective))
        but = " but for those that vqs lint warns of" if found.warned else ""
        none = (
            f"No change that was tried helps{but}"
            if found.ended or found.not_tried or not found.ineffective
            else f"No single change gets the job placed{but}"
        )
        text = f"{none}. Tried: {kinds}. {ran}" if kinds else "There was no single field to change."
        return Part(FIXES, [*filter(None, [advice, text, found.too_large or "", _newer(found), *hidden])])
    # A device plugin that does not run, or a name that is mistaken, is no field of the snapshot.
    advice = advice if all(each.is_of_a_new_kind for each in found.fixes) else ""
    first = "; ".join(_steps(shown[0][0], everything=everything))
    lines = [
        *filter(
            None,
            [
                first and f"Fix 1: {first}",
                advice,
                f"{ran} FAILS AT is the value closest to TO that does not help.",
                _newer(found),
                *hidden,
            ],
        )
    ]
    rows = [_row(number, alike, everything=everything) for number, alike in enumerate(shown, 1)]
    grid = Grid(_COLUMNS, rows, _SIDE_EFFECTS)
    commands = _in_shell(shown[0][:1])
    return Part(f"{FIXES} that work, verified by simulation", lines, grid, fixes="shown", commands=commands)


def _in_shell(remedies: Iterable[Remedy]) -> set[str]:
    """What is run of the steps of fixes, as it stands in them: those of one step are one command."""
    return {
        _in_turn(commands, everything=everything)[0]
        for each in remedies
        for commands in (each.commands, *(one.commands for one in each.changes or ()))
        for everything in (False, True)
        if commands
    }


def _hidden(left: int, warned: int) -> Iterator[str]:
    """Say how many fixes, and changes that lint warns of, are not shown."""
    if left:
        yield f"{left} more {'fix is' if left == 1 else 'fixes are'} left out; --all-fixes shows them."
    if warned:
        one = warned == 1
        yield (
            f"{count(warned, 'more change')} {'helps' if one else 'help'}, and vqs lint warns of what comes of "
            f"{'it' if one else 'them'}; --all-fixes shows {'it' if one else 'them'}."
        )


def _newer(found: FixSearch) -> str:
    """Say that a newer release of Volcano places more of the job; empty where none does."""
    newer = found.newer
    if not newer:
        return ""
    what = f", by the behaviour {newer.behaviours[0]}: {newer.decides}" if newer.behaviours else ""
    pods = f"{count(newer.pods, 'pod')} of the job {'has' if newer.pods == 1 else 'have'} a node"
    return f"With Volcano {titled(newer.volcano)}, {pods} as it is{what}"


def fix_at(report: JobReport, number: int) -> Fix | None:
    """Return the fix of a number; of several in one row, the first."""
    remedy = _remedy_at(report, number)
    return next((each for each in report.fixes if remedy is not None and each.edits == remedy.edits), None)


def steps_of(report: JobReport, number: int) -> str:
    """Say what there is to do for the fix of a number."""
    remedy = _remedy_at(report, number)
    return "; ".join(_steps(remedy, everything=False)) if remedy is not None else ""


def _remedy_at(report: JobReport, number: int) -> Remedy | None:
    rows = _alike(report.fix_search.fixes) if report.fix_search else []
    return rows[number - 1][0] if 0 < number <= len(rows) else None


def _alike(remedies: Sequence[Remedy]) -> list[list[Remedy]]:
    """Put those fixes together that differ in one name only."""
    found: dict[object, list[Remedy]] = {}
    for each in remedies:
        values: tuple[object, ...] = (each.from_value, each.to, each.failing_value)
        if each.parameter == NODES:
            values = _more(each)
        elif each.parameter == QUEUE:
            values = (each.from_value, each.failing_value)
        key = (
            each.parameter,
            each.resource,
            values,
            _result(each),
            repr(_affected(each)),
            repr(each.losses),
            repr(each.cost),
        )
        found.setdefault(key, []).append(each)
    return list(found.values())


def _affected(remedy: Remedy) -> list[Affected]:
    """The jobs to which something happens with a fix, but for the one that ends where that is the fix."""
    return [each for each in remedy.affected if remedy.parameter != END or each.job != remedy.called]


def _more(remedy: Remedy) -> tuple[str, str, str]:
    """Write how many more nodes there are: now, with the fix, and with one less."""
    before, after, below = (int(each or 0) for each in (remedy.from_value, remedy.to, remedy.failing_value))
    return ABSENT, f"+{after - before}", f"+{below - before}"


def _result(remedy: Remedy) -> str:
    """Say how many of the pods that wait without a fix start with it, and when."""
    outlook = remedy.outlook
    if outlook is None:
        return remedy.progress
    start, waiting = outlook.pods_bound - remedy.pods_before, remedy.pods_after - remedy.pods_before
    verb = "starts" if start == 1 else "start"
    return f"{start:,} of {count(waiting, 'waiting pod')} {verb}, in session {remedy.bound_in_session}"


def _row(number: int, alike: Sequence[Remedy], *, everything: bool) -> Row:
    remedy, *others = alike
    none = "no side effects; it takes time" if remedy.parameter == END else "no side effects"
    parts = []
    worse = [each for each in _affected(remedy) if each.pods_after < each.pods_before]
    better = [each for each in _affected(remedy) if each.pods_after > each.pods_before]
    if worse:
        parts.append(_moved("fewer pods with a node", worse, everything=everything))
    if remedy.below_minimum:
        verb, whose = ("has", "its") if len(remedy.below_minimum) == 1 else ("have", "their")
        broken = _named(remedy.below_minimum, everything=everything)
        parts.append(f"{broken} {verb} fewer than {whose} minAvailable then")
    if remedy.cost and remedy.cost.evicted:
        pods = f"{len(remedy.cost.evicted):,} pods: " if len(remedy.cost.evicted) > 1 else ""
        parts.append(f"evicts {pods}{_named(remedy.cost.evicted, everything=everything)}")
    if remedy.restarted:
        pods = f"{count(remedy.restarted, 'running pod')} of its own"
        simulated = any(each.startswith("remove ") for each in remedy.edits)
        parts.append(f"restarts {pods}{'' if simulated else ', which was not simulated'}")
    if remedy.moved:
        parts.append(f"deletes {count(remedy.moved, 'pod')} of other jobs, to be created again")
    parts += [_by_policy(each) for each in remedy.losses if each.pods_lost > each.evicted]
    if better:
        parts.append(_moved("more pods with a node", better, everything=everything))
    parts += [f"vqs lint then warns: {each}" for each in remedy.warnings]
    if remedy.in_all:
        parts = parts or [none]
        before, after = remedy.in_all
        parts.append(f"the job asks for {after} {remedy.resource} in all instead of {before}")
    remark = "; ".join(parts) if parts else none
    was, becomes = remedy.from_value, remedy.to
    is_gang = remedy.parameter in (MIN_MEMBER, MIN_AVAILABLE) and not remedy.object.startswith("poddisruptionbudget/")
    if is_gang and isinstance(was, int) and isinstance(becomes, int) and _STEEP * becomes < was:
        remark = f"{remark}; high price: {remedy.to} of {remedy.from_value} tasks are enough to start it"
    values = [remedy.from_value, remedy.to, ABSENT if remedy.failing_value is None else remedy.failing_value]
    if remedy.parameter == ACTIONS or remedy.changes:  # what is changed says it all, and each of them is long
        values = ["", "", ""]
    elif remedy.parameter == NODES and others:
        values = [*_more(remedy)]
    elif remedy.parameter == QUEUE:
        values[1] = " or ".join(str(each.to) for each in alike)
    before, after, below = map(str, values)
    if below and remedy.failing_value == remedy.from_value and not (remedy.exact and below[:1].isdigit()):
        below = ABSENT  # words have no order, and what lies between was not tried
    change = remedy.edits[0] if _is_in_column(remedy) else _name(remedy)
    names = [each.called if each.parameter in (NODES, END) else each.called.partition("/")[2] for each in others]
    named = first_names(names, None if everything else _NAMED)
    cells = (
        cell(str(number)),
        cell(change if not others or remedy.parameter == QUEUE else f"{_name(remedy)}, or {named}"),
        cell(before),
        cell(after),
        cell(below if remedy.exact or below in ("", ABSENT) else f"about {below}"),
        cell(_result(remedy), "green" if remedy.outlook and remedy.outlook.pods_bound >= remedy.pods_after else "cyan"),
    )
    return Row(cells, remark)


def _steps(remedy: Remedy, *, everything: bool) -> Iterator[str]:
    """Yield what there is to do in the cluster; then the edits that vqs tried, where everything is asked for."""
    made = [*_made(remedy, everything=everything)]
    yield from made
    says_where_alone = bool(remedy.owner) and not remedy.commands and not remedy.recreate
    shows_edits = everything or not made or says_where_alone
    if remedy.parameter != END and not _is_in_column(remedy) and shows_edits:
        shown = remedy.edits
        if not everything:  # nor is all that is in an object that is added
            few = remedy.edits[:_NAMED]
            shown = [each if len(each) < _LONG_COMMAND else f"{each.partition('{')[0]}{{...}}" for each in few]
        yield f"simulated as {', then '.join(shown)}{and_more(len(remedy.edits) - len(shown))}"


def _made(remedy: Remedy, *, everything: bool) -> Iterator[str]:
    """Yield what there is to do in the cluster, or in the files."""
    template = _patched_template(remedy)
    if remedy.changes:
        # An autoscaler adds the nodes itself.
        own = [each for each in remedy.changes if not (remedy.asks_autoscaler and each.parameter == NODES)]
        yield from _several(own, remedy.commands, everything=everything)
    elif remedy.recreate:
        yield from _created_again(remedy, remedy.recreate, everything=everything)
    elif remedy.owner and not remedy.commands:
        yield f"change it in {remedy.owner}, the controller"
    awaited = () if remedy.changes else [*_awaited(remedy)]
    if remedy.parameter != CLAIM:
        yield from awaited
    if remedy.parameter == GATES:
        live = ", from the pods that there are: new ones are gated again" if remedy.commands and not template else ""
        removal = f"or remove it yourself{live}"
        yield f"find out why the controller that set {remedy.from_value} has not removed it; {removal}"
    if remedy.commands and not (remedy.changes or remedy.recreate):
        yield _run(remedy.commands, [remedy], everything=everything)
    if remedy.owner and template == "Deployment":
        yield (
            f"that starts another rollout: a new ReplicaSet takes the place of {remedy.owner.partition(' ')[2]}, whose "
            "pods were simulated with the change"
        )
    elif remedy.parameter == TOLERATIONS and remedy.commands and remedy.owner and not template:
        yield f"pods that {remedy.owner} creates later do not have it, as its template cannot be changed"
    elif remedy.owner and template in _LEAVES_PODS:
        yield "then delete its pods that wait: they stay as they were created, and only new pods follow the template"
    if remedy.lines:
        lines = remedy.lines if everything else [*map(_short_line, remedy.lines)]
        shown = lines if everything else lines[:_NAMED]
        either = "in the files, " if remedy.changes and remedy.recreate else "or " if remedy.commands else ""
        what = _in_conf(remedy) if lines != remedy.lines else ""
        do = "add it to" if remedy.parameter in (CLAIM, NEW_QUEUE) and lines != remedy.lines else "change"
        yield f"{either}{do} {', '.join(shown)}{and_more(len(lines) - len(shown))}{what}"
    if remedy.parameter == CLAIM:  # what is awaited of it comes once it is there
        yield from awaited
    if remedy.parameter == NODES:
        yield _add(remedy)
    if remedy.parameter == SCALE_DOWN and remedy.to and not remedy.object.startswith("statefulset/"):
        yield "which pods go is up to the controller; simulated without those that the snapshot has last"
    if remedy.asks_autoscaler:
        yield "the autoscaler adds the nodes, as enqueue then admits the job on those that there are"


def _created_again(remedy: Remedy, recreate: str, *, everything: bool) -> Iterator[str]:
    """Yield what there is to do where an object is created again: what it needs comes first."""
    if remedy.commands:
        yield _run(remedy.commands, [remedy], everything=everything)
    kept = "pods keep theirs" if remedy.parameter == PRIORITY_CLASS else "this cannot be changed after creation"
    again = _first_recreated(recreate, everything=everything)
    yield f"delete and re-create {again}, {_state(remedy)}: {kept}"


def _patched_template(remedy: Remedy) -> str:
    """Return the kind of which a pod template is patched; empty where none is."""
    kinds = (
        each.kind
        for each in remedy.patches
        if (
            "template" in each.patch.get("spec", {})
            if isinstance(each.patch, dict)
            else any(one["path"].startswith("/spec/template") for one in each.patch)
        )
    )
    return next(kinds, "")


def _awaited(change: Change | Remedy) -> Iterator[str]:
    """Yield what to look at where a change takes what no edit says: that a node is ready, or a claim bound."""
    if change.parameter == READY:
        node = change.object.partition("/")[2]
        verb = "is" if change.to == 1 else "are"
        yield f"see why {_nodes_like(change)} {verb} not ready, or under pressure: kubectl describe node {node}"
    if change.parameter == DEVICES:
        node, verb = change.object.partition("/")[2], "offers" if change.to == 1 else "offer"
        fewer = f"fewer {change.resource} than {'it has' if change.to == 1 else 'they have'}"
        yield f"see why {_nodes_like(change)} {verb} {fewer}: kubectl describe node {node}, and its device plugin"
    if change.parameter == NEW_CLASS:
        like = str(change.to).removeprefix("like ")
        yield f"see what else class {like} says, such as its reclaimPolicy: kubectl get storageclass {like} -o yaml"
    if change.recreate and change.recreate.startswith("StatefulSet "):
        yield "delete the StatefulSet first: while it is there, its controller makes missing claims from its template"
    for edit in change.edits:
        if edit.endswith(_IS_BOUND):
            key = edit.removesuffix(_IS_BOUND).partition("/")[2]
            namespace, _, claim = key.partition("/")
            see = f"see why claim {key} has no volume"
            if change.parameter != BOUND:
                see = f"claim {key} must be bound before a pod that uses it is scheduled"
            yield f"{see}: kubectl describe pvc {claim} -n {namespace}"


def _several(changes: Sequence[Change], commands: Sequence[str], *, everything: bool) -> list[str]:
    """Return what there is to do for each of several changes, in the order in which to do it.

    Args:
        changes: the changes.
        commands: what makes all of them that need no new object; empty where commands make a part of them at most.
        everything: whether long commands are written in full.
    """
    steps: list[str] = []
    for each in changes:
        if each.owner and not each.recreate and not (commands or each.commands):
            steps.append(f"change {_name(each)} in {each.owner}, the controller")
        if each.parameter == NODES:
            steps.append(_add(each))
        elif each.parameter == END:
            steps.append(f"wait until {each.called} ends")
        awaited = [*_awaited(each)]
        steps += awaited
        if each.commands and not commands:
            steps.append(_run(each.commands, [each], everything=everything))
        elif not (commands or awaited or each.owner or each.recreate or each.parameter in (NODES, END)):
            steps.append(f"change {_with_values(each)}{_in_conf(each)}")
    if commands:
        steps.append(_run(commands, changes, everything=everything))
    again: dict[str, list[Change]] = {}
    for each in changes:
        if each.recreate:
            again.setdefault(each.recreate, []).append(each)
    for what, same in again.items():
        fixed = "this cannot" if len(same) == 1 else "not all of this can"
        then = "then " if steps else ""
        having = " and ".join(map(_state, same))
        named = _first_recreated(what, everything=everything)
        steps.append(f"{then}delete and re-create {named}, {having}: {fixed} be changed after creation")
    return steps


def _first_recreated(objects: str, *, everything: bool) -> str:
    """Name the first of the objects to create again, or all of them."""
    return objects if everything else first_names(objects.split(", "), separator=", ")


def _state(change: Change | Remedy) -> str:
    """Say what an object is like that is created again with a change."""
    if change.parameter == RESOURCES:  # each amount names its field
        return f"with {change.to}"
    field = " ".join(filter(None, [change.parameter, change.resource]))  # a toleration stands for its taint
    return f"without {field}" if change.to == "none" else f"with {field} {change.to}"


def _run(commands: Sequence[str], changes: Sequence[Change | Remedy], *, everything: bool) -> str:
    """Write commands for some changes, and what they change where they are not written in full."""
    shown, left = _in_turn(commands, everything=everything)
    is_in_full = everything or all(_short(each) == each for each in commands)
    rest = f"; -v shows {left:,} more commands" if left else ""
    return f"run {shown}{'' if is_in_full else ''.join(map(_in_conf, changes))}{rest}"


def _in_turn(commands: Sequence[str], *, everything: bool) -> tuple[str, int]:
    """Write commands one after the other, unless everything is wanted only the first; return how many are left out."""
    shown = commands if everything else [*map(_short, commands[:_NAMED])]
    return " && ".join(shown), len(commands) - len(shown)


def _add(change: Change | Remedy) -> str:
    more = int(change.to) - int(change.from_value)
    kind = change.called if change.is_of_a_new_kind else f"like {change.object.partition('/')[2]}"
    runs = f" ({'it' if more == 1 else 'each'} runs {change.daemons}, too)" if change.daemons else ""
    return f"add {count(more, 'node')} {kind}{runs}"


def _short(command: str) -> str:
    """Write a command whose patch is a whole file, as that of a configuration, as the one that opens the object."""
    named, _, _ = command.partition(" --type ")
    return command if len(command) < _LONG_COMMAND else named.replace("kubectl patch", "kubectl edit", 1)


def _short_line(line: str) -> str:
    """Write a line of a file that is a whole file itself, as a configuration in JSON, as where it stands.

    So is a new object written that follows the others of a file.
    """
    place, _, text = line.partition(": ")
    return line if len(line) < _LONG_COMMAND and not text.startswith("---") else place


def _in_conf(remedy: Change | Remedy) -> str:
    """Say what to write into the configuration, where the step itself does not show it; empty for other objects."""
    if remedy.parameter == ACTIONS:
        return f', and write actions: "{remedy.to}"{_taken_out(remedy)}'
    if remedy.parameter == FACTOR:
        return f", and give plugin overcommit {remedy.parameter}: {remedy.to}"
    if remedy.object.startswith(_PLUGIN):
        return f", and give plugin {remedy.object.removeprefix(_PLUGIN)} {remedy.parameter}: {remedy.to}"
    return ""


def _taken_out(remedy: Change | Remedy) -> str:
    """Say which plugins are taken out of the configuration; empty where none is."""
    names = [each.removesuffix(_NO_VALUE).rpartition(".")[2] for each in remedy.edits if each.endswith(_NO_VALUE)]
    return f", and take out plugin{'s' if len(names) > 1 else ''} {' and '.join(names)}" if names else ""


def _is_in_column(remedy: Remedy) -> bool:
    """Tell whether the edit itself stands for the change: it is one, short, and names a job as people do."""
    is_short = len(remedy.edits) == 1 and len(remedy.edits[0]) <= _LONG
    is_named = remedy.object == remedy.called and not remedy.object.startswith(_PLUGIN)
    return is_short and is_named and remedy.parameter != STATE and remedy.parameter not in _SAID


_SAID: Final[dict[str, Callable[[Change | Remedy], str]]] = {
    END: lambda each: f"{each.called} ends",
    SCALE_DOWN: lambda each: f"scale down {each.called}",
    CLAIM: lambda each: f"create {each.called}",
    NEW_QUEUE: lambda each: f"create {each.called}",
    MOVE: lambda each: f"delete {first_names([edit.removeprefix('remove ') for edit in each.edits])}",
    NEW_CLASS: lambda each: f"create {each.called}",
    BOUND: lambda each: f"{each.called} is bound",
    READY: lambda each: f"{_nodes_like(each)} {'is' if each.to == 1 else 'are'} ready again, and under no pressure",
    DEVICES: lambda each: (
        f"{_nodes_like(each)} {'offers' if each.to == 1 else 'offer'} all {each.resource} of "
        f"{'its' if each.to == 1 else 'their'} capacity"
    ),
    STALE: lambda each: f"delete {_groups(each)}",
    UNCORDON: lambda each: f"uncordon {each.object.partition('/')[2]}",
    NODES: lambda each: f"{count(int(each.to) - int(each.from_value), 'more node')} {each.called}",
}
"""What says it all of a change, where its field and values do not."""


def _name(remedy: Change | Remedy) -> str:
    if isinstance(remedy, Remedy) and remedy.changes:
        return ", and ".join(map(_with_values, remedy.changes))
    if remedy.parameter in _SAID:
        return _SAID[remedy.parameter](remedy)
    if remedy.object.startswith(_PLUGIN):
        return f"{remedy.parameter} of plugin {remedy.object.removeprefix(_PLUGIN)}"
    if remedy.parameter == ACTIONS:
        return f"actions: {remedy.to}{_taken_out(remedy)}"
    said = " ".join(filter(None, [remedy.parameter, remedy.resource, "of", remedy.called]))
    queue = f"{remedy.object}.spec."
    own = f"{queue}{remedy.parameter}"
    if not remedy.resource or not any(each.startswith(own) for each in remedy.edits):
        return said
    # What else has to be raised where one amount of a queue is.
    others = [each for each in remedy.edits if not (each.startswith(own) and remedy.resource in each)]
    if all(each.startswith(queue) for each in others):
        others = [each.removeprefix(queue) for each in others]
    return f"{said}, with {first_names(others, _NAMED)} set as well" if others else said


def _groups(remedy: Change | Remedy) -> str:
    """Name the PodGroups that go."""
    names = [each.partition("/")[2] for each in remedy.edits]
    return f"PodGroup{'' if len(names) == 1 else 's'} {first_names(names, _NAMED)} (no pods)"


def _nodes_like(remedy: Change | Remedy) -> str:
    node = remedy.object.partition("/")[2]
    return node if remedy.to == 1 else f"{remedy.to} nodes like {node}"


def _with_values(change: Change) -> str:
    """Name one of several changes, with its values."""
    if change.parameter in (*_SAID, ACTIONS):
        return _name(change)
    is_said = str(change.from_value) in ("as written", "none")
    return f"{_name(change)}: {change.to if is_said else f'{change.from_value} to {change.to}'}"


def _moved(what: str, jobs: Sequence[Affected], *, everything: bool) -> str:
    """Say which jobs have more or fewer pods with a fix than without it, and how many."""
    named = _named([f"{each.job} ({each.pods_before:,} → {each.pods_after:,})" for each in jobs], everything=everything)
    return f"{count(len(jobs), 'job')} {'has' if len(jobs) == 1 else 'have'} {what}: {named}"


def _by_policy(loss: JobLoss) -> str:
    """Say what the controller of a job does with its pods as some of them are evicted."""
    verb = "restarts" if loss.restarted else "ends"
    pods = f"{count(loss.pods_lost, 'pod')} of {loss.called}"
    if loss.sessions:
        pods = f"{pods} in {loss.sessions} sessions"
    elif loss.policy_action in OF_WHOLE_JOBS:
        pods = f"all {pods}"
    return f"{verb} {pods} (policy {loss.policy_event}: {loss.policy_action})"


def _named(names: Sequence[str], *, everything: bool) -> str:
    return first_names(names, None if everything else _NAMED)


def ineffective(report: JobReport, *, everything: bool) -> Iterator[Part]:
    """Show which changes do not help, and which were not tried."""
    found = report.fix_search
    if found is None:
        return
    if found.ineffective:
        columns: dict[Column, Callable[[Remedy], str]] = {
            Column("CHANGE"): _name,
            Column("FROM", numeric=True): lambda each: "" if each.parameter in (ACTIONS, END) else str(each.from_value),
            Column("TRIED", numeric=True): _reached,
        }

        def still(each: Remedy) -> str:
            """Say what still keeps the job from being placed."""
            if each.refused:
                return f"refused: {each.refused}"
            return f"{each.verdict.code}: {each.verdict.text}" if everything and each.verdict else ""

        alone = "Each was tried alone. With none of them is another pod of the job bound, or the change is refused."
        if not any(each.refused for each in found.ineffective):
            alone = "Each was simulated alone. With none of them is another pod of the job bound."
        distinct: dict[object, Remedy] = {}
        for each in found.ineffective:
            distinct.setdefault((*(value(each) for value in columns.values()), still(each)), each)
        yield Part(INEFFECTIVE, (alone,), table(distinct.values(), columns, "WHY NOT", still))
    if found.ended and found.not_tried:
        yield Part("Changes that were not tried", (f"{_ended(found)} {', '.join(dict.fromkeys(found.not_tried))}.",))


def _ended(found: FixSearch) -> str:
    """Say why the search ended, and how to go on, before what was not tried is named."""
    if found.ended == "enough":
        return "The fixes above are good enough; --all-fixes tries these, too:"
    if found.ended == "time":
        return "The time for the search was up, and --budget gives it more; not tried, or not to the end:"
    tried = "1 change was" if found.max_sessions == 1 else f"{found.max_sessions:,} changes were"
    return f"{tried} tried, the limit that --sessions sets; not tried, or not to the end:"


def _reached(remedy: Remedy) -> str:
    """Say which value was tried last: of an amount all up or down to it, else it alone; none of a list of actions."""
    if remedy.parameter in (ACTIONS, END):
        return ""
    before, to = remedy.from_value, str(remedy.to)
    if not to[:1].isdigit():
        return to
    lowers = isinstance(before, int) and isinstance(remedy.to, int) and remedy.to < before
    return f"down to {to}" if lowers or remedy.parameter == REQUESTS else f"up to {to}"


def kustomization(fix: Fix) -> str:
    """Write the patches of a fix as a component for kustomize, with the commands that do the same in a cluster."""
    lines = [f"# {each}" for text in fix.edits for each in text.splitlines()]
    commands = [f"#   {each}" for text in fix.commands for each in text.splitlines()]
    lines += ["# In a cluster:", *commands] if commands else []
    lines += [f"# Then delete and create again: {fix.recreate}"] if fix.recreate else []
    lines += ["apiVersion: kustomize.config.k8s.io/v1alpha1", "kind: Component", "patches:"]
    return "\n".join([*lines, *(line for each in fix.patches for line in _entry(each))]) + "\n"


def _entry(patch: Patch) -> Iterator[str]:
    group, _, version = patch.api_version.rpartition("/")
    target = {"group": group, "version": version, "kind": patch.kind, "name": patch.name, "namespace": patch.namespace}
    yield "- target:"
    yield from (f"    {key}: {block(value)}" for key, value in target.items() if value)
    yield "  patch: |-"
    change: Any = patch.patch
    if isinstance(change, dict):
        named = {key: each for key, each in (("name", patch.name), ("namespace", patch.namespace)) if each}
        metadata = {**named, **change.get("metadata", {})}
        change = {"apiVersion": patch.api_version, "kind": patch.kind, **change, "metadata": metadata}
    yield from (f"    {line}".rstrip() for line in block(change).splitlines())
