"""The concise Scenario kind, ``vqs/v1``: ten lines of YAML that stand for the manifests of a cluster.

A scenario is checked against `schema.json`, then turned into plain manifests, which go the way of all others. What is
wrong with one of these is reported at the place in the scenario that it was generated from.
"""
