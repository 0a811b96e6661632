"""The pace of a real cluster beside the sessions, as measured (real API server, controllers and scheduler v1.14.4).

docs/replay.md says what is modelled of it and what is not.
"""

from __future__ import annotations

from typing import Final

PERIOD: Final = 1.0
"""The seconds from the end of a session to the start of the next one, unless given otherwise."""

WRITE: Final = 0.009
"""The seconds that a session takes for each pod that it binds or evicts, and each PodGroup whose phase it writes."""

START_DELAY: Final = 0.03
"""The seconds from being bound to running, unless given otherwise."""

GROUP_CREATED: Final = 0.03
"""The seconds from the submission of a job to its PodGroup: the API server, the webhook and the controller."""

PODS_CREATED: Final = 0.05
"""The seconds from the end of the session that admits a PodGroup to its pods."""

REACTION: Final = 0.03
"""The seconds in which a controller acts on something that happened to a pod."""

REMOVAL: Final = 0.12
"""The seconds from being told to go to being gone, for a pod that ends at once."""

GIVEN_UP: Final = 300.0
"""The seconds after which Kubernetes deletes the pods of a node that has failed."""
