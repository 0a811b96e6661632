"""enqueue: admit jobs to their queues, so that controllers create their pods. No arguments.

Reference: pkg/scheduler/actions/enqueue/enqueue.go.
"""

from __future__ import annotations

from vqs.engine.framework import points
from vqs.engine.framework.dequeue import leaves_to_others, may_enqueue
from vqs.engine.framework.order import queues_and_jobs
from vqs.engine.framework.session import Session
from vqs.model.job import INQUEUE, PENDING

NAME = "enqueue"


class Enqueue:
    """Go round the queues; in each, ask the plugins about one pending job after the other."""

    def execute(self, session: Session) -> None:
        """Run the action."""
        inqueue_jobs, process, now = session.profile.enqueue.inqueue_jobs, session.options.process, session.options.now
        if inqueue_jobs == "leave-to-others":
            for job in session.jobs.values():
                if job.phase == INQUEUE and leaves_to_others(job, process, now):
                    job.phase = PENDING
                    session.plugins.tell(points.JOB_LEFT_QUEUE, job)
        pending = (job for job in session.jobs.values() if job.is_pending())
        if inqueue_jobs == "leave-at-once":
            pending = (job for job in pending if may_enqueue(job, process, now))
        admitted = []
        queues, waiting = queues_and_jobs(session, pending)
        while queues:
            queue = queues.pop()
            jobs = waiting[queue.name]
            if not jobs:
                continue
            job = jobs.pop()
            refusal = None if job.min_resources is None else session.plugins.job_enqueueable(job)
            if refusal is not None:
                session.trace.refuse_job(job.uid, refusal)
            else:
                session.plugins.tell(points.JOB_ENQUEUED, job)
                job.phase = INQUEUE
                admitted.append(job)
            queues.push(queue)
        if inqueue_jobs != "stay":
            process.inqueue_since = {**process.inqueue_since, **{job.uid: now for job in admitted}}
