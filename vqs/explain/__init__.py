"""Turn a finished session into answers."""
