# SPDX-License-Identifier: Apache-2.0
"""The programs that are run, how often and how long."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    name: str     # of its results, and of the program bench_<name>
    title: str
    full: tuple   # arguments
    quick: tuple
    # One-way times have modes that hold for a pair of processes: where memory came to lie, how far
    # the two cores are apart. Several pairs, then, and the median of their medians.
    pairs: int = 1

    def arguments(self, quick):
        return list(self.quick if quick else self.full)


_REPEATED = ("--repeats", "31"), ("--short", "--repeats", "3")

_IN_PAIRS = ("--repeats", "15"), ("--short", "--repeats", "3"), 5

PROGRAMS = (
    Measurement("ping_pong_mpi", "one-way time over MPI", *_IN_PAIRS),
    Measurement("ping_pong_ucx", "one-way time over UCX", *_IN_PAIRS),
    Measurement("in_process", "one-way time inside a process", *_IN_PAIRS),
    Measurement("mpi_latency", "the MPI endpoint alone", *_REPEATED),
    Measurement("rate_mpi", "rate of messages", *_REPEATED),
    Measurement("bandwidth_mpi", "bandwidth", *_REPEATED),
    Measurement("remote_memory_mpi", "remote memory", *_REPEATED),
    Measurement("soak_mpi", "memory under mixed messages", ("--seconds", "60"), ("--seconds", "4")),
)

# Counted under callgrind, not timed.
INSTRUCTIONS = "message_path"
INSTRUCTION_COUNTS = (5000, 25000)
