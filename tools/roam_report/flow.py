# SPDX-License-Identifier: Apache-2.0
"""What a trace says of the tasks of flow programs: who waited for whom, and the critical path."""
from dataclasses import dataclass, field


@dataclass
class Task:
    label: str  # "relax (jacobi.cpp:12)"
    rank: int
    worker: int
    begin: float  # None: it has not run
    end: float
    busy: float
    parent: int  # its place in the list; -1: none
    parcel: int = 0  # a value or reduction of several ranks
    use: int = 0  # 0: receives the value, 1: sends it, 2: contributes to the reduction, 3: has its result

    @property
    def name(self):
        return self.label.rsplit(" (", 1)[0]


@dataclass
class Flow:
    """Tasks of all ranks, and pairs of them, of which the second waits for the first."""
    tasks: list = field(default_factory=list)
    edges: list = field(default_factory=list)  # (before, task, datum or "": another rank's value)
    stalls: list = field(default_factory=list)  # (rank, begin, end)
    left_out: int = 0
    replays: int = 0  # calls of graph() whose tasks ran by recorded edges
    fallbacks: int = 0  # others
    replayed_tasks: int = 0
    copies: int = 0  # of data for tasks that read, so that others could modify them
    copied_bytes: int = 0
    copies_refused: int = 0  # because of the quota
    elsewhere: int = 0  # tasks that ran where a policy had moved their elements
    fetched: int = 0  # values that tasks needed from there


@dataclass
class Paths:
    length: float  # of the critical path, in seconds of bodies
    path: list  # its tasks
    slack: list  # of each task: so much longer it might have taken


def read(summary, ranks):
    """Reads it from the trace; tasks are recorded with --roam-flow-record only."""
    flow = Flow()
    for rank in summary.get("ranks_detail").items():
        if rank.has("flow_graph_replays"):
            flow.replays += rank.get("flow_graph_replays").count()
            flow.fallbacks += rank.get("flow_graph_fallbacks").count()
            flow.replayed_tasks += rank.get("flow_replayed_tasks").count()
        if rank.has("flow_copies"):
            flow.copies += rank.get("flow_copies").count()
            flow.copied_bytes += rank.get("flow_copied_bytes").count()
            flow.copies_refused += rank.get("flow_copies_refused").count()
        if rank.has("flow_tasks_elsewhere"):
            flow.elsewhere += rank.get("flow_tasks_elsewhere").count()
            flow.fetched += rank.get("flow_values_fetched").count()
    if not summary.has("flow"):
        return flow
    for part in summary.get("flow").items():
        _add_rank(flow, part, ranks)
    _join_ranks(flow)
    return flow


def _join_ranks(flow):
    """Adds the edges between tasks of different ranks."""
    users = {}
    for number, task in enumerate(flow.tasks):
        if task.parcel:
            users.setdefault(task.parcel, ([], [], [], []))[task.use].append(number)
    for receivers, senders, contributors, combiners in users.values():
        if senders:
            flow.edges += [(_sender(flow, senders, flow.tasks[number]), number, "") for number in receivers]
        if not combiners:
            continue
        # The first rank, which combines the contributions of all, sends the result to the others. An operation may have several
        # reductions, in the same order on all ranks.
        root = min(flow.tasks[number].rank for number in combiners)
        roots = [number for number in combiners if flow.tasks[number].rank == root]
        places = {}
        for number in combiners:
            rank = flow.tasks[number].rank
            place = places[rank] = places.get(rank, -1) + 1
            if rank != root and place < len(roots):
                flow.edges.append((roots[place], number, ""))
        flow.edges += [(number, task, "") for task in roots for number in contributors]


def _sender(flow, senders, task):
    """The task that sent a value of this name; since keys are reused there may be several: the last one that ended in time."""
    before = [n for n in senders if None not in (flow.tasks[n].end, task.begin) and flow.tasks[n].end <= task.begin]
    return max(before, key=lambda n: flow.tasks[n].end) if before else senders[-1]


def _add_rank(flow, part, ranks):
    rank = part.get("rank").count()
    if rank >= ranks:
        part.get("rank").fail(f"rank {rank} in a run of {ranks} rank{'s' if ranks > 1 else ''}")
    first = len(flow.tasks)
    labels = [label.text() for label in part.get("labels").items()]
    tasks = part.get("tasks").items()

    def place(field_, low=0):
        number = field_.count(low=low)
        if number >= len(tasks):
            field_.fail(f"task {number} of {len(tasks)}")
        return number + first if number >= 0 else -1

    def label(field_):
        number = field_.count()
        if number >= len(labels):
            field_.fail(f"label {number} of {len(labels)}")
        return labels[number]
    for entry in tasks:
        values = entry.items()
        if len(values) != 8:
            entry.fail("expected label, parent, worker, begin, end, busy, parcel, its use")
        use = values[7].count()
        if use > 3:
            values[7].fail(f"use {use} of a parcel; 0 to 3 are known")
        begin, end = (None if value.value is None else value.real() for value in values[3:5])
        flow.tasks.append(Task(label(values[0]), rank, values[2].count(), begin, end, values[5].seconds(),
                               place(values[1], low=-1), values[6].count(), use))
    for entry in part.get("edges").items():
        values = entry.items()
        if len(values) != 3:
            entry.fail("expected before, task, datum")
        flow.edges.append((place(values[0]), place(values[1]), label(values[2])))
    for entry in part.get("stalls").items():
        values = entry.items()
        if len(values) != 2:
            entry.fail("expected begin, end")
        flow.stalls.append((rank, values[0].real(), values[1].real()))
    flow.left_out += part.get("left_out").count()


def paths(flow):
    """The critical path: the longest chain of tasks of which each waits for the one before it. No number of workers is faster. A task
    with children is over when they are; these begin when its body is over, at the latest."""
    count = len(flow.tasks)
    has_end = {task.parent for task in flow.tasks if task.parent >= 0}

    def over(number):
        return number + count if number in has_end else number
    after = [[] for _ in range(2 * count)]
    missing = [0] * (2 * count)

    def add(before, task):
        after[before].append(task)
        missing[task] += 1
    for before, task, _ in flow.edges:
        add(over(before), task)
    for number, task in enumerate(flow.tasks):
        if number in has_end:
            add(number, over(number))
        if task.parent >= 0:
            add(task.parent, number)
            add(over(number), over(task.parent))
    weight = [task.busy for task in flow.tasks] + [0.0] * count
    order = [node for node in range(2 * count) if missing[node] == 0]
    until = weight[:]  # the longest chain that ends with it
    before_it = [-1] * (2 * count)
    for node in order:
        for other in after[node]:
            if until[node] + weight[other] > until[other] or before_it[other] < 0:
                until[other], before_it[other] = until[node] + weight[other], node
            missing[other] -= 1
            if missing[other] == 0:
                order.append(other)
    rest = [0.0] * (2 * count)  # the longest that comes after it
    for node in reversed(order):
        rest[node] = max((weight[other] + rest[other] for other in after[node]), default=0.0)
    node = max(range(2 * count), key=lambda n: until[n], default=-1)
    length = until[node] if node >= 0 else 0.0
    path = []
    while node >= 0:
        if node < count:
            path.append(node)
        node = before_it[node]
    return Paths(length, path[::-1], [length - until[n] - rest[n] for n in range(count)])


def by_label(flow, found):
    """(label, tasks, seconds, the longest, seconds on the critical path, least slack), by seconds."""
    rows = {}
    on_path = set(found.path)
    for number, task in enumerate(flow.tasks):
        row = rows.setdefault(task.label, [0, 0.0, 0.0, 0.0, float("inf")])
        row[0] += 1
        row[1] += task.busy
        row[2] = max(row[2], task.busy)
        row[3] += task.busy if number in on_path else 0.0
        row[4] = min(row[4], found.slack[number])
    return sorted(((label, *row) for label, row in rows.items()), key=lambda row: -row[2])
