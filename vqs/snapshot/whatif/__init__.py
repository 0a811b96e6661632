"""Changes to what is read: edits, updates, overlays, and revisions of a repository."""
