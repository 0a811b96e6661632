"""Reasons fit into arrays and come out as the scheduler tells them."""

import numpy as np

from vqs.engine.nodes.reasons import FITS, Reasons


def test_equal_reasons_have_one_code() -> None:
    """The same reasons in the same order are one number."""
    reasons = Reasons()
    assert reasons.code("a", "b") == reasons.code("a", "b") != reasons.code("b", "a")
    assert reasons.code() == FITS


def test_a_reason_is_added_where_asked() -> None:
    """Nodes that gave a reason before keep it, in front."""
    reasons = Reasons()
    codes = np.array([FITS, reasons.code("a"), FITS], np.int32)
    reasons.append(codes, np.array([True, True, False]), "b")
    assert [reasons.texts(int(code)) for code in codes] == [("b",), ("a", "b"), ()]


def test_a_node_with_two_reasons_counts_for_both() -> None:
    """The histogram counts reasons, and the total counts nodes."""
    reasons = Reasons()
    codes = np.array([reasons.code("a", "b"), reasons.code("a")], np.int32)
    errors = reasons.fit_errors(codes)
    assert (errors.nodes, errors.reasons) == (2, {"a": 2, "b": 1})
