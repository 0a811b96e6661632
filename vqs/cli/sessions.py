"""The options of a session, from what a command was asked for."""

from vqs.cli.groups import SessionFlags
from vqs.cli.progress import Progress
from vqs.explain.simulate import SimulateOptions
from vqs.model.node_sample import NodeSample


def session_options(
    flags: SessionFlags, progress: Progress, *, scenario: str = "", sample: NodeSample | None = None
) -> SimulateOptions:
    """Return how to run a session.

    The flags about sharding are not among these options: `vqs.cli.inputs.read` puts them into what is read.
    """
    return SimulateOptions(
        now=flags.now,
        seed=flags.seed,
        sample=sample,
        allow_extender=flags.allow_extender,
        scenario=scenario,
        progress=progress,
    )
