# SPDX-License-Identifier: Apache-2.0
"""The list of balancing decisions."""
from collections import Counter
from html import escape

from . import units

SHOWN = 200
HEADS = (("time", True), ("object", False), ("from", True), ("to", True), ("load", True),
         ("size", True), ("predicted gain", True), ("cost", True), ("realised gain", True),
         ("outcome", False), ("reason", False))


def section(run):
    if not run.decisions:
        why = _why_little_moved(run)
        return f"<p><b>{escape(run.label)}.</b> Nothing moved.{why}</p>" if why else ""
    heads = "".join(f'<th scope="col"{_number(n)}><button type="button">{h}</button></th>'
                    for h, n in HEADS)
    body = "".join(_row(d) for d in run.decisions[:SHOWN])
    more = len(run.decisions) - SHOWN
    note = f"<p class='note'>The first {SHOWN} are listed; {units.count(more)} more are in the " \
           "trace.</p>" if more > 0 else ""
    return (f"<figure><figcaption><b>{escape(run.label)}.</b> {_summary(run)}</figcaption>"
            f"<div class='scroll out' tabindex='0' role='group' aria-label='decisions, scrollable'>"
            f"<table class='decisions'><thead><tr>{heads}</tr></thead><tbody>{body}</tbody>"
            f"</table></div>{note}</figure>")


def _summary(run):
    outcomes = Counter(d.outcome for d in run.decisions)
    parts = ", ".join(f"{units.count(n)} {escape(o)}" for o, n in outcomes.most_common())
    moved = [d for d in run.decisions if d.outcome == "moved"]
    gain, cost = sum(d.gain for d in moved), sum(d.cost for d in moved)
    words = f"{units.plural(len(run.decisions), 'decision')}: {parts}."
    if moved:
        words += (f" The moves were predicted to gain {units.seconds(gain)} for a cost of "
                  f"{units.seconds(cost)}.")
        words += _what_came(moved)
    return words + _why_little_moved(run)


def _why_little_moved(run):
    if run.refused.times <= sum(d.outcome == "moved" for d in run.decisions):
        return ""
    return (f" Ranks short of work were given nothing {units.plural(run.refused.times, 'time')}: moves "
            f"would cost {units.seconds(run.refused.cost)} and gain {units.seconds(run.refused.gain)} "
            "at most.")


def _what_came(moved):
    known = [d for d in moved if d.realised is not None]
    words = ""
    if known and known[0].stay is not None:
        words += (f" Of {units.count(len(known))} it is known when their work began: they gained "
                  f"{units.seconds(sum(d.realised for d in known))} of the "
                  f"{units.seconds(sum(d.gain for d in known))} predicted for them.")
    took = [d.took for d in moved if d.took]
    if took:
        words += f" The moves took {units.seconds(sum(took))}."
    return words


def _number(numeric):
    return " class='n'" if numeric else ""


def _rank(rank):
    return str(rank) if rank >= 0 else "–"


def _realised(d):
    return ("–", -1e300) if d.realised is None else (units.seconds(d.realised), d.realised)


def _row(d):
    cells = ((units.seconds(d.time), d.time), (d.object, None), (_rank(d.source), d.source),
             (_rank(d.target), d.target), (units.seconds(d.load), d.load),
             (units.size(d.size), d.size), (units.seconds(d.gain), d.gain),
             (units.seconds(d.cost), d.cost), _realised(d), (d.outcome, None), (d.reason, None))
    row = []
    for (words, value), (_, numeric) in zip(cells, HEADS):
        key = f" data-v='{value:.9g}'" if value is not None else ""
        row.append(f"<td{_number(numeric)}{key}>{escape(words)}</td>")
    return f"<tr class='{'did' if d.outcome == 'moved' else 'not'}'>{''.join(row)}</tr>"
