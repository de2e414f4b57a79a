# SPDX-License-Identifier: Apache-2.0
"""Makes traces like those of --roam-trace, from a toy simulation of balancing.

`sample_traces.py FOLDER` writes some there, to look at the pages that roam makes of them.
"""
import heapq
import json
import os
import random
import sys


class Machine:
    """Runs a list of objects per rank; an idle rank takes one from the fullest, if told to."""

    def __init__(self, ranks, workers, balance, seed=1):
        self.ranks, self.workers, self.balance = ranks, workers, balance
        self.random = random.Random(seed)
        self.events, self.decisions = [], []
        self.busy = [[0.0] * workers for _ in range(ranks)]
        self.over = [[0.0] * workers for _ in range(ranks)]
        self.done = [[0] * workers for _ in range(ranks)]
        self.out, self.into, self.bytes = [0] * ranks, [0] * ranks, [0] * ranks

    def run(self, queues):
        self.queues = queues
        ready = [(0.0, r, w) for r in range(self.ranks) for w in range(self.workers)]
        heapq.heapify(ready)
        end = 0.0
        while ready:
            now, rank, worker = heapq.heappop(ready)
            end = max(end, now)
            if not self.queues[rank] and (not self.balance or not self._steal(now, rank)):
                continue
            heapq.heappush(ready, (self._execute(now, rank, worker), rank, worker))
        return end

    def _steal(self, now, rank):
        victim = max(range(self.ranks), key=lambda r: sum(c for _, c in self.queues[r]))
        if not self.queues[victim] or victim == rank:
            return False
        name, cost = max(self.queues[victim], key=lambda item: item[1])
        self.queues[victim].remove((name, cost))
        size = int(cost * 4e5 + self.random.randrange(20000))
        refused = self.random.random() < 0.2
        self.decisions.append({
            "time_seconds": now, "policy": "diffusion", "from": victim, "to": rank,
            "object": name, "load_seconds": cost, "bytes": size, "gain_seconds": cost * 0.6,
            "cost_seconds": size / 1e9 + 1e-5, "outcome": "refused" if refused else "moved",
            "reason": "victim keeps it: below threshold" if refused else "rank idle"})
        if refused:
            self.queues[victim].append((name, cost))
            return self._steal(now, rank)
        self.out[victim] += 1
        self.into[rank] += 1
        self.bytes[victim] += size
        self.events.append({"name": "migrate", "cat": "migration", "ph": "i", "ts": now * 1e6,
                            "pid": victim, "tid": 0, "s": "g", "args": {
                                "object": name, "from": victim, "to": rank, "bytes": size}})
        self.queues[rank].append((name, cost))
        return True

    def _execute(self, now, rank, worker):
        name, cost = self.queues[rank].pop(0)
        over = 0.01 * cost + 1e-4
        for what, kind, start, long in (("deliver", "runtime", now, over),
                                        ("refine", "handler", now + over, cost)):
            self.events.append({"name": what, "cat": kind, "ph": "X", "ts": start * 1e6,
                                "dur": long * 1e6, "pid": rank, "tid": worker,
                                "args": {"object": name}})
        self.busy[rank][worker] += cost
        self.over[rank][worker] += over
        self.done[rank][worker] += 1
        return now + over + cost


def trace(ranks, workers, balance, per_worker=20, detail=True, mean=0.5):
    """A whole trace, as a dictionary; the first ranks hold the heavy objects."""
    draw = random.Random(7)
    queues = []
    for rank in range(ranks):
        heavy = 3.0 if rank < max(ranks // 4, 1) else 0.5 if rank > ranks // 2 else 1.0
        queues.append([(f"{rank}:{i}", heavy * mean * min(draw.lognormvariate(-0.3, 0.8), 3.0))
                       for i in range(per_worker * workers)])
    machine = Machine(ranks, workers, balance)
    end = machine.run(queues) * 1.002 + 0.01
    names = [{"ph": "M", "name": "process_name", "pid": r, "args": {"name": f"rank {r}"}}
             for r in range(ranks)]
    return {"displayTimeUnit": "ms", "traceEvents": names + machine.events if detail else [],
            "roam": summary(machine, end)}


def summary(machine, end):
    workers = [{"rank": r, "worker": w, "busy_seconds": machine.busy[r][w],
                "idle_seconds": max(end - machine.busy[r][w] - machine.over[r][w], 0.0),
                "overhead_seconds": machine.over[r][w], "handlers_run": machine.done[r][w]}
               for r in range(machine.ranks) for w in range(machine.workers)]
    detail = [{"rank": r, "messages_sent": 40 + 3 * machine.out[r],
               "bytes_sent": 6400 + machine.bytes[r], "messages_received": 40,
               "migrations_out": machine.out[r], "migrations_in": machine.into[r],
               "migrated_bytes_out": machine.bytes[r], "forwarded_calls": machine.out[r] // 3}
              for r in range(machine.ranks)]
    return {"format": 1, "program": "mesh_refine", "transport": "in-process",
            "balancer": "diffusion" if machine.balance else "none", "ranks": machine.ranks,
            "workers_per_rank": machine.workers, "simulated": False, "makespan_seconds": end,
            "workers": workers, "ranks_detail": detail, "decisions": machine.decisions}


def add_phases(value, count=6):
    """Phases, of which the first and the fourth are balanced, and who communicated with whom."""
    roam, loads = value["roam"], []
    end = roam["makespan_seconds"]
    for i in range(count):
        longest = 1.6 if i in (0, 3) else 1.05
        loads.append({"phase": i, "time_seconds": end * (i + 1) / count, "seconds": end / count,
                      "objects": 40, "max_load_seconds": longest, "mean_load_seconds": 1.0,
                      "predicted_max_seconds": 1.02 if i in (0, 3) else longest,
                      "moved_objects": 7 if i in (0, 3) else 0, "gain_seconds": 0.58,
                      "cost_seconds": 0.001, "decision_seconds": 0.002})
    ranks = roam["ranks"]
    roam["phases"] = loads
    roam["traffic"] = [[s, t, 10 + s, 1000 * (1 + t)] for s in range(ranks)
                       for t in range(ranks) if s != t]
    return value


def add_expectations(value, factor=1.25):
    """Adds to phases that load models predict the next one to take the given multiple of the last one."""
    for phase in value["roam"]["phases"]:
        phase["expected_max_seconds"] = factor * phase["max_load_seconds"]
        phase["expected_mean_seconds"] = factor * phase["mean_load_seconds"]
        phase["predicted_max_seconds"] *= factor
    return value


def add_flow(value):
    """Tasks of two ranks. The critical path is parent, child, end: 5.5 s; that through both ranks takes 5.2 s."""
    def task(label, busy, parent=-1, parcel=0, is_sent=0):
        return [label, parent, 0, 0.0, busy, busy, parcel, is_sent]
    value["roam"]["flow"] = [
        {"rank": 0, "left_out": 3, "labels": ["begin (a.cpp:1)", "b (a.cpp:2)", "c (a.cpp:3)", "send (a.cpp:4)", "x (int, a.cpp:1)"],
         "tasks": [task(0, 1.0), task(1, 2.0), task(2, 3.0), task(3, 0.1, -1, 7, 1)],
         "edges": [[0, 1, 4], [0, 2, 4], [2, 3, 4]], "stalls": [[0.5, 0.75]]},
        {"rank": 1, "left_out": 0, "labels": ["receive (a.cpp:4)", "d (a.cpp:5)", "parent (a.cpp:6)", "child (a.cpp:7)",
                                              "end (a.cpp:8)", "y (int, a.cpp:1)"],
         "tasks": [task(0, 0.1, -1, 7), task(1, 1.0), task(2, 0.5), task(4, 1.0), task(3, 4.0, 2),
                   [1, -1, 0, None, None, 0.0, 0, 0]],
         "edges": [[0, 1, 5], [2, 3, 5]], "stalls": []}]
    return value


def add_offload(value, steps=12):
    """Steps in which rank 1 is late: 0 waits for it, the others for 0, and get more of its tasks in each step."""
    roam = value["roam"]
    ranks, made = roam["ranks"], []
    for i in range(steps):
        takers = [r for r in range(ranks) if r != 1][-min(i, ranks - 1):] if i else []
        made.append({
            "step": i, "time_seconds": roam["makespan_seconds"] * (i + 1) / steps,
            "seconds": 2.0 / (1 + len(takers)), "relaxation": 0.9 ** i, "critical": 1,
            "victim": ranks - 1, "tasks": 50 * ranks, "offloaded": 4 * len(takers),
            "allowed": 5 * len(takers), "recomputed": 2 if i == 3 else 0, "in_vain": 1 if i == 3 else 0,
            "emergencies": 1 if i == 3 else 0, "emergency_reasons": {"congestion": 1} if i == 3 else {},
            "blacklisted": [ranks - 2] if i == 4 else [], "blacklist_reasons": ["late results"] if i == 4 else [],
            "waits": [[0, 1, 0.5]] + [[r, 0, 0.25 + r / (8 * ranks)] for r in range(ranks - 1, 1, -1)],
            "flows": [[1, r, 4, 5] for r in takers], "waits_left_out": 0, "flows_left_out": 0})
    roam["offload"] = {"strategy": "diffusion", "steps_left_out": 0, "steps": made}
    return value


def add_trips(value):
    """Of 20 tasks that rank 0 sent to rank 1, 18 came in time, one too late, and one came back unbegun."""
    trips, visits = [], []
    for i in range(20):
        sent = 0.01 * i
        outcome = "late" if i == 18 else "sent back" if i == 19 else "used"
        back = sent + 0.004 + 0.0001 * i
        recomputed = sent + 0.003 if outcome != "used" else None
        delivered = back + 0.0005 if outcome == "used" else sent + 0.005
        trips.append([i % 4, 0, 1, outcome, sent - 0.001, sent, back, recomputed, delivered])
        if outcome != "sent back":
            visits.append([i % 4, 0, 5 + sent, 5.001 + sent, 5.003 + sent])  # by a clock of its own
    value["roam"]["offload_trips"] = [
        {"rank": 0, "left_out": 7, "labels": ["&predict<8>"], "trips": trips, "visits": []},
        {"rank": 1, "left_out": 0, "labels": [], "trips": [], "visits": visits}]
    return value


def result():
    """The figures that an application adds with --result."""
    rows = {"elements": 1254321, "worst quality": 0.11824, "checksum": "9f3c01d2"}
    return {"title": "Femur, 64 subdomains",
            "caption": "The refined mesh, coloured by the rank that refined each subdomain.",
            "runs": [{"label": "balancing off", "rows": rows},
                     {"label": "balancing on", "rows": dict(rows)}],
            "notes": ["Both runs gave the same mesh."]}


def write(path, value):
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(value, stream)
    return path


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, ranks, workers, per, detail in (
            ("small", 2, 1, 32, True), ("middle", 10, 32, 20, True), ("large", 350, 16, 5, False)):
        for state in (False, True):
            write(os.path.join(folder, f"{name}-{'on' if state else 'off'}.json"),
                  trace(ranks, workers, state, per, detail))
    write(os.path.join(folder, "result.json"), result())


if __name__ == "__main__":
    if len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        print(__doc__.strip())
