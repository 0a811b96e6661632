"""Readers of workloads: scenarios with arrivals, dumps, traces and histories."""
