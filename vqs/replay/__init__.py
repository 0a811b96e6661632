"""Workloads over time: a discrete-event simulation of the scheduler, the controllers and the pods."""
