"""All that is known of each verdict: its sentence, what it means, why the scheduler does so, and what to do about it.

Where a sentence is `{text}`, the words depend on more than figures, and `vqs.explain.verdicts` finds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from vqs.model.codes import VerdictCode

Stage = Literal["", "enqueue", "valid", "queue", "order", "nodes", "gang"]
"""The gates that a job passes on its way, in their order."""


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

    Texts may name the case: {task}, {job} (NAMESPACE/NAME), {name} (of the job), {queue}, {role} and {node}; sentences
    also {need}, {have}, {resource} and {text}, which is what only the case can say.

    Attributes:
        code: the verdict's published name.
        title: what has happened, in a few words.
        meaning: the same at length.
        why: why the scheduler does so.
        remedy: what to do about it.
        example: a case.
        pod: what the pod's condition PodScheduled means then.
        sentence: the text of the verdict.
        no_eviction: the sentence where this keeps an action from evicting for a task; `sentence` where it is empty.
        shared: the text for several tasks of a job, where `sentence` is about one of them.
        about_task: whether the sentence's subject is the task, which it does not name.
        stage: the gate that was not passed; empty where it is none of the scheduler's.
        follows: whether it mostly follows from what another task met.
        shown: what the pod's condition PodScheduled may be about; empty where the session writes none.
        repeats_pod: whether the sentence says all that is in that condition.
        log: the line to look for in the scheduler's log.
        verbosity: the verbosity from which on the log has that line.
        bare: whether the line gives the task without its namespace.
    """

    code: VerdictCode
    title: str
    meaning: str
    why: str
    remedy: str
    example: str
    pod: str
    sentence: str = "{text}"
    no_eviction: str = ""
    shared: str = ""
    about_task: bool = False
    stage: Stage = ""
    follows: bool = False
    shown: tuple[PodText, ...] = ()
    repeats_pod: bool = False
    log: str = ""
    verbosity: int | None = None
    bare: bool = False


VERDICT_RULES: Final[dict[str, VerdictRule]] = {
    rule.code.value: rule
    for rule in (
        VerdictRule(
            code=VerdictCode.NO_POD_GROUP,
            title="the pod belongs to no PodGroup",
            meaning="The pod asks for Volcano, but there is no PodGroup that it belongs to.",
            why="Volcano schedules PodGroups. A pod finds its own by the annotation scheduling.k8s.io/group-name.",
            remedy="Check that the controller manager of Volcano runs, as it makes PodGroups for bare pods; check "
            "the annotation, and that the PodGroup is in the same namespace and in the snapshot.",
            example="A pod with schedulerName volcano in a snapshot that was taken without podgroups.",
            pod="the scheduler does not know the pod, and writes nothing on it",
            log="The scheduling spec of Job <{job}:",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.UNKNOWN_QUEUE,
            title="the PodGroup names a queue that does not exist",
            meaning="The queue of the job is not there, so that the scheduler ignores the job.",
            why="A job is only looked at together with its queue.",
            remedy="Create the queue, or correct spec.queue of the PodGroup.",
            example="spec.queue: traning, where the queue is called training.",
            pod="the scheduler ignores the job, and writes nothing on its pods",
            log="The Queue <{queue}> of Job <{job}> does not exist, ignore it.",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.NOT_ENQUEUED,
            title="the job is not in its queue, and no action lets it in",
            sentence="PodGroup {job} is not in its queue, and no action lets it in",
            stage="enqueue",
            meaning="The PodGroup is Pending, and the configured actions do not include enqueue.",
            why="allocate passes over pending jobs where the action enqueue is configured; here none came to let it "
            "in.",
            remedy="Look at the actions of the scheduler configuration.",
            example="actions: backfill",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that the job is not in its queue",
        ),
        VerdictRule(
            code=VerdictCode.PODS_NOT_CREATED,
            title="the pods do not exist yet",
            meaning="The job is a Volcano Job whose controller has yet to create these pods.",
            why="The Job controller creates the PodGroup first, and the pods only once a session has admitted it: its "
            "phase has left Pending. Tasks that depend on others (dependsOn) are created once these run.",
            remedy="Nothing, where this session admits the job: --cycles 2 shows what the next one does with the pods. "
            "Otherwise see why the job is not admitted, or why the tasks that the pods depend on do not run.",
            example="A Job that was submitted a moment ago: its PodGroup is Pending, and it has no pods.",
            pod="there is no pod yet that could say anything",
        ),
        VerdictRule(
            code=VerdictCode.NOT_ENQUEUED_CAPABILITY,
            title="the queue's capability does not allow the job in",
            sentence="queue {queue} would need {need} {resource} with job {name}, and may have {have}",
            stage="enqueue",
            meaning="minResources of the job, with what the queue holds and has promised, is above what it may have.",
            why="A job enters its queue only if minResources + allocated + inqueue - elastic is within the queue's "
            "real capability: its capability, or what other queues' guarantees leave of the cluster if that is less. "
            "With the plugin capacity and enableHierarchy, the same is asked of every queue above.",
            remedy="Raise the queue's capability, lower minResources, or wait until jobs of the queue end. Jobs that "
            "are Inqueue hold their part of the queue even before they have pods.",
            example="Capability 10 cpu, 8 allocated, a job with minResources of 4 cpu.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job; that its queue has no room for it is said in an event of the PodGroup",
            log="job {name} min resource <",
            verbosity=5,
        ),
        VerdictRule(
            code=VerdictCode.NOT_ENQUEUED_OVERCOMMIT,
            title="the cluster has promised enough already",
            sentence="the jobs let into all queues would wait for {need} {resource} with {name}; {have} is allowed, "
            "the idle part of {text} times the cluster",
            stage="enqueue",
            meaning="The jobs that were let into their queues wait for about as much as the cluster has.",
            why="The plugin overcommit lets in jobs for the idle part of the cluster times overcommit-factor (1.2), "
            "so that not too many pods are made that cannot run.",
            remedy="Wait, add nodes, raise overcommit-factor, or see which jobs are Inqueue without making progress.",
            example="100 cpu idle, jobs for 110 cpu let in, another job for 20.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job; that enough is promised already is said in an event of the PodGroup",
            log="Resource in cluster is overused, reject job <{job}> to be inqueue",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_CLOSED,
            title="the queue is not open",
            sentence="queue {queue} is {text}: it takes no jobs, and no tasks of the jobs it has",
            no_eviction="its queue is {text}",
            stage="queue",
            meaning="The queue's state is Closed, Closing or Unknown.",
            why="A queue that is not open takes no jobs and no tasks; what runs in it goes on.",
            remedy="Open the queue (vcctl queue operate -a open -n NAME), or move the job.",
            example="A queue that was closed before it is deleted.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that the queue is not open",
            log="Queue <{queue}> current state",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_OVERUSED,
            title="the queue holds all it deserves",
            sentence="queue {queue} holds all it deserves: {need} of {have} {resource}",
            no_eviction="its queue holds all it deserves: {need} of {have} {resource}",
            stage="queue",
            meaning="The queue holds at least what it deserves, of every resource that it deserves any of.",
            why="Such a queue is left out of the round, to leave room for queues that hold less than they deserve.",
            remedy="Give the queue more weight or a guarantee, end jobs of it, or let it reclaim from others. Empty "
            "room elsewhere does not help: what a queue deserves is fixed when a session opens.",
            example="Deserved 40 cpu, allocated 40 cpu, 100 cpu idle that other queues ask for.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that the queue holds all it deserves",
            log="Queue <{queue}> is overused, ignore it.",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_LIMIT,
            title="with this task, the queue would hold more than it deserves",
            sentence="queue {queue} would hold {need} {resource} with this task, and deserves {have}",
            no_eviction="its queue would hold {need} {resource} with the task, and deserves {have}",
            stage="queue",
            meaning="The queue still deserves something, but not as much as this task asks for.",
            why="Before a task is tried on nodes, its request is added to what the queue holds; the sum may not be "
            "above what the queue deserves, in any resource that the task asks for.",
            remedy="As for queue-overused; smaller tasks may still get in.",
            example="Deserved 6 cpu, allocated 4, a task of 3.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that the queue deserves too little for this one",
            log="Queue <{queue}> is overused when considering task <{task}>, ignore it.",
            verbosity=3,
            bare=True,
        ),
        VerdictRule(
            code=VerdictCode.QUEUE_CAPABILITY,
            title="with this task, the queue or one above it would hold more than it may",
            sentence="queue {queue} would hold {need} {resource} with this task, and may have {have}",
            no_eviction="queue {queue} would hold {need} {resource} with the task, and may have {have}",
            stage="queue",
            meaning="What the queue holds and this task's request are together above its real capability.",
            why="The plugin capacity adds a task's request to what its queue holds, and holds the sum against the real "
            "capability: the capability, or what the guarantees of queues beside it leave if that is less. With "
            "enableHierarchy, the same is asked of every queue above; the verdict names the one that is short.",
            remedy="Raise the capability of the queue that is named, lower the guarantees of those beside it, or end "
            "jobs below it. vqs explain-queue shows the queue and those above it.",
            example="Queue dev holds 2 cpu and may have 10; team-a above it holds 19 and may have 20; a task of 2.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that the queue may not hold this one as well",
            log="Queue <{queue}> is overused when considering task <{task}>, ignore it.",
            verbosity=3,
            bare=True,
        ),
        VerdictRule(
            code=VerdictCode.SCHEDULER_STANDS_STILL,
            title="the tree of queues is broken, so that nothing is scheduled at all",
            sentence="the whole scheduler stands still: {text}",
            stage="queue",
            meaning="A queue has a parent that does not exist or is below itself, or a job is in a queue with queues "
            "below it.",
            why="With enableHierarchy, the plugin capacity makes a tree of all queues. If that fails for one of them, "
            "it refuses every job and every task of every queue. A queue that is above itself is not noticed: the "
            "process ends with a stack overflow, over and over again.",
            remedy="Correct spec.parent of the queue that is named, or move the job to a leaf queue.",
            example="spec.parent: team-a, and no queue team-a.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that nothing at all is scheduled",
            log="Capacity plugin failed to check queue's hierarchical structure!",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.GANG_TOO_SMALL,
            title="the job has fewer pods than its minimum",
            sentence="the gang of job {name} is too small: it needs {need} {text}, and has {have}",
            no_eviction="the gang is too small: it needs {need} {text}, and has {have}",
            stage="valid",
            meaning="Even if every pod of the job were placed, its gang would not be complete.",
            why="The plugin gang checks first whether the job has as many pods as minMember and minTaskMember ask "
            "for; pods that have failed or are being deleted do not count.",
            remedy="See why pods are missing: quota, the job's controller, failed pods. Or lower the minimum.",
            example="minMember 4, 3 pods.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job; no node was asked, as they are too few, or too few of a role",
            log="Job <{job}> Queue <{queue}> skip allocate, reason: NotEnough",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.GATED,
            title="the pod is held back by scheduling gates",
            sentence="is held back by its scheduling gates: {text}",
            about_task=True,
            meaning="spec.schedulingGates of the pod is not empty.",
            why="Somebody asked not to schedule the pod yet; the scheduler does not touch it.",
            remedy="Find whoever set the gate, and see why it was not removed.",
            example="A pod that waits for a quota system.",
            shown=(PodText.GATES,),
            pod="the API server wrote it when the pod was created, and the scheduler leaves it as it is",
        ),
        VerdictRule(
            code=VerdictCode.LEFT_TO_BACKFILL,
            title="the task asks for nothing, and the action backfill is not configured",
            sentence="asks for no resources, so only the action backfill places it, and {text}",
            about_task=True,
            stage="order",
            meaning="A task without requests is not placed by allocate. Where backfill is configured all the same, it "
            "ran before the job was let into its queue.",
            why="allocate leaves best-effort tasks to the action backfill.",
            remedy="Add backfill to the actions, as the last one, or give the pod requests.",
            example="actions: enqueue, allocate",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that only backfill places this one",
            log="Task <{task}> is BestEffort task, skip it.",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.PRE_PREDICATE_FAILED,
            title="no node was asked",
            sentence="no node was asked: {text}",
            stage="nodes",
            meaning="The task was refused before any node was looked at.",
            why="Some things rule out every node: a claim that does not exist, node names that contradict each other.",
            remedy="Do as the message says.",
            example="A pod with a PersistentVolumeClaim that was never created.",
            shown=(PodText.NODES,),
            pod="it gives one reason for all nodes, as none of them was asked",
            log="PrePredicate for task {task} failed",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.RESERVE_FAILED,
            title="a plugin failed when the task was given its node",
            sentence="had a node, but could not be given it: {text}",
            stage="nodes",
            meaning="A node was found, but the task could not be given it: a plugin failed at that moment.",
            why="The VolumeBinding filter of the plugin predicates is prepared before nodes are filtered. Where the "
            "option enablePredicate is false it never is, and then it fails for every task, with or without volumes.",
            remedy="Set enablePredicate of the plugin predicates to true, or its argument "
            "predicate.VolumeBindingEnable to false.",
            example="A tier with name: predicates, enablePredicate: false.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that a plugin failed for this one",
            log="Failed to exec allocate callback functions for task <{task}> to node",
            verbosity=0,
        ),
        VerdictRule(
            code=VerdictCode.HYPER_NODES_NOT_READY,
            title="the HyperNodes are no tree, and the job asks for a network topology",
            sentence="job {job} asks for a network topology, and the HyperNodes are no tree: {text}",
            stage="valid",
            meaning="The job asks for a network topology, which Volcano cannot tell while the HyperNodes contradict "
            "each other.",
            why="A HyperNode may be a member of one other at most, and not of itself through others. Until that holds, "
            "allocate passes over every job with a network topology.",
            remedy="Correct spec.members of the HyperNodes that are named.",
            example="HyperNode s0 is a member of both s2 and s3.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not say that HyperNodes contradict each other",
            log="Job <{job}> Queue <{queue}> skip allocate, reason: hyperNodes are not ready for scheduling",
            verbosity=4,
        ),
        VerdictRule(
            code=VerdictCode.NO_HYPER_NODE,
            title="no HyperNode can be tried for the job",
            sentence="no HyperNode can be tried for job {job}: {text}",
            stage="nodes",
            meaning="Each HyperNode is of a tier above the highest that the job allows, or had too little for its "
            "minResources when the session opened, or does not hold what the job has already.",
            why="The plugin network-topology-aware only tries HyperNodes up to the highest tier allowed that have the "
            "resources; once a task has a node, only those that hold this node too.",
            remedy="Allow a higher tier (spec.networkTopology of the PodGroup), make the job smaller, or free nodes "
            "that are near each other.",
            example="s0: it has 3 cpu, and 8 are needed; s2: it is of tier 2.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job, and does not name the HyperNodes",
            log="Cannot find any solution for job",
            verbosity=5,
        ),
        VerdictRule(
            code=VerdictCode.NO_NODE_FITS,
            title="no node takes the task",
            stage="nodes",
            meaning="Every node gave a reason against it; the message counts them. Where resources are short, the "
            "node that came closest is named.",
            why="A node has to have the room, now or when releasing pods are gone, and to pass every predicate.",
            remedy="Make the task smaller, relax selectors, tolerate taints, free a node or add one.",
            example="0/3 nodes are unavailable: 2 Insufficient cpu, 1 node(s) were unschedulable.",
            shown=(PodText.NODES,),
            pod="it counts the nodes by the reasons they gave",
            log="Predicates failed: task {task} on node",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.FRAGMENTED,
            title="there is room, but on no single node",
            stage="nodes",
            meaning="All nodes that would do have enough room together, and none of them alone.",
            why="A task runs on one node.",
            remedy="Make the task smaller, or pack nodes tighter with the plugin binpack, so that large gaps stay. "
            "Packing does not help where no node has as much even when it is empty; the sentence says so then.",
            example="Two nodes with 3 cpu idle each, a task of 4.",
            shown=(PodText.NODES,),
            pod="it counts the nodes by the reasons they gave, and does not say that together they have room",
            log="Predicates failed: task {task} on node",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.ROLE_FAILED,
            title="an earlier task of the same role fitted nowhere",
            sentence="was not tried, as an earlier task of role {role} fitted nowhere{text}",
            about_task=True,
            stage="nodes",
            follows=True,
            repeats_pod=True,
            meaning="The task was not tried at all.",
            why="Tasks of a role are taken to be alike: after one of them was refused by all nodes, the others are "
            "not tried in this session, even where they ask for less.",
            remedy="See the verdict of the first task of the role; give tasks that differ roles of their own.",
            example="worker-0 needs a GPU that is taken, worker-1 waits behind it.",
            shown=(PodText.ROLE,),
            pod="it gives no reason: the first refused task of the role has the one of the nodes",
            log="Task {task} with role spec {role} has already predicated failed, skip",
            verbosity=5,
            bare=True,
        ),
        VerdictRule(
            code=VerdictCode.GANG_DISCARDED,
            title="the task had a node, and lost it as its gang was not complete",
            about_task=True,
            stage="gang",
            follows=True,
            repeats_pod=True,
            meaning="Some tasks of the job fitted, but fewer than its minimum, so that all of them were rolled back.",
            why="A gang starts as a whole or not at all. What was placed for it is given back at once.",
            remedy="See the task that was refused; make the minimum smaller or room for all of it.",
            example="minMember 4, room for 3.",
            shown=(PodText.PLACE, PodText.RELEASE),
            pod="the node was given back, as the gang was not complete; nothing is kept for this task",
            log="Discarding operations ...",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.WAITS_FOR_GANG,
            title="the task has a node, and waits for the rest of its gang",
            sentence="has room on node {node}, but is not bound before its gang is complete{text}",
            about_task=True,
            stage="gang",
            follows=True,
            repeats_pod=True,
            meaning="Others of the gang wait for resources that are being released, or have no place at all, so "
            "nothing of it is bound yet.",
            why="A gang is bound when its minimum is allocated; promised places do not count. backfill gives tasks "
            "that ask for nothing a node without waiting for their gang.",
            remedy="Wait for the pods that are being deleted; else see the verdicts of the others.",
            example="One task on idle resources, one on those of a pod that is terminating.",
            shown=(PodText.PLACE,),
            pod="the node is taken within this session only: nothing is bound before the gang is complete",
            log="Binding Task <{task}> to node <{node}>",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.WAITS_FOR_RELEASE,
            title="the task waits for a pod that is being deleted",
            sentence="waits for resources that are being released on node {node}{text}",
            shared="waits for resources that are being released; -v shows where",
            about_task=True,
            repeats_pod=True,
            meaning="The node will have room when its releasing pods are gone.",
            why="Where no node has the room now, one that will have it is taken, and the room is kept for the task.",
            remedy="Wait; if it takes long, see why the old pod does not end.",
            example="A node whose only pod has a deletionTimestamp.",
            shown=(PodText.RELEASE,),
            pod="the node has room once others have left it; a later session decides anew",
            log="After pipelined Task <{task}> to Node <{node}>",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.TAKEN_BACK,
            title="the task was placed before, and a second run of allocate lost that",
            sentence="was on node {text} already; a second run of allocate took it up and left it without a place",
            about_task=True,
            stage="nodes",
            meaning="allocate is configured twice. The first run gave the task a node; the second one took it up "
            "again, failed to place it a second time, and counts it as pending. Where the first run had bound it, the "
            "pod runs on that node all the same.",
            why="The scheduler keeps tasks of jobs with a subGroupPolicy or a network topology among the pending ones "
            "of their sub-job after it has placed them, so that the next run of allocate in a session finds them.",
            remedy="Name allocate once in the actions of the scheduler configuration.",
            example='actions: "allocate, backfill, allocate", and a job with a subGroupPolicy.',
            shown=(PodText.PLACE, PodText.JOB),
            pod="it names the node of the first run, or counts the tasks of the job",
        ),
        VerdictRule(
            code=VerdictCode.EVICTED,
            title="the task is evicted, to make room",
            sentence="is evicted from node {node}{text}",
            shared="by {action}, in favour of others; -v shows who they are",
            meaning="The task was running, and is taken off its node in favour of a task that waits, or as its "
            "node is too busy.",
            why="preempt evicts tasks of jobs of lower priority in the same queue, reclaim those of queues that hold "
            "more than they deserve. Of the plugins, all of a tier have to let a task go; the first tier that agrees "
            "on somebody decides. shuffle evicts whom plugins such as rescheduling name, in nobody's favour.",
            remedy="See vqs explain-job for the job that it was evicted for. To protect tasks: a higher priority, a "
            'guarantee or more deserved for their queue, volcano.sh/preemptable: "false", a cooldown time (plugin '
            "cdp), a disruption budget (plugin pdb), or reclaimable: false on the queue.",
            example="A job of priority 0 runs, one of priority 10 waits in the same queue.",
            pod="its condition PodScheduled stays: it gets Ready=False with the reason Evict, and is deleted",
            log="Evicting pod {task}, because of",
            verbosity=3,
        ),
        VerdictRule(
            code=VerdictCode.BIND_FAILED,
            title="the node turned out to be overcommitted",
            meaning="The task asks for nothing, but its node has less than nothing idle, and refused to bind it.",
            why="Before a task is bound, its node is checked once more, also for resources the task does not ask for.",
            remedy="See why the node holds more than it has: its allocatable shrank, or another scheduler uses it.",
            example="A node of 1 cpu with pods that request 2.",
            shown=(PodText.PLACE,),
            pod="it names the node that refused to bind this one, and does not say so",
            log="Failed to bind Task",
            verbosity=0,
        ),
        VerdictRule(
            code=VerdictCode.NEVER_CONSIDERED,
            title="the task's turn never came",
            sentence="was not tried: {text}",
            about_task=True,
            stage="order",
            follows=True,
            meaning="The try of its job ended before this task, or nothing tried the job: there are no nodes, allocate "
            "is not configured, or the job was let into its queue after allocate had run.",
            why="Once a task is refused and the gang cannot be complete without it, the rest is not tried.",
            remedy="See what came before it.",
            example="A gang of 8 in which the first task fits nowhere.",
            shown=(PodText.JOB,),
            pod="it counts the tasks of the job; this one was not tried, and an origin reason is another's",
        ),
    )
}
"""The verdicts, in the order in which a task meets them."""
