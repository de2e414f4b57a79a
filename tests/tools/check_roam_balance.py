#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""R3: the program roam-balance on small recorded loads, right and wrong, and those that a program of Roam records.
usage: check_roam_balance.py PROGRAM [STENCIL]"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import lb_schema

PROGRAM = sys.argv.pop(1)
STENCIL = sys.argv.pop(1) if len(sys.argv) > 1 else None


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
        self.assertIn("imbalance 0 ", again.stdout)
        written = json.loads((out / "data.1.json").read_text())
        times = sorted(task["time"] for task in written["phases"][0]["tasks"])
        self.assertEqual(times, [1, 1, 4])

    def test_a_strategy_that_cannot_run_writes_nothing(self):
        out = self.path / "out"
        result = self.run_on(self.path, "-s", "recursive_bisection", "-o", out)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn("nothing is written", result.stderr)
        self.assertFalse(out.exists())
        result = self.run_on(self.path, "-s", "all")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("recursive_bisection  strategy", re.sub(" +", "  ", result.stdout))

    def test_one_phase_is_meant_alone(self):
        for file in self.path.glob("*.json"):
            document = json.loads(file.read_text())
            document["phases"].append({"id": 401, "tasks": document["phases"][0]["tasks"]})
            document["phases"][0]["tasks"] = [{"wrong": "in phase 0"}]
            file.write_text(json.dumps(document))
        out = self.path / "out"
        result = self.run_on(self.path, "-p", 401, "-s", "greedy", "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(re.findall("^phase ([0-9]+)", result.stdout, re.M), ["401"])
        written = json.loads((out / "data.0.json").read_text())
        self.assertEqual([phase["id"] for phase in written["phases"]], [401])

    def test_small_numbers_have_significant_digits_and_moving_all_for_nothing_is_said(self):
        loads = [[1 + 1e-4 * ((7 * i + rank) % 5) for i in range(20)] for rank in range(2)]
        for rank, times in enumerate(loads):
            (self.path / f"data.{rank}.json").write_text(json.dumps(data(rank, times)))
        result = self.run_on(self.path, "-s", "rotate", "-s", "none")
        self.assertIn("rotate moves 100 % of the objects, and the slowest rank is 0 % faster by it", result.stdout)
        rows = [line.split() for line in result.stdout.splitlines()]
        self.assertEqual([float(row[1]) for row in rows if row[:1] == ["none"]], [0.0])
        (self.path / "data.0.json").write_text(json.dumps(data(0, [1] * 40 + [0.05, 0.05])))
        (self.path / "data.1.json").write_text(json.dumps(data(1, [1] * 40)))
        result = self.run_on(self.path, "-s", "refine:imbalance=0", "-s", "refine")
        self.assertRegex(result.stdout, r"refine:imbalance=0 moves [12] objects; with 0 \(refine\) the slowest rank is")
        self.assertNotIn(" refine moves", result.stdout)
        (self.path / "data.0.json").write_text(json.dumps(data(0, [1.00002] + [1] * 19)))
        (self.path / "data.1.json").write_text(json.dumps(data(1, [1] * 20)))
        result = self.run_on(self.path, "-s", "none")
        self.assertIn("imbalance 5e-07", result.stdout)

    def test_loads_that_add_up_to_infinity_are_refused_in_one_line(self):
        for rank in range(2):
            (self.path / f"data.{rank}.json").write_text(json.dumps(data(rank, [1e308, 1e308])))
        result = self.run_on(self.path, "-s", "greedy", "-s", "chains")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("phase 0: load graph: the loads of all objects add up to more than 1e302 s", result.stderr)

    def test_output_into_the_input_is_refused(self):
        before = (self.path / "data.0.json").read_text()
        self.refuses("were read from here", self.path, "-s", "none", "-o", self.path)
        self.assertEqual((self.path / "data.0.json").read_text(), before)

    def memory_problem(self):
        """Nine shared blocks, three of them and most of the work on rank 0, and room for four on each of three ranks.
        Block 0 takes longer than a rank should, so it has to be on two of them; then all can take 60 s."""
        blocks = {0: [35, 25, 10], 1: [15], 2: [30], 3: [5, 10], 4: [10], 5: [10], 6: [10], 7: [12], 8: [8]}
        for file in self.path.glob("*.json"):
            file.unlink()
        for rank in range(3):
            own = [(block, time) for block in range(3 * rank, 3 * rank + 3) for time in blocks[block]]
            document = data(rank, [time for _, time in own])
            for (block, _), task in zip(own, document["phases"][0]["tasks"]):
                task["user_defined"] = {"rank_working_bytes": 1e9, "shared_id": block, "shared_bytes": 1.5e9,
                                        "task_footprint_bytes": 1e6, "task_working_bytes": 1e8,
                                        "task_serialized_bytes": 1e3}
            (self.path / f"data.{rank}.json").write_text(json.dumps(document))

    def test_memory_is_a_column_and_a_limit(self):
        self.memory_problem()
        limit = "7.2GB"  # 1 + 4 x 1.5 + 0.1 and a little
        free = [line.split() for line in self.run_on(self.path, "-s", "chains").stdout.splitlines()]
        self.assertGreater(float(next(row[6] for row in free if row[:1] == ["chains"])), 7200)
        for strategy in ("chains", "greedy", "refine:imbalance=0"):
            out = self.path / f"out_{strategy.split(':', maxsplit=1)[0]}"
            result = self.run_on(self.path, "-s", strategy, "-m", limit, "-o", out)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            row = next(line.split() for line in result.stdout.splitlines() if line.split()[:1] == [strategy])
            self.assertEqual(float(row[1]), 0)
            self.assertLessEqual(float(row[6]), 7200)
            again = self.run_on(out, "-s", "none")
            self.assertIn(f"memory: {row[6]} MB", again.stdout)
        result = self.run_on(self.path, "-s", "greedy", "-m", "4GB", "-o", self.path / "none")
        self.assertEqual(result.returncode, 1)
        self.assertIn("more memory than is allowed", result.stdout)
        self.assertFalse((self.path / "none").exists())

    def test_what_a_program_records_and_what_is_balanced_of_it_is_valid_by_vts_schema(self):
        if STENCIL is None:
            self.skipTest("built without applications")
        recorded = self.path / "recorded"
        for ranks in (4, 2):
            run = [STENCIL, "--roam-simulate", f"ranks={ranks},workers=1", "--blocks", "4", "--block-side", "8",
                   "--steps", "3", "--roam-lb-data", recorded]
            subprocess.run(run, check=True, capture_output=True)
        out = self.path / "balanced"
        result = self.run_on(recorded, "-s", "rotate", "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("2 files, 2 ranks", result.stdout)  # what the job of four has left is gone
        communications = 0
        for file in sorted([*recorded.glob("*"), *out.glob("*")]):
            document = json.loads(file.read_text())
            self.assertEqual(lb_schema.faults_of(document), [], file)
            communications += sum(len(phase.get("communications", [])) for phase in document["phases"])
        self.assertGreater(communications, 0)
        (recorded / "data.1.json").unlink()
        self.refuses("the file of rank 1 is missing", recorded, "-s", "none")

    def test_the_check_of_the_schema_finds_faults(self):
        whole = {"type": "LBDatafile", "phases": [{"id": 0, "tasks": [], "communications": [
            {"type": "SendRecv", "bytes": 1.0, "messages": 1, "from": {"type": "object", "id": 1, "migratable": True},
             "to": {"type": "object", "id": 2, "migratable": True}}]}]}
        self.assertEqual(lb_schema.faults_of(whole), [])
        for path, value in ((("messages",), 1.0), (("bytes",), 1), (("from", "id"), "1"), (("from", "more"), 1)):
            wrong = json.loads(json.dumps(whole))
            place = wrong["phases"][0]["communications"][0]
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            self.assertEqual(len(lb_schema.faults_of(wrong)), 1, path)

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

    def test_a_machine_tells_which_ranks_are_near(self):
        # One object on each of four ranks, two to a node: 0 communicates with 2 (3 MB), 1 with 3 (5 MB).
        partners = {0: [(2, 3e6)], 1: [(3, 5e6)]}
        for rank in range(4):
            phases = data(rank, [1])
            phases["phases"][0]["communications"] = [
                {"type": "SendRecv", "bytes": size, "messages": 1, "from": {"type": "object", "id": 100 * rank},
                 "to": {"type": "object", "id": 100 * to}} for to, size in partners.get(rank, [])]
            (self.path / f"data.{rank}.json").write_text(json.dumps(phases))
        machine = self.path / "machine.toml"
        machine.write_text('ranks = 4\nworkers = 1\n[[network]]\nname = "node"\ngroup_ranks = 2\n'
                           'bandwidth_bytes_per_second = 20e9\n[[network]]\nname = "machine"\n')
        result = self.run_on(self.path, "-s", "none", "-s", "topology", "--machine", machine)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        communication = [line.strip() for line in result.stdout.splitlines() if "communication in MB" in line]
        # As it is, by none, by topology: first through four links up and down, then through two.
        apart = "communication in MB: 32 hop-bytes, 8 across machine, 0 across node, 0 inside a rank"
        near = "communication in MB: 16 hop-bytes, 0 across machine, 8 across node, 0 inside a rank"
        self.assertEqual(communication, [apart, apart, near])
        self.assertNotIn("communication in MB", self.run_on(self.path, "-s", "none").stdout)
        self.refuses("--machine: it has 2 ranks, the data 4", self.path, "--machine", "ranks=2")
        machine.write_text(machine.read_text().replace("ranks = 4", "ranks = 8"))
        result = self.run_on(self.path, "-s", "topology", "--machine", machine)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("of the machine's 8 ranks, the data has the first 4", result.stdout)
        self.assertIn(near, result.stdout)

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
