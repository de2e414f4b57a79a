# SPDX-License-Identifier: Apache-2.0
"""What ranks sent by levels of the network, from its groups, or from hosts in a real job: a message belongs to the innermost level of
which one group has both ranks."""
from dataclasses import dataclass


@dataclass
class Share:
    """What was sent between ranks that meet on a level."""
    name: str
    messages: int = 0
    size: int = 0
    links: int = 0  # up to the group that both ranks share, and down: hop-bytes are bytes times these


def read(summary, ranks, traffic):
    """The share of each level, outermost first; none if all ranks are equally near."""
    levels = _of_network(summary.get("levels").items(), ranks) if summary.has("levels") else _of_hosts(summary, ranks)
    found = [Share(name, links=2 * (i + 1)) for i, (name, _) in enumerate(levels)]
    for source, target, messages, size in traffic if levels else ():
        if source == target:
            continue
        place = next((i for i, (_, group) in enumerate(levels) if group[source] == group[target]), len(found) - 1)
        found[place].messages += messages
        found[place].size += size
    return found[::-1]


def _of_hosts(summary, ranks):
    hosts = {}
    for rank in summary.get("ranks_detail").items():
        if rank.has("host"):
            hosts[rank.get("rank").count()] = rank.get("host").text()
    if len(hosts) < ranks or len(set(hosts.values())) < 2:
        return []
    return [("host", hosts), ("job", [0] * ranks)]


def _of_network(fields, ranks):
    """(name, group of each rank), innermost first."""
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
        levels.append((entry.get("name").text(), inner))
    return levels


def hop_bytes(run):
    return sum(share.size * share.links for share in run.levels)
