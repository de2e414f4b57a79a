#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page of a run of seismic, with pictures beside it as PNG.

usage: waves_page.py FOLDER [--reference NAME=FILE.csv ...] [--low-pass HZ] [--contours ELEVATIONS] [-o PAGE.html]

FOLDER is what the run has written. The page has the seismograms, with references dashed and misfits in a
table (envelope and phase with ObsPy), the motion of the surface as a film strip (film.png) with contours of a file of
elevations, the mesh and the ranks that its pieces ended on (mesh.png), and the steps (from --report-steps). Needs NumPy and matplotlib."""
import argparse
import base64
import csv
import html
import io
import json
import math
import pathlib
import sys

try:
    import matplotlib
    import numpy
except ImportError as error:
    sys.exit(f"waves_page.py: {error} (on Debian: apt install python3-matplotlib)")
matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "seismic"  # the same run gives the same page
from matplotlib import pyplot
from matplotlib.collections import PolyCollection

import elevations
import traces

STYLE = """body{font:15px/1.5 system-ui,sans-serif;max-width:1080px;margin:2em auto;padding:0 1em;color:#1b1f24}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em;border-bottom:1px solid #d0d7de}
img,svg{max-width:100%;height:auto}table{border-collapse:collapse}th,td{padding:.2em .8em;text-align:right}
th:first-child,td:first-child,th:nth-child(2),td:nth-child(2){text-align:left}tr:nth-child(even){background:#f6f8fa}
p.note{color:#57606a}"""
FOUND, EXPECTED = "#0550ae", "#cf222e"
FRAMES = 8  # of the film strip


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def svg(figure):
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    value = text.getvalue()
    return value[value.index("<svg"):]


def png(figure, path, words):
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{html.escape(words)}" src="data:image/png;base64,{data}">'


def azimuth_of(run, receiver):
    """The azimuth of the receiver as seen from the first source; None if it is right above or below it."""
    if not run["sources"]:
        return None
    x, y = (receiver["position"][k] - run["sources"][0][k] for k in (0, 1))
    return math.degrees(math.atan2(y, x)) if math.hypot(x, y) > 1e-9 * run["cell"] else None


class Seismograms:
    """The figures of all receivers, and the rows of the table of misfits."""

    def __init__(self, folder, run, references, low_pass):
        self.figures, self.misfits = [], []
        for receiver in run["receivers"]:
            self._add(folder, run, receiver, references.get(receiver["name"]), low_pass)

    def _add(self, folder, run, receiver, reference, low_pass):
        name = receiver["name"]
        azimuth = azimuth_of(run, receiver)
        expected = None
        if reference:
            time, found, expected = traces.pair(folder / f"{name}.csv", reference)
        else:
            time, found = traces.read(folder / f"{name}.csv")
        if low_pass:
            found = traces.low_passed(found, low_pass, time[1] - time[0])
            expected = None if expected is None else traces.low_passed(expected, low_pass, time[1] - time[0])
        found, names = traces.rotated(found, azimuth)
        expected = None if expected is None else traces.rotated(expected, azimuth)[0]
        self.figures.append((name, receiver["position"], self._draw(time, found, expected, names)))
        if expected is None:
            return
        for k, component in enumerate(names):
            more = traces.envelope_and_phase(found[k], expected[k], time[1] - time[0])
            self.misfits.append((name, component, traces.misfit(found[k], expected[k]), more))
        self.misfits.append((name, "all", traces.misfit(found, expected), None))

    @staticmethod
    def _draw(time, found, expected, names):
        figure, axes = pyplot.subplots(3, 1, figsize=(10, 5.4), sharex=True)
        for k, axis in enumerate(axes):
            axis.plot(time, found[k], color=FOUND, linewidth=1.1, label="seismic")
            if expected is not None:
                axis.plot(time, expected[k], color=EXPECTED, linewidth=0.9, linestyle="--", label="reference")
            axis.set_ylabel(f"{names[k]}, m/s")
            axis.grid(color="#d8dee4", linewidth=0.5)
        axes[0].legend(loc="upper left", frameon=False, ncols=2)
        axes[-1].set_xlabel("time, s")
        axes[-1].set_xlim(time[0], time[-1])
        return svg(figure)

    def html(self):
        parts = []
        for name, position, figure in self.figures:
            place = ", ".join(f"{value:g}" for value in position)
            parts.append(f"<h3>{html.escape(name)} <small>at ({place}) m</small></h3>{figure}")
        return "".join(parts)

    def table(self):
        if not self.misfits:
            return ""
        has_more = any(more for *_, more in self.misfits)
        head = "<tr><th>receiver<th>component<th>relative L2" + ("<th>envelope<th>phase" if has_more else "")
        body = ""
        for name, component, value, more in self.misfits:
            body += f"<tr><td>{html.escape(name)}<td>{component}<td>{value:.4f}"
            if has_more:
                body += f"<td>{more[0]:.4f}<td>{more[1]:.4f}" if more else "<td><td>"
        return f"<h2>Misfits</h2><p class=note>As they stand: no shift, no scaling.</p><table>{head}{body}</table>"


def film(folder, run, contours):
    """The surface's vertical velocity at some of the frames from when it begins to move, all in one scale; `contours`: a file of
    elevations, or None."""
    path = folder / "surface.npy"
    if run["frames"] <= 0 or not path.exists():
        return ""
    frames = numpy.load(path, mmap_mode="r")
    peaks = numpy.array([numpy.abs(frame[:, :, 2]).max() for frame in frames])
    first = max(1, int(numpy.argmax(peaks > 0.05 * peaks.max())))
    chosen = numpy.unique(numpy.linspace(first, len(frames) - 1, FRAMES).round().astype(int))
    values = [numpy.asarray(frames[k, :, :, 2]) for k in chosen]
    scale = max(float(numpy.percentile(numpy.abs(value), 99.7)) for value in values) or 1.0
    columns = 4
    lines = -(-len(chosen) // columns)
    width, height = (run["pixels"][k] * run["pixel"] / 1000 for k in (0, 1))
    figure, axes = pyplot.subplots(lines, columns, figsize=(11, 11 / columns * lines * height / width + 0.3),
                                   squeeze=False, layout="constrained")
    begin = [value / 1000 for value in run["origin"]]
    extent = (begin[0], begin[0] + width, begin[1], begin[1] + height)
    image = None
    for axis, k, value in zip(axes.flat, chosen, values):
        image = axis.imshow(value, origin="lower", extent=extent, cmap="RdBu_r", vmin=-scale, vmax=scale,
                            interpolation="bilinear")
        axis.set_title(f"{k * run['frame_interval']:.2f} s", fontsize=9)
        axis.tick_params(labelsize=7)
        if contours:
            x, y, height = elevations.read(contours)
            axis.contour(x / 1000, y / 1000, height, levels=6, colors="#57606a", linewidths=0.35)
            axis.axis(extent)
        for receiver in run["receivers"]:
            axis.plot(receiver["position"][0] / 1000, receiver["position"][1] / 1000, "k^", markersize=3)
    for axis in list(axes.flat)[len(chosen):]:
        axis.axis("off")
    figure.colorbar(image, ax=axes, label="vertical velocity, m/s (down)", shrink=0.7)
    figure.supxlabel("x, km", fontsize=9)
    figure.supylabel("y, km", fontsize=9)
    picture = png(figure, folder / "film.png", "motion of the surface")
    return f"<h2>Motion of the surface</h2>{picture}"


def mesh(folder, run):
    """Cells at the surface, and those that the plane at the least y cuts, coloured by rank."""
    cells = [{key: float(value) for key, value in row.items()} for row in rows(folder / "mesh.csv")]
    ranks = int(max(cell["rank"] for cell in cells)) + 1
    colours = matplotlib.colormaps["tab10" if ranks <= 10 else "nipy_spectral"]

    def colour(cell):
        rank = cell["rank"] if ranks <= 10 else cell["rank"] / ranks
        return colours(int(rank) if ranks <= 10 else rank)

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 5.2), layout="constrained")
    views = ((2, 0, 1, "surface"), (1, 0, 2, "section at the least y"))
    for axis, (across, right, up, words) in zip(axes, views):
        names = "xyz"
        shown = [c for c in cells if c[names[across]] <= run["origin"][across] + 1e-9 * c["size"]]
        corners = [[(c[names[right]] / 1000 + a * c["size"] / 1000, c[names[up]] / 1000 + b * c["size"] / 1000)
                    for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))] for c in shown]
        axis.add_collection(PolyCollection(corners, facecolors=[colour(c) for c in shown], edgecolors="white",
                                           linewidths=0.4))
        axis.autoscale()
        axis.set_aspect("equal")
        axis.set_title(words, fontsize=10)
        axis.set_xlabel(f"{names[right]}, km")
        axis.set_ylabel(f"{names[up]}, km")
        if up == 2:
            axis.invert_yaxis()
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=colours(r if ranks <= 10 else r / ranks)) for r in range(ranks)]
    if ranks <= 10:
        figure.legend(handles, [f"rank {r}" for r in range(ranks)], loc="upper center",
                      bbox_to_anchor=(0.5, 0.0), ncols=ranks, frameon=False)
    picture = png(figure, folder / "mesh.png", "the mesh and its ranks")
    levels = sorted({int(cell["level"]) for cell in cells})
    sizes = ", ".join(f"{run['cell'] / run['refinement'] ** level:g} m" for level in levels)
    return (f"<h2>Mesh</h2><p class=note>{len(cells)} cells of {sizes}, in {run['pieces']} pieces; colours are the "
            f"ranks on which they ended.</p>{picture}")


def steps(folder, run):
    """How busy each rank was, and how many tasks it sent away, between the lines of the report."""
    path = folder / "steps.csv"
    if not path.exists():
        return ""
    figures = [{key: float(value) for key, value in row.items()} for row in rows(path)]
    by_rank = [[f for f in figures if f["rank"] == rank] for rank in range(run["ranks"])]
    if len(by_rank[0]) < 2:
        return ""
    figure, (above, below) = pyplot.subplots(2, 1, figsize=(10, 4.6), sharex=True, layout="constrained")
    for rank, own in enumerate(by_rank):
        at = [f["step"] for f in own]
        busy = [(b["busy"] - a["busy"]) / max(1e-12, (b["seconds"] - a["seconds"]) * run["workers"])
                for a, b in zip(own, own[1:])]
        away = [b["offloaded"] - a["offloaded"] for a, b in zip(own, own[1:])]
        above.stairs(busy, at, label=f"rank {rank}", baseline=None)
        below.stairs(away, at, label=f"rank {rank}", baseline=None)
    above.set_ylabel("part of the time\nthat workers compute")
    above.set_ylim(0, 1.05)
    below.set_ylabel("tasks offloaded")
    below.set_xlabel("step")
    if run["ranks"] <= 12:
        above.legend(ncols=6, frameon=False, fontsize=8)
    return f"<h2>Steps</h2>{svg(figure)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--reference", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--low-pass", type=float, metavar="HZ", help="of seismograms and references")
    parser.add_argument("--contours", type=pathlib.Path, metavar="ELEVATIONS", help="a file of elevations for the film strip")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    references = dict(entry.split("=", 1) for entry in options.reference if "=" in entry)
    if len(references) != len(options.reference):
        parser.error("--reference takes NAME=FILE")
    try:
        run = json.loads((options.folder / "run.json").read_text(encoding="utf-8"))
        seismograms = Seismograms(options.folder, run, references, options.low_pass)
        filtered = f", low-passed at {options.low_pass:g} Hz" if options.low_pass else ""
        title = run["title"] or options.folder.name
        text = (f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)}</title>"
                f"<style>{STYLE}</style><h1>{html.escape(title)}</h1><p class=note>Order {run['order']}, "
                f"{run['end']:g} s of waves in {run['seconds']:.0f} s; ranks: {run['ranks']}, workers of a rank: "
                f"{run['workers']}{filtered}.</p><h2>Seismograms</h2>{seismograms.html()}{seismograms.table()}"
                f"{film(options.folder, run, options.contours)}{mesh(options.folder, run)}{steps(options.folder, run)}</html>\n")
        page = options.output or options.folder / "page.html"
        page.write_text(text, encoding="utf-8")
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"waves_page.py: {error}")
    print(page)


if __name__ == "__main__":
    main()
