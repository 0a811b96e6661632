"""The Common Expression Language, as selectors of devices use it: attributes, amounts, texts, lists and logic.

Written for vqs, not taken from a library: an expression comes from whoever wrote the manifest, so its evaluation is
counted and cut off. The libraries for Python cannot be: cel-expr-python, of Google, stops long loops, and neither texts
nor lists that double again and again. It also has no values of its own types for functions in Python, which quantities
and versions are. So that this stays small, not all of the language is modelled; what is not is told from a mistake.
References: the language definition of google/cel-spec; k8s.io/dynamic-resource-allocation/cel (v0.34).
"""
