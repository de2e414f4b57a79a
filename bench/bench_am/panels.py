# SPDX-License-Identifier: Apache-2.0
"""The panels of the plot, each drawn from the results by measurement."""
from . import style
from .curves import curve, legend, log_axis, plain, points, size_axis, target_line
from .measurements import INSTRUCTIONS
from .table import limit, number

LATENCY_SIZES = [1, 8, 64, 512, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20]


def summary(axes, outcomes):
    """How far each figure is from its target: right of the line is better than wanted."""
    axes.set_title("Measured against target")
    rows = [o for o in outcomes if o.value > 0 and o.limit > 0]
    for y, outcome in enumerate(reversed(rows)):
        flip = outcome.target.kind == "at least"
        margins = [v / outcome.limit if flip else outcome.limit / max(v, 1e-9)
                   for v in (outcome.low, outcome.value, outcome.high)]
        color = style.MET if outcome.met else style.MISSED
        axes.plot([margins[0], margins[2]], [y, y], color=color, linewidth=5, alpha=0.3,
                  solid_capstyle="round")
        axes.plot(margins[1], y, marker="o" if outcome.met else "X", color=color, markersize=8)
        axes.annotate(f"{number(outcome.value)}  ({limit(outcome)})",
                      (1.01, y), xycoords=("axes fraction", "data"), fontsize=9.5, va="center",
                      color=color)
    axes.set_yticks(range(len(rows)), [f"{o.target.group}, {o.target.what}" for o in reversed(rows)])
    axes.axvline(1, color=style.INK, linewidth=1.4)
    axes.set_xscale("log")
    log_axis(axes.xaxis)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.5), max(high, 2))
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel("times as good as wanted, log scale (median and quartiles)")


def latency(axes, results):
    axes.set_title("One-way time")
    mpi = results.get("ping_pong_mpi")
    curve(axes, mpi, "shared", "yardstick", style.RAW, "MPI_Send + MPI_Recv", marker="s")
    curve(axes, mpi, "shared", "roam", style.MPI, "Roam over MPI")
    curve(axes, results.get("ping_pong_ucx"), "shared", "roam", style.UCX, "Roam over UCX", marker="^")
    curve(axes, results.get("in_process"), "in process", "roam", style.INSIDE,
          "Roam inside a process", marker="D")
    _label_curve(axes, mpi, "shared", style.MPI)
    axes.set_yscale("log")
    size_axis(axes, LATENCY_SIZES)
    log_axis(axes.yaxis, (1,))
    axes.set_ylabel("microseconds")
    axes.margins(y=0.1)
    legend(axes, loc="upper left", title="beside its points: ratio to raw", alignment="left")


def latency_ratio(axes, results):
    axes.set_title("One-way time, Roam / raw MPI")
    mpi = results.get("ping_pong_mpi")
    curve(axes, mpi, "shared", "ratio", style.MPI, "over MPI")
    curve(axes, results.get("ping_pong_ucx"), "shared", "ratio", style.UCX, "over UCX", marker="^")
    curve(axes, results.get("in_process"), "in process", "ratio", style.INSIDE, "inside a process",
          marker="D")
    curve(axes, results.get("mpi_latency"), "message", "ratio", style.RAW, "MPI endpoint alone",
          marker="s", linestyle=":", markersize=3.5)
    axes.axhline(1, color=style.INK, linewidth=1)
    target_line(axes, 6, 700, 1.15, style.MPI, "<= 1.15")
    target_line(axes, 32768, 131072, 1.05, style.MPI, "<= 1.05")
    target_line(axes, 6, 700, 0.90, style.UCX, "<= 0.90")
    axes.set_yscale("log")
    size_axis(axes, LATENCY_SIZES)
    log_axis(axes.yaxis, (1, 1.5, 2, 3, 5, 7))
    # Of a disturbed measurement, nothing beyond is worth the room it takes.
    low, high = axes.get_ylim()
    axes.set_ylim(max(low, 0.25), 1.9 * min(high, 6))
    axes.set_ylabel("ratio, less is better")
    legend(axes, loc="upper left", ncols=2)


def _label_curve(axes, result, series, color, above=True):
    """Writes the ratio to raw MPI beside every point of a curve of absolute values."""
    if not result:
        return
    x, ratios, _, _ = points(result, series, "ratio")
    _, y, _, _ = points(result, series, "roam")
    for size, value, ratio in zip(x, y, ratios):
        axes.annotate(f"{ratio:.2g}x" if ratio < 10 else f"{ratio:.0f}x", (size, value),
                      xytext=(0, 8 if above else -15), textcoords="offset points", ha="center",
                      fontsize=9, color=color)


def rate(axes, results):
    axes.set_title("Messages per second, one way")
    result = results.get("rate_mpi")
    curve(axes, result, "size", "yardstick", style.RAW, "256 MPI_Isend into 256 MPI_Irecv", marker="s")
    curve(axes, result, "size", "roam", style.MPI, "Roam, ratio to raw")
    _label_curve(axes, result, "size", style.MPI)
    sizes, raw, _, _ = points(result, "size", "yardstick") if result else ((),) * 4
    if sizes:
        axes.plot(sizes[0], 5 * raw[0], marker="_", markersize=22, markeredgewidth=2.2,
                  color=style.MPI, linestyle="none", label="target at 8 B: 5x")
        size_axis(axes, sizes)
    axes.set_yscale("log")
    log_axis(axes.yaxis, (1,))
    axes.set_ylabel("million per second")
    axes.set_ylim(axes.get_ylim()[0], 4 * axes.get_ylim()[1])
    legend(axes, loc="upper right")


def bandwidth(axes, results):
    axes.set_title("Bandwidth, one way")
    result = results.get("bandwidth_mpi")
    curve(axes, result, "messages", "yardstick", style.RAW, "MPI_Isend window", marker="s")
    curve(axes, result, "messages", "roam", style.MPI, "messages, ratio to raw")
    curve(axes, result, "puts", "roam", style.PUT, "puts, ratio to raw", marker="^")
    _label_curve(axes, result, "messages", style.MPI, above=False)
    _label_curve(axes, result, "puts", style.PUT)
    if result:
        sizes, raw, _, _ = points(result, "messages", "yardstick")
        wanted = [(x, 0.97 * y) for x, y in zip(sizes, raw) if x >= 1 << 20]
        axes.plot([x for x, _ in wanted], [y for _, y in wanted], marker="_", markersize=16,
                  markeredgewidth=2, color=style.MPI, linestyle="none", label="target: 0.97 x raw")
        size_axis(axes, sizes)
    axes.set_yscale("log")
    log_axis(axes.yaxis)
    axes.set_ylim(axes.get_ylim()[0] / 1.3, 3 * axes.get_ylim()[1])
    axes.set_ylabel("GB per second")
    legend(axes, loc="upper left", ncols=2)


def instructions(axes, results):
    axes.set_title("Instructions of a message of 8 B")
    result = results.get(INSTRUCTIONS)
    if not result:
        return
    left = 0
    network = [name for name in result["rooms"] if name == "transport"]
    for name in [n for n in result["rooms"] if n not in network] + network:
        cost = result["rooms"][name]
        y = 0 if name in network else 1
        start = 0 if name in network else left
        axes.barh(y, cost, left=start, height=0.6, color=style.ROOMS.get(name, style.MUTED))
        if cost > 0.035 * result["total"]:
            axes.annotate(f"{name}\n{cost:.0f}", (start + cost / 2, y), ha="center", va="center",
                          fontsize=9, color="white" if name in ("am", "transport", "program") else style.INK)
        left += cost if name not in network else 0
    axes.annotate(f" {result['overhead']:.0f}", (result["overhead"], 1), va="center", fontweight="bold")
    axes.plot([400, 400], [0.6, 1.5], color=style.INK, linewidth=1.8)
    axes.annotate("target 400", (400, 1.5), ha="center", va="bottom", fontsize=9)
    axes.set_yticks([0, 1], ["in-process\nnetwork", "on top\nof it"])
    axes.set_ylim(-0.6, 1.85)
    axes.set_xlim(0, 1.12 * max(result["overhead"], 400))
    axes.grid(visible=False, axis="y")
    axes.xaxis.set_major_formatter(plain)
    axes.set_xlabel("instructions, by room")


def memory(axes, results):
    axes.set_title("Memory under mixed messages")
    result = results.get("soak_mpi")
    if not result:
        return
    begin, end = result["warm_up_seconds"], result["seconds"]
    third = (end - begin) / 3
    for rank, color in zip(result["ranks"], (style.MPI, style.UCX)):
        seconds, kib = zip(*rank["samples"])
        axes.plot(seconds, [k / 1024 for k in kib], color=color, linewidth=1,
                  label=f"rank {rank['rank']}: {rank['growth_kib']:+,} KiB, "
                        f"{rank['messages'] / 1e6:.2f} million messages")
    axes.set_ylim(0, 1.3 * axes.get_ylim()[1])
    axes.axvspan(0, begin, color=style.GRID, alpha=0.6, linewidth=0)
    for x0, words in ((begin, "first third"), (end - third, "last third")):
        axes.axvspan(x0, x0 + third, color=style.INSIDE, alpha=0.08, linewidth=0)
        axes.annotate(words, (x0 + third / 2, 0.03), xycoords=("data", "axes fraction"), ha="center",
                      fontsize=9, color=style.MUTED)
    axes.annotate("warm-up", (begin / 2, 0.03), xycoords=("data", "axes fraction"), ha="center",
                  fontsize=9, color=style.MUTED)
    axes.set_xlim(0, end)
    axes.set_xlabel("seconds")
    axes.set_ylabel("MiB resident")
    legend(axes, loc="upper right")
