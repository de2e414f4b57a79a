# SPDX-License-Identifier: Apache-2.0
"""Imbalance per phase, with what each decision promised for the next one. Where load models were
used, also the work of the longest rank, and of both what was expected."""
from collections import namedtuple
from statistics import median

from . import axes, units
from .realised import phase_gain
from .svg import drawing, el, line, text, ticks

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1000, 250, 56, 14, 50, 44
MARKS = 200

# was: the imbalance of the phase; foretold: that of the next phase, after the moves.
Measure = namedtuple("Measure", "name was foretold words")
IMBALANCE = Measure("imbalance", lambda p: p.imbalance, lambda p: p.predicted, units.ratio)
LONGEST = Measure("work of the longest rank", lambda p: p.max_load, lambda p: p.predicted_max,
                  units.seconds)


def tops(runs):
    """The largest values of all runs."""
    return {m.name: max(max(m.was(p), m.foretold(p)) for run in runs for p in run.phases)
            for m in (IMBALANCE, LONGEST)}


def panels(run, top):
    first = _panel(run, IMBALANCE, max(top[IMBALANCE.name], 1e-3), 1.0, "imbalance (max/mean − 1)",
                   f"{run.label}: {units.plural(len(run.phases), 'phase')}")
    if not run.has_load_models:
        return [first]
    longest = max(top[LONGEST.name], 1e-6)
    factor, unit, _ = axes.time_unit(longest)
    return [first, _panel(run, LONGEST, longest, factor, f"{LONGEST.name} ({unit})", "")]


def _panel(run, measure, top, factor, axis_name, title):
    """top: the largest value; the axis shows factor times the values."""
    base, height, width = HEIGHT - BOTTOM, HEIGHT - TOP - BOTTOM, WIDTH - LEFT - RIGHT
    first, last = run.phases[0].number, run.phases[-1].number

    def x(number):
        return LEFT + width * (number - first + 0.5) / (last - first + 1)

    def y(value):
        return base - height * min(max(value, 0), top) / top

    parts = [text(0, 14, title, cls="panel")] if title else []
    parts.append(axes.vertical(top * factor, LEFT, WIDTH - RIGHT, base, height, axis_name))
    for value in ticks(last - first, 10):
        if value == int(value):
            parts.append(text(x(first + value), base + 16, f"{first + value:.0f}", "middle"))
    parts.append(text(LEFT + width / 2, HEIGHT - 6, "phase", "middle", "tick name"))
    before = [p for p in run.phases if p.number < last]
    if run.has_load_models:
        parts += _expected(before, measure, x, y)
    parts += _was(run.phases, measure, x, y)
    for p in [p for p in before if p.moved][:MARKS]:
        parts.append(line(x(p.number), y(measure.was(p)), x(p.number + 1), y(measure.foretold(p)),
                          "promise"))
        parts.append(_ring(f"promised after phase {p.number}", measure, p, x, y, 4, "promised"))
    parts.append(line(LEFT, base, WIDTH - RIGHT, base, "axis"))
    return drawing(WIDTH, HEIGHT, f"{run.label}: {measure.name} of each phase", *parts, cls="wide")


def _course(points, x, y, cls):
    return el("polyline", points=" ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in points), cls=cls)


def _was(phases, measure, x, y):
    parts = [_course([(p.number, measure.was(p)) for p in phases], x, y, "course")]
    if len(phases) <= MARKS:
        parts += [el("circle", el("title", _tip(p, measure)), cx=x(p.number), cy=y(measure.was(p)),
                     r=3.5, cls="busy") for p in phases]
    return parts


def _expected(before, measure, x, y):
    """Draws rings around the measured values that were predicted."""
    points = [(p.number + 1, measure.foretold(p)) for p in before]
    parts = [_course(points, x, y, "expected")]
    if len(before) < MARKS:
        parts += [_ring(f"expected of phase {p.number + 1}", measure, p, x, y, 5.5, "foreseen")
                  for p in before if not p.moved]
    return parts


def _ring(words, measure, p, x, y, radius, cls):
    tip = f"{words}: {measure.words(measure.foretold(p))}"
    return el("circle", el("title", tip), cx=x(p.number + 1), cy=y(measure.foretold(p)),
              r=radius, cls=cls)


def _tip(p, measure):
    moved = f", {units.plural(p.moved, 'object')} moved after it" if p.moved else ""
    return (f"phase {p.number}: {measure.name} {measure.words(measure.was(p))}, "
            f"{units.seconds(p.length)}{moved}")


def caption(run):
    decided = [i for i, p in enumerate(run.phases) if p.moved]
    words = (f"Imbalance was {units.ratio(run.phases[0].imbalance)} in the first phase and "
             f"{units.ratio(run.phases[-1].imbalance)} in the last.")
    if not decided:
        return words + " Nothing moved between phases." + _why_not(run) + _of_load_models(run)
    gains = [(run.phases[i].gain / max(run.phases[i].gain_phases, 1), phase_gain(run.phases, i))
             for i in decided]
    known = [(p, r) for p, r in gains if r is not None]
    words += (f" After {units.count(len(decided))} of them "
              f"{units.plural(sum(run.phases[i].moved for i in decided), 'object')} moved (rings: "
              "the imbalance that was promised for the next phase)")
    if known:
        words += (f"; the longest rank's work was to become "
                  f"{units.seconds(sum(p for p, _ in known))} shorter in all, and became "
                  f"{units.seconds(sum(r for _, r in known))} shorter in the phase after")
    return words + "." + _of_load_models(run)


def _why_not(run):
    """What strategies found, if any were asked."""
    asked = [p for p in run.phases if p.decision > 0]
    if not asked:
        return ""
    words = f" A strategy was asked after {units.count(len(asked))} of them"
    best = max(asked, key=lambda p: p.gain - p.cost)
    if best.gain <= 0:
        return words + ", and found no better placement."
    after = "the next phase" if best.gain_phases == 1 else f"the {best.gain_phases} next phases"
    return (words + f": the moves that paid best would have gained {units.seconds(best.gain)} in "
            f"{after}, for a cost of {units.seconds(best.cost)}.")


def _of_load_models(run):
    """The difference between predicted and measured time of the longest rank."""
    pairs = [(p.predicted_max, after.max_load) for p, after in zip(run.phases, run.phases[1:])
             if after.max_load > 0]
    if not run.has_load_models or not pairs:
        return ""
    errors = [abs(expected / came - 1) for expected, came in pairs]
    return (" Dotted, and grey rings: what was expected of each phase by load models, after what "
            "was moved. Of the longest rank's work it was off by "
            f"{units.percent(median(errors))} (median of {units.plural(len(errors), 'phase')}), by "
            f"{units.percent(max(errors))} at most.")
