#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every program answers --help: it says how it is used, on standard output, does nothing else and ends with status 0.

usage: check_help.py PROGRAM...
"""
import subprocess
import sys


def main():
    wrong = []
    for program in sys.argv[1:]:
        try:
            result = subprocess.run([program, "--help"], text=True, capture_output=True, check=False, timeout=60)
        except subprocess.TimeoutExpired:
            wrong.append(f"{program}: does not end")
            continue
        if result.returncode != 0 or "usage:" not in result.stdout.lower() or result.stderr:
            wrong.append(f"{program}: status {result.returncode}: {(result.stdout + result.stderr)[:200]}")
    print(f"{len(sys.argv) - 1} programs asked")
    sys.exit("\n".join(wrong) if wrong or len(sys.argv) < 2 else 0)


if __name__ == "__main__":
    main()
