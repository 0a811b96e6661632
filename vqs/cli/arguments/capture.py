"""`vqs capture`: a snapshot of a cluster, into a file."""

from dataclasses import dataclass
from typing import Annotated, Final

from vqs.cli.command import command
from vqs.cli.groups import ClusterFlags
from vqs.cli.options import Debug, NoNotes, file_name, option

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


@dataclass(frozen=True, kw_only=True)
class Capture:
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

    cluster: ClusterFlags
    file: Annotated[str, option("--output", "FILE", "Where to write it.", file_name, "-o")]
    quiet: NoNotes = False
    debug: Debug = False


COMMAND: Final = command("capture", Capture, _EXAMPLES)
