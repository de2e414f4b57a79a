# SPDX-License-Identifier: Apache-2.0
"""Objects that left (down) and arrived at (up) every rank."""
import numpy as np

from . import axes
from .svg import drawing, el, line, rect, steps, text, ticks

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 500, 320, 48, 8, 34, 44
BARS, COLUMNS = 72, 1500


def panel(run):
    ranks = run.counters["rank"]
    arrived, left = run.counters["migrations_in"], run.counters["migrations_out"]
    group = -(-len(ranks) // COLUMNS)
    starts = np.arange(0, len(ranks), group)
    up, down = np.add.reduceat(arrived, starts), np.add.reduceat(left, starts)
    height, span = HEIGHT - TOP - BOTTOM, WIDTH - LEFT - RIGHT
    scale = height / max(up.max() + down.max(), 1)
    zero, slot = TOP + up.max() * scale, span / len(up)
    marks = [v for v in ticks(max(up.max(), down.max()), 5) if v == int(v)]
    parts = [_grid(marks, up.max(), -1, scale, zero), _grid(marks, down.max(), 1, scale, zero),
             text(LEFT, 16, "arrived ↑   left ↓   (objects)", cls="tick name")]
    bars = _bars if len(up) <= BARS else _areas
    parts += [bars(up, down, scale, zero, slot),
              line(LEFT, zero, WIDTH - RIGHT, zero, "axis"),
              axes.rank_axis([(r, i, 1) for i, r in enumerate(ranks.tolist())], LEFT, slot / group,
                             HEIGHT - BOTTOM),
              text(LEFT + span / 2, HEIGHT - 6, "rank", "middle", "tick name")]
    return drawing(WIDTH, HEIGHT, f"{run.label}: objects that arrived at and left each rank",
                   *parts)


def _grid(marks, top, sign, scale, zero):
    parts = []
    for value in marks:
        if value <= top:
            y = zero + sign * value * scale
            parts += [line(LEFT, y, WIDTH - RIGHT, y, "grid"),
                      text(LEFT - 6, y + 4, f"{value:,.0f}", "end")]
    return "".join(parts)


def _bars(up, down, scale, zero, slot):
    wide = min(slot * 0.82, 96)
    parts = []
    for i, (arrived, left) in enumerate(zip(up.tolist(), down.tolist())):
        x = LEFT + slot * i + (slot - wide) / 2
        parts.append(rect(x, zero - arrived * scale, wide, arrived * scale, "moved",
                          f"{arrived} arrived"))
        parts.append(rect(x, zero, wide, left * scale, "left", f"{left} left"))
    return "".join(parts)


def _areas(up, down, scale, zero, slot):
    none = up * 0
    return el("path", d=steps(LEFT, slot, zero, none, up * scale), cls="moved") + \
        el("path", d=steps(LEFT, slot, zero, none, -down * scale), cls="left")
