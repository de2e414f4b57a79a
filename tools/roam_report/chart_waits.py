# SPDX-License-Identifier: Apache-2.0
"""Who waited for whom in a step, and who computed how many tasks for whom: ranks on a circle, within it the
critical one and one for which many others wait."""
import math
from collections import Counter

from . import units
from .svg import drawing, el, text

SIZE, RADIUS, NODE = 640, 262, 13
RIM = 32  # ranks on the circle; with more of them the lightest edges are left out
MANY = 4  # that wait for a rank
APART = 90  # the critical rank and the one for which many wait, from the middle


def graph(run, step):
    waits, flows = _heaviest(step)
    places = _places(step, waits, flows)
    both = {(s, t) for s, t, _ in waits} & {(t, s) for s, t, _, _ in flows} | \
        {(s, t) for s, t, _, _ in flows} & {(t, s) for s, t, _ in waits}
    parts = [_edge(places, s, t, units.seconds(w), "wait",
                   f"rank {s} waited {units.seconds(w)} for rank {t}", (s, t) in both)
             for s, t, w in waits]
    parts += [_edge(places, s, t, f"{n} of {most}", "flow",
                    f"rank {s} had {n} tasks computed by rank {t}; {most} were allowed",
                    (s, t) in both)
              for s, t, n, most in flows]
    parts += [_node(step, rank, place) for rank, place in sorted(places.items())]
    return drawing(SIZE, SIZE, f"{run.label}: waits and offloaded tasks of step {step.number}",
                   *parts, cls="waits")


def words(step):
    """The text about the step beside its graph."""
    waits, flows = _heaviest(step)
    parts = [f"Step {step.number} took {units.seconds(step.seconds)}."]
    if step.critical >= 0:
        waited = sum(w for _, t, w in step.waits if t == step.critical)
        parts.append(f"Rank {step.critical} (red) kept others waiting for {units.seconds(waited)}.")
    if step.victim >= 0:
        parts.append(f"Rank {step.victim} (green) had most time to spare.")
    parts.append(f"{units.count(step.offloaded)} of {units.plural(step.tasks, 'task')} were "
                 f"computed elsewhere, where {units.count(step.allowed)} were allowed.")
    if step.emergencies:
        named = ", ".join(f"{units.count(times)} {reason}" for reason, times in step.emergency_reasons.items())
        parts.append(f"Emergencies: {named or units.count(step.emergencies)}.")
    if step.blacklisted:
        shown = ", ".join(f"{rank} ({reason})" for rank, reason in
                          zip(step.blacklisted[:10], step.blacklist_reasons))
        more = ", ..." if len(step.blacklisted) > 10 else ""
        parts.append(f"Blacklisted (grey): {shown}{more}.")
    for name, drawn, known, left_out in (("waits", waits, step.waits, step.waits_left_out),
                                         ("flows of tasks", flows, step.flows,
                                          step.flows_left_out)):
        total = len(known) + left_out
        if len(drawn) < total:
            parts.append(f"Only the {len(drawn)} heaviest of {units.count(total)} {name} are drawn.")
    return " ".join(parts)


def _heaviest(step):
    """Waits and flows in turn, the heaviest of each first, until the rim is full."""
    ranks = {step.critical, step.victim} - {-1}
    kept = ([], [])
    lists = (step.waits, [f for f in step.flows if f[2] or f[3]])
    for i in range(max(map(len, lists), default=0)):
        for edges, drawn in zip(lists, kept):
            if i >= len(edges) or len(drawn) >= RIM:
                continue
            if len(ranks | set(edges[i][:2])) <= RIM + 1:
                ranks |= set(edges[i][:2])
                drawn.append(edges[i])
    return kept


def _places(step, waits, flows):
    ranks = {r for e in waits + flows for r in e[:2]} | ({step.critical, step.victim} - {-1})
    middle = SIZE / 2
    waiting = Counter(t for _, t, _ in waits if t != step.critical)
    hub, number = max(waiting.items(), key=lambda item: item[1], default=(-1, 0))
    places = {}
    if number >= MANY:
        places[hub] = (middle, middle - APART)
    if step.critical in ranks:
        places[step.critical] = (middle, middle + (APART if places else 0))
    rim = sorted(ranks - set(places))
    for i, rank in enumerate(rim):
        angle = 2 * math.pi * i / len(rim) - math.pi / 2
        places[rank] = (middle + RADIUS * math.cos(angle), middle + RADIUS * math.sin(angle))
    return places


def _edge(places, source, target, label, cls, tip, shares):
    """An edge bent to its right, so that two edges between the same ranks do not overlap."""
    (x0, y0), (x1, y1) = places[source], places[target]
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    along = ((x1 - x0) / length, (y1 - y0) / length)
    aside = (-along[1], along[0])
    bend = 9 if shares else 5
    sx, sy = x0 + along[0] * NODE, y0 + along[1] * NODE
    tx, ty = x1 - along[0] * (NODE + 5), y1 - along[1] * (NODE + 5)
    cx, cy = (sx + tx) / 2 + 2 * bend * aside[0], (sy + ty) / 2 + 2 * bend * aside[1]
    path = el("path", el("title", tip), cls=f"edge {cls}",
              d=f"M{sx:.1f} {sy:.1f}Q{cx:.1f} {cy:.1f} {tx:.1f} {ty:.1f}")
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in (
        (tx + 5 * along[0], ty + 5 * along[1]),
        (tx - 4 * along[0] + 4 * aside[0], ty - 4 * along[1] + 4 * aside[1]),
        (tx - 4 * along[0] - 4 * aside[0], ty - 4 * along[1] - 4 * aside[1])))
    return path + el("polygon", points=head, cls=f"head {cls}") + \
        _label(places, source, target, label, cls, bend, aside, along)


def _label(places, source, target, label, cls, bend, aside, along):
    """A label along the edge, near its end on the rim, where there is most space."""
    (x0, y0), (x1, y1) = places[source], places[target]
    middle = SIZE / 2
    from_rim = math.hypot(x0 - middle, y0 - middle) > math.hypot(x1 - middle, y1 - middle)
    near = min((62 if cls == "wait" else 124) / (math.hypot(x1 - x0, y1 - y0) or 1.0), 0.45)
    share = near if from_rim else 1 - near
    push = 2 * bend * 2 * share * (1 - share) + (9 if cls == "wait" else 8)
    x, y = x0 + share * (x1 - x0) + push * aside[0], y0 + share * (y1 - y0) + push * aside[1]
    turn = math.degrees(math.atan2(along[1], along[0]))
    turn += 180 if turn > 90 else -180 if turn <= -90 else 0
    return el("text", label, x=x, y=y + 3, text_anchor="middle", cls=f"weight {cls}",
              transform=f"rotate({turn:.1f} {x:.1f} {y:.1f})")


def _node(step, rank, place):
    cls = "critical" if rank == step.critical else "victim" if rank == step.victim else \
        "blacklisted" if rank in step.blacklisted else "plain"
    return el("circle", cx=place[0], cy=place[1], r=NODE, cls=f"rank {cls}") + \
        text(place[0], place[1] + 4, str(rank), "middle", f"on-{cls}")
