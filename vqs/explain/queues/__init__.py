"""What `vqs explain-queue` answers: how a queue came by what it deserves, and what keeps jobs out of it.

- `outcome`: the result document
- `turn`: the account of every job that asked to enter, who holds what is promised, and which queue is served first
- `room`: what could still be taken, job by job
- `answer`: the same in a few sentences
- `report`: all of it, from a session, with the steps of each figure and what the scheduler would export
"""
