"""Thousands of what-ifs: a space of edits, a session for each of its points, and the figures of all of them."""
