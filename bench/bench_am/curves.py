# SPDX-License-Identifier: Apache-2.0
"""Curves by message size, and their axes."""
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator


def legend(axes, **where):
    """What the curves are; nothing where there is none."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(**where)


def points(result, series, side):
    """(bytes, medians, first quartiles, third quartiles) of a curve, by size."""
    rows = sorted((row for row in result["rows"] if row["series"] == series and row["bytes"]),
                  key=lambda row: row["bytes"])
    spread = [row[side] for row in rows]
    return ([row["bytes"] for row in rows], [s["median"] for s in spread],
            [s["quartile_1"] for s in spread], [s["quartile_3"] for s in spread])


def curve(axes, result, series, side, color, label, **style):
    """Draws a curve with its quartiles as a band. Nothing where there is no result."""
    if not result:
        return
    x, y, low, high = points(result, series, side)
    if x:
        axes.plot(x, y, color=color, label=label, marker=style.pop("marker", "o"), **style)
        axes.fill_between(x, low, high, color=color, alpha=0.18, linewidth=0)


def size_name(value, _position=None):
    for factor, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= factor:
            return f"{value / factor:.0f} {unit}"
    return f"{value:.0f} B"


def size_axis(axes, sizes):
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(size_name))
    axes.tick_params(axis="x", labelrotation=40)
    for label in axes.get_xticklabels():
        label.set_horizontalalignment("right")


def plain(value, _position=None):
    return f"{value:g}"


def log_axis(axis, subs=(1, 2, 5)):
    """Decades with some values between, as plain numbers. For spans of few decades."""
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(plain))
    axis.set_minor_formatter(NullFormatter())


def target_line(axes, x0, x1, y, color, words):
    """A limit that holds from x0 to x1."""
    axes.plot([x0, x1], [y, y], color=color, linestyle=(0, (2, 2)), linewidth=1.6, marker="|")
    axes.annotate(words, (x1, y), xytext=(5, 0), textcoords="offset points", color=color,
                  fontsize=9, va="center", fontweight="bold")
