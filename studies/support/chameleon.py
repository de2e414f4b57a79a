# SPDX-License-Identifier: Apache-2.0
"""Chameleon's offloading of tasks, the rival in studies/recorded_tasks, as a model without any costs.

Its default strategy (chameleon-hpc/chameleon, strategies.cpp): all ranks know the lengths of all queues. Sorted by them, the
longest is paired with the shortest, the second longest with the second shortest, and so on. The longer one of a pair sends the
shorter one a task if it has at least two more, and a twentieth of its own more, and more than two are left to it. A task that was
sent is not sent on, and is computed before the receiver's own."""
import heapq

LEAST_DIFFERENCE = 2  # MIN_ABS_LOAD_IMBALANCE_BEFORE_MIGRATION
LEAST_PART = 0.05     # MIN_REL_LOAD_IMBALANCE_BEFORE_MIGRATION
STAY = 2              # MIN_LOCAL_TASKS_IN_QUEUE_BEFORE_MIGRATION


def step_seconds(tasks):
    """What a step takes in which rank r has the tasks tasks[r], one after the other, each a number of seconds: until all are
    done. Queues are looked at whenever a task ends, tasks are with their receiver at once, and nothing else takes time."""
    own = [list(reversed(of_rank)) for of_rank in tasks]  # taken from the end
    guests = [[] for _ in tasks]
    idle = set(range(len(tasks)))
    ends = []  # (when, rank)
    now = 0.0
    while True:
        _level(own, guests)
        for rank in sorted(idle):
            queue = guests[rank] or own[rank]
            if queue:
                heapq.heappush(ends, (now + queue.pop(), rank))
                idle.discard(rank)
        if not ends:
            return now
        now, rank = heapq.heappop(ends)
        idle.add(rank)


def _level(own, guests):
    def length(rank):
        return len(own[rank]) + len(guests[rank])
    moved = True
    while moved:
        moved = False
        order = sorted(range(len(own)), key=length)
        for short, long in zip(order[:len(order) // 2], reversed(order)):
            more = length(long) - length(short)
            if more >= LEAST_DIFFERENCE and more >= LEAST_PART * length(long) and len(own[long]) > STAY:
                guests[short].append(own[long].pop(0))  # the one that would be computed last
                moved = True
