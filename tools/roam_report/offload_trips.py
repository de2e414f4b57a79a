# SPDX-License-Identifier: Apache-2.0
"""The round trips of offloaded tasks: how long they took, and where the time went."""
from dataclasses import dataclass, field
from html import escape

import numpy as np

from . import units

OUTCOMES = {"used": "in time", "late": "too late: computed twice", "sent back": "sent back, not begun",
            "not sent": "could not be sent", "lost": "lost with its helper", "away": "not back"}
HEADS = ("task", "outcome", "number", "round trip, median", "90 % within", "before it was sent",
         "under way", "waiting there", "computing", "until its result was used")
ROWS = 100


@dataclass
class Trip:
    home: int
    victim: int
    label: str
    outcome: str
    spawned: float
    sent: float
    back: float  # None: not back. Those that follow are None where it did not happen, too.
    recomputed: float  # when its own rank began to compute it
    delivered: float
    arrived: float = None  # on the victim's clock, as the next two
    begun: float = None
    ended: float = None

    @property
    def seconds(self):
        return None if self.back is None else self.back - self.sent

    def parts(self):
        """Times before sending, under way in both directions, waiting, computing, and until use; None: not known."""
        there = None if self.ended is None else self.ended - self.arrived
        travel = None if there is None or self.back is None else max(self.seconds - there, 0.0)
        waiting = None if there is None else self.begun - self.arrived
        computing = None if there is None else self.ended - self.begun
        used = None if self.outcome != "used" or self.delivered is None else self.delivered - self.back
        return (self.sent - self.spawned, travel, waiting, computing, used)


@dataclass
class Trips:
    trips: list = field(default_factory=list)
    left_out: int = 0


def read(summary, ranks):
    """Reads them from the field "roam"; traces of programs that offload nothing lack them."""
    found = Trips()
    if not summary.has("offload_trips"):
        return found
    visits = {}
    parts = summary.get("offload_trips").items()
    for part in parts:
        rank = _rank(part.get("rank"), ranks)
        found.left_out += part.get("left_out").count()
        for entry in part.get("visits").items():
            token, home, *times = _columns(entry, "token, home, arrived, begun, ended")
            key = (_rank(home, ranks), token.count(), rank)
            visits.setdefault(key, []).append([time.real() for time in times])
    for part in parts:
        _add_trips(found, part, visits, ranks)
    return found


def _add_trips(found, part, visits, ranks):
    home = part.get("rank").count()
    labels = [label.text() for label in part.get("labels").items()]
    for entry in part.get("trips").items():
        token, label, victim, outcome, *times = _columns(
            entry, "token, label, victim, outcome, spawned, sent, back, recomputed, delivered")
        if label.count() >= len(labels):
            label.fail(f"label {label.value} of {len(labels)}")
        if outcome.text() not in OUTCOMES:
            outcome.fail(f"expected one of {', '.join(OUTCOMES)}; found {outcome.value}")
        trip = Trip(home, _rank(victim, ranks), labels[label.count()], outcome.text(),
                    *(_time_or_none(time) for time in times))
        if trip.spawned is None or trip.sent is None:
            entry.fail("without the times at which it was spawned and sent")
        # A token comes again; visits of one token are in the order of its trips.
        there = visits.get((home, token.count(), trip.victim), [])
        if there and trip.outcome in ("used", "late"):
            trip.arrived, trip.begun, trip.ended = there.pop(0)
        found.trips.append(trip)


def _columns(entry, names):
    columns = entry.items()
    if len(columns) != len(names.split()):
        entry.fail(f"expected {names}")
    return columns


def _rank(place, ranks):
    rank = place.count()
    if rank >= ranks:
        place.fail(f"rank {rank} in a run of {ranks} rank{'s' if ranks > 1 else ''}")
    return rank


def _time_or_none(place):
    return None if place.value is None else place.real()


def facts(run):
    """(name, value) pairs, for the text table."""
    times = [trip.seconds for trip in run.trips.trips if trip.outcome in ("used", "late")]
    if not times:
        return []
    return [("round trips of tasks", f"{units.count(len(times))}, median {units.seconds(np.median(times))}, "
                                     f"90 % within {units.seconds(np.percentile(times, 90))}")]


def section(run):
    if not run.trips.trips:
        return ""
    groups = {}
    for trip in run.trips.trips:
        groups.setdefault((trip.label, trip.outcome), []).append(trip)
    order = sorted(groups, key=lambda key: (key[0], list(OUTCOMES).index(key[1])))
    head = "".join(f"<th scope='col'{' class=n' if k > 1 else ''}>{h}</th>" for k, h in enumerate(HEADS))
    body = "".join(_row(key, groups[key]) for key in order[:ROWS])
    left_out = (f" {units.plural(run.trips.left_out, 'later record')} had no space in the trace."
                if run.trips.left_out else "")
    return ("<h3>Round trips of tasks</h3><div class='scroll' tabindex='0' role='group' "
            f"aria-label='round trips, scrollable'><table class='trips'><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table></div><p class='note'>From sending a task to having it back. "
            "The last five columns are medians of the parts of that time, and of the times before and after it. "
            f"Clocks of different ranks are not compared.{left_out}</p>")


def _row(key, trips):
    times = [trip.seconds for trip in trips if trip.seconds is not None]
    columns = zip(*(trip.parts() for trip in trips))
    cells = [units.count(len(trips)), _median(times),
             units.seconds(np.percentile(times, 90)) if times else "–", *map(_median, columns)]
    return (f"<tr><th scope='row'>{escape(key[0])}</th><td>{OUTCOMES[key[1]]}</td>" +
            "".join(f"<td class='n'>{escape(cell)}</td>" for cell in cells) + "</tr>")


def _median(values):
    known = [value for value in values if value is not None]
    return units.seconds(np.median(known)) if known else "–"
