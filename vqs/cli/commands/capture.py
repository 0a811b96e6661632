"""`vqs capture`: a snapshot of a cluster, into a file."""

from __future__ import annotations

from collections import Counter
from typing import Final

from vqs.cli import inputs, output
from vqs.cli.command import command
from vqs.cli.failures import say
from vqs.cli.groups import CLUSTER, ClusterFlags, on_files
from vqs.cli.options import NO_NOTES, file_name, option, target_file
from vqs.cli.output import Progress
from vqs.cli.process import ended_in_order

_NAMED: Final = 3

_HELP = """
Save what vqs needs of a cluster in a file, as a List in JSON.

The cluster is read through your own kubectl, with your permissions, page by page; nothing is changed in it. FILE is
compressed with gzip if its name is *.json.gz, with zstd if it is *.json.zst. - is standard output. FILE is written
completely or not at all.

Of the ConfigMaps, only the one of Volcano's scheduler is read. Secrets are not read. Variables,
commands, arguments and probes of containers, options of volumes, managedFields, annotations that vqs does not read
and messages that no scheduler wrote are left out.

Kinds that you may not read, or that the cluster does not serve, are listed, here and by each command that reads
FILE. With -n, everything in other namespaces is missing.
"""

_EXAMPLES = """
\b
Examples:
  vqs capture -o snapshot.json.zst
  vqs capture --context prod -o prod.json.gz
  vqs capture -n research -o research.json
  vqs capture -o - | vqs simulate
  kubectl vqs capture -o snapshot.json.zst

Exit status: 0 the snapshot is written, 2 the cluster cannot be read or the command line is wrong, 130 interrupted.
"""


@command(
    "capture",
    _HELP,
    _EXAMPLES,
    CLUSTER,
    option("--output -o file", "FILE", "Write the snapshot to this file.", file_name, required=True),
    NO_NOTES,
    plugins=False,
    limits=False,
)
def run(*, cluster: ClusterFlags, file: str, quiet: bool) -> int:
    """Read the cluster, and write what is of use to vqs; say on stderr what was written, and what could not be read."""
    from vqs.snapshot.reading.compression import compression_named
    from vqs.snapshot.reading.documents import partial

    target = target_file(file)
    output.check(target)
    compression = None if target is None else compression_named(target.name)
    with ended_in_order(), output.opened(target) as place, Progress() as progress:
        captured = inputs.capture(cluster, place, compression, progress)
    if quiet:
        return 0
    if cluster.namespace:
        say(f"warning: {partial(cluster.namespace)}")
    for each in captured.missing:
        say(f"{'warning' if each.is_forbidden else 'note'}: {each}")
    following = on_files(str(target)).command("simulate", "").command
    where = f"written to {target}; now run: {following}" if target else "written"
    say(f"{_counted(captured.objects)}; {where}")
    return 0


def _counted(objects: Counter[str]) -> str:
    """Count what was written: the kinds with the most objects, and all others together."""
    counts = [(count, name.partition(".")[0]) for name, count in objects.most_common() if count]
    others = sum(count for count, _ in counts[_NAMED:])
    words = [f"{count:,} {name if count != 1 else name.removesuffix('s')}" for count, name in counts[:_NAMED]]
    return ", ".join([*words, *([f"{others:,} others"] if others else [])]) or "no objects"
