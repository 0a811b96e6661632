"""network-topology-aware: place the tasks of a job near to each other in the network.

It says which HyperNodes are tried for a job or sub-job with a network topology: tier by tier, those up to its highest
tier that have the resources it needs. Among those with room for a sub-job, the one that it fills most is the best. A
task then goes near to what its sub-job has already. Tasks without a topology go where HyperNodes are full, too, so that
others stay free.

Arguments: `weight` (default 1), `hypernode.binpack.cpu` and `hypernode.binpack.memory` (default 1),
`hypernode.binpack.resources` (further resource names, separated by commas), `hypernode.binpack.resources.NAME` (default
1), `hypernode.binpack.normal-pod.enable` (default true: also for tasks without a topology),
`hypernode.binpack.normal-pod.fading` (default 0.8: what each further tier counts of the one below) and, from v1.15 on,
`hypernode.gradient.evict.max-hypernodes` (default 8: how many HyperNodes gangpreempt and gangreclaim are given; below
1, it is 8). Weights are whole numbers; a negative one counts as 1, but up to v1.13 as it is.
Reference: pkg/scheduler/plugins/network-topology-aware/network_topology_aware.go.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vqs.config.known_arguments import Arguments, names_in
from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import Gradients, SearchPurpose
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.table import Floats, Integers
from vqs.model.codes import VerdictCode
from vqs.model.job import Job, SubJob, Task, TaskStatus
from vqs.model.resource import CPU, EPSILON, MEMORY, Resource

NAME = "network-topology-aware"

MAX_SCORE = 100.0


class NetworkTopologyAwarePlugin(Plugin):
    """Choose HyperNodes for jobs, and score nodes by the HyperNodes that they are in."""

    refusals = (VerdictCode.NO_HYPER_NODE,)

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        arguments = option.arguments
        self.weight = arguments.int("weight")
        self.weights = resource_weights(arguments)
        self.normal_pods = arguments.bool("hypernode.binpack.normal-pod.enable")
        fading = arguments.float("hypernode.binpack.normal-pod.fading")
        self.fading = 0.8 if fading < 0 else fading
        most = arguments.int("hypernode.gradient.evict.max-hypernodes")
        self.most_to_evict = most if most > 0 else 8

    def on_session_open(self, session: Session) -> None:
        """Add the choice of HyperNodes and both scores."""
        self.session = session
        self.nodes = session.nodes
        self.topology = session.topology
        self.scores_nodes_of_hard = session.profile.network_topology.hard_topology_scores == "nodes"
        if self.weight < 0 and session.profile.network_topology.negative_topology_weight == "counts-as-1":
            self.weight = 1
        self.room = _Room(session)
        self.lowest = session.topology.lowest
        self.normal_pods &= session.profile.network_topology.topology_node_scores == "nearness-and-fullness"
        self._tiers: list[tuple[float, Integers]] = self._weighed_tiers() if self.normal_pods else []
        self._counts: dict[str, Floats] = {}
        self._tier_scores: dict[str, Floats] = {}
        self._requests: dict[str, dict[str, float]] = {}
        self._fullness: dict[str, tuple[int, Floats]] = {}
        session.classes.add_signature(self._asks_for_topology)
        plugins = session.plugins
        plugins.add(points.BATCH_NODE_ORDER, NAME, self)
        if session.profile.network_topology.hyper_node_search == "gradients":
            plugins.add(points.HYPER_NODE_ORDER, NAME, self.hyper_node_scores)
            plugins.add(points.HYPER_NODE_GRADIENT_FOR_JOB, NAME, self.job_gradients)
            plugins.add(points.HYPER_NODE_GRADIENT_FOR_SUB_JOB, NAME, self.sub_job_gradients)
        elif not self.scores_nodes_of_hard:
            plugins.add(points.HYPER_NODE_ORDER, NAME, self.near_hyper_nodes)
        session.add_event_handler(lambda task: self._count_task(task, 1), lambda task: self._count_task(task, -1))

    # --- which HyperNodes to try -------------------------------------------------------------------------------------

    def job_gradients(self, job: Job, root: str, purpose: SearchPurpose = SearchPurpose.ALLOCATE) -> Gradients:
        """The HyperNodes to try for a job; without a limit, it is the one given."""
        if job.topology is None or job.topology.limit is None:
            return Gradients([[root]])
        held = job.allocated_hyper_node
        return self._gradients(purpose, root, job.topology.limit, held, job.minimum())

    def sub_job_gradients(
        self, job: Job, sub_job: SubJob, root: str, purpose: SearchPurpose = SearchPurpose.ALLOCATE
    ) -> Gradients:
        """The HyperNodes to try for a sub-job; one that does not choose below its job's is tried in that one."""
        if not self.session.chooses_below(job) or sub_job.topology is None or sub_job.topology.limit is None:
            return Gradients([[root]])
        needed = Resource.total(task.request for task in sub_job.having(TaskStatus.Pending).values())
        held = sub_job.allocated_hyper_node
        return self._gradients(purpose, root, sub_job.topology.limit, held, needed)

    def _gradients(self, purpose: SearchPurpose, root: str, limit: int, held: str, needed: Resource) -> Gradients:
        """The HyperNodes below one that are in reach; where something has a place, resources do not matter.

        To evict, it is a limited number of them, the widest first.
        """
        made = Gradients([])
        start = self._start(root, limit, held, made)
        if not start:
            return made
        by_tier: dict[int, list[str]] = {}
        names = self.topology.below(start)
        lacking = {} if held else self.room.lacking(names, needed, purpose)
        for name in names:
            tier = self.topology.by_name[name].tier
            if tier > limit:
                text = f"its tier, {tier}, is above the highest tier allowed"
                made.left_out[name] = Refusal(VerdictCode.NO_HYPER_NODE, NAME, text=text)
            elif name in lacking:
                made.left_out[name] = lacking[name]
            else:
                by_tier.setdefault(tier, []).append(name)
        made.tiers = [sorted(by_tier[tier]) for tier in sorted(by_tier)]
        if purpose is SearchPurpose.EVICT:
            left, tiers = self.most_to_evict, made.tiers
            made.tiers = []
            for of_tier in reversed(tiers):
                if left:
                    made.tiers.append(of_tier[-left:])
                    left -= len(made.tiers[-1])
        return made

    def _start(self, root: str, limit: int, held: str, made: Gradients) -> str:
        """Where to begin: the lower of what is given and the highest that may hold what has a place already."""
        if not held:
            return root
        highest = ""
        for name in self.topology.line(held):
            if self.topology.by_name[name].tier > limit:
                break
            highest = name
        if not highest:
            tier = self.topology.by_name[held].tier
            text = f"it contains the nodes of placed tasks, and its tier, {tier}, is above the highest tier allowed"
            made.left_out[held] = Refusal(VerdictCode.NO_HYPER_NODE, NAME, text=text)
            return ""
        common = self.topology.lowest_common(root, highest)
        if common not in (root, highest):
            text = f"it has no node in common with {highest}, which the tasks placed so far are in"
            made.left_out[root] = Refusal(VerdictCode.NO_HYPER_NODE, NAME, text=text)
            return ""
        return root if common == highest else highest

    # --- which HyperNode is the best ---------------------------------------------------------------------------------

    def hyper_node_scores(self, sub_job: SubJob, hyper_nodes: Sequence[str]) -> Floats:
        """100 times how full each would be; among the fullest, the share of tasks that it has counts too."""
        numbers = np.array([self.topology.number[name] for name in hyper_nodes], dtype=np.intp)
        changes, fullness = self._fullness.get(sub_job.uid, (-1, np.zeros(0)))
        if changes != self.room.changes:
            request = self._requests.get(sub_job.uid)
            if request is None:
                request = self._requests[sub_job.uid] = {}
                for task in sub_job.tasks():
                    for name in task.request.names():
                        if name in self.weights:
                            request[name] = request.get(name, 0.0) + task.request.get(name)
            fullness = self.room.fullness(request, self.weights)
            self._fullness[sub_job.uid] = (self.room.changes, fullness)
        return self._with_tasks(fullness[numbers], sub_job, hyper_nodes)

    def near_hyper_nodes(self, sub_job: SubJob, hyper_nodes: Sequence[str]) -> Floats:
        """100 times how near each is to what the job has; among the nearest, the share of tasks that it has counts too.

        That is how releases up to v1.12 compare those that serve, together with the scores of nodes.
        """
        held, tiers = sub_job.allocated_hyper_node, self.topology.tiers
        scores = np.zeros(len(hyper_nodes))
        if not held:
            return scores
        for at, name in enumerate(hyper_nodes):
            common = self.topology.by_name.get(self.topology.lowest_common(name, held))
            if name == held:
                scores[at] = 1.0
            elif common is not None and tiers[-1] > tiers[0]:
                scores[at] = (tiers[-1] - common.tier) / (tiers[-1] - tiers[0])
        return self._with_tasks(scores, sub_job, hyper_nodes)

    def _with_tasks(self, scores: Floats, sub_job: SubJob, hyper_nodes: Sequence[str]) -> Floats:
        """The score of HyperNodes: to those that are the best, the share of tasks that each has is added."""
        points = MAX_SCORE * self.weight * scores
        best = _best(points)
        if len(best) > 1:
            tasks = list(sub_job.tasks())
            for at in best.tolist():
                members = set(self.topology.members[hyper_nodes[at]].tolist())
                here = sum(task.node is not None and self.nodes.index.get(task.node) in members for task in tasks)
                points[at] += MAX_SCORE * self.weight * here / len(tasks)
        return points

    # --- nodes -------------------------------------------------------------------------------------------------------

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """Zero for tasks that it does not score, else None."""
        return None if self.normal_pods or self._asks_for_topology(task_class.task) else 0.0

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """Score the candidates by their HyperNodes."""
        if self._asks_for_topology(task_class.task):
            return self._nearness(candidates)
        if not self.normal_pods:
            return np.zeros(len(candidates))
        request = task_class.task.request
        names = [name for name in request.names() if name in self.weights]
        fullness = np.append(self.room.fullness({name: request.get(name) for name in names}, self.weights), 1.0)
        total, weights = np.zeros(len(candidates)), 0.0
        for weight, groups in self._tiers:
            total += weight * fullness[groups[candidates]]
            weights += weight
        return MAX_SCORE * self.weight * (total / weights if weights > 0 else np.zeros(len(candidates)))

    def _nearness(self, candidates: Integers) -> Floats:
        """Score nodes by how low the tier is that each shares with what the sub-job has; zero for its first task."""
        placing = self.topology.placing
        if placing is None or not placing[1]:
            return np.zeros(len(candidates))
        sub_job, held = placing
        groups = self.lowest[candidates]
        if held not in self._tier_scores:
            self._tier_scores[held] = self._near(held)
        points: Floats = MAX_SCORE * self.weight * self._tier_scores[held][groups]
        best = _best(points)
        if len(best) > 1:
            counts = self._counts.get(sub_job.uid)
            if counts is None:
                counts = self._counts[sub_job.uid] = np.zeros(len(self.topology.names) + 1)
                for task in sub_job.tasks():
                    self._count(counts, task, 1)
            points[best] += MAX_SCORE * self.weight * counts[groups[best]] / sub_job.total
        return points

    def _near(self, held: str) -> Floats:
        """By HyperNode how near it is to another one; the last is for nodes that are in none."""
        scores = np.zeros(len(self.topology.names) + 1)
        if not self.topology.tiers or held not in self.topology.by_name:
            return scores
        highest, lowest = self.topology.tiers[-1], self.topology.tiers[0]
        for name in self.topology.of_tier(lowest):
            common = self.topology.lowest_common(name, held)
            if not common:
                continue
            if name == held:
                scores[self.topology.number[name]] = 1.0
            elif highest > lowest:
                tier = self.topology.by_name[common].tier
                scores[self.topology.number[name]] = (highest - tier) / (highest - lowest)
        return scores

    def _weighed_tiers(self) -> list[tuple[float, Integers]]:
        """The weight of each tier, and the HyperNode of it around each node.

        The tiers between the lowest and the highest that no HyperNode has come last, as one: no node is in any of them.
        """
        tiers, fading = self.topology.tiers, self.fading
        with np.errstate(all="ignore"):
            weights = [float(np.power(fading, tier - 1.0)) for tier in tiers]
            weighed = [(weight, self.topology.groups(tier)) for weight, tier in zip(weights, tiers, strict=True)]
            empty = tiers[-1] - tiers[0] + 1 - len(tiers)
            if empty:
                ends = np.power(fading, [tiers[0] - 1.0, float(tiers[-1])])
                every = float(empty + len(tiers) if fading == 1 else (ends[0] - ends[1]) / (1 - fading))
                nowhere = np.full(len(self.nodes), len(self.topology.names), dtype=np.intp)
                weighed.append((max(every - sum(weights), 0.0), nowhere))
        return weighed

    def _asks_for_topology(self, task: Task) -> bool:
        job = self.session.jobs.get(task.job)
        sub_job = None if job is None else job.sub_job_of.get(task.uid)
        if sub_job is None or sub_job.topology is None:
            return False
        return self.scores_nodes_of_hard or not sub_job.topology.hard

    # --- events ------------------------------------------------------------------------------------------------------

    def _count_task(self, task: Task, sign: int) -> None:
        """Count a task that was given a node, or has lost it with a sign of -1; a victim stays where it is."""
        self.room.change(task, sign)
        moves = (TaskStatus.Allocated, TaskStatus.Pipelined) if sign > 0 else (TaskStatus.Pending,)
        sub_job = self.session.jobs[task.job].sub_job_of.get(task.uid) if task.status in moves else None
        counts = None if sub_job is None else self._counts.get(sub_job.uid)
        if counts is not None:
            self._count(counts, task, sign)

    def _count(self, counts: Floats, task: Task, sign: int) -> None:
        node = self.nodes.index.get(task.node or "")
        if node is not None and self.lowest[node] < len(self.topology.names):
            counts[self.lowest[node]] += sign


class _Room:
    """The resources of each HyperNode, (resources, HyperNodes).

    `used` follows what the actions do. What is idle is what was idle when the session opened: the reference does not
    bring it up to date. `changes` counts the changes of what is used.
    """

    def __init__(self, session: Session) -> None:
        nodes, topology = session.nodes, session.topology
        self.nodes = nodes
        self.topology = topology
        members = [topology.members[name] for name in topology.names]
        self.allocatable, self.used, self.idle, self.future_idle = (
            np.array([amounts[:, each].sum(axis=1) for each in members]).T
            for amounts in (nodes.allocatable, nodes.used, nodes.idle, nodes.future_idle)
        )
        self.changes = 0
        self._around: dict[int, Integers] = {}

    def change(self, task: Task, sign: int) -> None:
        """Account for a task that gained or lost a node."""
        node = self.nodes.index.get(task.node or "")
        if node is None:
            return
        around = self._around.get(node)
        if around is None:
            numbers = [self.topology.number[name] for name in self.topology.around(node)]
            around = self._around[node] = np.array(numbers, dtype=np.intp)
        self.changes += 1
        self.used[:, around] += sign * self.nodes.vectors[task.shape][:, None]

    def fullness(self, request: dict[str, float], weights: dict[str, int]) -> Floats:
        """The weighted mean of the parts that would be in use, by HyperNode; zero where there is no room."""
        names = sorted(request, key=lambda name: (name != CPU, name != MEMORY, name))
        rows = [self.nodes.row[name] for name in names]
        used = self.used[rows] + np.array([request[name] for name in names])[:, None]
        allocatable = self.allocatable[rows]
        score = np.zeros(len(self.topology.names))
        weight = float(sum(weights[name] for name in names))
        if weight <= 0:
            return score
        for name, part, whole in zip(names, used, allocatable, strict=True):
            score += weights[name] * np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
        score /= weight
        score[(used > allocatable).any(axis=0)] = 0.0
        return score

    def lacking(self, hyper_nodes: Sequence[str], needed: Resource, purpose: SearchPurpose) -> dict[str, Refusal]:
        """Which of some HyperNodes had too little when the session opened, now and in the future.

        To evict, it counts what they have in all.
        """
        evicts = purpose is SearchPurpose.EVICT
        later, now = (self.allocatable, self.allocatable) if evicts else (self.future_idle, self.idle)
        names = [name for name in needed.dimensions() if name in self.nodes.row or needed.get(name) >= EPSILON]
        known = [name for name in names if name in self.nodes.row]
        need = np.array([needed.get(name) for name in known])[:, None]
        rows = np.array([self.nodes.row[name] for name in known], dtype=np.intp)
        numbers = np.array([self.topology.number[name] for name in hyper_nodes], dtype=np.intp)
        short = need - later[np.ix_(rows, numbers)] >= EPSILON
        too_small = short.any(axis=0) & (need - now[np.ix_(rows, numbers)] >= EPSILON).any(axis=0)
        unknown = next((name for name in names if name not in self.nodes.row), "")
        if unknown:
            refusal = Refusal(VerdictCode.NO_HYPER_NODE, NAME, resource=unknown, need=needed.get(unknown), have=0.0)
            return dict.fromkeys(hyper_nodes, refusal)
        found: dict[str, Refusal] = {}
        for at in np.flatnonzero(too_small).tolist():
            row = int(short[:, at].argmax())
            have = float(later[rows[row], numbers[at]])
            found[hyper_nodes[at]] = Refusal(
                VerdictCode.NO_HYPER_NODE, NAME, resource=known[row], need=float(need[row, 0]), have=have
            )
        return found


def _best(scores: Floats) -> Integers:
    """Where the highest score is: the reference begins with -1, so that there is none where all are below."""
    return np.flatnonzero(scores == max(float(scores.max()), -1.0))


def resource_weights(arguments: Arguments) -> dict[str, int]:
    """The weight of each resource that counts."""
    names = names_in(arguments.string("hypernode.binpack.resources"))
    weights = {name: arguments.int(f"hypernode.binpack.resources.{name}") for name in names}
    weights[CPU] = arguments.int("hypernode.binpack.cpu")
    weights[MEMORY] = arguments.int("hypernode.binpack.memory")
    return {name: 1 if weight < 0 else weight for name, weight in weights.items()}
