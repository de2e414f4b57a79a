#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""md: the same bits with all ranks, workers, back ends and balancers. Each run compares itself with a serial computation and
with the forces of all pairs; here runs are compared with each other. usage: check_md.py MD"""
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
del sys.argv[1:]
ATOMS = ("--units", "8", "4", "4", "--cells", "4", "2", "2", "--steps", "40", "--phase-steps", "8")


def run(*arguments, filled="0.6"):
    done = subprocess.run([PROGRAM, *ATOMS, "--filled", filled, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Md(unittest.TestCase):
    def bits(self, *arguments):
        status, output, errors = run(*arguments)
        self.assertEqual(status, 0, f"{arguments}: {errors}")
        self.assertRegex(output, r"largest force error +\d.*e-1[3-9] ", arguments)
        self.assertRegex(output, r"lists built ([4-9]|1\d) times", arguments)
        return re.search(r"fingerprint (\w+), as computed serially", output).group(1)

    def test_same_bits(self):
        known = run("--roam-help")[1]
        backends = [name for name in ("roam", "serial", "tbb", "openmp", "starpu") if re.search(rf"\b{name}\b", known)]
        self.assertIn("serial", backends)
        runs = [("--roam-ranks", ranks, "--roam-workers", "2", "--roam-flow-backend", backend)
                for backend in backends for ranks in ("1", "2")]
        runs += [("--roam-simulate", f"ranks={ranks},workers=2", "--roam-balancer", balancer)
                 for ranks, balancer in ((3, "none"), (5, "rotate"), (20, "greedy"))]
        runs.append(("--roam-ranks", "3", "--roam-workers", "1", "--roam-flow-window", "20", "--roam-balancer", "random"))
        self.assertEqual(len({self.bits(*arguments) for arguments in runs}), 1)

    def test_balancing(self):
        _, output, _ = run("--roam-simulate", "ranks=4,workers=1", "--roam-balancer", "greedy", filled="0.3")
        first, last, moved = re.search(r"imbalance +([\d.]+) .* ([\d.]+) in the last; (\d+) cells", output).groups()
        self.assertGreater(float(first), 0.5)
        self.assertLess(float(last), 0.7 * float(first))
        self.assertGreater(int(moved), 0)

    def test_a_step_that_is_too_long(self):
        status, _, errors = run("--roam-ranks", "2", "--roam-workers", "1", "--temperature", "100", "--time-step", "0.1")
        self.assertEqual(status, 1)
        self.assertIn("passed a whole cell", errors)


if __name__ == "__main__":
    unittest.main()
