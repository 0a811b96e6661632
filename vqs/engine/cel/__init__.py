"""The Common Expression Language, as selectors of devices use it.

Written for vqs, not taken from a library: an expression comes from whoever wrote the manifest, so its evaluation is
counted and cut off, which the libraries for Python do not offer; and selectors need types and defaults that only
Kubernetes has.
Reference: the language definition of google/cel-spec; k8s.io/dynamic-resource-allocation/cel (v0.34).
"""
