"""Where the plugin extender takes part in a session, and what its answers mean there."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.plugins.extender.answers import Answer, ExtenderError
from vqs.engine.plugins.extender.nodes import Filter, Score
from vqs.engine.plugins.extender.server import ABOUT_OTHERS, ABOUT_TASKS, NAME, Server, Settings, short
from vqs.engine.plugins.extender.wire import Wire
from vqs.model.codes import EXTENDER_FAILED, EXTENDER_NOT_ASKED, EvictionCode, VerdictCode
from vqs.model.job import Job
from vqs.model.queue import Queue
from vqs.model.task import Task
from vqs.model.wording import count, listed_names

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
        self.settings = Settings.of(self.option.arguments)
        if not session.options.allow_extender:
            self._note_absence(session)
            return
        from vqs.engine.plugins.extender.client import Client  # noqa: PLC0415 - ssl takes long, and few sessions ask

        self.session = session
        client = Client(self.settings.url_prefix, self.settings.seconds, session.options.extender)
        self.server = Server(self.settings, client)
        self.wire = Wire(session)
        self.server.is_open = self.server.tell("onSessionOpen", self.wire.cluster) or self.settings.ignorable
        if self.server.is_open:
            session.add_event_handler(self._given, self._taken)
            self._add_answers(session)

    def _add_answers(self, session: Session) -> None:
        verbs, plugins = self.settings.verbs, session.plugins
        if "predicate" in verbs or "prioritize" in verbs:
            session.classes.add_signature(self._signature)
        if "predicate" in verbs:
            plugins.add(points.PREDICATE, NAME, Filter(session, self.server, self.wire))
        if "prioritize" in verbs:
            plugins.add(points.BATCH_NODE_ORDER, NAME, Score(session, self.server, self.wire))
        for verb, point in (("preemptable", points.PREEMPTABLE), ("reclaimable", points.RECLAIMABLE)):
            if verb in verbs:
                plugins.add(point, NAME, EvictableFn(self._voter(verb), DependsOn.EVERYTHING, self._cache_key))
        if "jobEnqueueable" in verbs:
            plugins.add(points.JOB_ENQUEUEABLE, NAME, self._enqueueable)
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
                help=f"such a request counts as a {counts}, as extender.ignorable is {self.settings.ignorable}".lower(),
                unknown=["answers that the extender did not give"],
            )

    def _note_absence(self, session: Session) -> None:
        """Say which decisions the extender would take part in."""
        tasks = (task for job in session.jobs.values() for task in job.tasks.values())
        number = sum(map(self.settings.is_about, tasks))
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

    # --- tasks -------------------------------------------------------------------------------------------------------

    def _signature(self, task: Task) -> Hashable:
        return task.uid if self.settings.is_about(task) else None

    def _cache_key(self, preemptor: Task) -> Hashable:
        return preemptor.uid

    def _voter(self, verb: str) -> Callable[[Task, Sequence[Task]], Victims]:
        def vote(preemptor: Task, candidates: Sequence[Task]) -> Victims:
            if not self.settings.is_about(preemptor):
                return Victims(Vote.ABSTAIN)
            return self._vote(verb, preemptor, candidates)

        return vote

    def _vote(self, verb: str, preemptor: Task, candidates: Sequence[Task]) -> Victims:
        """Take the victims that the server names among the candidates; status 0 is an abstention."""
        if not self.server.is_open:
            return Victims(Vote.ABSTAIN)
        evictees = [self.wire.task(task, on_node=True) for task in candidates]
        request = {"evictor": self.wire.task(preemptor), "evictees": evictees or None}
        votes, text = Victims(), "the extender does not name it"
        named: list[str] = []
        try:
            status, named = self.server.ask(verb, request, f"{verb.capitalize()}Response", _status_and_victims)
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
            self._note_unknown_victims()
        return votes

    def _note_unknown_victims(self) -> None:
        if all(notice.code != "extender-victims" for notice in self.session.notices):
            self.session.warn(
                "extender-victims",
                "the extender names victims that it was not asked about; vqs leaves them out, and Volcano tries to "
                "evict them where no other plugin of the tier votes",
                unknown=["what becomes of the other victims that the extender names"],
            )

    def _given(self, task: Task) -> Refusal | None:
        self.wire.given(task)
        return self._event("allocateFunc", task)

    def _taken(self, task: Task) -> None:
        self._event("deallocateFunc", task)
        self.wire.taken(task)

    def _event(self, about: str, task: Task) -> Refusal | None:
        """Tell the server of a task that got or lost its node; return why the server refuses that."""
        if not self.server.is_open or about not in self.settings.verbs or not self.settings.is_about(task):
            return None
        try:
            request = {"task": self.wire.task(task)}
            text = self.server.ask(about, request, "EventHandlerResponse", lambda answer: answer.text("errorMessage"))
        except ExtenderError as error:
            text = "" if self.settings.ignorable else str(error)
        return Refusal(VerdictCode.RESERVE_FAILED, NAME, text=short(text)) if text else None

    # --- jobs and queues ---------------------------------------------------------------------------------------------

    def _enqueueable(self, job: Job) -> Vote | Refusal:
        try:
            request = {"job": self.wire.job(job)}
            status = self.server.ask("jobEnqueueable", request, "JobEnqueueableResponse", _status)
        except ExtenderError as error:
            if self.settings.ignorable:
                return Vote.PERMIT
            return Refusal(VerdictCode.NOT_ENQUEUED_EXTENDER, NAME, text=f"did not answer: {short(str(error))}")
        if status < 0:
            return Refusal(VerdictCode.NOT_ENQUEUED_EXTENDER, NAME, text="refused it")
        return Vote.PERMIT if status else Vote.ABSTAIN

    def _overused(self, queue: Queue) -> Refusal | None:
        if not self.server.is_open:
            return None
        try:
            request = {"queue": self.wire.queue(queue)}
            overused = self.server.ask("queueOverused", request, "QueueOverusedResponse", _overused)
            text = "said so" if overused else ""
        except ExtenderError as error:
            text = "" if self.settings.ignorable else f"did not answer: {short(str(error))}"
        return Refusal(VerdictCode.QUEUE_OVERUSED_EXTENDER, NAME, queue=queue.name, text=text) if text else None

    def _job_ready(self, job: Job) -> bool:
        """Return what the server says; once the session is closed, what it said last."""
        if self.server.is_open:
            try:
                request = {"job": self.wire.job(job)}
                ready = self.server.ask("jobReady", request, "JobReadyResponse", lambda answer: answer.flag("status"))
                self.ready[job.uid] = ready
            except ExtenderError:
                self.ready[job.uid] = self.settings.ignorable
        return self.ready.get(job.uid, True)


def _status(answer: Answer) -> int:
    return answer.number("status")


def _overused(answer: Answer) -> bool:
    return answer.flag("overused")


def _status_and_victims(answer: Answer) -> tuple[int, list[str]]:
    return answer.number("status"), answer.uids("victims")
