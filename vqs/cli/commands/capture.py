"""`vqs capture`: a snapshot of a cluster, into a file."""

from collections import Counter
from pathlib import Path
from typing import Final

from vqs.capture.run import Captured
from vqs.cli import capturing, options, output
from vqs.cli.again import on_files
from vqs.cli.arguments.capture import Capture
from vqs.cli.failures import say
from vqs.cli.groups import ClusterFlags
from vqs.cli.progress import Progress
from vqs.cli.signals import ended_in_order
from vqs.snapshot.reading.captured import partial
from vqs.snapshot.reading.compression import compression_named

_NAMED: Final = 3


def run(arguments: Capture) -> int:
    """Read the cluster, and write what is of use to vqs."""
    target = options.target_file(arguments.file)
    output.check(target)
    compression = None if target is None else compression_named(target.name)
    with ended_in_order(), output.opened(target) as place, Progress(quiet=arguments.quiet) as progress:
        captured = capturing.capture(arguments.cluster, place, compression, progress)
    if not arguments.quiet:
        _note(captured, arguments.cluster, target)
    return 0


def _note(captured: Captured, cluster: ClusterFlags, target: Path | None) -> None:
    """Tell on stderr what was written, and what could not be read."""
    if cluster.namespace:
        say(f"warning: {partial(cluster.namespace)}")
    for each in captured.missing:
        say(f"{'warning' if each.is_forbidden else 'note'}: {each}")
    following = on_files(str(target)).command("simulate", "").command
    place = f"written to {target}; now run: {following}" if target else "written"
    say(f"{_counted(captured.objects)}; {place}")


def _counted(objects: Counter[str]) -> str:
    """Count what was written: the kinds with the most objects, and all others together."""
    counts = [(count, name.partition(".")[0]) for name, count in objects.most_common() if count]
    others = sum(count for count, _ in counts[_NAMED:])
    words = [f"{count:,} {name if count != 1 else name.removesuffix('s')}" for count, name in counts[:_NAMED]]
    return ", ".join([*words, *([f"{others:,} others"] if others else [])]) or "no objects"
