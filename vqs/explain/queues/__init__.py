"""What `vqs explain-queue` answers: how a queue came by what it deserves, and what keeps jobs out of it.

- `outcome`: the result document
- `derivation`: how deserved and the limits came about, step by step
- `gates`: the account of every job that asked to enter, and who holds what is promised
- `room`: what could still be taken, job by job
- `order`: who is served first, and which comparison decided
- `metrics`: what the scheduler would export
- `report`: all of it, from a session
"""
