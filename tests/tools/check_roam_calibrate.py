#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program roam-calibrate finds the costs of simulated machines again. usage: check_roam_calibrate.py PROGRAM"""
import os
import subprocess
import sys
import tempfile
import tomllib
import unittest

PROGRAM = sys.argv.pop()

MACHINE = """
ranks = 16
workers = 1
noise = 0.03
handler_overhead_seconds = 0.4e-6
[[network]]
name = "node"
group_ranks = 4
latency_seconds = 0.6e-6
overhead_seconds = 0.2e-6
gap_seconds = 0.7e-6
bandwidth_bytes_per_second = 20e9
[[network]]
name = "machine"
latency_seconds = 4e-6
overhead_seconds = 0.5e-6
gap_seconds = 1e-6
bandwidth_bytes_per_second = 5e9
"""


def run(*arguments):
    return subprocess.run([PROGRAM, "--repeats", "1", *arguments], capture_output=True, text=True, timeout=120)


class Calibrate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_finds_the_costs_of_a_simulated_machine(self):
        with open(self.path("machine.toml"), "w") as file:
            file.write(MACHINE)
        done = run("--roam-simulate", self.path("machine.toml"))
        self.assertEqual(done.returncode, 0, done.stderr)
        found = tomllib.loads(done.stdout)
        self.assertEqual((found["ranks"], found["workers"], found["noise"]), (16, 1, 0.03))
        self.assertAlmostEqual(found["handler_overhead_seconds"], 0.4e-6, delta=0.02e-6)
        node, machine = found["network"]
        self.assertEqual(node["group_ranks"], 4)
        self.assertNotIn("group_ranks", machine)
        for level, delay, gap, bandwidth in ((node, 1e-6, 0.7e-6, 20e9), (machine, 5e-6, 1e-6, 5e9)):
            self.assertAlmostEqual(level["latency_seconds"] + 2 * level["overhead_seconds"], delay, delta=0.05 * delay)
            self.assertAlmostEqual(level["gap_seconds"], gap, delta=0.1 * gap)
            self.assertAlmostEqual(level["bandwidth_bytes_per_second"], bandwidth, delta=0.05 * bandwidth)

    def test_what_it_writes_can_be_simulated(self):
        written = self.path("written.toml")
        done = run("--roam-ranks", "2", "--roam-workers", "1", "--output", written)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        done = run("--roam-simulate", written)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_says_what_is_wrong(self):
        for arguments, words in ((["--output", self.path("no/where.toml")], "cannot write"),
                                 (["--repeats", "0"], "--repeats"),
                                 (["--roam-ranks", "1"], "needs 2 ranks or more")):
            done = run(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
