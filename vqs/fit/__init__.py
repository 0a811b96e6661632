"""Whether a new job would run, and how large it may be."""
