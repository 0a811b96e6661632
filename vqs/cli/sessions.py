"""The options of a session, from what a command was asked for."""

from vqs.cli.groups import SessionFlags
from vqs.cli.progress import Progress
from vqs.explain.simulate import SimulateOptions


def session_options(flags: SessionFlags, progress: Progress | None, *, scenario: str = "") -> SimulateOptions:
    """Return how to run a session.

    The flags about sharding and the usage of nodes are not among these options: `vqs.cli.inputs.read` puts them into
    what is read.
    """
    return SimulateOptions(
        now=flags.now,
        seed=flags.seed,
        sample=flags.sample,
        allow_extender=flags.allow_extender,
        scenario=scenario,
        progress=progress,
    )
