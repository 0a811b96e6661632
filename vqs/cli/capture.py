"""`vqs capture`: a snapshot of a cluster, into a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from vqs.cli import live, output
from vqs.cli.again import on_files
from vqs.cli.failures import reported, say
from vqs.cli.options import Debug, file_name, flag, option
from vqs.cli.progress import Progress
from vqs.cli.signals import ended_in_order

if TYPE_CHECKING:
    from collections import Counter

    from vqs.capture.run import Captured

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

_NAMED: Final = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog=_EXAMPLES, short_help="Save what vqs needs of a cluster in a file.")(capture)


def capture(
    *,
    context: live.Context = None,
    namespace: live.Namespace = None,
    kubeconfig: live.Kubeconfig = None,
    timeout: live.Timeout = None,
    file: Annotated[str, option("--output", "FILE", "Where to write it.", file_name, "-o")],
    quiet: Annotated[bool, flag("--quiet", "No notes.", "-q")] = False,
    debug: Debug = False,
) -> None:
    """Save what vqs needs of a cluster in a file, as a List in JSON.

    The cluster is read through your own kubectl, with your rights, page by page; nothing is changed in it. By the name
    of FILE it is compressed: *.json.gz with gzip, *.json.zst with zstd. - is standard output. FILE is there completely
    or not at all.

    Of the ConfigMaps, only the one of Volcano's scheduler is read. Secrets are not read. What containers are told
    (variables, commands, arguments, probes), options of volumes, managedFields, annotations that vqs does not read and
    messages that no scheduler wrote are left out.

    What you have no right to read, or the cluster does not know, is named, here and by whatever reads FILE. With -n,
    that is everything in other namespaces.
    """
    with reported(debug=debug):
        target = output.place(file)
        output.check(target)
        # Imported late: `--help` has no use for it.
        from vqs.snapshot.compression import compression_named  # noqa: PLC0415

        cluster = live.Cluster(context, kubeconfig, namespace, timeout)
        compression = None if target is None else compression_named(target.name)
        with ended_in_order(), output.opened(target) as place, Progress(quiet=quiet) as progress:
            captured = live.capture(cluster, place, compression, progress)
        if not quiet:
            _tell(captured, cluster, target)


def _tell(captured: "Captured", cluster: live.Cluster, target: Path | None) -> None:
    # Imported late, as above.
    from vqs.snapshot.captured import partial  # noqa: PLC0415

    if cluster.namespace:
        say(f"warning: {partial(cluster.namespace)}")
    for each in captured.missing:
        say(f"{'warning' if each.is_forbidden else 'note'}: {each}")
    following = on_files(str(target)).command("simulate", "").command
    place = f"written to {target}; now run: {following}" if target else "written"
    say(f"{_counted(captured.objects)}; {place}")


def _counted(objects: "Counter[str]") -> str:
    """Count what was written: the kinds of which there is most, and all others together."""
    counts = [(count, name.partition(".")[0]) for name, count in objects.most_common() if count]
    others = sum(count for count, _ in counts[_NAMED:])
    words = [f"{count:,} {name if count != 1 else name.removesuffix('s')}" for count, name in counts[:_NAMED]]
    return ", ".join([*words, *([f"{others:,} others"] if others else [])]) or "no objects"
