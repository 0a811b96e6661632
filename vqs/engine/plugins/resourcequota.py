"""resourcequota: admit a job to its queue only where its minResources fit into every ResourceQuota of its namespace.

What counts is the quota's status: `used`, what the jobs admitted in this session ask for, and the job's minResources
may together not be above `hard`, in any resource that both the quota and the job name. Scopes of a quota are not looked
at. No arguments.
Reference: pkg/scheduler/plugins/resourcequota/resourcequota.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal, Vote
from vqs.engine.plugins.queue_account import add_job_gate
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.model.kubernetes import ResourceQuota
from vqs.model.quantity import parse_all
from vqs.model.resource import CPU, MEMORY, PODS

NAME = "resourcequota"

Amounts = dict[str, Fraction]

_THOUSANDTHS = 1000


@dataclass(frozen=True, slots=True)
class Quota:
    """The most that a namespace may use, and what it uses."""

    key: str
    hard: Amounts
    used: Amounts

    @classmethod
    def of(cls, quota: ResourceQuota) -> Quota:
        """Read a quota's status."""
        return cls(quota.metadata.key, parse_all(quota.status.hard), parse_all(quota.status.used))

    def refuse(self, wanted: Amounts, pending: Amounts) -> Refusal | None:
        """Why a job that wants some amounts may not enter, None where it may."""
        for name in sorted(wanted.keys() & self.hard.keys(), key=lambda name: (name != CPU, name != MEMORY, name)):
            need = self.used.get(name, Fraction()) + pending.get(name, Fraction()) + wanted[name]
            if need > self.hard[name]:
                unit = 1 if name in (MEMORY, PODS) else _THOUSANDTHS
                amounts = float(need * unit), float(self.hard[name] * unit)
                return Refusal(VerdictCode.NOT_ENQUEUED_QUOTA, NAME, name, *amounts, text=self.key)
        return None


class ResourceQuotaPlugin(Plugin):
    """Hold jobs back that a quota would not let have their pods."""

    refusals = (VerdictCode.NOT_ENQUEUED_QUOTA,)

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.pending: dict[str, Amounts] = {}

    def on_session_open(self, session: Session) -> None:
        """Read the quotas and add the gate."""
        self.quotas: dict[str, list[Quota]] = {}
        for quota in session.cluster.quotas:
            self.quotas.setdefault(quota.metadata.namespace, []).append(Quota.of(quota))
        add_job_gate(session, NAME, self.enqueueable, self.enqueued)

    def enqueueable(self, job: Job) -> Vote | Refusal:
        """Refuse a job that a quota has no room for."""
        quotas = self.quotas.get(job.namespace)
        if job.min_resources is None or quotas is None:
            return Vote.PERMIT
        wanted = parse_all(job.pod_group.spec.min_resources)
        pending = self.pending.get(job.namespace, {})
        for quota in quotas:
            refusal = quota.refuse(wanted, pending)
            if refusal is not None:
                return refusal
        return Vote.PERMIT

    def enqueued(self, job: Job) -> None:
        """Count what a job that was admitted asks for."""
        if job.min_resources is not None and job.namespace in self.quotas:
            pending = self.pending.setdefault(job.namespace, {})
            for name, amount in parse_all(job.pod_group.spec.min_resources).items():
                pending[name] = pending.get(name, Fraction()) + amount
