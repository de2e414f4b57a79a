# SPDX-License-Identifier: Apache-2.0
"""The lanes of the timeline: every handler when there are few, else a picture of their density."""
import numpy as np

from . import axes, units
from .model import HANDLER, KIND_CLASS, MOVED, RUNTIME
from .occupancy import shares
from .svg import el, line, rect, shaded, text

SINGLE_LANES, SINGLE_SPANS, ARROWS = 24, 2500, 60
COLUMNS, ROWS = 930, 360


def lanes_height(run):
    number = len(run.busy)
    return number * 30 if number <= 6 else max(180, min(ROWS, number * 15))


def lanes(run, span, place, name):
    """place: left, top, the width of the whole time span and the x at which the run ends."""
    left, top, width, end = place
    number, height = len(run.busy), lanes_height(run)
    slot = height / number
    parts = [rect(left, top, end - left, height, "idle")]
    if number <= SINGLE_LANES and len(run.spans.lane) <= SINGLE_SPANS:
        parts += _singles(run, left, top, width / span, slot)
    else:
        parts += _density(run, span, (left, top, width, height), name)
    if slot >= 8:
        parts += [line(left, top + i * slot, left + width, top + i * slot, "gap")
                  for i in range(1, number)]
    parts.append(_names(run, left, top, slot))
    if number <= SINGLE_LANES and 0 < len(run.moves.time) <= ARROWS:
        parts += _arrows(run, left, top, width / span, slot)
    return "".join(parts)


def _singles(run, left, top, scale, slot):
    s = run.spans
    for i in np.argsort(s.kind == RUNTIME, kind="stable").tolist():
        tip = f"{s.names[i]}: {units.seconds(s.end[i] - s.start[i])} " \
              f"at {units.seconds(s.start[i])}"
        long = (s.end[i] - s.start[i]) * scale
        # A thin line of background between neighbours, where there is space for it.
        yield rect(left + s.start[i] * scale, top + s.lane[i] * slot,
                   long - 0.6 if long > 3 else max(long, 0.4), slot, KIND_CLASS[s.kind[i]], tip)


def _density(run, span, box, name):
    rows = min(len(run.busy), ROWS)
    for kinds, cls in (((HANDLER, MOVED), "busy"), ((MOVED,), "moved"), ((RUNTIME,), "overhead")):
        matrix = shares(run, kinds, rows, COLUMNS, span)
        if matrix.any():
            yield shaded(matrix, *box, cls, f"{name}-{cls}")


def _names(run, left, top, slot):
    blocks = axes.rank_blocks(run)
    mean = slot * len(run.busy) / len(blocks)
    every = next(e * 10**p for p in range(9) for e in (1, 2, 5) if mean * e * 10**p >= 14)
    parts = []
    for rank, first, number in blocks:
        if rank % every == 0:
            words = f"rank {rank}" if rank < 1000 else str(rank)
            parts.append(text(left - 6, top + slot * (first + number / 2) + 4, words, "end"))
    return "".join(parts)


def _arrows(run, left, top, scale, slot):
    """From the middle of the source's lanes to the middle of the target's."""
    middle = {rank: top + slot * (first + number / 2)
              for rank, first, number in axes.rank_blocks(run)}
    moves = run.moves
    for time, source, target in zip(moves.time, moves.source.tolist(), moves.target.tolist()):
        if source in middle and target in middle and source != target:
            x, a, b = left + time * scale, middle[source], middle[target]
            tip = 5 if b > a else -5
            yield el("path", d=f"M{x:.1f} {a:.1f}V{b:.1f}m-3 {-tip}l3 {tip}l3 {-tip}", cls="arrow")
