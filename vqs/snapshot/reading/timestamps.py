"""When objects were seen last, which tells when a snapshot was taken."""

from datetime import datetime
from typing import Any

from vqs.model import kubernetes as k8s
from vqs.model.moments import has_room, later


def newest_timestamp(obj: Any, known: datetime | None) -> datetime | None:
    """Return the newest time that an object speaks of as past, other than at the ends of the calendar.

    Args:
        obj: the object.
        known: the newest time that others speak of; it is returned where this object speaks of no newer one.
    """
    newest = known
    for time in _times(obj):
        if time is not None and (newest is None or time > newest) and has_room(time):
            newest = time
    return newest


def _times(obj: Any) -> list[datetime | None]:
    metadata: k8s.ObjectMeta = obj.metadata
    times = [metadata.creation_timestamp]
    if metadata.deletion_timestamp is not None:
        # This is when the grace period will be over; what is past is when deletion was asked for.
        times.append(later(metadata.deletion_timestamp, -(metadata.deletion_grace_period_seconds or 0)))
    status = getattr(obj, "status", None)
    conditions = getattr(status, "conditions", None)
    if conditions:
        times += [condition.last_transition_time for condition in conditions]
    times.append(getattr(status, "start_time", None))
    return times
