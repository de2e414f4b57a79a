# SPDX-License-Identifier: Apache-2.0
"""The page's section about offloading: steps as curves and as a table, and the graphs of steps to choose from."""
from html import escape

from . import chart_offload, chart_waits, offload_trips, units

GRAPHS = 40  # drawn on the page; roam report --offload-dot draws any other
FIRST = 15   # of these, the first steps, in which most happens
ROWS = 200
HEADS = ("step", "time", "offloaded", "allowed", "computed again", "in vain", "emergencies",
         "blacklisted", "relaxation", "critical rank", "optimal victim")


def section(run, name):
    if not run.offload.steps:
        return ""
    charts = "".join(chart_offload.panels(run))
    return (f"<figure><div class='pair'>{charts}</div><figcaption><b>{escape(run.label)}.</b> "
            f"{escape(chart_offload.caption(run))}</figcaption></figure>{_graphs(run, name)}"
            f"{_table(run)}{offload_trips.section(run)}")


def chosen(steps):
    """The steps whose graphs the page draws."""
    if len(steps) <= GRAPHS:
        return list(steps)
    return steps[:FIRST] + chart_offload.thinned(steps[FIRST:], GRAPHS - FIRST)


def _graphs(run, name):
    with_edges = [s for s in run.offload.steps if s.waits or s.flows]
    if not with_edges:
        return ""
    steps = chosen(with_edges)
    drawn = "".join(
        f"<div class='step' data-step='{s.number}'{' hidden' if i else ''}>"
        f"{chart_waits.graph(run, s)}<p class='note'>{escape(chart_waits.words(s))}</p></div>"
        for i, s in enumerate(steps))
    few = "" if len(steps) == len(run.offload.steps) else (
        f" {units.count(len(steps))} of {units.plural(len(run.offload.steps), 'step')} are here; "
        "<code>roam report RUN.json --offload-dot STEP</code> prints any of them for Graphviz.")
    return (f"<figure class='steps'><label for='{name}'>step <output>{steps[0].number}</output></label> "
            f"<input type='range' id='{name}' min='0' max='{len(steps) - 1}' value='0'>{drawn}"
            "<figcaption>Red edges: who waited for whom, and how long its workers did. Dark edges: tasks "
            "offloaded of those that were allowed. The critical rank is red, the optimal victim "
            f"green.{few}</figcaption></figure>")


def _table(run):
    steps = run.offload.steps
    heads = "".join(f"<th scope='col' class='n'>{h}</th>" for h in HEADS)
    body = "".join(_row(s) for s in steps[:ROWS])
    note = (f"<p class='note'>The first {ROWS} are listed; {units.count(len(steps) - ROWS)} more are "
            "in the trace.</p>" if len(steps) > ROWS else "")
    return ("<div class='scroll' tabindex='0' role='group' aria-label='steps, scrollable'>"
            f"<table class='offload'><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
            f"</div>{note}")


def _row(s):
    cells = (str(s.number), units.seconds(s.seconds), units.count(s.offloaded),
             units.count(s.allowed), units.count(s.recomputed), units.count(s.in_vain),
             _emergencies(s), units.count(len(s.blacklisted)),
             units.significant(s.relaxation), _rank(s.critical), _rank(s.victim))
    return "<tr>" + "".join(f"<td class='n'>{escape(c)}</td>" for c in cells) + "</tr>"


def _emergencies(step):
    if len(step.emergency_reasons) == 0:
        return units.count(step.emergencies)
    return ", ".join(f"{units.count(times)} {reason}" for reason, times in step.emergency_reasons.items())


def _rank(rank):
    return str(rank) if rank >= 0 else "–"
