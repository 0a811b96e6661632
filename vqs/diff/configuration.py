"""Where the scheduler's configuration comes from on both sides: settings may be the same though neither is read."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from vqs.config.scheduler_conf import BUILT_IN
from vqs.diff.outcome import ConfigurationDifference
from vqs.diff.run import Input
from vqs.snapshot.reading.configuration.text import ConfigText, configurations_of


def configuration_difference(before: Input, after: Input) -> ConfigurationDifference | None:
    """Return whether the configuration is gone, new or moved, or whether the change touches another one beside it.

    Without a configuration, the scheduler runs with its default. Another configuration beside the compared one is
    reported only where the change adds or edits it: in the cluster, it may be the one that the scheduler reads.

    A ConfigMap is moved if its name or its key changes. The scheduler does not see in which file a ConfigMap is, so
    file names do not count in a comparison of two snapshots. A comparison with a revision reads the same files twice:
    there the namespace counts as well, and so does the name of a file that holds only the configuration.
    """
    one, other = before.manifests.conf, after.manifests.conf
    if one is None or other is None:
        if one is other:
            return None
        said = {"before": _name(one), "after": _name(other)}
        return ConfigurationDifference(change="gone" if other is None else "new", **said)
    if _is_moved(_Place.of(one), _Place.of(other), before.revision, after.checkout):
        return ConfigurationDifference(change="moved", before=_name(one), after=_name(other))
    known, own = _in_config_maps(before), _Place.of(other)
    added = [
        name
        for place, (name, text) in _in_config_maps(after).items()
        if text != other.text and not own.is_in(*place) and known.get(place, ("", None))[1] != text
    ]
    return ConfigurationDifference(change="beside", before=_name(one), after=added[0]) if added else None


def _in_config_maps(side: Input) -> dict[tuple[str, str, str], tuple[str, str]]:
    """Return the configurations in ConfigMaps, by namespace, name and key: how they are called, and what they say."""
    pairs = side.manifests.with_origins("config_maps")
    found = (each for config_map, origin in pairs for each in configurations_of(config_map, origin))
    return {(each.namespace, each.owner, each.key): (each.name, each.text) for each in found}


class _Place(NamedTuple):
    """Where a configuration stands: in which ConfigMap, and under which key, or in which file."""

    name: str
    key: str
    namespace: str
    file: str

    @classmethod
    def of(cls, conf: ConfigText) -> _Place:
        """Return the place of a configuration."""
        return cls(conf.owner, conf.key, conf.namespace, conf.document.source.name)

    def is_in(self, namespace: str, name: str, key: str) -> bool:
        """Tell whether it stands under a key of a ConfigMap."""
        return (name, key) == self[:2] and self.namespace in ("", namespace)


def _is_moved(one: _Place, other: _Place, revision: str, checkout: str) -> bool:
    if one.name and other.name:
        return one[:2] != other[:2] or (bool(revision) and one.namespace != other.namespace)
    if not revision:
        return False
    if one.name or other.name:
        return True
    return one.file.removeprefix(f"{revision}:") != _in_checkout(other.file, checkout)


def _in_checkout(file: str, checkout: str) -> str:
    """Return what git calls a file; a link is not followed, as it is one to git as well."""
    path = Path(file).absolute()
    real = path.parent.resolve() / path.name
    return real.relative_to(checkout).as_posix() if real.is_relative_to(checkout) else str(real)


def _name(conf: ConfigText | None) -> str:
    return conf.name if conf is not None else BUILT_IN
