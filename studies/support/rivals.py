# SPDX-License-Identifier: Apache-2.0
"""METIS and KaHIP as rivals of Roam's mapping: recursive multisection, into nodes, these into packages, these into cores.
Both come from PyPI (pymetis, kahip) and are used by studies alone; what is missing is named."""
import importlib
import time

SIZES = (2, 4)          # packages of a node, cores of a package
DISTANCES = (100, 10, 1)  # between nodes, packages, cores
IMBALANCE = 0.03


class Graph:
    """A graph with whole weights: loads of the vertices, for each one its neighbours and what is said to them."""

    def __init__(self, loads, neighbours, amounts):
        self.loads, self.neighbours, self.amounts = loads, neighbours, amounts

    @staticmethod
    def read(path):
        """From METIS's format with both kinds of weights (011)."""
        with open(path, encoding="ascii") as file:
            next(file)
            lines = [[int(word) for word in line.split()] for line in file]
        return Graph([line[0] for line in lines], [[v - 1 for v in line[1::2]] for line in lines],
                     [line[2::2] for line in lines])

    def part(self, vertices):
        """The graph of these vertices alone, in their order."""
        number = {v: i for i, v in enumerate(vertices)}
        neighbours, amounts = [], []
        for v in vertices:
            inside = [(number[u], a) for u, a in zip(self.neighbours[v], self.amounts[v]) if u in number]
            neighbours.append([u for u, _ in inside])
            amounts.append([a for _, a in inside])
        return Graph([self.loads[v] for v in vertices], neighbours, amounts)

    def compressed(self):
        begin, all_neighbours, all_amounts = [0], [], []
        for neighbours, amounts in zip(self.neighbours, self.amounts):
            all_neighbours += neighbours
            all_amounts += amounts
            begin.append(len(all_neighbours))
        return begin, all_neighbours, all_amounts


def cost(graph, core_of):
    """Weight times distance, summed over all pairs."""
    per_node, per_package = SIZES[0] * SIZES[1], SIZES[1]
    total = 0
    for v, (neighbours, amounts) in enumerate(zip(graph.neighbours, graph.amounts)):
        a = core_of[v]
        for u, amount in zip(neighbours, amounts):
            b = core_of[u]
            if a == b or u < v:
                continue
            total += amount * (DISTANCES[0] if a // per_node != b // per_node
                               else DISTANCES[1] if a // per_package != b // per_package else DISTANCES[2])
    return total


def imbalance(graph, core_of, cores):
    loads = [0] * cores
    for v, core in enumerate(core_of):
        loads[core] += graph.loads[v]
    return max(loads) * cores / sum(loads) - 1


def multisection(graph, nodes, split):
    """The core of each vertex, and the seconds of processor time that `split(graph, parts)` took in all."""
    spent = 0.0
    core_of = [0] * len(graph.loads)

    def divide(vertices, sizes, first):
        nonlocal spent
        if not sizes or not vertices:
            for v in vertices:
                core_of[v] = first
            return
        cores = 1
        for size in sizes[1:]:
            cores *= size
        part = graph if len(vertices) == len(graph.loads) else graph.part(vertices)
        parts = [0] * len(vertices)
        if sizes[0] > 1:
            compressed = part.compressed()
            begin = time.thread_time()
            parts = split(part.loads, compressed, sizes[0])
            spent += time.thread_time() - begin
        members = [[] for _ in range(sizes[0])]
        for v, one in zip(vertices, parts):
            members[one].append(v)
        for i, inside in enumerate(members):
            divide(inside, sizes[1:], first + i * cores)

    divide(list(range(len(graph.loads))), (nodes, *SIZES), 0)
    return core_of, spent


def _metis(pymetis):
    options = pymetis.Options(ufactor=round(1000 * IMBALANCE / 3), seed=1)  # a third of it on each level

    def split(loads, compressed, parts):
        begin, neighbours, amounts = compressed
        return pymetis.part_graph(parts, xadj=begin, adjncy=neighbours, vweights=loads, eweights=amounts,
                                  options=options).vertex_part
    return split


def _kahip(kahip):
    def split(loads, compressed, parts):
        begin, neighbours, amounts = compressed
        return kahip.kaffpa(loads, begin, amounts, neighbours, parts, IMBALANCE / 3, True, 1, kahip.FAST)[1]
    return split


def available():
    """(name, split) of the rivals that are installed, and the names of those that are not."""
    found, missing = [], []
    for name, module, make in (("METIS", "pymetis", _metis), ("KaHIP, fast", "kahip", _kahip)):
        try:
            found.append((name, make(importlib.import_module(module))))
        except ImportError:
            missing.append(f"{name.split(',')[0]} (pip install {module})")
    return found, missing
