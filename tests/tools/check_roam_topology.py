#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program roam-topology prints, draws and refuses. usage: check_roam_topology.py PROGRAM"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

PROGRAM = sys.argv.pop()
SEEDS = pathlib.Path(__file__).parents[2] / "fuzz/corpus/topology"


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=50)


def svg_of(page):
    return ET.fromstring(re.search(r"<svg xmlns.*</svg>", page, re.DOTALL).group())


def texts(svg, style):
    return [t.text for t in svg.iter("{http://www.w3.org/2000/svg}text") if style in t.get("class").split()]


class Topology(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def page(self, *arguments):
        path = os.path.join(self.folder.name, "page.html")
        done = run(*arguments, "--html", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(path, encoding="utf-8") as file:
            return file.read()

    def test_prints_levels_and_groups(self):
        done = run("2:2:2@100:10:1!5", "--ranks", "0,3")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, """\
level             groups  each has  distance
machine                1         2       100
node                   2         2        10
package                4         2         1
core                   8         -         -
1 of 8 cores may not be used

machine
  node 0
    package 0
      core 0  r0
      core 1
    package 1
      core 2
      core 3  r1
  node 1
    package 2
      core 4
      core 5  may not be used
    package 3
      core 6 to 7 (2)
""")

    def test_groups_that_look_alike_share_a_line(self):
        lines = run("16:2:8").stdout.split("\n\n")[1].splitlines()
        self.assertEqual(lines, ["machine", "  node 0 to 15 (16)", "    package 0 to 1 (2)", "      core 0 to 7 (8)"])

    def test_every_seed_is_a_tree_or_one_line(self):
        for path in sorted(SEEDS.iterdir()):
            done = run(path, "--notation")
            with self.subTest(path.name):
                if done.returncode == 0:
                    self.assertRegex(done.stdout, r"^\d[0-9:,!@.-]*\n$")
                else:
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertEqual(done.stderr.count("\n"), 1)
                    self.assertTrue(done.stderr.startswith(f"roam-topology: {path}:"), done.stderr)

    def test_cores_instead_of_threads(self):
        done = run(SEEDS / "node_offline.xml", "--end-at", "core", "--notation")
        self.assertEqual(done.stdout, "1:3:1:2,1,2\n")
        done = run("8:2:4", "--end-at", "cores")
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean core?', done.stderr)

    def test_draws_every_leaf_once(self):
        page = self.page(SEEDS / "switches.conf")
        svg = svg_of(page)
        self.assertEqual(sorted(texts(svg, "l")), sorted([f"tux{n}" for n in (0, 1, 2, 3, 4, 5, 6, 7, 12, 13)]
                                                         + ["tux08", "tux09", "tux10", "tux11"]))
        self.assertIn("leaf1", texts(svg, "t"))
        self.assertNotRegex(page, r"(src|href)=")  # self-contained

    def test_draws_ranks_and_barred_leaves(self):
        svg = svg_of(self.page("2:4!7", "--ranks", "0-2,0"))
        self.assertEqual(texts(svg, "r"), ["r0 r3", "r1", "r2"])
        self.assertEqual(texts(svg, "b"), ["7"])

    def test_boxes_lie_inside_of_each_other_and_apart(self):
        svg = svg_of(self.page("2:3,1:4"))
        boxes = [tuple(float(r.get(k)) for k in ("x", "y", "width", "height"))
                 for r in svg.iter("{http://www.w3.org/2000/svg}rect")]
        self.assertEqual(len(boxes), 1 + 2 + 4 + 16)
        for i, (x, y, w, h) in enumerate(boxes):
            for (a, b, c, d) in boxes[i + 1:]:
                inside = x <= a and y <= b and a + c <= x + w + .11 and b + d <= y + h + .11
                apart = a + .11 >= x + w or x + .11 >= a + c or b + .11 >= y + h or y + .11 >= b + d
                self.assertTrue(inside or apart)

    def test_of_a_large_machine_only_a_part_is_drawn(self):
        page = self.page("512:2:8")
        svg = svg_of(page)
        self.assertLessEqual(len(texts(svg, "l")), 1024)
        self.assertTrue(any(re.fullmatch(r"and \d+ more nodes", t) for t in texts(svg, "t")))
        self.assertIn("8192 cores", page)

    def trace(self, ranks, **more):
        """A trace as --roam-trace writes it, of ranks with their (host, processors, bound)."""
        entries = [{"rank": i, "dropped_events": 0, **({"host": r[0], "processors": r[1], "bound": r[2]} if r else {})}
                   for i, r in enumerate(ranks)]
        path = os.path.join(self.folder.name, "trace.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": [{"name": "h", "ph": "X"}],
                       "roam": {"format": 1, "ranks": len(ranks), "simulated": False, "ranks_detail": entries, **more}}, file)
        return path

    def test_shows_the_ranks_of_a_job_where_they_ran(self):
        job = self.trace([("tux", [4], True), ("tux", [2, 3], True), ("tux", [4], True)])
        done = run("package:2 core:2 pu:2", "--job", job)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(re.findall(r"PU (\d+)  processor \d+  (r.*)", done.stdout), [("2", "r1"), ("3", "r1"), ("4", "r0 r2")])
        done = run("package:2 core:2 pu:2", "--job", job, "--end-at", "core")
        self.assertEqual(re.findall(r"core (\d+)  processor \d+  (r.*)", done.stdout), [("1", "r1"), ("2", "r0 r2")])
        svg = svg_of(self.page("package:2 core:2 pu:2", "--job", job))
        self.assertEqual(texts(svg, "r"), ["r1", "r1", "r0 r2"])

    def test_shows_ranks_of_several_hosts_by_the_names_of_nodes(self):
        job = self.trace([("tux13", [0], True), ("tux2", [1], True), ("tux13", [1], True)])
        machine = f"{SEEDS / 'switches.conf'}+core:2 pu:1"
        done = run(machine, "--job", job)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [line.strip() for line in done.stdout.splitlines()]
        for host, ranks in (("tux2", ["r1"]), ("tux13", ["r0", "r2"])):
            at = lines.index(host)
            self.assertEqual([line.split("  ")[-1] for line in lines[at + 1:at + 5] if "  r" in line], ranks, done.stdout)
        refused = run(machine, "--job", self.trace([("other", [0], True)]))
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("ranks ran on other, which the machine does not have", refused.stderr)

    def test_ranks_that_are_not_bound_are_everywhere_they_may_be_and_it_says_so(self):
        done = run("core:2 pu:1", "--job", self.trace([("tux", [0, 1], False), ("tux", [0, 1], False)]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("not bound", done.stderr)
        self.assertEqual(re.findall(r"  (r.*)$", done.stdout, re.MULTILINE), ["r0 r1", "r0 r1"])

    def test_ranks_of_a_simulated_job_are_on_the_leaves_in_their_order(self):
        done = run("2:2!1", "--job", self.trace([None, None, None], simulated=True))
        self.assertEqual(re.findall(r"core (\d+)  (r.*)", done.stdout), [("0", "r0"), ("2", "r1"), ("3", "r2")])

    def test_says_what_is_wrong_with_a_job(self):
        bad = os.path.join(self.folder.name, "bad.json")
        for machine, job, words in (
                ("core:2 pu:1", self.folder.name + "/none", "cannot be read"),
                ("core:2 pu:1", ("{", ), "found no trace of a job"),
                ("core:2 pu:1", ('{"roam":{"ranks":2,"ranks_detail":[{"rank":0,"host":"a","processors":[0]}]}}', ), "found 1 of 2 ranks"),
                ("core:2 pu:1", ('{"roam":{"ranks":1,"ranks_detail":[{"rank":0}]}}', ), "does not say where the ranks ran"),
                ("core:2 pu:1", ('{"roam":{"ranks":1,"ranks_detail":[{"rank":0,"host":"a","processors":["x"]}]}}', ), "no whole number"),
                ("core:2 pu:1", ('{"roam":{"ranks":1,"ranks_detail":[{"rank":0,"host":"a","processors":[7]}]}}', ),
                 "rank 0 ran on processors that the machine does not have"),
                ("2:2", ('{"roam":{"ranks":1,"ranks_detail":[{"rank":0,"host":"a","processors":[0]}]}}', ), "no numbers of processors"),
                ("core:2 pu:1", ('{"roam":{"ranks":2,"ranks_detail":[{"rank":0,"host":"a","processors":[0]},'
                                 '{"rank":1,"host":"b","processors":[0]}]}}', ), "ranks ran on a and on b")):
            if isinstance(job, tuple):
                with open(bad, "w", encoding="utf-8") as file:
                    file.write(job[0])
                job = bad
            done = run(machine, "--job", job)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertTrue(done.stderr.startswith(f"roam-topology: {job}: "), done.stderr)
            self.assertIn(words, done.stderr)

    def test_says_what_is_wrong(self):
        for arguments, words in ((["nowhere"], 'cannot read "nowhere"'),
                                 (["2:2", "--ranks", "4"], "allowed are leaves 0 to 3"),
                                 (["2:2!1", "--ranks", "0-1"], "rank 1 is put on leaf 1, which may not be used"),
                                 (["2:2", "--html", os.path.join(self.folder.name, "no/where.html")], "cannot write"),
                                 (["2:2", "3:3"], "3:3")):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
