"""The claims of a job's pods, on volumes and on devices."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.scenario import devices, storage
from vqs.snapshot.scenario.generated import Generated, Object
from vqs.snapshot.scenario.lookup import Lookup, Named

_SPEC_KEYS: Final = {"volumes": "volumes", "devices": "resourceClaims"}
"""By the key of a role: the key of a pod's spec that is made from it."""

_NAMED: Final = {
    "volumes": (storage.OWN_KEYS, Named.STORAGE_CLASS, Named.VOLUME_CLAIM, "volumeClaims"),
    "devices": (devices.OWN_KEYS, Named.DEVICE_CLASS, Named.DEVICE_CLAIM, "deviceClaims"),
}
"""By the key of a role: the keys of a claim of a pod's own, its class, and claims that have names."""


class PodClaims:
    """Checks what the roles of jobs say of claims, and makes the claims of each pod's own."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def check(self, entry: Mapping[str, Any], origin: Origin, namespace: str, *, on_nodes: bool) -> None:
        """Report what cannot be; `on_nodes` says whether some of the pods have a node."""
        for key, spec_key in _SPEC_KEYS.items():
            if key in entry and spec_key in entry.get("spec", {}):
                self._lookup.refuse(origin, f"{spec_key} is given twice", ("spec", spec_key), "keep one of them")
            names: set[str] = set()
            for index, each in enumerate(entry.get(key, ())):
                self._check_one(key, each, origin.inside(key, index), namespace, on_nodes=on_nodes)
                name = each.get("name")
                if name is not None and name in names:
                    self._lookup.refuse(origin, f"{name} is given twice", (key, index, "name"), code="duplicate-object")
                names |= {name}

    def _check_one(self, key: str, entry: Mapping[str, Any], origin: Origin, namespace: str, *, on_nodes: bool) -> None:
        own_keys, class_kind, claim_kind, claims = _NAMED[key]
        if "claim" in entry:
            self._lookup.require(claim_kind, entry["claim"], origin, ("claim",), namespace)
            for own in (each for each in own_keys if each in entry):
                message = f"{own} is given, and the claim {entry['claim']!r}, which says that itself"
                self._lookup.refuse(origin, message, (own,), "keep one of them")
            return
        if "class" not in entry:
            self._lookup.refuse(origin, "class is missing", (), "give the class, or a claim", "missing-value")
            return
        self._lookup.require(class_kind, entry["class"], origin, ("class",))
        if on_nodes:
            message = "pods that are on a node have what they claim already"
            self._lookup.refuse(origin, message, (), f"name the claim that has it, one of {claims}: {{claim: NAME}}")

    def spec(self, entry: Mapping[str, Any], group: str, role: str, pod: str) -> Object:
        """Return what a pod's spec says of its claims."""
        spec: Object = {}
        if "volumes" in entry:
            spec["volumes"] = storage.pod_volumes(entry["volumes"], pod)
        if "devices" in entry:
            spec["resourceClaims"] = devices.pod_claims(entry["devices"], f"{group}-{role}")
        return spec

    def of_role(
        self, entry: Mapping[str, Any], group: str, role: str, place: tuple[str, Origin]
    ) -> Iterator[Generated]:
        """Yield the templates that the pods of a role share; `place` is their namespace and where they stand."""
        if "devices" in entry:
            yield from devices.templates(entry["devices"], f"{group}-{role}", *place)

    def of_pod(self, entry: Mapping[str, Any], pod: str, place: tuple[str, Origin]) -> Iterator[Generated]:
        """Yield the claims of a pod."""
        if "volumes" in entry:
            yield from storage.claims_of_pod(entry["volumes"], pod, *place)
