"""overcommit: admit no more jobs to the queues than the cluster, somewhat enlarged, has room for.

Arguments: `overcommit-factor` (number, default 1.2): by how much the cluster is enlarged; below 1 the default is taken.
Reference: pkg/scheduler/plugins/overcommit/overcommit.go.
"""

from __future__ import annotations

from functools import partial

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.ledger import Gate
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.trace import Trace
from vqs.engine.framework.votes import Refusal, Vote
from vqs.engine.plugins.queue_account import inqueue_of
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.model.resource import Resource

NAME = "overcommit"

FACTOR = "overcommit-factor"


class OvercommitPlugin(Plugin):
    """Keep the sum of what the jobs in the queues still wait for below what is idle in the enlarged cluster."""

    refusals = (VerdictCode.NOT_ENQUEUED_OVERCOMMIT,)

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.factor: float
        self.idle = Resource()
        self.inqueue = Resource()
        self.trace: Trace

    def on_session_open(self, session: Session) -> None:
        """Sum up what is idle and what the jobs that are in already will take."""
        self.trace = session.trace
        used = session.nodes.resource(session.nodes.used.sum(axis=1))
        self.factor = self.option.arguments.float(FACTOR)
        if not self.factor >= 1:
            default = self.option.arguments.default(FACTOR)
            text = f"{FACTOR} {self.factor:g} is below 1, so {default} is used, as in Volcano"
            session.warn("argument-out-of-range", f"plugin {NAME}: {text}")
            self.factor = float(default)
        self.idle = session.total_resource.clone().multiply(self.factor).sub(used)
        for job in session.jobs.values():
            if job.min_resources is not None:
                self.inqueue.add(job.noted(NAME, partial(inqueue_of, session, job)))
        session.plugins.add(points.JOB_ENQUEUEABLE, NAME, self.enqueueable)
        session.plugins.add(points.JOB_ENQUEUED, NAME, self.enqueued)

    def enqueueable(self, job: Job) -> Vote | Refusal:
        """Permit a job for which there is room, in each resource it asks for."""
        if job.min_resources is None:
            return Vote.PERMIT
        exceeding = self.inqueue.exceeding_with(job.min_resources, self.idle)
        if self.trace.gates is not None:
            nothing, inqueue = Resource(), self.inqueue.clone()
            gate = Gate(NAME, "", job.minimum(), nothing, inqueue, nothing, self.idle, tuple(exceeding))
            self.trace.pass_gates(job.uid, [gate])
        if not exceeding:
            return Vote.PERMIT
        name = exceeding[0]
        need = self.inqueue.get(name) + job.min_resources.get(name)
        return Refusal(
            VerdictCode.NOT_ENQUEUED_OVERCOMMIT, NAME, name, need, self.idle.get(name), text=f"{self.factor:g}"
        )

    def enqueued(self, job: Job) -> None:
        """Count what a job that was admitted will take."""
        if job.min_resources is not None:
            self.inqueue.add(job.without_gated(job.minimum()))
