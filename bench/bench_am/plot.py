# SPDX-License-Identifier: Apache-2.0
"""The plot: all panels as one PNG, and each as SVG for the page."""
import io

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402

from . import panels, style  # noqa: E402

PANELS = (panels.latency, panels.latency_ratio, panels.rate, panels.bandwidth, panels.instructions,
          panels.memory)


def headline(outcomes, about):
    met = sum(outcome.met for outcome in outcomes)
    quick = " - a quick run, not to be quoted" if about["quick"] else ""
    several = f", rows of {len(about['dates'])} runs" if len(about["dates"]) > 1 else ""
    return (f"Active messages against raw MPI: {met} of {len(outcomes)} targets met{quick}",
            f"{about['mpi']}; {about['processor']}, {about['cores']} cores; "
            f"{', '.join(about['versions'])}, {about['date'][:16].replace('T', ' ')}{several}; load {about['load_average_before']:.1f}")


def _all_in_one(results, outcomes, about, path):
    figure = plt.figure(figsize=(17, 17.5), dpi=100)
    grid = figure.add_gridspec(4, 2, height_ratios=(0.30 * len(outcomes) + 0.6, 4, 4, 3.2),
                               hspace=0.42, wspace=0.16, left=0.065, right=0.975, top=0.925,
                               bottom=0.04)
    title, setting = headline(outcomes, about)
    figure.text(0.02, 0.978, title, fontsize=19, fontweight="bold", va="center")
    figure.text(0.02, 0.958, setting, fontsize=10.5, color=style.MUTED, va="center")
    top = grid[0, :].subgridspec(1, 1)
    axes = figure.add_subplot(top[0])
    box = axes.get_position()
    axes.set_position([0.24, box.y0, 0.60, box.height])
    panels.summary(axes, outcomes)
    for i, draw_panel in enumerate(PANELS):
        draw_panel(figure.add_subplot(grid[1 + i // 2, i % 2]), results)
    figure.savefig(path)
    plt.close(figure)


def _svg(draw_panel, *arguments, size=(8.2, 4.6)):
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    draw_panel(axes, *arguments)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    plt.close(figure)
    return text.getvalue()


def draw(results, outcomes, about, path):
    """Writes the PNG to `path`; gives back (title, SVG) of each panel."""
    with plt.rc_context(style.SETTINGS):
        _all_in_one(results, outcomes, about, path)
        pictures = [_svg(panels.summary, outcomes, size=(12, 0.34 * len(outcomes) + 1.2))]
        pictures += [_svg(draw_panel, results) for draw_panel in PANELS]
    return pictures
