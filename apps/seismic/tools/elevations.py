# SPDX-License-Identifier: Apache-2.0
"""Elevations of a parameter file, in both forms that its README names."""
import numpy


def read(path):
    """Reads coordinates along x and y, ascending, and elevations [y][x], all in m, from an ESRI ASCII grid or from
    lines `x y elevation` of all points of a grid. Raises ValueError if the file is neither."""
    lines = path.read_text(encoding="ascii").splitlines()
    words = " ".join(line for line in lines if not line.lstrip().startswith("#")).split()
    try:
        return _esri(words) if words and words[0][0].isalpha() else _points(words)
    except (ValueError, KeyError, IndexError) as error:
        raise ValueError(f"{path}: neither an ESRI ASCII grid nor all points of a grid ({error})") from error


def _esri(words):
    head = {}
    while words[2 * len(head)][0].isalpha():
        head[words[2 * len(head)].lower()] = float(words[2 * len(head) + 1])
    count = [int(head[key]) for key in ("ncols", "nrows")]
    values = numpy.array(words[2 * len(head):], dtype=float).reshape(count[1], count[0])[::-1]
    axes = []
    for key, points in zip("xy", count):
        size = head[f"d{key}"] if f"d{key}" in head else head["cellsize"]
        first = head[f"{key}llcenter"] if f"{key}llcenter" in head else head[f"{key}llcorner"] + size / 2
        axes.append(first + size * numpy.arange(points))
    return *axes, values


def _points(words):
    x, y, elevations = numpy.array(words, dtype=float).reshape(-1, 3).T
    axes = [numpy.unique(values) for values in (x, y)]
    if len(elevations) != len(axes[0]) * len(axes[1]) or min(map(len, axes)) < 2:
        raise ValueError(f"{len(elevations)} points at {len(axes[0])} x and {len(axes[1])} y")
    order = numpy.lexsort((x, y))
    return *axes, elevations[order].reshape(len(axes[1]), len(axes[0]))
