# SPDX-License-Identifier: Apache-2.0
"""Who sent work to whom: a flow between few ranks, a matrix between many."""
from . import units
from .matrix import HEIGHT, WIDTH, matrix
from .svg import drawing, el, rect, text

FEW = 12


def pairs(run):
    """{(from, to): (objects, bytes)}"""
    sums = {}
    for source, target, size in zip(run.moves.source.tolist(), run.moves.target.tolist(),
                                    run.moves.size.tolist()):
        if source < run.ranks and target < run.ranks:
            objects, total = sums.get((source, target), (0, 0.0))
            sums[source, target] = (objects + 1, total + size)
    return sums


def panel(run, name):
    return _flow(run) if run.ranks <= FEW else _matrix(run, name)


def _flow(run):
    """The ranks that sent on the left, those that received on the right; widths are numbers of objects."""
    sums = pairs(run)
    sent, got = _totals(sums, 0), _totals(sums, 1)
    gap, top = 18, 36
    unit = min((HEIGHT - top - gap * max(len(sent), len(got))) / sum(sent.values()), 24)
    left, right = _stack(sent, unit, gap, top), _stack(got, unit, gap, top)
    ends = _ends(sent, left, unit, 112, "from") + _ends(got, right, unit, 388, "to")
    ribbons = []
    for (s, t), (n, size) in sorted(sums.items()):
        y0, y1 = left[s] + n * unit / 2, right[t] + n * unit / 2
        left[s] += n * unit
        right[t] += n * unit
        tip = f"rank {s} to rank {t}: {units.plural(n, 'object')}, {units.size(size)}"
        ribbons.append(el("path", el("title", tip), stroke_width=max(n * unit, 0.7), cls="ribbon",
                          d=f"M121 {y0:.1f}C250 {y0:.1f} 250 {y1:.1f} 387 {y1:.1f}"))
    height = top + sum(sent.values()) * unit + gap * (max(len(sent), len(got)) - 1) + 8
    return drawing(WIDTH, height, f"{run.label}: objects that moved between ranks", *ribbons, ends)


def _totals(sums, end):
    """{rank: objects} over the pairs' first or second rank."""
    totals = {}
    for pair, (n, _) in sorted(sums.items(), key=lambda item: item[0][end]):
        totals[pair[end]] = totals.get(pair[end], 0) + n
    return totals


def _stack(totals, unit, gap, top):
    starts, y = {}, top
    for rank, total in totals.items():
        starts[rank] = y
        y += total * unit + gap
    return starts


def _ends(totals, starts, unit, x, name):
    anchor, away = ("end", -6) if name == "from" else ("start", 14)
    parts = [text(x + away, 20, name, anchor, "tick name")]
    for rank, total in totals.items():
        parts.append(rect(x, starts[rank], 8, max(total * unit, 1), "block"))
        parts.append(text(x + away, starts[rank] + total * unit / 2 + 4,
                          f"rank {rank}: {units.count(total)}", anchor))
    return "".join(parts)


def _matrix(run, name):
    objects = {pair: n for pair, (n, _) in pairs(run).items()}
    return matrix(objects, run.ranks, f"{run.label}: matrix of migrations between ranks", "objects",
                  lambda value: f"{value:,.0f}", "moved", name)


def caption(run):
    sums = pairs(run)
    if not sums:
        return ""
    (s, t), (n, size) = max(sums.items(), key=lambda item: item[1])
    known, total = sum(n for n, _ in sums.values()), int(run.counters["migrations_out"].sum())
    part = f"{units.count(known)} of " if known < total else ""
    return (f"{part}{units.plural(max(known, total), 'migration')} over "
            f"{units.plural(len(sums), 'pair')} of ranks; "
            f"the largest flow is rank {s} to rank {t} with {units.plural(n, 'object')} "
            f"({units.size(size)}).")
