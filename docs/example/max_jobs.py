"""A plugin of one's own: no more than a number of jobs of a queue are admitted at a time."""

from collections import Counter

from vqs.extensions import Argument, Kind, OwnCode, OwnPlugin, Refusal, Session, Vote, points, verdict
from vqs.model.job import Job


class Code(OwnCode):
    """The codes of its refusals."""

    TOO_MANY_JOBS = "too-many-jobs"


class MaxJobsPlugin(OwnPlugin):
    """Admit a job only while fewer jobs of its queue are admitted than the argument says."""

    name = "max-jobs"
    points = (points.JOB_ENQUEUEABLE, points.JOB_ENQUEUED)
    arguments = (Argument("max-jobs.most", Kind.INT, "10", least=1, outside="no job is admitted", unit="jobs"),)
    verdicts = (
        verdict(
            Code.TOO_MANY_JOBS,
            "not admitted, as the queue has as many jobs as max-jobs allows",
            sentence="queue {queue} would have {need} admitted jobs with this one; max-jobs allows {have}",
            remedy="Raise max-jobs.most, or wait until jobs of the queue end.",
            stage="enqueue",
        ),
    )

    def on_session_open(self, session: Session) -> None:
        self.most = self.option.arguments.int("max-jobs.most")
        self.admitted = Counter(job.queue for job in session.jobs.values() if not job.is_pending())
        session.plugins.add(points.JOB_ENQUEUEABLE, self.name, self.vote)
        session.plugins.add(points.JOB_ENQUEUED, self.name, self.count)

    def vote(self, job: Job) -> Vote | Refusal:
        after = self.admitted[job.queue] + 1
        if after <= self.most:
            return Vote.ABSTAIN
        return Refusal(Code.TOO_MANY_JOBS, plugin=self.name, need=after, have=self.most)

    def count(self, job: Job) -> None:
        self.admitted[job.queue] += 1
