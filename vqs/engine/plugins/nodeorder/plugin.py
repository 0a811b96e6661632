"""The plugin itself: which scores there are for a class, and their weighted sum."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.equivalence import EquivalenceClass
from vqs.engine.framework.points import OfState, StateScore
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.nodes.pods import Surroundings
from vqs.engine.nodes.table import Floats, Integers, Nodes, NodeTable
from vqs.engine.plugins.nodeorder.affinity import AffinityComparison
from vqs.engine.plugins.nodeorder.comparisons import Comparison, NodeAffinityComparison, TaintComparison
from vqs.engine.plugins.nodeorder.images import ImageTable
from vqs.engine.plugins.nodeorder.resources import ResourceScore, ResourceTable
from vqs.engine.plugins.nodeorder.spread import SpreadComparison
from vqs.model.kubernetes import Pod
from vqs.model.task import Task

NAME = "nodeorder"


class NodeOrderPlugin(Plugin):
    """Score nodes by resources and by preferences."""

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        arguments = option.arguments
        self.least = arguments.int("leastrequested.weight")
        self.most = arguments.int("mostrequested.weight")
        self.balanced = arguments.int("balancedresource.weight")
        self.node_affinity = arguments.int("nodeaffinity.weight")
        self.image_locality = arguments.int("imagelocality.weight")
        self.pod_affinity = arguments.int("podaffinity.weight")
        self.taints = arguments.int("tainttoleration.weight")
        self.topology_spread = arguments.int("podtopologyspread.weight")

    def on_session_open(self, session: Session) -> None:
        """Look at the cluster, and add the scores."""
        self.session = session
        behaviours = session.profile.nodeorder
        self.normalizes_affinity = behaviours.node_affinity_score == "normalized"
        self.counts_pods_of_node = behaviours.hostname_spread_score == "by-pods"
        self.surroundings = session.shared(Surroundings)
        self.resources = ResourceTable(session.nodes, live=self.surroundings.live)
        finds_images = self.image_locality and session.profile.nodeorder.image_locality == "scored"
        self.images = _images_on(session.nodes) if finds_images else ImageTable([])
        session.classes.add_signature(self.surroundings.signature)
        if self.images:
            session.classes.add_signature(self._images)
        session.plugins.add(points.NODE_ORDER, NAME, StateScore(self.score, self.of_state))
        session.plugins.add(points.BATCH_NODE_ORDER, NAME, self)

    def _images(self, task: Task) -> Hashable:
        return self.images.known(task.pod.spec)

    # --- each node by itself -----------------------------------------------------------------------------------------

    def score(self, task_class: EquivalenceClass, nodes: Nodes) -> Floats:
        """Return the sum of those scores of some nodes that depend on each node alone."""
        note = self._note(task_class)
        total = note.resources.of(nodes)
        return total if note.static is None else total + note.static[nodes]

    def of_state(self, task_class: EquivalenceClass) -> OfState[float] | None:
        """Return what gives this sum of one node; None where Kubernetes' plugins see nodes as they were."""
        if not self.surroundings.live:
            return None
        note = self._note(task_class)
        of_node, static = note.resources.of_node, note.static
        lasting = NAME, self.least, self.most, self.balanced
        if static is None:
            return OfState(of_node, of_class=(NAME, task_class.task.shape), lasting=lasting)
        return OfState(lambda node, state: of_node(node, state) + float(static[node]), [static], lasting=lasting)

    # --- the candidates compared -------------------------------------------------------------------------------------

    def constant(self, task_class: EquivalenceClass) -> float | None:
        """Return the score where it is the same for every node whatever the candidates are, else None."""
        total = 0.0
        for comparison, weight in self._note(task_class).comparisons:
            constant = comparison.constant
            if constant is None:
                return None
            total += constant * weight
        return total

    def scores(self, task_class: EquivalenceClass, candidates: Integers) -> Floats:
        """Return the score of each candidate."""
        total = np.zeros(len(candidates))
        for comparison, weight in self._note(task_class).comparisons:
            constant = comparison.constant
            total += (comparison.scores(candidates) if constant is None else constant) * weight
        return total

    # --- classes -----------------------------------------------------------------------------------------------------

    def _note(self, task_class: EquivalenceClass) -> _Note:
        note: _Note | None = task_class.notes.get(NAME)
        if note is None:
            resources = ResourceScore(
                self.resources,
                self.session.requests[task_class.task.shape],
                least=self.least,
                most=self.most,
                balanced=self.balanced,
            )
            note = task_class.notes[NAME] = _Note(
                resources, self._static(task_class.pod), self._comparisons(task_class.pod)
            )
        return note

    def _static(self, pod: Pod) -> Floats | None:
        """Return the weighted sum of the scores that no placement changes, None where it is 0 for all nodes."""
        static = self.node_affinity and not self.normalizes_affinity
        preference = self.surroundings.labels.preference(pod.spec) if static else None
        images = self.images.score(pod.spec) if self.images else None
        if preference is None:
            return None if images is None else images * self.image_locality
        weighted = preference * self.node_affinity
        return weighted if images is None else weighted + images * self.image_locality

    def _comparisons(self, pod: Pod) -> list[tuple[Comparison, int]]:
        comparisons: list[tuple[Comparison, int]] = []
        if self.node_affinity and self.normalizes_affinity:
            comparisons.append((NodeAffinityComparison(self.surroundings, pod), self.node_affinity))
        if self.pod_affinity and self.surroundings.relations.active:
            comparisons.append((AffinityComparison(self.surroundings, pod), self.pod_affinity))
        if self.taints:
            comparisons.append((TaintComparison(self.surroundings, pod), self.taints))
        if self.topology_spread and self.surroundings.relations.active:
            spread = SpreadComparison(self.surroundings, pod, counts_pods_of_node=self.counts_pods_of_node)
            comparisons.append((spread, self.topology_spread))
        return comparisons


def _images_on(nodes: NodeTable) -> ImageTable:
    return nodes.noted("images", lambda: ImageTable([node.object for node in nodes.nodes]))


class _Note:
    """What is known about a class."""

    __slots__ = ("comparisons", "resources", "static")

    def __init__(
        self, resources: ResourceScore, static: Floats | None, comparisons: list[tuple[Comparison, int]]
    ) -> None:
        self.resources = resources
        self.static = static
        self.comparisons = comparisons
