# SPDX-License-Identifier: Apache-2.0
"""Tasks of flow programs, and who waited for whom, in the language of Graphviz (dot)."""
from . import units
from .check import ReportError
from .flow import paths

COLOURS = ("#cfe3f5", "#fbe0c6", "#cfeee4", "#e5d6f0", "#f6d3d0", "#dfe3e6", "#f0e9b8", "#f8d5ec")


def dot(run, most):
    flow = run.flow
    if not flow.tasks:
        raise ReportError(f"{run.path}: no tasks of flow programs in this trace (--roam-flow-record N)")
    found = paths(flow)
    on_path = set(found.path)
    steps = set(zip(found.path, found.path[1:]))
    shown = range(min(most, len(flow.tasks)))
    colour = {label: COLOURS[k % len(COLOURS)] for k, label in enumerate(dict.fromkeys(task.label for task in flow.tasks))}
    lines = ["digraph tasks {",
             f'  label="{len(flow.tasks)} tasks; critical path {units.seconds(found.length)}, in red"; labelloc=t;',
             "  node [shape=box, style=filled, fontname=sans]; edge [fontname=sans, fontsize=9];"]
    for number in shown:
        task = flow.tasks[number]
        look = ", color=red, penwidth=2" if number in on_path else ""
        lines.append(f'  t{number} [label="{_quoted(task.name)}\\n{units.seconds(task.busy)}", tooltip="{_quoted(task.label)}, rank '
                     f'{task.rank}, slack {units.seconds(found.slack[number])}", fillcolor="{colour[task.label]}"{look}];')
    for before, task, datum in flow.edges:
        if before >= len(shown) or task >= len(shown):
            continue
        look = ", color=red, penwidth=2" if (before, task) in steps else "" if datum else ", color=blue"
        lines.append(f'  t{before} -> t{task} [label="{_quoted(datum.rsplit(" (", 1)[0])}"{look}];')
    for number in shown:
        if flow.tasks[number].parent >= 0:
            lines.append(f"  t{flow.tasks[number].parent} -> t{number} [style=dashed];")
    left_out = len(flow.tasks) - len(shown) + flow.left_out
    if left_out:
        lines.append(f"  // tasks that are left out: {left_out}")
    return "\n".join(lines) + "\n}\n"


def _quoted(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')
