"""A workload over time: what is said of how long its jobs waited, and what that cost."""
