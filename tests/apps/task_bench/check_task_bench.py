#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Task Bench: all patterns, kernels and implementations. Each task of a run checks its inputs; here the numbers of tasks,
dependences and operations are held against definitions of their own. usage: check_task_bench.py TASK_BENCH [RIVAL...]"""
import collections
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

RIVALS = [path for path in sys.argv[2:]]
PROGRAM = sys.argv[1]
del sys.argv[1:]

MODELS = ("flow", "objects", "messages")
STEPS, WIDTH, RADIX, PERIOD = 12, 9, 5, 3
KERNELS = ("-kernel", "empty", "-and", "-kernel", "compute_bound", "-iter", "3", "-and", "-kernel", "memory_bound", "-scratch",
           "1024", "-iter", "20", "-and", "-kernel", "load_imbalance", "-imbalance", "1.5")


def inside(*points):
    return {point for point in points if 0 <= point < WIDTH}


# What task (t, i) needs of step t - 1, as sets; None: that is random.
NEEDS = {
    "trivial": lambda t, i: set(),
    "no_comm": lambda t, i: {i},
    "stencil_1d": lambda t, i: inside(i - 1, i, i + 1),
    "stencil_1d_periodic": lambda t, i: {(i - 1) % WIDTH, i, (i + 1) % WIDTH},
    "dom": lambda t, i: inside(i - 1, i) & set(points("dom", t - 1)),
    "tree": lambda t, i: {i // 2 if 2**(t - 1) < WIDTH else i},
    "fft": lambda t, i: inside(i - 2**((t - 1) % 4), i, i + 2**((t - 1) % 4)),
    "all_to_all": lambda t, i: set(range(WIDTH)),
    "nearest": lambda t, i: inside(*range(i - 2, i + 3)),
    "spread": lambda t, i: {(i + k * WIDTH // RADIX + ((t - 1) % PERIOD if k else 0)) % WIDTH for k in range(RADIX)},
    "random_nearest": None,
}


def points(pattern, t):
    if pattern == "dom":
        return range(max(0, t - (STEPS - WIDTH)), min(WIDTH, t + 1))
    return range(min(WIDTH, 2**t) if pattern == "tree" else WIDTH)


def run(*arguments, program=PROGRAM):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def graph(pattern):
    return ("-steps", str(STEPS), "-width", str(WIDTH), "-type", pattern, "-radix", str(RADIX), "-period", str(PERIOD),
            "-fraction", "0.4", "-output", "48")


def figure(output, name):
    return float(re.search(rf"^ *{re.escape(name)} ([\d.e+-]+)", output, re.MULTILINE).group(1))


class TaskBench(unittest.TestCase):
    def check(self, pattern, arguments, graphs, program=PROGRAM):
        status, output, errors = run(*arguments, *graph(pattern), *KERNELS, program=program)
        self.assertEqual(status, 0, f"{arguments} {pattern}: {errors}")
        tasks = sum(len(points(pattern, t)) for t in range(STEPS))
        self.assertEqual(figure(output, "Total Tasks"), graphs * tasks)
        if NEEDS[pattern]:
            needs = sum(len(NEEDS[pattern](t, i)) for t in range(1, STEPS) for i in points(pattern, t))
            self.assertEqual(figure(output, "Total Dependencies"), graphs * needs, pattern)
        # compute_bound's, and those of load_imbalance, whose mean is about the same.
        self.assertGreater(figure(output, "Total FLOPs"), 1.4 * 128 * 3 * tasks)
        self.assertEqual(figure(output, "Total Bytes"), 20 * 1024 // 16 * tasks)
        self.assertGreater(figure(output, "Elapsed Time"), 0)

    def test_all_patterns_kernels_models_and_numbers_of_ranks(self):
        for pattern, model, ranks in itertools.product(NEEDS, MODELS, (1, 2, 3, 4)):
            self.check(pattern, ("--roam-simulate", f"ranks={ranks},workers=2", "-model", model), 4)

    def test_threads(self):
        for pattern, model in itertools.product(("stencil_1d", "spread", "tree", "all_to_all"), MODELS):
            self.check(pattern, ("--roam-ranks", "2", "--roam-workers", "2", "--roam-flow-window", "60", "-model", model), 4)

    def test_other_back_ends(self):
        known = run("--roam-help")[1]
        backends = [name for name in ("serial", "tbb", "openmp", "starpu") if re.search(rf"\b{name}\b", known)]
        for pattern, backend, ranks in itertools.product(("fft", "random_nearest", "all_to_all"), backends, ("1", "2")):
            self.check(pattern, ("--roam-ranks", ranks, "--roam-workers", "1", "--roam-flow-backend", backend), 4)

    def test_rivals(self):
        for pattern, rival in itertools.product(NEEDS, [path for path in RIVALS if path.endswith(("openmp", "starpu"))]):
            self.check(pattern, ("-threads", "2"), 4, program=rival)

    def test_a_wrong_dependence_is_found(self):
        for pattern, model in itertools.product(("stencil_1d", "fft", "tree", "random_nearest"), MODELS):
            status, _, errors = run("--roam-simulate", "ranks=2,workers=2", "-model", model, *graph(pattern), "-plant", "7")
            self.assertNotEqual(status, 0, f"{model} {pattern}")
            self.assertRegex(errors, r"task \(7, \d+\) was given .* needs", f"{model} {pattern}")
        for rival in RIVALS:
            status, _, errors = run(*graph("stencil_1d"), "-plant", "7", program=rival)
            self.assertNotEqual(status, 0, rival)
            self.assertRegex(errors, r"task \(7, \d+\) was given", rival)

    def test_the_trace_has_the_dependences_of_the_graph(self):
        roam = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "..", "tools", "roam")
        for pattern, ranks in itertools.product(("stencil_1d", "tree", "fft"), (1, 2)):
            with tempfile.TemporaryDirectory() as folder:
                trace = os.path.join(folder, "run.json")
                status, output, errors = run("--roam-simulate", f"ranks={ranks},workers=2", *graph(pattern), "-kernel",
                                             "compute_bound", "-iter", "100", "-iteration-seconds", "1e-7", "--roam-trace",
                                             trace, "--roam-flow-record", "10000")
                self.assertEqual(status, 0, errors)
                with open(trace, encoding="utf-8") as file:
                    parts = json.load(file)["roam"]["flow"]
                done = subprocess.run([roam, "report", trace, "--flow-dot"], capture_output=True, text=True)
                table = subprocess.run([roam, "report", trace, "--table"], capture_output=True, text=True)
            counts = collections.Counter()
            for part in parts:
                names = [part["labels"][task[0]].split()[0] for task in part["tasks"]]
                counts.update(names)
                counts.update((names[before], names[task]) for before, task, _ in part["edges"])
            self.assertEqual(counts["point"], figure(output, "Total Tasks"))
            # Of other ranks' values the one that receives it stands for the task that wrote it.
            waits = counts["point", "point"] + counts["receive", "point"] + counts["fetch", "point"]
            self.assertEqual(waits, figure(output, "Total Dependencies"), pattern)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(re.findall(r"^  t\d+ \[", done.stdout, re.MULTILINE)), sum(len(p["tasks"]) for p in parts))
            if ranks > 1:  # values of other ranks
                self.assertGreater(len(re.findall(r"^  t\d+ -> t\d+ \[label=\"\", color=(blue|red)", done.stdout, re.MULTILINE)), 3)
            # A chain through all steps of 10 us each, and the simulated runtime's parts of a microsecond.
            chain = float(re.search(r"^critical path +([\d.]+) .s, \d+ tasks", table.stdout, re.MULTILINE).group(1))
            self.assertTrue(10 * STEPS <= chain <= 12 * STEPS, table.stdout)

    def test_refuses_what_cannot_be(self):
        for arguments, words in ((("-steps", "x"), "x is no number"), (("-type", "ring"), "there is no ring"),
                                 (("-output", "20"), "multiple of 16"), (("-width",), "needs a value"),
                                 (("-kernel", "memory_bound"), "needs -scratch"), (("-colour", "1"), "unknown option"),
                                 (("-type", "dom", "-width", "9"), "as many steps as it is wide")):
            status, _, errors = run(*arguments)
            self.assertEqual(status, 2, arguments)
            self.assertIn(words, errors)


if __name__ == "__main__":
    unittest.main()
