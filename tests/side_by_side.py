#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests that hardly do anything but wait side by side, three at a time, in the order given.

usage: side_by_side.py FILE

FILE is a JSON list of {"name": ..., "environment": ["NAME=VALUE", ...], "command": [...]}. Prints a line for each
test, with its output if it failed or was skipped (exit status 77). Exits with 1 if one has failed.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

SKIPPED = 77
AT_A_TIME = 3
LONGEST = 240  # seconds that a test may take


def run(test):
    """(name, result, seconds, output)"""
    environment = {**os.environ, **dict(one.split("=", 1) for one in test["environment"] if one)}
    begin = time.monotonic()
    try:
        done = subprocess.run(test["command"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LONGEST, check=False)
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as timeout:
        status, output = f"no end within {LONGEST} s", (timeout.stdout or b"").decode(errors="replace")
    result = {0: "passed", SKIPPED: "skipped"}.get(status, f"FAILED ({status})")
    return test["name"], result, time.monotonic() - begin, output


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tests = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    failed = []
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        for name, result, seconds, output in pool.map(run, tests):
            print(f"{name}: {result}, {seconds:.1f} s", flush=True)
            if result != "passed":
                print(output, flush=True)
            if result.startswith("FAILED"):
                failed.append(name)
    if failed:
        sys.exit("failed: " + " ".join(failed))


if __name__ == "__main__":
    main()
