#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The studies on their smallest sizes. usage: check_studies.py [UNITTEST_ARGUMENT...] real|simulated BUILD_FOLDER

real: those that start several processes or threads at a time; simulated: all others, which need one core.
"""
import csv
import glob
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = sys.argv.pop()
WHICH = sys.argv.pop()
REAL = ("test_metg", "test_flow_over_mpi", "test_stencil_overhead", "test_simulator_check", "test_real_runs", "test_sw4_port")
HERE = os.path.dirname(os.path.realpath(__file__))
STUDIES = os.path.join(HERE, "..", "..", "studies")

sys.dont_write_bytecode = True
sys.path.append(os.path.join(HERE, "..", "apps", "mesh_refine"))
import parts  # noqa: E402

# A build may be asked for without applications, and one by hand may lack TetGen, an external program.
NO_MESHES = not (os.path.exists(os.path.join(BUILD, "bin", "mesh_refine")) and shutil.which("tetgen"))


# Without them Open MPI refuses to start processes as root, which tests in containers often are.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(study, *arguments):
    return subprocess.run([sys.executable, os.path.join(STUDIES, study), *arguments], capture_output=True, text=True,
                          timeout=300, env=ENVIRONMENT)


class Refusals(unittest.TestCase):
    def test_says_which_program_is_not_built(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("prema_synthetic", "--build", folder, "--output", folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue("--target synthetic" in done.stderr or "python3-matplotlib" in done.stderr, done.stderr)

    def test_refuses_what_it_does_not_know(self):
        self.assertEqual(run("darma_imbalance", "--sizes", "3").returncode, 2)
        done = run("real_runs", "--repeats", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--repeats: 0 is not 1 or more", done.stderr)
        self.assertEqual(run("reactive_offloading", "--parts", "figure_2").returncode, 2)


class Chameleon(unittest.TestCase):
    def test_levels_the_lengths_of_queues(self):
        sys.path.append(STUDIES)
        from support import chameleon
        self.assertEqual(chameleon.step_seconds([[1.0] * 4]), 4)
        self.assertEqual(chameleon.step_seconds([[1.0] * 10, []]), 5)
        self.assertEqual(chameleon.step_seconds([[1.0] * 3, []]), 2)  # two stay
        self.assertEqual(chameleon.step_seconds([[1.0] * 2, []]), 2)
        # As many tasks each: it sees that some are longer only when the others have been done.
        self.assertEqual(chameleon.step_seconds([[4.0] * 4, [1.0] * 4]), 12)


# They draw plots; matplotlib comes with `scripts/bootstrap bench`, which tests do not ask for.
@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
class Studies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_study(self, study, *arguments):
        done = run(study, "--build", BUILD, "--output", self.folder.name, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("README.md", "plot.svg", "page.html"):
            self.assertGreater(os.path.getsize(os.path.join(self.folder.name, name)), 500, name)
        with open(os.path.join(self.folder.name, "page.html"), encoding="utf-8") as file:
            self.assertNotRegex(file.read(), r"(src|href)='http")
        return done

    def value(self, text, row, column):
        """Of the first table's row of that name."""
        line = re.search(rf"^\| {re.escape(row)} \|(.*)\|$", text, re.MULTILINE)
        return float(line.group(1).split("|")[column])

    def test_prema_synthetic(self):
        done = self.run_study("prema_synthetic", "--most-cores", "320")
        self.assertLess(self.value(done.stdout, "diffusion", 0), 1.05)
        self.assertLess(self.value(done.stdout, "auto", 0), 1.05)
        self.assertGreater(self.value(done.stdout, "none", 0), 1.6)

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "bin", "task_bench_openmp")), "no OpenMP")
    def test_metg(self):
        done = self.run_study("metg", "--no-mpi", "--repeats", "1", "--most-iterations", "8", "--steps", "30", "--width", "8")
        systems = ["Roam, flow", "Roam, objects", "Roam, messages", "OpenMP", "Roam, flow by OpenMP"]
        if os.path.exists(os.path.join(BUILD, "bin", "task_bench_starpu")):
            systems += ["StarPU", "Roam, flow by StarPU"]
        for system in systems:
            self.assertGreater(self.value(done.stdout, system, 1), 0.01)  # us for an empty task

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "bin", "prk_pic_mpi")) and shutil.which("mpirun"), "no MPI")
    def test_flow_over_mpi(self):
        done = self.run_study("flow_over_mpi", "--repeats", "1", "--steps", "3", "--only", "3-D", "--only", "PRK")
        self.assertGreater(self.value(done.stdout, "Jacobi, 3-D, 128 x 96 x 96", 3), 0.01)  # flow over MPI
        self.assertNotIn("SimplePIC, 64", done.stdout)
        self.assertAlmostEqual(self.value(done.stdout, "PRK PIC, GEOMETRIC 0.99", 6), 1.98, delta=0.01)  # the bound

    def test_recorded_tasks(self):
        recorded = os.path.join(self.folder.name, "recorded")
        os.mkdir(recorded)
        for rank, seconds in enumerate((0.1, 0.3)):  # 40 tasks of equal length each
            with open(os.path.join(recorded, f"r{rank}.csv"), "w", encoding="utf-8") as file:
                file.writelines(f"{i},128,{seconds}\n" for i in range(40))
        done = self.run_study("recorded_tasks", recorded, "--ranks", "2", "--tasks", "20", "--steps", "14")
        row = "2 ranks, 20 tasks each"
        self.assertAlmostEqual(self.value(done.stdout, row, 0), 4, places=3)
        self.assertAlmostEqual(self.value(done.stdout, row, 1), 6, delta=0.01)  # none
        for column in (2, 3):  # Chameleon, auto
            self.assertLess(self.value(done.stdout, row, column), 4.5)

    def test_metg_simulated(self):
        done = self.run_study("metg_simulated", "--models", "flow", "--most-ranks", "64", "--steps", "5")
        self.assertTrue(0.3 < self.value(done.stdout, "flow", 0) < 5, done.stdout)  # us

    def test_darma_imbalance_goes_on_where_it_was_stopped(self):
        done = self.run_study("darma_imbalance", "--most-ranks", "32")
        self.assertLess(self.value(done.stdout, "hybrid", 1), 1.02)
        self.assertGreater(self.value(done.stdout, "none", 1), 1.4)
        os.remove(sorted(glob.glob(os.path.join(self.folder.name, "runs", "*")))[0])
        again = self.run_study("darma_imbalance", "--most-ranks", "32")
        self.assertEqual(again.stdout, done.stdout)
        self.assertEqual(len(re.findall(r"^\[", again.stderr, re.MULTILINE)), 1, again.stderr)

    def test_reactive_offloading(self):
        done = self.run_study("reactive_offloading", "--quick", "--parts", "figure_3,figure_5")
        figure_5 = done.stdout[done.stdout.index("## Figure 5"):]
        self.assertGreater(self.value(figure_5, "auto", 2), 0.97)  # of the possible
        self.assertLess(self.value(figure_5, "auto", 3), 0.01)     # deviation
        self.assertLess(self.value(figure_5, "auto", 4), 5)        # steps to get there
        self.assertAlmostEqual(self.value(figure_5, "none", 1), 1.0)
        self.assertGreater(self.value(figure_5, "diffusion, omega adaptive", 1), 1.03)
        # Rank 0 waits for rank 1, which is critical, and the others for rank 0.
        first = re.search(r"^\| diffusion, step 0 \|(.*)\|$", done.stdout, re.MULTILINE).group(1).split("|")
        self.assertEqual(first[1].strip(), "1")
        self.assertRegex(first[4], r"0->1 [\d.]+ 2->0 [\d.]+ 3->0")
        with open(os.path.join(self.folder.name, "page.html"), encoding="utf-8") as file:
            self.assertIn("class=\"rank critical\"", file.read())

    @unittest.skipUnless(all(os.path.exists(os.path.join(BUILD, "bin", name))
                             for name in ("kneighbor", "stencil3d", "leanmd", "roam-balance")), "programs are not built")
    def test_treematch(self):
        done = self.run_study("treematch", "--quick")
        stencil = done.stdout[done.stdout.index("## Stencil3D"):]

        def over_hand(balancer, start):
            line = re.search(rf"^\| {balancer} \|(.*)\|$", stencil, re.MULTILINE).group(1)
            return float(re.match(r" ?([\d.]+) \(", line.split("|")[start]).group(1))
        self.assertGreater(over_hand("none", 1), 1.1)  # shuffled
        self.assertLess(over_hand("topology", 1), 1.1)
        self.assertLess(over_hand("topology", 0), 1.05)  # tree
        leanmd = done.stdout[done.stdout.index("## LeanMD"):]
        self.assertGreater(self.value(leanmd, "none", 0), 1.3)

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "bin", "bench_mapping_times")), "no benchmarks")
    def test_mapping_times(self):
        done = self.run_study("mapping_times", "--quick")
        self.assertLess(self.value(done.stdout, "Roam, normal", 0), 1000)  # ms
        with open(os.path.join(self.folder.name, "times.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for program, sizes in (("kNeighbor", {64, 512}), ("Stencil3D", {64, 512}), ("LeanMD", {120, 960})):
            self.assertEqual({int(r["objects"]) for r in rows if (r["program"], r["method"]) == (program, "Roam, normal")}, sizes)
        for name in ("METIS", "KaHIP"):
            is_there = any(row["method"].startswith(name) for row in rows)
            self.assertNotEqual(is_there, f"{name} (pip install" in done.stdout, "either compared or named")

    def test_rivals_cost_what_their_placement_costs(self):
        sys.path.append(STUDIES)
        self.addCleanup(sys.path.remove, STUDIES)
        rivals = importlib.import_module("support.rivals")
        with open(os.path.join(self.folder.name, "graph"), "w", encoding="ascii") as file:
            file.write("4 3 011\n5 2 7\n1 1 7 3 2\n1 2 2 4 1\n1 3 1\n")  # a chain of 4: weights 7, 2, 1
        graph = rivals.Graph.read(file.name)
        self.assertEqual(graph.loads, [5, 1, 1, 1])
        self.assertEqual(rivals.cost(graph, [0, 1, 4, 8]), 7 * 1 + 2 * 10 + 1 * 100)
        self.assertEqual(rivals.cost(graph, [3, 3, 3, 3]), 0)
        self.assertEqual(rivals.imbalance(graph, [0, 0, 1, 1], 2), 0.5)
        # Halves of what is given, in its order: 0 and 1 on node 0, 2 and 3 on node 1, each on a package of its own.
        split = lambda loads, compressed, parts: [v * parts // len(loads) for v in range(len(loads))]  # noqa: E731
        core_of, seconds = rivals.multisection(graph, 2, split)
        self.assertEqual(core_of, [0, 4, 8, 12])
        self.assertGreater(seconds, 0)

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "bin", "bench_simulated_network")), "no benchmarks")
    def test_network_check(self):
        done = self.run_study("network_check", "--quick", "--bytes", "10000", "--without-simgrid")
        self.assertIn("SimGrid is not installed or not wanted", done.stdout)
        # Fifteen messages of 10 kB through a node's link of 12 GB/s, and what one takes besides.
        torus = done.stdout[done.stdout.index("## Torus"):]
        incast = self.value(torus, "incast, a rank of each node", 0)
        self.assertGreater(incast, 31 * 10000 / 12e9 * 1e6)
        self.assertLess(incast, 31 * 10000 / 10e9 * 1e6 + 5)
        if importlib.util.find_spec("simgrid"):
            shutil.rmtree(self.folder.name)
            done = self.run_study("network_check", "--quick", "--bytes", "10000")
            for machine in ("## Cluster", "## Fat tree", "## Torus"):
                rows = done.stdout[done.stdout.index(machine):]
                for pattern in ("ping-pong across, long", "incast, all other nodes", "ring of ranks"):
                    self.assertAlmostEqual(self.value(rows, pattern, 2), 1, delta=0.05, msg=f"{machine}: {pattern}")

    def test_stencil_overhead(self):
        self.run_study("stencil_overhead", "--repeats", "1", "--steps", "3", "--blocks", "2", "--no-mpi")

    @unittest.skipUnless(os.path.exists(os.path.join(BUILD, "bin", "sw4_mpi")) and shutil.which("mpirun"), "no sw4 or no MPI")
    def test_sw4_port(self):
        done = self.run_study("sw4_port", "--quick")
        self.assertRegex(done.stdout, r"\| 2 \| port \| [\d.e-]+ \| [\d.]+ \|")
        # The blocks' work alone, and what it takes at most where a core has so few points.
        self.assertTrue(0.9 < self.value(done.stdout, "40 cores, 500 m", 3) < 1.3, done.stdout)

    def test_sw4_without_roam_on_a_simulated_network(self):
        sys.path.append(STUDIES)
        self.addCleanup(sys.path.remove, STUDIES)
        sendrecv = importlib.import_module("support.sendrecv")
        levels = [sendrecv.Level("pair", 2, latency=1, overhead=0, gap=0, bandwidth=1e9),
                  sendrecv.Level("all", latency=10, overhead=0, gap=0, bandwidth=1)]
        job = sendrecv.Job(4, levels)
        job.compute([5, 0, 0, 0])
        job.shift([1, None, None, 2], [0, 0, 0, 3])  # within a pair each, the second after three bytes
        self.assertEqual(job.now[:2], [5, 6])
        self.assertAlmostEqual(job.now[2], 1, places=6)
        job.shift([None, 2, None, None], [0, 3, 0, 0])  # across, at 6: three bytes at 1 a second and 10 of latency
        self.assertEqual(job.now[2], 19)
        cut = sendrecv.Cut([7, 9, 2], 4)
        self.assertEqual((cut.blocks, cut.sizes()), ((2, 2), [24, 32, 30, 40]))
        self.assertEqual((cut.neighbours(0, 1), cut.neighbours(1, -1)), ([1, None, 3, None], [None, None, 0, 1]))
        self.assertEqual(cut.edge_bytes(0)[0], 8 * 3 * 2 * 4 * 2)

    @unittest.skipUnless(all(os.path.exists(os.path.join(BUILD, "bin", name)) for name in ("seismic", "sw4")), "no seismic or sw4")
    def test_loh1_convergence(self):
        done = self.run_study("loh1_convergence", "--quick")
        for row, unknowns in (("finite differences, 500 m", 3 * 29 * 33 * 19), ("ADER-DG, order 1", 3560 * 72)):
            line = re.search(rf"^\| {row} \|(.*)\|$", done.stdout, re.MULTILINE).group(1).split("|")
            self.assertEqual(int(line[0].replace(",", "")), unknowns)
            self.assertTrue(0.3 < float(line[3]) < 1.5, line)  # so coarse: the wave comes, but as another one

    @unittest.skipUnless(all(os.path.exists(os.path.join(BUILD, "bin", name)) for name in ("seismic", "amr_steps")) and
                         importlib.util.find_spec("numpy"), "no seismic or amr_steps, or no NumPy")
    def test_seismic_offloading(self):
        done = self.run_study("seismic_offloading", "--quick")
        self.assertAlmostEqual(self.value(done.stdout, "4 ranks", 5), 2.1, delta=0.1)  # possible, on LOH.1's mesh
        self.assertGreater(self.value(done.stdout, "4 ranks", 6), 0.95)  # auto, of it
        changing = done.stdout[done.stdout.index("## Table 2 and figure 8"):]
        self.assertIn(", 4 meshes of 5 steps", changing)
        self.assertGreater(self.value(changing, "28 ranks", 3), 1.3)

    def test_simulator_check(self):
        done = self.run_study("simulator_check", "--repeats", "1", "--quick")
        self.assertEqual(len(re.findall(r"^\| (?:synthetic|imbalance|stencil) \|", done.stdout, re.MULTILINE)), 9, done.stdout)

    def small_part(self):
        return str(parts.write("part", pathlib.Path(self.folder.name)))

    # It runs mesh_refine on a mesh that TetGen makes.
    @unittest.skipIf(NO_MESHES, "no mesh_refine or no tetgen")
    def test_real_runs(self):
        done = self.run_study("real_runs", "--repeats", "1", "--quick", "--no-mpi", "--part", self.small_part())
        self.assertGreater(self.value(done.stdout, "none", 0), 1.2)

    # It runs mesh_refine on a mesh that TetGen makes.
    @unittest.skipIf(NO_MESHES, "no mesh_refine or no tetgen")
    def test_mesh_refine_costs_records_once(self):
        quick = ("--quick", "--seeds", "1", "--most-cores", "640", "--part", self.small_part())
        done = self.run_study("mesh_refine_costs", *quick)
        least, auto = (self.value(done.stdout, row, 0) for row in ("least possible (the costliest subdomain)", "auto"))
        self.assertGreaterEqual(auto, least)  # fewer subdomains than cores: it cannot be beaten, only reached
        self.assertLess(auto, 1.1 * least)
        self.assertIn("recording", done.stderr)
        again = self.run_study("mesh_refine_costs", *quick)
        self.assertEqual((again.stdout, again.stderr), (done.stdout, ""))


def load_tests(loader, tests, pattern):
    """Those of WHICH alone."""
    one_by_one = [test for case in tests for test in case]
    return unittest.TestSuite(test for test in one_by_one if (test.id().split(".")[-1] in REAL) == (WHICH == "real"))


if __name__ == "__main__":
    unittest.main()
