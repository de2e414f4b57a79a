#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a program and fails if that takes too much processor time or memory.

usage: measure.py --max-seconds S --max-megabytes M [--reference FILE --reference-seconds R] SOURCE
       -- COMPILER [FLAG...]

The processor time of the compiler itself, not wall time, is held against the limit. On a busy machine
it varies from try to try, too, and only ever upwards: so another file, the reference, and the program
are compiled in turn, and the lowest time that each has needed so far counts. A machine that needs longer
than R for the reference is allowed as much longer for the program. The test passes once the lowest times
keep the limit after at least two tries of both, so that one slow try of the reference hides nothing; it
fails if they do not after all tries.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

LEAST_TRIES = 2


def compile_once(command):
    """Seconds on the clock, seconds of the compiler's processor time, peak resident megabytes of the
    largest process. What the system does for it, such as reading files, is not counted."""
    started = time.monotonic()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"measure.py: the compiler failed: {' '.join(command)}")
    wall = time.monotonic() - started
    return wall, usage.ru_utime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max-seconds", type=float, required=True)
    parser.add_argument("--max-megabytes", type=float, required=True)
    parser.add_argument("--tries", type=int, default=8)
    parser.add_argument("--reference")
    parser.add_argument("--reference-seconds", type=float, default=1)
    parser.add_argument("source")
    parser.add_argument("compiler", nargs="+")
    options = parser.parse_args()

    os.environ["CCACHE_DISABLE"] = "1"  # A cached answer would measure nothing.
    lines = sum(1 for line in open(options.source, encoding="utf-8")
                if line.strip() and not line.startswith("//"))
    with tempfile.TemporaryDirectory() as folder:
        output = ["-o", os.path.join(folder, "program.o")]
        command = options.compiler + ["-c", options.source] + output
        least_reference = least_cpu = float("inf")
        for number in range(1, options.tries + 1):
            limit = options.max_seconds
            if options.reference:
                _, reference, _ = compile_once(options.compiler + ["-c", options.reference] + output)
                least_reference = min(least_reference, reference)
                limit *= max(1.0, least_reference / options.reference_seconds)
            wall, cpu, megabytes = compile_once(command)
            least_cpu = min(least_cpu, cpu)
            ratio = f", {least_cpu / least_reference:.2f} times the reference" if options.reference else ""
            print(f"try {number}: {lines} lines, wall {wall:.2f} s, cpu {cpu:.2f} s, least so far "
                  f"{least_cpu:.2f} s (limit {limit:.2f} s){ratio}, peak {megabytes:.0f} MB "
                  f"(limit {options.max_megabytes:g} MB)")
            if megabytes > options.max_megabytes:
                sys.exit("measure.py: too much memory")  # Does not vary from try to try.
            if number >= LEAST_TRIES and least_cpu <= limit:
                return
    sys.exit("measure.py: too much processor time")


if __name__ == "__main__":
    main()
