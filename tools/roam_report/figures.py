# SPDX-License-Identifier: Apache-2.0
"""The figures of a run. Definitions: efficiency = mean/max busy, imbalance = max/mean - 1."""
from . import levels, units


def efficiency(run):
    top = run.busy.max()
    return float(run.busy.mean() / top) if top > 0 else 1.0


def imbalance(run):
    mean = run.busy.mean()
    return float(run.busy.max() / mean - 1) if mean > 0 else 0.0


def overhead_share(run):
    total = (run.busy + run.idle + run.overhead).sum()
    return float(run.overhead.sum() / total) if total > 0 else 0.0


def idle_share(run):
    total = (run.busy + run.idle + run.overhead).sum()
    return float(run.idle.sum() / total) if total > 0 else 0.0


def above_ideal(run):
    """The excess of the run's time over the mean busy time, which is the minimum for any placement."""
    mean = run.busy.mean()
    return float(run.makespan / mean - 1) if mean > 0 else 0.0


def total(run, counter):
    return int(run.counters[counter].sum())


def speedup(runs):
    return runs[0].makespan / runs[-1].makespan


def setting(run):
    ranks = units.plural(run.ranks, "rank") + " × " + units.plural(run.workers_per_rank, "worker")
    return f"{ranks}, {run.transport}" + (", virtual time" if run.simulated else "")


# Name, function that gives the figure of a run, function that gives its text.
ROWS = (
    ("makespan", lambda r: r.makespan, units.seconds),
    ("makespan above ideal", above_ideal, units.percent),
    ("efficiency (mean/max busy)", efficiency, units.ratio),
    ("imbalance (max/mean − 1)", imbalance, units.ratio),
    ("busiest worker", lambda r: r.busy.max(), units.seconds),
    ("least busy worker", lambda r: r.busy.min(), units.seconds),
    ("mean busy per worker", lambda r: r.busy.mean(), units.seconds),
    ("idle", idle_share, units.percent),
    ("overhead", overhead_share, units.percent),
    ("handlers run", lambda r: r.handlers.sum(), units.count),
    ("messages", lambda r: total(r, "messages_sent"), units.count),
    ("bytes sent", lambda r: total(r, "bytes_sent"), units.size),
    ("forwarded calls", lambda r: total(r, "forwarded_calls"), units.count),
    ("decisions in the trace", lambda r: len(r.decisions), units.count),
    ("migrations", lambda r: total(r, "migrations_out"), units.count),
    ("bytes moved", lambda r: total(r, "migrated_bytes_out"), units.size),
)


def _level_rows(runs):
    """Rows like those above for the levels of the network, if it has several in all runs."""
    names = [level.name for level in runs[0].levels]
    if not names or any([level.name for level in r.levels] != names or not r.traffic for r in runs):
        return ()

    def row(place):
        return (f"bytes across {names[place]}", lambda r: r.levels[place].size, units.size)
    return (*(row(place) for place in range(len(names))), ("hop-bytes (bytes x links)", levels.hop_bytes, units.size))


def rows(runs):
    """(group, name, one text per run); the groups are "run" and "result". Of two runs each row
    has one text more: how the second differs from the first."""
    table = [("run", "speed-up", ["1.00×", units.times(speedup(runs))])] if len(runs) > 1 else []
    table += [("run", name, [unit(measure(r)) for r in runs]) for name, measure, unit in ROWS]
    by_level = _level_rows(runs)
    table += [("run", name, [unit(measure(r)) for r in runs]) for name, measure, unit in by_level]
    names = dict.fromkeys(name for r in runs for name in r.results)
    table += [("result", name, [units.any_value(r.results.get(name)) for r in runs])
              for name in names]
    if len(runs) < 2:
        return table
    changed = {name: change(*map(measure, runs), unit) for name, measure, unit in ROWS + by_level}
    return [(group, name, texts + [changed.get(name, "") if group == "run" else ""])
            for group, name, texts in table]


def change(first, second, unit):
    """The difference of two values: absolute for shares and ratios, relative to the first for everything else."""
    if first == second:
        return "="
    if unit is units.percent:
        return f"{100 * (second - first):+.1f} points"
    if unit is units.ratio:
        return f"{second - first:+.3f}"
    return f"{100 * (second / first - 1):+.1f} %" if first else "new"


def heads(runs):
    """The headings of the texts of rows()."""
    return [run.label for run in runs] + (["difference"] if len(runs) > 1 else [])


def differences(runs):
    """What, besides the balancer, is not the same in the two runs."""
    names = (("program", "program"), ("transport", "transport"), ("ranks", "ranks"),
             ("workers_per_rank", "workers per rank"), ("simulated", "simulated"))
    return [f"{text} ({getattr(runs[0], name)}, then {getattr(runs[-1], name)})"
            for name, text in names if getattr(runs[0], name) != getattr(runs[-1], name)]
