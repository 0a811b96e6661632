"""Whether more of a figure is better, or less: what best points and the Pareto front are found by.

Operators want pods placed, gangs complete and nodes used; and nothing evicted, pending, stranded or late. Of what is
left, such as what a queue deserves or a job's number of tasks, neither more nor less is better by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vqs.diff.conditions import COUNTS
from vqs.sweep.effects import Better
from vqs.sweep.figures import figure_of
from vqs.sweep.replayed import BY_FAMILY

BETTER: Final[Mapping[str, Better]] = {
    **dict.fromkeys(COUNTS, "less"),
    **dict.fromkeys(("evicted", "pods-lost", "restarted", "pending", "spread", "stranded"), "less"),
    **dict.fromkeys(("queue.pending", "queue.evicted"), "less"),
    **dict.fromkeys(("job.pending", "job.evicted", "job.startCycle"), "less"),
    **dict.fromkeys(("placed", "running", "gangs", "utilisation"), "more"),
    **dict.fromkeys(("queue.placed", "queue.allocated", "job.placed", "job.ready"), "more"),
    **{name: each.better for name, each in BY_FAMILY.items() if each.better is not None},
}
"""The direction of each kind of figure that has one, by the name of its family."""


def better_of(figure: str) -> Better | None:
    """Return the direction of a figure, None where it has none.

    >>> better_of("job:ns/train.pending"), better_of("queue:b.placed"), better_of("queue:b.share")
    ('less', 'more', None)

    Raises:
        ConditionError: there is no such figure.
    """
    return BETTER.get(figure_of(figure).key)
