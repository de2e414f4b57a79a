# SPDX-License-Identifier: Apache-2.0
"""Real runs on two ranks of one worker, in which all that is compared takes turns."""
import os
import shutil
import statistics

from .command import count


def cores():
    """How many cores this process may use, a core with several hardware threads counted once."""
    found = set()
    for processor in os.sched_getaffinity(0):
        with open(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list", encoding="ascii") as file:
            found.add(file.read())
    return len(found)


def mpirun(ranks):
    """What starts `ranks` processes, each bound to a core of its own where the machine has so many cores."""
    bound = ("--bind-to", "core") if cores() >= ranks else ("--oversubscribe", "--bind-to", "none")
    return ("mpirun", "-n", str(ranks), *bound)


IN_PROCESS = ("--roam-ranks", "2", "--roam-workers", "1")
_WAYS = {"threads": ((), IN_PROCESS),
         "MPI": (mpirun(2), ("--roam-workers", "1"))}


def add_options(parser, repeats):
    parser.add_argument("--repeats", type=count, default=repeats, help=f"rounds (default: {repeats})")
    parser.add_argument("--no-mpi", action="store_true", help="within a process alone")


def ways(options):
    """What ranks are: (what starts the program, Roam's options)."""
    return {way: how for way, how in _WAYS.items() if way != "MPI" or (shutil.which("mpirun") and not options.no_mpi)}


def turns(names, number):
    """The names in the order of this round: each is the first now and then."""
    first = number % len(names)
    return names[first:] + names[:first]


def median(values):
    return statistics.median(values)


def quartiles(values):
    low, _, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return f"{low:.3f} to {high:.3f}"
