"""When jobs that wait will start: replays of a snapshot under several seeds, from what is left of the pods that run."""
