"""What all tests share."""

from hypothesis import settings

# Random input is the same on every run, so that a failure tells of a change; and a busy machine is no failure.
settings.register_profile("vqs", deadline=None, derandomize=True)
settings.load_profile("vqs")
