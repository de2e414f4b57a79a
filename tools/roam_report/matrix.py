# SPDX-License-Identifier: Apache-2.0
"""A matrix of ranks against ranks as a picture; many ranks share its cells."""
import numpy as np

from .svg import drawing, el, line, rect, shaded, text, ticks

WIDTH, HEIGHT = 500, 320
CELLS = 100


def matrix(values, ranks, label, unit, words, cls, name):
    """values: {(from, to): number}; unit: what is counted; words: a number as text; cls: colour;
    name makes the ids inside unique on the page."""
    cells = min(ranks, CELLS)
    sums = np.zeros((cells, cells))
    for (source, target), value in values.items():
        sums[source * cells // ranks, target * cells // ranks] += value
    top = sums.max()
    left, up, side = 52, 44, 262
    parts = [rect(left, up, side, side, "empty"),
             # The square root keeps small values visible beside large ones.
             shaded(np.sqrt(sums / max(top, 1e-300)), left, up, side, side, cls, name)]
    for value in ticks(ranks - 1, 5):
        if value == int(value):
            at = side * (value + 0.5) / ranks
            parts.append(text(left + at, up - 6, f"{value:.0f}", "middle"))
            parts.append(text(left - 6, up + at + 4, f"{value:.0f}", "end"))
    parts += [text(left + side / 2, 16, "to rank", "middle", "tick name"),
              text(14, up + side / 2, "from", "middle", "tick name"),
              text(left + side + 20, up + 10, unit, cls="tick name")]
    for i in range(5):
        y = up + 20 + i * 24
        parts.append(rect(left + side + 20, y, 20, 20, "empty"))
        parts.append(el("rect", x=left + side + 20, y=y, width=20, height=20, cls=cls,
                        opacity=i / 4))
        parts.append(text(left + side + 46, y + 14, words(top * (i / 4) ** 2)))
    parts.append(line(left, up, left + side, up + side, "gap"))
    return drawing(WIDTH, HEIGHT, label, *parts)
