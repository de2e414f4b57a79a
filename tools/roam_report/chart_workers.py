# SPDX-License-Identifier: Apache-2.0
"""Busy, overhead and idle time of every worker, one stacked bar each.

As figures 7 and 9 of the PREMA paper (multithreaded runtime): workers sorted by rank, the dashed
line is the makespan. Up to BARS workers get bars of their own; up to COLUMNS a thin column each;
beyond that neighbours share a column.
"""
import numpy as np

from . import axes, units
from .svg import drawing, el, line, rect, steps, text

BARS, COLUMNS = 72, 1500
HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 320, 48, 8, 54, 44
STACK = (("busy", "busy"), ("overhead", "overhead"), ("idle", "idle"))


def top_seconds(runs):
    """The common end of the axis."""
    longest = max(max(r.makespan, (r.busy + r.idle + r.overhead).max()) for r in runs)
    return 1.04 * longest


def panel(run, top, width):
    """One run; top is the end of the axis in seconds."""
    factor, _, unit = axes.time_unit(top)
    base, height, span = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP, width - LEFT - RIGHT
    scale = height / top
    blocks = axes.rank_blocks(run)
    slot = span / len(run.busy)
    bars = _bars if len(run.busy) <= BARS else _areas
    parts = [
        text(0, 16, f"{run.label}: {units.seconds(run.makespan)}", cls="panel"),
        axes.vertical(top * factor, LEFT, width - RIGHT, base, height, unit),
        bars(run, scale, base, slot, span),
        line(LEFT, base, width - RIGHT, base, "axis"),
        axes.rank_axis(blocks, LEFT, slot, base),
        text(LEFT + span / 2, HEIGHT - 6, axes.rank_name(run), "middle", "tick name"),
        _rule(run.busy.mean(), scale, base, width, "ideal"),
        _rule(run.makespan, scale, base, width, "makespan"),
    ]
    label = (f"{run.label}: busy, overhead and idle seconds of {len(run.busy)} workers; "
             f"busy from {units.seconds(run.busy.min())} to {units.seconds(run.busy.max())}, "
             f"makespan {units.seconds(run.makespan)}")
    return drawing(width, HEIGHT, label, *parts)


def _rule(value, scale, base, width, cls):
    return line(LEFT, base - value * scale, width - RIGHT, base - value * scale, cls)


def _bars(run, scale, base, slot, _span):
    parts = []
    wide = min(slot * 0.82, 96)
    ideal = base - run.busy.mean() * scale
    for i in range(len(run.busy)):
        x, y = LEFT + slot * i + (slot - wide) / 2, base
        for name, cls in STACK:
            value = float(getattr(run, name)[i])
            tip = f"rank {run.rank[i]} worker {run.worker[i]}: {name} {units.seconds(value)}"
            y -= value * scale
            parts.append(rect(x, y, wide, value * scale, cls, tip))
            if wide >= 60 and value * scale > 24:
                parts.append(_value(x + wide / 2, y + value * scale / 2, ideal, name, cls, value))
    return "".join(parts)


def _value(x, y, ideal, name, cls, value):
    """A bar's value, kept off the dotted line."""
    y += 16 if 0 <= y - ideal < 13 else -14 if -10 < y - ideal < 0 else 0
    return text(x, y + 4, f"{name} {units.seconds(value)}", "middle", f"on-{cls}")


def _areas(run, scale, base, _slot, span):
    group = -(-len(run.busy) // COLUMNS)
    starts = np.arange(0, len(run.busy), group)
    sizes = np.diff(np.append(starts, len(run.busy)))
    low, parts = np.zeros(len(starts)), []
    slot = span / (len(run.busy) / group)
    for name, cls in STACK:
        high = low + np.add.reduceat(getattr(run, name), starts) / sizes * scale
        parts.append(el("path", d=steps(LEFT, slot, base, low, high), cls=cls))
        low = high
    if group > 1:  # above the mean of each column the busiest worker in it, pale
        busy = np.add.reduceat(run.busy, starts) / sizes * scale
        peak = np.maximum.reduceat(run.busy, starts) * scale
        parts.append(el("path", d=steps(LEFT, slot, base, busy, peak), cls="envelope"))
    return "".join(parts)


def caption(runs):
    def spread(run):
        return f"{units.seconds(run.busy.min())} to {units.seconds(run.busy.max())}"
    words = "Each bar is one worker" if len(runs[0].busy) <= BARS else \
        "Each column is one worker, sorted by rank" if len(runs[0].busy) <= COLUMNS else \
        "Workers sorted by rank, several to a column (pale: the busiest of them)"
    if len(runs) == 1:
        return f"{words}; workers were busy for {spread(runs[0])} of the makespan (dashed)."
    return (f"{words}: busy time ranges from {spread(runs[0])} in the first run and from "
            f"{spread(runs[1])} in the second; the dotted line, the mean busy time, is the lowest "
            "makespan that any placement could reach.")
