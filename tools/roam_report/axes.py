# SPDX-License-Identifier: Apache-2.0
"""Axes that several charts share."""
import numpy as np

from . import units
from .svg import line, num, text, ticks


def tick_label(value, unit_step):
    digits = 0
    while digits < 6 and abs(round(unit_step, digits) - unit_step) > 1e-9 * unit_step:
        digits += 1
    return f"{value:,.{digits}f}"


def time_unit(top):
    """(factor, short name, name) of a unit in which top is a number of few digits."""
    return (1.0, "s", "seconds") if top >= 1 else \
        (1e3, "ms", "milliseconds") if top >= 1e-3 else (1e6, "µs", "microseconds")


def vertical(top, x, right, base, height, name):
    """Grid lines and labels for values from 0 to top, and the axis's name above."""
    parts = []
    marks = ticks(top)
    step = marks[1] if len(marks) > 1 else 1.0
    for value in marks:
        y = base - height * value / top
        parts.append(line(x, y, right, y, "grid"))
        parts.append(text(x - 6, y + 4, tick_label(value, step), "end"))
    parts.append(text(0, base - height - 12, name, cls="tick name"))
    return "".join(parts)


def time_axis(span, x, width, top, base):
    factor, unit, _ = time_unit(span)
    marks = ticks(span * factor, 8)
    step = marks[1] if len(marks) > 1 else 1.0
    parts = []
    for value in marks:
        at = x + width * value / (span * factor)
        parts.append(line(at, top, at, base, "grid"))
        words = tick_label(value, step) + (f" {unit}" if value == marks[-1] else "")
        parts.append(text(at, base + 16, words, "middle"))
    return "".join(parts)


def rank_blocks(run):
    """(rank, first column, number of columns) of every rank that has workers."""
    ranks, first, number = np.unique(run.rank, return_index=True, return_counts=True)
    return list(zip(ranks.tolist(), first.tolist(), number.tolist()))


def rank_name(run):
    several = run.workers_per_rank > 1
    return f"rank ({units.plural(run.workers_per_rank, 'worker')} each)" if several else "rank"


def rank_axis(blocks, x, slot, base):
    """Rank numbers under the middle of their columns, thinned until they fit."""
    room = max(34, 9 * len(str(blocks[-1][0])) + 14)
    mean = slot * blocks[-1][1] / max(len(blocks) - 1, 1) if len(blocks) > 1 else room
    every = next(e * 10**p for p in range(9) for e in (1, 2, 5) if mean * e * 10**p >= room)
    parts = []
    for rank, first, number in blocks:
        if rank % every == 0:
            at = x + slot * (first + number / 2)
            parts.append(text(at, base + 16, num(rank), "middle"))
            parts.append(line(at, base, at, base + 4, "axis"))
    return "".join(parts)
