#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the particle-in-cell benchmark with every distribution, cut, moved and run in several ways: the bits must be the same
each time. Then faults that must be found. usage: check_prk_pic.py PRK_PIC [PRK_PIC_MPI]"""
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
PLAIN = sys.argv[2] if len(sys.argv) > 2 else None

IN_PROCESS = ("--roam-ranks", "3", "--roam-workers", "1")
# Fast and slow particles, upwards and downwards; patches narrower than a step.
PROBLEMS = {"GEOMETRIC": ("1", "2", "GEOMETRIC", "0.9"), "SINUSOIDAL": ("6", "-3", "SINUSOIDAL"),
            "LINEAR": ("0", "0", "LINEAR", "1", "1.5"), "PATCH": ("2", "-19", "PATCH", "3", "11", "8", "30")}
WAYS = [("--roam-ranks", "1", "--roam-workers", "1", "--patches", "1,1"),
        (*IN_PROCESS, "--patches", "16,4", "--roam-balancer", "rotate", "--phase-steps", "2"),
        ("--roam-simulate", "ranks=5,workers=2", "--patches", "9,7", "--roam-balancer", "random", "--phase-steps", "3"),
        (*IN_PROCESS, "--patches", "2,3", "--roam-flow-backend", "serial")]


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)


class Benchmark(unittest.TestCase):
    def fingerprint(self, program, *arguments):
        done = run(program, *arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        found = re.search(r"all in place +yes, sum of numbers (\d+), fingerprint (\w+)", done.stdout)
        self.assertTrue(found, done.stdout)
        self.assertEqual(int(found.group(1)), 1500 * 1501 // 2)
        if "--roam-balancer" in arguments:
            self.assertRegex(done.stdout, r"patches moved +[1-9]")
        return found.group(2)

    def same_in_all_ways(self, name):
        problem = ("14", "40", "1500", *PROBLEMS[name])
        found = {way: self.fingerprint(PROGRAM, *way, *problem) for way in WAYS}
        if PLAIN:
            found["plain MPI"] = self.fingerprint(PLAIN, *problem)
        self.assertEqual(len(set(found.values())), 1, found)

    def test_geometric(self):
        self.same_in_all_ways("GEOMETRIC")

    def test_sinusoidal(self):
        self.same_in_all_ways("SINUSOIDAL")

    def test_linear(self):
        self.same_in_all_ways("LINEAR")

    def test_patch(self):
        self.same_in_all_ways("PATCH")

    def test_other_back_ends_have_the_same_bits(self):
        problem = ("14", "40", "1500", *PROBLEMS["GEOMETRIC"])
        expected = self.fingerprint(PROGRAM, *WAYS[0], *problem)
        for backend in ("tbb", "openmp"):
            probe = run(PROGRAM, *WAYS[1], "--roam-flow-backend", backend, *problem)
            if probe.returncode != 0 and "not built" in probe.stderr:
                continue
            self.assertEqual(self.fingerprint(PROGRAM, *WAYS[1], "--roam-flow-backend", backend, *problem), expected, backend)

    def test_a_wrong_particle_is_found(self):
        problem = ("3", "40", "1500", *PROBLEMS["GEOMETRIC"])
        for fault, words in {"displaced": "1 particles are misplaced, 1500 of 1500", "lost": "0 particles are misplaced, 1499 of",
                             "doubled": "0 particles are misplaced, 1501 of"}.items():
            for program, way in ((PROGRAM, WAYS[1]), (PLAIN, ())):
                if not program:
                    continue
                done = run(program, *way, "--plant", fault, *problem)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(words, done.stderr)

    def test_bad_input_is_refused_in_one_line(self):
        for wrong in ("5 41 100 1 2 GEOMETRIC 0.9", "5 40 100 1 2 GEOMETRIC", "5 40 100 20 2 SINUSOIDAL", "5 40 100 1 2 ROUND", "5 40",
                      "5 40 100 1 2 PATCH 5 3 1 2", "5 40 100 1 2 LINEAR 3 1", "0 40 100 1 2 SINUSOIDAL",
                      "5 40 100 1 2 SINUSOIDAL --patches 41,1"):
            done = run(PROGRAM, *wrong.split())
            self.assertEqual(done.returncode, 2, wrong)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_the_benchmarks_own_command_line(self):
        done = run(PROGRAM, *IN_PROCESS, *"10 1000 100000 1 2 GEOMETRIC 0.99".split())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("GEOMETRIC 0.99, k 1, m 2, 10 steps", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
