# SPDX-License-Identifier: Apache-2.0
"""bench-am with made-up results: which targets count as met, what callgrind's output means, what
happens when something could not be measured."""
import importlib.util
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TOOL = os.path.join(ROOT, "bench", "bench-am")
sys.path.insert(0, os.path.join(ROOT, "bench"))

from bench_am import instructions, medians, table, targets  # noqa: E402

SERIES = {"ping_pong_mpi": "shared", "ping_pong_ucx": "shared", "in_process": "in process",
          "rate_mpi": "size", "bandwidth_mpi": "messages", "remote_memory_mpi": "",
          "message_path": "", "soak_mpi": ""}
TRANSPORT = "roam::transport::Port::send(roam::Rank, roam::core::Buffer)"
CALLGRIND = """# callgrind format
events: Ir
fl=(1) messenger.cpp
fn=(1) roam::am::Messenger::forward(roam::Rank)
10 {am}
cfn=(2) {transport}
calls={n} 20
11 {inclusive}

fn=(2)
20 {own}
fi=(3) atomic.h
+4 {inlined}
cfn=(3) roam::core::BufferPool::take()
calls={n} 30
* {buffer}

fn=(3)
30 {buffer}
fn=(4) (below main)
0 5000
"""


def profile(n):
    text = CALLGRIND.format(am=100 * n, own=40 * n, inlined=10 * n, buffer=7 * n, n=n,
                            inclusive=57 * n, transport=TRANSPORT)
    return instructions.read_profile(text.splitlines())


def spread(value):
    return {"median": value, "min": value, "quartile_1": value, "quartile_3": value, "max": value}


def results(ratio=1.0):
    made = {}
    for target in targets.TARGETS:
        result = made.setdefault(target.source, {"benchmark": "b", "yardstick": "raw", "unit": "us",
                                                 "repeats": 3, "rows": []})
        result["rows"].append({"name": target.row, "series": SERIES[target.source],
                               "bytes": 8,
                               "yardstick": spread(2.0), "roam": spread(2.0 * ratio),
                               "ratio": spread(ratio)})
    made["message_path"] = instructions.breakdown(profile(2).minus(profile(1), 1))
    made["soak_mpi"] = {"tolerance_kib": 4096, "seconds": 60.0, "warm_up_seconds": 15.0,
                        "ranks": [{"rank": r, "messages": 1, "bytes": 8, "growth_kib": 100 * r,
                                   "samples": [[0.0, 1], [60.0, 1]]} for r in (0, 1)]}
    return made


class Pairs(unittest.TestCase):
    def test_the_median_over_pairs_of_processes_counts(self):
        runs = [results(ratio)["ping_pong_mpi"] for ratio in (0.9, 3.0, 1.0)]
        merged = medians.over_pairs(runs)
        self.assertEqual([row["ratio"]["median"] for row in merged["rows"]],
                         [1.0] * len(runs[0]["rows"]))
        self.assertEqual(merged["rows"][0]["ratio"]["max"], 3.0)
        self.assertEqual(merged["rows"][0]["ratio"]["min"], 0.9)
        self.assertEqual(merged["pairs"], 3)
        self.assertEqual([row["name"] for row in merged["rows"]],
                         [row["name"] for row in runs[0]["rows"]])

    def test_one_pair_is_told_as_it_is(self):
        run = results()["ping_pong_mpi"]
        self.assertIs(medians.over_pairs([run]), run)


class Targets(unittest.TestCase):
    def verdicts(self, ratio):
        done, missing = targets.outcomes(results(ratio))
        self.assertEqual((len(done), missing), (len(targets.TARGETS), []))
        return {(o.target.group, o.target.what): o.met for o in done}

    def test_a_limit_is_met_by_what_equals_it_unless_below_is_wanted(self):
        even = self.verdicts(1.0)
        self.assertTrue(even["one-way time over MPI", "8 B"])
        self.assertTrue(even["bandwidth", "1 MiB"])
        self.assertFalse(even["one-way time inside a process", "8 B"])
        self.assertFalse(even["one-way time over UCX", "8 B"])
        self.assertFalse(even["rate, many small messages", "8 B"])
        self.assertTrue(self.verdicts(5.0)["rate, many small messages", "8 B"])
        self.assertTrue(self.verdicts(0.99)["one-way time inside a process", "8 B"])

    def test_growth_is_that_of_the_rank_that_grew_most(self):
        done, _ = targets.outcomes(results())
        growth = next(o for o in done if o.target.source == "soak_mpi")
        self.assertEqual((growth.value, growth.limit, growth.met), (100, 4096, True))

    def test_what_is_missing_is_named(self):
        incomplete = results()
        del incomplete["ping_pong_ucx"]
        done, missing = targets.outcomes(incomplete)
        self.assertEqual(len(missing), 3)
        self.assertIn("not measured: one-way time over UCX, 64 B", table.text_table(done, missing))


class Instructions(unittest.TestCase):
    def test_one_message_is_the_difference_and_the_network_keeps_what_it_calls(self):
        one = instructions.breakdown(profile(20).minus(profile(10), 10))
        self.assertEqual((one["total"], one["transport"], one["overhead"]), (157, 57, 100))
        self.assertEqual(one["rooms"], {"am": 100, "transport": 57})

    def test_namespaces_among_template_arguments_do_not_decide(self):
        self.assertEqual(instructions.room("void roam::am::Messenger::send<&(anonymous "
                                           "namespace)::bounce>(roam::transport::Rank)"), "am")
        self.assertEqual(instructions.room("memcpy"), "libraries")


# It draws plots; matplotlib comes with `scripts/bootstrap bench`, which tests do not ask for.
# matplotlib draws the page; scripts/bootstrap bench installs it, the other tests do without.
@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
class Tool(unittest.TestCase):
    """The whole of it, over programs that write made-up results."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        made = results()
        for name, result in made.items():
            if "rows" in result or "ranks" in result:
                self.program(f"bench_{name}", f"""
import sys
open(sys.argv[sys.argv.index("--json") + 1], "w").write({json.dumps(json.dumps(result))})
""")
        self.program("bench_mpi_latency", "import sys\nopen(sys.argv[-1], 'w').write('{\"benchmark\": "
                     "\"b\", \"yardstick\": \"\", \"unit\": \"us\", \"repeats\": 3, \"rows\": []}')\n")
        self.program("bench_message_path", "")
        self.program("valgrind", f"""
import sys
open(sys.argv[2].partition("=")[2], "w").write({CALLGRIND!r}.format(
    am=int(sys.argv[4]), own=0, inlined=0, buffer=0, n=1, inclusive=0, transport={TRANSPORT!r}))
""")
        with open(self.path("bench-am.json"), "w", encoding="utf-8") as stream:
            json.dump({"programs": self.folder, "launcher": ["env"]}, stream)

    def path(self, name):
        return os.path.join(self.folder, name)

    def program(self, name, body):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(f"#!{sys.executable}\n{body}")
        os.chmod(self.path(name), stat.S_IRWXU)

    def run_tool(self, *arguments):
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}")
        return subprocess.run([sys.executable, TOOL, "--build", self.folder, "--quick", *arguments],
                              env=environment, text=True, capture_output=True, check=False)

    def test_missed_targets_are_no_failure_and_one_may_be_measured_anew(self):
        done = self.run_tool()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("NOT MET", done.stdout)
        self.assertIn(f"of {len(targets.TARGETS)} targets met", done.stdout)
        with open(self.path("bench-am/bench-am.html"), encoding="utf-8") as stream:
            page = stream.read()
        self.assertNotIn("src='http", page)
        with open(self.path("bench-am/bench-am.png"), "rb") as stream:
            self.assertEqual(stream.read(4), b"\x89PNG")
        with open(self.path("bench-am/bench-am.json"), encoding="utf-8") as stream:
            self.assertEqual(len(json.load(stream)["table"]), len(targets.TARGETS))
        self.program("bench_rate_mpi", "raise SystemExit(1)\n")
        again = self.run_tool("--only", "soak_mpi")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("[1/1]", again.stdout)

    def test_a_measurement_that_fails_is(self):
        self.program("bench_rate_mpi", "import sys; print('no network'); sys.exit(3)\n")
        done = self.run_tool()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no network", done.stderr)
        self.assertIn("not measured: rate, many small messages", done.stdout)


if __name__ == "__main__":
    unittest.main()
