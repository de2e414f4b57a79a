# SPDX-License-Identifier: Apache-2.0
"""The page: headline, figures, charts, decisions."""
from html import escape

from . import (chart_moves, chart_phases, chart_ranks, chart_timeline, chart_traffic, chart_workers,
               decisions, figures, flow_section, headline, offload_steps)
from .script import SCRIPT
from .style import STYLE


def page(runs, result, title, picture):
    sections = [
        headline.section(runs, title),
        _numbers(runs, result, picture),
        _workers(runs),
        _timeline(runs),
        _phases(runs),
        _moves(runs),
        _traffic(runs),
        _offload(runs),
        _flow(runs),
        _decisions(runs),
        _footer(),
    ]
    return ("<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
            "<meta name='viewport' content='width=device-width,initial-scale=1'>\n"
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
            + "\n".join(s for s in sections if s)
            + f"\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")


def _figure(charts, caption, cls="", label=""):
    inside = "".join(charts)
    if cls == "scroll":
        inside = f"<div class='scroll' tabindex='0' role='group' aria-label='chart'>{inside}</div>"
    elif cls:
        inside = f"<div class='{cls}'>{inside}</div>"
    name = f"<b>{escape(label)}.</b> " if label else ""
    return f"<figure>{inside}<figcaption>{name}{escape(caption)}</figcaption></figure>"


def _numbers(runs, result, picture):
    heads = "".join(f"<th scope='col' class='n'>{escape(h)}</th>" for h in figures.heads(runs))
    head = f"<thead><tr><td></td>{heads}</tr></thead>" if len(runs) > 1 else ""
    body, last = [], "run"
    for group, name, values in figures.rows(runs):
        cls = "first" if group != last else "lead" if name in ("speed-up", "makespan") else ""
        cells = "".join(f"<td class='n'>{escape(v)}</td>" for v in values)
        body.append(f"<tr class='{cls}'><th scope='row'>{escape(name)}</th>{cells}</tr>")
        last = group
    table = (f"<div class='scroll'><table class='figures'>{head}<tbody>{''.join(body)}</tbody>"
             "</table></div>")
    notes = "".join(f"<p class='notes'>{escape(n)}</p>" for n in result.notes)
    if picture:
        words = escape(result.caption or "The picture that the program made of its result.")
        table = (f"<div class='beside'><div>{table}</div>"
                 f"<figure><img src='{picture}' alt='{words}'>"
                 f"<figcaption>{words}</figcaption></figure></div>")
    return f"<section><h2>Figures</h2>{table}{notes}</section>"


def _workers(runs):
    top = chart_workers.top_seconds(runs)
    half = len(runs) > 1 or len(runs[0].busy) <= 16
    width = 500 if half else 1000
    charts = [chart_workers.panel(run, top, width) for run in runs]
    return ("<section><h2>What every worker did</h2>"
            + headline.legend(("busy", "overhead", "idle", "makespan", "ideal"))
            + _figure(charts, chart_workers.caption(runs), "pair" if half else "") + "</section>")


def _timeline(runs):
    drawn = [run for run in runs if run.spans is not None]
    if not drawn:
        return ""
    span = chart_timeline.time_span(drawn)
    charts = [chart_timeline.panel(run, span, f"lanes{i}") for i, run in enumerate(drawn)]
    moved = ("moved",) if any((run.spans.kind == 1).any() for run in drawn) else ()
    return ("<section><h2>Over time</h2>"
            + headline.legend(("busy",) + moved + ("overhead", "idle", "makespan"))
            + _figure(charts, chart_timeline.caption(drawn), "scroll") + "</section>")


def _moves(runs):
    parts = []
    for i, run in enumerate(runs):
        charts = [chart_moves.panel(run, f"moves{i}")] if chart_moves.pairs(run) else []
        if run.ranks > 2 and run.counters["migrations_out"].any():
            charts.append(chart_ranks.panel(run))
        if charts:
            words = chart_moves.caption(run) or "Objects that arrived at and left each rank."
            parts.append(_figure(charts, words, "pair", run.label))
    return f"<section><h2>Who sent work to whom</h2>{''.join(parts)}</section>" if parts else ""


def _phases(runs):
    drawn = [run for run in runs if run.phases]
    if not drawn:
        return ""
    tops = chart_phases.tops(drawn)
    parts = [_figure(chart_phases.panels(run, tops), chart_phases.caption(run), "scroll", run.label)
             for run in drawn]
    return f"<section><h2>Phase by phase</h2>{''.join(parts)}</section>"


def _traffic(runs):
    parts = [_figure(chart_traffic.panels(run, f"traffic{i}"), chart_traffic.caption(run), "pair",
                     run.label)
             for i, run in enumerate(runs) if run.traffic]
    return f"<section><h2>Who communicated with whom</h2>{''.join(parts)}</section>" if parts else ""


def _offload(runs):
    parts = "".join(offload_steps.section(run, f"steps{i}") for i, run in enumerate(runs))
    return f"<section><h2>Offloading, step by step</h2>{parts}</section>" if parts else ""


def _flow(runs):
    parts = "".join(flow_section.section(run) for run in runs)
    return f"<section><h2>Tasks and what they waited for</h2>{parts}</section>" if parts else ""


def _decisions(runs):
    parts = "".join(decisions.section(run) for run in runs)
    return f"<section><h2>Balancing decisions</h2>{parts}</section>" if parts else ""


def _footer():
    return ("<footer>Busy is time inside the program's handlers, overhead time inside the runtime, "
            "idle the rest. Efficiency is mean over max busy time of the workers, imbalance max "
            "over mean minus one, ideal the mean busy time. Drawn by roam from the "
            "runs' traces.</footer>")
