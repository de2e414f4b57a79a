#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""R3: the program roam-balance on small recorded loads, right and wrong. usage: check_roam_balance.py PROGRAM"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)


def data(rank, times):
    tasks = [{"entity": {"type": "object", "id": 100 * rank + i, "home": rank, "migratable": True},
              "node": rank, "resource": "cpu", "time": time} for i, time in enumerate(times)]
    return {"type": "LBDatafile", "phases": [{"id": 0, "tasks": tasks}]}


class RoamBalance(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        for rank, times in enumerate([[4, 3, 2, 1], [1, 1]]):
            (self.path / f"data.{rank}.json").write_text(json.dumps(data(rank, times)))

    def run_on(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True, check=False)

    def test_compares_strategies_on_a_folder(self):
        result = self.run_on(self.path, "-s", "greedy", "-s", "refine:imbalance=0")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 files, 2 ranks, 1 phases", result.stdout)
        rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines() if line}
        self.assertEqual(rows["phase"][2], "objects,")
        self.assertEqual(float(rows["greedy"][0]), 0)
        self.assertEqual(float(rows["refine:imbalance=0"][0]), 0)
        self.assertEqual(int(rows["refine:imbalance=0"][2]), 1)  # the 4 goes over

    def test_writes_what_it_reads(self):
        out = self.path / "out"
        self.assertEqual(self.run_on(self.path, "-s", "refine:imbalance=0", "-o", out).returncode, 0)
        again = self.run_on(out, "-s", "none")
        self.assertIn("imbalance 0.0000", again.stdout)
        written = json.loads((out / "data.1.json").read_text())
        times = sorted(task["time"] for task in written["phases"][0]["tasks"])
        self.assertEqual(times, [1, 1, 4])

    def test_reads_files_compressed_with_brotli(self):
        try:
            import brotli
        except ImportError:
            self.skipTest("python3-brotli is not installed")
        for file in self.path.glob("*.json"):
            file.write_bytes(brotli.compress(file.read_bytes()))
        result = self.run_on(self.path, "-s", "greedy")
        if result.returncode == 2 and "uncompress it first" in result.stderr:
            self.skipTest("built without Brotli")
        self.assertEqual(result.returncode, 0, result.stderr)

    def refuses(self, words, *arguments):
        result = self.run_on(*arguments)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        self.assertIn(words, result.stderr)
        self.assertNotIn("greedy  ", result.stdout)  # nothing run

    def test_errors_name_what_is_wrong(self):
        self.refuses('there is no strategy "gredy"', self.path, "-s", "gredy")
        self.refuses("has no parameter", self.path, "-s", "greedy:x=1")
        self.refuses("no such phase", self.path, "-p", "7", "-s", "greedy")
        self.refuses("files is required")
        self.refuses("--output", self.path, "-s", "greedy", "-s", "none", "-o", self.path / "out")
        empty = self.path / "empty"
        empty.mkdir()
        self.refuses("there is no file", empty)
        (self.path / "data.1.json").write_text('{"type": "LBDatafile",')
        self.refuses("data.1.json: no valid JSON", self.path, "-s", "greedy")


if __name__ == "__main__":
    unittest.main()
