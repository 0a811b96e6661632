"""Points in time as scenarios write them."""

from datetime import datetime

from vqs.model.moments import has_room


def moment(text: str) -> datetime | None:
    """Return a point in time; None where the text is none, or has no zone."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None and has_room(time) else None
