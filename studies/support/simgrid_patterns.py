#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Patterns of messages in SimGrid on the machine that a file of Roam's describes: simgrid_patterns.py MACHINE PATTERNS RESULT.
Links are shared like fluids, max-min fair (its model CM02, without what it adds for TCP)."""
import json
import sys
import tomllib

from simgrid import Actor, Comm, Engine, LinkInRoute, NetZone

# network/optim: with its default, Lazy, SimGrid 3.32 lets links carry more than they can where flows differ in latency.
SETTINGS = ("network/model:CM02", "network/TCP-gamma:1e30", "network/weight-S:0", "network/latency-factor:1",
            "network/bandwidth-factor:1", "network/crosstraffic:0", "network/optim:Full", "surf/precision:1e-12")


class Platform:
    """A host for each rank and, between two that communicate, a route over all links that others use, too."""

    def __init__(self, machine, pairs):
        self.levels = machine["network"]
        self.zone = NetZone.create_full_zone("machine")
        self.hosts = [self.zone.create_host(f"rank {rank}", 1e9) for rank in range(machine["ranks"])]
        self.links = {}
        for a, b in sorted(pairs):
            self.zone.add_route(self.hosts[a].netpoint, self.hosts[b].netpoint, None, None,
                                [LinkInRoute(link) for link in self.route(a, b)], False)
        self.zone.seal()

    def group(self, level, rank):
        return rank // self.levels[level]["group_ranks"] if "group_ranks" in self.levels[level] else 0

    def inside(self, level, rank):
        return self.group(level - 1, rank) if level else rank

    def link(self, name, bandwidth, latency=0.0):
        if name not in self.links:
            self.links[name] = self.zone.create_link(name, bandwidth).set_latency(latency).seal()
        return self.links[name]

    def route(self, a, b):
        across = next(i for i in range(len(self.levels)) if self.group(i, a) == self.group(i, b))
        level = self.levels[across]
        hops = self.hops(level, self.inside(across, a), self.inside(across, b))
        latency = level["latency_seconds"] + 2 * level["overhead_seconds"]
        latency += max(0, len(hops) - 1) * level.get("hop_latency_seconds", 0.0)
        way = [self.link(f"wire {across} {len(hops)}", 1e18, latency),
               self.link(f"rank {a} on {across}", level["bandwidth_bytes_per_second"])]
        for i in range(across):
            if "uplink_bandwidth_bytes_per_second" in self.levels[i]:
                number = self.inside(i, b) % self.levels[i].get("uplinks", 1)
                for direction, end in (("up", a), ("down", b)):
                    way.append(self.link(f"{direction} {i} {self.group(i, end)} {number}",
                                         self.levels[i]["uplink_bandwidth_bytes_per_second"]))
        if "shared_bandwidth_bytes_per_second" in level:
            way.append(self.link(f"shared {across} {self.group(across, a)}", level["shared_bandwidth_bytes_per_second"]))
        return way + [self.link(hop, level["link_bandwidth_bytes_per_second"]) for hop in hops]

    @staticmethod
    def hops(level, at, to):
        """The links of a torus on the way, dimension by dimension, the shorter way round."""
        found, stride = [], 1
        for size in level.get("torus", ()):
            while at // stride % size != to // stride % size:
                here, there = at // stride % size, to // stride % size
                up = 2 * ((there - here) % size) <= size
                found.append(f"hop {at} {stride} {'up' if up else 'down'}")
                at += ((here + (1 if up else -1)) % size - here) * stride
            stride *= size
        return found


def in_turn(platform, sends):
    """Each rank begins a message when its last one is through. Seconds until the last is."""
    actors = []
    for rank, host in enumerate(platform.hosts):
        own = [(platform.hosts[b], size) for a, b, size in sends if a == rank]

        def send_all(host=host, own=own):
            for destination, size in own:
                Comm.sendto(host, destination, size)
        actors.append(Actor.create(f"rank {rank}", host, send_all))
    for actor in actors:
        actor.join()


def simulate(platform, patterns):
    seconds = {}
    for name, pattern in patterns.items():
        begin = Engine.clock
        messages = [(platform.hosts[a], platform.hosts[b], size) for a, b, size in pattern["sends"]]
        if "answers" in pattern:  # a single message that goes to and fro
            (source, destination, size), = messages
            for _ in range(pattern["answers"] + 1):
                Comm.sendto(source, destination, size)
                source, destination = destination, source
        elif pattern.get("in_turn"):
            in_turn(platform, pattern["sends"])
        else:
            Comm.wait_all([Comm.sendto_async(*message) for message in messages])
        seconds[name] = Engine.clock - begin
    return seconds


def main():
    with open(sys.argv[1], "rb") as file:
        machine = tomllib.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        patterns = json.load(file)
    engine = Engine(["simgrid_patterns", "--log=root.thres:warning"] + [f"--cfg={setting}" for setting in SETTINGS])
    pairs = {pair for pattern in patterns.values() for a, b, _ in pattern["sends"] for pair in ((a, b), (b, a))}
    platform = Platform(machine, pairs)
    seconds = {}
    Actor.create("patterns", platform.hosts[0], lambda: seconds.update(simulate(platform, patterns)))
    engine.run()
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        json.dump(seconds, file, indent=1)


if __name__ == "__main__":
    main()
