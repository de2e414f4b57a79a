# SPDX-License-Identifier: Apache-2.0
"""Colours and shapes that mean the same in every panel; told apart by colour-blind readers too."""
INK, MUTED, GRID = "#171a1f", "#59616b", "#e2e6ea"
RAW, MPI, UCX, INSIDE, PUT = "#59616b", "#1f6fb2", "#e07b1f", "#1d9a7c", "#8a4fb0"
MET, MISSED = "#1d9a7c", "#c8372d"
ROOMS = {"am": "#1f6fb2", "exec": "#6aa9dd", "core": "#a9cdec", "runtime": "#cfe3f4",
         "program": "#8a4fb0", "libraries": "#c3cad1", "transport": "#e07b1f"}

SETTINGS = {
    "font.family": "sans-serif", "font.size": 10.5, "text.color": INK,
    "axes.edgecolor": MUTED, "axes.labelcolor": MUTED, "axes.titlecolor": INK,
    "axes.titlesize": 12.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
    "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.8,
    "xtick.color": MUTED, "ytick.color": MUTED, "legend.frameon": False, "legend.fontsize": 9.5,
    "lines.linewidth": 1.8, "lines.markersize": 5, "svg.fonttype": "path",
}
