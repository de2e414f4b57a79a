# SPDX-License-Identifier: Apache-2.0
"""What a program that only computes and calls MPI_Sendrecv takes on Roam's simulated network: the plain form of sw4, whose processes
are not Roam's and hence cannot be simulated by it."""


class Level:
    """A level of the network, as in a description of a machine (docs/simulation.md); `group`: consecutive ranks of a group of
    it, None on the last level."""

    def __init__(self, name, group=None, latency=1.5e-6, overhead=0.3e-6, gap=0.1e-6, bandwidth=12e9):
        self.name, self.group = name, group
        self.latency, self.overhead, self.gap, self.bandwidth = latency, overhead, gap, bandwidth

    def keys(self):
        """The level in such a description."""
        group = f"group_ranks = {self.group}\n" if self.group else ""
        return (f"[[network]]\nname = \"{self.name}\"\n{group}latency_seconds = {self.latency}\noverhead_seconds = {self.overhead}\n"
                f"gap_seconds = {self.gap}\nbandwidth_bytes_per_second = {self.bandwidth}\n")


class Job:
    """Ranks, each of which is at some time. Messages are charged as the simulated network charges them: a rank's interface sends one
    after the other. They are never announced before they are sent, which an MPI library does with long ones, and neither they
    nor copying them takes time of a processor."""

    def __init__(self, ranks, levels):
        self.levels = levels
        self.now = [0.0] * ranks
        self._interface_free = [0.0] * ranks

    def compute(self, seconds):
        """`seconds`: of each rank."""
        self.now = [now + more for now, more in zip(self.now, seconds)]

    def shift(self, destinations, size):
        """All ranks call MPI_Sendrecv: rank r sends size[r] bytes to destinations[r], or nothing where that is None, and waits
        for what is sent to it."""
        arrivals = list(self.now)
        for source, destination in enumerate(destinations):
            if destination is None:
                continue
            level = self._between(source, destination)
            start = max(self.now[source] + level.overhead, self._interface_free[source])
            sent = start + size[source] / level.bandwidth
            self._interface_free[source] = sent + level.gap
            arrivals[destination] = max(arrivals[destination], sent + level.latency + level.overhead)
        self.now = arrivals

    def _between(self, a, b):
        for level in self.levels[:-1]:
            if a // level.group == b // level.group:
                return level
        return self.levels[-1]


class Cut:
    """A grid of x * y * z points in blocks[0] * blocks[1] regions, as sw4 cuts it."""

    HALO = 2

    def __init__(self, points, count):
        self.points = points
        ways = [(x, count // x) for x in range(1, count + 1) if count % x == 0]
        self.blocks = min(ways, key=lambda way: (way[0] - 1) * points[1] + (way[1] - 1) * points[0])
        self.count = count

    def _width(self, axis, place):
        def begin(block):
            return block * self.points[axis] // self.blocks[axis]
        return begin(place + 1) - begin(place)

    def _place(self, block):
        return block % self.blocks[0], block // self.blocks[0]

    def sizes(self):
        """Points of each block."""
        return [self._width(0, x) * self._width(1, y) * self.points[2] for x, y in map(self._place, range(self.count))]

    def edge_bytes(self, axis):
        """Of each block: three components of points two deep, along y with the corners."""
        across = [self._width(1, y) if axis == 0 else self._width(0, x) + 2 * self.HALO
                  for x, y in map(self._place, range(self.count))]
        return [8 * 3 * self.HALO * width * self.points[2] for width in across]

    def neighbours(self, axis, way):
        """Of each block the one that lies `way` (-1 or 1) along the axis, or None."""
        found = []
        for block in range(self.count):
            at = self._place(block)[axis] + way
            away = 1 if axis == 0 else self.blocks[0]
            found.append(block + way * away if 0 <= at < self.blocks[axis] else None)
        return found


def seconds_of_sw4(points, ranks, levels, steps, point_seconds):
    """Time steps of sw4_mpi: predictor and corrector, after each of which edges go to the lower neighbour along x, to the upper
    one, and then the same along y."""
    cut = Cut(points, ranks)
    job = Job(ranks, levels)
    work = [point_seconds * size for size in cut.sizes()]
    shifts = [(cut.neighbours(axis, way), cut.edge_bytes(axis)) for axis in (0, 1) for way in (-1, 1)]
    for _ in range(2 * steps):
        job.compute(work)
        for destinations, size in shifts:
            job.shift(destinations, size)
    return max(job.now)
