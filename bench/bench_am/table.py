# SPDX-License-Identifier: Apache-2.0
"""The table as text."""

HEAD = ("", "Roam", "raw MPI", "measured", "(quartiles)", "target", "")


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) and abs(value) >= 10 else \
        f"{value:.2f}"


def limit(outcome):
    sign = {"at most": "<=", "at least": ">=", "below": "<"}[outcome.target.kind]
    return f"{sign} {number(outcome.limit)}" + (f" {outcome.target.unit}" if outcome.target.unit else "")


def verdict(outcome):
    return "met" if outcome.met else "NOT MET"


def cells(outcome):
    spread = f"{number(outcome.low)}-{number(outcome.high)}" if outcome.low != outcome.high else ""
    return (outcome.target.what, outcome.ours, outcome.raw, number(outcome.value), spread,
            limit(outcome), verdict(outcome))


def text_table(outcomes, missing):
    lines, group = [], None
    rows = [cells(outcome) for outcome in outcomes]
    widths = [max(len(row[i]) for row in rows + [HEAD]) for i in range(len(HEAD))]
    widths[0] += 2

    def line(row):
        parts = [row[0].ljust(widths[0])]
        parts += [row[i].rjust(widths[i]) for i in range(1, 6)]
        return "  ".join(parts + [row[6]]).rstrip()

    lines.append(line(HEAD))
    for outcome, row in zip(outcomes, rows):
        if outcome.target.group != group:
            group = outcome.target.group
            lines.append(group)
        lines.append(line(("  " + row[0],) + row[1:]))
    met = sum(outcome.met for outcome in outcomes)
    lines.append(f"\n{met} of {len(outcomes)} targets met")
    lines += [f"not measured: {target.group}, {target.what}" for target in missing]
    return "\n".join(lines) + "\n"
