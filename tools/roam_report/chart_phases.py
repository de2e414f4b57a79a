# SPDX-License-Identifier: Apache-2.0
"""Imbalance per phase, with what each decision promised for the next one."""
from . import axes, units
from .realised import phase_gain
from .svg import drawing, el, line, text, ticks

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1000, 250, 56, 14, 50, 44
MARKS = 200


def panel(run, top):
    """top: the largest imbalance of all runs."""
    base, height, width = HEIGHT - BOTTOM, HEIGHT - TOP - BOTTOM, WIDTH - LEFT - RIGHT
    first, last = run.phases[0].number, run.phases[-1].number
    top = max(top, 1e-3)

    def x(number):
        return LEFT + width * (number - first + 0.5) / (last - first + 1)

    def y(value):
        return base - height * min(max(value, 0), top) / top
    parts = [text(0, 14, f"{run.label}: {units.plural(len(run.phases), 'phase')}", cls="panel"),
             axes.vertical(top, LEFT, WIDTH - RIGHT, base, height, "imbalance (max/mean − 1)")]
    for value in ticks(last - first, 10):
        if value == int(value):
            parts.append(text(x(first + value), base + 16, f"{first + value:.0f}", "middle"))
    parts.append(text(LEFT + width / 2, HEIGHT - 6, "phase", "middle", "tick name"))
    points = " ".join(f"{x(p.number):.1f},{y(p.imbalance):.1f}" for p in run.phases)
    parts.append(el("polyline", points=points, cls="course"))
    if len(run.phases) <= MARKS:
        parts += [el("circle", el("title", _tip(p)), cx=x(p.number), cy=y(p.imbalance), r=3.5,
                     cls="busy") for p in run.phases]
    decided = [p for p in run.phases if p.moved and p.number < last]
    for p in decided[:MARKS]:
        tip = f"promised after phase {p.number}: {units.ratio(p.predicted)}"
        parts.append(line(x(p.number), y(p.imbalance), x(p.number + 1), y(p.predicted), "promise"))
        parts.append(el("circle", el("title", tip), cx=x(p.number + 1), cy=y(p.predicted), r=4,
                        cls="promised"))
    parts.append(line(LEFT, base, WIDTH - RIGHT, base, "axis"))
    return drawing(WIDTH, HEIGHT, f"{run.label}: imbalance of each phase", *parts, cls="wide")


def _tip(p):
    moved = f", {units.plural(p.moved, 'object')} moved after it" if p.moved else ""
    return (f"phase {p.number}: imbalance {units.ratio(p.imbalance)}, "
            f"{units.seconds(p.length)}{moved}")


def caption(run):
    decided = [i for i, p in enumerate(run.phases) if p.moved]
    words = (f"Imbalance was {units.ratio(run.phases[0].imbalance)} in the first phase and "
             f"{units.ratio(run.phases[-1].imbalance)} in the last.")
    if not decided:
        return words + " Nothing moved between phases."
    gains = [(run.phases[i].gain, phase_gain(run.phases, i)) for i in decided]
    known = [(p, r) for p, r in gains if r is not None]
    words += (f" After {units.count(len(decided))} of them "
              f"{units.plural(sum(run.phases[i].moved for i in decided), 'object')} moved (rings: "
              "the imbalance that was promised for the next phase)")
    if known:
        words += (f"; the longest rank's work was to become "
                  f"{units.seconds(sum(p for p, _ in known))} shorter in all, and became "
                  f"{units.seconds(sum(r for _, r in known))} shorter in the phase after")
    return words + "."
