"""A what-if analyzer for the Volcano batch scheduler: who gets what, why is this pod pending, what if."""

__version__ = "0.1.0"
