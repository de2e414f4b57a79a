# SPDX-License-Identifier: Apache-2.0
"""The figures of a run. Definitions: efficiency = mean/max busy, imbalance = max/mean - 1."""
from . import units


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
    """How much longer than the mean busy time, which no placement can beat, the run took."""
    mean = run.busy.mean()
    return float(run.makespan / mean - 1) if mean > 0 else 0.0


def total(run, counter):
    return int(run.counters[counter].sum())


def speedup(runs):
    return runs[0].makespan / runs[-1].makespan


def setting(run):
    ranks = units.plural(run.ranks, "rank") + " × " + units.plural(run.workers_per_rank, "worker")
    return f"{ranks}, {run.transport}" + (", virtual time" if run.simulated else "")


ROWS = (
    ("makespan", lambda r: units.seconds(r.makespan)),
    ("makespan above ideal", lambda r: units.percent(above_ideal(r))),
    ("efficiency (mean/max busy)", lambda r: units.ratio(efficiency(r))),
    ("imbalance (max/mean − 1)", lambda r: units.ratio(imbalance(r))),
    ("busiest worker", lambda r: units.seconds(r.busy.max())),
    ("least busy worker", lambda r: units.seconds(r.busy.min())),
    ("mean busy per worker", lambda r: units.seconds(r.busy.mean())),
    ("idle", lambda r: units.percent(idle_share(r))),
    ("overhead", lambda r: units.percent(overhead_share(r))),
    ("handlers run", lambda r: units.count(r.handlers.sum())),
    ("messages", lambda r: units.count(total(r, "messages_sent"))),
    ("bytes sent", lambda r: units.size(total(r, "bytes_sent"))),
    ("forwarded calls", lambda r: units.count(total(r, "forwarded_calls"))),
    ("migrations", lambda r: units.count(total(r, "migrations_out"))),
    ("bytes moved", lambda r: units.size(total(r, "migrated_bytes_out"))),
)


def rows(runs):
    """(group, name, one text per run); the groups are "run" and "result"."""
    table = [("run", "speed-up", ["1.00×", units.times(speedup(runs))])] if len(runs) > 1 else []
    table += [("run", name, [text(r) for r in runs]) for name, text in ROWS]
    names = dict.fromkeys(name for r in runs for name in r.results)
    table += [("result", name, [units.any_value(r.results.get(name)) for r in runs])
              for name in names]
    return table


def differences(runs):
    """What, besides the balancer, is not the same in the two runs."""
    names = (("program", "program"), ("transport", "transport"), ("ranks", "ranks"),
             ("workers_per_rank", "workers per rank"), ("simulated", "simulated"))
    return [f"{text} ({getattr(runs[0], name)}, then {getattr(runs[-1], name)})"
            for name, text in names if getattr(runs[0], name) != getattr(runs[-1], name)]
