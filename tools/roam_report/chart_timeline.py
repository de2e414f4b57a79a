# SPDX-License-Identifier: Apache-2.0
"""Utilisation over time above what each worker ran when, on one time axis for all runs."""
import numpy as np

from . import axes, units
from .chart_lanes import lanes, lanes_height
from .model import HANDLER, MOVED, RUNTIME
from .occupancy import shares
from .svg import drawing, el, line, rect, steps, text

WIDTH, LEFT, RIGHT = 1000, 56, 14
STRIP, STRIP_TOP, RUG, BINS = 74, 46, 20, 430


def time_span(runs):
    ends = [r.spans.end.max() for r in runs if r.spans is not None]
    return max([r.makespan for r in runs] + ends)


def panel(run, span, name):
    """One run; name makes the ids inside unique on the page."""
    width = WIDTH - LEFT - RIGHT
    strip_base = STRIP_TOP + STRIP
    top = strip_base + RUG
    base = top + lanes_height(run)
    end = LEFT + width * run.makespan / span
    parts = [
        text(0, 14, f"{run.label}: {units.seconds(run.makespan)}", cls="panel"),
        _strip(run, span, width, strip_base, end),
        _rug(run, span, width, strip_base),
        axes.time_axis(span, LEFT, width, top, base),
        lanes(run, span, (LEFT, top, width, end), name),
        line(end, STRIP_TOP - 6, end, base + 4, "makespan"),
        text(LEFT, STRIP_TOP - 8, "share of workers busy", cls="tick name"),
    ]
    label = (f"{run.label}: utilisation over time, and {len(run.busy)} workers' timelines, "
             f"over {units.seconds(run.makespan)}")
    return drawing(WIDTH, base + 24, label, *parts, cls="wide")


def _strip(run, span, width, base, end):
    busy = shares(run, (HANDLER, MOVED), 1, BINS, span)[0] * STRIP
    both = np.minimum(busy + shares(run, (RUNTIME,), 1, BINS, span)[0] * STRIP, STRIP)
    slot = width / BINS
    parts = [rect(LEFT, base - STRIP, end - LEFT, STRIP, "idle"),
             el("path", d=steps(LEFT, slot, base, busy, both), cls="overhead"),
             el("path", d=steps(LEFT, slot, base, busy * 0, busy), cls="busy")]
    for share in (0, 0.5, 1):
        y = base - share * STRIP
        parts.append(line(LEFT, y, LEFT + width, y, "over-grid" if share == 0.5 else "grid"))
        parts.append(text(LEFT - 6, y + 4, f"{100 * share:.0f} %", "end"))
    return "".join(parts)


def _rug(run, span, width, base):
    """A small mark under the strip for every migration."""
    if len(run.moves.time) == 0:
        return ""
    at = np.unique(np.round(LEFT + width * np.minimum(run.moves.time / span, 1), 1))
    marks = "".join(f"M{x:.1f} {base + 5}v9" for x in at)
    return el("path", d=marks, cls="mark", stroke_opacity=float(np.clip(80 / len(at), 0.25, 1)))


def caption(runs):
    """The caption, for runs that have events."""
    waits = [units.percent(max(1 - r.busy.mean() / r.makespan, 0)) for r in runs]
    moves = " Small marks and arrows are migrations." if any(len(r.moves.time) for r in runs) \
        else ""
    if len(runs) == 1:
        return ("The share of busy workers over time above what each one ran: they were not busy "
                f"for {waits[0]} of the run.{moves}")
    return ("Both runs on the same time axis; grey is waiting: workers were not busy for "
            f"{waits[0]} of the first run and for {waits[1]} of the second.{moves}")
