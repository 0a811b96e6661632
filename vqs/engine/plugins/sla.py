"""sla: serve jobs first that have waited longest for their terms, and admit those that have waited too long.

Arguments: `sla-waiting-time` (a duration such as 1h30m; none by default): how long a job may wait. The annotation of
the same name on a PodGroup goes before it. A job that has waited longer enters its queue whatever plugins of lower
tiers say, and its promised places are kept.
References: pkg/scheduler/plugins/sla/sla.go; pkg/scheduler/api/job_info.go (extractWaitingTime).
"""

from __future__ import annotations

from collections.abc import Iterable

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.points import Key
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Vote
from vqs.model.durations import parse_duration
from vqs.model.job import Job
from vqs.model.kubernetes import PodGroup

NAME = "sla"

WAITING_TIME = "sla-waiting-time"
ANNOTATIONS = ("volcano.sh/sla-waiting-time", WAITING_TIME)
"""Where a PodGroup may say how long it is ready to wait; the first that is a duration counts."""


class SlaPlugin(Plugin):
    """Watch how long jobs wait."""

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.usual: float | None = None
        self.now = 0.0

    def on_session_open(self, session: Session) -> None:
        """Read the usual waiting time and add the answers."""
        self.now = session.options.now.timestamp()
        if WAITING_TIME in self.option.arguments:
            self.usual = _first_span([self.option.arguments.string(WAITING_TIME)])
        session.plugins.add(points.JOB_ORDER, NAME, self.order)
        session.plugins.add(points.JOB_ENQUEUEABLE, NAME, self.vote)
        session.plugins.add(points.JOB_PIPELINED, NAME, self.vote)

    def order(self, job: Job) -> Key:
        """Sort jobs by when they will have waited too long; those that may wait for ever come last."""
        term = waiting_time(job.pod_group, self.usual)
        return (1, 0.0) if term is None else (0, job.created + term)

    def vote(self, job: Job) -> Vote:
        """Permit a job that has waited too long, and leave the others to other plugins."""
        term = waiting_time(job.pod_group, self.usual)
        return Vote.ABSTAIN if term is None or self.now - job.created < term else Vote.PERMIT


def waiting_time(group: PodGroup, usual: float | None = None) -> float | None:
    """How long a job is ready to wait, in seconds: its own annotations come first; what is no time at all is none."""
    annotations = group.metadata.annotations
    own = _first_span(annotations[name] for name in ANNOTATIONS if name in annotations)
    return usual if own is None else own


def _first_span(texts: Iterable[str]) -> float | None:
    """The first of some texts that is a length of time, in seconds; None where none is."""
    spans = map(parse_duration, texts)
    return next((span for span in spans if span is not None and span > 0), None)
