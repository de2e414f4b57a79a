# SPDX-License-Identifier: Apache-2.0
"""What ranks sent by levels of the network, from its groups, or from hosts in a real job: a message belongs to the innermost level of
which one group has both ranks."""
from dataclasses import dataclass


@dataclass
class Level:
    name: str
    group: list  # of each rank


@dataclass
class Share:
    name: str
    messages: int
    size: int
    links: int  # up to the group that both ranks share, and down: hop-bytes are bytes times these


def read(summary, ranks):
    """The levels of a run, innermost first; none if all ranks are equally near."""
    if summary.has("levels"):
        return _of_network(summary.get("levels").items(), ranks)
    hosts = {}
    for rank in summary.get("ranks_detail").items():
        if rank.has("host"):
            hosts[rank.get("rank").count()] = rank.get("host").text()
    if len(hosts) < ranks or len(set(hosts.values())) < 2:
        return []
    return [Level("host", [hosts[r] for r in range(ranks)]), Level("job", [0] * ranks)]


def _of_network(fields, ranks):
    levels, inner = [], list(range(ranks))
    for entry in fields:
        if entry.has("parents"):
            parents = [p.count() for p in entry.get("parents").items()]
            if max(inner) >= len(parents):
                entry.get("parents").fail(f"{len(parents)} of {max(inner) + 1} groups")
            inner = [parents[g] for g in inner]
        else:
            size = entry.get("group_ranks").count()
            inner = [r // size for r in range(ranks)] if size else [0] * ranks
        levels.append(Level(entry.get("name").text(), inner))
    return levels


def shares(run):
    """The traffic of each level, outermost first."""
    found = [Share(level.name, 0, 0, 2 * (i + 1)) for i, level in enumerate(run.levels)]
    for source, target, messages, size in run.traffic:
        if source == target:
            continue
        place = next((i for i, level in enumerate(run.levels) if level.group[source] == level.group[target]), len(found) - 1)
        found[place].messages += messages
        found[place].size += size
    return found[::-1]


def hop_bytes(run):
    return sum(share.size * share.links for share in shares(run))
