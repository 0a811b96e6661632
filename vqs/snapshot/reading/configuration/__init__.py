"""The scheduler's configuration in files: finding its text, and reading what it says."""
