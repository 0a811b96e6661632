"""What the texts stand for that the scheduler leaves on pods and PodGroups, in events and in its log."""
