"""What the actions that evict have in common: who may be evicted where, how plugins vote on it, and in which order."""
