#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The program roam-map: what it proposes, saves, writes and refuses. usage: check_roam_map.py PROGRAM [STENCIL]"""
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
STENCIL = sys.argv.pop(1) if len(sys.argv) > 1 else None
SEEDS = pathlib.Path(__file__).parents[2] / "fuzz/corpus/topology"


def ring(ranks, reach=3):
    """Each rank sends 1 byte to those at most `reach` before and behind it."""
    return [[int(0 < min((a - b) % ranks, (b - a) % ranks) <= reach) for b in range(ranks)] for a in range(ranks)]


def regular_cost(matrix, leaves, arities=(8, 2, 4), distances=(100, 10, 1)):
    """Bytes x distance on a regular tree, independent of what the program computes."""
    def distance(a, b):
        size = 1
        spans = [size := size * arity for arity in reversed(arities)]
        for span, apart in zip(spans, reversed(distances)):
            if a // span == b // span:
                return 0 if a == b else apart
        raise AssertionError("beyond the machine")
    return sum(entry * distance(leaves[a], leaves[b]) for a, row in enumerate(matrix) for b, entry in enumerate(row))


def entity(rank):
    return {"type": "object", "id": rank, "home": rank, "migratable": True}


def lb_data(rank, phases):
    """The file of a rank with one object, whose number is the rank; phases: (to, bytes) lists."""
    return {"type": "LBDatafile", "phases": [
        {"id": i, "tasks": [{"entity": entity(rank), "node": rank, "resource": "cpu", "time": 1.0}],
         "communications": [{"type": "SendRecv", "bytes": float(size), "messages": 2, "from": entity(rank),
                             "to": entity(to)} for to, size in sent]}
        for i, sent in enumerate(phases)]}


class Map(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.path / name).write_text(text)
        return self.path / name

    def matrix(self, rows):
        return self.write("communication.txt", "".join(" ".join(map(str, row)) + "\n" for row in rows))

    def call(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=100)

    def map(self, *arguments):
        """The rows of the table, and all that is printed."""
        done = self.call(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {}
        for line in done.stdout.splitlines():
            if found := re.fullmatch(r"(\S.*?)  +([\d,.]+) +([\d,.]+) +(\S.*)", line):
                rows[found[1]] = (float(found[2].replace(",", "")), float(found[3].replace(",", "")), found[4])
        return rows, done.stdout

    def costs(self, *arguments):
        return self.map(*arguments)[0]["cost (bytes x distance)"][:2]

    def refuses(self, words, *arguments):
        done = self.call(*arguments)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done)
        self.assertIn(words, done.stderr)
        self.assertTrue(done.stderr.startswith("roam-map: "), done.stderr)

    def leaves_in(self, rankfile):
        """The leaves of an 8:2:4 that a rankfile names, hosts being called tux0 to tux7."""
        leaves = []
        for rank, line in enumerate(rankfile.read_text().splitlines()):
            number, host, package, core = map(int, re.fullmatch(r"rank (\d+)=tux(\d) slot=(\d):(\d)", line).groups())
            self.assertEqual(number, rank)
            leaves.append(8 * host + 4 * package + core)
        self.assertEqual(len(set(leaves)), len(leaves), "one rank on a core")
        return leaves

    def test_finds_the_known_optimum_of_a_shuffled_ring(self):
        communication, file = ring(64), self.path / "ranks"
        for seed in range(3):
            now = random.Random(seed).sample(range(64), 64)
            before, after = self.costs("-m", self.matrix(communication), "-t", "8:2:4@100:10:1", "--ranks-on",
                                       ",".join(map(str, now)), "--hosts", "tux[0-7]", "--rankfile", file)
            self.assertEqual(before, regular_cost(communication, now))
            self.assertEqual(after, 10752)
            self.assertEqual(regular_cost(communication, self.leaves_in(file)), 10752)

    def test_the_table(self):
        communication = self.write("communication.txt", "0 8 1 0\n0 0 0 0 # says nothing\n\n1,0, 0,\t8\n0 0 0 0\n")
        _, text = self.map("-m", communication, "-t", "2:2@10:1", "--ranks-on", "0,2,1,3")
        self.assertEqual(text, """\
4 ranks, 4 cores; between ranks 18 bytes

                                        now          proposed     change
cost (bytes x distance)                 162                36    -77.8 %
hop-bytes (bytes x links)                68                40    -41.2 %
bytes between packages                   16                 2    -87.5 %
bytes between cores                       2                16   +700.0 %

The proposed placement saves 77.8 % of the cost; 2 of 4 ranks change place.
""")

    def test_a_good_placement_stays(self):
        file = self.path / "ranks"
        _, text = self.map("-m", self.matrix(ring(64)), "-t", "8:2:4@100:10:1", "--hosts", "tux[0-7]", "--rankfile", file)
        self.assertIn("No placement was found that costs less: every rank stays.", text)
        self.assertEqual(self.leaves_in(file), list(range(64)))
        # The best one elsewhere on the machine is as good: all nodes turned round.
        turned = [63 - leaf for leaf in range(64)]
        _, text = self.map("-m", self.matrix(ring(64)), "-t", "8:2:4@100:10:1", "--hosts", "tux[0-7]", "--rankfile", file,
                           "--ranks-on", ",".join(map(str, turned)))
        self.assertIn("every rank stays", text)
        self.assertEqual(self.leaves_in(file), turned)
        _, text = self.map("-m", self.matrix([[7, 0], [0, 7]]), "-t", "2:2")
        self.assertIn("No communication crosses any distance: every rank stays.", text)
        self.assertIn("between ranks 0 bytes", text)

    def test_moves_no_more_ranks_than_need_be(self):
        now = list(range(64))
        now[5], now[40] = now[40], now[5]
        rows, text = self.map("-m", self.matrix(ring(64)), "-t", "8:2:4@100:10:1", "--ranks-on", ",".join(map(str, now)))
        self.assertEqual(rows["cost (bytes x distance)"][1], 10752)
        self.assertIn("; 2 of 64 ranks change place", text)

    def test_groups_go_where_most_of_their_ranks_are(self):
        # Six groups of eight, scattered over six nodes of eight: each group gets a node, and that node which keeps most.
        communication = [[int(a // 8 == b // 8) for b in range(48)] for a in range(48)]
        for seed in range(3):
            now = random.Random(seed).sample(range(48), 48)
            stay = [[sum(now[rank] // 8 == node for rank in range(8 * group, 8 * group + 8)) for node in range(6)]
                    for group in range(6)]
            most = max(sum(stay[group][node] for group, node in enumerate(nodes))
                       for nodes in itertools.permutations(range(6)))
            rows, text = self.map("-m", self.matrix(communication), "-t", "6:8@10:1", "--ranks-on", ",".join(map(str, now)))
            self.assertEqual(rows["bytes between packages"][1], 0)
            self.assertIn(f"; {48 - most} of 48 ranks change place", text)

    def test_is_best_where_all_placements_can_be_tried(self):
        draw = random.Random(7)
        for _ in range(8):
            communication = [[draw.choice((0, 0, 1, 5, 30)) if a != b else 9 for b in range(6)] for a in range(6)]
            least = min(regular_cost(communication, leaves, (2, 3), (7, 2)) for leaves in itertools.permutations(range(6)))
            self.assertEqual(self.costs("-m", self.matrix(communication), "-t", "2:3@7:2")[1], least)

    def test_one_way_communication_counts_like_both_ways(self):
        both = ring(16, 1)
        one_way = [[2 * entry if b == (a + 1) % 16 else 0 for b, entry in enumerate(row)] for a, row in enumerate(both)]
        now = ",".join(map(str, random.Random(1).sample(range(16), 16)))
        results = [self.map("-m", self.matrix(rows), "-t", "4:4@9:1", "--ranks-on", now)[0] for rows in (both, one_way)]
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[1]["cost (bytes x distance)"][1], 2 * (4 * 9 + 12 * 1))

    def test_fewer_ranks_than_cores(self):
        file = self.path / "ranks"
        _, after = self.costs("-m", self.matrix(ring(4, 1)), "-t", "8:2:4@100:10:1", "--ranks-on", "0,8,16,24",
                              "--hosts", "tux[0-7]", "--rankfile", file)
        self.assertEqual(after, 8)
        self.assertEqual(len({leaf // 4 for leaf in self.leaves_in(file)}), 1)
        # A grid of 6 x 8 on 48 of the 64 cores: six nodes of 2 x 4.
        grid = [[int(abs(a // 8 - b // 8) + abs(a % 8 - b % 8) == 1) for b in range(48)] for a in range(48)]
        now = random.Random(5).sample(range(64), 48)
        _, after = self.costs("-m", self.matrix(grid), "-t", "8:2:4@100:10:1", "--ranks-on", ",".join(map(str, now)))
        self.assertEqual(after, 2 * (22 * 100 + 6 * 2 * 10 + 12 * 4))
        # Leaves that may not be used stay empty.
        self.map("-m", self.matrix(ring(4, 1)), "-t", "8:2:4@100:10:1!0-2,4-60", "--hosts",
                 "tux[0-7]", "--rankfile", file)
        self.assertEqual(sorted(self.leaves_in(file)), [3, 61, 62, 63])

    def test_files_of_a_small_case(self):
        # Ranks 0, 1 and 5 communication, and 2, 3 and 4; there are two hosts of three cores: 2 and 5 change places.
        names = {option: self.path / option for option in ("rankfile", "slurm", "mpich")}
        options = [word for option, file in names.items() for word in (f"--{option}", file)]
        groups = (0, 1, 5), (2, 3, 4)
        communication = self.matrix([[int(any(a in group and b in group for group in groups)) for b in range(6)] for a in range(6)])
        _, text = self.map("-m", communication, "-t", "2:1:3@10:5:1", "--hosts", "a,b", *options)
        self.assertEqual(names["rankfile"].read_text(), "rank 0=a slot=0:0\nrank 1=a slot=0:1\nrank 2=b slot=0:2\n"
                                                        "rank 3=b slot=0:0\nrank 4=b slot=0:1\nrank 5=a slot=0:2\n")
        self.assertEqual(names["slurm"].read_text(), "a\na\nb\nb\nb\na\n")
        self.assertEqual(names["mpich"].read_text(), "a:2\nb:3\na:1\n")
        self.assertIn("mpich lists hosts more than once", text)
        _, text = self.map("-m", self.matrix(ring(4, 1)), "-t", "2:1:2", "--hosts", "a,b", *options)
        self.assertEqual(names["mpich"].read_text(), "a:2\nb:2\n")
        self.assertNotIn("more than once", text)

    def test_order_exchanges_the_places_that_ranks_have(self):
        communication, file = ring(12, 1), self.path / "order"
        now = random.Random(3).sample(range(0, 64, 5), 12)
        _, after = self.costs("-m", self.matrix(communication), "-t", "8:2:4@100:10:1", "--ranks-on", ",".join(map(str, now)),
                              "--order", file)
        order = [int(line) for line in file.read_text().splitlines()]
        self.assertEqual(sorted(order), list(range(12)))
        place = [now[order.index(rank)] for rank in range(12)]
        self.assertEqual(regular_cost(communication, place), after)
        self.assertLess(after, regular_cost(communication, now))
        # A cycle of three tells the permutation from its inverse.
        communication = self.matrix([[0, 9, 0], [0, 0, 0], [0, 0, 0]])
        self.map("-m", communication, "-t", "2:2,1@10:1", "--ranks-on", "0,2,1", "--order", file)
        self.assertIn(file.read_text(), ("0\n2\n1\n", "1\n2\n0\n"))

    def test_hosts_of_a_cluster(self):
        slurm, ranks = self.path / "slurm", self.path / "ranks"
        communication = self.matrix([[0, 5], [0, 0]])
        cluster = SEEDS / "switches.conf"
        self.map("-m", communication, "-t", cluster, "--ranks-on", "3,5", "--slurm", slurm)
        self.assertIn(slurm.read_text().split(), [["tux3", "tux2"], ["tux3", "tux1"], ["tux3", "tux0"],
                                                  ["tux4", "tux5"], ["tux6", "tux5"], ["tux7", "tux5"],
                                                  ["tux12", "tux5"]])
        self.refuses("does not say which cores a node has", "-m", communication, "-t", cluster, "--rankfile", ranks)
        self.map("-m", communication, "-t", f"{cluster}+{SEEDS / 'node_two_packages.xml'}", "--end-at", "core", "--ranks-on", "5,6",
                 "--rankfile", ranks, "--order", self.path / "order")
        self.assertEqual(ranks.read_text(), "rank 0=tux1 slot=0:1\nrank 1=tux1 slot=1:0\n")
        self.map("-m", communication, "-t", "3:2:4", "--end-at", "package", "--hosts", "n[8-10]", "--ranks-on", "3,2", "--rankfile",
                 ranks)
        self.assertEqual(ranks.read_text(), "rank 0=n9 slot=1:0-3\nrank 1=n9 slot=0:0-3\n")
        self.map("-m", communication, "-t", "3:2:4", "--end-at", "node", "--hosts", "n[8-10]", "--ranks-on", "2,0", "--rankfile",
                 ranks)
        self.assertEqual(ranks.read_text(), "rank 0=n10 slot=0-7\nrank 1=n8 slot=0-7\n")
        self.map("-m", communication, "-t", "2:2", "--rankfile", ranks)
        self.assertEqual(ranks.read_text(), "rank 0=localhost slot=0:0\nrank 1=localhost slot=0:1\n")
        self.map("-m", communication, "-t", "2:2", "--host-level", "package", "--hosts", "a,b", "--ranks-on", "2,3", "--rankfile",
                 ranks)
        self.assertEqual(ranks.read_text(), "rank 0=b slot=0\nrank 1=b slot=1\n")

    def test_recorded_loads_by_phase(self):
        # Phase 0: 0 with 2 and 1 with 3; phase 1, louder: 0 with 3 and 1 with 2.
        for rank, phases in enumerate([[[(2, 10)], [(3, 50)]], [[(3, 10)], [(2, 50)]], [[], []], [[(1, 5)], []]]):
            self.write(f"data.{rank}.json", json.dumps(lb_data(rank, phases)))
        order = self.path / "order"
        for phase, said, before, partner in (([], "125 bytes in 10 messages", 1250, 3),
                                             (["-p", 0], "25 bytes in 6 messages", 250, 2),
                                             (["-p", 1], "100 bytes in 4 messages", 1000, 3)):
            rows, text = self.map(self.path, "-t", "2:2@10:1", "--order", order, *phase)
            self.assertIn(f"between ranks {said}\n", text)
            self.assertEqual(rows["cost (bytes x distance)"][0], before)
            keys = order.read_text().split()
            self.assertEqual({keys.index("0") // 2}, {keys.index(str(partner)) // 2})
        self.assertEqual(rows["messages between packages"][:2], (4, 0))
        self.refuses("phase", self.path, "-t", "2:2", "-p", 7)

    def test_recorded_by_a_program(self):
        if STENCIL is None:
            self.skipTest("built without applications")
        subprocess.run([STENCIL, "--roam-simulate", "ranks=64,workers=1", "--block-side", "8", "--steps", "3", "--no-check",
                        "--roam-lb-data", self.path], check=True, capture_output=True)
        # 8 x 8 blocks on four nodes of 16 cores: of 112 borders 56 lie between nodes if ranks go to nodes in
        # turn, 24 if each node gets two rows, 16 at best.
        in_turn = ",".join(str(16 * (rank % 4) + rank // 4) for rank in range(64))
        for placed, borders in ((["--ranks-on", in_turn], 56), ([], 24)):
            rows, _ = self.map(self.path, "-t", "4:2:8@100:10:1", *placed)
            before, after, _ = rows["messages between nodes"]
            self.assertEqual(before / borders, after / 16)
            before, after, _ = rows["bytes between nodes"]
            self.assertEqual(before / borders, after / 16)
        self.assertLess(rows["cost (bytes x distance)"][1], 0.7 * rows["cost (bytes x distance)"][0])

    def test_open_mpi_accepts_the_rankfile(self):
        mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        if not mpirun or not re.search("Open MPI|OpenRTE", subprocess.run([mpirun, "--version"], capture_output=True,
                                                                          text=True).stdout):
            self.skipTest("no mpirun of Open MPI")
        if len(os.sched_getaffinity(0)) != os.cpu_count():
            self.skipTest("not all processors may be used here, and mpirun numbers all of them")
        ranks, communication = self.path / "ranks", self.matrix([[0, 1], [1, 0]])
        done = self.call("-m", communication, "-t", "here", "--end-at", "core", "--ranks-on", "1,0", "--rankfile", ranks)
        if done.returncode != 0:
            self.skipTest("this machine's cores are not known, or it has one alone: " + done.stderr)
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        shown = subprocess.run([mpirun, "--rankfile", ranks, "-n", "2", "sh", "-c", "echo $OMPI_COMM_WORLD_RANK "
                                "$(grep Cpus_allowed_list /proc/self/status)"],
                               capture_output=True, text=True, timeout=100, env=environment)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        cores = [re.search(r"\d+", line.split()[2])[0] for line in sorted(shown.stdout.splitlines())]
        first = [pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text() for cpu in cores]
        self.assertEqual(len(set(first)), 2, "each rank has a core of its own")
        self.assertGreater(int(cores[0]), int(cores[1]), "rank 0 is on the second core")

    def test_says_what_is_wrong_with_a_matrix(self):
        for text, words in (("0 1\n1 x\n", "communication.txt:2: found \"x\", allowed are numbers from 0 to 1e18"),
                            ("# two\n0 1\n\n1\n", "communication.txt:4: found 1 numbers in a row, allowed are 2 as in the first one"),
                            ("0 1\n1 -1\n", "communication.txt:2: found \"-1\""),
                            ("0 1\n1 nan\n", "communication.txt:2: found \"nan\""),
                            ("0,,1\n", "communication.txt:1: found \"\""),
                            ("0 1\n", "communication.txt:1: the file ends after 1 rows of 2 numbers"),
                            ("0 1\n1 0\n1 1\n", "communication.txt:3: found row 3, allowed are as many rows as columns, 2"),
                            ("# nothing\n", "communication.txt:1: found no numbers")):
            with self.subTest(text):
                self.refuses(words, "-m", self.write("communication.txt", text), "-t", "2:2")
        self.refuses("cannot read", "-m", self.path, "-t", "2:2")
        self.refuses("cannot read", "-m", self.path / "nowhere", "-t", "2:2")

    def test_says_what_is_wrong(self):
        communication = self.matrix(ring(4, 1))
        matrix = ["-m", communication, "-t"]
        self.refuses("found 4 ranks, allowed is one on each core that may be used, of which there are 3", *matrix, "2:2!0")
        self.refuses("of which there are 2", *matrix, "2:2:4", "--end-at", "node")
        self.refuses("did you mean node?", *matrix, "2:2:4", "--host-level", "nodes")
        self.refuses("did you mean core?", *matrix, "2:2:4", "--end-at", "cores")
        self.refuses("has no names of nodes; give them", *matrix, "2:2:4", "--slurm", self.path / "slurm")
        self.refuses("found 3 names, allowed are as many as there are hosts, 2", *matrix, "2:2:4", "--hosts", "a,b,c")
        self.refuses("found a twice", *matrix, "2:2:4", "--hosts", "a,a")
        self.refuses("a node is not a part of one host", "-m", communication, "-t", "4:2:4", "--end-at", "node", "--host-level",
                     "core", "--hosts", "t[0-31]")
        self.refuses("found 3 leaves, allowed is one for each of 4 ranks", *matrix, "2:4", "--ranks-on", "0-2")
        self.refuses("ranks 1 and 3 are put on leaf 1", *matrix, "2:4", "--ranks-on", "0-2,1")
        self.refuses("allowed are leaves 0 to 7", *matrix, "2:4", "--ranks-on", "5-8")
        self.refuses("rank 1 is put on leaf 1, which may not be used", *matrix, "2:4!1", "--ranks-on", "0-3")
        self.refuses("nowhere", *matrix, "nowhere")
        for option in ("--rankfile", "--slurm", "--mpich", "--order"):
            self.refuses(f"{option}: cannot write", *matrix, "2:4", option, self.path / "no/where")
        self.refuses("give files of recorded loads, or a matrix", "-t", "2:4")
        self.refuses("not both", self.path, *matrix, "2:4")
        self.refuses("a matrix has no phases", *matrix, "2:4", "-p", 0)
        self.refuses("there is no file *.json in this folder", self.path, "-t", "2:4")


if __name__ == "__main__":
    unittest.main()
