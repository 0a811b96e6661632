"""Plain typed state of a cluster, as the scheduler sees it: no I/O and no policy."""
