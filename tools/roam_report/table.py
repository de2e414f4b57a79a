# SPDX-License-Identifier: Apache-2.0
"""The figures as an aligned text table."""
from . import figures, flow_section, offload_trips, pieces


def text_table(runs, title):
    body = [(name, values) for _, name, values in figures.rows(runs)]
    head = ("", figures.heads(runs))
    width = max(len(name) for name, _ in body)
    widths = [max(len(values[i]) for _, values in body + [head]) for i in range(len(head[1]))]
    rule = "-" * (width + sum(widths) + 2 * len(widths))
    lines = [title, "; ".join(dict.fromkeys(figures.setting(run) for run in runs))]
    lines += [pieces.note(run) for run in runs if run.ended_by] + [rule]
    lines += [_line(*head, width, widths), rule] if len(runs) > 1 else []
    last = "run"
    for group, name, values in figures.rows(runs):
        if group != last:
            lines.append(rule)
        lines.append(_line(name, values, width, widths))
        last = group
    lines += [rule]
    for run in runs:
        facts = offload_trips.facts(run) + flow_section.facts(run)
        lines += [_line(name, [value], width, [max(len(v) for _, v in facts)]) for name, value in facts]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _line(name, values, width, widths):
    return name.ljust(width) + "".join("  " + v.rjust(w) for v, w in zip(values, widths))
