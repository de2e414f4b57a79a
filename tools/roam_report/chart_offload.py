# SPDX-License-Identifier: Apache-2.0
"""Step by step: time, tasks offloaded, what came late, relaxation."""
from . import axes, units
from .svg import drawing, el, line, text, ticks

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 500, 200, 56, 14, 44, 40
POINTS = 500  # of a curve; more steps are thinned


def panels(run):
    steps = thinned(run.offload.steps, POINTS)
    factor, unit, _ = axes.time_unit(max(s.seconds for s in steps) or 1.0)
    parts = [
        _panel(run, steps, f"longest rank ({unit})",
               [("course", "step", [factor * s.seconds for s in steps])]),
        _panel(run, steps, "tasks: offloaded, and (dotted) allowed",
               [("expected", "allowed", [s.allowed for s in steps]),
                ("course", "offloaded", [s.offloaded for s in steps])]),
        _panel(run, steps, "emergencies, and (dotted) blacklisted ranks",
               [("expected", "blacklisted", [len(s.blacklisted) for s in steps]),
                ("course", "emergencies", [s.emergencies for s in steps])]),
    ]
    if any(s.recomputed for s in steps):
        parts.append(_panel(run, steps, "tasks: computed again, and (dotted) in vain",
                            [("expected", "in vain", [s.in_vain for s in steps]),
                             ("course", "computed again", [s.recomputed for s in steps])]))
    if any(s.relaxation != 1 for s in steps):
        parts.append(_panel(run, steps, "relaxation",
                            [("course", "relaxation", [s.relaxation for s in steps])]))
    return parts


def thinned(steps, most):
    """At most that many of them, evenly chosen, including the first and the last."""
    if len(steps) <= most:
        return list(steps)
    return [steps[i * (len(steps) - 1) // (most - 1)] for i in range(most)]


def _panel(run, steps, name, curves):
    base, height, width = HEIGHT - BOTTOM, HEIGHT - TOP - BOTTOM, WIDTH - LEFT - RIGHT
    first, last = steps[0].number, steps[-1].number
    top = max((v for _, _, values in curves for v in values), default=0) or 1.0

    def x(number):
        return LEFT + width * (number - first + 0.5) / (last - first + 1)

    parts = [axes.vertical(top, LEFT, WIDTH - RIGHT, base, height, name)]
    for value in ticks(last - first, 8):
        if value == int(value):
            parts.append(text(x(first + value), base + 16, f"{first + value:.0f}", "middle"))
    parts.append(text(LEFT + width / 2, HEIGHT - 4, "step", "middle", "tick name"))
    for cls, _, values in curves:
        points = " ".join(f"{x(s.number):.1f},{base - height * v / top:.1f}"
                          for s, v in zip(steps, values))
        parts.append(el("polyline", points=points, cls=cls))
    parts.append(line(LEFT, base, WIDTH - RIGHT, base, "axis"))
    return drawing(WIDTH, HEIGHT, f"{run.label}: {name} of each step", *parts)


def caption(run):
    steps = run.offload.steps
    tasks, offloaded = (sum(getattr(s, n) for s in steps) for n in ("tasks", "offloaded"))
    again, in_vain = (sum(getattr(s, n) for s in steps) for n in ("recomputed", "in_vain"))
    words = (f"{units.plural(len(steps), 'step')} with {run.offload.strategy}: "
             f"{units.count(offloaded)} of {units.plural(tasks, 'task')} were computed by other "
             f"ranks, {units.count(again)} computed again because they were late, of these "
             f"{units.count(in_vain)} in vain.")
    if run.offload.left_out:
        words += f" {units.plural(run.offload.left_out, 'earlier step')} had no room in the trace."
    return words
