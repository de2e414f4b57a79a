# SPDX-License-Identifier: Apache-2.0
"""The table's rows: what is wanted of each, and what was measured."""
from dataclasses import dataclass

AT_MOST, AT_LEAST, BELOW = "at most", "at least", "below"


@dataclass(frozen=True)
class Target:
    group: str
    what: str
    source: str            # the measurement
    row: str               # of its results
    kind: str
    limit: float
    unit: str = ""         # "": a ratio to raw MPI


@dataclass(frozen=True)
class Outcome:
    target: Target
    limit: float
    value: float
    low: float             # quartiles over the repeats
    high: float
    ours: str = ""         # absolute medians, for the reader
    raw: str = ""

    @property
    def met(self):
        kind = self.target.kind
        return self.value < self.limit if kind == BELOW else \
            self.value <= self.limit if kind == AT_MOST else self.value >= self.limit


def _ratios(group, source, rows, kind, limit):
    return [Target(group, what, source, row, kind, limit) for what, row in rows]


_SMALL = [(size, f"{size}, shared") for size in ("8 B", "64 B", "512 B")]

TARGETS = tuple(
    _ratios("one-way time over MPI", "ping_pong_mpi", _SMALL, AT_MOST, 1.15)
    + _ratios("one-way time over MPI", "ping_pong_mpi", [("64 KiB", "64 KiB, shared")], AT_MOST, 1.05)
    + _ratios("one-way time over UCX", "ping_pong_ucx", _SMALL, AT_MOST, 0.90)
    + _ratios("one-way time inside a process", "in_process", [("8 B", "8 B")], BELOW, 1.0)
    + _ratios("rate, many small messages", "rate_mpi", [("8 B", "8 B")], AT_LEAST, 5.0)
    + _ratios("bandwidth", "bandwidth_mpi",
              [(size, f"{size}, messages") for size in ("1 MiB", "2 MiB", "4 MiB")], AT_LEAST, 0.97)
    + _ratios("remote memory", "remote_memory_mpi", [("put 1 MiB", "put 1 MiB")], AT_MOST, 1.05)
    + _ratios("remote memory", "remote_memory_mpi",
              [("fetch-add, there and back", "fetch-add, there and back")], AT_MOST, 1.2)
    + [Target("instructions beside the network's", "per message", "message_path", "", AT_MOST, 400,
              "instructions"),
       # None: no more than a batch of messages under way, which the results tell.
       Target("memory under mixed messages", "growth", "soak_mpi", "", AT_MOST, 0, "KiB")])


def _absolute(value, unit):
    return f"{value:.3g} {unit}"


def _ratio_outcome(target, result):
    for row in result["rows"]:
        if row["name"] == target.row:
            ratio = row["ratio"]
            return Outcome(target, target.limit, ratio["median"], ratio["quartile_1"],
                           ratio["quartile_3"], _absolute(row["roam"]["median"], result["unit"]),
                           _absolute(row["yardstick"]["median"], result["unit"]))
    return None


def _instructions_outcome(target, result):
    value = result["overhead"]
    return Outcome(target, target.limit, value, value, value,
                   f"{result['total']:.0f} in all", f"{result['transport']:.0f} the network's")


def _growth_outcome(target, result):
    growth = [rank["growth_kib"] for rank in result["ranks"]]
    return Outcome(target, result["tolerance_kib"], max(growth), min(growth), max(growth),
                   f"in {result['seconds']:.0f} s", "")


def outcomes(results):
    """(outcomes, missing): one of the two holds each target. `results` by measurement."""
    done, missing = [], []
    for target in TARGETS:
        result = results.get(target.source)
        make = {"": _ratio_outcome, "instructions": _instructions_outcome,
                "KiB": _growth_outcome}[target.unit]
        outcome = make(target, result) if result else None
        if outcome:
            done.append(outcome)
        else:
            missing.append(target)
    return done, missing
