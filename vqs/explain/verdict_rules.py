"""All that is known of each verdict: its sentence, what it means, why the scheduler does so, and what to do about it.

Where a sentence depends on more than figures, `cases` has its parts, and `vqs.explain.verdicts` says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from vqs.extensible import Extensible, ExtensionFaultError
from vqs.model.codes import OwnCode, VerdictCode

Stage = Literal["", "enqueue", "valid", "queue", "order", "nodes", "gang"]
"""The gates that a job passes on its way, in their order."""

Lifter = Literal["job", "queue", "cluster", "time"]
"""Who lifts what keeps a job from its place: its owner, that of a queue or a namespace, an administrator, or time."""


class PodText(StrEnum):
    """What the message of a pod's condition PodScheduled is about."""

    JOB = "job"
    """The job as a whole: nothing particular is written of the task."""
    NODES = "nodes"
    """The reasons of the nodes."""
    ROLE = "role"
    """An earlier task of the role."""
    PLACE = "place"
    """A node that has room."""
    RELEASE = "release"
    """A node that will have room."""
    GATES = "gates"
    """Scheduling gates."""


@dataclass(frozen=True, slots=True)
class VerdictRule:
    """One verdict, explained.

    Texts may name the case: {task}, {job} (NAMESPACE/NAME of its PodGroup), {name} (of the job; in logs, of its
    PodGroup), {queue}, {role} and {node}; sentences also {the_task}, which is "the task", or its name;
    {group} (the PodGroup), {need}, {have}, {resource}, {text}, which is what only the case can say, and {holds}, what a
    queue holds.

    Attributes:
        code: the verdict's published name.
        title: what has happened, in a few words.
        summary: the same of one or many tasks and jobs; {queues} are the queues that the verdicts name, and {limit} is
            the figure that all of them were judged by, or empty.
        meaning: the same at length.
        why: why the scheduler does so.
        remedy: what to do about it.
        example: a case.
        pod: what the pod's condition PodScheduled means then.
        sentence: the text of the verdict.
        no_eviction: the sentence where this keeps an action from evicting for a task; `sentence` where it is empty.
        shared: the text for several tasks of a job, where `sentence` is about one of them.
        stage: the gate that was not passed; empty where it is none of the scheduler's.
        owner: who can lift it.
        follows: whether it mostly follows from what another task met.
        shown: what the pod's condition PodScheduled may be about; empty where the session writes none.
        repeats_pod: whether the sentence says all that is in that condition.
        log: the line to look for in the scheduler's log.
        verbosity: the verbosity from which on the log has that line.
        bare: whether the line gives the task without its namespace.
        cases: what `text` is, or what follows the sentence, in each case of its own.
    """

    code: VerdictCode | OwnCode
    title: str
    summary: str
    meaning: str
    why: str
    remedy: str
    example: str
    pod: str
    sentence: str = "{text}"
    no_eviction: str = ""
    shared: str = ""
    stage: Stage = ""
    owner: Lifter = "time"
    follows: bool = False
    shown: tuple[PodText, ...] = ()
    repeats_pod: bool = False
    log: str = ""
    verbosity: int | None = None
    bare: bool = False
    cases: Mapping[str, str] = field(default_factory=dict)

    def said(self, case: str, **words: object) -> str:
        """Return what is said in a case of its own, for `text` or after the sentence."""
        return self.cases[case].format(**words)


def holds(resource: str, need: str, have: str) -> str:
    """Say what an overused queue holds and deserves; where no resource is named, it deserves nothing.

    >>> holds("cpu", "4", "4"), holds("cpu", "5", "4"), holds("cpu", "0", "0"), holds("", "", "")
    ('holds all 4 cpu that it deserves', 'holds 5 cpu and deserves 4', 'deserves no cpu', 'deserves nothing')
    """
    if not resource:
        return "deserves nothing"
    if need != have:
        return f"holds {need} {resource} and deserves {have}"
    return f"deserves no {resource}" if need == "0" else f"holds all {have} {resource} that it deserves"


_OF_REFUSALS: Final = {
    "LimitRange": "Change the LimitRange, or have the pods ask for what it allows.",
    "ResourceQuota": "Raise spec.hard of the ResourceQuota, ask for less, or wait until pods of the namespace end. "
    "Where a container has to say how much it asks for, give it requests and limits.",
    "ReplicaFailure": "Change what the message names, such as the pod-security labels of the namespace, a missing "
    "PriorityClass or the pod template; the controller tries again by itself, with longer and longer pauses. What "
    "would happen then is shown with --set replicaset/NAMESPACE/NAME.status.conditions=[].",
}
"""What to do where the API server refuses pods, by the kind of what refuses them."""

_OF_A_QUEUE: Final = {
    "rolled back": ", counting {tasks} of its gang that {were} rolled back afterwards",
    "changed": ". The queue held {then} then, and holds {now} at the end of the session",
    "at the limit": "queue {queue} holds {part} {resource} that it {may_hold}",
    "above the limit": "queue {queue} holds {held} {resource}, more than the {have} that it {may_hold}",
    "one task waits": ", so a task that requests {need} has to wait",
    "gang waits": ", and the {tasks} tasks that its gang still needs request {need}",
    "one reserved": ", and {reserved} is reserved for this job",
    "some reserved": ", and {reserved} are reserved for this job",
    "one more task": ", and would hold {then} with one more task",
    "requests": "a task requests {need} {resource}",
    "too large": ", more than the {have} that queue {queue} {may_hold}",
}
"""What is said of a queue at its limit: what it held when it refused a task, and what it holds and lacks at the end."""

_OF_VOLCANO: Final[dict[str, VerdictRule]] = {
    rule.code.value: rule
    for rule in (
        VerdictRule(
            code=VerdictCode.NO_POD_GROUP,
            title="the pod belongs to no PodGroup",
            summary="part of no PodGroup",
            owner="job",
            meaning="The pod's schedulerName is Volcano's, but the pod belongs to no PodGroup.",
            why="Volcano schedules PodGroups. The annotation scheduling.k8s.io/group-name names the PodGroup of a pod.",
            remedy="Check that Volcano's controller manager runs: it creates PodGroups for bare pods. Check the "
            "annotation, and that the PodGroup is in the pod's namespace and in the snapshot.",
            example="A pod with schedulerName volcano in a snapshot that was taken without podgroups.",
            pod="the scheduler ignores the pod and writes no condition on it",
            log="The scheduling spec of Job <{job}:/> is nil, ignore it.",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.UNKNOWN_QUEUE,
            title="the PodGroup names a queue that does not exist",
            summary="the cluster has no {queues}",
            sentence="the PodGroup names a queue that does not exist: {queue}{text}",
            stage="valid",
            owner="queue",
            cases={
                "meant": " (did you mean {queue!r}?)",
            },
            meaning="The job's queue does not exist, so the scheduler ignores the job.",
            why="The scheduler considers only jobs whose queue exists.",
            remedy="Create the queue, or correct spec.queue of the PodGroup.",
            example="spec.queue: traning, and the queue is called training.",
            pod="the scheduler ignores the job and writes no condition on its pods",
            log="The Queue <{queue}> of Job <{job}> does not exist, ignore it.",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.UNKNOWN_DEVICE_CLAIM,
            title="the pod names a ResourceClaim that does not exist",
            summary="no such ResourceClaim",
            owner="job",
            meaning="A ResourceClaim that the pod names does not exist, so the scheduler does not take the pod into "
            "its cache: it counts for no job and no queue.",
            why="Since v1.15, the scheduler counts what a pod claims when it hears of the pod. It tries again later, "
            "and takes the pod once the claim is there. A claim that is made from a template may come later.",
            remedy="Create the ResourceClaim in the pod's namespace, or correct resourceClaimName in the pod.",
            example="resourceClaimName: gpus, and the claim is called gpu.",
            pod="the scheduler ignores the pod and writes no condition on it",
            log="generate taskInfo for pod({task}) failed:",
            verbosity=0,
            bare=True,
        ),
        VerdictRule(
            code=VerdictCode.NOT_ENQUEUED,
            title="the PodGroup stays Pending, as no action may admit it",
            summary="not admitted, as no action may admit the job in this session",
            sentence="{group} stays Pending: no configured action admits it",
            stage="enqueue",
            owner="cluster",
            meaning="The PodGroup is Pending, and the configured actions do not include enqueue.",
            why="Only the action enqueue admits a PodGroup, and the other actions skip PodGroups that are Pending.",
            remedy="Add enqueue as the first of the actions of the scheduler configuration.",
            example="actions: backfill",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that the PodGroup is not admitted",
        ),
        VerdictRule(
            code=VerdictCode.LEFT_QUEUE,
            title="the PodGroup stays Pending, as it has left its queue and may not return yet",
            summary="not admitted, as the job has left its queue and may not return yet",
            sentence="{group} has left its queue, and may not return yet",
            stage="enqueue",
            owner="cluster",
            meaning="The job was admitted, could not be placed, and left its queue less than 5 minutes ago. Only "
            "--behaviour inqueue-jobs=leave-at-once makes jobs leave so; no release does.",
            why="What is proposed as leave-at-once keeps a job that left its queue out of it for 5 minutes, so that "
            "jobs behind it can be admitted.",
            remedy="Nothing: it comes back by itself. See why its pods could not be placed when it was admitted.",
            example="vqs simulate --cycles 2 --behaviour inqueue-jobs=leave-at-once, and a job that fits no node.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that the PodGroup has left its queue",
        ),
        VerdictRule(
            code=VerdictCode.PODS_NOT_CREATED,
            title="the pods do not exist yet",
            summary="waiting for the controller to create the pods",
            cases={
                "admission": "{pods} once the PodGroup is admitted",
                "order": "{pods} once the pods before them run",
                "dependencies": "{pods} once the tasks that they depend on run",
                "one task": "{pods} once task {tasks} runs (dependsOn)",
                "any task": "{pods} once tasks {tasks} runs (dependsOn)",
                "all tasks": "{pods} once tasks {tasks} run (dependsOn)",
                "pod not ready": "; pod {pod} does not run on node {node}: {reason} (kubectl describe pod {name} -n "
                "{namespace})",
                "now": "the PodGroup is admitted; the {controller} creates {pods} for the next session",
                "later": "the {controller} creates {later}",
            },
            meaning="The job is a Volcano Job whose controller has yet to create these pods.",
            why="The Job controller creates the PodGroup first, and the pods once a session has admitted the PodGroup: "
            "its phase has left Pending. Tasks that depend on others (dependsOn) are created once these run.",
            remedy="If this session admits the job, nothing: simulate --cycles 2 shows what the next session does with "
            "the pods. Otherwise see why the job is not admitted, or why the tasks that the pods depend on do not run.",
            example="A Job that was submitted a moment ago: its PodGroup is Pending, and it has no pods.",
            pod="no pod exists yet",
        ),
        VerdictRule(
            code=VerdictCode.API_SERVER_REFUSES_PODS,
            title="the API server refuses the pods: a ResourceQuota is full, or another check forbids them",
            summary="the API server refuses pods, by a ResourceQuota, a LimitRange or another check of the namespace",
            sentence="the API server refuses {text}",
            cases={
                "no job": "{maker} has no pods: the API server refuses {pods}: {why}",
            },
            meaning="The controller of the job tries to create these pods, and the API server refuses them: with them, "
            "the namespace would use more than a ResourceQuota allows, or they do not say how much they ask for of "
            "what the quota limits. A LimitRange may also forbid how much each of them asks for. Other checks (Pod "
            "Security, webhooks) are known where the condition ReplicaFailure of a ReplicaSet quotes them.",
            why="A new pod is counted in every ResourceQuota of its namespace whose scopes it is in, whether or not "
            "the scheduler is configured with the plugin resourcequota. status.used and what the pod asks for may not "
            "be above spec.hard. The controller tries again, and gets the pods once there is room in the quota.",
            remedy=" ".join(_OF_REFUSALS.values()),
            example="A quota of 4 requests.nvidia.com/gpu, 4 in use, and a Job of 2 pods that ask for 1 each.",
            pod="no pod exists; an event on the Job, ReplicaSet or StatefulSet says exceeded quota",
        ),
        VerdictRule(
            code=VerdictCode.NOT_ENQUEUED_CAPABILITY,
            title="not admitted, as the queue or one above it would exceed its limit",
            summary="not admitted, as the limit of {queues}{limit} would be exceeded",
            sentence="queue {queue} has a limit of {have} {resource}, and this job and the jobs of the queue "
            "that run or are admitted need {need} together",
            stage="enqueue",
            owner="queue",
            meaning="The job's minResources, and what the queue's jobs hold or are admitted for, together exceed the "
            "queue's limit.",
            why="A job is admitted only if minResources + allocated + inqueue - elastic is within the queue's real "
            "capability: its capability, or what other queues' guarantees leave of the cluster if that is less. With "
            "the plugin capacity and enableHierarchy, every queue above the job's is checked as well.",
            remedy="Raise the queue's capability, lower minResources, or wait until jobs of the queue end. Jobs that "
            "are Inqueue count with their minResources even before they have pods.",
            example="Capability 10 cpu, 8 allocated, a job with minResources of 4 cpu.",
            shown=(PodText.JOB,),
            pod="the message only counts the job's tasks; the scheduler says in an event of the PodGroup that "
            "the queue is full",
            log="job {name} min resource",
            verbosity=5,
        ),
        VerdictRule(
            code=VerdictCode.NOT_ENQUEUED_OVERCOMMIT,
            title="not admitted, as the overcommit limit would be exceeded",
            summary="not admitted, as the overcommit limit{limit} would be exceeded",
            sentence="this job and the admitted jobs that still wait request {need} {resource} together, and the "
            "plugin overcommit allows {have}{text}",
            stage="enqueue",
            owner="cluster",
            cases={
                "of all nodes": " ({factor} times the {total} of all nodes{in_use})",
                "in use": ", minus {used} in use",
            },
            meaning="With this job, the jobs that are admitted and wait for resources would request more than "
            "overcommit allows.",
            why="The plugin overcommit admits jobs up to overcommit-factor (1.2 by default) times what all nodes have, "
            "minus what is used. The limit keeps controllers from creating many pods that cannot run.",
            remedy="Wait, add nodes, raise overcommit-factor, or see which jobs are Inqueue without making progress.",
            example="100 cpu, none of it used, so overcommit allows 120; admitted jobs request 110, and this one 20.",
            shown=(PodText.JOB,),
            pod="the message only counts the job's tasks; the scheduler says in an event of the PodGroup that "
            "the cluster is overused",
            log="Resource in cluster is overused, reject job <{job}> to be inqueue",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.NOT_ENQUEUED_QUOTA,
            title="not admitted, as a ResourceQuota of the namespace is exceeded",
            summary="not admitted, as a ResourceQuota of the namespace{limit} would be exceeded",
            sentence="ResourceQuota {text} would have {need} {resource} in use with job {name}, and allows {have}",
            stage="enqueue",
            owner="queue",
            meaning="minResources of the job, with what the namespace uses and what other jobs were admitted for, is "
            "above what a ResourceQuota allows.",
            why="The plugin resourcequota admits a job only if the API server would then allow its pods. It adds "
            "minResources to status.used of each quota of the namespace, and to what it has admitted in this session, "
            "in the resources that the quota names.",
            remedy="Raise spec.hard of the quota, lower minResources, or wait until pods of the namespace end.",
            example="A quota of 10 cpu, 8 in use, a job with minResources of 4 cpu.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; an event on the PodGroup names the quota",
            log="enqueueable false for job: {job}, because",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.NOT_ENQUEUED_EXTENDER,
            title="not admitted, as the extender refuses the job",
            summary="not admitted, as the extender refuses them",
            sentence="the extender decides on the admission of job {name}, and {text}",
            stage="enqueue",
            owner="cluster",
            meaning="The plugin extender asked its server whether the job may be admitted. The server said no, or gave "
            "no valid answer.",
            why="Where extender.jobEnqueueableVerb is set, the server is asked about each job. A negative status is a "
            "refusal, as is a failed request unless extender.ignorable is true.",
            remedy="See what the server's log says of the job. Where the request failed, the verdict says why: check "
            "extender.urlPrefix and extender.httpTimeout.",
            example="The server answers status -1.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention the extender",
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_CLOSED,
            title="the queue is not open",
            summary="not open: {queues}",
            sentence="queue {queue} is {text}: it admits no jobs, and no tasks of its jobs are placed",
            no_eviction="its queue is {text}",
            stage="queue",
            owner="queue",
            meaning="The queue's state is Closed, Closing or Unknown.",
            why="A queue that is not open admits no jobs, and none of its tasks are placed. Running tasks go on.",
            remedy="Open the queue (vcctl queue operate -a open -n NAME), or move the job.",
            example="A queue that was closed before it is deleted.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that the queue is not open",
            log="Queue <{queue}> current state",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_OVERUSED,
            title="the queue is overused, as it holds at least what it deserves",
            summary="the deserved share of {queues}{limit} is used up",
            sentence="queue {queue} counts as overused, as it {holds}",
            no_eviction="its queue counts as overused, as it {holds}",
            stage="queue",
            owner="queue",
            cases={
                "no nodes": "; there are no nodes",
            },
            meaning="The queue holds at least what it deserves, of each resource that it deserves any of.",
            why="The scheduler skips overused queues, to leave room for queues that hold less than they deserve.",
            remedy="Raise the queue's weight, or its capability where it deserves that much; give it a guarantee, or "
            "end jobs of it. Idle resources elsewhere do not help: what a queue deserves is computed once, when a "
            "session opens.",
            example="Deserved 40 cpu, allocated 40 cpu; 100 cpu are idle, and other queues request them.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that the queue is overused",
            log="Queue <{queue}> is overused, ignore it.",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_OVERUSED_EXTENDER,
            title="the queue is overused, as the extender decides",
            summary="overused, as the extender decides: {queues}",
            sentence="the extender decides whether queue {queue} is overused, and {text}",
            no_eviction="the extender decides whether its queue is overused, and {text}",
            stage="queue",
            owner="cluster",
            meaning="The plugin extender asked its server whether the queue is overused. The server said yes, or gave "
            "no valid answer.",
            why="Where extender.queueOverusedVerb is set, the server is asked each time the scheduler comes to a "
            "queue. The scheduler skips overused queues. A failed request counts as a yes unless extender.ignorable "
            "is true.",
            remedy="See what the server's log says of the queue. Where the request failed, the verdict says why: check "
            "extender.urlPrefix and extender.httpTimeout.",
            example="The server answers overused: true.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that the queue is overused",
            log="Queue <{queue}> is overused, ignore it.",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_LIMIT,
            title="with this task, the queue would exceed what it deserves",
            summary="with one more task, the deserved share of {queues}{limit} would be exceeded",
            sentence="queue {queue} would hold {need} {resource} with {the_task}, more than the {have} that it "
            "deserves",
            no_eviction="its queue would hold {need} {resource} with the task, more than the {have} that it deserves",
            stage="queue",
            owner="queue",
            cases=_OF_A_QUEUE,
            meaning="The queue holds less than it deserves, but this task requests more than the difference.",
            why="Before nodes are checked for a task, its request is added to what the queue holds; the sum must not "
            "exceed what the queue deserves, in any resource that the task requests.",
            remedy="As for queue-overused: raise the queue's weight, or its capability where it deserves that much; "
            "give it a guarantee, or end jobs of it. Smaller tasks may still be placed.",
            example="Deserved 6 cpu, allocated 4, a task of 3.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention what the queue deserves",
            log="Queue <{queue}> is overused when considering task <{task}>, ignore it.",
            verbosity=3,
            bare=True,
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_CAPABILITY,
            title="with this task, the queue or one above it would exceed its limit",
            summary="with one more task, the limit of {queues}{limit} would be exceeded",
            sentence="queue {queue} would hold {need} {resource} with {the_task}, more than its limit of {have}",
            no_eviction="queue {queue} would hold {need} {resource} with the task, more than its limit of {have}",
            stage="queue",
            owner="queue",
            cases=_OF_A_QUEUE,
            meaning="What the queue holds and this task's request together exceed the queue's limit, its real "
            "capability.",
            why="The plugin capacity adds a task's request to what its queue holds; the sum must not exceed the real "
            "capability: the capability, or what the guarantees of sibling queues leave if that is less. With "
            "enableHierarchy, every queue above is checked as well; the verdict names the one that would exceed its "
            "limit.",
            remedy="Raise the capability of the queue that is named, lower the guarantees of its siblings, or end jobs "
            "below it. vqs explain-queue shows the queue and those above it.",
            example="Queue dev holds 2 cpu, limit 10; its parent team-a holds 19, limit 20; the task requests 2.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention the queue's limit",
            log="Queue <{queue}> is overused when considering task <{task}>, ignore it.",
            verbosity=3,
            bare=True,
        ),
        VerdictRule(
            code=VerdictCode.SCHEDULER_STANDS_STILL,
            title="scheduling is blocked in all queues",
            summary="scheduling is blocked in all queues, as the queue hierarchy or the configuration is broken",
            sentence="scheduling is blocked in all queues: {text}",
            stage="queue",
            owner="queue",
            meaning="A queue has a parent that does not exist or is below itself, or a job is in a queue with queues "
            "below it. In Volcano 1.13, also: a queue has a larger capability than its parent, or the children of a "
            "queue deserve more in all than it does, or are guaranteed more. With the plugin deviceshare: its "
            "arguments exclude each other, and the scheduler exits.",
            why="With enableHierarchy, the plugin capacity builds a tree of all queues. If that fails for one of them, "
            "it refuses every job and every task of every queue. A queue that is its own ancestor is worse: the "
            "scheduler crashes with a stack overflow each time it starts.",
            remedy="Correct spec.parent, or the amounts, of the queue that is named, or move the job to a leaf queue. "
            "Correct the arguments of deviceshare where the message names them.",
            example="spec.parent: team-a, and no queue team-a.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that scheduling is blocked",
            log="Capacity plugin failed to check queue's hierarchical structure!",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.BEHIND_FAILED_JOB,
            title="an earlier job of the queue got no place, and the queue's strategy stops there",
            summary="not tried, as an earlier job of the queue got no place",
            sentence="the job was not tried: the dequeueStrategy of queue {queue} is {text}",
            stage="order",
            owner="queue",
            meaning="A job of the queue with the same or a higher priority was tried before and not placed, and the "
            "dequeueStrategy of the queue is fifo; or it has a higher priority, and the strategy is priorityfifo. Only "
            "--behaviour jobs-behind-failed=by-strategy makes allocate look at it; no release does.",
            why="What is proposed keeps smaller jobs from taking what a job at the head of the queue waits for.",
            remedy="See why the earlier job was not placed. Or set dequeueStrategy to traverse.",
            example="dequeueStrategy: fifo, a job of 8 GPUs that fits no node, and a job of 1 GPU behind it.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; what is proposed also names the priority that blocks the job",
        ),
        VerdictRule(
            code=VerdictCode.GANG_TOO_SMALL,
            title="the job has fewer pods than its gang needs",
            summary="fewer pods exist than the gang needs",
            sentence="its gang needs {need} {text}, and the job has {have}",
            stage="valid",
            owner="job",
            cases={
                "not counted": ", not counting {others}",
                "Releasing": "being deleted",
                "Failed": "that failed",
                "Unknown": "in an unknown state",
                "created too late": ": those of {role} are created only once {tasks} {run} (dependsOn), and {them} "
                "{wait} for the gang, so it never starts unless minAvailable is lower, or dependsOn is left out",
            },
            meaning="Even with every pod of the job placed, its gang would be incomplete.",
            why="The plugin gang first checks that the job has the pods that minMember and minTaskMember require; pods "
            "that have failed or are being deleted do not count.",
            remedy="See why pods are missing: quota, the job's controller, failed pods, or dependsOn of a task whose "
            "pods the gang needs at once. Or lower the minimum.",
            example="minMember 4, 3 pods.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; no node was checked, as the job has too few, or too few of a role",
            log="Job <{job}> Queue <{queue}> skip allocate, reason: NotEnough",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.GATED,
            title="the pod is blocked by scheduling gates",
            summary="blocked by scheduling gates",
            sentence="{the_task} has the scheduling {text}",
            owner="job",
            cases={
                "one": "gate {gates}, and waits until it is removed",
                "several": "gates {gates}, and waits until all are removed",
            },
            meaning="spec.schedulingGates of the pod is not empty.",
            why="A scheduling gate keeps a pod from being scheduled until the gate's owner removes it.",
            remedy="Find the controller that set the gate, and see why it has not removed it.",
            example="A pod that waits for a quota system.",
            shown=(PodText.GATES,),
            pod="the API server wrote this when the pod was created, and the scheduler does not change it",
        ),
        VerdictRule(
            code=VerdictCode.LEFT_TO_BACKFILL,
            title="the task requests no resources, and only backfill places such tasks",
            summary="no resources are requested, and only the action backfill places such tasks",
            sentence="{the_task} requests no resources, so only the action backfill places it, and {text}",
            stage="order",
            owner="cluster",
            cases={
                "too early": "backfill ran before the job was admitted",
                "not configured": "backfill is not configured",
            },
            meaning="allocate does not place tasks without requests. backfill does; it is not configured, or it ran "
            "before the job was admitted.",
            why="allocate leaves best-effort tasks to the action backfill.",
            remedy="Make backfill the last of the actions, or give the pod requests.",
            example="actions: enqueue, allocate",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that only backfill places this one",
            log="Task <{task}> is BestEffort task, skip it.",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.PRE_PREDICATE_FAILED,
            title="the task was refused before any node was checked",
            summary="refused before any node was checked",
            sentence="{the_task} was refused before any node was checked: {text}",
            stage="nodes",
            owner="job",
            meaning="A check that does not depend on the node failed, so no node was checked.",
            why="Some faults rule out every node: a PersistentVolumeClaim, a ResourceClaim or a DeviceClass that does "
            "not exist, a PersistentVolumeClaim that is not bound though its StorageClass binds claims at once (volume"
            "BindingMode Immediate; the message is then that PersistentVolume had no name), a ResourceClaim that "
            "another pod was given devices for in this session, or contradictory node names in the node affinity.",
            remedy="Correct what the message names: create the claim, correct its name in the pod, or correct the node "
            "affinity. Of a claim that is Pending, kubectl describe pvc shows why its provisioner made no volume.",
            example="A pod with a PersistentVolumeClaim that was never created.",
            shown=(PodText.NODES,),
            pod="the message gives one reason for all nodes, as none of them was checked",
            log="PrePredicate for task {task} failed",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.RESERVE_FAILED,
            title="a node was found, but a plugin failed to reserve it",
            summary="a node was found, but a plugin failed to reserve it",
            sentence="a node was found for {the_task}, but could not be reserved: {text}",
            stage="nodes",
            owner="cluster",
            meaning="A node was found for the task, and then a plugin failed to reserve it.",
            why="The plugin predicates prepares its VolumeBinding filter before it filters nodes. With enablePredicate "
            "set to false it never does, and then reserving fails for every task, with or without volumes. Devices are "
            "reserved on the node that the pod's spec names: v1.14.4 writes it when it allocates, not when it promises "
            "resources that are still being released. So a task with ResourceClaims waits until these are free. "
            "The plugin extender asks its server, which may refuse, or give no valid answer.",
            remedy="Set enablePredicate of the plugin predicates to true, or its argument "
            "predicate.VolumeBindingEnable to false. A task with ResourceClaims is placed by a later session. If the "
            "extender refused, see its server's log.",
            example="A tier with name: predicates, enablePredicate: false.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that a plugin failed for this one",
            log="Failed to exec allocate callback functions for task <{task}> to node",
            verbosity=0,
        ),
        VerdictRule(
            code=VerdictCode.HYPER_NODES_NOT_READY,
            title="the HyperNodes are not a tree, and the job requests a network topology",
            summary="the HyperNodes are not a tree, and a network topology is requested",
            sentence="job {job} requests a network topology, and the HyperNodes are not a tree: {text}",
            stage="valid",
            owner="cluster",
            meaning="The job requests a network topology, and Volcano cannot build it while the HyperNodes contradict "
            "each other.",
            why="A HyperNode may be a member of at most one other, and not of itself through others. Until that is "
            "fixed, allocate skips every job with a network topology.",
            remedy="Correct spec.members of the HyperNodes that are named.",
            example="HyperNode s0 is a member of both s2 and s3.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention that HyperNodes contradict each other",
            log="Job <{job}> Queue <{queue}> skip allocate, reason: hyperNodes are not ready for scheduling",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.NO_HYPER_NODE,
            title="no HyperNode can be tried for the job",
            summary="no HyperNode can be tried",
            sentence="no HyperNode can be tried for the job: {text}",
            stage="nodes",
            owner="job",
            cases={
                "of a sub-group": "no HyperNode can be tried for its sub-group {name}: {text}",
                "limit": "the highest tier allowed is {tier}",
                "none": "there is none",
                "more": "and {hyper_nodes} more",
                "no nodes": "no node matches HyperNode {name}",
                "too small": "its nodes have {have} of the {need} {resource} needed",
                "no room": "the nodes of the HyperNode have room for too few of the job's tasks",
                "not the best": "another HyperNode has a higher score",
            },
            meaning="Each HyperNode is of a tier above the highest that the job allows, or lacked resources for its "
            "minResources when the session opened, or does not contain the nodes of the tasks placed so far.",
            why="The plugin network-topology-aware only tries HyperNodes up to the highest tier allowed that have the "
            "resources; once a task has a node, only those that contain this node.",
            remedy="Allow a higher tier (spec.networkTopology of the PodGroup), make the job smaller, or free "
            "resources on nodes that are near each other.",
            example="the highest tier allowed is 1; s0: its nodes have 3 of the 8 cpu needed.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not name the HyperNodes",
            log="Cannot find any solution for job",
            verbosity=5,
        ),
        VerdictRule(
            code=VerdictCode.NO_NODE_FITS,
            title="no node fits the task",
            summary="no node fits",
            stage="nodes",
            cases={
                "no pod more": "every node that could hold a task has its maximum number of pods already",
                "too little free": "a task requests {need} {resource}, and no node that could hold it has {most}",
                "more than free": "more than {have} free (node {node})",
                "no label": "No node has the label {labels}",
                "on no node": "; no node has any {resource}",
                "kept out": "Node {node} is large enough, but {why}",
                "closest": "Node {node} comes closest: it is large enough, but {why}",
                "none free": "The request is for {need} {resource}{where}, and node {node}{example} has none free",
                "some free": "Node {node} comes closest: the request is for {need} {resource}{where}, and it has "
                "{have} free{there}",
                "none free then": "The request is for {need} {resource}, and node {node}{example} {then}",
                "some free then": "Node {node} comes closest: the request is for {need} {resource}; it {then}",
                "then and now": "had {have} free when the task was tried, and has {now} at the end of the "
                "session{late}",
                "gang rolled back": ", as tasks of its own gang there were rolled back",
                "too late": ", too late for this session",
                "since": " since {time}",
            },
            meaning="Every node was refused; the message counts the nodes by reason. Where resources are insufficient, "
            "the closest node is named.",
            why="A node fits if it passes every predicate and has the resources, now or once terminating pods are "
            "gone.",
            remedy="Lower the task's requests, relax its selectors, tolerate taints, free a node or add one.",
            example="none of the 3 nodes can take the task: 2 have too little cpu left, 1 is cordoned",
            shown=(PodText.NODES,),
            pod="the message counts the nodes by reason",
            log="Predicates failed: task {task} on node",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.SCORES_FAILED,
            title="nodes fit, but could not be scored",
            summary="nodes fit, but could not be scored",
            sentence="nodes fit {the_task}, but {text}",
            stage="nodes",
            owner="cluster",
            meaning="Several nodes fit the task, and the plugin extender failed to score them; or the plugin usage, as "
            "its weights add up to 0; or, since Volcano 1.16, the plugin predicates, as the pod has claims that hold "
            "devices already, beside others that hold none.",
            why="Where a plugin that scores all candidates at once fails, the scheduler has no scores at all, and "
            "takes no node. The extender fails where its server answers with an errorMessage or without nodeScore, "
            "and, unless extender.ignorable is true, where the request fails. Devices of Kubernetes 1.36 are looked up "
            "for all claims of a pod, and were found only for those that held none. Where a single node fits, no "
            "scores are asked for. In the action backfill, Volcano crashes in this case.",
            remedy="Ask for all devices of a pod in one claim, so that it gets them together. Of the extender, see "
            "what the server's log says of the task. Where the request failed, the verdict says why: check "
            "extender.urlPrefix and extender.httpTimeout.",
            example="The server answers with the errorMessage no data.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; it does not mention the scores",
            log="Error in Calculating batch Priority for the node, err",
            verbosity=0,
        ),
        VerdictRule(
            code=VerdictCode.FRAGMENTED,
            title="enough is idle, but not on any single node",
            summary="together, the nodes that may take it have enough idle for one task, but none of them alone",
            stage="nodes",
            cases={
                "when tried": ". When the task was tried, {nodes} had enough free for it together, and none of them "
                "alone",
                "at the end": ". At the end of the session, {nodes} have {have} free together, and none of them has "
                "{request}",
                "kept out": ". Node {node} has {have} free, and {why}",
            },
            meaning="The nodes that the task could use have enough idle resources together, and none of them alone.",
            why="A task runs on one node.",
            remedy="Lower the task's requests, or pack nodes more tightly with the plugin binpack.",
            example="Two nodes with 3 cpu idle each, a task of 4.",
            shown=(PodText.NODES,),
            pod="the message counts the nodes by reason; it does not mention that together they have enough idle "
            "resources",
            log="Predicates failed: task {task} on node",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.LARGER_THAN_ANY_NODE,
            title="the task requests more than any node has",
            summary="no node is large enough",
            stage="nodes",
            owner="cluster",
            cases={
                "all at once": "no node has all that one of its tasks requests: {request}",
                "beside daemons": ", beside the pods of DaemonSets",
                "any": "no node is large enough: {why}",
                "largest": "a task requests {need} {resource}, and the largest node has {have}",
                "pods of daemons": "{node} takes {pods}, and {whose} take that many",
                "taken by daemons": "a task requests {need} {resource}, and {node} has {have}, of which {whose} take "
                "{taken}",
                "closest": "No node is large enough, even when empty: the request is for {need} {resource}, and node "
                "{node}, which comes closest, has {have} in all",
            },
            meaning="No node is large enough for the task, even when empty. The closest of the nodes that the task "
            "could use is named, with what it has.",
            why="A task runs on one node. However many pods end or are evicted, this task does not fit.",
            remedy="Lower the task's requests, split it into more tasks, or add a node that is large enough.",
            example="The task requests 16 cpu, and each node has 8.",
            shown=(PodText.NODES,),
            pod="the message counts the nodes by reason; it does not mention that they are too small even when empty",
            log="Predicates failed: task {task} on node",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.ROLE_FAILED,
            title="not tried, as no node fits an earlier task of the same role",
            summary="not tried, as no node fits an earlier task of the same role",
            sentence="{the_task} was not tried, because {text}",
            stage="nodes",
            follows=True,
            repeats_pod=True,
            cases={
                "earlier task": "{named}an earlier task of role {role}",
            },
            meaning="An earlier task of the same role was refused by all nodes, so this one was not tried.",
            why="The scheduler expects tasks of a role to be alike: once all nodes have refused one of them, it does "
            "not try the others in this session, even where they request less.",
            remedy="See the verdict of the first task of the role. If tasks differ, give each kind its own role.",
            example="worker-0 requests a GPU and none is idle; worker-1 is not tried.",
            shown=(PodText.ROLE,),
            pod="the message gives no reason; the first refused task of the role has it",
            log="Task {task} with role spec {role} has already predicated failed, skip",
            verbosity=5,
            bare=True,
        ),
        VerdictRule(
            code=VerdictCode.GANG_DISCARDED,
            title="placed and rolled back, as the gang is incomplete",
            summary="placed and rolled back, as the gang is incomplete",
            sentence="the task {text}",
            stage="gang",
            follows=True,
            repeats_pod=True,
            cases={
                "reserved": "had a reservation on node {node}, and this was rolled back, as its gang is incomplete: "
                "{lack}",
                "placed": "was placed on node {node}, and this was rolled back, as its gang is incomplete: {lack}",
                "sub-groups": "one of its sub-groups has too few tasks with a node",
                "no node": "not all of its tasks found a node in the same session",
                "too few": "{have} of the {need} {tasks} that it needs found a node",
            },
            meaning="Nodes were found for some tasks of the job, but for fewer than its gang needs, so all were rolled "
            "back.",
            why="A gang starts as a whole or not at all. If it is incomplete, its placements are rolled back at once.",
            remedy="See why the refused task found no node. Free resources for the whole gang, or lower its minimum.",
            example="minMember 4, and nodes with room for 3 tasks.",
            shown=(PodText.PLACE, PodText.RELEASE),
            pod="the placement was rolled back, as the gang was incomplete; no node is reserved for this task",
            log="Discarding operations ...",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.WAITS_FOR_GANG,
            title="the task has a node, but is not bound until its gang is complete",
            summary="given a node, but not bound until the gang is complete",
            sentence="the task fits on node {node}, but is not bound until its gang is complete{text}",
            stage="gang",
            follows=True,
            repeats_pod=True,
            cases={
                "cause": ". {cause}",
                "reserved": "{name} has a reservation on node {node}{text}",
            },
            meaning="Other tasks of the gang have only a reservation, or no node at all, so none of the gang is bound "
            "yet.",
            why="A gang is bound when its minimum is allocated; reservations do not count. backfill allocates nodes to "
            "tasks without requests before their gang is complete.",
            remedy="If pods are terminating, wait until they are gone; otherwise see the verdicts of the other tasks.",
            example="One task fits on idle resources; the other has to wait until a terminating pod is gone.",
            shown=(PodText.PLACE,),
            pod="the node is allocated within this session only: nothing is bound until the gang is complete",
            log="Binding Task <{task}> to node <{node}>",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.WAITS_FOR_RELEASE,
            title="a node is reserved for the task, which is not bound yet",
            summary="a node is reserved; not bound yet",
            sentence="the task has a reservation on node {node}{text}",
            shared="a node is reserved for each of these tasks; -v shows it, and what the task waits for",
            repeats_pod=True,
            cases={
                "evicts": "; {action} evicts {them} for this task",
                "pods": ", and waits until {pods}",
                "gang": ", and waits until its gang is complete{sibling}",
                "sibling": ": {name} of this gang waits until {pods}",
                "room": ", where no pod has to leave first; a reservation lasts for this session only",
                "one pod": "{pods} is gone",
                "several pods": "{pods} are gone",
            },
            meaning="The task is pipelined: its node will have room once the pods that are named are gone, or has room "
            "now while the rest of the gang has none.",
            why="If no node has room now, the scheduler reserves one that will have. preempt and reclaim also reserve "
            "nodes that have room already.",
            remedy="Wait. If it takes long, see why the pod that is named does not end, or what the gang waits for.",
            example="The node's only pod has a deletionTimestamp.",
            shown=(PodText.RELEASE,),
            pod="the node is reserved within this session only; the next session decides again",
            log="After pipelined Task <{task}> to Node <{node}>",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.TAKEN_BACK,
            title="the second allocate action rolled back the task's placement",
            summary="placed, and rolled back by the second allocate action",
            sentence="the task was placed on node {text}. The second allocate action tried it again, and left it "
            "pending",
            stage="nodes",
            owner="cluster",
            meaning="allocate is configured more than once. The first run gave the task a node; the second "
            "run tried it again, failed to place it, and counts it as pending. If the first run had bound it, the pod "
            "still runs on that node.",
            why="The scheduler keeps tasks of jobs with a subGroupPolicy or a network topology among the pending ones "
            "of their sub-job after it has placed them, so that the next run of allocate in a session finds them.",
            remedy="List allocate once in the actions of the scheduler configuration.",
            example='actions: "allocate, backfill, allocate", and a job with a subGroupPolicy.',
            shown=(PodText.PLACE, PodText.JOB),
            pod="the message names the node of the first run, or counts the job's tasks",
        ),
        VerdictRule(
            code=VerdictCode.EVICTED,
            title="the task is evicted to free resources for another",
            summary="evicted to free resources for others",
            sentence="the task is evicted from node {node}{text}",
            shared="by {action}; -v shows for which tasks",
            cases={
                "shuffle": ", as {reasons}",
                "rescheduling": "its node is overutilized",
                "tdm": "the revocable zone of its node is closed",
                "pdb": "plugin pdb allows it, and shuffle evicts all tasks that plugins allow",
                "other plugin": "plugin {plugin} selects it",
                "other queue": " by {action}, for {task} of queue {queue}",
                "same queue": " by {action}, for {task} of the same queue",
                "one plugin": "; the plugin {plugins} allowed that",
                "several plugins": "; the plugins {plugins} allowed that",
            },
            meaning="The task was running. It is evicted for a task that waits, because its node is overutilized, or "
            "because the revocable zone of its node is closed.",
            why="preempt evicts tasks of jobs of lower priority in the same queue, reclaim tasks of queues that hold "
            "more than they deserve. All plugins of a tier have to allow a victim; the first tier that allows any "
            "decides. shuffle evicts the tasks that plugins such as rescheduling and tdm select, for no other task.",
            remedy="See vqs explain-job for the job that it was evicted for. To protect tasks: a higher priority, a "
            'guarantee or a higher deserved share for their queue, volcano.sh/preemptable: "false", a cooldown time '
            "(plugin cdp), a disruption budget (plugin pdb), or reclaimable: false on the queue.",
            example="A job of priority 0 runs, and one of priority 10 waits in the same queue.",
            pod="the pod gets the condition Ready=False with the reason Evict, and is deleted; PodScheduled stays",
            log="Evicting pod {task}, because of",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.BIND_FAILED,
            title="binding failed, as the node is overcommitted",
            summary="binding failed, as the node is overcommitted",
            meaning="The task requests no resources, but the pods of its node request more than the node has, so the "
            "task could not be bound.",
            why="Before a task is bound, its node is checked again, also for resources that the task does not request.",
            remedy="See why the node is overcommitted: its allocatable shrank, or another scheduler places pods on it.",
            example="A node of 1 cpu, and pods on it that request 2.",
            shown=(PodText.PLACE,),
            pod="the message names the node; it does not mention that binding failed",
            log="Failed to bind Task",
            verbosity=0,
        ),
        VerdictRule(
            code=VerdictCode.NEVER_CONSIDERED,
            title="the task was not tried in this session",
            summary="not tried in this session",
            sentence="{the_task} was not tried, because {text}",
            stage="order",
            follows=True,
            cases={
                "gang": "another task of its gang was not placed. {cause}",
                "no allocate": "the configured actions do not include allocate",
                "no nodes": "there are no nodes",
                "admitted late": "its job was admitted after allocate had run",
                "earlier task": "the search for nodes for its job ended with an earlier task",
                "refused before": "{action} had refused {name}, because {text}",
                "not placed": "{name} was not placed: {text}",
            },
            meaning="The placement attempt of its job ended before this task, or there was none: there are no nodes, "
            "allocate is not configured, or the job was admitted after allocate had run.",
            why="Once a task is refused and the gang cannot be complete without it, the job's other tasks are not "
            "tried.",
            remedy="See the verdict of the task that was refused, or the reason that the sentence names.",
            example="A gang of 8 whose first task fits no node.",
            shown=(PodText.JOB,),
            pod="the message counts the job's tasks; no node was tried for this one: what follows Origin reason is "
            "about another task",
        ),
        VerdictRule(
            code=VerdictCode.RESOURCE_ON_NO_NODE,
            title="no node has the resource",
            summary="a resource is requested that no node has",
            sentence="no node has any {resource}, and {text} {need}",
            stage="nodes",
            owner="cluster",
            cases={
                "one task": "its task requests",
                "several tasks": "each of {tasks} tasks requests",
            },
            meaning="A task requests a resource that no node of the snapshot has in its allocatable.",
            why="A task runs on a node that has all that it requests. Whatever else ends or is changed, this one has "
            "none.",
            remedy="Correct the name of the resource if it is misspelled. Otherwise find out why no node offers it "
            "(its device plugin does not run, nodes are missing or drained, or the snapshot lacks them), or add a node "
            "that does.",
            example="nvidia.com/gpu: 1 is requested, and no node has any.",
            pod="the message counts the nodes by reason",
        ),
        VerdictRule(
            code=VerdictCode.CLUSTER_FULL,
            title="the cluster is full",
            summary="the cluster is full: too little is left{limit}",
            stage="queue",
            owner="cluster",
            cases={
                "now": "the cluster is full: {holds} of all nodes together",
                "then": "the cluster was full when the task was tried: {holds} of all nodes together",
                "with one more": "with one more task, queue {queue} alone would hold {need} {resource}, more than the "
                "{have}",
                "alone": "queue {queue} alone holds {need} of the {have} {resource}",
                "at the limit": "the cluster is full: jobs of queue {queue} hold {part} {resource} that all nodes "
                "have together",
                "none": "the nodes have no {resource}",
                "no nodes": "there are no nodes, so there is no {resource}",
                "requests": ", and a task requests {need}",
                "too large": ", more than the {have} that all nodes have together",
            },
            meaning="The queue deserves, or may hold, all that the nodes have of a resource, and its jobs hold it.",
            why="Where no other queue asks for anything, what a queue deserves is the whole cluster. The scheduler "
            "compares with that before it looks at a node, so that it says queue-limit or queue-overused of tasks.",
            remedy="Wait until jobs end, or add nodes. A higher weight or capability of the queue would not help.",
            example="One queue with jobs, 10 cpu in the cluster, 8 of them held; a task requests 4.",
            pod="the message counts the job's tasks; it does not mention that the cluster is full",
        ),
        VerdictRule(
            code=VerdictCode.GANG_EXCEEDS_CLUSTER,
            title="the gang asks for more than all nodes have together",
            summary="the gang asks for more than all nodes have room for together",
            sentence="{text} {need} {resource}, and all nodes together have {have}",
            stage="nodes",
            owner="cluster",
            cases={
                "apart on nodes": "its gang needs {tasks} tasks, each on a node of its own (pod anti-affinity), and "
                "only {fits} nodes could hold one",
                "apart elsewhere": "its gang needs {tasks} tasks, each in a {key} of its own (pod anti-affinity), and "
                "only {fits} values of {key} could hold one",
                "no room": "its gang needs {tasks} tasks with {request} each, and {nodes} have room for {fits} even "
                "when empty",
                "others": ". Of the other nodes, {refusals}",
            },
            meaning="As many tasks as the gang needs have no room on the nodes at once, even if nothing else ran.",
            why="A gang starts as a whole or not at all. Actions that evict may still reserve nodes for a part of it, "
            "session after session.",
            remedy="Lower minMember or minAvailable, the requests, or the distance that its tasks keep; or add nodes.",
            example="minMember 8, tasks of 8 GPUs, and six nodes with 8 GPUs each.",
            pod="the message is that of its last placement attempt",
        ),
        VerdictRule(
            code=VerdictCode.GANG_EXCEEDS_QUEUE,
            title="the gang asks for more than its queue may ever hold",
            summary="each gang asks for more than its queue may ever hold: {queues}",
            sentence="{text} {need} {resource}, and queue {queue} may hold {have} at most",
            stage="queue",
            owner="queue",
            meaning="What the gang's minimum requests, or its minResources, is above the limit of the queue, or of one "
            "above it, even if the queue held nothing else.",
            why="A queue holds no more than its capability, nor than what the guarantees of other queues leave.",
            remedy="Raise the capability of the queue that is named, lower the guarantees of the queues beside it, "
            "make the gang smaller, or use another queue.",
            example="Capability 16 GPUs; minMember 4, tasks of 8 GPUs.",
            pod="the message counts the job's tasks; it does not mention the queue's limit",
        ),
        VerdictRule(
            code=VerdictCode.OTHER_SCHEDULER,
            title="the pods ask for another scheduler",
            summary="left to another scheduler",
            stage="valid",
            owner="job",
            cases={
                "one": "{pods} of it names the scheduler {name}, and Volcano leaves it to that one",
                "several": "{pods} of it name the scheduler {name}, and Volcano leaves them to that one",
            },
            meaning="The pods of the PodGroup name a scheduler in spec.schedulerName that is not this one.",
            why="Each scheduler looks at the pods that name it, and at no others.",
            remedy="Set schedulerName in the pod template to the name of the scheduler (volcano, unless its flag "
            "--scheduler-name says otherwise), and create the pods anew.",
            example="schedulerName: volcano-gpu, and Volcano was started as volcano.",
            pod="another scheduler writes it",
        ),
        VerdictRule(
            code=VerdictCode.RESERVED_NOT_BOUND,
            title="nodes are reserved in each session, and nothing is bound",
            summary="a node is reserved in each session, and nothing is bound",
            stage="order",
            owner="cluster",
            cases={
                "no allocate": "{action} reserves node {node} for task {task}, and no action places it there: the "
                "configured actions do not include allocate",
                "before allocate": "{action} runs before allocate, and reserves node {node} for task {task} although "
                "the node has room for it already. allocate then passes the task over, as it has a reservation",
                "taken": "other jobs take what is reserved for it: {text}",
                "taken by": "node {node} is reserved for {task} in session {number}, and {taker} takes that room in "
                "session {next}",
                "never bound": "{action} reserves nodes for it, and no session that follows binds its tasks there",
            },
            meaning="An action reserves nodes for tasks of the job in each session, and no session binds them.",
            why="A reservation is over when the session is, and the next one decides anew. An action that evicts and "
            "runs before allocate reserves a node that has room already, and allocate places pending tasks only.",
            remedy="List allocate before preempt and reclaim in the actions of the scheduler configuration; else see "
            "what the gang lacks.",
            example='actions: "enqueue, preempt, allocate", and a job whose node has room.',
            pod="the node is reserved within this session only; the next session decides again",
        ),
    )
}


class UnknownCodeError(ExtensionFaultError, KeyError):
    """A plugin or an action from outside the package refuses with a code that nothing explains."""


class _VerdictRules(Extensible[VerdictRule]):
    """The verdicts by code."""

    def __getitem__(self, name: str) -> VerdictRule:
        try:
            return super().__getitem__(name)
        except KeyError:
            where = f" of {type(name).__module__}" if isinstance(name, OwnCode) else ""
            text = f"the code {name!s}{where}, which something was refused with, has no verdict"
            raise UnknownCodeError(f"{text}; expected one in the verdicts of the plugin or action") from None


VERDICT_RULES: Final = _VerdictRules(_OF_VOLCANO)
"""The verdicts, in the order in which a task meets them; then those of plugins from outside the package."""


def remedy_for(code: str, text: str) -> str:
    """Return what to do about a verdict that is told in some words: about what they name, where it may be several."""
    told = [each for kind, each in _OF_REFUSALS.items() if f"{kind} " in text]
    return told[0] if code == VerdictCode.API_SERVER_REFUSES_PODS and told else VERDICT_RULES[code].remedy
