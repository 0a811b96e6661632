"""Where the plugin extender takes part in a session, what its answers mean there, and how its server is asked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
import numpy as np

from vqs.config.known_arguments import Arguments
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import BatchScore, DependsOn, EvictableFn, OutsidePredicate
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.nodes.reasons import ACCEPTED, FITS, Codes, Weight
from vqs.engine.nodes.table import Floats, Integers, Nodes
from vqs.engine.plugins.extender.wire import Answer, ExtenderError, Wire
from vqs.model.cluster import Queue
from vqs.model.codes import EXTENDER_FAILED, EXTENDER_NOT_ASKED, EvictionCode, VerdictCode
from vqs.model.durations import parse_duration
from vqs.model.job import Job, Task
from vqs.model.wording import count, listed_names
from vqs.releases.plugins import ExtenderBehaviours

_ONLY_IF_ALLOWED: Final = "vqs sends requests to the extender only with --allow-extender"


class ExtenderPlugin(Plugin):
    """Ask a server at each place that it has a verb for."""

    points = (
        points.JOB_ENQUEUEABLE,
        points.JOB_READY,
        points.OVERUSED,
        points.PREEMPTABLE,
        points.RECLAIMABLE,
        points.PREDICATE,
        points.BATCH_NODE_ORDER,
    )
    refusals = (
        VerdictCode.RESERVE_FAILED,
        VerdictCode.NOT_ENQUEUED_EXTENDER,
        VerdictCode.QUEUE_OVERUSED_EXTENDER,
        EvictionCode.SPARED_BY_EXTENDER,
    )

    settings: Settings
    server: Server
    wire: Wire
    session: Session

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.ready: dict[str, bool] = {}

    def on_session_open(self, session: Session) -> None:
        """Tell the server of the cluster, and add the answers, or say what is missing where no request is allowed."""
        self.settings = Settings.of(self.option.arguments, session.profile.extender)
        if not session.options.allow_extender:
            self._warn_of_not_asking(session)
            return
        from vqs.engine.plugins.extender.client import Client  # noqa: PLC0415 - ssl takes long, and few sessions ask

        self.session = session
        client = Client(self.settings.url_prefix, self.settings.seconds, session.options.extender)
        self.server = Server(self.settings, client)
        self.wire = Wire(session)
        self.server.is_open = self.server.tell("onSessionOpen", self.wire.cluster) or self.settings.ignorable
        if self.server.is_open:
            session.add_event_handler(self.allocated, self.deallocated)
            self._add_answers(session)

    def _warn_of_not_asking(self, session: Session) -> None:
        number = sum(map(self.settings.is_about, session.tasks()))
        verbs = [*(ABOUT_TASKS if number else ()), *ABOUT_OTHERS]
        missing = [verb for verb in verbs if verb in self.settings.verbs]
        if missing:
            managed = f" of {count(number, 'task')}" if self.settings.managed and number else ""
            text = f"plugin extender is not asked, so that decisions{managed} may differ from Volcano's"
            arguments = ", ".join(sorted(f"{key}: {value}" for key, value in self.option.arguments.items()))
            unknown = [f"answers of the extender with {arguments}"]
            said = f"{text}: {listed_names(missing)}"
            session.warn(EXTENDER_NOT_ASKED, said, help=_ONLY_IF_ALLOWED, unknown=unknown)
            if session.options.extender.not_asked is not None:
                session.options.extender.not_asked(f"{text} ({_ONLY_IF_ALLOWED})")

    def _add_answers(self, session: Session) -> None:
        verbs, plugins = self.settings.verbs, session.plugins
        if "predicate" in verbs or "prioritize" in verbs:
            session.classes.add_signature(lambda task: task.uid if self.settings.is_about(task) else None)
        if "predicate" in verbs:
            plugins.add(points.PREDICATE, NAME, Filter(session, self.server, self.wire))
        if "prioritize" in verbs:
            plugins.add(points.BATCH_NODE_ORDER, NAME, Score(session, self.server, self.wire))
        for verb, point in (("preemptable", points.PREEMPTABLE), ("reclaimable", points.RECLAIMABLE)):
            if verb in verbs:
                plugins.add(
                    point, NAME, EvictableFn(partial(self._vote, verb), DependsOn.EVERYTHING, lambda task: task.uid)
                )
        if "jobEnqueueable" in verbs:
            plugins.add(points.JOB_ENQUEUEABLE, NAME, self._enqueueable)
        if _ENQUEUED in verbs and session.profile.extender.extender_enqueued == "told":
            plugins.add(points.JOB_ENQUEUED, NAME, self._enqueued)
        if "queueOverused" in verbs:
            plugins.add(points.OVERUSED, NAME, self._overused)
        if "jobReady" in verbs:
            plugins.add(points.JOB_READY, NAME, self._job_ready)

    def on_session_close(self, session: Session) -> None:
        """Tell the server, and say how many of its requests failed."""
        if not session.options.allow_extender:
            return
        client = self.server.client
        self.server.tell("onSessionClose", dict)
        self.server.is_open = False
        client.close()
        if client.failures:
            counts = "yes" if self.settings.ignorable else "no"
            session.warn(
                EXTENDER_FAILED,
                f"the extender gave no valid answer to {client.failures:,} of "
                f"{count(client.sent, 'request')}; the first failed with: {client.first_failure}",
                help=f"such a request counts as a {counts}, as extender.ignorable is {self.settings.ignorable}".lower()
                + "; of jobReadyVerb, it is the other way round",
                unknown=["answers that the extender did not give"],
            )

    # --- tasks -------------------------------------------------------------------------------------------------------

    def _vote(self, verb: str, preemptor: Task, candidates: Sequence[Task]) -> Victims:
        """Take the victims that the server names among the candidates; status 0 is an abstention."""
        if not self.settings.is_about(preemptor):
            return Victims(Vote.ABSTAIN)
        evictees = [self.wire.task(task, on_node=True) for task in candidates]
        request = {"evictor": self.wire.task(preemptor), "evictees": evictees or None}
        votes, text = Victims(), "the extender does not name it"
        named: list[str] = []
        try:
            status, named = self.server.ask(
                verb, request, lambda answer: (answer.number("status"), answer.uids("victims"))
            )
            votes.vote = Vote.PERMIT if status else Vote.ABSTAIN
        except ExtenderError as error:
            text = f"the extender did not answer: {short(str(error))}"
        by_uid = {task.uid: task for task in candidates}
        for uid in dict.fromkeys(named):
            if uid in by_uid:
                votes.take(by_uid[uid])
        taken = {task.uid for task in votes.tasks}
        for task in candidates:
            if task.uid not in taken:
                votes.spare(task, Refusal(EvictionCode.SPARED_BY_EXTENDER, NAME, text=text))
        if set(named) - by_uid.keys():
            self.session.warn(
                "extender-victims",
                "the extender names victims that it was not asked about; vqs leaves them out, and Volcano tries to "
                "evict them where no other plugin of the tier votes",
                unknown=["what becomes of the other victims that the extender names"],
                once=True,
            )
        return votes

    def allocated(self, task: Task) -> Refusal | None:
        """Write a task with its node from now on, and tell the server; return why that refuses it."""
        self.wire.given(task)
        return self._refusal_of_event("allocateFunc", task)

    def deallocated(self, task: Task) -> None:
        """Tell the server of a task that lost its node, and write it without from now on."""
        self._refusal_of_event("deallocateFunc", task)
        self.wire.taken(task)

    def _refusal_of_event(self, about: str, task: Task) -> Refusal | None:
        """Tell the server of a task that got or lost its node; return why the server refuses that."""
        if not self.server.is_open or about not in self.settings.verbs or not self.settings.is_about(task):
            return None
        try:
            request = {"task": self.wire.task(task)}
            text = self.server.ask(about, request, lambda answer: answer.text("errorMessage"))
        except ExtenderError as error:
            text = "" if self.settings.ignorable else str(error)
        return Refusal(VerdictCode.RESERVE_FAILED, NAME, text=short(text)) if text else None

    # --- jobs and queues ---------------------------------------------------------------------------------------------

    def _enqueueable(self, job: Job) -> Vote | Refusal:
        try:
            request = {"job": self.wire.job(job)}
            status = self.server.ask("jobEnqueueable", request, lambda answer: answer.number("status"))
        except ExtenderError as error:
            if self.settings.ignorable:
                return Vote.PERMIT
            return Refusal(VerdictCode.NOT_ENQUEUED_EXTENDER, NAME, text=f"did not answer: {short(str(error))}")
        if status < 0:
            return Refusal(VerdictCode.NOT_ENQUEUED_EXTENDER, NAME, text="refused it")
        return Vote.PERMIT if status else Vote.ABSTAIN

    def _enqueued(self, job: Job) -> None:
        self.server.tell(_ENQUEUED, lambda: {"job": self.wire.job(job)})

    def _overused(self, queue: Queue) -> Refusal | None:
        try:
            request = {"queue": self.wire.queue(queue)}
            overused = self.server.ask("queueOverused", request, lambda answer: answer.flag("overused"))
            text = "said so" if overused else ""
        except ExtenderError as error:
            text = "" if self.settings.ignorable else f"did not answer: {short(str(error))}"
        return Refusal(VerdictCode.QUEUE_OVERUSED_EXTENDER, NAME, queue=queue.name, text=text) if text else None

    def _job_ready(self, job: Job) -> bool:
        """What the server says; once the session is closed, what it said last."""
        if self.server.is_open:
            try:
                request = {"job": self.wire.job(job)}
                self.ready[job.uid] = self.server.ask("jobReady", request, lambda answer: answer.flag("status"))
            except ExtenderError:
                self.ready[job.uid] = not self.settings.ignorable  # as in the reference, it is the other way round here
        return self.ready.get(job.uid, True)


WORKERS: Final = 16
"""The number of nodes that are asked about at once, as in the reference."""

_PREEMPT: Final = "preempt"
_SUCCESS, _UNSCHEDULABLE, _UNRESOLVABLE = 0, 2, 3
_ERRORS: Final = frozenset({1, 4, 5})
"""The codes Error, Wait and Skip. Reference: pkg/scheduler/api/types.go."""


class Filter(OutsidePredicate):
    """Filters nodes by the server's answers, one request for each node, some at once."""

    def __init__(self, session: Session, server: Server, wire: Wire) -> None:
        self.session = session
        self.server = server
        self.wire = wire

    def volatile(self, task_class: EquivalenceClass) -> bool:
        """True: any placement may change the answers."""
        return self.server.settings.is_about(task_class.task)

    def codes(self, task_class: EquivalenceClass, nodes: Nodes) -> Codes:
        """What the server said last, 0 of nodes that it was not asked about."""
        codes = self._known(task_class).codes[nodes]
        return np.where(codes == ACCEPTED, FITS, codes)

    def ask(self, task_class: EquivalenceClass, nodes: Nodes, codes: Codes) -> Codes:
        """Ask about the nodes that nothing refuses; the same question is asked again once something has changed."""
        if not self.server.settings.is_about(task_class.task):
            return codes
        known = self._known(task_class)
        numbers = np.arange(len(self.session.nodes), dtype=np.intp)[nodes]
        open_nodes = numbers[codes == FITS]
        now = len(self.session.nodes.log)
        unknown = open_nodes[known.asked[open_nodes] != now]
        if self.server.is_open and len(unknown):
            written = msgspec.Raw(msgspec.json.encode(self.wire.task(task_class.task)))
            requests = [{"task": written, "node": self.wire.node(node)} for node in unknown.tolist()]
            with ThreadPoolExecutor(WORKERS) as pool:
                answers = [*(pool.map if len(requests) > 1 else map)(self._answer, requests)]
            known.codes[unknown] = [self._code(answer) for answer in answers]
            known.asked[unknown] = now
        return np.where(codes == FITS, known.codes[numbers], codes)

    def _known(self, task_class: EquivalenceClass) -> _Known:
        width = len(self.session.nodes)
        return task_class.noted(NAME, lambda: _Known(np.zeros(width, np.int32), np.full(width, -1, np.int64)))

    def _answer(self, request: Any) -> tuple[str, int] | ExtenderError:
        """The message and the code of an answer, or why there is none."""
        try:
            return self.server.ask("predicate", request, lambda answer: (answer.text("status"), answer.number("code")))
        except ExtenderError as error:
            return error

    def _code(self, answer: tuple[str, int] | ExtenderError) -> int:
        """The code of the reasons. As in the reference, a code that Volcano does not know is no refusal."""
        reasons = self.session.reasons
        if isinstance(answer, ExtenderError):
            return FITS if self.server.settings.ignorable else reasons.weighed(short(str(answer)), Weight.ERROR)
        message, code = answer
        if not message:
            return FITS
        if code == _SUCCESS or code in _ERRORS:
            return reasons.weighed(short(message), Weight.ERROR)
        if code == _UNSCHEDULABLE:
            return reasons.weighed(short(message), Weight.RESOLVABLE)
        return reasons.weighed(short(message), Weight.UNRESOLVABLE) if code == _UNRESOLVABLE else ACCEPTED


@dataclass(slots=True)
class _Known:
    """What the server said of each node for a task, and how many changes there were then; -1: it was not asked."""

    codes: Codes
    asked: np.ndarray[tuple[int], np.dtype[np.int64]]


class Score(BatchScore):
    """Scores nodes by the server's answer, one request for all candidates."""

    def __init__(self, session: Session, server: Server, wire: Wire) -> None:
        self.session = session
        self.server = server
        self.wire = wire
        self._last: tuple[Hashable, Floats] = (None, np.zeros(0))

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """The score where the server is not asked."""
        return None if self.server.settings.is_about(task_class.task) else 0.0

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """The score of each candidate; a node that is not named has 0.

        Only preempt has a single candidate scored.
        """
        is_alone = len(candidates) == 1 and self.session.trace.action != _PREEMPT
        if is_alone or not self.server.settings.is_about(task_class.task):
            return np.zeros(len(candidates))
        key = (task_class.task.uid, len(self.session.nodes.log), candidates.tobytes())
        if self._last[0] != key and self.server.is_open:
            self._last = key, self._asked_scores(task_class.task, candidates)
        return self._last[1] if self._last[0] == key else np.zeros(len(candidates))

    def _asked_scores(self, task: Task, candidates: Integers) -> Floats:
        wire, server = self.wire, self.server
        request = {"task": wire.task(task), "nodes": [wire.node(node) for node in candidates.tolist()]}
        try:
            by_name, message = server.ask(
                "prioritize", request, lambda answer: (answer.numbers("nodeScore"), answer.text("errorMessage"))
            )
        except ExtenderError as error:
            if server.settings.ignorable:
                return np.zeros(len(candidates))
            by_name, message = None, str(error)
        if by_name is None or message:
            why = short(message) or "the extender gave no scores"
            self.session.scoring_failure = f"the extender did not score them: {why}"
            return np.full(len(candidates), -np.inf)
        return np.array([by_name.get(self.session.nodes.names[node], 0.0) for node in candidates.tolist()])


if TYPE_CHECKING:
    from vqs.engine.plugins.extender.client import Client

NAME: Final = "extender"

_EVENTS: Final = ("allocateFunc", "deallocateFunc")
ABOUT_TASKS: Final = ("predicate", "prioritize", "preemptable", "reclaimable", *_EVENTS)
ABOUT_OTHERS: Final = ("queueOverused", "jobEnqueueable", "jobReady")

_ENQUEUED: Final = "jobEnqueued"
_OF_SESSIONS: Final = ("onSessionOpen", "onSessionClose")
_DEFAULT_SECONDS: Final = 1.0
_LONGEST_TEXT: Final = 1000

Answered = TypeVar("Answered")


@dataclass(frozen=True, slots=True)
class Settings:
    """The arguments; `verbs` are those that are given, by what they ask about."""

    url_prefix: str
    seconds: float
    verbs: dict[str, str]
    ignorable: bool
    managed: frozenset[str]

    @classmethod
    def of(cls, arguments: Arguments, behaviours: ExtenderBehaviours) -> Settings:
        """Read the arguments that a release knows."""
        is_known = behaviours.managed_resources == "known"
        names = (*_OF_SESSIONS, *ABOUT_TASKS, *ABOUT_OTHERS, _ENQUEUED)
        verbs = {name: arguments.string(f"extender.{name}Verb") for name in names if is_known or name not in _EVENTS}
        seconds = parse_duration(arguments.string("extender.httpTimeout"))
        return cls(
            arguments.string("extender.urlPrefix"),
            _DEFAULT_SECONDS if seconds is None else seconds,
            {name: verb for name, verb in verbs.items() if verb},
            arguments.bool("extender.ignorable"),
            frozenset((is_known and arguments.decoded("extender.managedResources")) or ()),
        )

    def is_about(self, task: Task) -> bool:
        """True if a task is one that the extender is asked about."""
        spec = task.pod.spec
        return not self.managed or any(
            not self.managed.isdisjoint((*each.resources.requests, *each.resources.limits))
            for each in (*spec.containers, *spec.init_containers)
        )


class Server:
    """Asks the server while a session is open; `client` sends the requests."""

    def __init__(self, settings: Settings, client: Client) -> None:
        self.settings = settings
        self.client = client
        self.is_open = False

    def ask(self, about: str, request: Any, read: Callable[[Answer], Answered]) -> Answered:
        """Send a request and read the answer. Raises ExtenderError where there is none that counts."""
        type_name = "EventHandler" if about in _EVENTS else f"{about[0].upper()}{about[1:]}"
        body = self.client.post(self.settings.verbs[about], msgspec.json.encode(request))
        try:
            return read(Answer(body, f"{type_name}Response"))
        except ExtenderError as error:
            self.client.note_failure(error)
            raise

    def tell(self, about: str, request: Callable[[], Any]) -> bool:
        """Send a request that has no answer, if there is a verb for it; tell whether nothing failed."""
        if about in self.settings.verbs:
            try:
                self.client.post(self.settings.verbs[about], msgspec.json.encode(request()), wants_answer=False)
            except ExtenderError:
                return False
        return True


def short(text: str) -> str:
    """A text of the server, which may be as long as an answer, cut to what can be shown."""
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
