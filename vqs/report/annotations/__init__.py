"""Annotations on lines of files, and the formats of the programs that collect them."""
