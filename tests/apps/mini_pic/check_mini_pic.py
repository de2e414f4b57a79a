#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mini_pic: the same bits with all ranks, workers, parts, back ends and balancers, and with MPI alone. Each run compares the growth
of the field with the dispersion relation. usage: check_mini_pic.py MINI_PIC [MINI_PIC_MPI]"""
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1]
PLAIN = sys.argv[2] if len(sys.argv) > 2 else None
# Short, so that StarPU and OpenMP have few tasks: the wave does not get far.
SHORT = ("--cubes", "8,4,3", "--steps", "8", "--no-check", "--tolerance", "1e-2", "--amplitude", "0.1", "--time-step", "0.5")
IN_PROCESS = ("--roam-ranks", "2", "--roam-workers", "1")
SIMULATED = ("--roam-simulate", "ranks=2,workers=1", "--parts", "2,1,1")


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class MiniPic(unittest.TestCase):
    def bits(self, program, *arguments):
        status, output, errors = run(program, *arguments)
        self.assertEqual(status, 0, f"{arguments}: {errors}")
        if "--roam-balancer" in arguments:
            self.assertRegex(output, r"parts moved +[1-9]")
        return re.search(r"fingerprint +(\w{16})\n", output).group(1)

    def test_same_bits(self):
        known = run(PROGRAM, "--roam-help")[1]
        backends = [name for name in ("roam", "serial", "tbb", "openmp", "starpu") if re.search(rf"\b{name}\b", known)]
        self.assertIn("serial", backends)
        ways = [(*IN_PROCESS, "--parts", "3,2,1", "--roam-flow-backend", backend) for backend in backends]
        ways += [("--roam-simulate", "ranks=5,workers=2", "--parts", "8,2,3", "--roam-balancer", "rotate", "--phase-steps", "3"),
                 ("--roam-ranks", "3", "--roam-workers", "2", "--parts", "2,4,1", "--roam-balancer", "random", "--phase-steps", "4"),
                 (*IN_PROCESS, "--parts", "1,1,1")]
        for uneven in ((), ("--uneven",)):
            found = {way: self.bits(PROGRAM, *way, *SHORT, *uneven) for way in ways}
            if PLAIN:
                found["plain MPI"] = self.bits(PLAIN, *SHORT, *uneven)
            self.assertEqual(len(set(found.values())), 1, found)
            ways = ways[-2:]

    def test_a_wave_grows_as_the_dispersion_relation_says(self):
        status, output, errors = run(PROGRAM, *SIMULATED)
        self.assertEqual(status, 0, errors)
        self.assertRegex(output, r"growth rate +0\.3[45]\d+, times \d\.\d to [78]\.\d\n")

    def test_no_wave_grows_between_fast_beams(self):
        self.assertEqual(run(PROGRAM, *SIMULATED, "--ratio", "1.5")[0], 0)

    def test_balancing(self):
        problem = ("--roam-simulate", "ranks=8,workers=1", "--cubes", "8,8,4", "--parts", "2,8,2", "--uneven", "--per-edge", "4",
                   "--tolerance", "1e-2", "--steps", "9", "--phase-steps", "3", "--no-check")
        figures = [re.search(r"time +([\d.]+) s\nimbalance, first +([\d.]+)\nimbalance, last +([\d.]+)\n",
                             run(PROGRAM, *problem, "--roam-balancer", balancer)[1]).groups() for balancer in ("none", "greedy")]
        (slow, _, uneven), (fast, first, last) = [tuple(map(float, row)) for row in figures]
        self.assertGreater(min(uneven, first), 0.5)
        self.assertLess(last, 0.2)
        self.assertLess(fast, 0.9 * slow)

    def test_bad_input_is_refused_in_one_line(self):
        for wrong in ("--cubes 2,4,4", "--cubes 8,4", "--parts 17,1,1", "--jitter 0.3", "--time-step 2", "--ratio 0", "--steps 0"):
            status, output, errors = run(PROGRAM, *wrong.split())
            self.assertEqual((status, output, len(errors.splitlines())), (2, "", 1), f"{wrong}: {errors}")

    def test_too_few_steps_are_an_error(self):
        status, _, errors = run(PROGRAM, *SIMULATED, "--steps", "5")
        self.assertEqual(status, 1)
        self.assertIn("too few steps", errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
