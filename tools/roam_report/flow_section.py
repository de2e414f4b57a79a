# SPDX-License-Identifier: Apache-2.0
"""The page's section about tasks of flow programs."""
from html import escape

from . import units
from .flow import by_label, paths

ROWS = 100
HEADS = ("tasks", "number", "time in them", "longest", "on the critical path", "least slack")


def facts(run):
    """(name, value) pairs, for the page and the text table."""
    return _tasks(run) + _graphs(run.flow) + _copies(run.flow) + _moved(run.flow)


def _moved(flow):
    if not flow.elsewhere:
        return []
    return [("tasks that ran where a policy had moved their elements", units.count(flow.elsewhere)),
            ("values that others needed from there", units.count(flow.fetched))]


def _copies(flow):
    if not flow.copies + flow.copies_refused:
        return []
    return [("copies for readers, while others modify", f"{units.count(flow.copies)}, {units.size(flow.copied_bytes)}"),
            ("copies not made because of their quota", units.count(flow.copies_refused))]


def _graphs(flow):
    if not flow.replays + flow.fallbacks:
        return []
    return [("graphs replayed", f"{units.count(flow.replays)}, {units.count(flow.replayed_tasks)} tasks"),
            ("graphs that fell back to tracking", units.count(flow.fallbacks))]


def _tasks(run):
    if not run.flow.tasks:
        return []
    found = paths(run.flow)
    work = sum(task.busy for task in run.flow.tasks)
    stalled = sum(end - begin for _, begin, end in run.flow.stalls)
    pairs = [("tasks recorded", units.count(len(run.flow.tasks))),
             ("time in tasks", units.seconds(work)),
             ("critical path", f"{units.seconds(found.length)}, {len(found.path)} tasks"),
             ("tasks beside each other, at best", f"{work / found.length:.1f}" if found.length > 0 else "–"),
             ("full windows", f"{len(run.flow.stalls)}, {units.seconds(stalled)}")]
    if run.flow.left_out:
        pairs.append(("tasks not recorded", units.count(run.flow.left_out)))
    return pairs


def section(run):
    facts_ = "".join(f"<tr><th scope='row'>{escape(name)}</th><td class='n'>{escape(value)}</td></tr>" for name, value in facts(run))
    if not facts_:
        return ""
    facts_ = f"<div class='scroll'><table><tbody>{facts_}</tbody></table></div>"
    return facts_ + _table(run) if run.flow.tasks else facts_


def _table(run):
    rows = by_label(run.flow, paths(run.flow))
    body = "".join(_row(row) for row in rows[:ROWS])
    head = "".join(f"<th scope='col'{' class=n' if k else ''}>{escape(h)}</th>" for k, h in enumerate(HEADS))
    more = f" The {len(rows) - ROWS} others took less." if len(rows) > ROWS else ""
    return (f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
            f"<p class='notes'>The critical path is the longest chain of tasks of which each waited for the one before it, without the "
            f"time between them: no number of workers could be faster. Slack: by how much a task could have taken longer without a longer chain.{more} "
            "<code>roam report RUN.json --flow-dot</code> draws the tasks with Graphviz.</p>")


def _row(row):
    label, number, total, longest, on_path, slack = row
    cells = (units.count(number), units.seconds(total), units.seconds(longest), units.seconds(on_path), units.seconds(max(slack, 0.0)))
    return f"<tr><th scope='row'>{escape(label)}</th>" + "".join(f"<td class='n'>{escape(c)}</td>" for c in cells) + "</tr>"
