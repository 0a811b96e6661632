"""Capturing a cluster: what vqs reads of it, through the user's own kubectl, into a file."""
