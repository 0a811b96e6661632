"""What is wrong with Jobs, PodGroups, pods and the templates of pods."""
