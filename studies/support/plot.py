# SPDX-License-Identifier: Apache-2.0
"""Plots that look like those of the benchmarks."""
import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from bench_am import style  # noqa: E402

COLOURS = ("#1f6fb2", "#e07b1f", "#1d9a7c", "#8a4fb0", "#c8372d", "#59616b", "#b59a00", "#e377c2", "#17a2b8", "#7f4f24",
           "#2f4858", "#a0c15a")


def panels(count, width=11, height=4.4):
    plt.rcParams.update(style.SETTINGS)
    plt.rcParams["svg.hashsalt"] = "roam"  # the same file from the same figures
    figure, axes = plt.subplots(1, count, figsize=(width, height), dpi=100)
    return figure, (axes if count > 1 else [axes])


def grid(rows, columns, width=11, height=4.0):
    """rows x columns panels in one list, row by row; `height`: of a row."""
    plt.rcParams.update(style.SETTINGS)
    plt.rcParams["svg.hashsalt"] = "roam"
    figure, axes = plt.subplots(rows, columns, figsize=(width, height * rows), dpi=100, squeeze=False)
    return figure, [panel for row in axes for panel in row]


def _colour(name, order, place):
    """The colour of a series: the same in every panel for names that `order` lists."""
    return COLOURS[(order.index(name) if name in order else place) % len(COLOURS)]


def bars(axes, groups, series, title, unit):
    """`series`: (name, a value for each group or None)."""
    width = 0.8 / len(series)
    for i, (name, values) in enumerate(series):
        places = [g + (i - (len(series) - 1) / 2) * width for g in range(len(groups))]
        axes.bar(places, [value or 0 for value in values], width * 0.92, color=COLOURS[i % len(COLOURS)], label=name)
    axes.set_xticks(range(len(groups)), groups)
    axes.set_title(title)
    axes.set_ylabel(unit)
    axes.grid(axis="x", visible=False)
    axes.legend(ncols=2)


def courses(axes, series, title, across, unit, order=()):
    """`series`: (name, a value for each step from 0 on)."""
    for i, (name, values) in enumerate(series):
        axes.plot(range(len(values)), values, "-", color=_colour(name, order, i), label=name, linewidth=1.3)
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(unit)
    axes.legend(ncols=2)


def lines(axes, series, title, across, unit, logarithmic=False, order=()):
    """`series`: (name, x values, y values)."""
    for i, (name, x, y) in enumerate(series):
        axes.plot(x, y, "o-", color=_colour(name, order, i), label=name)
    axes.set_xscale("log", base=2)
    if logarithmic:
        axes.set_yscale("log")
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(unit)
    axes.legend(ncols=2)
