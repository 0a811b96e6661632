"""The rules about queues against the webhook for queues, told once more in the plainest way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties import examples
from vqs.config.scheduler_conf import built_in_configuration
from vqs.lint.registry import RULES
from vqs.lint.rule import LintContext
from vqs.model.kubernetes import Guarantee, ObjectMeta, Quantity, Queue, QueueSpec, ResourceList
from vqs.snapshot.reading.documents import Origin, YamlDocument
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.sources import Source

TREE: Final = {"parent-missing", "parent-itself", "parent-cycle", "queue-too-deep"}
AMOUNTS: Final = {
    "guarantee-without-deserved",
    "guarantee-above-deserved",
    "deserved-above-capability",
    "capability-above-ancestor",
    "children-guarantee-above-parent",
    "children-deserved-above-parent",
}
NAMES: Final = ["a", "b", "c", "d", "e", "f", "g"]
RESOURCES: Final = ["cpu", "memory", "nvidia.com/gpu"]


class Webhook:
    """What pkg/webhooks/admission/queues/validate refuses of v1.14.4, by the codes of the rules."""

    def __init__(self, queues: list[Queue]) -> None:
        self.queues = {queue.metadata.name: queue for queue in queues}

    def refusals(self) -> set[str]:
        """Return the codes of all that is wrong with all queues; of a tree that is broken, only that."""
        if any(self.is_lost(queue) for queue in self.queues.values()):
            return {"tree"}
        return {code for queue in self.queues.values() for code in self.refusals_of(queue)}

    def is_lost(self, queue: Queue) -> bool:
        """Tell whether the root is not among the five queues above a queue, or one of them is missing."""
        for _ in range(5):
            if queue.spec.parent in ("", "root"):
                return False
            if queue.spec.parent not in self.queues:
                return True
            queue = self.queues[queue.spec.parent]
        return True

    def refusals_of(self, queue: Queue) -> set[str]:
        """Return what is wrong with the amounts of a queue."""
        spec = queue.spec
        kept, due, most = numbers(spec.guarantee.resource), numbers(spec.deserved), numbers(spec.capability)
        return {
            code
            for code, is_wrong in {
                "guarantee-without-deserved": any(name not in due for name in kept),
                "guarantee-above-deserved": any(kept[name] > due[name] for name in kept if name in due),
                "deserved-above-capability": any(due[name] > most[name] for name in due if name in most),
                "capability-above-ancestor": any(most[name] > self.inherited(queue, name) for name in most),
                "children-guarantee-above-parent": self.is_too_small(queue, lambda each: each.guarantee.resource),
                "children-deserved-above-parent": self.is_too_small(queue, lambda each: each.deserved),
            }.items()
            if is_wrong
        }

    def inherited(self, queue: Queue, resource: str) -> float:
        """Return the capability of the nearest queue above that has one."""
        if queue.spec.parent in ("", "root"):
            return float("inf")
        parent = self.queues[queue.spec.parent]
        return numbers(parent.spec.capability).get(resource, self.inherited(parent, resource))

    def is_too_small(self, parent: Queue, promised: Callable[[QueueSpec], ResourceList]) -> bool:
        """Tell whether the children of a queue are promised more than the queue."""
        children = [each.spec for each in self.queues.values() if each.spec.parent == parent.metadata.name]
        own = numbers(promised(parent.spec))
        return any(
            sum(numbers(promised(each)).get(name, 0) for each in children) > own.get(name, 0)
            or (name == "nvidia.com/gpu" and name not in own and any(name in promised(each) for each in children))
            for name in RESOURCES
        )


def found(queues: list[Queue]) -> set[str]:
    """Return the codes of the rules that find something, as the webhook tells them."""
    origin = Origin(YamlDocument(Source("queues.yaml", ""), 0, 0))
    manifests = Manifests(queues=queues, origins={"queues": [origin] * len(queues)})
    context = LintContext(manifests, built_in_configuration(), datetime(2026, 1, 1, tzinfo=UTC))
    checks = {code: RULES[code].check for code in TREE | AMOUNTS}
    codes = {code for code, check in checks.items() if check and any(check(context))}
    return {"tree"} if codes & TREE else codes


def numbers(resources: ResourceList) -> dict[str, float]:
    """Return amounts that are written without units."""
    return {name: float(amount) for name, amount in resources.items()}


quantities: st.SearchStrategy[Quantity] = st.integers(0, 9)
limits: st.SearchStrategy[Quantity] = st.integers(1, 9)  # what 0 is depends on who reads it, and is tested elsewhere
amounts = st.dictionaries(st.sampled_from(RESOURCES), quantities, max_size=2)
capabilities = st.dictionaries(st.sampled_from(RESOURCES), limits, max_size=2)


@st.composite
def queues_in_a_tree(draw: st.DrawFn) -> list[Queue]:
    """Draw queues of which each mostly is below an earlier one, and sometimes anywhere."""
    made: list[Queue] = []
    for index, name in enumerate(NAMES[: draw(st.integers(1, len(NAMES)))]):
        earlier = ["", "root", *NAMES[:index]]
        parent = draw(st.one_of(*[st.sampled_from(earlier)] * 8, st.sampled_from([*NAMES, "gone"])))
        spec = QueueSpec(parent=parent, capability=draw(capabilities), deserved=draw(amounts))
        spec.guarantee = Guarantee(draw(amounts))
        made.append(Queue(ObjectMeta(name), spec))
    return made


@given(queues_in_a_tree())
@settings(max_examples=examples(150))
def test_rules_find_what_the_webhook_refuses(queues: list[Queue]) -> None:
    """The rules find something exactly where the webhook refuses a queue, and for the same reason."""
    assert found(queues) == Webhook(queues).refusals()
