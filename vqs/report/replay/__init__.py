"""The report on a workload over time."""
