"""When objects were seen last, which tells when a snapshot was taken."""

from datetime import datetime
from typing import Any

from vqs.model import kubernetes as k8s
from vqs.model.moments import has_room, later


def newest_timestamp(obj: Any) -> datetime | None:
    """Return the newest time that an object speaks of as past, other than at the ends of the calendar."""
    metadata: k8s.ObjectMeta = obj.metadata
    times = [metadata.creation_timestamp, _deletion_request(metadata)]
    status = getattr(obj, "status", None)
    times += [condition.last_transition_time for condition in getattr(status, "conditions", ())]
    times.append(getattr(status, "start_time", None))
    return max((time for time in times if time is not None and has_room(time)), default=None)


def _deletion_request(metadata: k8s.ObjectMeta) -> datetime | None:
    """Return when deletion was asked for: the deletion timestamp is when the grace period will be over."""
    if metadata.deletion_timestamp is None:
        return None
    return later(metadata.deletion_timestamp, -(metadata.deletion_grace_period_seconds or 0))
