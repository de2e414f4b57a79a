# SPDX-License-Identifier: Apache-2.0
"""Runs of Task Bench and the smallest tasks that pay."""
import math
import re

MODELS = ("flow", "objects", "messages")
_FIGURE = re.compile(r"^ *(Total Tasks|Total FLOPs|Elapsed Time) ([\d.e+-]+)", re.MULTILINE)


def figures_of(output):
    return {name: float(value) for name, value in _FIGURE.findall(output)}


def smallest(points):
    """From (granularity, efficiency) pairs: the granularity at which the efficiency falls to a half, between two that were measured
    (both on logarithmic axes); None: it never does, or is never there."""
    points = sorted(points, reverse=True)
    for (large, above), (small, below) in zip(points, points[1:]):
        if above >= 0.5 > below:
            part = math.log(above / 0.5) / math.log(above / below)
            return large * (small / large)**part
    return None
