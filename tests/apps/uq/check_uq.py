#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""uq: the same bits of mean and variance with all ranks, workers and back ends. Each run compares them with closed forms.
usage: check_uq.py UQ"""
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
del sys.argv[1:]
ENSEMBLE = ("--rounds", "6", "--tasks", "13", "--packs", "3", "--elements", "64")


def run(*arguments):
    done = subprocess.run([PROGRAM, *ENSEMBLE, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Uq(unittest.TestCase):
    def moments(self, *arguments):
        status, output, errors = run(*arguments)
        self.assertEqual(status, 0, f"{arguments}: {errors}")
        return re.search(r"mean of u\(1/2\) +(\S+)\n", output).group(1), re.search(r"variance +(\S+)\n", output).group(1)

    def test_same_bits(self):
        known = run("--roam-help")[1]
        backends = [name for name in ("roam", "serial", "tbb", "openmp", "starpu") if re.search(rf"\b{name}\b", known)]
        self.assertIn("serial", backends)
        runs = [("--roam-ranks", ranks, "--roam-workers", "2", "--roam-flow-backend", backend)
                for backend in backends for ranks in ("1", "2")]
        runs += [("--roam-simulate", f"ranks={ranks},workers=2") for ranks in (3, 20)]
        runs.append(("--roam-ranks", "3", "--roam-workers", "1", "--one-by-one", "--roam-flow-window", "10"))
        self.assertEqual(len({self.moments(*arguments) for arguments in runs}), 1)

    def test_fields(self):
        found = {self.moments("--roam-ranks", "1", "--roam-workers", "1", "--field", field)
                 for field in ("constant", "layers", "graded")}
        self.assertEqual(len(found), 3)

    def test_ends_when_the_mean_is_known_well_enough(self):
        arguments = ("--roam-ranks", "2", "--roam-workers", "1", "--tolerance")
        self.assertIn("312   in 1 rounds", run(*arguments, "0.5")[1])
        self.assertIn("in 6 rounds", run(*arguments, "1e-9")[1])
        self.assertRegex(run(*arguments, "0.006")[1], r"in [2-5] rounds")


if __name__ == "__main__":
    unittest.main()
