"""What is said of a queue beside its figures."""

from __future__ import annotations

from tests.report.queue_reports import BROKEN, TREE, WEIGHTS, report


def test_the_document_has_what_is_said_of_each_queue() -> None:
    """Of a queue that divides the cluster by weight: the share that it holds, and its weight."""
    [facts] = [each.facts for each in report(WEIGHTS).queues if each.name == "A"]
    assert facts[0].endswith("that it deserves")
    assert facts[1].startswith("weight ")


def test_a_tree_shows_the_parent_of_each_queue() -> None:
    """So it is not said once more; nor are weights, which mean nothing with capacity."""
    facts = {each.name: each.facts for each in report(TREE).queues}
    assert facts["root"] == ["deserves nothing", "not reclaimable"]
    assert not any(fact.startswith(("child of ", "weight ")) for each in facts.values() for fact in each)


def test_where_nothing_is_scheduled_no_share_is_said() -> None:
    """What queues hold then says nothing; who is whose child does, as the tree is not drawn."""
    facts = [fact for each in report(BROKEN).queues for fact in each.facts]
    assert not any("deserve" in fact for fact in facts)
    assert any(fact.startswith("child of ") for fact in facts)
