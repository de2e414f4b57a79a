# SPDX-License-Identifier: Apache-2.0
"""The wait graph and the flow of tasks of one step in the language of Graphviz (dot)."""
from . import units
from .check import ReportError


def dot(run, number):
    step = run.offload.step(number)
    if step is None:
        raise ReportError(f"{run.path}: {_what_there_is(run, number)}")
    lines = [f"digraph step_{number} {{",
             f'  label="step {number}: {units.seconds(step.seconds)}"; labelloc=t;',
             "  node [shape=circle, fontname=sans]; edge [fontname=sans, fontsize=10];"]
    for rank in _ranks(step):
        lines.append(f"  {rank}{_look(step, rank)};")
    for source, target, seconds in step.waits:
        lines.append(f'  {source} -> {target} [label="{seconds:.3g} s", color=red, fontcolor=red];')
    for source, target, offloaded, allowed in step.flows:
        lines.append(f'  {source} -> {target} [label="{offloaded} of {allowed}"];')
    left_out = step.waits_left_out + step.flows_left_out
    if left_out:
        lines.append(f"  // lighter edges that the trace leaves out: {left_out}")
    return "\n".join(lines) + "\n}\n"


def _ranks(step):
    ends = {rank for edge in step.waits + step.flows for rank in edge[:2]}
    return sorted(ends | {step.critical, step.victim} - {-1})


def _look(step, rank):
    if rank == step.critical:
        return " [style=filled, fillcolor=red, fontcolor=white]"
    if rank == step.victim:
        return " [style=filled, fillcolor=green]"
    if rank in step.blacklisted:
        return " [style=filled, fillcolor=gray]"
    return ""


def _what_there_is(run, number):
    steps = run.offload.steps
    if not steps:
        return "no steps of offloading in this trace"
    return f"no step {number}; there are {steps[0].number} to {steps[-1].number}"
