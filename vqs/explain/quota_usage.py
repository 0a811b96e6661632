"""What quotas count after a session: the pods that controllers have made since are in use, those that are gone are not.

Reference: k8s.io/kubernetes pkg/controller/resourcequota.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.quantity_text import add, times
from vqs.snapshot.controllers.usage import usage_of_pod
from vqs.snapshot.reading.manifests import Manifests


def with_quota_usage(after: Manifests, before: Manifests) -> Manifests:
    """Return manifests whose quotas have counted which pods came and went since an earlier moment.

    What was in use then is as the quotas say, whatever pods there were; before the first session they have not counted
    the pods that controllers have only just made.
    """
    if not after.resource_quotas:
        return after
    old, new = ({pod.metadata.key: pod for pod in each.pods} for each in (before, after))
    if not before.sessions:
        for key in before.created_from.get("pods", {}):
            old.pop(key, None)
    came = [pod for key, pod in new.items() if key not in old]
    went = [pod for key, pod in old.items() if key not in new]
    return replace(after, resource_quotas=[counted(quota, came, went) for quota in after.resource_quotas])


def counted(quota: k8s.ResourceQuota, came: Iterable[k8s.Pod], went: Iterable[k8s.Pod]) -> k8s.ResourceQuota:
    """Return a quota that has counted pods that came and pods that went; those of other namespaces do not count."""
    used = dict(quota.status.used)
    for pods, sign in ((came, 1), (went, -1)):
        for pod in pods:
            usage = usage_of_pod(pod) if pod.metadata.namespace == quota.metadata.namespace else {}
            for name in usage.keys() & quota.status.hard.keys():
                used[name] = add(used.get(name, "0"), times(usage[name], sign))
    return structs.replace(quota, status=structs.replace(quota.status, used=used))
