# SPDX-License-Identifier: Apache-2.0
"""The first lines of the page, and the legends."""
from html import escape

from . import figures, pieces, units
from .svg import el, line, rect

_WORDS = {"busy": "busy", "moved": "busy, with an object that moved here", "overhead": "overhead",
          "idle": "idle", "makespan": "makespan", "ideal": "mean busy time"}


def legend(names):
    def swatch(name):
        if name in ("makespan", "ideal"):
            return el("svg", line(0, 6, 22, 6, name), viewBox="0 0 22 12", aria_hidden="true")
        return el("svg", rect(0, 0, 22, 12, name), viewBox="0 0 22 12", aria_hidden="true")
    items = "".join(f"<li>{swatch(n)}{_WORDS[n]}</li>" for n in names)
    return f"<ul class='legend'>{items}</ul>"


def section(runs, title):
    tiles = "".join(f"<div class='tile'><b>{value}</b><span>{escape(words)}</span></div>"
                    for value, words in _tiles(runs))
    notes = "".join(f"<p class='note'>{escape(pieces.note(run))}</p>" for run in runs if run.ended_by)
    if len(runs) > 1 and figures.differences(runs):
        notes += "<p class='note'>Besides balancing, the runs differ in " + \
            escape(", ".join(figures.differences(runs))) + ".</p>"
    return (f"<header><h1>{escape(title)}</h1><p class='claim'>{escape(_claim(runs))}</p>"
            f"<p class='setting'>{escape(_setting(runs))}</p>{notes}"
            f"<div class='tiles'>{tiles}</div></header>")


def _claim(runs):
    last = runs[-1]
    if len(runs) == 1:
        return (f"{last.program} took {units.seconds(last.makespan)} at an efficiency of "
                f"{units.ratio(figures.efficiency(last))}")
    ratio = figures.speedup(runs)
    subject = "Balancing" if runs[0].off and not last.off else "The change"
    if 0.99 <= ratio <= 1.01:
        return f"{subject} made no difference to the time of {last.program}"
    if ratio < 1:
        return f"{subject} made {last.program} take {units.percent(1 / ratio - 1)} longer"
    return f"{subject} made {last.program} {units.times(ratio)[:-1]} times as fast"


def _setting(runs):
    return "; ".join(dict.fromkeys(
        f"{run.program} on {figures.setting(run)}" for run in runs))


def _change(runs, text):
    # Numbers stay with their units; a narrow page breaks at the arrow.
    parts = [escape(text(run)).replace(" ", "\u00a0") for run in runs]
    return f"<i>{parts[0]}\u00a0→</i> {parts[1]}" if len(parts) > 1 else parts[0]


def _tiles(runs):
    last = runs[-1]
    tiles = [
        (_change(runs, lambda r: units.seconds(r.makespan)), "makespan"),
        (_change(runs, lambda r: units.ratio(figures.efficiency(r))),
         "efficiency (mean/max busy)"),
        (_change(runs, lambda r: units.percent(figures.above_ideal(r))), "makespan above ideal"),
        (units.count(figures.total(last, "migrations_out")),
         f"migrations, {units.size(figures.total(last, 'migrated_bytes_out'))} moved"),
    ]
    return tiles
