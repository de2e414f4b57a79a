# SPDX-License-Identifier: Apache-2.0
"""The programs that are run, each once, and how long."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    name: str     # of its results, and of the program bench_<name>
    title: str
    full: tuple   # arguments
    quick: tuple

    def arguments(self, quick):
        return list(self.quick if quick else self.full)


_REPEATED = ("--repeats", "31"), ("--short", "--repeats", "3")

PROGRAMS = (
    Measurement("ping_pong_mpi", "one-way time over MPI", *_REPEATED),
    Measurement("ping_pong_ucx", "one-way time over UCX", *_REPEATED),
    Measurement("in_process", "one-way time inside a process", *_REPEATED),
    Measurement("mpi_latency", "the MPI endpoint alone", *_REPEATED),
    Measurement("rate_mpi", "rate of messages", *_REPEATED),
    Measurement("bandwidth_mpi", "bandwidth", *_REPEATED),
    Measurement("remote_memory_mpi", "remote memory", *_REPEATED),
    Measurement("soak_mpi", "memory under mixed messages", ("--seconds", "60"), ("--seconds", "4")),
)

# Counted under callgrind, not timed.
INSTRUCTIONS = "message_path"
INSTRUCTION_COUNTS = (5000, 10000)
