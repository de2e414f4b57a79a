# SPDX-License-Identifier: Apache-2.0
"""What a trace says of offloading: its steps, with the wait graph and the flow of tasks of each."""
from dataclasses import dataclass, field


@dataclass
class Step:
    number: int
    time: float  # when it was decided
    seconds: float  # the longest of a rank
    relaxation: float
    critical: int  # -1: none
    victim: int  # the optimal one; -1: none
    tasks: int
    offloaded: int
    allowed: int
    recomputed: int
    in_vain: int
    emergencies: int
    emergency_reasons: dict  # times by reason
    blacklisted: list
    blacklist_reasons: list  # one for each of them
    waits: list  # (from, to, seconds), the longest first
    flows: list  # (from, to, offloaded, allowed), the largest first
    waits_left_out: int
    flows_left_out: int


@dataclass
class Offloading:
    strategy: str = ""
    steps: list = field(default_factory=list)
    left_out: int = 0  # earlier steps

    def step(self, number):
        """The step of this number, or None."""
        return next((s for s in self.steps if s.number == number), None)


def read(summary, ranks):
    """Reads it from the field "roam"; traces of programs that offload nothing lack it."""
    if not summary.has("offload"):
        return Offloading()
    field_ = summary.get("offload")
    return Offloading(field_.get("strategy").text(),
                      [_step(s, ranks) for s in field_.get("steps").items()],
                      field_.get("steps_left_out").count())


def _step(entry, ranks):
    def count(name):
        return entry.get(name).count()
    return Step(
        number=count("step"),
        time=entry.get("time_seconds").seconds(),
        seconds=entry.get("seconds").seconds(),
        relaxation=entry.get("relaxation").real(),
        critical=_rank(entry.get("critical"), ranks, low=-1),
        victim=_rank(entry.get("victim"), ranks, low=-1),
        tasks=count("tasks"),
        offloaded=count("offloaded"),
        allowed=count("allowed"),
        recomputed=count("recomputed"),
        in_vain=count("in_vain"),
        emergencies=count("emergencies"),
        emergency_reasons={reason: times.count() for reason, times in entry.get("emergency_reasons").entries()},
        blacklist_reasons=[reason.text() for reason in entry.get("blacklist_reasons").items()],
        blacklisted=[_rank(r, ranks) for r in entry.get("blacklisted").items()],
        waits=[_edge(e, ranks, "from, to, seconds") for e in entry.get("waits").items()],
        flows=[_edge(e, ranks, "from, to, offloaded, allowed") for e in entry.get("flows").items()],
        waits_left_out=count("waits_left_out"),
        flows_left_out=count("flows_left_out"),
    )


def _rank(place, ranks, low=0):
    rank = place.count(low=low)
    if rank >= ranks:
        place.fail(f"rank {rank} in a run of {ranks} rank{'s' if ranks > 1 else ''}")
    return rank


def _edge(entry, ranks, names):
    places = entry.items()
    if len(places) != len(names.split()):
        entry.fail(f"expected {names}")
    weights = [places[2].seconds()] if len(places) == 3 else [p.count() for p in places[2:]]
    return (_rank(places[0], ranks), _rank(places[1], ranks), *weights)
