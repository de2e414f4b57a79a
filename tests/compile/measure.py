#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a program and fails if that takes too much processor time or memory.

usage: measure.py --max-seconds S --max-megabytes M [--reference FILE --reference-seconds R] SOURCE
       -- COMPILER [FLAG...]

Processor time, not wall time, is held against the limit, and one try of several that keeps it is
enough, so that other programs on the machine do not fail the test. A machine that needs longer than R
for another file, compiled just before, is allowed as much longer for this one.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time


def compile_once(command):
    """Seconds on the clock, seconds of processor time, peak resident megabytes of the largest process."""
    started = time.monotonic()
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"measure.py: the compiler failed: {' '.join(command)}")
    wall = time.monotonic() - started
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


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
        for number in range(1, options.tries + 1):
            limit = options.max_seconds
            if options.reference:
                _, reference, _ = compile_once(options.compiler + ["-c", options.reference] + output)
                limit *= max(1.0, reference / options.reference_seconds)
            wall, cpu, megabytes = compile_once(command)
            print(f"try {number}: {lines} lines, wall {wall:.2f} s, cpu {cpu:.2f} s "
                  f"(limit {limit:.2f} s), peak {megabytes:.0f} MB "
                  f"(limit {options.max_megabytes:g} MB)")
            if megabytes > options.max_megabytes:
                sys.exit("measure.py: too much memory")  # Does not vary from try to try.
            if cpu <= limit:
                return
    sys.exit("measure.py: too much processor time")


if __name__ == "__main__":
    main()
